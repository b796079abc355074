/*
 * Bins of TLSF and searches in them, for tlsf.c and tlsf_inline.h only.
 *
 * A word stored in `mem` may change any field of the heap, as far as a compiler knows. So these functions get
 * `at`, a local copy of all that is constant in the heap, and the heap itself only where they change it. A block is
 * its place on the host and its link, which is its address on the chip: what is read of it has the one, what is
 * written about it the other, and neither is computed where it is not needed.
 */
#ifndef HEAPSCOPE_MODELS_TLSF_BINS_H
#define HEAPSCOPE_MODELS_TLSF_BINS_H

#include "heapscope/assert.h"
#include "tlsf_block.h"

typedef struct tlsf_at {
    uint8_t *mem;
    uintptr_t zero; /* where the chip's address 0 would be on the host */
    uint32_t base;
    uint32_t bins_log2;
    uint32_t small;
    uint32_t fl_count;
    uint32_t fl_max;
    uint32_t null_link;
    uint8_t *null_block;
    uint8_t *fl_bitmap;
    uint8_t *sl_bitmaps;
    uint8_t *heads;
    bool keeps_rounding; /* as in hs_tlsf_t */
} tlsf_at_t;

typedef struct tlsf_block {
    uint8_t *at; /* TLSF_SIZE and so on are from there */
    uint32_t link;
} tlsf_block_t;

/* `sized`: the tables follow the region's size. This and the bins are constants in most callers. */
static HS_INLINE_FOR_CALLER tlsf_at_t tlsf_at_of(const hs_tlsf_t *tlsf, uint32_t bins_log2,
                                                 bool sized)
{
    const hs_sim_t *heap = &tlsf->heap;
    const uint32_t null_block = sized ? HS_TLSF_SIZED_NULL : tlsf->null_block;
    const tlsf_at_t at = {
        .mem = heap->mem,
        .zero = (uintptr_t)heap->mem - heap->base,
        .base = heap->base,
        .bins_log2 = bins_log2,
        .small = UINT32_C(4) << bins_log2,
        .fl_count = tlsf->fl_count,
        .fl_max = tlsf->fl_max,
        .null_link = heap->base + null_block,
        .null_block = heap->mem + null_block,
        .fl_bitmap = heap->mem + (sized ? HS_TLSF_SIZED_FL_BITMAP : tlsf->fl_bitmap),
        .sl_bitmaps = heap->mem + (sized ? HS_TLSF_SIZED_SL_BITMAPS : tlsf->sl_bitmaps),
        .heads = heap->mem + tlsf->heads,
        .keeps_rounding = tlsf->keeps_rounding};
    return at;
}

/* ---- words and blocks --------------------------------------------------------------------------- */

static HS_INLINE_FOR_CALLER uint32_t word_get(const uint8_t *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return hs_region_order(word);
}

static HS_INLINE_FOR_CALLER void word_put(uint8_t *at, uint32_t word)
{
    word = hs_region_order(word);
    memcpy(at, &word, sizeof word);
}

static HS_INLINE_FOR_CALLER tlsf_block_t block_linked(const tlsf_at_t *at, uint32_t link)
{
    const tlsf_block_t block = {(uint8_t *)(at->zero + link), link};
    return block;
}

/* The block whose payload has this offset in the region. */
static HS_INLINE_FOR_CALLER tlsf_block_t block_of(const tlsf_at_t *at, uint32_t offset)
{
    const tlsf_block_t block = {at->mem + offset - TLSF_PAYLOAD, at->base + offset - TLSF_PAYLOAD};
    return block;
}

static HS_INLINE_FOR_CALLER uint32_t block_size(tlsf_block_t block)
{
    return hs_bits_down4(word_get(block.at + TLSF_SIZE));
}

/* The block behind one with this payload size. */
static HS_INLINE_FOR_CALLER tlsf_block_t block_next(tlsf_block_t block, uint32_t size)
{
    const tlsf_block_t next = {block.at + size + TLSF_OVERHEAD, block.link + size + TLSF_OVERHEAD};
    return next;
}

/* ---- bins: each a list used as a stack ----------------------------------------------------------
 * The null block at the ends of the lists is written like any other, which saves the branches.
 * These functions return the number of words written. */

