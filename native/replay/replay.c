#include "replay/replay.h"

#include <string.h>

#include "replay/setup.h"

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

enum { UNKNOWN_FREE = 1, DOUBLE_FREE, DEAD_REALLOC, REFUSED_REALLOC, REUSED_ID };

hs_status_t hs_replay_init(hs_replay_t *replay, const hs_lab_config_t *config, uint32_t *where)
{
    memset(replay, 0, sizeof *replay);
    *where = UINT32_MAX;
    replay->summary.digest = FNV_BASIS;
    replay->summary.first_failure_event = HS_LAB_NEVER;
    hs_census_init(&replay->census);
    replay->census_only = config == NULL;
    replay->stop = UINT64_MAX;
    replay->explained = config != NULL && config->explains ? config->explain_event : UINT64_MAX;
    replay->pause = replay->explained;
    hs_watch_init(&replay->watch);
    if (!hs_blocks_init(&replay->blocks)) {
        return HS_ERR_MEMORY;
    }
    if (config == NULL) {
        return HS_OK;
    }
    uint32_t kinds;
    hs_status_t status = hs_regions_init(&replay->regions, config, where, &kinds,
                                         &replay->summary.startup_unplaced);
    if (status == HS_OK) {
        status = hs_measure_init(&replay->measure, &replay->regions, config, kinds);
    }
    return status;
}

void hs_replay_free(hs_replay_t *replay)
{
    hs_measure_free(&replay->measure);
    hs_regions_free(&replay->regions);
    hs_blocks_free(&replay->blocks);
    hs_census_free(&replay->census);
    hs_watch_free(&replay->watch);
    memset(replay, 0, sizeof *replay);
}

/* ---- results and what is wrong with a trace --------------------------------------------------- */

static void result(hs_replay_t *replay, uint32_t value)
{
    uint64_t digest = replay->summary.digest;
    digest = (digest ^ (value & 0xFFu)) * FNV_PRIME;
    digest = (digest ^ (value >> 8 & 0xFFu)) * FNV_PRIME;
    digest = (digest ^ (value >> 16 & 0xFFu)) * FNV_PRIME;
    digest = (digest ^ (value >> 24)) * FNV_PRIME;
    replay->summary.digest = digest;
    replay->summary.results++;
}

static void placed(hs_replay_t *replay, const hs_block_t *block)
{
    /* With one region the digest is over offsets, as the oracle's; else over addresses. */
    const hs_region_t *region = &replay->regions.region[block->place.region];
    const uint32_t base = replay->regions.count == 1 ? 0 : region->start;
    const uint32_t offset = block->place.offset;
    result(replay, base + offset);
    if (replay->by_address) {
        replay->summary.address_compared++;
        replay->summary.address_matched += block->key == (uint64_t)region->start + offset;
    }
}

/* What failed here had an address where it was recorded. */
static void not_placed(hs_replay_t *replay)
{
    result(replay, HS_NONE);
    replay->summary.address_compared += replay->by_address;
}

static void anomaly(hs_replay_t *replay, uint32_t what, const hs_event_t *event, uint64_t number)
{
    if (replay->anomalies_kept < HS_LAB_ANOMALIES_MAX) {
        const hs_lab_anomaly_row_t row = {number, event->key, what, event->task};
        replay->anomalies[replay->anomalies_kept++] = row;
    }
}

static void free_of_nothing(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const bool was_live = !replay->by_address && !replay->gaps && event->key < replay->next_key;
    if (was_live) {
        replay->summary.double_frees++;
    } else {
        replay->summary.unknown_frees++;
    }
    anomaly(replay, was_live ? DOUBLE_FREE : UNKNOWN_FREE, event, number);
}

