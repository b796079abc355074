/*
 * The observers of a replay behind one door: the replay tells what happened to which block, then
 * settles the event; every figure is exact after each event.
 */
#ifndef HEAPSCOPE_NATIVE_MEASURE_H
#define HEAPSCOPE_NATIVE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "chip/chip.h"
#include "heapscope/trace.h"
#include "measure/failures.h"
#include "measure/headroom.h"
#include "measure/ledger.h"
#include "measure/lows.h"
#include "measure/timeline.h"
#include "rows/replay.h"

/* The parts of the tightest moment, over the regions that malloc can use; bytes. */
typedef struct hs_tightest {
    uint64_t event, payload, rounding, header, control, startup, moving, free;
} hs_tightest_t;

/* The figures at one mark. */
typedef struct hs_mark {
    hs_lab_mark_row_t row;
    hs_lab_region_row_t *regions;
    hs_lab_set_row_t *capsets;
    hs_lab_task_row_t *tasks;
} hs_mark_t;

typedef struct hs_measure {
    hs_chip_t *chip; /* NULL: a census, of which only marks are kept */
    uint32_t kinds;
    hs_ledger_t owners;
    hs_lows_t lows;
    uint32_t capset_caps[HS_LAB_CAPSETS_MAX]; /* the first is malloc's own, 0 */
    uint32_t capset_set[HS_LAB_CAPSETS_MAX];  /* its set in lows */
    uint32_t capsets;
    uint32_t kind_set[HS_LAB_KINDS_MAX];
    const hs_low_t *malloc_low;   /* all that malloc can use */
    const hs_low_t *malloc_small; /* what it asks for sizes up to its threshold */
    const hs_low_t *malloc_large; /* and above */
    uint32_t minimum_largest;     /* of `largest` */
    uint64_t minimum_largest_event;
    hs_headroom_t needs[HS_LAB_NEEDS_MAX];
    uint32_t need_count;
    bool asks;      /* a need's regions have to be asked after each event */
    bool any_short; /* a need could not be served now */
    hs_timeline_t timeline;
    hs_series_t live;    /* payload of all live blocks */
    hs_series_t largest; /* allocatable for malloc */
    hs_failures_t failures;
    hs_tightest_t tightest;
    uint32_t tightest_free; /* malloc's minimum when it was noted */
    hs_mark_t *marks;
    uint32_t marks_kept;
    uint64_t marks_seen;
    size_t mark_task_rows;
    uint64_t live_peak, live_peak_event, live_blocks;
} hs_measure_t;

/* Regions with their heaps created and start-up blocks taken. HS_ERR_ARGUMENT, HS_ERR_MEMORY. */
hs_status_t hs_measure_init(hs_measure_t *measure, hs_chip_t *chip, const hs_lab_config_t *config,
                            uint32_t kinds);
void hs_measure_free(hs_measure_t *measure);

/* A block that its heap holds already counts from before the first event on; then all such do. */
void hs_measure_begin(hs_measure_t *measure, const hs_block_t *block);
void hs_measure_begun(hs_measure_t *measure);

/* After the regions of an event have settled, and changed `what` of their marks: what rests on
 * them. */
void hs_measure_settle_rest(hs_measure_t *measure, unsigned what, uint64_t event);
/* For the needs that cannot be judged by the largest allocatable. */
void hs_measure_look_at_needs(hs_measure_t *measure, uint32_t region);
/* Both regions of a block that moved from one to the other, the region of the lists of task tracking between
 * them, and what rests on them. */
void hs_measure_settle_move(hs_measure_t *measure, uint32_t to, uint32_t from, uint64_t event);

/* ---- one event's work: each caller has a copy of its own ---------------------------------------- */

/* One region and no sets of several: what depends on their number can be left out. */
static inline bool hs_measure_is_only(const hs_measure_t *measure)
{
    return measure->chip->count == 1 && measure->kinds == 1 &&
           measure->lows.region[0].set_count == 0;
}

/* The row of a block's task and region; `only`: as hs_measure_is_only says, here and below. */
static HS_INLINE_FOR_CALLER hs_lab_task_row_t *
hs_measure_row(const hs_measure_t *measure, const hs_block_t *block, const bool only)
{
    const hs_ledger_t *owners = &measure->owners;
    return only ? &owners->rows[block->task]
                : hs_ledger_row(owners, block->task,
                                measure->chip->region[block->place.region].kind);
}

/* The block is the program's from now on; its region settles afterwards. */
static HS_INLINE_FOR_CALLER void hs_measure_gain(hs_measure_t *measure, const hs_block_t *block,
                                                 uint64_t event, const bool only)
{
    const uint32_t index = only ? 0 : block->place.region, payload = block->requested;
    hs_low_region_t *region = &measure->lows.region[index];
    region->payload += payload;
    region->allocations++;
    measure->live.now += payload;
    measure->live_blocks++;
    if (measure->live.now > measure->live_peak) {
        measure->live_peak = measure->live.now;
        measure->live_peak_event = event;
    }
    hs_ledger_gain(&measure->owners, hs_measure_row(measure, block, only), block->task, payload,
                   block->place.held, event);
}

