/*
 * Blocks and bins of TLSF, for the files of the block layer only.
 *
 *     block + 0    address of the physically previous block; part of that block's payload, valid
 *                  only while that block is free
 *     block + 4    payload size; bit 0: this block is free, bit 1: the previous one is
 *     block + 8    payload; in a free block the address of the next free block of the bin
 *     block + 12   in a free block the address of the previous free block of the bin
 *
 * The physically next block is at block + 4 + size.
 */
#ifndef HEAPSCOPE_MODELS_TLSF_BLOCK_H
#define HEAPSCOPE_MODELS_TLSF_BLOCK_H

#include "bits.h"
#include "region.h"
#include "tlsf.h"

#define TLSF_SIZE UINT32_C(4)
#define TLSF_NEXT_FREE UINT32_C(8)
#define TLSF_PREVIOUS_FREE UINT32_C(12)
#define TLSF_PAYLOAD UINT32_C(8)

#define TLSF_OVERHEAD UINT32_C(4)   /* what a block costs beside its payload */
#define TLSF_STRUCTURE UINT32_C(16) /* a free block with all its words */
#define TLSF_SIZE_MIN UINT32_C(12)  /* the smallest payload: two links and the back link */

#define TLSF_BINS_LOG2_MIN UINT32_C(3) /* of a level's bins; 5 at most */

#define TLSF_IS_FREE UINT32_C(1)
#define TLSF_AFTER_FREE UINT32_C(2)

static inline uint32_t tlsf_size_word(const hs_tlsf_t *tlsf, uint32_t block)
{
    return hs_region_get(&tlsf->heap, block + TLSF_SIZE);
}

static inline uint32_t tlsf_size(const hs_tlsf_t *tlsf, uint32_t block)
{
    return hs_bits_down4(tlsf_size_word(tlsf, block));
}

static inline void tlsf_set_size_word(const hs_tlsf_t *tlsf, uint32_t block, uint32_t word)
{
    hs_region_put(&tlsf->heap, block + TLSF_SIZE, word);
}

static inline uint32_t tlsf_next(uint32_t block, uint32_t size)
{
    return block + TLSF_OVERHEAD + size;
}

/* log2 of the width of the bin of `size`. Small ones, with one size each, are 4 wide like those of the
 * level above them, so they need no case of their own. */
static inline uint32_t tlsf_width_log2(const hs_tlsf_t *tlsf, uint32_t size)
{
    return hs_bits_highest(size | tlsf->small) - tlsf->bins_log2;
}

/* Bins are numbered through: first level times bins per level plus second level. */
static inline uint32_t tlsf_bin_of_width(const hs_tlsf_t *tlsf, uint32_t size, uint32_t width_log2)
{
    return ((width_log2 - 2) << tlsf->bins_log2) + (size >> width_log2);
}

static inline uint32_t tlsf_bin(const hs_tlsf_t *tlsf, uint32_t size)
{
    return tlsf_bin_of_width(tlsf, size, tlsf_width_log2(tlsf, size));
}

static inline uint32_t tlsf_fl(const hs_tlsf_t *tlsf, uint32_t bin)
{
    return bin >> tlsf->bins_log2;
}

static inline uint32_t tlsf_sl(const hs_tlsf_t *tlsf, uint32_t bin)
{
    return bin & ((UINT32_C(1) << tlsf->bins_log2) - 1);
}

static inline uint32_t tlsf_sl_bitmap_at(const hs_tlsf_t *tlsf, uint32_t fl)
{
    return tlsf->sl_bitmaps + 4 * fl;
}

static inline uint32_t tlsf_head_at(const hs_tlsf_t *tlsf, uint32_t bin)
{
    return tlsf->heads + 4 * bin;
}

/* The smallest size in a bin. */
static inline uint32_t tlsf_bin_floor(const hs_tlsf_t *tlsf, uint32_t fl, uint32_t sl)
{
    return fl == 0 ? sl << 2 : (sl + (UINT32_C(1) << tlsf->bins_log2)) << (fl + 1);
}

#endif