static void fail(hs_replay_t *replay, const hs_event_t *event, uint64_t number, uint32_t slot,
                 uint32_t old_size)
{
    if (replay->summary.failures++ == 0) {
        replay->summary.first_failure_event = number;
    }
    const hs_lab_failure_row_t row = {.event = number,
                                      .time = event->time,
                                      .size = event->size,
                                      .task = event->task,
                                      .caps = event->caps,
                                      .site = event->site,
                                      .call = event->kind,
                                      .align = event->kind == HS_EVENT_ALIGNED
                                                   ? UINT32_C(1) << (event->align_log2 & 31u)
                                                   : 0,
                                      .old_size = old_size};
    hs_measure_failed(&replay->measure, slot, &row);
}

/* ---- heap events ------------------------------------------------------------------------------ */

static void release(hs_replay_t *replay, const hs_block_t *block, uint64_t number)
{
    if (!replay->census_only && !(block->flags & HS_BLOCK_NOWHERE)) {
        hs_regions_release(&replay->regions, &block->place);
        hs_measure_released(&replay->measure, block, number);
    }
}

static hs_request_t request_of(const hs_event_t *event)
{
    const hs_request_t request = {
        .size = event->size > UINT32_MAX ? UINT32_MAX : (uint32_t)event->size,
        .align = event->kind == HS_EVENT_ALIGNED ? UINT32_C(1) << (event->align_log2 & 31u) : 0,
        .caps = event->caps,
        .zeroed = event->kind == HS_EVENT_CALLOC};
    return request;
}

/* A block that the trace allocates while it is live: its free was lost, or the trace is wrong. */
static void drop_reused(hs_replay_t *replay, const hs_event_t *event, uint64_t key,
                        uint64_t number)
{
    const hs_block_t *block = hs_blocks_take(&replay->blocks, key);
    if (block != NULL) {
        replay->summary.reused_ids++;
        anomaly(replay, REUSED_ID, event, number);
        hs_census_lose(&replay->census, block->recorded);
        release(replay, block, number);
    }
}

/* The block gets its place on the heaps, or is nowhere from now on. */
static void place_block(hs_replay_t *replay, hs_block_t *block, const hs_event_t *event,
                        uint64_t number)
{
    const hs_request_t request = request_of(event);
    if (event->size <= UINT32_MAX &&
        hs_regions_allocate(&replay->regions, &request, &block->place)) {
        block->requested = request.size;
        placed(replay, block);
        hs_measure_allocated(&replay->measure, block, number);
        return;
    }
    block->flags |= HS_BLOCK_NOWHERE;
    not_placed(replay);
    if (event->size == 0) {
        replay->summary.zero_requests++;
    } else {
        fail(replay, event, number, block->task, 0);
    }
}

static void note_origin(hs_block_t *block, const hs_event_t *event, uint64_t number)
{
    block->task = event->task;
    block->origin.birth = number;
    block->origin.site = event->site;
}

static hs_status_t on_allocation(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    /* Ids go up, so one beyond all others has never been live; addresses come again. */
    if (!replay->by_address && event->key >= replay->next_key && event->key != UINT64_MAX) {
        replay->next_key = event->key + 1;
    } else {
        drop_reused(replay, event, event->key, number);
    }
    hs_block_t *block = hs_blocks_insert(&replay->blocks, event->key);
    if (block == NULL) {
        return HS_ERR_MEMORY;
    }
    block->recorded = hs_census_gain(&replay->census, event->size, number);
    if (replay->census_only) {
        note_origin(block, event, number);
        return HS_OK;
    }
    block->task = hs_owners_slot(&replay->measure.owners, event->task);
    if (block->task == HS_LAB_TASKS_MAX) {
        return HS_ERR_MEMORY;
    }
    place_block(replay, block, event, number);
    return HS_OK;
}

static void on_free(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const hs_block_t *block = hs_blocks_take(&replay->blocks, event->key);
    if (block == NULL) {
        free_of_nothing(replay, event, number);
        return;
    }
    replay->summary.skipped += (block->flags & HS_BLOCK_NOWHERE) != 0;
    hs_census_lose(&replay->census, block->recorded);
    release(replay, block, number);
}

