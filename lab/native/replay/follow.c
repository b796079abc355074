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

/* False: no block is live under the key. */
static bool look_up(const hs_follow_t *follow, const hs_replay_t *replay, uint64_t key,
                    hs_held_t *out)
{
    const hs_block_t *block = hs_blocks_find(&replay->blocks, key);
    if (block != NULL) {
        *out = follow->held[block - replay->blocks.records];
    }
    return block != NULL;
}

/* Ids go up, so one beyond all others is new, and need not be looked for. */
static bool is_new(const hs_replay_t *replay, uint64_t key)
{
    return !replay->by_address && key >= replay->next_key && key != UINT64_MAX;
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
        step->ended.live = false;
    }
    return true;
}

/* ---- was it served? ----------------------------------------------------------------------------- */

/* The counters of a summary that tell. */
typedef struct hs_counted {
    uint64_t failures, skipped, unknown, refused, zero;
} hs_counted_t;

static hs_counted_t counted(const hs_lab_summary_t *summary)
{
    const hs_counted_t counters = {.failures = summary->failures,
                                   .skipped = summary->skipped,
                                   .unknown = summary->unknown_frees + summary->double_frees +
                                              summary->dead_reallocs,
                                   .refused = summary->refused_reallocs,
                                   .zero = summary->zero_requests};
    return counters;
}

static uint32_t outcome(const hs_event_t *event, const hs_counted_t *then, const hs_counted_t *now)
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
    if (now->unknown != then->unknown) {
        return HS_LAB_OUTCOME_UNKNOWN;
    }
    if (now->refused != then->refused) {
        return HS_LAB_OUTCOME_REFUSED;
    }
    /* A realloc to 0 is a free. */
    const bool zero = now->zero != then->zero;
    return zero && event->kind != HS_EVENT_REALLOC ? HS_LAB_OUTCOME_ZERO : HS_LAB_OUTCOME_OK;
}

hs_status_t hs_follow_event(hs_follow_t *follow, hs_replay_t *replay, const hs_event_t *event,
                            uint64_t number, hs_step_t *step)
{
    const bool moves = event->kind == HS_EVENT_REALLOC && event->size != 0;
    const bool ends = event->kind == HS_EVENT_FREE || event->kind == HS_EVENT_REALLOC;
    const bool begins = event->kind <= HS_EVENT_ALIGNED;
    const uint64_t key = moves ? event->new_key : event->key;
    step->number = number;
    step->dropped.live = step->begun.live = step->ended.live = false;
    if (!reserve(follow, replay->blocks.used + 1)) {
        return HS_ERR_MEMORY;
    }
    const bool known = ends && look_up(follow, replay, event->key, &step->ended);
    if ((begins && !is_new(replay, key)) || (moves && known && key != event->key)) {
        look_up(follow, replay, key, &step->dropped);
    }
    const hs_counted_t then = counted(&replay->summary);
    uint64_t next = number;
    const hs_status_t status = hs_replay_one(replay, event, &next);
    const hs_counted_t now = counted(&replay->summary);
    step->outcome = outcome(event, &then, &now);
    if (status == HS_OK && (begins || (moves && known)) &&
        !keep(follow, replay, key, event, number, step)) {
        return HS_ERR_MEMORY;
    }
    return status;
}
