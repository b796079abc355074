/*
 * The loop of the usual replay (replay/inline_run.c) keeps its counts here, and writes them into the measures when
 * somebody looks at those. It has one region and no set of several, so many figures are one and the same: the bytes that
 * are live, now and at their peak, are the region's payload and, apart from a difference that seldom changes, all that
 * the recorded program holds. Only a figure that the event may make an extreme is looked at after it; the rest follows
 * in hs_tab_close().
 */
#ifndef HEAPSCOPE_NATIVE_TAB_H
#define HEAPSCOPE_NATIVE_TAB_H

#include "measure/census.h"
#include "measure/measure.h"

typedef struct hs_tab {
    hs_measure_t *measure;
    hs_census_t *census;
    hs_sim_t *heap;           /* of the only region */
    const hs_event_t *events; /* what comes, the first of which has the number `first` */
    uint64_t first;
    uint64_t closed;        /* all before the event of this number are closed (hs_measure_close) */
    hs_lab_task_row_t *row; /* of the task that allocates, which has this slot */
    hs_series_t *payload;
    uint32_t slot;
    uint32_t most;       /* live at its peak since the tab was opened */
    uint64_t most_event; /* at which it was reached */
    uint64_t *results;   /* of the replay */
    uint64_t gained, lost;
    uint64_t unplaced;     /* bytes that the recorded program holds and no heap does */
    uint64_t requested[4]; /* bytes that were given, by hs_event_kind_t */
} hs_tab_t;

/* May a tab be kept of these measures? */
static inline bool hs_tab_fits(const hs_measure_t *measure)
{
    const hs_low_region_t *region = &measure->lows.region[0];
    return hs_measure_is_only(measure) && !measure->asks && region->payload == measure->live.now &&
           region->low.payload == region->payload && region->low.peak_payload == measure->live_peak;
}

/* Begins, or goes on after measures and census were changed by others. */
static inline void hs_tab_open(hs_tab_t *tab)
{
    HS_ASSERT(hs_tab_fits(tab->measure));
    tab->most = tab->measure->live.now;
    tab->unplaced = tab->census->figures.live - tab->measure->live.now;
}

/* Closes what comes before the event of this number. */
static inline void hs_tab_catch_up(hs_tab_t *tab, uint64_t number)
{
    hs_measure_close_all(tab->measure, tab->events + (tab->closed - tab->first), tab->closed,
                         number - tab->closed);
    tab->closed = number;
}

/* The peaks reached since the tab was opened. */
static inline void hs_tab_peak(hs_tab_t *tab)
{
    hs_measure_t *measure = tab->measure;
    hs_lab_census_t *census = &tab->census->figures;
    const uint64_t recorded = tab->most + tab->unplaced;
    if (tab->most > measure->live.most) { /* which is not above the peak */
        measure->live.most = tab->most;
        if (tab->most > measure->live_peak) {
            measure->live_peak = tab->most;
            measure->live_peak_event = tab->most_event;
            measure->lows.region[0].low.peak_payload = tab->most;
        }
    }
    if (recorded > census->live_peak) {
        census->live_peak = recorded;
        census->live_peak_event = tab->most_event;
    }
    tab->most = measure->live.now;
}

/* The measures are what they would be without it, before the event of this number. */
static inline void hs_tab_close(hs_tab_t *tab, uint64_t number)
{
    hs_measure_t *measure = tab->measure;
    hs_low_region_t *region = &measure->lows.region[0];
    hs_sim_t *heap = tab->heap;
    hs_tab_peak(tab);
    hs_tab_catch_up(tab, number);
    tab->census->figures.live = measure->live.now + tab->unplaced;
    *tab->results += tab->gained;
    measure->live_blocks += tab->gained - tab->lost;
    region->payload = region->low.payload = measure->live.now;
    region->low.free = heap->tally.lowest_free = heap->tally.free;
    region->allocations += tab->gained;
    region->frees += tab->lost;
    heap->steps.copied += tab->requested[HS_EVENT_CALLOC]; /* calloc zeroes them */
    tab->gained = tab->lost = tab->requested[HS_EVENT_CALLOC] = 0;
}

/* The heap has a new minimum of free bytes, or another largest block. `lowest`: its free bytes were so few inside the
 * event. */
HS_SELDOM void hs_tab_settle(hs_tab_t *tab, uint32_t lowest, uint64_t event);

/* ---- one event's work; `measure` is the tab's ------------------------------------------------------ */

