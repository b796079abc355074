/*
 * The integrity check of a TLSF. Trusts nothing in `mem`: each position is checked before it is
 * read, the walk over blocks only goes up, the walk over bins visits at most as many blocks as the
 * first one found free.
 */
#include "tlsf.h"

#include "tlsf_block.h"

typedef struct seen {
    uint32_t used;
    uint32_t free;
    uint32_t used_blocks;
    uint32_t free_blocks;
} seen_t;

static hs_status_t fault(uint32_t at, uint32_t *where)
{
    *where = at;
    return HS_ERR_CORRUPT;
}

/* Could a block begin here? The sentinel does not count as a block. */
static bool is_position(const hs_tlsf_t *tlsf, uint32_t block)
{
    return block >= tlsf->pool - TLSF_SIZE && block < tlsf->sentinel &&
           (block - (tlsf->pool - TLSF_SIZE)) % 4 == 0;
}

/* A size that leads to the sentinel or to before it. */
static bool is_size(const hs_tlsf_t *tlsf, uint32_t block, uint32_t size)
{
    return size >= TLSF_SIZE_MIN && size <= tlsf->sentinel - block - TLSF_OVERHEAD;
}

static bool is_free_block(const hs_tlsf_t *tlsf, uint32_t block)
{
    if (!is_position(tlsf, block)) {
        return false;
    }
    uint32_t word = tlsf_size_word(tlsf, block);
    return (word & TLSF_IS_FREE) != 0 && is_size(tlsf, block, hs_bits_down4(word));
}

/* Is `other` (or, at an end of the list, null) a neighbour in the bin, pointing back to `block`? */
static bool is_bin_link(const hs_tlsf_t *tlsf, uint32_t block, uint32_t other, uint32_t back)
{
    if (other == tlsf->null_block) {
        return true;
    }
    return other != block && is_free_block(tlsf, other) &&
           hs_region_get_link(&tlsf->heap, other + back) == block;
}

static hs_status_t check_links(const hs_tlsf_t *tlsf, uint32_t block, uint32_t size,
                               uint32_t *where)
{
    const hs_sim_t *heap = &tlsf->heap;
    uint32_t next = hs_region_get_link(heap, block + TLSF_NEXT_FREE);
    uint32_t previous = hs_region_get_link(heap, block + TLSF_PREVIOUS_FREE);
    uint32_t bin = tlsf_bin(tlsf, size);
    if (!is_bin_link(tlsf, block, next, TLSF_PREVIOUS_FREE)) {
        return fault(block + TLSF_NEXT_FREE, where);
    }
    if (!is_bin_link(tlsf, block, previous, TLSF_NEXT_FREE)) {
        return fault(block + TLSF_PREVIOUS_FREE, where);
    }
    if (bin >= tlsf->fl_count << tlsf->bins_log2) {
        return fault(block + TLSF_SIZE, where);
    }
    if (previous == tlsf->null_block &&
        hs_region_get_link(heap, tlsf_head_at(tlsf, bin)) != block) {
        return fault(tlsf_head_at(tlsf, bin), where);
    }
    return HS_OK;
}

/* One block against the one before it; `below` is that block if it is free, else HS_NONE. */
static hs_status_t check_block(const hs_tlsf_t *tlsf, uint32_t block, uint32_t below,
                               uint32_t *where)
{
    uint32_t word = tlsf_size_word(tlsf, block);
    bool after_free = below != HS_NONE;
    bool is_free = (word & TLSF_IS_FREE) != 0;
    if (!is_size(tlsf, block, hs_bits_down4(word)) ||
        ((word & TLSF_AFTER_FREE) != 0) != after_free || (is_free && after_free)) {
        return fault(block + TLSF_SIZE, where);
    }
    if (after_free && hs_region_get_link(&tlsf->heap, block) != below) {
        return fault(block, where);
    }
    return is_free ? check_links(tlsf, block, hs_bits_down4(word), where) : HS_OK;
}

static hs_status_t check_sentinel(const hs_tlsf_t *tlsf, uint32_t below, uint32_t *where)
{
    bool after_free = below != HS_NONE;
    if (tlsf_size_word(tlsf, tlsf->sentinel) != (after_free ? TLSF_AFTER_FREE : 0)) {
        return fault(tlsf->sentinel + TLSF_SIZE, where);
    }
    if (after_free && hs_region_get_link(&tlsf->heap, tlsf->sentinel) != below) {
        return fault(tlsf->sentinel, where);
    }
    return HS_OK;
}

