/*
 * malloc and free of ESP-IDF's TLSF with the counters of its release, of which a caller makes a copy: idf_tlsf.c for
 * all, the loop of a replay for the usual heap, so that an event of it calls nothing.
 */
#ifndef HEAPSCOPE_MODELS_IDF_INLINE_H
#define HEAPSCOPE_MODELS_IDF_INLINE_H

#include "heapscope/assert.h"
#include "region.h"
#include "tlsf.h"
#include "tlsf_inline.h"

#define IDF_FREE_AT UINT32_C(4)
#define IDF_MINIMUM_AT UINT32_C(8)

static inline hs_tlsf_t *idf_tlsf_of(hs_sim_t *heap)
{
    return (hs_tlsf_t *)heap;
}

static inline const hs_tlsf_t *idf_tlsf_of_const(const hs_sim_t *heap)
{
    return (const hs_tlsf_t *)heap;
}

/* ---- the release's own counters ------------------------------------------------------------------
 * Its count of free bytes begins with the whole pool, its first header, sentinel and rounding
 * included. The headers of free blocks are never taken off. */

static HS_INLINE_FOR_CALLER uint32_t idf_counted_free(const hs_sim_t *heap)
{
    const hs_tlsf_t *tlsf = idf_tlsf_of_const(heap);
    return tlsf->pool_size - heap->tally.used - tlsf->counted_header * heap->tally.used_blocks;
}

static HS_INLINE_FOR_CALLER void idf_count(hs_sim_t *heap)
{
    hs_region_put(heap, IDF_FREE_AT, idf_counted_free(heap));
}

/* The minimum is looked at after what may take memory. Inner steps of an operation are not counted:
 * it misses the moment of a realloc at which both blocks exist. */
static HS_INLINE_FOR_CALLER uint32_t idf_counted(hs_sim_t *heap, uint32_t result)
{
    if (result != HS_NONE) {
        const uint32_t free = idf_counted_free(heap);
        hs_region_put(heap, IDF_FREE_AT, free);
        if (free < hs_region_get(heap, IDF_MINIMUM_AT)) {
            hs_region_put(heap, IDF_MINIMUM_AT, free);
        }
    }
    return result;
}

/* ---- the two, for a heap of which hs_idf_inline() gives the bins ----------------------------------- */

/* log2 of the bins a level of a heap with a control structure by its size and nothing put around blocks; 0:
 * any other heap. */
uint32_t hs_idf_inline(const hs_sim_t *heap);

/* The largest request that the two take. */
static inline uint32_t hs_idf_inline_most(const hs_sim_t *heap)
{
    return tlsf_known(idf_tlsf_of_const(heap));
}

/* The headers that the count of free bytes goes down by, for each used block of such a heap. */
#define IDF_INLINE_HEADER UINT32_C(4)

/* A caller's loop keeps this of such a heap, best in registers. */
static HS_INLINE_FOR_CALLER tlsf_at_t hs_idf_inline_at(const hs_sim_t *heap, uint32_t bins_log2)
{
    return tlsf_at_of(idf_tlsf_of_const(heap), bins_log2, true);
}

/* hs_sim_malloc and hs_sim_free of such a heap, of 1 to hs_idf_inline_most() bytes, but for its low-water marks,
 * which its caller keeps. */
static HS_INLINE_FOR_CALLER tlsf_given_t hs_idf_inline_malloc(hs_sim_t *heap, const tlsf_at_t *at,
                                                              uint32_t size)
{
    const tlsf_given_t given = tlsf_malloc_known(idf_tlsf_of(heap), at, size);
    if (given.offset != HS_NONE) {
        const uint32_t free = word_get(at->mem + IDF_FREE_AT) - given.size - IDF_INLINE_HEADER;
        HS_ASSERT(free == idf_counted_free(heap));
        word_put(at->mem + IDF_FREE_AT, free);
        if (free < word_get(at->mem + IDF_MINIMUM_AT)) {
            word_put(at->mem + IDF_MINIMUM_AT, free);
        }
    }
    return given;
}

static HS_INLINE_FOR_CALLER void hs_idf_inline_free(hs_sim_t *heap, const tlsf_at_t *at,
                                                    uint32_t offset)
{
    const uint32_t size = tlsf_free_with(idf_tlsf_of(heap), at, offset);
    const uint32_t free = word_get(at->mem + IDF_FREE_AT) + size + IDF_INLINE_HEADER;
    HS_ASSERT(free == idf_counted_free(heap));
    word_put(at->mem + IDF_FREE_AT, free);
}

#endif
