#include "replay/heap_events.h"

#include "chip/laid.h"
#include "chip/task_lists.h"
#include "replay/anomalies.h"
#include "replay/inline_run.h"
#include "replay/plain.h"
#include "replay/result.h"

static HS_INLINE_FOR_CALLER void placed(hs_replay_t *replay, hs_block_t *block, uint32_t site,
                                        const bool plain)
{
    /* With one region the digest is over offsets, as the oracle's; else over addresses. */
    const hs_chip_region_t *region = &replay->chip.region[block->place.region];
    const uint32_t base = plain || replay->chip.count == 1 ? 0 : region->start;
    const uint32_t offset = block->place.offset;
    hs_result_add(&replay->summary, base + offset);
    if (!plain) {
        hs_movable_note(&replay->movable, block, site);
    }
    if (!plain && replay->by_address) {
        replay->summary.address_compared++;
        replay->summary.address_matched += block->key == (uint64_t)region->start + offset;
    }
}

/* The request failed here and had an address where it was recorded. */
static HS_SELDOM void not_placed(hs_replay_t *replay)
{
    hs_result_add(&replay->summary, HS_NONE);
    replay->summary.address_compared += replay->by_address;
}

/* ---- heap events ------------------------------------------------------------------------------ */

static inline size_t record_of(const hs_replay_t *replay, const hs_block_t *block)
{
    return (size_t)(block - replay->blocks.records);
}

static HS_INLINE_FOR_CALLER void release(hs_replay_t *replay, const hs_block_t *block,
                                         uint64_t number, const bool plain)
{
    if ((plain || !replay->census_only) && !(block->flags & HS_BLOCK_NOWHERE)) {
        if (replay->trail != NULL) {
            hs_trail_end(replay->trail, number, record_of(replay, block));
        }
        hs_chip_release(&replay->chip, &block->place);
        hs_measure_released(&replay->measure, block, number, plain);
        if (!plain && replay->placement.count != 0) {
            hs_placement_lose(&replay->placement, &block->place, block->requested);
        }
    }
}

static HS_INLINE_FOR_CALLER hs_request_t request_of(const hs_event_t *event)
{
    const hs_request_t request = {
        .size = event->size > UINT32_MAX ? UINT32_MAX : (uint32_t)event->size,
        .align = event->kind == HS_EVENT_ALIGNED ? UINT32_C(1) << (event->align_log2 & 31u) : 0,
        .caps = event->caps,
        .zeroed = event->kind == HS_EVENT_CALLOC};
    return request;
}

hs_request_t hs_replay_request(const hs_event_t *event)
{
    return request_of(event);
}

/* The recorded program no longer holds the block. */
static HS_INLINE_FOR_CALLER void end_life(hs_replay_t *replay, const hs_block_t *block,
                                          const hs_event_t *event, const bool plain)
{
    hs_census_lose(&replay->census, block->recorded);
    if (!plain && replay->census_only) {
        hs_watch_ended(&replay->watch, block, event);
    }
}

/* A block that the trace allocates while it is live: its free was lost, or the trace is wrong. */
static HS_SELDOM void drop_reused(hs_replay_t *replay, const hs_event_t *event, uint64_t key,
                                  uint64_t number)
{
    const hs_block_t *block = hs_blocks_take(&replay->blocks, key);
    if (block != NULL) {
        replay->summary.reused_ids++;
        hs_replay_anomaly(replay, HS_LAB_ANOMALY_REUSED_ID, event, number);
        end_life(replay, block, event, false);
        release(replay, block, number, false);
    }
}

static HS_INLINE_FOR_CALLER bool allocate(hs_replay_t *replay, const hs_event_t *event,
                                          const hs_request_t *request, uint64_t number,
                                          hs_place_t *place, const bool plain)
{
    if (plain) {
        return hs_chip_allocate(&replay->chip, request, place);
    }
    if (replay->laid != 0 && hs_chip_laid(&replay->chip, replay->laid, event->key, place)) {
        return true;
    }
    if (replay->placement.count == 0) {
        return hs_chip_allocate(&replay->chip, request, place);
    }
    if (!hs_placement_allocate(&replay->placement, &replay->chip, event, request, place)) {
        return false;
    }
    hs_placement_gain(&replay->placement, place, request->size, number);
    return true;
}

