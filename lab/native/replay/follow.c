#include "replay/follow.h"

#include <stdlib.h>
#include <string.h>

void hs_follow_init(hs_follow_t *follow)
{
    memset(follow, 0, sizeof *follow);
}

void hs_follow_free(hs_follow_t *follow)
{
    free(follow->held);
    memset(follow, 0, sizeof *follow);
}

static bool reserve(hs_follow_t *follow, size_t records)
{
    if (records <= follow->held_size) {
        return true;
    }
    const size_t grown = records * 2;
    hs_held_t *moved = realloc(follow->held, grown * sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    memset(moved + follow->held_size, 0, (grown - follow->held_size) * sizeof *moved);
    follow->held = moved;
    follow->held_size = grown;
    return true;
}

/* ---- what was, and what is ---------------------------------------------------------------------- */

static hs_held_t held_of(const hs_follow_t *follow, const hs_replay_t *replay, uint64_t key)
{
    const hs_block_t *block = hs_blocks_find(&replay->blocks, key);
    const hs_held_t none = {0};
    return block == NULL ? none : follow->held[block - replay->blocks.records];
}

static hs_held_t new_block(const hs_replay_t *replay, const hs_block_t *block,
                           const hs_event_t *event, uint64_t number)
{
    const bool census = replay->census_only;
    const hs_held_t held = {.live = true,
                            .size = census ? block->recorded : block->requested,
                            .birth = number,
                            .birth_time = event->time,
                            .task = event->task,
                            .site = event->site,
                            .region = census ? UINT32_MAX : block->place.region,
                            .offset = census ? UINT32_MAX : block->place.offset};
    return held;
}

/* The event's block has a record, which may be another than before and another block's once. */
static bool keep(hs_follow_t *follow, const hs_replay_t *replay, uint64_t key,
                 const hs_event_t *event, uint64_t number, hs_step_t *step)
{
    const hs_block_t *block = hs_blocks_find(&replay->blocks, key);
    if (block == NULL) {
        return true;
    }
    const size_t record = (size_t)(block - replay->blocks.records);
    if (!reserve(follow, record + 1)) {
        return false;
    }
    const bool nowhere = (block->flags & HS_BLOCK_NOWHERE) != 0;
    const bool served = step->outcome == HS_LAB_OUTCOME_OK;
    if (served && !nowhere) {
        step->begun = new_block(replay, block, event, number);
        step->begun.serial = follow->begun++;
        follow->held[record] = step->begun;
    } else { /* a refused realloc leaves what was there */
        follow->held[record] = step->ended;
        memset(&step->ended, 0, sizeof step->ended);
    }
    return true;
}

/* ---- was it served? ----------------------------------------------------------------------------- */

static uint32_t outcome(const hs_event_t *event, const hs_lab_summary_t *then,
                        const hs_lab_summary_t *now)
{
    if (event->kind == HS_EVENT_FAILED) {
        return HS_LAB_OUTCOME_RECORDED;
    }
    if (now->failures != then->failures) {
        return HS_LAB_OUTCOME_FAILED;
    }
    if (now->skipped != then->skipped) {
        return HS_LAB_OUTCOME_SKIPPED;
    }
    if (now->unknown_frees != then->unknown_frees || now->double_frees != then->double_frees ||
        now->dead_reallocs != then->dead_reallocs) {
        return HS_LAB_OUTCOME_UNKNOWN;
    }
    if (now->refused_reallocs != then->refused_reallocs) {
        return HS_LAB_OUTCOME_REFUSED;
    }
    /* A realloc to 0 is a free. */
    const bool zero = now->zero_requests != then->zero_requests;
    return zero && event->kind != HS_EVENT_REALLOC ? HS_LAB_OUTCOME_ZERO : HS_LAB_OUTCOME_OK;
}

hs_status_t hs_follow_event(hs_follow_t *follow, hs_replay_t *replay, const hs_event_t *event,
                            uint64_t number, hs_step_t *step)
{
    const bool moves = event->kind == HS_EVENT_REALLOC && event->size != 0;
    const bool ends = event->kind == HS_EVENT_FREE || event->kind == HS_EVENT_REALLOC;
    const bool begins = event->kind <= HS_EVENT_ALIGNED;
    const uint64_t key = moves ? event->new_key : event->key;
    memset(step, 0, sizeof *step);
    step->number = number;
    if (!reserve(follow, replay->blocks.used + 1)) {
        return HS_ERR_MEMORY;
    }
    const bool known = ends && hs_blocks_find(&replay->blocks, event->key) != NULL;
    if (known) {
        step->ended = held_of(follow, replay, event->key);
    }
    if (begins || (moves && known && key != event->key)) {
        step->dropped = held_of(follow, replay, key);
    }
    const hs_lab_summary_t then = replay->summary;
    const hs_status_t status = hs_replay_events(replay, number, event, 1);
    step->outcome = outcome(event, &then, &replay->summary);
    if (status == HS_OK && (begins || (moves && known)) &&
        !keep(follow, replay, key, event, number, step)) {
        return HS_ERR_MEMORY;
    }
    return status;
}
