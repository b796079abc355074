/* The sums that the integrity check of a model makes on its way through the blocks, and its report. */
#ifndef HEAPSCOPE_MODELS_SEEN_H
#define HEAPSCOPE_MODELS_SEEN_H

#include "model.h"

static inline hs_status_t hs_seen_fault(uint32_t at, uint32_t *where)
{
    *where = at;
    return HS_ERR_CORRUPT;
}

static inline void hs_seen_add(hs_tally_t *seen, uint32_t payload, bool used)
{
    if (used) {
        seen->used += payload;
        seen->used_blocks++;
    } else {
        seen->free += payload;
        seen->free_blocks++;
    }
}

static inline bool hs_seen_agrees(const hs_tally_t *tally, const hs_tally_t *seen)
{
    return tally->used == seen->used && tally->free == seen->free &&
           tally->used_blocks == seen->used_blocks && tally->free_blocks == seen->free_blocks &&
           tally->minimum_free <= tally->free;
}

#endif
