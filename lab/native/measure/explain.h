/* One event in full: what it asked, what every region had before it, where its block is after it. */
#ifndef HEAPSCOPE_NATIVE_EXPLAIN_H
#define HEAPSCOPE_NATIVE_EXPLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "chip/chip.h"
#include "heapscope/trace.h"
#include "rows/replay.h"

typedef struct hs_explain {
    hs_lab_explanation_t event;
    hs_lab_explanation_region_t region[HS_LAB_REGIONS_MAX];
} hs_explain_t;

/* The event is about to happen; `block` is what it names, NULL: nothing live. Requests only: any
 * other event is not explained. */
void hs_explain_before(hs_explain_t *explain, const hs_chip_t *chip, const hs_event_t *event,
                       const hs_request_t *request, const hs_block_t *block);
/* It has happened; `block` is its block now, NULL: none. */
void hs_explain_after(hs_explain_t *explain, const hs_chip_t *chip, const hs_block_t *block);

#endif
