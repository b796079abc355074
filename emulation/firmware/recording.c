#include "recording.h"

#include <stdio.h>

#include "board.h"
#include "heapscope/port.h"
#include "small_kernel.h"

#define RECORDS 4096u
#define SNAPSHOT_TICKS 100000u /* microseconds */
#define SLICE 32u

static hs_regions_t *set;
static hs_recorder_t *recorder;
static _Alignas(8) uint8_t ring[RECORDS * HS_RECORDER_RECORD_BYTES + 4096];
static volatile bool closing;
static volatile uint32_t unsent; /* records, since the drain last began */
static kernel_semaphore_t half_full, closed;

hs_recorder_t *recording_record(void)
{
    if (++unsent == RECORDS / 2) {
        kernel_give(&half_full);
    }
    return recorder;
}

/* ---- what the recorder asks ------------------------------------------------------------------- */

static size_t to_stream(void *context, const uint8_t *bytes, size_t count)
{
    (void)context;
    board_stream(bytes, (uint32_t)count);
    return count;
}

static bool region_of(void *context, unsigned index, hs_recorder_region_t *out)
{
    (void)context;
    hs_region_state_t state;
    if (!hs_regions_state(set, index, &state)) {
        return false;
    }
    hs_port_lock(NULL);
    hs_heap_info_t info;
    hs_heap_info(state.guard->heap, &info);
    hs_port_unlock(NULL);
    *out = (hs_recorder_region_t){
        .name = state.name,
        .start = (uintptr_t)state.start,
        .size = (uint32_t)state.size,
        .caps = state.caps,
        .free = (uint32_t)info.free,
        .minimum = (uint32_t)info.minimum_free,
        .largest = (uint32_t)info.largest_free,
    };
    return true;
}

static const char *name_of(void *context, uintptr_t task)
{
    (void)context;
    return task != 0 ? kernel_task_name((const void *)task) : "interrupt";
}

/* ---- the walk --------------------------------------------------------------------------------- */

typedef struct slice {
    hs_recorder_block_t *out;
    size_t capacity, count;
    uintptr_t after;
} slice_t;

static bool take_block(void *context, void *block, size_t size, bool used, hs_tag_t tag)
{
    (void)tag;
    slice_t *const slice = context;
    if (used && (uintptr_t)block > slice->after) {
        slice->out[slice->count++] =
            (hs_recorder_block_t){.address = (uintptr_t)block, .size = (uint32_t)size};
    }
    return slice->count < slice->capacity;
}

/* The region of the lowest addresses that reaches beyond `after`. False: none. */
static bool region_beyond(uintptr_t after, hs_region_state_t *out)
{
    hs_region_state_t state;
    bool hit = false;
    for (uint32_t i = 0; hs_regions_state(set, i, &state); i++) {
        if ((uintptr_t)state.start + state.size - 1 > after &&
            (!hit || (uintptr_t)state.start < (uintptr_t)out->start)) {
            *out = state;
            hit = true;
        }
    }
    return hit;
}

static size_t walk(void *context, uintptr_t after, hs_recorder_block_t *out, size_t capacity)
{
    (void)context;
    slice_t slice = {.out = out, .capacity = capacity, .after = after};
    hs_region_state_t region;
    hs_port_lock(NULL);
    while (slice.count == 0 && region_beyond(slice.after, &region)) {
        hs_guard_walk(region.guard, take_block, &slice);
        if (slice.count == 0) {
            slice.after = (uintptr_t)region.start + region.size - 1;
        }
    }
    hs_port_unlock(NULL);
    return slice.count;
}

void recording_print_walk(const char *mark)
{
    hs_recorder_block_t blocks[SLICE];
    uint32_t count = 0, digest = 0;
    uintptr_t after = 0;
    size_t got;
    while ((got = walk(NULL, after, blocks, SLICE)) != 0) {
        for (size_t i = 0; i < got; i++) {
            digest = digest * 31u + (uint32_t)blocks[i].address;
        }
        count += (uint32_t)got;
        after = blocks[got - 1].address;
    }
    printf("walk %s: %u blocks, digest %u\n", mark, (unsigned)count, (unsigned)digest);
}

/* ---- life ------------------------------------------------------------------------------------- */

static void on_task(uint32_t number, const char *name, bool begins)
{
    if (begins) {
        hs_recorder_task_started(recorder, kernel_task_handle(number), name);
    } else {
        hs_recorder_task_ended(recorder, kernel_task_handle(number));
    }
}

static uint32_t snapshots(void)
{
    hs_recorder_figures_t figures;
    hs_recorder_figures(recorder, &figures);
    return figures.snapshots;
}

static void drain(void *unused)
{
    (void)unused;
    while (snapshots() == 0) { /* bound: the phases of a snapshot of few blocks */
        hs_recorder_drain(recorder, RECORDS);
    }
    for (;;) {
        const bool last = closing;
        unsent = 0;
        while (hs_recorder_drain(recorder, RECORDS) != 0) {
        }
        if (last) {
            hs_recorder_flush(recorder);
            kernel_give(&closed);
            return;
        }
        kernel_take(&half_full, 1);
    }
}

bool recording_open(hs_regions_t *regions)
{
    static const hs_recorder_config_t config = {
        .write = to_stream,
        .walk = walk,
        .region = region_of,
        .task_name = name_of,
        .chip = "emulated board",
        .program = "the firmware of emulation/firmware",
        .boot = 1,
        .reset = "power on",
        .clock_hz = 1000000,
        .address_shift = 2,
        .walked_sizes = true,
        .snapshot_ticks = SNAPSHOT_TICKS,
    };
    set = regions;
    recorder = hs_recorder_open(ring, sizeof ring, &config);
    kernel_watch(on_task);
    return recorder != NULL;
}

bool recording_start(void)
{
    return kernel_create("recorder", drain, NULL, 7, 2048); /* above who allocates */
}

void recording_close(void)
{
    closing = true;
    kernel_take(&closed, KERNEL_FOREVER);
    hs_recorder_figures_t figures;
    hs_recorder_figures(recorder, &figures);
    printf("recorder: %u events, %u lost, %u snapshots\n", (unsigned)figures.events,
           (unsigned)figures.lost, (unsigned)figures.snapshots);
}
