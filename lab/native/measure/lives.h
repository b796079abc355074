/*
 * How long blocks lived, coarsely: for each task and site, the freed blocks counted by the stretch
 * of an axis that they were born in and the stretch that they were freed in. Only combinations that occur take
 * memory. Add: O(1) expected.
 */
#ifndef HEAPSCOPE_NATIVE_LIVES_H
#define HEAPSCOPE_NATIVE_LIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/trace.h"

typedef struct hs_lives {
    hs_lab_life_row_t *rows;
    size_t count, capacity;
    uint32_t *slots; /* index of a row plus 1; 0: an empty slot */
    size_t slot_mask;
    bool failed; /* the host had no memory: rows are missing */
} hs_lives_t;

void hs_lives_free(hs_lives_t *lives);
/* Blocks of this task and site were born in one stretch and freed in the other. */
void hs_lives_add(hs_lives_t *lives, const hs_lab_life_row_t *life);

#endif