/* After a malloc of the heap: a block of the tab's task, of `payload` bytes in a block of `held`. */
static HS_INLINE_FOR_CALLER void hs_tab_gain(hs_tab_t *tab, hs_measure_t *measure, uint32_t payload,
                                             uint32_t held, uint64_t event)
{
    hs_low_region_t *region = &measure->lows.region[0];
    const hs_sim_t *heap = tab->heap;
    hs_lab_task_row_t *row = tab->row;
    hs_series_t *series = tab->payload;
    tab->gained++;
    measure->live.now += payload;
    if (measure->live.now > tab->most) {
        tab->most = measure->live.now;
        tab->most_event = event;
    }
    series->now = row->payload += payload;
    if (row->payload > series->most) { /* which is not above the peak */
        series->most = row->payload;
        if (row->payload > row->payload_peak) {
            row->payload_peak = row->payload;
            row->payload_peak_event = event;
        }
    }
    row->held += held;
    if (row->held > row->held_peak) {
        row->held_peak = row->held;
    }
    row->blocks++;
    if (row->blocks > row->blocks_peak) {
        row->blocks_peak = row->blocks;
    }
    row->allocations++;
    bool settles = heap->largest != region->raw_largest;
    if (heap->tally.free < region->least_free) { /* which is not below the minimum */
        region->least_free = heap->tally.free;
        settles |= heap->tally.free < region->low.minimum_free;
    }
    if (settles) {
        hs_tab_settle(tab, heap->tally.free, event);
    }
}

/* After a free of the heap. */
static HS_INLINE_FOR_CALLER void hs_tab_lose(hs_tab_t *tab, hs_measure_t *measure,
                                             const hs_block_t *block, uint64_t event)
{
    hs_low_region_t *region = &measure->lows.region[0];
    const hs_sim_t *heap = tab->heap;
    hs_lab_task_row_t *row = tab->row;
    hs_series_t *series = tab->payload;
    if (block->task != tab->slot) {
        row = &measure->owners.rows[block->task];
        series = &measure->owners.payload[block->task];
    }
    HS_ASSERT(row->payload >= block->requested && row->held >= block->place.held);
    tab->lost++;
    measure->live.now -= block->requested;
    hs_series_fell(&measure->live);
    series->now = row->payload -= block->requested;
    hs_series_fell(series);
    row->held -= block->place.held;
    row->blocks--;
    if (heap->tally.free > region->most_free) {
        region->most_free = heap->tally.free;
    }
    if (heap->largest != region->raw_largest) {
        hs_tab_settle(tab, heap->tally.free, event);
    }
}

/* After a realloc of the heap, for which tally.lowest_free was tally.free before; `after` is the tab's task's. */
static inline void hs_tab_resize(hs_tab_t *tab, const hs_block_t *before, const hs_block_t *after,
                                 uint64_t event)
{
    hs_measure_t *measure = tab->measure;
    hs_low_region_t *region = &measure->lows.region[0];
    hs_ledger_t *owners = &measure->owners;
    const hs_tally_t *tally = &tab->heap->tally;
    tab->gained++;
    tab->lost++;
    hs_ledger_lose(owners, &owners->rows[before->task], before->task, before->requested,
                   before->place.held);
    hs_ledger_gain(owners, tab->row, tab->slot, after->requested, after->place.held, event);
    hs_series_note(&owners->payload[before->task]);
    hs_series_note(tab->payload);
    measure->live.now += after->requested - before->requested;
    hs_series_fell(&measure->live);
    if (measure->live.now > tab->most) {
        tab->most = measure->live.now;
        tab->most_event = event;
    }
    region->least_free = tally->free < region->least_free ? tally->free : region->least_free;
    region->most_free = tally->free > region->most_free ? tally->free : region->most_free;
    if (tally->lowest_free < region->low.minimum_free ||
        tab->heap->largest != region->raw_largest) {
        hs_tab_settle(tab, tally->lowest_free, event);
    }
}

/* A block comes that no heap has a place for, and one goes. */
static inline void hs_tab_miss(hs_tab_t *tab, uint32_t recorded, uint64_t event)
{
    hs_lab_census_t *census = &tab->census->figures;
    hs_tab_peak(tab);
    tab->unplaced += recorded;
    if (tab->most + tab->unplaced > census->live_peak) {
        census->live_peak = tab->most + tab->unplaced;
        census->live_peak_event = event;
    }
}

static inline void hs_tab_forget(hs_tab_t *tab, uint64_t recorded)
{
    hs_tab_peak(tab);
    tab->unplaced -= recorded;
}

#endif