typedef struct tlsf_bin_of {
    uint32_t width_log2;
    uint32_t widths; /* the size in whole widths */
    uint32_t bin;
} tlsf_bin_of_t;

static HS_INLINE_FOR_CALLER tlsf_bin_of_t bin_of(const tlsf_at_t *at, uint32_t size)
{
    const uint32_t width_log2 = hs_bits_highest(size | at->small) - at->bins_log2;
    const uint32_t widths = size >> width_log2;
    const tlsf_bin_of_t of = {width_log2, widths, ((width_log2 - 2) << at->bins_log2) + widths};
    return of;
}

static HS_INLINE_FOR_CALLER uint8_t *bin_head(const tlsf_at_t *at, uint32_t bin)
{
    return at->heads + (size_t)bin * 4;
}

static HS_INLINE_FOR_CALLER uint8_t *level_bitmap(const tlsf_at_t *at, uint32_t fl)
{
    return at->sl_bitmaps + (size_t)fl * 4;
}

static HS_INLINE_FOR_CALLER uint32_t bin_bit(const tlsf_at_t *at, uint32_t bin)
{
    return UINT32_C(1) << (bin & ((UINT32_C(1) << at->bins_log2) - 1));
}

/* An empty bin gets its bit, and its level too. One that is not empty has both, and is not above the top. */
static HS_INLINE_FOR_CALLER void bin_fill(hs_tlsf_t *tlsf, const tlsf_at_t *at, tlsf_bin_of_t of)
{
    const uint32_t fl = of.bin >> at->bins_log2;
    uint8_t *const bitmap = level_bitmap(at, fl);
    word_put(at->fl_bitmap, word_get(at->fl_bitmap) | UINT32_C(1) << fl);
    word_put(bitmap, word_get(bitmap) | bin_bit(at, of.bin));
    if (of.bin >= tlsf->top) {
        tlsf->top = of.bin;
        tlsf->heap.largest = of.widths << of.width_log2;
    }
}

static HS_INLINE_FOR_CALLER uint32_t bin_insert(hs_tlsf_t *tlsf, const tlsf_at_t *at,
                                                tlsf_block_t block, tlsf_bin_of_t of)
{
    uint8_t *const link = bin_head(at, of.bin);
    const tlsf_block_t head = block_linked(at, word_get(link));
    word_put(block.at + TLSF_NEXT_FREE, head.link);
    word_put(head.at + TLSF_PREVIOUS_FREE, block.link);
    word_put(block.at + TLSF_PREVIOUS_FREE, at->null_link);
    word_put(link, block.link);
    if (head.link == at->null_link) {
        bin_fill(tlsf, at, of);
    }
    return 6;
}

/* The last block of a bin has left it, which takes its bit, and that of a level with the last bin. */
static HS_INLINE_FOR_CALLER uint32_t bin_empty(hs_tlsf_t *tlsf, const tlsf_at_t *at, uint32_t bin)
{
    const uint32_t fl = bin >> at->bins_log2;
    uint8_t *const bitmap = level_bitmap(at, fl);
    const uint32_t bits = word_get(bitmap) & ~bin_bit(at, bin);
    word_put(bitmap, bits);
    if (bin == tlsf->top) {
        tlsf->heap.largest = HS_NONE;
    }
    if (bits != 0) {
        return 1;
    }
    word_put(at->fl_bitmap, word_get(at->fl_bitmap) & ~(UINT32_C(1) << fl));
    return 2;
}

/* The head `block` of a bin; its link back is to the null block. */
static HS_INLINE_FOR_CALLER uint32_t bin_pop(hs_tlsf_t *tlsf, const tlsf_at_t *at,
                                             tlsf_block_t block, uint32_t bin)
{
    const tlsf_block_t next = block_linked(at, word_get(block.at + TLSF_NEXT_FREE));
    word_put(next.at + TLSF_PREVIOUS_FREE, at->null_link);
    word_put(at->null_block + TLSF_NEXT_FREE, next.link);
    word_put(bin_head(at, bin), next.link);
    return next.link == at->null_link ? 3 + bin_empty(tlsf, at, bin) : 3;
}

