/*
 * Failed allocations: how many in each of equal spans of heap events, and a sample in full, with every
 * region as it stood. Up to HS_LAB_FAILURES_MAX the sample has all of them; of more it keeps the first
 * and the largest of each span of `apart` events, so that it is spread over the run.
 */
#ifndef HEAPSCOPE_NATIVE_FAILURES_H
#define HEAPSCOPE_NATIVE_FAILURES_H

#include <stddef.h>
#include <stdint.h>

#include "chip/chip.h"
#include "rows/replay.h"

typedef struct hs_failures {
    hs_lab_failure_row_t *rows;       /* the sample, by event */
    hs_lab_failure_region_t *regions; /* per row, one for each region of the layout */
    uint32_t region_count;
    uint32_t kept;
    uint64_t apart; /* a power of two */
    uint64_t seen;
    uint64_t first_event;
    uint64_t width;                                    /* events a span, a power of two */
    hs_lab_failure_span_t spans[HS_LAB_FAILURE_SPANS]; /* their counts; from event 0 on */
} hs_failures_t;

void hs_failures_init(hs_failures_t *failures, uint32_t region_count);
void hs_failures_free(hs_failures_t *failures);
/* `requested`: the regions that might have served it, by bit. Events do not go down. Without host memory
 * the failure is counted but not kept. */
void hs_failures_add(hs_failures_t *failures, const hs_chip_t *chip,
                     const hs_lab_failure_row_t *row, uint32_t requested);
/* The spans from event 0 to `end`; their counts sum to `seen`. None where nothing failed. */
size_t hs_failures_spans(const hs_failures_t *failures, uint64_t end, hs_lab_failure_span_t *rows,
                         size_t capacity);

#endif
