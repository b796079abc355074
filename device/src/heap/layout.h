/*
 * What a heap looks like in memory. Offsets are granule indices: granule i lies 8 * i bytes behind
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
 * granules; and the size again as its very last word.
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

enum hs_free_word { HS_NEXT = 0, HS_PREVIOUS = 1, HS_SIZE = 2, HS_FOOTER = -1 };

struct hs_heap {
    uint32_t wide;    /* 0: bins of 16 bits, slots. 1: bins of 32 bits */
    uint32_t free;    /* granules in free blocks and free slots */
    uint32_t minimum; /* low-water mark of `free` */
    uint32_t end;     /* index of the granule behind the last */
    uint32_t unit;    /* blocks begin and end on multiples of unit + 1 granules: 0 or 1 */
    uint32_t slots;   /* first slab, or 0; and above 16 bits the seal */
    uint32_t words[]; /* map, bitmap */
};

static inline uint32_t *hs_at(const hs_heap_t *heap, uint32_t granule)
{
    return (uint32_t *)((uintptr_t)heap + ((uintptr_t)granule << HS_GRANULE_SHIFT));
}

static inline uint32_t hs_map_words(const hs_heap_t *heap)
{
    return HS_MAP_SMALL + heap->wide;
}

static inline uint32_t *hs_bitmap(const hs_heap_t *heap)
{
    return (uint32_t *)heap->words + hs_map_words(heap);
}

/* Words of a bitmap for granules up to and including `end` and the clear bit behind it. */
static inline uint32_t hs_bitmap_words(uint32_t end)
{
    return (end + 1 + HS_WORD_BITS) / HS_WORD_BITS;
}

/* The first granule that blocks can have. */
static inline uint32_t hs_first(const hs_heap_t *heap)
{
    const uint32_t bytes =
        (uint32_t)sizeof(hs_heap_t) + 4 * (hs_map_words(heap) + hs_bitmap_words(heap->end));
    const uint32_t first = (bytes + HS_GRANULE - 1) / HS_GRANULE;
    return (first + heap->unit) & ~heap->unit;
}

static inline uint32_t hs_slots(const hs_heap_t *heap)
{
    return heap->slots & 0xFFFFu;
}

/* Tells whether `end`, `wide` and `unit`, which never change, are what they were. */
static inline uint32_t hs_seal_of(const hs_heap_t *heap)
{
    return (heap->end ^ heap->end >> 11 ^ heap->wide * 0x1555u ^ heap->unit * 0x2AAAu) & 0xFFFFu;
}

static inline uint32_t hs_seal(const hs_heap_t *heap)
{
    /* The whole word: word-only memory has no other access, and compilers know narrower ones. */
    return *(const volatile uint32_t *)&heap->slots >> 16;
}

/* The granule of an address; more than any heap has for one before it or between granules. */
static inline uintptr_t hs_granule_of(const hs_heap_t *heap, const void *address)
{
    const uintptr_t distance = (uintptr_t)address - (uintptr_t)heap;
    /* Rotated, so that an address between granules comes out as a huge index. */
    return distance >> HS_GRANULE_SHIFT | distance << (sizeof(uintptr_t) * 8 - HS_GRANULE_SHIFT);
}

/* ---- bits ------------------------------------------------------------------------------------- */

static inline uint32_t hs_bit(const uint32_t *bitmap, uint32_t i)
{
    return bitmap[i / HS_WORD_BITS] >> i % HS_WORD_BITS & 1u;
}

static inline void hs_set(uint32_t *bitmap, uint32_t i)
{
    bitmap[i / HS_WORD_BITS] |= UINT32_C(1) << i % HS_WORD_BITS;
}

static inline void hs_clear(uint32_t *bitmap, uint32_t i)
{
    bitmap[i / HS_WORD_BITS] &= ~(UINT32_C(1) << i % HS_WORD_BITS);
}

static inline void hs_set_two(uint32_t *bitmap, uint32_t i)
{
    uint32_t *word = bitmap + i / HS_WORD_BITS;
    const uint32_t at = i % HS_WORD_BITS;
    word[0] |= UINT32_C(3) << at;
    if (HS_UNLIKELY(at == HS_WORD_BITS - 1)) {
        word[1] |= 1u;
    }
}

static inline void hs_clear_two(uint32_t *bitmap, uint32_t i)
{
    uint32_t *word = bitmap + i / HS_WORD_BITS;
    const uint32_t at = i % HS_WORD_BITS;
    word[0] &= ~(UINT32_C(3) << at);
    if (HS_UNLIKELY(at == HS_WORD_BITS - 1)) {
        word[1] &= ~1u;
    }
}