/* bin_pop of the head `block`, and bin_insert of `other` into the same bin. */
static HS_INLINE_FOR_CALLER uint32_t bin_swap(const tlsf_at_t *at, tlsf_block_t block,
                                              tlsf_block_t other, uint32_t bin)
{
    const tlsf_block_t next = block_linked(at, word_get(block.at + TLSF_NEXT_FREE));
    word_put(other.at + TLSF_NEXT_FREE, next.link);
    word_put(at->null_block + TLSF_NEXT_FREE, next.link);
    word_put(next.at + TLSF_PREVIOUS_FREE, other.link);
    word_put(other.at + TLSF_PREVIOUS_FREE, at->null_link);
    word_put(bin_head(at, bin), other.link);
    if (next.link != at->null_link) {
        return 9;
    }
    const uint32_t bits = word_get(level_bitmap(at, bin >> at->bins_log2));
    return (bits & (bits - 1)) != 0 ? 10 : 11; /* 11: the bin is the only one of its level */
}

/* Any `block` of a bin, of `size`. */
static HS_INLINE_FOR_CALLER uint32_t bin_remove(hs_tlsf_t *tlsf, const tlsf_at_t *at,
                                                tlsf_block_t block, uint32_t size)
{
    const tlsf_block_t previous = block_linked(at, word_get(block.at + TLSF_PREVIOUS_FREE));
    if (previous.link == at->null_link) {
        return bin_pop(tlsf, at, block, bin_of(at, size).bin);
    }
    const tlsf_block_t next = block_linked(at, word_get(block.at + TLSF_NEXT_FREE));
    word_put(next.at + TLSF_PREVIOUS_FREE, previous.link);
    word_put(previous.at + TLSF_NEXT_FREE, next.link);
    return 2;
}

/* ---- requests and searches -------------------------------------------------------------------- */

/* Payload for a request, 0 if it is refused. `size` rounds up modulo 2^32: the last three sizes
 * below 2^32 become the smallest block, as they do in the real ones. */
static HS_INLINE_FOR_CALLER uint32_t request_size(const tlsf_at_t *at, uint32_t size,
                                                  uint32_t align)
{
    const uint32_t rounded = (size + align - 1) & ~(align - 1);
    if (size == 0 || (rounded >> at->fl_max) != 0) {
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

static HS_INLINE_FOR_CALLER search_t search_for(const tlsf_at_t *at, uint32_t need)
{
    const uint32_t width_log2 = hs_bits_highest(need | at->small) - at->bins_log2;
    const uint32_t widths = ((need - 1) >> width_log2) + 1;
    const search_t search = {widths << width_log2, ((width_log2 - 2) << at->bins_log2) + widths};
    return search;
}

/* The lowest bin in use from `bin` on, or HS_NONE. *looked: goes up by the bitmap words read. */
static HS_INLINE_FOR_CALLER uint32_t bin_find(const tlsf_at_t *at, uint32_t bin, uint64_t *looked)
{
    const uint32_t fl = bin >> at->bins_log2;
    HS_ASSERT(fl < at->fl_count);
    const uint32_t sl = bin & ((UINT32_C(1) << at->bins_log2) - 1);
    const uint32_t sl_bits = word_get(level_bitmap(at, fl)) >> sl;
    if (sl_bits != 0) {
        *looked += 1;
        return bin + hs_bits_lowest(sl_bits);
    }
    const uint32_t fl_bits = word_get(at->fl_bitmap) & hs_bits_from(fl + 1);
    if (fl_bits == 0) {
        *looked += 2;
        return HS_NONE;
    }
    const uint32_t higher = hs_bits_lowest(fl_bits);
    *looked += 3;
    return (higher << at->bins_log2) + hs_bits_lowest(word_get(level_bitmap(at, higher)));
}

/* The same for a bin that may be above all tables. */
static HS_INLINE_FOR_CALLER uint32_t bin_ask(const tlsf_at_t *at, uint32_t bin, uint64_t *looked)
{
    if (bin >> at->bins_log2 >= at->fl_count) {
        *looked += 1;
        return HS_NONE;
    }
    return bin_find(at, bin, looked);
}

#endif