/* Files the block under its new identity; the record may move. */
static hs_block_t *rename_block(hs_replay_t *replay, hs_block_t *block, const hs_event_t *event,
                                uint64_t number)
{
    if (event->new_key == event->key) {
        return block;
    }
    hs_block_t copy = *block;
    hs_blocks_take(&replay->blocks, event->key);
    drop_reused(replay, event, event->new_key, number);
    hs_block_t *renamed = hs_blocks_insert(&replay->blocks, event->new_key);
    if (renamed != NULL) {
        copy.key = event->new_key;
        *renamed = copy;
    }
    return renamed;
}

static void reallocate(hs_replay_t *replay, hs_block_t *block, const hs_event_t *event,
                       uint64_t number, uint32_t slot)
{
    const hs_request_t request = request_of(event);
    const hs_block_t before = *block;
    if (event->size > UINT32_MAX ||
        !hs_regions_reallocate(&replay->regions, &request, &block->place)) {
        not_placed(replay);
        fail(replay, event, number, slot, block->requested);
        return;
    }
    block->requested = request.size;
    block->task = slot;
    placed(replay, block);
    hs_measure_reallocated(&replay->measure, &before, block, number);
}

static bool refuses_realloc(const hs_replay_t *replay, const hs_block_t *block)
{
    return block->place.aligned &&
           replay->regions.region[block->place.region].heap->model->aligned_is_own;
}

static hs_status_t on_realloc(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    hs_block_t *block = hs_blocks_find(&replay->blocks, event->key);
    if (block == NULL) {
        replay->summary.dead_reallocs++;
        anomaly(replay, DEAD_REALLOC, event, number);
        return HS_OK;
    }
    if (event->size == 0) {
        if (!replay->census_only && !(block->flags & HS_BLOCK_NOWHERE)) {
            replay->summary.zero_requests++;
            result(replay, HS_NONE);
        }
        on_free(replay, event, number);
        return HS_OK;
    }
    hs_census_lose(&replay->census, block->recorded);
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
        anomaly(replay, REFUSED_REALLOC, event, number);
        return HS_OK;
    }
    const uint32_t slot = hs_owners_slot(&replay->measure.owners, event->task);
    if (slot == HS_LAB_TASKS_MAX) {
        return HS_ERR_MEMORY;
    }
    reallocate(replay, block, event, number, slot);
    return HS_OK;
}

static void on_recorded_failure(hs_replay_t *replay, const hs_event_t *event)
{
    replay->summary.recorded_failures++;
    if (!replay->census_only) {
        hs_event_t call = *event;
        call.kind = (uint8_t)event->new_key;
        const hs_request_t request = request_of(&call);
        replay->summary.recorded_failures_fit +=
            event->size <= UINT32_MAX && hs_regions_fits(&replay->regions, &request);
    }
}

static hs_status_t on_heap_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    hs_status_t status = HS_OK;
    if (event->kind <= HS_EVENT_ALIGNED) {
        status = on_allocation(replay, event, number);
    } else if (event->kind == HS_EVENT_FREE) {
        on_free(replay, event, number);
    } else if (event->kind == HS_EVENT_REALLOC) {
        status = on_realloc(replay, event, number);
    } else {
        on_recorded_failure(replay, event);
    }
    if (!replay->census_only) {
        hs_measure_close(&replay->measure, number, event->time);
    }
    return status;
}

/* ---- events at which something is due --------------------------------------------------------- */

static void plan_pause(hs_replay_t *replay, uint64_t from)
{
    replay->pause = replay->watch.next < replay->stop ? replay->watch.next : replay->stop;
    if (replay->explained >= from && replay->explained < replay->pause) {
        replay->pause = replay->explained;
    }
}

