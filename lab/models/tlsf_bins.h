/*
 * Bins of TLSF and searches in them, for tlsf.c only.
 *
 * A word stored in `mem` may change any field of the heap, as far as a compiler knows. So the inner
 * functions get `at`, a local copy of the heap, for all that is constant in it, and the heap itself
 * only where they change it.
 */
#ifndef HEAPSCOPE_MODELS_TLSF_BINS_H
#define HEAPSCOPE_MODELS_TLSF_BINS_H

#include "tlsf_block.h"

/* ---- bins: each a list used as a stack ----------------------------------------------------------
 * The null block at the ends of the lists is written like any other, which saves the branches.
 * Both functions return the number of words written. */

static HS_MADE_FOR_CALLER uint32_t bin_insert(hs_tlsf_t *tlsf, const hs_tlsf_t *at, uint32_t block,
                                              uint32_t size)
{
    const hs_sim_t *heap = &at->heap;
    uint32_t width_log2 = tlsf_width_log2(at, size);
    uint32_t bin = tlsf_bin_of_width(at, size, width_log2);
    uint32_t fl = tlsf_fl(at, bin);
    uint32_t head = hs_region_get_link(heap, tlsf_head_at(at, bin));
    uint32_t sl_at = tlsf_sl_bitmap_at(at, fl);

    hs_region_put_link(heap, block + TLSF_NEXT_FREE, head);
    hs_region_put_link(heap, block + TLSF_PREVIOUS_FREE, at->null_block);
    hs_region_put_link(heap, head + TLSF_PREVIOUS_FREE, block);
    hs_region_put_link(heap, tlsf_head_at(at, bin), block);
    hs_region_put(heap, at->fl_bitmap, hs_region_get(heap, at->fl_bitmap) | UINT32_C(1) << fl);
    hs_region_put(heap, sl_at, hs_region_get(heap, sl_at) | UINT32_C(1) << tlsf_sl(at, bin));
    if (bin >= tlsf->top) {
        tlsf->top = bin;
        tlsf->heap.largest = size >> width_log2 << width_log2;
    }
    return 6;
}

/* The head `block` of a bin; its link back is to the null block. With its last block a bin loses its
 * bit, and with its last bin a level. Whether that happens is anyone's guess: there is no branch. */
static HS_MADE_FOR_CALLER uint32_t bin_pop(hs_tlsf_t *tlsf, const hs_tlsf_t *at, uint32_t block,
                                           uint32_t bin)
{
    const hs_sim_t *heap = &at->heap;
    uint32_t next = hs_region_get_link(heap, block + TLSF_NEXT_FREE);
    uint32_t fl = tlsf_fl(at, bin);
    uint32_t sl_at = tlsf_sl_bitmap_at(at, fl);

    hs_region_put_link(heap, next + TLSF_PREVIOUS_FREE, at->null_block);
    hs_region_put_link(heap, at->null_block + TLSF_NEXT_FREE, next);
    hs_region_put_link(heap, tlsf_head_at(at, bin), next);
    uint32_t last = next == at->null_block;
    uint32_t sl_bits = hs_region_get(heap, sl_at) & ~(last << tlsf_sl(at, bin));
    hs_region_put(heap, sl_at, sl_bits);
    uint32_t none = sl_bits == 0;
    hs_region_put(heap, at->fl_bitmap, hs_region_get(heap, at->fl_bitmap) & ~(none << fl));
    if (bin == tlsf->top) {
        tlsf->heap.largest = last != 0 ? HS_NONE : tlsf->heap.largest;
    }
    return 3 + last + none;
}

/* Any `block` of a bin, of `size`. */
static HS_MADE_FOR_CALLER uint32_t bin_remove(hs_tlsf_t *tlsf, const hs_tlsf_t *at, uint32_t block,
                                              uint32_t size)
{
    const hs_sim_t *heap = &at->heap;
    uint32_t previous = hs_region_get_link(heap, block + TLSF_PREVIOUS_FREE);
    if (previous == at->null_block) {
        return bin_pop(tlsf, at, block, tlsf_bin(at, size));
    }
    uint32_t next = hs_region_get_link(heap, block + TLSF_NEXT_FREE);
    hs_region_put_link(heap, next + TLSF_PREVIOUS_FREE, previous);
    hs_region_put_link(heap, previous + TLSF_NEXT_FREE, next);
    return 2;
}

/* ---- requests and searches -------------------------------------------------------------------- */

/* Payload for a request, 0 if it is refused. `size` rounds up modulo 2^32: the last three sizes
 * below 2^32 become the smallest block, as they do in the real ones. */
static HS_MADE_FOR_CALLER uint32_t request_size(const hs_tlsf_t *tlsf, uint32_t size,
                                                uint32_t align)
{
    uint32_t rounded = (size + align - 1) & ~(align - 1);
    if (size == 0 || (rounded >> tlsf->fl_max) != 0) {
        return 0;
    }
    return rounded > TLSF_SIZE_MIN ? rounded : TLSF_SIZE_MIN;
}

/* The target of a search: the size rounded up to a bin's floor, so that the head of whatever bin is
 * found is large enough, and that bin. */
typedef struct search {
    uint32_t size;
    uint32_t bin;
} search_t;

static HS_MADE_FOR_CALLER search_t search_for(const hs_tlsf_t *at, uint32_t need)
{
    uint32_t width_log2 = tlsf_width_log2(at, need);
    uint32_t below = (UINT32_C(1) << width_log2) - 1;
    uint32_t size = (need + below) & ~below;
    search_t search = {size, tlsf_bin_of_width(at, size, width_log2)};
    return search;
}

/* The lowest bin in use from `bin` on, or HS_NONE. *looked: bitmap words read. */
static HS_MADE_FOR_CALLER uint32_t bin_find(const hs_tlsf_t *at, uint32_t bin, uint32_t *looked)
{
    const hs_sim_t *heap = &at->heap;
    uint32_t fl = tlsf_fl(at, bin);
    *looked = 1;
    if (fl >= at->fl_count) {
        return HS_NONE;
    }
    uint32_t sl_bits =
        hs_region_get(heap, tlsf_sl_bitmap_at(at, fl)) & hs_bits_from(tlsf_sl(at, bin));
    if (sl_bits == 0) {
        uint32_t fl_bits = hs_region_get(heap, at->fl_bitmap) & hs_bits_from(fl + 1);
        *looked = 2;
        if (fl_bits == 0) {
            return HS_NONE;
        }
        fl = hs_bits_lowest(fl_bits);
        sl_bits = hs_region_get(heap, tlsf_sl_bitmap_at(at, fl));
        *looked = 3;
    }
    return (fl << at->bins_log2) + hs_bits_lowest(sl_bits);
}

/* bin_find, counted. */
static HS_MADE_FOR_CALLER uint32_t bin_ask(hs_tlsf_t *tlsf, const hs_tlsf_t *at, uint32_t from)
{
    uint32_t looked;
    uint32_t bin = bin_find(at, from, &looked);
    tlsf->heap.steps.bins += looked;
    return bin;
}

/* Takes the head of a bin in use out of it. */
static HS_MADE_FOR_CALLER uint32_t block_take(hs_tlsf_t *tlsf, const hs_tlsf_t *at, uint32_t bin)
{
    uint32_t block = hs_region_get_link(&at->heap, tlsf_head_at(at, bin));
    tlsf->heap.steps.nodes++;
    tlsf->heap.steps.writes += bin_pop(tlsf, at, block, bin);
    return block;
}

#endif
