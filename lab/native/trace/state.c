/*
 * A hash table of addresses. While a snapshot is taken it also keeps which addresses events named since
 * it began, and which it told; at its end the two make the new state.
 */
#include "state_table.h"

#include <stdlib.h>

#define SAMPLED_MIX UINT32_C(2654435761)
#define PLACES_FIRST 1024u

hs_state_t *hs_state_new(bool known)
{
    hs_state_t *state = calloc(1, sizeof *state);
    if (state == NULL) {
        return NULL;
    }
    state->places = calloc(PLACES_FIRST, sizeof *state->places);
    if (state->places == NULL) {
        free(state);
        return NULL;
    }
    state->mask = PLACES_FIRST - 1;
    state->figures.known = known;
    state->kinds_known = known;
    return state;
}

void hs_state_delete(hs_state_t *state)
{
    if (state != NULL) {
        free(state->places);
        free(state);
    }
}

void hs_state_shift(hs_state_t *state, unsigned shift)
{
    state->shift = shift;
}

/* ---- changes ---- */

static void end_life(hs_state_t *state, hs_place_t *place)
{
    if (place->live) {
        place->live = 0;
        state->figures.blocks--;
        state->figures.bytes -= place->block.size;
    }
}

static void begin_life(hs_state_t *state, hs_place_t *place, const hs_state_block_t *block)
{
    end_life(state, place);
    place->block = *block;
    place->live = 1;
    place->reported_alone = 0;
    state->figures.blocks++;
    state->figures.bytes += block->size;
}

static void forget(hs_state_t *state)
{
    for (size_t i = 0; i <= state->mask; i++) {
        state->places[i] = (hs_place_t){0};
    }
    state->count = 0;
    state->figures.blocks = 0;
    state->figures.bytes = 0;
}

static void window_void(hs_state_t *state)
{
    state->figures.voids += state->taking;
    state->taking = false;
}

/* Events are missing here. */
static void lose(hs_state_t *state)
{
    window_void(state);
    if (state->figures.known) {
        forget(state);
    }
    state->figures.known = false;
}

static bool sampled(const hs_state_t *state, uint64_t address)
{
    const uint32_t mixed = (uint32_t)(address >> state->shift) * SAMPLED_MIX;
    return (mixed & ~(UINT32_MAX >> state->figures.sampling)) == 0;
}

static bool on_record(const hs_state_t *state, uint64_t address)
{
    return state->figures.level != 2 || sampled(state, address);
}

/* ---- heap events ---- */

static void touch(const hs_state_t *state, hs_place_t *place)
{
    if (state->taking) {
        place->touched = state->window;
    }
}

static hs_status_t allocated(hs_state_t *state, const hs_event_t *event, uint64_t address)
{
    hs_place_t *place = on_record(state, address) ? hs_state_place_make(state, address) : NULL;
    if (place == NULL) {
        return on_record(state, address) ? HS_ERR_MEMORY : HS_OK;
    }
    const hs_state_block_t block = {address,     event->size, event->task, event->caps,
                                    event->site, event->heap, true,        false};
    touch(state, place);
    if (state->figures.known) {
        /* A block of which a snapshot alone told may be this one, whose event was late. */
        state->figures.overlaps += place->live && !place->reported_alone;
        begin_life(state, place, &block);
    } else {
        place->block = block; /* it counts when the snapshot ends */
        place->live = 1;
    }
    return HS_OK;
}

static hs_status_t freed(hs_state_t *state, uint64_t address)
{
    if (!state->taking) {
        hs_place_t *match = hs_state_place_at(state->places, state->mask, address);
        if (match->used && match->live) {
            end_life(state, match);
        } else {
            state->figures.unknown_frees += on_record(state, address);
        }
        return HS_OK;
    }
    hs_place_t *place = hs_state_place_make(state, address);
    if (place == NULL) {
        return HS_ERR_MEMORY;
    }
    if (state->figures.known) {
        state->figures.unknown_frees += !place->live && on_record(state, address);
        end_life(state, place);
    }
    place->live = 0;
    touch(state, place);
    return HS_OK;
}

static hs_status_t moved(hs_state_t *state, const hs_event_t *event)
{
    const hs_place_t *before = hs_state_place_at(state->places, state->mask, event->key);
    const bool was = before->used && before->live;
    if (!was && state->figures.known && !state->taking &&
        (state->figures.filtered || !on_record(state, event->new_key))) {
        return HS_OK; /* a block that is not on record stays off it */
    }
    const hs_status_t status = event->new_key == event->key ? HS_OK : freed(state, event->key);
    if (status != HS_OK) {
        return status;
    }
    if (event->new_key == event->key && was && state->figures.known) {
        end_life(state, hs_state_place_at(state->places, state->mask, event->key)); /* no overlap */
    }
    return allocated(state, event, event->new_key);
}

/* ---- snapshots ---- */

static void snapshot_begin(hs_state_t *state, const hs_event_t *event)
{
    window_void(state);
    if (!state->figures.known) {
        forget(state);
    }
    state->taking = true;
    state->snapshot = event->key;
    state->window++;
    state->reported_blocks = 0;
    state->reported_bytes = 0;
}

static hs_status_t block_reported(hs_state_t *state, const hs_event_t *event)
{
    if (!state->taking || event->new_key != state->snapshot) {
        return HS_OK;
    }
    state->reported_blocks++;
    state->reported_bytes += event->size;
    hs_place_t *place = hs_state_place_make(state, event->key);
    if (place == NULL) {
        return HS_ERR_MEMORY;
    }
    place->reported = state->window;
    place->reported_block = (hs_state_block_t){
        event->key, event->size, event->task, event->caps, event->site, 0, event->align_log2 != 0,
        true};
    return HS_OK;
}

