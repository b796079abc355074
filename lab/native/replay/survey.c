#include "replay/survey.h"

#include <string.h>

#include "replay/heap_events.h"
#include "replay/replay.h"

hs_status_t hs_survey_scan(hs_survey_t *survey, const hs_measure_t *measure, uint32_t columns)
{
    if (columns < 2 || columns % 2 != 0 || columns > HS_LAB_PICTURE_COLUMNS) {
        return HS_ERR_ARGUMENT;
    }
    survey->mode = HS_SURVEY_SCAN;
    return hs_columns_init(&survey->columns, columns, measure->kinds) ? HS_OK : HS_ERR_MEMORY;
}

hs_status_t hs_survey_draw(hs_survey_t *survey, const hs_chip_t *chip, const uint64_t *events,
                           size_t columns, const uint32_t *rows, uint64_t peak)
{
    survey->mode = HS_SURVEY_DRAW;
    survey->peak = peak;
    hs_holdings_init(&survey->holdings);
    return hs_picture_init(&survey->picture, chip, events, columns, rows);
}

void hs_survey_free(hs_survey_t *survey)
{
    hs_columns_free(&survey->columns);
    hs_holdings_free(&survey->holdings);
    hs_picture_free(&survey->picture);
    survey->mode = HS_SURVEY_OFF;
}

/* ---- what an event did -------------------------------------------------------------------------- */

/* Counters that show whether a request was served. */
typedef struct hs_outcome {
    uint64_t results, failures, zero_requests;
} hs_outcome_t;

static hs_outcome_t outcome(const hs_replay_t *replay)
{
    const hs_outcome_t now = {replay->summary.results, replay->summary.failures,
                              replay->summary.zero_requests};
    return now;
}

static bool was_served(const hs_replay_t *replay, hs_outcome_t before)
{
    const hs_outcome_t now = outcome(replay);
    return now.results > before.results && now.failures == before.failures &&
           now.zero_requests == before.zero_requests;
}

/* ---- the first replay --------------------------------------------------------------------------- */

/* The largest request of this kind that would be served now. */
static uint32_t largest_now(hs_replay_t *replay, const hs_request_t *request)
{
    const uint32_t mask = hs_chip_mask_for(&replay->chip, request->caps, request->size);
    uint32_t largest = 0;
    for (uint32_t i = 0; i < replay->chip.count; i++) {
        const hs_chip_region_t *region = &replay->chip.region[i];
        if ((mask >> i & 1u) && region->heap != NULL) {
            const uint32_t one = hs_region_largest_allocatable(region, request->caps);
            largest = one > largest ? one : largest;
        }
    }
    return hs_chip_allowed(&replay->chip, largest);
}

/* Was it a request for a block in a new place, which had to be found? */
static bool was_placed(const hs_block_t *block, const hs_block_t *before, bool had_block)
{
    return block != NULL && !(block->flags & HS_BLOCK_NOWHERE) &&
           (!had_block || block->place.region != before->place.region ||
            block->place.offset != before->place.offset);
}

static hs_status_t scan(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    hs_columns_t *columns = &replay->survey.columns;
    const bool moves = event->kind == HS_EVENT_REALLOC;
    const bool asks = moves || event->kind == HS_EVENT_MALLOC || event->kind == HS_EVENT_CALLOC;
    hs_columns_begin(columns, number, event->time);
    hs_lab_closest_row_t row = {.event = number,
                                .time = event->time,
                                .size = (uint32_t)event->size,
                                .task = event->task,
                                .site = event->site,
                                .caps = event->caps};
    hs_block_t before = {0};
    bool had_block = false;
    if (asks && event->size <= UINT32_MAX) {
        const hs_request_t request = hs_replay_request(event);
        row.largest = largest_now(replay, &request);
        const hs_block_t *block = moves ? hs_blocks_find(&replay->blocks, event->key) : NULL;
        had_block = block != NULL;
        before = had_block ? *block : before;
    }
    const hs_outcome_t then = outcome(replay);
    const hs_status_t status = hs_replay_heap_event(replay, event, number);
    if (asks && status == HS_OK && was_served(replay, then)) {
        const uint64_t key = moves ? event->new_key : event->key;
        const hs_block_t *block = hs_blocks_find(&replay->blocks, key);
        /* A rule can place what the capabilities could not: such a request tells nothing here. */
        if (was_placed(block, &before, had_block) && row.largest >= row.size) {
            row.region = block->place.region;
            hs_columns_closest(columns, replay->chip.region[row.region].kind, &row);
        }
    }
    hs_columns_end(columns, &replay->measure, number);
    return status;
}

/* ---- the second replay -------------------------------------------------------------------------- */

