#include "replay/replay.h"

#include <stdlib.h>
#include <string.h>

#include "chip/setup.h"
#include "chip/task_lists.h"
#include "replay/heap_events.h"
#include "replay/tenants.h"

#define FNV_BASIS UINT64_C(0xcbf29ce484222325)

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
    replay->config = config;
    hs_status_t status = hs_placement_init(&replay->placement, config);
    if (status == HS_OK) {
        status = hs_chip_init(&replay->chip, config, where, &replay->kinds,
                              &replay->summary.startup_unplaced);
    }
    if (status == HS_OK) {
        status = hs_tenants_place(replay, config);
    }
    if (status == HS_OK) {
        status = hs_measure_init(&replay->measure, &replay->chip, config, replay->kinds);
    }
    return status == HS_OK ? hs_tenants_book(replay, config) : status;
}

void hs_replay_free(hs_replay_t *replay)
{
    hs_measure_free(&replay->measure);
    hs_chip_free(&replay->chip);
    hs_placement_free(&replay->placement);
    hs_blocks_free(&replay->blocks);
    hs_census_free(&replay->census);
    hs_watch_free(&replay->watch);
    hs_survey_free(&replay->survey);
    free(replay->movable.sites);
    free(replay->movable.blocks);
    memset(replay, 0, sizeof *replay);
}

/* ---- events at which something is due --------------------------------------------------------- */

static void plan_pause(hs_replay_t *replay, uint64_t from)
{
    replay->pause = replay->watch.next < replay->stop ? replay->watch.next : replay->stop;
    if (replay->explained >= from && replay->explained < replay->pause) {
        replay->pause = replay->explained;
    }
    if (replay->survey.mode != HS_SURVEY_OFF) {
        replay->pause = from; /* it looks at every event */
    }
}

static hs_status_t explain_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const hs_request_t request = hs_replay_request(event);
    const bool moves = event->kind == HS_EVENT_REALLOC;
    const hs_block_t *before = moves ? hs_blocks_find(&replay->blocks, event->key) : NULL;
    hs_explain_before(&replay->explain, &replay->chip, event, &request, before);
    bool unfit;
    replay->explain.event.rule =
        hs_placement_find(&replay->placement, &replay->chip, event, &request, &unfit);
    replay->explain.event.rule_unfit = unfit;
    const hs_status_t status = hs_replay_heap_event(replay, event, number);
    const uint64_t key = moves ? event->new_key : event->key;
    hs_explain_after(&replay->explain, &replay->chip, hs_blocks_find(&replay->blocks, key));
    return status;
}

static hs_status_t on_pause(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const hs_lab_census_t *census = &replay->census.figures;
    hs_status_t status = hs_watch_take(&replay->watch, census->live,
                                       hs_blocks_count(&replay->blocks), number, event->time);
    replay->stopped = number >= replay->stop;
    if (status == HS_OK && !replay->stopped) {
        status = number == replay->explained ? explain_event(replay, event, number)
                                             : hs_survey_event(replay, event, number);
    }
    plan_pause(replay, number + 1);
    return status;
}

hs_status_t hs_replay_watch(hs_replay_t *replay, uint64_t first, uint64_t stop,
                            const hs_replay_t *before)
{
    if (!replay->census_only || replay->begun) {
        return HS_ERR_ARGUMENT;
    }
    const hs_status_t status =
        hs_watch_begin(&replay->watch, first, stop, before == NULL ? NULL : &before->watch);
    replay->stop = stop;
    plan_pause(replay, 0);
    return status;
}

hs_status_t hs_replay_stop(hs_replay_t *replay, uint64_t stop)
{
    if (replay->begun) {
        return HS_ERR_ARGUMENT;
    }
    replay->stop = stop;
    plan_pause(replay, 0);
    return HS_OK;
}

hs_status_t hs_replay_survey(hs_replay_t *replay, uint32_t columns)
{
    if (replay->census_only || replay->begun || replay->survey.mode != HS_SURVEY_OFF) {
        return HS_ERR_ARGUMENT;
    }
    const hs_status_t status = hs_survey_scan(&replay->survey, &replay->measure, columns);
    plan_pause(replay, 0);
    return status;
}

hs_status_t hs_replay_draw(hs_replay_t *replay, const uint64_t *events, size_t columns,
                           const uint32_t *rows, uint64_t peak)
{
    if (replay->census_only || replay->begun || replay->survey.mode != HS_SURVEY_OFF) {
        return HS_ERR_ARGUMENT;
    }
    const hs_status_t status =
        hs_survey_draw(&replay->survey, &replay->chip, events, columns, rows, peak);
    plan_pause(replay, 0);
    return status;
}

/* ---- the loop --------------------------------------------------------------------------------- */

/* A task's start or end, for the lists of task tracking. */
static void on_task(hs_replay_t *replay, const hs_event_t *event)
{
    if (event->kind != HS_EVENT_TASK_START && event->kind != HS_EVENT_TASK_END) {
        return;
    }
    const uint32_t slot = hs_ledger_slot(&replay->measure.owners, (uint32_t)event->key);
    replay->chip.lists->failed |= slot == HS_LEDGER_NONE;
    if (slot != HS_LEDGER_NONE && event->kind == HS_EVENT_TASK_START) {
        hs_lists_task_began(&replay->chip, slot + 1);
    } else if (slot != HS_LEDGER_NONE) {
        hs_lists_task_ended(&replay->chip, slot + 1);
    }
}

