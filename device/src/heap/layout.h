/*
 * The layout of a heap in memory. Offsets are granule indices: granule i lies 8 * i bytes behind
 * the handle, so that 0, which is the handle's own granule, can mean "none".
 *
 *     | bins, last first | struct hs_heap, map, bitmap | blocks ...                    |
 *                        ^ handle                      ^ first                         ^ end
 *
 * Bitmap, one bit a granule; every block has at least two granules:
 *
 *     used block   1 0 0 ... 0     its size is the distance to the next set bit
 *     free block   1 1 0 ... 1     the first two and the last (two granules: 1 1)
 *     end          1 0             a used block without memory, so that nothing merges with it
 *
 * From HS_LONG granules on, the word behind the one with a used block's first bit belongs to that
 * block alone and holds `size << 10 | 0x3FE`: nowhere else are there nine ones in a row.
 *
 * A free block holds, as words: 0 next, 1 previous (the circular list of its bin), 2 its size in
 * granules; and as its very last word the complement of the size, which no link can be mistaken for.
 */
#ifndef HEAPSCOPE_HEAP_LAYOUT_H
#define HEAPSCOPE_HEAP_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "heapscope/heap.h"
#include "word.h"

#define HS_GRANULE 8u /* bytes */
#define HS_GRANULE_SHIFT 3u
#define HS_BLOCK_MIN 2u /* granules */

#define HS_LONG 65u /* from here on a word between first and last bit is the block's own */
#define HS_LONG_SHIFT 10u
#define HS_LONG_MASK 0x3FFu
#define HS_LONG_MARK 0x3FEu

#define HS_MAP_SMALL 2u /* words of the map of non-empty bins */
#define HS_MAP_WIDE 3u

#define HS_SLAB_KINDS 2u /* slots of 4 and of 8 bytes */
#define HS_SLAB_WORDS 1u
#define HS_SLOT_MAX 8u /* bytes */

enum hs_free_word { HS_NEXT = 0, HS_PREVIOUS = 1, HS_SIZE = 2, HS_FOOTER = -1 };

struct hs_heap {
    uint32_t shape;   /* never changes, but for HS_HIGH: see below */
    uint32_t free;    /* words of 4 bytes in free blocks and free slots */
    uint32_t minimum; /* low-water mark of `free` */
    uint32_t end;     /* index of the granule behind the last; never changes */
    uint32_t words[]; /* map; in the small form the first slab of each kind, 16 bits each; bitmap */
};

/* Bits of `shape`; those between are the seal, which tells whether `end` is what it was. */
#define HS_UNIT 1u /* blocks begin and end on even granules: alignment 16 */
#define HS_SHAPE_WIDE 0x80000000u
#if HS_ENDS
#define HS_HIGH 2u /* malloc takes from the high end of a free block */
#define HS_SEAL_SHIFT 2u
#define HS_SEAL_MASK 0x1FFFFFFFu
#else
#define HS_HIGH 0u
#define HS_SEAL_SHIFT 1u
#define HS_SEAL_MASK 0x3FFFFFFFu
#endif

static inline uint32_t *hs_at(const hs_heap_t *heap, uint32_t granule)
{
    return (uint32_t *)((uintptr_t)heap + ((uintptr_t)granule << HS_GRANULE_SHIFT));
}

static inline bool hs_is_wide(const hs_heap_t *heap)
{
#if HS_WIDE
    return (int32_t)heap->shape < 0;
#else
    (void)heap;
    return false;
#endif
}

static inline uint32_t hs_map_words(const hs_heap_t *heap)
{
    return hs_is_wide(heap) ? HS_MAP_WIDE : HS_MAP_SMALL;
}

/* Words between the start of the map and the bitmap. */
static inline uint32_t hs_words_before(bool wide)
{
    return wide ? HS_MAP_WIDE : HS_MAP_SMALL + HS_SLAB_WORDS;
}

static inline uint32_t *hs_bitmap(const hs_heap_t *heap)
{
    return (uint32_t *)heap->words + hs_words_before(hs_is_wide(heap));
}

/* Words of a bitmap for granules up to and including `end` and the clear bit behind it. */
static inline uint32_t hs_bitmap_words(uint32_t end)
{
    return (end + 1 + HS_WORD_BITS) / HS_WORD_BITS;
}

/* The first granule that blocks of a heap with that end can have. `unit`: HS_UNIT, or 0. */
static HS_STEP uint32_t hs_first_of(uint32_t end, bool wide, uint32_t unit)
{
    const uint32_t bytes =
        (uint32_t)sizeof(hs_heap_t) + 4 * (hs_words_before(wide) + hs_bitmap_words(end));
    const uint32_t first = (bytes + HS_GRANULE - 1) / HS_GRANULE;
    return (first + unit) & ~unit;
}

/* The first granule that blocks can have. */
static inline uint32_t hs_first(const hs_heap_t *heap)
{
    return hs_first_of(heap->end, hs_is_wide(heap), heap->shape & HS_UNIT);
}