static void end_block(hs_replay_t *replay, const hs_block_t *block, const hs_birth_t *birth,
                      const hs_event_t *event, uint64_t number)
{
    if (!(block->flags & HS_BLOCK_NOWHERE)) {
        hs_holdings_lose(&replay->survey.holdings, block, birth);
        hs_picture_died(&replay->survey.picture, birth, number, event->time);
    }
}

static size_t record_of(const hs_replay_t *replay, const hs_block_t *block)
{
    return (size_t)(block - replay->blocks.records);
}

/* A block with a place, and where it came from, as they were before the event. */
typedef struct hs_before {
    bool known;
    hs_block_t block;
    hs_birth_t birth;
} hs_before_t;

static hs_before_t look(const hs_replay_t *replay, uint64_t key)
{
    hs_before_t before = {0};
    const hs_block_t *block = hs_blocks_find(&replay->blocks, key);
    if (block != NULL) {
        before.known = true;
        before.block = *block;
        before.birth = replay->survey.holdings.births[record_of(replay, block)];
    }
    return before;
}

/* The event's block became a new one, or the old one in another record. */
static hs_status_t begin_block(hs_replay_t *replay, const hs_event_t *event, uint64_t number,
                               const hs_before_t *old, bool served)
{
    hs_holdings_t *holdings = &replay->survey.holdings;
    const uint64_t key = event->kind == HS_EVENT_REALLOC ? event->new_key : event->key;
    const hs_block_t *block = hs_blocks_find(&replay->blocks, key);
    if (block == NULL || (block->flags & HS_BLOCK_NOWHERE)) {
        return HS_OK;
    }
    const size_t record = record_of(replay, block);
    if (!hs_holdings_reserve(holdings, record + 1)) {
        return HS_ERR_MEMORY;
    }
    if (!served) {
        if (old->known) {
            holdings->births[record] = old->birth;
        }
        return HS_OK;
    }
    if (old->known) {
        end_block(replay, &old->block, &old->birth, event, number);
    }
    return hs_holdings_gain(holdings, record, block, event, number) ? HS_OK : HS_ERR_MEMORY;
}

static hs_status_t draw_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const bool frees =
        event->kind == HS_EVENT_FREE || (event->kind == HS_EVENT_REALLOC && event->size == 0);
    const bool moves = event->kind == HS_EVENT_REALLOC && !frees;
    const bool allocates = event->kind <= HS_EVENT_ALIGNED;
    if (!hs_holdings_reserve(&replay->survey.holdings, replay->blocks.used + 1)) {
        return HS_ERR_MEMORY;
    }
    /* Live under the key that the event takes: its free was lost. */
    const bool takes = allocates || (moves && event->new_key != event->key);
    const hs_before_t old = frees || moves ? look(replay, event->key) : (hs_before_t){0};
    const hs_before_t dropped = takes && (allocates || old.known)
                                    ? look(replay, allocates ? event->key : event->new_key)
                                    : (hs_before_t){0};
    const hs_outcome_t then = outcome(replay);
    hs_status_t status = hs_replay_heap_event(replay, event, number);
    if (status == HS_OK && dropped.known) {
        end_block(replay, &dropped.block, &dropped.birth, event, number);
    }
    if (status == HS_OK && frees && old.known) {
        end_block(replay, &old.block, &old.birth, event, number);
    }
    if (status == HS_OK && (allocates || (moves && old.known))) {
        status = begin_block(replay, event, number, &old, was_served(replay, then));
    }
    if (status == HS_OK && outcome(replay).failures > then.failures &&
        !hs_holdings_failed(&replay->survey.holdings, event)) {
        status = HS_ERR_MEMORY;
    }
    return status;
}

static hs_status_t draw(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    hs_survey_t *survey = &replay->survey;
    hs_status_t status = draw_event(replay, event, number);
    if (status == HS_OK && hs_picture_due(&survey->picture, number)) {
        status = hs_picture_take(&survey->picture, &replay->measure, &replay->blocks,
                                 &survey->holdings, number, event->time);
    }
    if (status == HS_OK && number == survey->peak && !hs_holdings_keep(&survey->holdings)) {
        status = HS_ERR_MEMORY;
    }
    return status;
}

/* Blocks of the beginning are no events: they have owners, but no column. */
hs_status_t hs_survey_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number)
{
    const bool begun = !replay->priming;
    switch (replay->survey.mode) {
    case HS_SURVEY_SCAN:
        return begun ? scan(replay, event, number) : hs_replay_heap_event(replay, event, number);
    case HS_SURVEY_DRAW:
        return begun ? draw(replay, event, number) : draw_event(replay, event, number);
    default:
        return hs_replay_heap_event(replay, event, number);
    }
}

hs_status_t hs_survey_finish(hs_survey_t *survey)
{
    return survey->mode == HS_SURVEY_DRAW ? hs_picture_finish(&survey->picture) : HS_OK;
}
