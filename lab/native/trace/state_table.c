#include "state_table.h"

#include <stdlib.h>

static size_t hash_of(uint64_t address)
{
    return (size_t)((address >> 2) * UINT64_C(0x9E3779B97F4A7C15) >> 20);
}

/* The place of an address, or the free one where it would lie. Bound: a table is never full. */
hs_place_t *hs_state_place_at(hs_place_t *places, size_t mask, uint64_t address)
{
    size_t at = hash_of(address) & mask;
    while (places[at].used && places[at].block.address != address) {
        at = (at + 1) & mask;
    }
    return &places[at];
}

/* Moves all places that matter into a table of that many. */
static hs_status_t table_make(hs_state_t *state, size_t size)
{
    hs_place_t *built = calloc(size, sizeof *built);
    if (built == NULL) {
        return HS_ERR_MEMORY;
    }
    size_t count = 0;
    for (size_t i = 0; i <= state->mask; i++) {
        const hs_place_t *place = &state->places[i];
        const bool matters = place->live || (state->taking && (place->touched == state->window ||
                                                               place->reported == state->window));
        if (place->used && matters) {
            *hs_state_place_at(built, size - 1, place->block.address) = *place;
            count++;
        }
    }
    free(state->places);
    state->places = built;
    state->mask = size - 1;
    state->count = count;
    return HS_OK;
}

/* The place of an address, made if missing. NULL: no host memory. */
hs_place_t *hs_state_place_make(hs_state_t *state, uint64_t address)
{
    hs_place_t *place = hs_state_place_at(state->places, state->mask, address);
    if (place->used) {
        return place;
    }
    if (state->count * 2 > state->mask) {
        const uint64_t live = state->figures.blocks + state->reported_blocks;
        const size_t size = live * 4 > state->mask ? (state->mask + 1) * 2 : state->mask + 1;
        if (table_make(state, size) != HS_OK) {
            return NULL;
        }
        if (state->count * 2 > state->mask && table_make(state, (state->mask + 1) * 2) != HS_OK) {
            return NULL;
        }
        place = hs_state_place_at(state->places, state->mask, address);
    }
    *place = (hs_place_t){.used = 1, .block = {.address = address}};
    state->count++;
    return place;
}
