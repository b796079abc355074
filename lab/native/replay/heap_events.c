#include "replay/heap_events.h"

#include "chip/laid.h"
#include "replay/plain.h"

#define FNV_PRIME UINT64_C(0x100000001b3)

/* ---- results and what is wrong with a trace --------------------------------------------------- */

static HS_MADE_FOR_CALLER void result(hs_replay_t *replay, uint32_t value)
{
    uint64_t digest = replay->summary.digest;
    digest = (digest ^ (value & 0xFFu)) * FNV_PRIME;
    digest = (digest ^ (value >> 8 & 0xFFu)) * FNV_PRIME;
    digest = (digest ^ (value >> 16 & 0xFFu)) * FNV_PRIME;
    digest = (digest ^ (value >> 24)) * FNV_PRIME;
    replay->summary.digest = digest;
    replay->summary.results++;
}

static HS_MADE_FOR_CALLER void placed(hs_replay_t *replay, const hs_block_t *block,
                                      const hs_plain_t plain)
{
    /* With one region the digest is over offsets, as the oracle's; else over addresses. */
    const hs_chip_region_t *region = &replay->chip.region[block->place.region];
    const uint32_t base = plain || replay->chip.count == 1 ? 0 : region->start;
    const uint32_t offset = block->place.offset;
    result(replay, base + offset);
    if (!plain && replay->by_address) {
        replay->summary.address_compared++;
        replay->summary.address_matched += block->key == (uint64_t)region->start + offset;
    }
}

/* The request failed here and had an address where it was recorded. */
static HS_SELDOM void not_placed(hs_replay_t *replay)
{
    result(replay, HS_NONE);
    replay->summary.address_compared += replay->by_address;
}

static HS_SELDOM void anomaly(hs_replay_t *replay, uint32_t what, const hs_event_t *event,
                              uint64_t number)
{
    if (replay->anomalies_kept < HS_LAB_ANOMALIES_MAX) {
        const hs_lab_anomaly_row_t row = {number, event->key, what, event->task};
        replay->anomalies[replay->anomalies_kept++] = row;
    }
}

static HS_SELDOM void free_of_nothing(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const bool was_live = !replay->by_address && !replay->gaps && event->key < replay->next_key;
    if (was_live) {
        replay->summary.double_frees++;
    } else {
        replay->summary.unknown_frees++;
    }
    anomaly(replay, was_live ? HS_LAB_ANOMALY_DOUBLE_FREE : HS_LAB_ANOMALY_UNKNOWN_FREE, event,
            number);
}

/* `old`: the block of a realloc, or NULL. */
static HS_SELDOM void fail(hs_replay_t *replay, const hs_event_t *event, uint64_t number,
                           uint32_t slot, const hs_block_t *old)
{
    if (replay->summary.failures++ == 0) {
        replay->summary.first_failure_event = number;
    }
    if (replay->trail != NULL) {
        hs_trail_at(replay->trail, number)->failed = true;
    }
    const hs_lab_failure_row_t row = {
        .event = number,
        .time = event->time,
        .size = event->size,
        .task = event->task,
        .caps = event->caps,
        .site = event->site,
        .call = event->kind,
        .align = event->kind == HS_EVENT_ALIGNED ? UINT32_C(1) << (event->align_log2 & 31u) : 0,
        .old_size = old != NULL ? old->requested : 0};
    const hs_request_t request = hs_replay_request(event);
    const hs_place_t *place = old != NULL ? &old->place : NULL;
    const uint32_t asked =
        hs_placement_mask(&replay->placement, &replay->chip, event, &request, place);
    hs_measure_failed(&replay->measure, slot, &row, asked);
}

/* ---- heap events ------------------------------------------------------------------------------ */

static inline size_t record_of(const hs_replay_t *replay, const hs_block_t *block)
{
    return (size_t)(block - replay->blocks.records);
}

static HS_MADE_FOR_CALLER void release(hs_replay_t *replay, const hs_block_t *block,
                                       uint64_t number, const hs_plain_t plain)
{
    if ((plain || !replay->census_only) && !(block->flags & HS_BLOCK_NOWHERE)) {
        if (replay->trail != NULL) {
            hs_trail_end(replay->trail, number, record_of(replay, block));
        }
        hs_plain_release(&replay->chip, &block->place, plain);
        hs_measure_released(&replay->measure, block, number, plain != HS_PLAIN_NOT);
        if (!plain && replay->placement.count != 0) {
            hs_placement_lose(&replay->placement, &block->place, block->requested);
        }
    }
}