/* The block gets its place on the heaps, or is nowhere from now on. */
static HS_INLINE_FOR_CALLER void place_block(hs_replay_t *replay, hs_block_t *block,
                                             const hs_event_t *event, uint64_t number,
                                             const bool plain)
{
    if (event->size <= UINT32_MAX) {
        const hs_request_t request = request_of(event);
        if (allocate(replay, event, &request, number, &block->place, plain) ||
            (!plain && event->size != 0 && hs_movable_compact(replay, number) &&
             allocate(replay, event, &request, number, &block->place, false) &&
             hs_movable_serves(&replay->movable))) {
            block->requested = request.size;
            placed(replay, block, event->site, plain);
            if (replay->trail != NULL) {
                hs_trail_begin(replay->trail, number, block, record_of(replay, block));
            }
            hs_measure_allocated(&replay->measure, block, number, plain);
            return;
        }
    }
    block->flags |= HS_BLOCK_NOWHERE;
    not_placed(replay);
    if (event->size == 0) {
        replay->summary.zero_requests++;
    } else {
        hs_replay_failed(replay, event, number, block->task, NULL);
    }
}

static HS_SELDOM void note_origin(hs_replay_t *replay, hs_block_t *block, const hs_event_t *event,
                                  uint64_t number)
{
    block->task = event->task;
    block->origin.birth = number;
    block->origin.site = event->site;
    hs_watch_born(&replay->watch, block, event, number, replay->priming);
}

static HS_INLINE_FOR_CALLER hs_status_t on_allocation(hs_replay_t *replay, const hs_event_t *event,
                                                      uint64_t number, const bool plain)
{
    /* Ids go up, so one beyond all others has never been live; addresses come again. */
    if ((plain || !replay->by_address) && event->key >= replay->next_key &&
        event->key != UINT64_MAX) {
        replay->next_key = event->key + 1;
    } else {
        drop_reused(replay, event, event->key, number);
    }
    hs_block_t *block = hs_blocks_insert(&replay->blocks, event->key);
    if (block == NULL) {
        return HS_ERR_MEMORY;
    }
    block->recorded = hs_census_gain(&replay->census, event->size, number);
    if (!plain && replay->census_only) {
        note_origin(replay, block, event, number);
        return HS_OK;
    }
    block->task = hs_ledger_slot(&replay->measure.owners, event->task);
    if (block->task == HS_LEDGER_NONE) {
        return HS_ERR_MEMORY;
    }
    if (!plain) {
        hs_lists_of(&replay->chip, block->task + 1);
    }
    place_block(replay, block, event, number, plain);
    return HS_OK;
}

static HS_INLINE_FOR_CALLER void on_free(hs_replay_t *replay, const hs_event_t *event,
                                         uint64_t number, const bool plain)
{
    const hs_block_t *block = hs_blocks_take(&replay->blocks, event->key);
    if (block == NULL) {
        hs_replay_free_of_nothing(replay, event, number);
        return;
    }
    if (block->flags & HS_BLOCK_NOWHERE) {
        replay->summary.skipped++;
    }
    end_life(replay, block, event, plain);
    release(replay, block, number, plain);
}

/* Files the block under its new identity; the record may move. */
static hs_block_t *rename_block(hs_replay_t *replay, hs_block_t *block, const hs_event_t *event,
                                uint64_t number)
{
    if (event->new_key == event->key) {
        return block;
    }
    hs_block_t copy = *block;
    const size_t record = record_of(replay, block);
    hs_blocks_take(&replay->blocks, event->key);
    drop_reused(replay, event, event->new_key, number);
    hs_block_t *renamed = hs_blocks_insert(&replay->blocks, event->new_key);
    if (renamed != NULL) {
        copy.key = event->new_key;
        *renamed = copy;
        if (replay->trail != NULL) {
            hs_trail_move(replay->trail, record, record_of(replay, renamed));
        }
    }
    return renamed;
}

/* The block is as it was when this is false. */
static HS_INLINE_FOR_CALLER bool reallocate_place(hs_replay_t *replay, const hs_event_t *event,
                                                  const hs_request_t *request, uint64_t number,
                                                  hs_block_t *block, const bool plain)
{
    hs_placement_t *placement = &replay->placement;
    const hs_place_t before = block->place;
    if (plain || placement->count == 0) {
        return hs_chip_reallocate(&replay->chip, request, &block->place);
    }
    if (!hs_placement_reallocate(placement, &replay->chip, event, request, &block->place)) {
        return false;
    }
    hs_placement_lose(placement, &before, block->requested);
    hs_placement_gain(placement, &block->place, request->size, number);
    return true;
}

