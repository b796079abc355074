#include "measure/lives.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 1024u

void hs_lives_free(hs_lives_t *lives)
{
    free(lives->rows);
    free(lives->slots);
    memset(lives, 0, sizeof *lives);
}

static bool same(const hs_lab_life_row_t *a, const hs_lab_life_row_t *b)
{
    return a->task == b->task && a->site == b->site && a->born == b->born && a->freed == b->freed &&
           a->axis == b->axis;
}

static uint64_t mixed(uint64_t value)
{
    value *= UINT64_C(0x9E3779B97F4A7C15);
    return value ^ value >> 29;
}

/* The slot of the row, or the empty one where it belongs. */
static size_t slot_of(const hs_lives_t *lives, const hs_lab_life_row_t *life)
{
    const uint64_t who = mixed(((uint64_t)life->task << 32 | life->site) + life->axis);
    size_t slot = (size_t)(mixed(who + ((uint64_t)life->born << 32 | life->freed)) >> 16);
    for (slot &= lives->slot_mask; lives->slots[slot] != 0; slot = (slot + 1) & lives->slot_mask) {
        if (same(&lives->rows[lives->slots[slot] - 1], life)) {
            break;
        }
    }
    return slot;
}

/* Twice the slots; half of them become rows at the most. */
static bool grow(hs_lives_t *lives)
{
    const size_t slots = lives->slots == NULL ? SLOTS_FIRST : (lives->slot_mask + 1) * 2;
    hs_lab_life_row_t *rows = realloc(lives->rows, slots / 2 * sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    lives->rows = rows;
    uint32_t *table = slots > UINT32_MAX ? NULL : calloc(slots, sizeof *table);
    if (table == NULL) {
        return false;
    }
    free(lives->slots);
    lives->slots = table;
    lives->slot_mask = slots - 1;
    lives->capacity = slots / 2;
    for (size_t i = 0; i < lives->count; i++) {
        table[slot_of(lives, &rows[i])] = (uint32_t)(i + 1);
    }
    return true;
}

void hs_lives_add(hs_lives_t *lives, const hs_lab_life_row_t *life)
{
    if (lives->failed || (lives->count == lives->capacity && !grow(lives))) {
        lives->failed = true;
        return;
    }
    const size_t slot = slot_of(lives, life);
    if (lives->slots[slot] == 0) {
        lives->rows[lives->count++] = *life;
        lives->slots[slot] = (uint32_t)lives->count;
        return;
    }
    hs_lab_life_row_t *row = &lives->rows[lives->slots[slot] - 1];
    row->blocks += life->blocks;
    row->bytes += life->bytes;
}
