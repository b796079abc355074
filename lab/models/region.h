/*
 * The words of a region, as the chip would hold them: little endian, links as chip addresses, so
 * that `mem` is word for word what a memory dump of the chip shows. Positions are offsets from the
 * region's start and may have any alignment on the host. Callers guarantee that they are inside.
 */
#ifndef HEAPSCOPE_MODELS_REGION_H
#define HEAPSCOPE_MODELS_REGION_H

#include <string.h>

#include "model.h"

#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#define HS_REGION_SWAPPED (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#else
#define HS_REGION_SWAPPED 0
#endif

static inline uint32_t hs_region_order(uint32_t word)
{
#if HS_REGION_SWAPPED
    word = (word << 16) | (word >> 16);
    return ((word & UINT32_C(0x00FF00FF)) << 8) | ((word >> 8) & UINT32_C(0x00FF00FF));
#else
    return word;
#endif
}

static inline uint32_t hs_region_get(const hs_sim_t *heap, uint32_t at)
{
    uint32_t word;
    memcpy(&word, heap->mem + at, sizeof word);
    return hs_region_order(word);
}

static inline void hs_region_put(const hs_sim_t *heap, uint32_t at, uint32_t word)
{
    word = hs_region_order(word);
    memcpy(heap->mem + at, &word, sizeof word);
}

/* A link is stored as a chip address and used as an offset. */
static inline uint32_t hs_region_get_link(const hs_sim_t *heap, uint32_t at)
{
    return hs_region_get(heap, at) - heap->base;
}

static inline void hs_region_put_link(const hs_sim_t *heap, uint32_t at, uint32_t target)
{
    hs_region_put(heap, at, target + heap->base);
}

/* The low-water marks of the true free bytes. */
static inline void hs_region_note_low(hs_sim_t *heap)
{
    hs_tally_t *tally = &heap->tally;
    if (tally->free < tally->lowest_free) {
        tally->lowest_free = tally->free;
        if (tally->free < tally->minimum_free) {
            tally->minimum_free = tally->free;
        }
    }
}

#endif
