/*
 * Taking and giving blocks, for one form: included after HS_BIN_T, HS_MAP and HS_SLOTS are defined.
 * All sizes are granules. The one place that writes the bitmap.
 */
#ifndef HEAPSCOPE_HEAP_BLOCKS_H
#define HEAPSCOPE_HEAP_BLOCKS_H

#include "bins.h"

static HS_INLINE uint32_t whole_units(const hs_heap_t *heap, size_t bytes)
{
    const uint32_t granules = ((uint32_t)bytes + HS_GRANULE - 1) >> HS_GRANULE_SHIFT;
    return granules + (granules & heap->shape & HS_UNIT);
}

static HS_INLINE uint32_t block_granules(const hs_heap_t *heap, size_t size)
{
    const uint32_t granules = whole_units(heap, size);
    return granules < HS_BLOCK_MIN ? HS_BLOCK_MIN : granules;
}

static HS_INLINE void note_minimum(hs_heap_t *heap)
{
    if (heap->free < heap->minimum) {
        heap->minimum = heap->free;
    }
}

/* Writes size and footer of a free block; its bits and its bin are the caller's. */
static HS_INLINE void write_size(hs_heap_t *heap, uint32_t block, uint32_t size)
{
    HS_ASSERT(size >= HS_BLOCK_MIN && size <= heap->end - block);
    hs_at(heap, block)[HS_SIZE] = size;
    hs_at(heap, block + size)[HS_FOOTER] = ~size;
}

/* Makes a used block of `granules` from the start of a free one. */
static HS_INLINE void carve(hs_heap_t *heap, uint32_t block, uint32_t bin, uint32_t granules)
{
    uint32_t *const bitmap = bits_of(heap);
    const uint32_t size = hs_at(heap, block)[HS_SIZE];
    const uint32_t left = size - granules;
    HS_ASSERT(granules >= HS_BLOCK_MIN && granules <= size);
    hs_clear(bitmap, block + 1);
    if (left < HS_BLOCK_MIN) {
        bin_remove(heap, block, bin);
        hs_clear(bitmap, block + size - 1);
        granules = size;
    } else {
        const uint32_t rest = block + granules;
        write_size(heap, rest, left);
        hs_set_two(bitmap, rest);
        bin_move(heap, block, bin, rest, hs_bin_of(left));
    }
    heap->free -= 2 * granules;
    hs_mark_long(bitmap, block, granules);
}

/* A used block of `granules` at least, or 0. The low-water mark is the caller's. */
static HS_INLINE uint32_t take(hs_heap_t *heap, uint32_t granules)
{
    if (2 * granules > heap->free) {
        return 0;
    }
    uint32_t bin = 0;
    const uint32_t block = bin_find(heap, granules, &bin);
    if (block != 0) {
        carve(heap, block, bin, granules);
    }
    return block;
}

/* The size of the free block at `next`, or 0 where it contradicts itself. */
static HS_INLINE uint32_t size_behind(const hs_heap_t *heap, uint32_t next)
{
    const uint32_t most = heap->end - next;
    if (HS_UNLIKELY(most - HS_BLOCK_MIN >= heap->end)) {
        return 0; /* no block has room there */
    }
    const uint32_t size = hs_at(heap, next)[HS_SIZE];
    return size - 1 < most && hs_at(heap, next + size)[HS_FOOTER] == ~size ? size : 0;
}

/* The size of the free block that ends at `block`, or 0 where it contradicts itself; and where
 * `block` is only the second granule of a free one. */
static HS_INLINE uint32_t size_before(const hs_heap_t *heap, uint32_t block)
{
    const uint32_t size = ~hs_at(heap, block)[HS_FOOTER];
    return size < block && hs_at(heap, block - size)[HS_SIZE] == size ? size : 0;
}

/* Are both sizes of one bin? `larger` exceeds the other by two or more. */
static HS_INLINE bool share_bin(uint32_t size, uint32_t larger)
{
    HS_ASSERT(larger >= size + HS_BLOCK_MIN);
    return ((size ^ larger) >> (hs_word_highest(larger) - 2)) == 0;
}

/* Clears the first bits of the free block at `next`, which is merged into the one before it. Where it
 * has two granules, its second bit is also its last one and stays. */
