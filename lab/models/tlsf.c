/* TLSF: two-level segregated fit. BEHAVIOUR of the family and its sources: tlsf.h. */
#include "tlsf.h"

#include "tlsf_made.h"

uint32_t hs_tlsf_fl_count(uint32_t fl_max, uint32_t bins_log2)
{
    return fl_max - (bins_log2 + 2) + 1;
}

/* ---- operations ---------------------------------------------------------------------------------
 * malloc, free and realloc are made once for each usual number of bins and place of the tables, as constants. */

uint32_t hs_tlsf_shape(const hs_tlsf_t *tlsf)
{
    if (tlsf->bins_log2 == 4) {
        return tlsf->is_sized ? HS_TLSF_SHAPE_SIZED_16 : HS_TLSF_SHAPE_ANY;
    }
    if (tlsf->bins_log2 == 5) {
        return tlsf->is_sized ? HS_TLSF_SHAPE_SIZED_32 : HS_TLSF_SHAPE_FIXED_32;
    }
    return HS_TLSF_SHAPE_ANY;
}

uint32_t hs_tlsf_malloc(hs_tlsf_t *tlsf, uint32_t size)
{
    switch (tlsf->shape) {
    case HS_TLSF_SHAPE_SIZED_16:
        return tlsf_malloc_with(tlsf, size, 4, true);
    case HS_TLSF_SHAPE_SIZED_32:
        return tlsf_malloc_with(tlsf, size, 5, true);
    case HS_TLSF_SHAPE_FIXED_32:
        return tlsf_malloc_with(tlsf, size, 5, false);
    default:
        return tlsf_malloc_with(tlsf, size, tlsf->bins_log2, false);
    }
}

void hs_tlsf_free(hs_tlsf_t *tlsf, uint32_t offset)
{
    switch (tlsf->shape) {
    case HS_TLSF_SHAPE_SIZED_16:
        tlsf_free_with(tlsf, offset, 4, true);
        break;
    case HS_TLSF_SHAPE_SIZED_32:
        tlsf_free_with(tlsf, offset, 5, true);
        break;
    case HS_TLSF_SHAPE_FIXED_32:
        tlsf_free_with(tlsf, offset, 5, false);
        break;
    default:
        tlsf_free_with(tlsf, offset, tlsf->bins_log2, false);
        break;
    }
}

/* Takes the free block at `next` out of its bin, to be absorbed by its left neighbour; returns the
 * bytes that the neighbour gains. */
static HS_MADE_FOR_CALLER uint32_t absorb(hs_tlsf_t *tlsf, const hs_tlsf_t *at, uint32_t next)
{
    hs_sim_t *heap = &tlsf->heap;
    uint32_t size = tlsf_size(at, next);
    heap->steps.writes += bin_remove(tlsf, at, next, size);
    heap->tally.free -= size;
    heap->tally.free_blocks--;
    return size + TLSF_OVERHEAD;
}

/* Gives the end of a used block of `size` back if it makes a block; returns what the block keeps. */
static HS_MADE_FOR_CALLER uint32_t trim_used(hs_tlsf_t *tlsf, const hs_tlsf_t *at, uint32_t block,
                                             uint32_t size, uint32_t need)
{
    hs_sim_t *heap = &tlsf->heap;
    uint32_t next = tlsf_next(block, size);
    uint32_t next_word = tlsf_size_word(at, next);
    if (size < need + TLSF_STRUCTURE) {
        return size;
    }
    uint32_t rest = size - need - TLSF_OVERHEAD;
    if ((next_word & TLSF_IS_FREE) != 0) {
        rest += absorb(tlsf, at, next);
    }
    heap->steps.writes += tlsf_block_release(tlsf, at, tlsf_next(block, need), rest);
    heap->tally.free += rest;
    heap->tally.free_blocks++;
    return need;
}

