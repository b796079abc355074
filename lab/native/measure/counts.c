#include "measure/counts.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 256u

void hs_counts_free(hs_counts_t *counts)
{
    free(counts->rows);
    free(counts->slots);
    memset(counts, 0, sizeof *counts);
}

/* The slot of the row, or the empty one where it belongs. */
static size_t slot_of(const hs_counts_t *counts, uint32_t task, uint32_t site)
{
    const uint64_t key = ((uint64_t)task << 32 | site) * UINT64_C(0x9E3779B97F4A7C15);
    size_t slot = (size_t)((key ^ key >> 29) * UINT64_C(0x9E3779B97F4A7C15) >> 16);
    for (slot &= counts->slot_mask; counts->slots[slot] != 0;
         slot = (slot + 1) & counts->slot_mask) {
        const hs_lab_holder_row_t *row = &counts->rows[counts->slots[slot] - 1].row;
        if (row->task == task && row->site == site) {
            break;
        }
    }
    return slot;
}

/* Twice the slots; half of them become rows at the most. */
static bool grow(hs_counts_t *counts)
{
    const size_t slots = counts->slots == NULL ? SLOTS_FIRST : (counts->slot_mask + 1) * 2;
    hs_counts_row_t *rows = realloc(counts->rows, slots / 2 * sizeof *rows);
    if (rows == NULL) {
        return false;
    }
    counts->rows = rows;
    uint32_t *table = slots > UINT32_MAX ? NULL : calloc(slots, sizeof *table);
    if (table == NULL) {
        return false;
    }
    free(counts->slots);
    counts->slots = table;
    counts->slot_mask = slots - 1;
    counts->capacity = slots / 2;
    for (size_t i = 0; i < counts->count; i++) {
        table[slot_of(counts, rows[i].row.task, rows[i].row.site)] = (uint32_t)(i + 1);
    }
    return true;
}

hs_counts_row_t *hs_counts_find(const hs_counts_t *counts, uint32_t task, uint32_t site)
{
    if (counts->slots == NULL) {
        return NULL;
    }
    const uint32_t found = counts->slots[slot_of(counts, task, site)];
    return found == 0 ? NULL : &counts->rows[found - 1];
}

hs_counts_row_t *hs_counts_row(hs_counts_t *counts, uint32_t task, uint32_t site)
{
    if (counts->count == counts->capacity && !grow(counts)) {
        return NULL;
    }
    const size_t slot = slot_of(counts, task, site);
    if (counts->slots[slot] == 0) {
        counts->rows[counts->count++] = (hs_counts_row_t){.row = {.task = task, .site = site}};
        counts->slots[slot] = (uint32_t)counts->count;
    }
    return &counts->rows[counts->slots[slot] - 1];
}
