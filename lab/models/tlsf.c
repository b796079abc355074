/* TLSF: two-level segregated fit. BEHAVIOUR of the family and its sources: tlsf.h. */
#include "tlsf.h"

#include "tlsf_inline.h"

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
        return tlsf_malloc_with(tlsf, size, 4, true).offset;
    case HS_TLSF_SHAPE_SIZED_32:
        return tlsf_malloc_with(tlsf, size, 5, true).offset;
    case HS_TLSF_SHAPE_FIXED_32:
        return tlsf_malloc_with(tlsf, size, 5, false).offset;
    default:
        return tlsf_malloc_with(tlsf, size, tlsf->bins_log2, false).offset;
    }
}

static HS_INLINE_FOR_CALLER void free_with(hs_tlsf_t *tlsf, uint32_t offset, uint32_t bins_log2,
                                           bool sized)
{
    const tlsf_at_t at = tlsf_at_of(tlsf, bins_log2, sized);
    tlsf_free_with(tlsf, &at, offset);
}

void hs_tlsf_free(hs_tlsf_t *tlsf, uint32_t offset)
{
    switch (tlsf->shape) {
    case HS_TLSF_SHAPE_SIZED_16:
        free_with(tlsf, offset, 4, true);
        break;
    case HS_TLSF_SHAPE_SIZED_32:
        free_with(tlsf, offset, 5, true);
        break;
    case HS_TLSF_SHAPE_FIXED_32:
        free_with(tlsf, offset, 5, false);
        break;
    default:
        free_with(tlsf, offset, tlsf->bins_log2, false);
        break;
    }
}

/* Takes the free block at `next` out of its bin, to be absorbed by its left neighbour; returns the
 * bytes that the neighbour gains. */
static HS_INLINE_FOR_CALLER uint32_t absorb(hs_tlsf_t *tlsf, const tlsf_at_t *at, tlsf_block_t next)
{
    hs_sim_t *heap = &tlsf->heap;
    const uint32_t size = block_size(next);
    heap->steps.writes += bin_remove(tlsf, at, next, size);
    heap->tally.free -= size;
    heap->tally.free_blocks--;
    return size + TLSF_OVERHEAD;
}

/* Gives the end of a used block of `size` back if it makes a block; returns what the block keeps. */
static HS_INLINE_FOR_CALLER uint32_t trim_used(hs_tlsf_t *tlsf, const tlsf_at_t *at,
                                               tlsf_block_t block, uint32_t size, uint32_t need)
{
    hs_sim_t *heap = &tlsf->heap;
    const tlsf_block_t next = block_next(block, size);
    if (size < need + TLSF_STRUCTURE) {
        return size;
    }
    uint32_t rest = size - need - TLSF_OVERHEAD;
    if ((word_get(next.at + TLSF_SIZE) & TLSF_IS_FREE) != 0) {
        rest += absorb(tlsf, at, next);
    }
    heap->steps.writes += block_release(tlsf, at, block_next(block, need), rest);
    heap->tally.free += rest;
    heap->tally.free_blocks++;
    return need;
}