static HS_MADE_FOR_CALLER uint32_t resize_in_place(hs_tlsf_t *tlsf, const hs_tlsf_t *at,
                                                   uint32_t block, uint32_t need)
{
    hs_sim_t *heap = &tlsf->heap;
    uint32_t word = tlsf_size_word(at, block);
    uint32_t old = hs_bits_down4(word);
    uint32_t size = old;
    if (need > old) {
        size += absorb(tlsf, at, tlsf_next(block, old));
        uint32_t next = tlsf_next(block, size);
        tlsf_set_size_word(at, next, tlsf_size_word(at, next) & ~TLSF_AFTER_FREE);
        heap->steps.writes++;
    }
    size = trim_used(tlsf, at, block, size, need);
    tlsf_set_size_word(at, block, size | (word & TLSF_AFTER_FREE));
    heap->steps.writes++;
    heap->tally.used += size - old;
    return block + TLSF_PAYLOAD;
}

static uint32_t resize_by_copy(hs_tlsf_t *tlsf, uint32_t offset, uint32_t old, uint32_t size)
{
    uint32_t moved = hs_tlsf_malloc(tlsf, size);
    if (moved == HS_NONE) {
        return HS_NONE;
    }
    hs_region_note_low(&tlsf->heap);
    tlsf->heap.steps.copied += old < size ? old : size;
    hs_tlsf_free(tlsf, offset);
    return moved;
}

/* Grows only upwards, never into the block below. A refused size leaves the block as it is; the
 * older versions cut it to nothing and answer with it, which no program survives. */
static HS_MADE_FOR_CALLER uint32_t realloc_with(hs_tlsf_t *tlsf, uint32_t offset, uint32_t size,
                                                uint32_t bins_log2, bool sized)
{
    const hs_tlsf_t at = tlsf_made_for(tlsf, bins_log2, sized);
    uint32_t block = offset - TLSF_PAYLOAD;
    uint32_t need = request_size(&at, size, 4);
    if (need == 0) {
        return HS_NONE;
    }
    uint32_t old = tlsf_size(&at, block);
    uint32_t next_word = tlsf_size_word(&at, tlsf_next(block, old));
    if (need > old && ((next_word & TLSF_IS_FREE) == 0 ||
                       need > old + hs_bits_down4(next_word) + TLSF_OVERHEAD)) {
        return resize_by_copy(tlsf, offset, old, size);
    }
    return resize_in_place(tlsf, &at, block, need);
}

uint32_t hs_tlsf_realloc(hs_tlsf_t *tlsf, uint32_t offset, uint32_t size)
{
    switch (tlsf->shape) {
    case HS_TLSF_SHAPE_SIZED_16:
        return realloc_with(tlsf, offset, size, 4, true);
    case HS_TLSF_SHAPE_SIZED_32:
        return realloc_with(tlsf, offset, size, 5, true);
    case HS_TLSF_SHAPE_FIXED_32:
        return realloc_with(tlsf, offset, size, 5, false);
    default:
        return realloc_with(tlsf, offset, size, tlsf->bins_log2, false);
    }
}

/* ---- aligned ---------------------------------------------------------------------------------- */

/* The size that aligned() searches for, 0 if it is refused: room for the worst gap in front. */
static uint32_t aligned_search(const hs_tlsf_t *tlsf, uint32_t align, uint32_t need)
{
    if (need == 0 || align <= 4) {
        return need;
    }
    return request_size(tlsf, need + align + TLSF_STRUCTURE, align);
}

static uint32_t address_up(uint32_t address, uint32_t align)
{
    return (address + align - 1) & ~(align - 1);
}

/* Bytes to leave free in front of a payload at `address`: nothing, or enough for a block. */
static uint32_t aligned_lead(const hs_tlsf_t *tlsf, uint32_t address, uint32_t align, uint32_t at)
{
    uint32_t gap_min = TLSF_STRUCTURE + at;
    uint32_t aligned = address_up(address, align);
    uint32_t gap = aligned - address;
    if ((gap != 0 && gap < gap_min) || (gap == 0 && at != 0 && (align > 4 || tlsf->leads_any))) {
        uint32_t missing = gap_min - gap;
        aligned = address_up(aligned + (missing > align ? missing : align), align);
        gap = aligned - address;
    }
    return gap == 0 ? 0 : gap - at;
}

