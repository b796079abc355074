/* The 16-bit words of a region, for allocators with fields of that size; rules as in region.h. */
#ifndef HEAPSCOPE_MODELS_REGION_HALF_H
#define HEAPSCOPE_MODELS_REGION_HALF_H

#include "model.h"

static inline uint32_t hs_region_get_half(const hs_sim_t *heap, uint32_t at)
{
    return heap->mem[at] | (uint32_t)heap->mem[at + 1] << 8;
}

/* The upper half of `half` is dropped. */
static inline void hs_region_put_half(hs_sim_t *heap, uint32_t at, uint32_t half)
{
    heap->mem[at] = (uint8_t)half;
    heap->mem[at + 1] = (uint8_t)(half >> 8);
}

#endif