static HS_INLINE_FOR_CALLER uint32_t resize_in_place(hs_tlsf_t *tlsf, const tlsf_at_t *at,
                                                     uint32_t offset, uint32_t need)
{
    hs_sim_t *heap = &tlsf->heap;
    const tlsf_block_t block = block_of(at, offset);
    const uint32_t word = word_get(block.at + TLSF_SIZE);
    const uint32_t old = hs_bits_down4(word);
    uint32_t size = old;
    if (need > old) {
        size += absorb(tlsf, at, block_next(block, old));
        block_unflag(block_next(block, size));
        heap->steps.writes++;
    }
    size = trim_used(tlsf, at, block, size, need);
    word_put(block.at + TLSF_SIZE, size | (word & TLSF_AFTER_FREE));
    heap->steps.writes++;
    heap->tally.used += size - old;
    return offset;
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
static HS_INLINE_FOR_CALLER uint32_t realloc_with(hs_tlsf_t *tlsf, uint32_t offset, uint32_t size,
                                                  uint32_t bins_log2, bool sized)
{
    const tlsf_at_t at = tlsf_at_of(tlsf, bins_log2, sized);
    const tlsf_block_t block = block_of(&at, offset);
    const uint32_t need = request_size(&at, size, 4);
    if (need == 0) {
        return HS_NONE;
    }
    const uint32_t old = block_size(block);
    const uint32_t next_word = word_get(block_next(block, old).at + TLSF_SIZE);
    if (need > old && ((next_word & TLSF_IS_FREE) == 0 ||
                       need > old + hs_bits_down4(next_word) + TLSF_OVERHEAD)) {
        return resize_by_copy(tlsf, offset, old, size);
    }
    return resize_in_place(tlsf, &at, offset, need);
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

static tlsf_at_t at_of(const hs_tlsf_t *tlsf)
{
    return tlsf_at_of(tlsf, tlsf->bins_log2, false);
}

/* The size that aligned() searches for, 0 if it is refused: room for the worst gap in front. */
static uint32_t aligned_search(const tlsf_at_t *at, uint32_t align, uint32_t need)
{
    if (need == 0 || align <= 4) {
        return need;
    }
    return request_size(at, need + align + TLSF_STRUCTURE, align);
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
static void cut_lead(hs_tlsf_t *tlsf, const tlsf_at_t *at, tlsf_block_t block, uint32_t lead)
{
    const uint32_t size = lead - TLSF_OVERHEAD;
    block_mark(block, size);
    tlsf->heap.steps.writes += 2 + bin_insert(tlsf, at, block, bin_of(at, size));
    tlsf->heap.tally.free -= TLSF_OVERHEAD;
    tlsf->heap.tally.free_blocks++;
}

/* Hands out a free block that is in no bin, keeping `keep` bytes of it if the rest makes a block. */
static void block_use(hs_tlsf_t *tlsf, const tlsf_at_t *at, tlsf_block_t block, uint32_t size,
                      uint32_t keep, uint32_t flag)
{
    if (size < keep + TLSF_STRUCTURE) {
        block_give(tlsf, block, size, flag);
        block_count(tlsf, size);
        tlsf->heap.steps.writes += 2;
        return;
    }
    const tlsf_block_t rest = block_split(tlsf, block, size, keep, flag);
    const tlsf_bin_of_t of = bin_of(at, size - keep - TLSF_OVERHEAD);
    block_count(tlsf, keep);
    tlsf->heap.steps.writes += 1 + TLSF_MARKED + bin_insert(tlsf, at, rest, of);
}

uint32_t hs_tlsf_aligned(hs_tlsf_t *tlsf, uint32_t align, uint32_t size, uint32_t gap)
{
    const tlsf_at_t at = at_of(tlsf);
    hs_sim_t *heap = &tlsf->heap;
    const uint32_t need = request_size(&at, size, 4);
    const uint32_t search = aligned_search(&at, align, need);
    const uint32_t bin =
        search == 0 ? HS_NONE : bin_ask(&at, search_for(&at, search).bin, &heap->steps.bins);
    if (bin == HS_NONE) {
        return HS_NONE;
    }
    const tlsf_block_t block = block_linked(&at, word_get(bin_head(&at, bin)));
    heap->steps.nodes++;
    heap->steps.writes += bin_pop(tlsf, &at, block, bin);
    const uint32_t match = block_size(block);
    const uint32_t payload = block.link + TLSF_PAYLOAD;
    const uint32_t lead = aligned_lead(tlsf, payload, align, hs_bits_up4(gap));
    if (lead == 0 || match < lead + TLSF_STRUCTURE) {
        block_use(tlsf, &at, block, match, need, 0);
        return payload - heap->base;
    }
    cut_lead(tlsf, &at, block, lead);
    const tlsf_block_t aligned = block_next(block, lead - TLSF_OVERHEAD);
    block_use(tlsf, &at, aligned, match - lead, need, TLSF_AFTER_FREE);
    return payload - heap->base + lead;
}

bool hs_tlsf_is_short(const hs_tlsf_t *tlsf, uint32_t size, uint32_t gap)
{
    const tlsf_at_t at = at_of(tlsf);
    uint64_t looked = 0;
    const uint32_t need = request_size(&at, size, 4);
    const uint32_t bin = need == 0 ? HS_NONE : bin_ask(&at, search_for(&at, need).bin, &looked);
    if (bin == HS_NONE) {
        return false;
    }
    const tlsf_block_t block = block_linked(&at, word_get(bin_head(&at, bin)));
    const uint32_t match = block_size(block);
    const uint32_t lead = aligned_lead(tlsf, block.link + TLSF_PAYLOAD, 4, hs_bits_up4(gap));
    return lead != 0 && match >= lead + TLSF_STRUCTURE && match - lead < need;
}

/* ---- questions -------------------------------------------------------------------------------- */

uint32_t hs_tlsf_usable(const hs_tlsf_t *tlsf, uint32_t offset)
{
    return tlsf_size(tlsf, offset - TLSF_PAYLOAD);
}

bool hs_tlsf_fits(const hs_tlsf_t *tlsf, uint32_t align, uint32_t size)
{
    const tlsf_at_t at = at_of(tlsf);
    uint64_t looked = 0;
    const uint32_t need = request_size(&at, size, 4);
    const uint32_t search = aligned_search(&at, align, need);
    return search != 0 && bin_ask(&at, search_for(&at, search).bin, &looked) != HS_NONE;
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
