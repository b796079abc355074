/* The whole pool of a TLSF: how it begins, and walks over it. */
#include "tlsf.h"

#include "tlsf_block.h"

static void open_bins(hs_tlsf_t *tlsf)
{
    hs_sim_t *heap = &tlsf->heap;
    uint32_t bins = tlsf->fl_count << tlsf->bins_log2;
    hs_region_put_link(heap, tlsf->null_block + TLSF_NEXT_FREE, tlsf->null_block);
    hs_region_put_link(heap, tlsf->null_block + TLSF_PREVIOUS_FREE, tlsf->null_block);
    hs_region_put(heap, tlsf->fl_bitmap, 0);
    for (uint32_t fl = 0; fl < tlsf->fl_count; fl++) {
        hs_region_put(heap, tlsf_sl_bitmap_at(tlsf, fl), 0);
    }
    for (uint32_t bin = 0; bin < bins; bin++) {
        hs_region_put_link(heap, tlsf_head_at(tlsf, bin), tlsf->null_block);
    }
}

static void open_first_block(hs_tlsf_t *tlsf, uint32_t size)
{
    hs_sim_t *heap = &tlsf->heap;
    uint32_t block = tlsf->pool - TLSF_SIZE;
    uint32_t bin = tlsf_bin(tlsf, size);
    uint32_t fl = tlsf_fl(tlsf, bin);
    tlsf->top = bin;
    tlsf_set_size_word(tlsf, block, size | TLSF_IS_FREE);
    hs_region_put_link(heap, block + TLSF_NEXT_FREE, tlsf->null_block);
    hs_region_put_link(heap, block + TLSF_PREVIOUS_FREE, tlsf->null_block);
    hs_region_put_link(heap, tlsf->null_block + TLSF_PREVIOUS_FREE, block);
    hs_region_put_link(heap, tlsf_head_at(tlsf, bin), block);
    hs_region_put(heap, tlsf->fl_bitmap, UINT32_C(1) << fl);
    hs_region_put(heap, tlsf_sl_bitmap_at(tlsf, fl), UINT32_C(1) << tlsf_sl(tlsf, bin));
    hs_region_put_link(heap, tlsf->sentinel, block);
    tlsf_set_size_word(tlsf, tlsf->sentinel, TLSF_AFTER_FREE);
}

hs_status_t hs_tlsf_open(hs_tlsf_t *tlsf)
{
    if (tlsf->pool_size < TLSF_SIZE_MIN + 2 * TLSF_OVERHEAD) {
        return HS_ERR_MEMORY;
    }
    uint32_t size = hs_bits_down4(tlsf->pool_size - 2 * TLSF_OVERHEAD);
    if (size > UINT32_C(1) << tlsf->fl_max) {
        return HS_ERR_MEMORY;
    }
    tlsf->fl_count = hs_tlsf_fl_count(tlsf->fl_max, tlsf->bins_log2);
    tlsf->small = UINT32_C(4) << tlsf->bins_log2;
    tlsf->shape = hs_tlsf_shape(tlsf);
    tlsf->sentinel = tlsf_next(tlsf->pool - TLSF_SIZE, size);
    open_bins(tlsf);
    open_first_block(tlsf, size);
    tlsf->heap.tally.free = size;
    tlsf->heap.tally.free_blocks = 1;
    return HS_OK;
}

/* The only block of a new heap and the bins of a level decide all, where no request is refused for its size
 * alone: the limit is above that block. */
uint32_t hs_tlsf_likeness(const hs_sim_t *heap)
{
    const hs_tlsf_t *tlsf = (const hs_tlsf_t *)heap;
    const uint32_t size = tlsf->sentinel - tlsf->pool;
    const bool has_limit = size >> tlsf->fl_max != 0;
    return has_limit || tlsf->keeps_rounding ? 0 : size | (tlsf->bins_log2 - TLSF_BINS_LOG2_MIN);
}

/* All larger blocks than those of the highest bin in use would be in a higher one. */
uint32_t hs_tlsf_largest_free(const hs_tlsf_t *tlsf)
{
    uint32_t floor = hs_tlsf_largest_allocatable(tlsf);
    uint32_t largest = 0;
    if (floor == 0) {
        return 0;
    }
    uint32_t block = hs_region_get_link(&tlsf->heap, tlsf_head_at(tlsf, tlsf_bin(tlsf, floor)));
    while (block != tlsf->null_block) {
        uint32_t size = tlsf_size(tlsf, block);
        largest = size > largest ? size : largest;
        block = hs_region_get_link(&tlsf->heap, block + TLSF_NEXT_FREE);
    }
    return largest;
}

/* Ends early where a size leads out of the pool, so that damaged memory can be walked too. */
void hs_tlsf_walk(const hs_tlsf_t *tlsf, hs_walk_fn visit, void *context)
{
    uint32_t block = tlsf->pool - TLSF_SIZE;
    while (block < tlsf->sentinel) {
        uint32_t word = tlsf_size_word(tlsf, block);
        hs_walk_block_t seen = {block + TLSF_PAYLOAD, hs_bits_down4(word),
                                (word & TLSF_IS_FREE) == 0};
        if (seen.size > tlsf->sentinel - block - TLSF_OVERHEAD || !visit(context, &seen)) {
            return;
        }
        block = tlsf_next(block, seen.size);
    }
}

void hs_tlsf_walk_free(const hs_tlsf_t *tlsf, hs_walk_fn visit, void *context)
{
    for (uint32_t fl = 0; fl < tlsf->fl_count; fl++) {
        uint32_t bins = hs_region_get(&tlsf->heap, tlsf->sl_bitmaps + 4 * fl);
        for (; bins != 0; bins &= bins - 1) {
            const uint32_t bin = (fl << tlsf->bins_log2) + hs_bits_lowest(bins);
            uint32_t block = hs_region_get_link(&tlsf->heap, tlsf_head_at(tlsf, bin));
            for (; block != tlsf->null_block;
                 block = hs_region_get_link(&tlsf->heap, block + TLSF_NEXT_FREE)) {
                const hs_walk_block_t seen = {block + TLSF_PAYLOAD, tlsf_size(tlsf, block), false};
                if (!visit(context, &seen)) {
                    return;
                }
            }
        }
    }
}