static HS_INLINE_FOR_CALLER void reallocate(hs_replay_t *replay, hs_block_t *block,
                                            const hs_event_t *event, uint64_t number, uint32_t slot,
                                            const bool plain)
{
    const hs_request_t request = request_of(event);
    hs_block_t before = *block;
    bool done = event->size <= UINT32_MAX &&
                reallocate_place(replay, event, &request, number, block, plain);
    if (!plain && !done && event->size <= UINT32_MAX && hs_movable_compact(replay, number)) {
        before = *block; /* which may have moved */
        done = reallocate_place(replay, event, &request, number, block, false) &&
               hs_movable_serves(&replay->movable);
    }
    if (!done) {
        not_placed(replay);
        block->flags |= HS_BLOCK_LEFT;
        hs_replay_failed(replay, event, number, slot, block);
        return;
    }
    block->flags &= (uint8_t)~(unsigned)HS_BLOCK_LEFT;
    block->requested = request.size;
    block->task = slot;
    placed(replay, block, event->site, plain);
    if (replay->trail != NULL) {
        hs_trail_end(replay->trail, number, record_of(replay, block));
        hs_trail_begin(replay->trail, number, block, record_of(replay, block));
    }
    hs_measure_reallocated(&replay->measure, &before, block, number, plain);
}

static HS_INLINE_FOR_CALLER hs_status_t realloc_with(hs_replay_t *replay, const hs_event_t *event,
                                                     uint64_t number, const bool plain)
{
    hs_block_t *block = hs_blocks_find(&replay->blocks, event->key);
    if (block == NULL) {
        replay->summary.dead_reallocs++;
        hs_replay_anomaly(replay, HS_LAB_ANOMALY_DEAD_REALLOC, event, number);
        return HS_OK;
    }
    if (event->size == 0) {
        if ((plain || !replay->census_only) && !(block->flags & HS_BLOCK_NOWHERE)) {
            replay->summary.zero_requests++;
            hs_result_add(&replay->summary, HS_NONE);
        }
        on_free(replay, event, number, false);
        return HS_OK;
    }
    end_life(replay, block, event, plain);
    block->recorded = hs_census_gain(&replay->census, event->size, number);
    block = rename_block(replay, block, event, number);
    if (block == NULL) {
        return HS_ERR_MEMORY;
    }
    if (!plain && replay->census_only) {
        note_origin(replay, block, event, number);
        return HS_OK;
    }
    if (block->flags & HS_BLOCK_NOWHERE) {
        replay->summary.skipped++;
        return HS_OK;
    }
    if (hs_replay_refuses_realloc(replay, block)) {
        replay->summary.refused_reallocs++;
        hs_replay_anomaly(replay, HS_LAB_ANOMALY_REFUSED_REALLOC, event, number);
        return HS_OK;
    }
    const uint32_t slot = hs_ledger_slot(&replay->measure.owners, event->task);
    if (slot == HS_LEDGER_NONE) {
        return HS_ERR_MEMORY;
    }
    if (!plain) {
        hs_lists_of(&replay->chip, slot + 1);
    }
    reallocate(replay, block, event, number, slot, plain);
    return HS_OK;
}

/* All plain replays have one copy of it. */
static hs_status_t realloc_plain(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    return realloc_with(replay, event, number, true);
}

static hs_status_t on_realloc(hs_replay_t *replay, const hs_event_t *event, uint64_t number,
                              const bool plain)
{
    return plain ? realloc_plain(replay, event, number)
                 : realloc_with(replay, event, number, false);
}

static HS_SELDOM void on_recorded_failure(hs_replay_t *replay, const hs_event_t *event)
{
    replay->summary.recorded_failures++;
    if (!replay->census_only) {
        hs_event_t call = *event;
        call.kind = (uint8_t)event->new_key;
        const hs_request_t request = hs_replay_request(&call);
        replay->summary.recorded_failures_fit +=
            event->size <= UINT32_MAX &&
            hs_placement_fits(&replay->placement, &replay->chip, &call, &request);
    }
}