hs_request_t hs_replay_request(const hs_event_t *event)
{
    const hs_request_t request = {
        .size = event->size > UINT32_MAX ? UINT32_MAX : (uint32_t)event->size,
        .align = event->kind == HS_EVENT_ALIGNED ? UINT32_C(1) << (event->align_log2 & 31u) : 0,
        .caps = event->caps,
        .zeroed = event->kind == HS_EVENT_CALLOC};
    return request;
}

/* The recorded program no longer holds the block. */
static HS_MADE_FOR_CALLER void end_life(hs_replay_t *replay, const hs_block_t *block,
                                        const hs_plain_t plain)
{
    hs_census_lose(&replay->census, block->recorded);
    if (!plain && replay->census_only) {
        hs_watch_ended(&replay->watch, block);
    }
}

/* A block that the trace allocates while it is live: its free was lost, or the trace is wrong. */
static HS_SELDOM void drop_reused(hs_replay_t *replay, const hs_event_t *event, uint64_t key,
                                  uint64_t number)
{
    const hs_block_t *block = hs_blocks_take(&replay->blocks, key);
    if (block != NULL) {
        replay->summary.reused_ids++;
        anomaly(replay, HS_LAB_ANOMALY_REUSED_ID, event, number);
        end_life(replay, block, HS_PLAIN_NOT);
        release(replay, block, number, HS_PLAIN_NOT);
    }
}

static HS_MADE_FOR_CALLER bool allocate(hs_replay_t *replay, const hs_event_t *event,
                                        const hs_request_t *request, uint64_t number,
                                        hs_place_t *place, const hs_plain_t plain)
{
    if (plain) {
        return hs_plain_allocate(&replay->chip, request, place, plain);
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
static HS_MADE_FOR_CALLER void place_block(hs_replay_t *replay, hs_block_t *block,
                                           const hs_event_t *event, uint64_t number,
                                           const hs_plain_t plain)
{
    const hs_request_t request = hs_replay_request(event);
    if (event->size <= UINT32_MAX &&
        allocate(replay, event, &request, number, &block->place, plain)) {
        block->requested = request.size;
        placed(replay, block, plain);
        if (replay->trail != NULL) {
            hs_trail_begin(replay->trail, number, block, record_of(replay, block));
        }
        hs_measure_allocated(&replay->measure, block, number, plain != HS_PLAIN_NOT);
        return;
    }
    block->flags |= HS_BLOCK_NOWHERE;
    not_placed(replay);
    if (event->size == 0) {
        replay->summary.zero_requests++;
    } else {
        fail(replay, event, number, block->task, NULL);
    }
}

static HS_SELDOM void note_origin(hs_block_t *block, const hs_event_t *event, uint64_t number)
{
    block->task = event->task;
    block->origin.birth = number;
    block->origin.site = event->site;
}

static HS_MADE_FOR_CALLER hs_status_t on_allocation(hs_replay_t *replay, const hs_event_t *event,
                                                    uint64_t number, const hs_plain_t plain)
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
        note_origin(block, event, number);
        return HS_OK;
    }
    block->task = hs_ledger_slot(&replay->measure.owners, event->task);
    if (block->task == HS_LEDGER_NONE) {
        return HS_ERR_MEMORY;
    }
    place_block(replay, block, event, number, plain);
    return HS_OK;
}