static HS_INLINE void clear_begin(uint32_t *bitmap, uint32_t next, uint32_t size)
{
    if (HS_UNLIKELY(size == HS_BLOCK_MIN)) {
        hs_clear(bitmap, next);
    } else {
        hs_clear_two(bitmap, next);
    }
}

/* The status when a neighbour contradicts itself: damage, unless `block` is not a block at all. */
static HS_RARE hs_status_t why_not(const hs_heap_t *heap, uint32_t block)
{
    return hs_heap_is_in_free(heap, block) ? HS_ERR_ARGUMENT : HS_ERR_CORRUPT;
}

/* Turns the used block [block, block + size) into a free one, merged with its neighbours. */
static HS_INLINE hs_status_t give(hs_heap_t *heap, uint32_t block, uint32_t size)
{
    uint32_t *const bitmap = bits_of(heap);
    const uint32_t next = block + size;
    uint32_t whole = size;
    HS_ASSERT(size >= HS_BLOCK_MIN);
    if (hs_bit(bitmap, next + 1) != 0) {
        const uint32_t behind = size_behind(heap, next);
        if (HS_UNLIKELY(behind == 0)) {
            return why_not(heap, block);
        }
        whole += behind;
    }
    if (hs_bit(bitmap, block - 1) != 0) {
        const uint32_t before = size_before(heap, block);
        if (HS_UNLIKELY(before == 0)) {
            return why_not(heap, block);
        }
        heap->free += 2 * size;
        hs_clear_long(bitmap, block, size);
        if (HS_UNLIKELY(before == HS_BLOCK_MIN)) {
            hs_clear(bitmap, block);
        } else {
            hs_clear_two(bitmap, block - 1);
        }
        if (whole == size) {
            hs_set(bitmap, next - 1);
        } else {
            clear_begin(bitmap, next, whole - size);
            bin_remove(heap, next, hs_bin_of(whole - size));
        }
        block -= before;
        whole += before;
        write_size(heap, block, whole);
        if (!share_bin(before, whole)) {
            bin_remove(heap, block, hs_bin_of(before));
            bin_insert(heap, block, hs_bin_of(whole));
        }
        return HS_OK;
    }
    heap->free += 2 * size;
    hs_clear_long(bitmap, block, size);
    hs_set(bitmap, block + 1);
    write_size(heap, block, whole);
    if (whole == size) {
        hs_set(bitmap, next - 1);
        bin_insert(heap, block, hs_bin_of(whole));
    } else {
        clear_begin(bitmap, next, whole - size);
        bin_move(heap, next, hs_bin_of(whole - size), block, hs_bin_of(whole));
    }
    return HS_OK;
}

/* Takes a free block away from its bin and clears its bits; the memory is the caller's then. */
static HS_INLINE void absorb(hs_heap_t *heap, uint32_t block, uint32_t size)
{
    uint32_t *const bitmap = bits_of(heap);
    HS_ASSERT(size >= HS_BLOCK_MIN && 2 * size <= heap->free);
    bin_remove(heap, block, hs_bin_of(size));
    hs_clear_two(bitmap, block);
    hs_clear(bitmap, block + size - 1);
    heap->free -= 2 * size;
}

/* Makes a used block of `granules` from [block, block + size), and a free one from the rest where that
 * is large enough. The range has no bit set except perhaps the first, and no free neighbour. */
static HS_INLINE void settle(hs_heap_t *heap, uint32_t block, uint32_t size, uint32_t granules)
{
    uint32_t *const bitmap = bits_of(heap);
    const uint32_t left = size - granules;
    HS_ASSERT(granules >= HS_BLOCK_MIN && granules <= size && size <= heap->end - block);
    hs_set(bitmap, block);
    if (left < HS_BLOCK_MIN) {
        hs_mark_long(bitmap, block, size);
        return;
    }
    const uint32_t rest = block + granules;
    hs_mark_long(bitmap, block, granules);
    hs_set_two(bitmap, rest);
    hs_set(bitmap, rest + left - 1);
    write_size(heap, rest, left);
    bin_insert(heap, rest, hs_bin_of(left));
    heap->free += 2 * left;
}

#endif
