/*
 * How many blocks each task and site allocated and freed, in the order in which they first came. Find:
 * O(1) expected.
 */
#ifndef HEAPSCOPE_NATIVE_COUNTS_H
#define HEAPSCOPE_NATIVE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/trace.h"

typedef struct hs_counts_row {
    hs_lab_holder_row_t row;
    uint64_t allocated; /* so far */
    uint64_t others;    /* of the interval, by others before its last allocation */
    uint64_t
        enlarged; /* of those that it freed in the interval, by a realloc of its own to a larger one */
} hs_counts_row_t;

typedef struct hs_counts {
    hs_counts_row_t *rows;
    size_t count, capacity;
    uint32_t *slots; /* index of a row plus 1; 0: an empty slot */
    size_t slot_mask;
} hs_counts_t;

void hs_counts_free(hs_counts_t *counts);
/* Its row, which may be a new one. NULL: the host has no memory. */
hs_counts_row_t *hs_counts_row(hs_counts_t *counts, uint32_t task, uint32_t site);
/* Its row; NULL: it has not come yet. */
hs_counts_row_t *hs_counts_find(const hs_counts_t *counts, uint32_t task, uint32_t site);
#endif