/* Cuts `lead` bytes off the front of a free block that is in no bin and bins them. */
static void cut_lead(hs_tlsf_t *tlsf, uint32_t block, uint32_t lead)
{
    uint32_t size = lead - TLSF_OVERHEAD;
    tlsf_set_size_word(tlsf, block, size | TLSF_IS_FREE);
    hs_region_put_link(&tlsf->heap, tlsf_next(block, size), block);
    tlsf->heap.steps.writes += 2 + bin_insert(tlsf, tlsf, block, size);
    tlsf->heap.tally.free -= TLSF_OVERHEAD;
    tlsf->heap.tally.free_blocks++;
}

uint32_t hs_tlsf_aligned(hs_tlsf_t *tlsf, uint32_t align, uint32_t size, uint32_t at)
{
    uint32_t need = request_size(tlsf, size, 4);
    uint32_t search = aligned_search(tlsf, align, need);
    uint32_t bin = search == 0 ? HS_NONE : bin_ask(tlsf, tlsf, search_for(tlsf, search).bin);
    if (bin == HS_NONE) {
        return HS_NONE;
    }
    uint32_t block = block_take(tlsf, tlsf, bin);
    uint32_t found = tlsf_size(tlsf, block);
    uint32_t lead =
        aligned_lead(tlsf, tlsf->heap.base + block + TLSF_PAYLOAD, align, hs_bits_up4(at));
    if (lead == 0 || found < lead + TLSF_STRUCTURE) {
        tlsf_block_use(tlsf, tlsf, block, found, need, 0);
        return block + TLSF_PAYLOAD;
    }
    cut_lead(tlsf, block, lead);
    tlsf_block_use(tlsf, tlsf, block + lead, found - lead, need, TLSF_AFTER_FREE);
    return block + lead + TLSF_PAYLOAD;
}

bool hs_tlsf_is_short(const hs_tlsf_t *tlsf, uint32_t size, uint32_t at)
{
    uint32_t looked;
    uint32_t need = request_size(tlsf, size, 4);
    uint32_t bin = need == 0 ? HS_NONE : bin_find(tlsf, search_for(tlsf, need).bin, &looked);
    if (bin == HS_NONE) {
        return false;
    }
    uint32_t block = hs_region_get_link(&tlsf->heap, tlsf_head_at(tlsf, bin));
    uint32_t found = tlsf_size(tlsf, block);
    uint32_t lead = aligned_lead(tlsf, tlsf->heap.base + block + TLSF_PAYLOAD, 4, hs_bits_up4(at));
    return lead != 0 && found >= lead + TLSF_STRUCTURE && found - lead < need;
}

/* ---- questions -------------------------------------------------------------------------------- */

uint32_t hs_tlsf_usable(const hs_tlsf_t *tlsf, uint32_t offset)
{
    return tlsf_size(tlsf, offset - TLSF_PAYLOAD);
}

bool hs_tlsf_fits(const hs_tlsf_t *tlsf, uint32_t align, uint32_t size)
{
    uint32_t looked;
    uint32_t need = request_size(tlsf, size, 4);
    uint32_t search = aligned_search(tlsf, align, need);
    return search != 0 && bin_find(tlsf, search_for(tlsf, search).bin, &looked) != HS_NONE;
}

uint32_t hs_tlsf_largest_allocatable(const hs_tlsf_t *tlsf)
{
    uint32_t fl_bits = hs_region_get(&tlsf->heap, tlsf->fl_bitmap);
    if (fl_bits == 0) {
        return 0;
    }
    uint32_t fl = hs_bits_highest(fl_bits);
    uint32_t sl_bits = hs_region_get(&tlsf->heap, tlsf_sl_bitmap_at(tlsf, fl));
    return tlsf_bin_floor(tlsf, fl, hs_bits_highest(sl_bits));
}

uint32_t hs_tlsf_find_largest(hs_tlsf_t *tlsf)
{
    tlsf->heap.largest = hs_tlsf_largest_allocatable(tlsf);
    tlsf->top = tlsf_bin(tlsf, tlsf->heap.largest);
    return tlsf->heap.largest;
}
