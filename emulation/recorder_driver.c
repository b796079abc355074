/* Drives a recorder: events from the outside go through its hooks, its chunks into a buffer. */
#include "heapscope/recorder.h"

#include "recorder_places.h"

/* hs_event_kind_t, addresses and sizes as plain words of the same layout everywhere. */
typedef struct recorder_event {
    uint32_t kind;
    uint32_t address;
    uint32_t other; /* realloc: the block before; aligned: log2; failed: the call */
    uint32_t size;
    uint32_t caps;
    uint32_t caller;
    uint32_t task;
    uint32_t clock;
} recorder_event_t;

typedef struct recorder_output {
    uint8_t *bytes;
    uint32_t count;
    uint32_t size;
} recorder_output_t;

volatile uint32_t recorder_clock;
uintptr_t recorder_task;

static recorder_output_t output;

static size_t take_bytes(void *context, const uint8_t *bytes, size_t count)
{
    recorder_output_t *to = context;
    const size_t room = to->size - to->count;
    const size_t taken = count < room ? count : room;
    for (size_t i = 0; i < taken; i++) {
        to->bytes[to->count + i] = bytes[i];
    }
    to->count += (uint32_t)taken;
    return taken;
}

static const hs_recorder_config_t config_of_all = {.write = take_bytes,
                                                   .context = &output,
                                                   .chip = "emulated",
                                                   .boot = 1,
                                                   .clock_hz = 1000000,
                                                   .address_shift = 3};
static const hs_recorder_config_t config_of_pairs = {.write = take_bytes,
                                                     .context = &output,
                                                     .chip = "emulated",
                                                     .boot = 1,
                                                     .clock_hz = 1000000,
                                                     .address_shift = 3,
                                                     .level = HS_LEVEL_PAIRS};

hs_recorder_t *drive_recorder_open(void *memory, uint32_t size, uint8_t *bytes, uint32_t room,
                                   uint32_t pairs)
{
    output = (recorder_output_t){bytes, 0, room};
    return hs_recorder_open(memory, size, pairs != 0 ? &config_of_pairs : &config_of_all);
}

static void drive_hook(hs_recorder_t *recorder, const recorder_event_t *event)
{
    const hs_callers_t callers = {{event->caller}};
    void *const block = (void *)(uintptr_t)event->address;
    recorder_clock = event->clock;
    recorder_task = event->task;
    switch (event->kind) {
    case HS_EVENT_FREE:
        hs_recorder_freed(recorder, block);
        break;
    case HS_EVENT_REALLOC:
        hs_recorder_reallocated(recorder, (void *)(uintptr_t)event->other, block, event->size,
                                event->caps, callers);
        break;
    case HS_EVENT_ALIGNED:
        hs_recorder_aligned(recorder, block, event->size, event->other, event->caps, callers);
        break;
    case HS_EVENT_FAILED:
        hs_recorder_failed(recorder, (hs_event_kind_t)event->other, event->size, event->caps,
                           callers);
        break;
    default:
        hs_recorder_allocated(recorder, (hs_event_kind_t)event->kind, block, event->size,
                              event->caps, callers);
        break;
    }
}

/* One call of a hook for each event. */
void drive_recorder_hooks(hs_recorder_t *recorder, const recorder_event_t *events, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        drive_hook(recorder, &events[i]);
    }
}

uint32_t drive_recorder_drain(hs_recorder_t *recorder, uint32_t events)
{
    return (uint32_t)hs_recorder_drain(recorder, events);
}

uint32_t drive_recorder_flush(hs_recorder_t *recorder)
{
    (void)hs_recorder_flush(recorder);
    return output.count;
}

uint32_t drive_recorder_overhead(void)
{
    return (uint32_t)hs_recorder_overhead();
}
