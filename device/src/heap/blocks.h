/*
 * Taking and giving blocks, for one form: included after HS_BIN_T, HS_MAP and HS_SLOTS are defined.
 * All sizes are granules. The one place that writes the bitmap.
 */
#ifndef HEAPSCOPE_HEAP_BLOCKS_H
#define HEAPSCOPE_HEAP_BLOCKS_H

#include "bins.h"

static inline uint32_t whole_units(const hs_heap_t *heap, size_t bytes)
{
    const uint32_t granules = ((uint32_t)bytes + HS_GRANULE - 1) >> HS_GRANULE_SHIFT;
    const uint32_t unit = heap->shape & HS_UNIT;
    return (granules + unit) & ~unit;
}

static inline uint32_t block_granules(const hs_heap_t *heap, size_t size)
{
    const uint32_t granules = whole_units(heap, size);
    return granules < HS_BLOCK_MIN ? HS_BLOCK_MIN : granules;
}

static inline void note_minimum(hs_heap_t *heap)
{
    if (heap->free < heap->minimum) {
        heap->minimum = heap->free;
    }
}

/* Writes size and footer of a free block; its bits and its bin are the caller's. */
static inline void write_size(hs_heap_t *heap, uint32_t block, uint32_t size)
{
    hs_at(heap, block)[HS_SIZE] = size;
    hs_at(heap, block + size)[HS_FOOTER] = size;
}

/* Makes a used block of `granules` from the start of a free one. */
static inline void carve(hs_heap_t *heap, uint32_t block, uint32_t bin, uint32_t granules)
{
    uint32_t *const bitmap = bits_of(heap);
    const uint32_t size = hs_at(heap, block)[HS_SIZE];
    const uint32_t left = size - granules;
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
static inline uint32_t take(hs_heap_t *heap, uint32_t granules)
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

/* The size of the free block behind a used one, 0 where that is in use, or HS_DAMAGED. */
static inline uint32_t free_behind(const hs_heap_t *heap, uint32_t next)
{
    if (hs_bit(bits_of(heap), next + 1) == 0) {
        return 0;
    }
    const uint32_t most = heap->end - next;
    if (HS_UNLIKELY(most - 1 >= heap->end)) { /* the end is never free */
        return HS_DAMAGED;
    }
    const uint32_t size = hs_at(heap, next)[HS_SIZE];
    return size - HS_BLOCK_MIN <= most - HS_BLOCK_MIN && hs_at(heap, next + size)[HS_FOOTER] == size
               ? size
               : HS_DAMAGED;
}

/* Turns the used block [block, block + size) into a free one, merged with its neighbours. */
static inline hs_status_t give(hs_heap_t *heap, uint32_t block, uint32_t size)
{
    uint32_t *const bitmap = bits_of(heap);
    const uint32_t next = block + size;
    const uint32_t before = hs_free_before(heap, bitmap, block);
    const uint32_t behind = free_behind(heap, next);
    if (HS_UNLIKELY(before == HS_DAMAGED || behind == HS_DAMAGED)) {
        return hs_is_in_free(heap, block) ? HS_ERR_ARGUMENT : HS_ERR_CORRUPT;
    }
    heap->free += 2 * size;
    hs_clear_long(bitmap, block, size);
    if (behind == 0) {
        hs_set(bitmap, next - 1);
    } else if (behind == HS_BLOCK_MIN) {
        hs_clear(bitmap, next); /* its second bit is its last, too, and stays */
    } else {
        hs_clear_two(bitmap, next);
    }
    if (before == 0) {
        hs_set(bitmap, block + 1);
        write_size(heap, block, size + behind);
        if (behind != 0) {
            bin_move(heap, next, hs_bin_of(behind), block, hs_bin_of(size + behind));
        } else {
            bin_insert(heap, block, hs_bin_of(size));
        }
        return HS_OK;
    }
    if (before == HS_BLOCK_MIN) {
        hs_clear(bitmap, block);
    } else {
        hs_clear_two(bitmap, block - 1);
    }
    if (behind != 0) {
        bin_remove(heap, next, hs_bin_of(behind));
    }
    const uint32_t first = block - before;
    const uint32_t whole = before + size + behind;
    const uint32_t from = hs_bin_of(before);
    const uint32_t to = hs_bin_of(whole);
    write_size(heap, first, whole);
    if (from != to) {
        bin_remove(heap, first, from);
        bin_insert(heap, first, to);
    }
    return HS_OK;
}

/* Takes a free block away from its bin and clears its bits; the memory is the caller's then. */
static inline void absorb(hs_heap_t *heap, uint32_t block, uint32_t size)
{
    uint32_t *const bitmap = bits_of(heap);
    bin_remove(heap, block, hs_bin_of(size));
    hs_clear_two(bitmap, block);
    hs_clear(bitmap, block + size - 1);
    heap->free -= 2 * size;
}

/* Of [block, block + size), which has no bit set but perhaps the first, and no free neighbour:
 * a used block of `granules`, and a free one of the rest where that is large enough. */
static inline void settle(hs_heap_t *heap, uint32_t block, uint32_t size, uint32_t granules)
{
    uint32_t *const bitmap = bits_of(heap);
    const uint32_t left = size - granules;
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