/* An address that no event has named since the snapshot began: it is what the snapshot says. */
static void settle(hs_state_t *state, hs_place_t *place)
{
    const bool reported =
        place->reported == state->window && on_record(state, place->block.address);
    if (state->figures.known && reported != (place->live != 0)) {
        state->figures.corrections++;
    }
    if (!reported) {
        end_life(state, place);
    } else if (!place->live) {
        begin_life(state, place, &place->reported_block);
        place->reported_alone = 1;
    }
}

static void snapshot_end(hs_state_t *state, const hs_event_t *event)
{
    if (!state->taking || event->key != state->snapshot ||
        event->new_key != state->reported_blocks ||
        (uint32_t)event->size != (uint32_t)state->reported_bytes) {
        window_void(state);
        return;
    }
    for (size_t i = 0; i <= state->mask; i++) {
        hs_place_t *place = &state->places[i];
        if (!place->used) {
            continue;
        }
        if (place->touched != state->window) {
            settle(state, place);
        } else if (!state->figures.known && place->live) {
            state->figures.blocks++;
            state->figures.bytes += place->block.size;
        }
    }
    state->taking = false;
    state->figures.known = state->figures.level != 3;
    state->figures.snapshots++;
}

/* ---- levels ---- */

static void level_taken(hs_state_t *state, const hs_event_t *event)
{
    const bool was_whole = state->figures.level < 2 && !state->figures.filtered;
    state->figures.level = (uint32_t)event->key;
    state->figures.sampling = event->align_log2 < 32u ? event->align_log2 : 31u;
    state->figures.filtered =
        event->size != 0 || event->new_key != 0 || event->site != 0 || event->caps != 0;
    if (state->figures.level > 2) {
        lose(state);
    } else if (state->figures.level == 2) {
        window_void(state);
        for (size_t i = 0; i <= state->mask; i++) {
            if (state->places[i].used && !sampled(state, state->places[i].block.address)) {
                end_life(state, &state->places[i]);
            }
        }
    } else if (!was_whole && !state->figures.filtered) {
        lose(state); /* what was left out is not known */
    }
}

/* ---- losses ---- */

/* Events that level and filter leave out are reported so, too; the blocks on record stay known. After a gap it is
 * not known how many of them are of this LOST, until a list of all kinds was read. */
static void lost_taken(hs_state_t *state, const hs_event_t *event)
{
    if (event->size != 0 && (!state->kinds_known || state->left_out < event->size)) {
        lose(state);
    }
    state->left_out = 0;
}

static void lost_kind_taken(hs_state_t *state, const hs_event_t *event)
{
    uint32_t events, bytes;
    const bool taken = hs_lost_kinds_take(&state->kinds, event, &events, &bytes);
    if (hs_lost_kinds_whole(event)) {
        state->kinds_known = true;
        state->left_out = 0;
    } else if (taken && event->key == HS_LOST_LEFT_OUT) {
        state->left_out = events;
    }
}

static hs_status_t take(hs_state_t *state, const hs_event_t *event)
{
    switch (event->kind) {
    case HS_EVENT_MALLOC:
    case HS_EVENT_CALLOC:
    case HS_EVENT_ALIGNED:
        return allocated(state, event, event->key);
    case HS_EVENT_REALLOC:
        return moved(state, event);
    case HS_EVENT_FREE:
        return freed(state, event->key);
    case HS_EVENT_LOST:
        lost_taken(state, event);
        return HS_OK;
    case HS_EVENT_LOST_KIND:
        lost_kind_taken(state, event);
        return HS_OK;
    case HS_EVENT_LEVEL:
        level_taken(state, event);
        return HS_OK;
    case HS_EVENT_PAIRS:
        state->figures.pairs += event->key;
        return HS_OK;
    case HS_EVENT_SNAPSHOT:
        snapshot_begin(state, event);
        return HS_OK;
    case HS_EVENT_LIVE:
        return block_reported(state, event);
    case HS_EVENT_SNAPSHOT_END:
        snapshot_end(state, event);
        return HS_OK;
    default:
        return HS_OK;
    }
}

hs_status_t hs_state_events(hs_state_t *state, uint64_t gaps, const hs_event_t *events,
                            size_t count)
{
    if (gaps != state->gaps) {
        state->gaps = gaps;
        state->kinds_known = false;
        lose(state);
    }
    for (size_t i = 0; i < count; i++) {
        if (!state->figures.known && !state->taking && HS_EVENT_IS_HEAP(events[i].kind)) {
            continue;
        }
        const hs_status_t status = take(state, &events[i]);
        if (status != HS_OK) {
            return status;
        }
    }
    return HS_OK;
}

/* ---- what is known ---- */

void hs_state_figures(const hs_state_t *state, hs_state_figures_t *out)
{
    *out = state->figures;
    if (!out->known) {
        out->blocks = 0;
        out->bytes = 0;
    }
}

bool hs_state_next(const hs_state_t *state, size_t *at, hs_state_block_t *out)
{
    while (state->figures.known && *at <= state->mask) {
        const hs_place_t *place = &state->places[(*at)++];
        if (place->used && place->live) {
            *out = place->block;
            return true;
        }
    }
    return false;
}

bool hs_state_find(const hs_state_t *state, uint64_t address, hs_state_block_t *out)
{
    const hs_place_t *place = hs_state_place_at(state->places, state->mask, address);
    if (!state->figures.known || !place->used || !place->live) {
        return false;
    }
    *out = place->block;
    return true;
}