/* Bound: every step goes up by at least 16 bytes. */
static hs_status_t check_blocks(const hs_tlsf_t *tlsf, seen_t *seen, uint32_t *where)
{
    uint32_t block = tlsf->pool - TLSF_SIZE;
    uint32_t below = HS_NONE;
    while (block != tlsf->sentinel) {
        hs_status_t status = check_block(tlsf, block, below, where);
        if (status != HS_OK) {
            return status;
        }
        uint32_t word = tlsf_size_word(tlsf, block);
        uint32_t size = hs_bits_down4(word);
        if ((word & TLSF_IS_FREE) != 0) {
            seen->free += size;
            seen->free_blocks++;
            below = block;
        } else {
            seen->used += size;
            seen->used_blocks++;
            below = HS_NONE;
        }
        block = tlsf_next(block, size);
    }
    return check_sentinel(tlsf, below, where);
}

/* One bin's list; *left is how many free blocks no list has held yet, which bounds the walk. */
static hs_status_t check_bin(const hs_tlsf_t *tlsf, uint32_t bin, uint32_t *left, uint32_t *where)
{
    const hs_sim_t *heap = &tlsf->heap;
    uint32_t link = tlsf_head_at(tlsf, bin);
    uint32_t previous = tlsf->null_block;
    uint32_t block = hs_region_get_link(heap, link);
    while (block != tlsf->null_block) {
        if (*left == 0 || !is_free_block(tlsf, block) ||
            tlsf_bin(tlsf, tlsf_size(tlsf, block)) != bin) {
            return fault(link, where);
        }
        if (hs_region_get_link(heap, block + TLSF_PREVIOUS_FREE) != previous) {
            return fault(block + TLSF_PREVIOUS_FREE, where);
        }
        --*left;
        previous = block;
        link = block + TLSF_NEXT_FREE;
        block = hs_region_get_link(heap, link);
    }
    return HS_OK;
}

/* One first level: its lists and its two bitmaps. */
static hs_status_t check_level(const hs_tlsf_t *tlsf, uint32_t fl, uint32_t *left, uint32_t *where)
{
    const hs_sim_t *heap = &tlsf->heap;
    uint32_t sl_count = UINT32_C(1) << tlsf->bins_log2;
    uint32_t expected = 0;
    for (uint32_t sl = 0; sl < sl_count; sl++) {
        uint32_t bin = (fl << tlsf->bins_log2) + sl;
        hs_status_t status = check_bin(tlsf, bin, left, where);
        if (status != HS_OK) {
            return status;
        }
        if (hs_region_get_link(heap, tlsf_head_at(tlsf, bin)) != tlsf->null_block) {
            expected |= UINT32_C(1) << sl;
        }
    }
    if (hs_region_get(heap, tlsf_sl_bitmap_at(tlsf, fl)) != expected) {
        return fault(tlsf_sl_bitmap_at(tlsf, fl), where);
    }
    uint32_t fl_bit = (hs_region_get(heap, tlsf->fl_bitmap) >> fl) & 1;
    return fl_bit == (expected != 0) ? HS_OK : fault(tlsf->fl_bitmap, where);
}

static hs_status_t check_bins(const hs_tlsf_t *tlsf, uint32_t free_blocks, uint32_t *where)
{
    uint32_t left = free_blocks;
    if ((hs_region_get(&tlsf->heap, tlsf->fl_bitmap) & hs_bits_from(tlsf->fl_count)) != 0) {
        return fault(tlsf->fl_bitmap, where);
    }
    for (uint32_t fl = 0; fl < tlsf->fl_count; fl++) {
        hs_status_t status = check_level(tlsf, fl, &left, where);
        if (status != HS_OK) {
            return status;
        }
    }
    return left == 0 ? HS_OK : fault(tlsf->heads, where);
}

static bool tally_agrees(const hs_tally_t *tally, const seen_t *seen)
{
    return tally->used == seen->used && tally->free == seen->free &&
           tally->used_blocks == seen->used_blocks && tally->free_blocks == seen->free_blocks &&
           tally->minimum_free <= tally->free;
}

hs_status_t hs_tlsf_check(const hs_tlsf_t *tlsf, uint32_t *where)
{
    seen_t seen = {0, 0, 0, 0};
    hs_status_t status = check_blocks(tlsf, &seen, where);
    if (status == HS_OK) {
        status = check_bins(tlsf, seen.free_blocks, where);
    }
    if (status == HS_OK && !tally_agrees(&tlsf->heap.tally, &seen)) {
        return fault(tlsf->pool, where);
    }
    if (status == HS_OK && tlsf->heap.largest != HS_NONE &&
        tlsf->heap.largest != hs_tlsf_largest_allocatable(tlsf)) {
        return fault(tlsf->fl_bitmap, where);
    }
    return status;
}