static HS_MADE_FOR_CALLER void on_free(hs_replay_t *replay, const hs_event_t *event,
                                       uint64_t number, const hs_plain_t plain)
{
    const hs_block_t *block = hs_blocks_take(&replay->blocks, event->key);
    if (block == NULL) {
        free_of_nothing(replay, event, number);
        return;
    }
    replay->summary.skipped += (block->flags & HS_BLOCK_NOWHERE) != 0;
    end_life(replay, block, plain);
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
static bool reallocate_place(hs_replay_t *replay, const hs_event_t *event,
                             const hs_request_t *request, uint64_t number, hs_block_t *block)
{
    hs_placement_t *placement = &replay->placement;
    const hs_place_t before = block->place;
    if (placement->count == 0) {
        return hs_chip_reallocate(&replay->chip, request, &block->place);
    }
    if (!hs_placement_reallocate(placement, &replay->chip, event, request, &block->place)) {
        return false;
    }
    hs_placement_lose(placement, &before, block->requested);
    hs_placement_gain(placement, &block->place, request->size, number);
    return true;
}

static void reallocate(hs_replay_t *replay, hs_block_t *block, const hs_event_t *event,
                       uint64_t number, uint32_t slot)
{
    const hs_request_t request = hs_replay_request(event);
    const hs_block_t before = *block;
    if (event->size > UINT32_MAX || !reallocate_place(replay, event, &request, number, block)) {
        not_placed(replay);
        fail(replay, event, number, slot, block);
        return;
    }
    block->requested = request.size;
    block->task = slot;
    placed(replay, block, HS_PLAIN_NOT);
    if (replay->trail != NULL) {
        hs_trail_end(replay->trail, number, record_of(replay, block));
        hs_trail_begin(replay->trail, number, block, record_of(replay, block));
    }
    hs_measure_reallocated(&replay->measure, &before, block, number);
}

static bool refuses_realloc(const hs_replay_t *replay, const hs_block_t *block)
{
    return block->place.aligned &&
           replay->chip.region[block->place.region].heap->model->aligned_is_own;
}

static hs_status_t on_realloc(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    hs_block_t *block = hs_blocks_find(&replay->blocks, event->key);
    if (block == NULL) {
        replay->summary.dead_reallocs++;
        anomaly(replay, HS_LAB_ANOMALY_DEAD_REALLOC, event, number);
        return HS_OK;
    }
    if (event->size == 0) {
        if (!replay->census_only && !(block->flags & HS_BLOCK_NOWHERE)) {
            replay->summary.zero_requests++;
            result(replay, HS_NONE);
        }
        on_free(replay, event, number, HS_PLAIN_NOT);
        return HS_OK;
    }
    end_life(replay, block, HS_PLAIN_NOT);
    block->recorded = hs_census_gain(&replay->census, event->size, number);
    block = rename_block(replay, block, event, number);
    if (block == NULL) {
        return HS_ERR_MEMORY;
    }
    if (replay->census_only) {
        note_origin(block, event, number);
        return HS_OK;
    }
    if (block->flags & HS_BLOCK_NOWHERE) {
        replay->summary.skipped++;
        return HS_OK;
    }
    if (refuses_realloc(replay, block)) {
        replay->summary.refused_reallocs++;
        anomaly(replay, HS_LAB_ANOMALY_REFUSED_REALLOC, event, number);
        return HS_OK;
    }
    const uint32_t slot = hs_ledger_slot(&replay->measure.owners, event->task);
    if (slot == HS_LEDGER_NONE) {
        return HS_ERR_MEMORY;
    }
    reallocate(replay, block, event, number, slot);
    return HS_OK;
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

static HS_MADE_FOR_CALLER hs_status_t heap_event(hs_replay_t *replay, const hs_event_t *event,
                                                 uint64_t number, const hs_plain_t plain)
{
    hs_status_t status = HS_OK;
    if (event->kind <= HS_EVENT_ALIGNED) {
        status = on_allocation(replay, event, number, plain);
    } else if (event->kind == HS_EVENT_FREE) {
        on_free(replay, event, number, plain);
    } else if (event->kind == HS_EVENT_REALLOC) {
        status = on_realloc(replay, event, number);
    } else {
        on_recorded_failure(replay, event);
    }
    if (plain || !replay->census_only) {
        hs_measure_close(&replay->measure, number, event->time);
    }
    return status;
}

hs_status_t hs_replay_heap_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const hs_status_t status = heap_event(replay, event, number, HS_PLAIN_NOT);
    if (!replay->census_only) {
        hs_measure_elapse(&replay->measure, 1, event->time);
    }
    return status;
}

/* A bucket of the timeline at a time, so that no event has to be counted in it. */
static HS_MADE_FOR_CALLER hs_status_t heap_run(hs_replay_t *replay, const hs_event_t **next,
                                               const hs_event_t *stop, uint64_t number,
                                               const hs_plain_t plain)
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
    switch (hs_plain_of(replay)) {
    case HS_PLAIN_IDF_16:
        return heap_run(replay, next, stop, number, HS_PLAIN_IDF_16);
    case HS_PLAIN_IDF_32:
        return heap_run(replay, next, stop, number, HS_PLAIN_IDF_32);
    case HS_PLAIN_ANY:
        return heap_run(replay, next, stop, number, HS_PLAIN_ANY);
    default:
        return heap_run(replay, next, stop, number, HS_PLAIN_NOT);
    }
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
