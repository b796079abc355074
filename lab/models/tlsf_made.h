/*
 * malloc and free of TLSF, of which a caller makes a copy for a number of bins and a place of the tables
 * that it knows: tlsf.c for each usual one, idf_made.h for a caller that knows the release, too.
 */
#ifndef HEAPSCOPE_MODELS_TLSF_MADE_H
#define HEAPSCOPE_MODELS_TLSF_MADE_H

#include "tlsf_bins.h"
#include "tlsf_block.h"

/* ---- blocks ----------------------------------------------------------------------------------- */

/* Makes `block` free and of `size` in the eyes of its neighbours and its bin; returns the number of
 * words written. The block before it is used, whatever its flag: free ones are merged. */
static HS_MADE_FOR_CALLER uint32_t tlsf_block_release(hs_tlsf_t *tlsf, const hs_tlsf_t *at,
                                                      uint32_t block, uint32_t size)
{
    uint32_t next = tlsf_next(block, size);
    tlsf_set_size_word(at, block, size | TLSF_IS_FREE);
    hs_region_put_link(&at->heap, next, block);
    tlsf_set_size_word(at, next, tlsf_size_word(at, next) | TLSF_AFTER_FREE);
    return 3 + bin_insert(tlsf, at, block, size);
}

/* Hands out a free block of `size` that is in no bin, keeping `keep` bytes of it if the rest makes
 * a block. `flag` says whether the block before is free. */
static HS_MADE_FOR_CALLER void tlsf_block_use(hs_tlsf_t *tlsf, const hs_tlsf_t *at, uint32_t block,
                                              uint32_t size, uint32_t keep, uint32_t flag)
{
    hs_sim_t *heap = &tlsf->heap;
    if (size >= keep + TLSF_STRUCTURE) {
        tlsf_set_size_word(at, block, keep | flag);
        heap->steps.writes +=
            1 + tlsf_block_release(tlsf, at, tlsf_next(block, keep), size - keep - TLSF_OVERHEAD);
        heap->tally.free -= keep + TLSF_OVERHEAD;
        heap->tally.used += keep;
    } else {
        uint32_t next = tlsf_next(block, size);
        tlsf_set_size_word(at, block, size | flag);
        tlsf_set_size_word(at, next, tlsf_size_word(at, next) & ~TLSF_AFTER_FREE);
        heap->steps.writes += 2;
        heap->tally.free -= size;
        heap->tally.free_blocks--;
        heap->tally.used += size;
    }
    heap->tally.used_blocks++;
}

static HS_MADE_FOR_CALLER hs_tlsf_t tlsf_made_for(const hs_tlsf_t *tlsf, uint32_t bins_log2,
                                                  bool sized)
{
    hs_tlsf_t at = *tlsf;
    at.bins_log2 = bins_log2;
    at.small = UINT32_C(4) << bins_log2;
    if (sized) {
        at.null_block = HS_TLSF_SIZED_NULL;
        at.fl_bitmap = HS_TLSF_SIZED_FL_BITMAP;
        at.sl_bitmaps = HS_TLSF_SIZED_SL_BITMAPS;
    }
    return at;
}

static HS_MADE_FOR_CALLER uint32_t tlsf_malloc_with(hs_tlsf_t *tlsf, uint32_t size,
                                                    uint32_t bins_log2, bool sized)
{
    const hs_tlsf_t at = tlsf_made_for(tlsf, bins_log2, sized);
    uint32_t need = request_size(&at, size, 4);
    if (need == 0) {
        return HS_NONE;
    }
    search_t search = search_for(&at, need);
    uint32_t bin = bin_ask(tlsf, &at, search.bin);
    if (bin == HS_NONE) {
        return HS_NONE;
    }
    uint32_t block = block_take(tlsf, &at, bin);
    tlsf_block_use(tlsf, &at, block, tlsf_size(&at, block),
                   tlsf->keeps_rounding ? search.size : need, 0);
    return block + TLSF_PAYLOAD;
}

static HS_MADE_FOR_CALLER void tlsf_free_with(hs_tlsf_t *tlsf, uint32_t offset, uint32_t bins_log2,
                                              bool sized)
{
    const hs_tlsf_t at = tlsf_made_for(tlsf, bins_log2, sized);
    hs_sim_t *heap = &tlsf->heap;
    uint32_t block = offset - TLSF_PAYLOAD;
    uint32_t word = tlsf_size_word(&at, block);
    uint32_t old = hs_bits_down4(word);
    uint32_t size = old;
    uint32_t next = tlsf_next(block, size);
    uint32_t next_word = tlsf_size_word(&at, next);
    uint32_t writes = 0;
    uint32_t merged = 0;

    if ((word & TLSF_AFTER_FREE) != 0) {
        block = hs_region_get_link(&at.heap, block);
        uint32_t below = tlsf_size(&at, block);
        writes += bin_remove(tlsf, &at, block, below);
        size += below + TLSF_OVERHEAD;
        merged++;
    }
    if ((next_word & TLSF_IS_FREE) != 0) {
        uint32_t above = hs_bits_down4(next_word);
        writes += bin_remove(tlsf, &at, next, above);
        size += above + TLSF_OVERHEAD;
        merged++;
    }
    heap->tally.used -= old;
    heap->tally.used_blocks--;
    heap->tally.free += old + merged * TLSF_OVERHEAD;
    heap->tally.free_blocks += 1 - merged;
    heap->steps.writes += writes + tlsf_block_release(tlsf, &at, block, size);
}

#endif
