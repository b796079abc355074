#include "device.h"

#include "port_for_tests.h"

_Thread_local port_state_t port;
uint32_t port_clock;

static hs_callers_t callers_of(device_t *device)
{
    hs_callers_t callers = {{0}};
    for (unsigned i = 0; i < HS_RECORDER_CALLERS; i++) {
        callers.at[i] = 0x40080000u + 2u * (uintptr_t)check_below(device->random, i == 0 ? 60 : 3);
    }
    return callers;
}

static void *pointer(uint32_t number)
{
    return (void *)device_address(number);
}

/* A number whose block is live, or not; DEVICE_BLOCKS: none was found soon. */
static uint32_t some(device_t *device, bool live)
{
    for (int i = 0; i < 40; i++) {
        const uint32_t number = (uint32_t)check_below(device->random, DEVICE_BLOCKS);
        if ((device->sizes[number] != 0) == live) {
            return number;
        }
    }
    return DEVICE_BLOCKS;
}

static void ask(device_t *device)
{
    const uint32_t number = some(device, false);
    const uint32_t size = 1 + (uint32_t)check_below(device->random, 5) * 40;
    const uint32_t caps = (uint32_t)check_below(device->random, 2) * 0x1804u;
    device->issued++;
    if (number == DEVICE_BLOCKS || check_below(device->random, 200) == 0) {
        device->failed++;
        hs_recorder_allocated(device->recorder, HS_EVENT_CALLOC, NULL, size, caps,
                              callers_of(device));
    } else if (check_below(device->random, 8) == 0) {
        device->sizes[number] = size;
        hs_recorder_aligned(device->recorder, pointer(number), size, 5, caps, callers_of(device));
    } else {
        device->sizes[number] = size;
        hs_recorder_allocated(device->recorder, HS_EVENT_MALLOC, pointer(number), size, caps,
                              callers_of(device));
    }
}

static void give_back(device_t *device)
{
    const uint32_t number = some(device, true);
    if (number == DEVICE_BLOCKS) {
        return;
    }
    device->issued++;
    hs_recorder_freed(device->recorder, pointer(number));
    device->sizes[number] = 0;
}

static void resize(device_t *device)
{
    const uint32_t before = some(device, true);
    const uint32_t after = check_below(device->random, 3) == 0 ? before : some(device, false);
    const uint32_t size = 1 + (uint32_t)check_below(device->random, 900);
    if (before == DEVICE_BLOCKS || after == DEVICE_BLOCKS) {
        return;
    }
    device->issued++;
    device->sizes[before] = 0;
    device->sizes[after] = size;
    hs_recorder_reallocated(device->recorder, pointer(before), pointer(after), size, 0,
                            callers_of(device));
}

/* The program tells of itself. */
static void tell(device_t *device, bool mark)
{
#if HS_RECORDER_PROGRAM
    static const char *const marks[] = {"connected", "page", "sleep"};
    if (mark) {
        hs_recorder_mark(device->recorder, marks[check_below(device->random, 3)]);
    } else if (check_below(device->random, 2) == 0) {
        hs_recorder_task_started(device->recorder, (void *)port.task, "worker");
    } else {
        hs_recorder_task_ended(device->recorder, (void *)port.task);
    }
#else
    (void)device;
    (void)mark;
#endif
}

void device_step(device_t *device)
{
    port_clock += (uint32_t)check_below(device->random, 300);
    if (check_below(device->random, 6) == 0) {
        port.task = 0x3FFC0000u + 0x200u * (uintptr_t)check_below(device->random, 11);
    }
    port.interrupt = check_below(device->random, 20) == 0;
    port.core = (unsigned)check_below(device->random, HS_RECORDER_CORES);
    const uint64_t what = check_below(device->random, 100);
    if (what < 50) {
        ask(device);
    } else if (what < 92) {
        give_back(device);
    } else if (what < 98 || HS_RECORDER_PROGRAM == 0) {
        resize(device);
    } else {
        tell(device, what < 99);
    }
    port.interrupt = 0;
}

size_t device_walk(device_t *device, uintptr_t after, hs_recorder_block_t *out, size_t capacity)
{
    size_t count = 0;
    for (uint32_t i = 0; device->busy_walks && i < check_below(device->random, 6); i++) {
        device_step(device);
    }
    for (uint32_t number = 0; number < DEVICE_BLOCKS && count < capacity; number++) {
        if (device->sizes[number] != 0 && device_address(number) > after) {
            out[count++] = (hs_recorder_block_t){.address = device_address(number),
                                                 .size = device->sizes[number]};
        }
    }
    for (uint32_t i = 0; device->busy_walks && i < check_below(device->random, 6); i++) {
        device_step(device);
    }
    return count;
}
