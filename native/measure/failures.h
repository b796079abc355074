/*
 * Failed allocations: the first HS_LAB_FAILURES_MAX in full, with every region as it stood.
 */
#ifndef HEAPSCOPE_NATIVE_FAILURES_H
#define HEAPSCOPE_NATIVE_FAILURES_H

#include <stddef.h>
#include <stdint.h>

#include "lab/lab.h"
#include "replay/chip.h"

typedef struct hs_failures {
    hs_lab_failure_row_t *rows;
    hs_lab_failure_region_t *regions; /* per row, one for each region of the layout */
    uint32_t region_count;
    uint32_t kept;
    uint64_t seen;
    uint64_t first_event;
} hs_failures_t;

void hs_failures_init(hs_failures_t *failures, uint32_t region_count);
void hs_failures_free(hs_failures_t *failures);
/* `asked`: the regions that might have served it, by bit. Without host memory the failure is counted
 * but not kept. */
void hs_failures_add(hs_failures_t *failures, const hs_chip_t *regions,
                     const hs_lab_failure_row_t *row, uint32_t asked);

#endif