static inline uint32_t hs_shape_of(uint32_t end, bool wide, uint32_t unit)
{
    const uint32_t kind = unit | (wide ? HS_SHAPE_WIDE : 0);
    return kind | ((end * 5 + unit + 2 * (uint32_t)wide) & HS_SEAL_MASK) << HS_SEAL_SHIFT;
}

/* The granule of an address; more than any heap has for one before it or between granules. */
static inline uintptr_t hs_granule_of(const hs_heap_t *heap, const void *address)
{
    const uintptr_t distance = (uintptr_t)address - (uintptr_t)heap;
    /* Rotated, so that an address between granules comes out as a huge index. */
    return distance >> HS_GRANULE_SHIFT | distance << (sizeof(uintptr_t) * 8 - HS_GRANULE_SHIFT);
}

/* The alignment that every result of malloc(size) has, bytes. */
static inline uint32_t hs_alignment(const hs_heap_t *heap, size_t size)
{
    if (size <= HS_SLOT_MAX && !hs_is_wide(heap)) {
        return size <= 4 ? 4 : 8;
    }
    return HS_GRANULE << (heap->shape & HS_UNIT);
}

/* ---- bits ------------------------------------------------------------------------------------- */

static HS_INLINE uint32_t hs_bit(const uint32_t *bitmap, uint32_t i)
{
    return bitmap[i / HS_WORD_BITS] >> i % HS_WORD_BITS & 1u;
}

static HS_INLINE void hs_set(uint32_t *bitmap, uint32_t i)
{
    bitmap[i / HS_WORD_BITS] |= UINT32_C(1) << i % HS_WORD_BITS;
}

static HS_INLINE void hs_clear(uint32_t *bitmap, uint32_t i)
{
    bitmap[i / HS_WORD_BITS] &= ~(UINT32_C(1) << i % HS_WORD_BITS);
}

static inline bool hs_is_long(uint32_t word)
{
    return (word & HS_LONG_MASK) == HS_LONG_MARK;
}

/* ---- used blocks ---------------------------------------------------------------------------- */

/* Granules of the used block at `block`; 1 where a free block begins instead. */
static HS_STEP uint32_t hs_used_size(const uint32_t *bitmap, uint32_t block)
{
    const uint32_t *word = bitmap + block / HS_WORD_BITS;
    const uint32_t at = block % HS_WORD_BITS;
    uint32_t rest = word[0] >> at >> 1;
    uint32_t size = 1;
    if (rest == 0) {
        rest = word[1];
        size = HS_WORD_BITS - at;
        if (hs_is_long(rest)) {
            return rest >> HS_LONG_SHIFT;
        }
        if (rest == 0) {
            /* The highest bit stands in for the one that only a damaged bitmap lacks. */
            rest = word[2] | UINT32_C(0x80000000);
            size += HS_WORD_BITS;
        }
    }
    return size + hs_word_lowest(rest);
}

/* The size of a block that was made for `granules`: one more where one would have been left over. */
static HS_INLINE uint32_t hs_taken_size(const uint32_t *bitmap, uint32_t block, uint32_t granules)
{
    return granules + (hs_bit(bitmap, block + granules) ^ 1u);
}

/* The size of the free block before a block, 0 where that is in use. HS_DAMAGED: what lies before is
 * not what the bits say; or no block begins here, and this is the second granule of a free one. */
#define HS_DAMAGED UINT32_MAX

static HS_STEP uint32_t hs_free_before(const hs_heap_t *heap, uint32_t block)
{
    if (hs_bit(hs_bitmap(heap), block - 1) == 0) {
        return 0;
    }
    const uint32_t size = ~hs_at(heap, block)[HS_FOOTER];
    if (HS_UNLIKELY(size >= block || hs_at(heap, block - size)[HS_SIZE] != size)) {
        return HS_DAMAGED;
    }
    return size;
}

/* Is `granule` the second of a free block, which alone of all others looks like a used one? */
bool hs_heap_is_in_free(const hs_heap_t *heap, uint32_t granule);

/* Does a block begin at index `at`, or lies in it what looks like a beginning? */
static HS_INLINE bool hs_begins(const hs_heap_t *heap, uintptr_t at)
{
    return at < heap->end && hs_bit(hs_bitmap(heap), (uint32_t)at) != 0;
}

/* Granules of the used block that seems to begin at index `at`, where hs_begins() is true: the second
 * granule of a free block does, too, until hs_free_before() is asked. 0: none. */
static HS_INLINE uint32_t hs_seeming_size(const hs_heap_t *heap, uint32_t block)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    if (hs_is_long(bitmap[block / HS_WORD_BITS])) {
        return 0;
    }
    const uint32_t size = hs_used_size(bitmap, block);
    return size >= HS_BLOCK_MIN ? size : 0;
}

/* The same for any index. */
static HS_STEP uint32_t hs_seems_used(const hs_heap_t *heap, uintptr_t at)
{
    return hs_begins(heap, at) ? hs_seeming_size(heap, (uint32_t)at) : 0;
}

