#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "board.h"
#include "heapscope/port.h"
#include "heapscope/recorder.h"
#include "small_kernel.h"

#define CAPS_MALLOC (HS_CAP_8BIT | HS_CAP_DEFAULT)
#define RECORDS 4096u

static hs_regions_t *set;
static hs_recorder_t *recorder;
static _Alignas(8) uint8_t ring[RECORDS * HS_RECORDER_RECORD_BYTES + 4096];
static volatile bool closing;
static kernel_semaphore_t closed;

static const struct {
    const char *name;
    uint32_t caps;
} SETS[] = {
    {"malloc", CAPS_MALLOC},
    {"DMA|8BIT", HS_CAP_DMA | HS_CAP_8BIT},
    {"INTERNAL|8BIT", HS_CAP_INTERNAL | HS_CAP_8BIT},
    {"32BIT", HS_CAP_32BIT},
    {"EXEC", HS_CAP_EXEC},
    {"SPIRAM", HS_CAP_SPIRAM},
};

/* ---- the recording ----------------------------------------------------------------------------- */

static size_t to_stream(void *context, const uint8_t *bytes, size_t count)
{
    (void)context;
    board_stream(bytes, (uint32_t)count);
    return count;
}

static void on_task(uint32_t number, const char *name, bool begins)
{
    if (begins) {
        hs_recorder_task_started(recorder, kernel_task_handle(number), name);
    } else {
        hs_recorder_task_ended(recorder, kernel_task_handle(number));
    }
}

static bool region_of(void *context, unsigned index, hs_recorder_region_t *out)
{
    (void)context;
    hs_region_state_t state;
    if (!hs_regions_state(set, index, &state)) {
        return false;
    }
    hs_heap_info_t info;
    hs_heap_info(state.guard->heap, &info);
    *out = (hs_recorder_region_t){
        .name = state.name,
        .start = (uintptr_t)state.start,
        .size = (uint32_t)state.size,
        .caps = state.caps,
        .free = (uint32_t)info.free,
        .minimum = (uint32_t)info.minimum_free,
        .largest = HS_RECORDER_UNKNOWN,
    };
    return true;
}

static const char *name_of(void *context, uintptr_t task)
{
    (void)context;
    return task != 0 ? kernel_task_name((const void *)task) : "interrupt";
}

static void drain(void *unused)
{
    (void)unused;
    for (;;) {
        const bool last = closing;
        while (hs_recorder_drain(recorder, RECORDS) != 0) {
        }
        if (last) {
            hs_recorder_flush(recorder);
            kernel_give(&closed);
            return;
        }
        kernel_sleep(1);
    }
}

/* ---- the heap ---------------------------------------------------------------------------------- */

static void print_regions(void)
{
    for (uint32_t i = 0; i < board_region_count; i++) {
        const hs_region_t *const region = &board_regions[i];
        const hs_memory_t *const memory = region->memory;
        printf("region %s %p %u %u %u %u\n", memory->name, region->start, (unsigned)region->size,
               (unsigned)memory->caps[0], (unsigned)memory->caps[1], (unsigned)memory->caps[2]);
    }
}

void memory_open(void)
{
    static const hs_regions_config_t config = {.lock = hs_port_lock, .unlock = hs_port_unlock};
    /* Without a walk: who listens from the boot on needs no snapshots. */
    static const hs_recorder_config_t recording = {
        .write = to_stream,
        .region = region_of,
        .task_name = name_of,
        .chip = "emulated board",
        .program = "the firmware of emulation/firmware",
        .boot = 1,
        .reset = "power on",
        .clock_hz = 1000000,
        .address_shift = 2,
    };
    set = hs_regions_create(board_regions, board_region_count, &config, NULL, 0);
    recorder = hs_recorder_open(ring, sizeof ring, &recording);
    if (set == NULL || recorder == NULL) {
        printf("no heap\n");
        board_end(1);
    }
    kernel_use(malloc, free);
    kernel_watch(on_task);
    print_regions();
    if (!kernel_create("recorder", drain, NULL, 7, 2048)) { /* above who allocates */
        board_end(1);
    }
}

/* Each call of the recorder is within the heap's lock: events are in the order of what happened. */

static void *allocate(hs_event_kind_t kind, size_t count, size_t size, uint32_t caps,
                      hs_callers_t callers)
{
    const uint32_t asked = caps != 0 ? caps : CAPS_MALLOC;
    hs_port_lock(NULL);
    void *const block = kind == HS_EVENT_CALLOC ? hs_regions_calloc(set, count, size, asked)
                                                : hs_regions_malloc(set, size, asked);
    if (count * size != 0) {
        hs_recorder_allocated(recorder, kind, block, count * size, caps, callers);
    }
    hs_port_unlock(NULL);
    return block;
}

void *memory_take(size_t size, uint32_t caps)
{
    return allocate(HS_EVENT_MALLOC, 1, size, caps, HS_RECORDER_CALLER);
}

void *malloc(size_t size)
{
    return allocate(HS_EVENT_MALLOC, 1, size, 0, HS_RECORDER_CALLER);
}

void *calloc(size_t count, size_t size)
{
    return allocate(HS_EVENT_CALLOC, count, size, 0, HS_RECORDER_CALLER);
}

void *realloc(void *block, size_t size)
{
    hs_port_lock(NULL);
    void *const moved = block != NULL ? hs_regions_realloc(set, block, size, CAPS_MALLOC)
                                      : hs_regions_malloc(set, size, CAPS_MALLOC);
    if (block != NULL || size != 0) {
        hs_recorder_reallocated(recorder, block, moved, size, 0, HS_RECORDER_CALLER);
    }
    hs_port_unlock(NULL);
    return moved;
}

void free(void *block)
{
    hs_port_lock(NULL);
    hs_recorder_freed(recorder, block);
    if (hs_regions_free(set, block) != HS_OK) {
        printf("refused: free(%p)\n", block);
    }
    hs_port_unlock(NULL);
}

void memory_mark(const char *name)
{
    hs_port_lock(NULL);
    hs_recorder_mark(recorder, name);
    for (uint32_t i = 0; i < sizeof SETS / sizeof SETS[0]; i++) {
        const uint32_t caps = SETS[i].caps;
        printf("mark %s: %s free %u minimum %u largest %u\n", name, SETS[i].name,
               (unsigned)hs_regions_free_size(set, caps),
               (unsigned)hs_regions_minimum_free(set, caps),
               (unsigned)hs_regions_largest_allocatable(set, caps));
    }
    hs_port_unlock(NULL);
}

void memory_close(void)
{
    closing = true;
    kernel_take(&closed, KERNEL_FOREVER);
    hs_recorder_figures_t figures;
    hs_recorder_figures(recorder, &figures);
    printf("recorder: %u events, %u lost\n", (unsigned)figures.events, (unsigned)figures.lost);
}
