/*
 * The observers of a replay behind one door: the replay tells what happened to which block, then
 * settles the event; every figure is exact after each event.
 */
#ifndef HEAPSCOPE_NATIVE_MEASURE_H
#define HEAPSCOPE_NATIVE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/lab.h"
#include "measure/failures.h"
#include "measure/headroom.h"
#include "measure/lows.h"
#include "measure/owners.h"
#include "measure/timeline.h"
#include "replay/blocks.h"
#include "replay/regions.h"

/* The parts of the tightest moment, over the regions that malloc can use; bytes. */
typedef struct hs_tightest {
    uint64_t event, payload, rounding, header, control, startup, free;
} hs_tightest_t;

/* The figures at one mark. */
typedef struct hs_mark {
    hs_lab_mark_row_t row;
    hs_lab_region_row_t *regions;
    hs_lab_set_row_t *capsets;
    hs_lab_task_row_t *tasks;
} hs_mark_t;

typedef struct hs_measure {
    hs_regions_t *regions; /* NULL: a census, of which only marks are kept */
    uint32_t kinds;
    hs_owners_t owners;
    hs_lows_t lows;
    uint32_t capset_caps[HS_LAB_CAPSETS_MAX]; /* the first is malloc's own, 0 */
    uint32_t capset_set[HS_LAB_CAPSETS_MAX];  /* its set in lows */
    uint32_t capsets;
    uint32_t kind_set[HS_LAB_KINDS_MAX];
    hs_headroom_t needs[HS_LAB_NEEDS_MAX];
    uint32_t need_count;
    hs_timeline_t timeline;
    uint32_t timeline_tasks;
    hs_failures_t failures;
    hs_tightest_t tightest;
    hs_mark_t *marks;
    uint32_t marks_kept;
    uint64_t marks_seen;
    size_t mark_task_rows;
    uint64_t live, live_peak, live_peak_event, live_blocks;
    uint32_t touched[2]; /* regions changed by the event under way, newest change first */
    uint32_t touched_count;
    uint32_t changed[2]; /* owners' slots likewise */
    uint32_t changed_count;
} hs_measure_t;

/* Regions with their heaps created and start-up blocks taken. HS_ERR_ARGUMENT, HS_ERR_MEMORY. */
hs_status_t hs_measure_init(hs_measure_t *measure, hs_regions_t *regions,
                            const hs_lab_config_t *config, uint32_t kinds);
void hs_measure_free(hs_measure_t *measure);

void hs_measure_gain(hs_measure_t *measure, const hs_block_t *block, uint64_t event);
void hs_measure_lose(hs_measure_t *measure, const hs_block_t *block);
/* `slot` is the asking task's. */
void hs_measure_failed(hs_measure_t *measure, uint32_t slot, const hs_lab_failure_row_t *row);
/* Closes a heap event, also one that changed nothing. */
void hs_measure_settle(hs_measure_t *measure, uint64_t event, uint64_t time);
/* `event`: heap events before the mark. */
void hs_measure_mark(hs_measure_t *measure, uint64_t event, uint64_t time, uint32_t name);

/* The trace is over: completes what waits for a bucket to fill. */
void hs_measure_finish(hs_measure_t *measure);

/* Where a region's bytes are: the parts of hs_lab_region_row_t that sum to its size, and the block
 * counts; O(1). The row's other fields are zeroed. */
void hs_measure_region_parts(const hs_measure_t *measure, uint32_t index,
                             hs_lab_region_row_t *row);
/* All figures as they stand; may walk the heap. */
void hs_measure_region_row(const hs_measure_t *measure, uint32_t index, hs_lab_region_row_t *row);
void hs_measure_capset_row(const hs_measure_t *measure, uint32_t index, hs_lab_set_row_t *row);
void hs_measure_kind_row(const hs_measure_t *measure, uint32_t kind, hs_lab_set_row_t *row);

#endif