static inline bool hs_is_long(uint32_t word)
{
    return (word & HS_LONG_MASK) == HS_LONG_MARK;
}

/* Granules of the used block at `block`; 1 where a free block begins instead. */
static inline uint32_t hs_used_size(const uint32_t *bitmap, uint32_t block)
{
    const uint32_t *word = bitmap + block / HS_WORD_BITS;
    const uint32_t at = block % HS_WORD_BITS;
    const uint32_t rest = word[0] >> at >> 1;
    if (rest != 0) {
        return hs_word_lowest(rest) + 1;
    }
    if (hs_is_long(word[1])) {
        return word[1] >> HS_LONG_SHIFT;
    }
    if (word[1] != 0) {
        return HS_WORD_BITS - at + hs_word_lowest(word[1]);
    }
    /* The highest bit stands in for the one that only a damaged bitmap lacks. */
    return 2 * HS_WORD_BITS - at + hs_word_lowest(word[2] | UINT32_C(0x80000000));
}

/* Granules of the used block at index `at`; 0: none begins there. */
static inline uint32_t hs_used_at(const hs_heap_t *heap, const uint32_t *bitmap, uintptr_t at)
{
    if (at >= heap->end) {
        return 0;
    }
    const uint32_t block = (uint32_t)at;
    const uint32_t word = bitmap[block / HS_WORD_BITS];
    if ((word >> block % HS_WORD_BITS & 1u) == 0 || hs_is_long(word)) {
        return 0;
    }
    const uint32_t size = hs_used_size(bitmap, block);
    return size >= HS_BLOCK_MIN ? size : 0;
}

/* After the size of a used block was chosen, and before it is given up. */
static inline void hs_mark_long(uint32_t *bitmap, uint32_t block, uint32_t size)
{
    if (HS_UNLIKELY(size >= HS_LONG)) {
        bitmap[block / HS_WORD_BITS + 1] = size << HS_LONG_SHIFT | HS_LONG_MARK;
    }
}

static inline void hs_clear_long(uint32_t *bitmap, uint32_t block, uint32_t size)
{
    if (HS_UNLIKELY(size >= HS_LONG)) {
        bitmap[block / HS_WORD_BITS + 1] = 0;
    }
}

/* ---- bins ------------------------------------------------------------------------------------- */

#define HS_BIN_EXACT 16u /* below, a bin holds one size; from here on there are four an octave */

static inline uint32_t hs_bin_of(uint32_t granules)
{
    if (granules < HS_BIN_EXACT) {
        return granules;
    }
    const uint32_t shift = hs_word_highest(granules) - 2;
    return (shift << 2) + (granules >> shift) + 4;
}

/* The bin of a heap's largest block: control and bitmap take four granules at least. */
static inline uint32_t hs_last_bin(uint32_t granules)
{
    return hs_bin_of(granules - 4);
}

/* ---- slabs ------------------------------------------------------------------------------------ */

/* A slab is a used block of 16 granules, or 17 where one would have been left over: a head and 15
 * slots. Head, as words: 0 the free slots, one
 * bit each, and above them the check; 1 the next slab, and above it the previous one, in a circular
 * list in which those with a free slot come first. */
#define HS_SLAB 16u
#define HS_SLAB_FREE 0xFFFEu /* all 15 slots are free */

static inline uint32_t hs_slab_check(uint32_t slab)
{
    return (~slab * 0x9E37u & 0xFFFFu) << 16;
}

/* Is the used block at `slab`, of `size` granules, a slab? */
bool hs_is_slab(const hs_heap_t *heap, uint32_t slab, uint32_t size);

/* The slab whose slot is at granule `slot` (in use or not), or 0. */
uint32_t hs_slab_of(const hs_heap_t *heap, uint32_t slot);

/* ---- payload ---------------------------------------------------------------------------------- */

/* Whole granules, by words: also for memory that knows no bytes. Upwards, so that `to` may lie below
 * `from` and overlap it. */
static inline void hs_copy(uint32_t *to, const uint32_t *from, uint32_t granules)
{
    for (uint32_t i = 0; i < 2 * granules; i += 2) {
        const uint32_t low = from[i];
        const uint32_t high = from[i + 1];
        to[i] = low;
        to[i + 1] = high;
    }
}

#endif