/* After the size of a used block was chosen, and before it is given up. */
static HS_INLINE void hs_mark_long(uint32_t *bitmap, uint32_t block, uint32_t size)
{
    if (HS_UNLIKELY(size >= HS_LONG)) {
        bitmap[block / HS_WORD_BITS + 1] = size << HS_LONG_SHIFT | HS_LONG_MARK;
    }
}

static HS_INLINE void hs_clear_long(uint32_t *bitmap, uint32_t block, uint32_t size)
{
    if (HS_UNLIKELY(size >= HS_LONG)) {
        bitmap[block / HS_WORD_BITS + 1] = 0;
    }
}

/* ---- bins ------------------------------------------------------------------------------------- */

#define HS_BIN_EXACT 16u /* below, a bin holds one size; from here on there are four an octave */

#define HS_BIN_SMALL_END 0x10000u /* granules; no block of the small form has so many */

/* `wide`: of a heap that may have blocks of HS_BIN_SMALL_END granules. */
static HS_STEP uint32_t hs_bin_of(uint32_t granules, bool wide)
{
#if HS_HAS_CLZ
    (void)wide;
    if (granules < HS_BIN_EXACT) {
        return granules;
    }
    const uint32_t shift = hs_word_highest(granules) - 2;
    return (shift << 2) + (granules >> shift) + 4;
#elif !HS_LEAN
    HS_ASSERT(wide || granules < HS_BIN_SMALL_END);
    /* Four octaves are 16 bins. A loop takes more instructions. */
    const uint8_t *const octaves = hs_heap_bins + HS_BINS_LISTED;
    if (granules < HS_BINS_LISTED << 4) {
        return granules < HS_BINS_LISTED ? hs_heap_bins[granules] : octaves[granules >> 4] + 16u;
    }
    if (granules < HS_BINS_LISTED << 8) {
        return octaves[granules >> 8] + 32u;
    }
    if (!wide || granules < HS_BINS_LISTED << 12) {
        return octaves[granules >> 12] + 48u;
    }
    return granules < HS_BINS_LISTED << 16 ? octaves[granules >> 16] + 64u
                                           : octaves[granules >> 20] + 80u;
#else
    (void)wide;
    if (granules < HS_BIN_EXACT) {
        return granules;
    }
    /* Towards 4 to 7. A loop of five steps takes twice as many instructions. */
    uint32_t shift = 0;
    if (HS_WIDE && granules >> 18 != 0) {
        granules >>= 16;
        shift = 16;
    }
    if (granules >> 10 != 0) {
        granules >>= 8;
        shift += 8;
    }
    if (granules >> 6 != 0) {
        granules >>= 4;
        shift += 4;
    }
    if (granules >> 4 != 0) {
        granules >>= 2;
        shift += 2;
    }
    if (granules >> 3 != 0) {
        granules >>= 1;
        shift += 1;
    }
    return (shift << 2) + granules + 4;
#endif
}

/* The head of a bin, which lies before the handle: bin 2, the first, right before it. */
static HS_INLINE uint32_t hs_head_of_bin(const hs_heap_t *heap, uint32_t bin, bool wide)
{
    HS_ASSERT(bin >= HS_BLOCK_MIN);
    return wide ? ((const uint32_t *)heap)[1 - (int32_t)bin]
                : ((const hs_half_t *)heap)[1 - (int32_t)bin];
}

/* The bin of a heap's largest block: control and bitmap take four granules at least. */
static inline uint32_t hs_last_bin(uint32_t granules)
{
    HS_ASSERT(granules >= 4 + HS_BLOCK_MIN);
    return hs_bin_of(granules - 4, true);
}

/* Free blocks that a search compares in the bin of the request's own size, where a block may be too small.
 * Each fits in the next bin that is not empty: there the first is taken where the own bin had blocks, and
 * the smallest of so many where it was empty. */
#define HS_LOOK 4u
/* The same where nothing larger is free: before it gives up, a search looks at this many, the first
 * ones included. */
#define HS_LOOK_LAST 6u

/* ---- payload ---------------------------------------------------------------------------------- */

/* Copies words, since some memory faults on byte access; volatile, so that no compiler turns the loop
 * into memmove. Upwards: `to` may lie below `from` and overlap it. */
static HS_SHARED void hs_copy(hs_word_t *to, const hs_word_t *from, uint32_t words)
{
    uint32_t i = 0;
#if !HS_LEAN
    for (; i + 1 < words; i += 2) { /* bound: copied */
        const uint32_t low = from[i];
        const uint32_t high = from[i + 1];
        ((volatile hs_word_t *)to)[i] = low;
        ((volatile hs_word_t *)to)[i + 1] = high;
    }
#endif
    for (; i < words; i++) { /* bound: copied */
        ((volatile hs_word_t *)to)[i] = from[i];
    }
}

static HS_SHARED void hs_zero(hs_word_t *from, const hs_word_t *end)
{
    for (volatile hs_word_t *word = from; word < end; word++) { /* bound: filled */
        *word = 0;
    }
}

#endif