static void on_other_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    if (event->kind == HS_EVENT_MARK) {
        hs_measure_mark(&replay->measure, number, event->time, (uint32_t)event->key);
    } else if (replay->chip.lists != NULL) {
        on_task(replay, event);
    }
    replay->gaps |= event->kind == HS_EVENT_LOST;
}

/* A chip's recorder tells of names, regions and live blocks without a time. */
static bool has_time(const hs_event_t *event)
{
    return event->time != 0 || event->kind < HS_EVENT_LOST_KIND;
}

static void count_ticks(hs_lab_census_t *census, const hs_event_t *events, size_t count)
{
    uint64_t last = census->last_time;
    for (size_t i = 0; i < count; i++) {
        census->ticks += events[i].time > last;
        last = events[i].time > last ? events[i].time : last;
    }
}

void hs_replay_batch(hs_replay_t *replay, uint64_t first, const hs_event_t *events, size_t count)
{
    if (count == 0 || replay->stopped) {
        return;
    }
    hs_lab_census_t *census = &replay->census.figures;
    replay->gaps |= first != replay->expected && !replay->priming;
    replay->begun = true;
    size_t from = 0, to = count;
    for (; from < count && !has_time(&events[from]); from++) {
    }
    for (; to > from && !has_time(&events[to - 1]); to--) {
    }
    if (to > from) {
        census->first_time = replay->timed ? census->first_time : events[from].time;
        count_ticks(census, events + from, to - from);
        census->last_time = events[to - 1].time;
        replay->timed = true;
    }
}

/* An event that is not a heap event, or at which something is due. */
static hs_status_t take_apart(hs_replay_t *replay, const hs_event_t *event, uint64_t *number)
{
    hs_census_event(&replay->census, event);
    if (HS_EVENT_IS_HEAP(event->kind)) {
        return on_pause(replay, event, (*number)++);
    }
    on_other_event(replay, event, *number);
    return HS_OK;
}

void hs_replay_batch_end(hs_replay_t *replay, uint64_t number)
{
    replay->expected = number;
    replay->census.figures.live_blocks = hs_blocks_count(&replay->blocks) - replay->tenants;
    replay->census.figures.live_blocks_peak = replay->blocks.used - replay->tenants;
}

hs_status_t hs_replay_one(hs_replay_t *replay, const hs_event_t *event, uint64_t *number)
{
    if (replay->stopped) {
        return HS_OK;
    }
    if (replay->priming) {
        hs_census_origin(&replay->census, event);
        return hs_survey_event(replay, event, *number);
    }
    const hs_event_t *next = event;
    const hs_status_t status = hs_replay_heap_run(replay, &next, event + 1, number);
    return next == event && status == HS_OK ? take_apart(replay, event, number) : status;
}

hs_status_t hs_replay_events(hs_replay_t *replay, uint64_t first, const hs_event_t *events,
                             size_t count)
{
    uint64_t number = first;
    hs_status_t status = HS_OK;
    if (count == 0 || replay->stopped) {
        return HS_OK;
    }
    hs_replay_batch(replay, first, events, count);
    const hs_event_t *next = events, *const end = events + count;
    while (next < end && status == HS_OK && !replay->stopped) { /* bound: each round takes events */
        if (replay->priming) {
            hs_census_origin(&replay->census, next);
            status = hs_survey_event(replay, next++, number);
            continue;
        }
        status = hs_replay_heap_run(replay, &next, end, &number);
        if (next < end && status == HS_OK) {
            status = take_apart(replay, next++, &number);
        }
    }
    hs_replay_batch_end(replay, number);
    return status;
}

hs_status_t hs_replay_finish(hs_replay_t *replay)
{
    if (replay->census_only) {
        const hs_lab_census_t *census = &replay->census.figures;
        return hs_watch_take(&replay->watch, census->live, hs_blocks_count(&replay->blocks),
                             UINT64_MAX, census->last_time);
    }
    hs_measure_finish(&replay->measure);
    return hs_survey_finish(&replay->survey);
}

/* Blocks that the recorded program holds and the heaps do not. */
static void count_not_placed(const hs_blocks_t *blocks, hs_lab_summary_t *out)
{
    const uint8_t wanted = HS_BLOCK_LIVE | HS_BLOCK_NOWHERE;
    for (size_t i = 0; i < blocks->used; i++) {
        const hs_block_t *block = &blocks->records[i];
        if ((block->flags & wanted) == wanted && block->recorded != 0) {
            out->not_placed += block->recorded;
            out->not_placed_blocks++;
        }
    }
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
    count_not_placed(&replay->blocks, out);
    out->tightest_event = measure->tightest.event;
    out->tightest_payload = measure->tightest.payload;
    out->tightest_rounding = measure->tightest.rounding;
    out->tightest_header = measure->tightest.header;
    out->tightest_control = measure->tightest.control;
    out->tightest_startup = measure->tightest.startup;
    out->tightest_moving = measure->tightest.moving;
    out->tightest_free = measure->tightest.free;
}