static HS_INLINE_FOR_CALLER hs_status_t heap_event(hs_replay_t *replay, const hs_event_t *event,
                                                   uint64_t number, const bool plain)
{
    hs_status_t status = HS_OK;
    if (event->kind <= HS_EVENT_ALIGNED) {
        status = on_allocation(replay, event, number, plain);
    } else if (event->kind == HS_EVENT_FREE) {
        on_free(replay, event, number, plain);
    } else if (event->kind == HS_EVENT_REALLOC) {
        status = on_realloc(replay, event, number, plain);
    } else {
        on_recorded_failure(replay, event);
    }
    if (!plain &&
        (replay->movable.failed || (replay->chip.lists != NULL && replay->chip.lists->failed))) {
        status = HS_ERR_MEMORY;
    }
    if (status != HS_OK) {
        return status;
    }
    if (plain || !replay->census_only) {
        hs_measure_close(&replay->measure, number, event->time);
    }
    return HS_OK;
}

hs_status_t hs_replay_heap_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const hs_status_t status = heap_event(replay, event, number, false);
    if (!replay->census_only) {
        hs_measure_elapse(&replay->measure, 1, event->time);
    }
    return status;
}

hs_status_t hs_replay_plain_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    hs_census_event(&replay->census, event);
    return heap_event(replay, event, number, true);
}

void hs_replay_realloc_refused(hs_replay_t *replay, const hs_event_t *event, uint64_t number,
                               uint32_t slot, hs_block_t *block)
{
    replay->chip.refusals[0]++;
    not_placed(replay);
    block->flags |= HS_BLOCK_LEFT;
    hs_replay_failed(replay, event, number, slot, block);
}

void hs_replay_refused(hs_replay_t *replay, const hs_event_t *event, uint64_t number,
                       hs_block_t *block)
{
    const hs_request_t request = request_of(event);
    const bool served = hs_chip_allocate_further(&replay->chip, &request, &block->place);
    HS_ASSERT(!served);
    (void)served;
    block->flags |= HS_BLOCK_NOWHERE;
    not_placed(replay);
    hs_replay_failed(replay, event, number, block->task, NULL);
}

/* A bucket of the timeline at a time, so that no event has to be counted in it. */
static HS_INLINE_FOR_CALLER hs_status_t heap_run(hs_replay_t *replay, const hs_event_t **next,
                                                 const hs_event_t *stop, uint64_t number,
                                                 const bool plain)
{
    const hs_event_t *event = *next;
    hs_status_t status = HS_OK;
    const bool timed = plain || !replay->census_only;
    while (event < stop && HS_EVENT_IS_HEAP(event->kind) && status == HS_OK) {
        const uint64_t room = timed ? hs_timeline_room(&replay->measure.timeline) : UINT64_MAX;
        const hs_event_t *const first = event;
        const hs_event_t *const end = room < (uint64_t)(stop - event) ? event + room : stop;
        do {
            hs_census_event(&replay->census, event);
            status = heap_event(replay, event, number, plain);
            event++;
            number++;
        } while (event < end && HS_EVENT_IS_HEAP(event->kind) && status == HS_OK);
        if (timed) {
            hs_measure_elapse(&replay->measure, (uint64_t)(event - first), first->time);
        }
    }
    *next = event;
    return status;
}

static hs_status_t run_as(hs_replay_t *replay, const hs_event_t **next, const hs_event_t *stop,
                          uint64_t number)
{
    if (!hs_replay_is_plain(replay)) {
        return heap_run(replay, next, stop, number, false);
    }
    const uint32_t bins_log2 = stop - *next < HS_INLINE_LEAST ? 0 : hs_inline_bins(replay);
    return bins_log2 != 0 ? hs_inline_run(replay, next, stop, number, bins_log2)
                          : heap_run(replay, next, stop, number, true);
}

hs_status_t hs_replay_heap_run(hs_replay_t *replay, const hs_event_t **next, const hs_event_t *end,
                               uint64_t *number)
{
    const uint64_t most = replay->pause > *number ? replay->pause - *number : 0;
    const hs_event_t *const from = *next;
    const size_t left = (size_t)(end - from);
    const hs_event_t *const stop = most < left ? from + most : end;
    const hs_status_t status = run_as(replay, next, stop, *number);
    *number += (uint64_t)(*next - from);
    return status;
}