static HS_INLINE_FOR_CALLER void hs_measure_lose(hs_measure_t *measure, const hs_block_t *block,
                                                 const bool only)
{
    const uint32_t index = only ? 0 : block->place.region, payload = block->requested;
    hs_low_region_t *region = &measure->lows.region[index];
    region->payload -= payload;
    region->frees++;
    measure->live.now -= payload;
    measure->live_blocks--;
    hs_ledger_lose(&measure->owners, hs_measure_row(measure, block, only), block->task, payload,
                   block->place.held);
}

/* A region's change, and what rests on it. */
static HS_INLINE_FOR_CALLER void hs_measure_settle(hs_measure_t *measure, uint32_t region,
                                                   uint64_t event, const bool only)
{
    if (!only && measure->chip->lists != NULL) {
        hs_measure_settle_move(measure, region, region, event);
        return;
    }
    const unsigned what =
        only ? hs_lows_settle_alone(&measure->lows.region[0], measure->chip->region[0].heap, event)
             : hs_lows_settle(&measure->lows, measure->chip, region, event);
    if (measure->asks) {
        hs_measure_look_at_needs(measure, region);
    } else if (what == 0) {
        return;
    }
    hs_measure_settle_rest(measure, what, event);
}

/* The changes of an event, each at most once: released, then allocated or reallocated; then
 * hs_measure_close. */
static HS_INLINE_FOR_CALLER void hs_measure_allocated(hs_measure_t *measure,
                                                      const hs_block_t *block, uint64_t event,
                                                      const bool only)
{
    const uint32_t region = only ? 0 : block->place.region, task = block->task;
    hs_measure_gain(measure, block, event, only);
    hs_series_rose(&measure->live);
    hs_series_rose(&measure->owners.payload[task]);
    hs_measure_settle(measure, region, event, only);
}

static HS_INLINE_FOR_CALLER void hs_measure_released(hs_measure_t *measure, const hs_block_t *block,
                                                     uint64_t event, const bool only)
{
    const uint32_t region = only ? 0 : block->place.region, task = block->task;
    hs_measure_lose(measure, block, only);
    hs_series_fell(&measure->live);
    hs_series_fell(&measure->owners.payload[task]);
    hs_measure_settle(measure, region, event, only);
}

/* One block, before and after; no figure sees it twice or not at all. */
static HS_INLINE_FOR_CALLER void hs_measure_reallocated(hs_measure_t *measure,
                                                        const hs_block_t *before,
                                                        const hs_block_t *after, uint64_t event,
                                                        const bool only)
{
    hs_measure_lose(measure, before, only);
    hs_measure_gain(measure, after, event, only);
    hs_series_note(&measure->live);
    hs_series_note(&measure->owners.payload[before->task]);
    hs_series_note(&measure->owners.payload[after->task]);
    if (only || before->place.region == after->place.region) {
        hs_measure_settle(measure, after->place.region, event, only);
    } else {
        hs_measure_settle_move(measure, after->place.region, before->place.region, event);
    }
}

/* `slot` is the asking task's, `request` the regions that might have served it. */
void hs_measure_failed(hs_measure_t *measure, uint32_t slot, const hs_lab_failure_row_t *row,
                       uint32_t request);
/* Closes a heap event, also one that changed nothing; hs_measure_elapse counts it afterwards. */
static inline void hs_measure_close(hs_measure_t *measure, uint64_t event, uint64_t time);

/* `event`: heap events before the mark. */
void hs_measure_mark(hs_measure_t *measure, uint64_t event, uint64_t time, uint32_t name);

/* The trace is over: completes what waits for a bucket to fill. */
void hs_measure_finish(hs_measure_t *measure);

/* Where a region's bytes are: the parts of hs_lab_region_row_t that sum to its size, and the block
 * counts; O(1). The row's other fields are zeroed. */
void hs_measure_region_parts(const hs_measure_t *measure, uint32_t index, hs_lab_region_row_t *row);
/* largest_free, largest_reported and largest_allocatable of hs_measure_capset_row for malloc; may walk the heap. */
void hs_measure_largest(const hs_measure_t *measure, uint32_t largest[3]);
/* The timeline's bucket is full. */
void hs_measure_end_bucket(hs_measure_t *measure);
/* How many tasks, by slot, have a series in the timeline. */
uint32_t hs_measure_timeline_tasks(const hs_measure_t *measure);

static inline void hs_measure_close(hs_measure_t *measure, uint64_t event, uint64_t time)
{
    if (measure->any_short) {
        for (uint32_t n = 0; n < measure->need_count; n++) {
            hs_headroom_close(&measure->needs[n], event, time);
        }
    }
}

/* The same for `count` events on, of which the first has the number `first`, and none of which changed what a need
 * has. */
void hs_measure_close_all(hs_measure_t *measure, const hs_event_t *events, uint64_t first,
                          uint64_t count);

/* `events` were closed, at most as many as hs_timeline_room says, the first of them at `time`. */
static inline void hs_measure_elapse(hs_measure_t *measure, uint64_t events, uint64_t time)
{
    if (hs_timeline_step(&measure->timeline, events, time)) {
        hs_measure_end_bucket(measure);
    }
}

/* All figures as they stand; may walk the heap. */
void hs_measure_region_row(const hs_measure_t *measure, uint32_t index, hs_lab_region_row_t *row);
void hs_measure_capset_row(const hs_measure_t *measure, uint32_t index, hs_lab_set_row_t *row);
void hs_measure_kind_row(const hs_measure_t *measure, uint32_t kind, hs_lab_set_row_t *row);

#endif
