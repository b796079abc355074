/*
 * malloc and free of TLSF, of which a caller makes a copy for a number of bins and a place of the tables
 * that it knows: tlsf.c for each usual one, idf_inline.h for a caller that knows the release, too.
 */
#ifndef HEAPSCOPE_MODELS_TLSF_INLINE_H
#define HEAPSCOPE_MODELS_TLSF_INLINE_H

#include "tlsf_bins.h"

/* ---- blocks ----------------------------------------------------------------------------------- */

/* Makes `block` free and of `size` in the eyes of the block behind it, which knows already that a free one is in
 * front of it. The block before it is used, whatever its flag: free ones are merged. */
static HS_INLINE_FOR_CALLER void block_mark(tlsf_block_t block, uint32_t size)
{
    word_put(block.at + TLSF_SIZE, size | TLSF_IS_FREE);
    word_put(block_next(block, size).at, block.link);
}

static HS_INLINE_FOR_CALLER void block_unflag(tlsf_block_t block)
{
    word_put(block.at + TLSF_SIZE, word_get(block.at + TLSF_SIZE) & ~TLSF_AFTER_FREE);
}

#define TLSF_MARKED UINT32_C(3) /* words that marking writes, with the flag of the block behind */

/* Makes a block free for its neighbours and its bin; returns the number of words written. */
static HS_INLINE_FOR_CALLER uint32_t block_release(hs_tlsf_t *tlsf, const tlsf_at_t *at,
                                                   tlsf_block_t block, uint32_t size)
{
    const tlsf_block_t next = block_next(block, size);
    block_mark(block, size);
    word_put(next.at + TLSF_SIZE, word_get(next.at + TLSF_SIZE) | TLSF_AFTER_FREE);
    return TLSF_MARKED + bin_insert(tlsf, at, block, bin_of(at, size));
}

/* A free block of `size` is used from now on, but for its end, which makes a block and is in no bin yet. `flag` says
 * whether the block before is free. */
static HS_INLINE_FOR_CALLER tlsf_block_t block_split(hs_tlsf_t *tlsf, tlsf_block_t block,
                                                     uint32_t size, uint32_t keep, uint32_t flag)
{
    const tlsf_block_t rest = block_next(block, keep);
    word_put(block.at + TLSF_SIZE, keep | flag);
    block_mark(rest, size - keep - TLSF_OVERHEAD);
    tlsf->heap.tally.free -= keep + TLSF_OVERHEAD;
    return rest;
}

/* The same for the whole block. */
static HS_INLINE_FOR_CALLER void block_give(hs_tlsf_t *tlsf, tlsf_block_t block, uint32_t size,
                                            uint32_t flag)
{
    word_put(block.at + TLSF_SIZE, size | flag);
    block_unflag(block_next(block, size));
    tlsf->heap.tally.free -= size;
    tlsf->heap.tally.free_blocks--;
}

static HS_INLINE_FOR_CALLER void block_count(hs_tlsf_t *tlsf, uint32_t size)
{
    tlsf->heap.tally.used += size;
    tlsf->heap.tally.used_blocks++;
}

/* ---- the two ------------------------------------------------------------------------------------ */

/* A block that malloc gave. */
typedef struct tlsf_given {
    uint32_t offset; /* of its payload, or HS_NONE */
    uint32_t size;
} tlsf_given_t;

/* The largest request of tlsf_malloc_known(): the smallest size of the last bin. */
static inline uint32_t tlsf_known(const hs_tlsf_t *tlsf)
{
    const uint32_t end = UINT32_C(1) << tlsf->fl_max;
    return end - (end >> (tlsf->bins_log2 + 1));
}