static hs_status_t explain_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const hs_request_t request = request_of(event);
    const bool moves = event->kind == HS_EVENT_REALLOC;
    const hs_block_t *before = moves ? hs_blocks_find(&replay->blocks, event->key) : NULL;
    hs_explain_before(&replay->explain, &replay->regions, event, &request, before);
    const hs_status_t status = on_heap_event(replay, event, number);
    const uint64_t key = moves ? event->new_key : event->key;
    hs_explain_after(&replay->explain, &replay->regions, hs_blocks_find(&replay->blocks, key));
    return status;
}

static hs_status_t on_pause(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    hs_status_t status = hs_watch_take(&replay->watch, &replay->blocks, number, event->time);
    replay->stopped = number >= replay->stop;
    if (status == HS_OK && !replay->stopped) {
        status = number == replay->explained ? explain_event(replay, event, number)
                                             : on_heap_event(replay, event, number);
    }
    plan_pause(replay, number + 1);
    return status;
}

hs_status_t hs_replay_watch(hs_replay_t *replay, const uint64_t *events, size_t count,
                            uint64_t stop)
{
    if (!replay->census_only || replay->begun) {
        return HS_ERR_ARGUMENT;
    }
    const hs_status_t status = hs_watch_set(&replay->watch, events, count);
    replay->stop = stop;
    plan_pause(replay, 0);
    return status;
}

/* ---- the loop --------------------------------------------------------------------------------- */

static void on_other_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    if (event->kind == HS_EVENT_MARK) {
        hs_measure_mark(&replay->measure, number, event->time, (uint32_t)event->key);
    }
    replay->gaps |= event->kind == HS_EVENT_LOST;
}

static void note_batch(hs_replay_t *replay, uint64_t first, const hs_event_t *events, size_t count)
{
    hs_lab_census_t *census = &replay->census.figures;
    replay->gaps |= first != replay->expected;
    if (!replay->begun) {
        census->first_time = events[0].time;
        replay->begun = true;
    }
    census->last_time = events[count - 1].time;
}

hs_status_t hs_replay_events(hs_replay_t *replay, uint64_t first, const hs_event_t *events,
                             size_t count)
{
    uint64_t number = first;
    hs_status_t status = HS_OK;
    if (count == 0 || replay->stopped) {
        return HS_OK;
    }
    note_batch(replay, first, events, count);
    for (size_t i = 0; i < count && status == HS_OK && !replay->stopped; i++) {
        const hs_event_t *event = &events[i];
        hs_census_event(&replay->census, event);
        if (!HS_EVENT_IS_HEAP(event->kind)) {
            on_other_event(replay, event, number);
        } else if (number < replay->pause) {
            status = on_heap_event(replay, event, number++);
        } else {
            status = on_pause(replay, event, number++);
        }
    }
    replay->expected = number;
    replay->census.figures.live_blocks = replay->blocks.count;
    replay->census.figures.live_blocks_peak = replay->blocks.used;
    return status;
}

hs_status_t hs_replay_finish(hs_replay_t *replay)
{
    if (replay->census_only) {
        return hs_watch_take(&replay->watch, &replay->blocks, UINT64_MAX,
                             replay->census.figures.last_time);
    }
    hs_measure_finish(&replay->measure);
    return HS_OK;
}

void hs_replay_summary(const hs_replay_t *replay, hs_lab_summary_t *out)
{
    const hs_measure_t *measure = &replay->measure;
    *out = replay->summary;
    hs_lab_census_t census;
    hs_census_figures(&replay->census, &census);
    out->event_count = census.events;
    out->live = measure->live.now;
    out->live_peak = measure->live_peak;
    out->live_peak_event = measure->live_peak_event;
    out->live_blocks = measure->live_blocks;
    out->tightest_event = measure->tightest.event;
    out->tightest_payload = measure->tightest.payload;
    out->tightest_rounding = measure->tightest.rounding;
    out->tightest_header = measure->tightest.header;
    out->tightest_control = measure->tightest.control;
    out->tightest_startup = measure->tightest.startup;
    out->tightest_moving = measure->tightest.moving;
    out->tightest_free = measure->tightest.free;
}