/* malloc of a search for a bin that there is. */
static HS_INLINE_FOR_CALLER tlsf_given_t malloc_from(hs_tlsf_t *tlsf, const tlsf_at_t *at,
                                                     search_t search, uint32_t keep)
{
    hs_steps_t *steps = &tlsf->heap.steps;
    const uint32_t bin = bin_find(at, search.bin, &steps->bins);
    tlsf_given_t given = {HS_NONE, keep};
    if (bin == HS_NONE) {
        return given;
    }
    const tlsf_block_t block = block_linked(at, word_get(bin_head(at, bin)));
    const uint32_t match = block_size(block);
    given.offset = block.link - at->base + TLSF_PAYLOAD;
    steps->nodes++;
    if (match < keep + TLSF_STRUCTURE) {
        steps->writes += 2 + bin_pop(tlsf, at, block, bin);
        block_give(tlsf, block, match, 0);
        given.size = match;
    } else { /* the end of a large block stays in its bin, as a rule */
        const tlsf_bin_of_t of = bin_of(at, match - keep - TLSF_OVERHEAD);
        const tlsf_block_t rest = block_split(tlsf, block, match, keep, 0);
        steps->writes += 1 + TLSF_MARKED;
        if (of.bin == bin) {
            steps->writes += bin_swap(at, block, rest, bin);
        } else {
            steps->writes += bin_pop(tlsf, at, block, bin);
            steps->writes += bin_insert(tlsf, at, rest, of);
        }
    }
    block_count(tlsf, given.size);
    return given;
}

static HS_INLINE_FOR_CALLER tlsf_given_t tlsf_malloc_with(hs_tlsf_t *tlsf, uint32_t size,
                                                          uint32_t bins_log2, bool sized)
{
    const tlsf_at_t at = tlsf_at_of(tlsf, bins_log2, sized);
    const tlsf_given_t none = {HS_NONE, 0};
    const uint32_t need = request_size(&at, size, 4);
    if (need == 0) {
        return none;
    }
    const search_t search = search_for(&at, need);
    if (search.bin >> bins_log2 >= at.fl_count) {
        tlsf->heap.steps.bins++;
        return none;
    }
    return malloc_from(tlsf, &at, search, at.keeps_rounding ? search.size : need);
}

/* The same for a size of 1 to tlsf_known(). To round it up to a multiple of 4 before it is rounded up to its bin's
 * width, which is one, would change neither. */
static HS_INLINE_FOR_CALLER tlsf_given_t tlsf_malloc_known(hs_tlsf_t *tlsf, const tlsf_at_t *at,
                                                           uint32_t size)
{
    HS_ASSERT(size != 0 && size <= tlsf_known(tlsf));
    const uint32_t need = size > TLSF_SIZE_MIN ? size : TLSF_SIZE_MIN;
    const search_t search = search_for(at, need);
    return malloc_from(tlsf, at, search, at->keeps_rounding ? search.size : hs_bits_up4(need));
}

/* Returns the size of the block. */
static HS_INLINE_FOR_CALLER uint32_t tlsf_free_with(hs_tlsf_t *tlsf, const tlsf_at_t *at,
                                                    uint32_t offset)
{
    hs_tally_t *tally = &tlsf->heap.tally;
    tlsf_block_t block = block_of(at, offset);
    const uint32_t word = word_get(block.at + TLSF_SIZE);
    const uint32_t old = hs_bits_down4(word);
    const tlsf_block_t next = block_next(block, old);
    const uint32_t next_word = word_get(next.at + TLSF_SIZE);
    uint32_t size = old;
    uint32_t free = old;
    uint32_t writes = TLSF_MARKED;

    tally->used -= old;
    tally->used_blocks--;
    if ((word & TLSF_AFTER_FREE) != 0) {
        block = block_linked(at, word_get(block.at));
        const uint32_t below = block_size(block);
        writes += bin_remove(tlsf, at, block, below);
        size += below + TLSF_OVERHEAD;
        free += TLSF_OVERHEAD;
        tally->free_blocks--;
    }
    if ((next_word & TLSF_IS_FREE) == 0) {
        word_put(next.at + TLSF_SIZE, next_word | TLSF_AFTER_FREE);
        tally->free_blocks++;
        tally->free += free;
        writes += bin_insert(tlsf, at, block, bin_of(at, size));
    } else {
        const uint32_t above = hs_bits_down4(next_word);
        size += above + TLSF_OVERHEAD;
        tally->free += free + TLSF_OVERHEAD;
        const tlsf_bin_of_t of = bin_of(at, size);
        if (word_get(next.at + TLSF_PREVIOUS_FREE) == at->null_link &&
            bin_of(at, above).bin == of.bin) {
            writes += bin_swap(at, next, block, of.bin);
        } else {
            writes += bin_remove(tlsf, at, next, above);
            writes += bin_insert(tlsf, at, block, of);
        }
    }
    block_mark(block, size);
    tlsf->heap.steps.writes += writes;
    return old;
}

#endif
