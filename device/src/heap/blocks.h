/*
 * Taking and giving blocks, for one form: included after HS_IS_WIDE is defined.
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

static HS_STEP uint32_t block_granules(const hs_heap_t *heap, size_t size)
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

/* Makes a used block of `granules` from the start of [block, block + size), whose beginning is marked, and
 * a free one from the rest where that is large enough. `old`: the free block that the rest comes from, if
 * it is still in its bin `from`; else `from` is 0. All of the range counts as free before. */
static HS_STEP void settle(hs_heap_t *heap, uint32_t from, uint32_t block, uint32_t size,
                           uint32_t granules)
{
    uint32_t *const bitmap = bits_of(heap);
    const uint32_t left = size - granules;
    HS_ASSERT(granules >= HS_BLOCK_MIN && granules <= size && size <= heap->end - block);
    if (left < HS_BLOCK_MIN) {
        granules = size;
        if (from != 0) {
            bin_remove(heap, block, from);
        }
        hs_end_used(bitmap, block + size);
    } else {
        hs_set_two(bitmap, block + granules);
        if (HS_LEAN || from == 0) {
            hs_end_free(bitmap, block + size);
        }
        bin_put(heap, block, from, block + granules, left);
    }
    heap->free -= 2 * granules;
    hs_mark_long(bitmap, block, granules);
}

/* A used block of `granules` at least, or 0. The low-water mark is the caller's. */
static HS_STEP uint32_t take(hs_heap_t *heap, uint32_t granules)
{
    if (2 * granules > heap->free) {
        return 0;
    }
    uint32_t bin = 0;
    const uint32_t block = bin_find(heap, granules, &bin);
    if (block != 0) {
        hs_begin_used(bits_of(heap), block);
        settle(heap, bin, block, hs_at(heap, block)[HS_SIZE], granules);
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

/* The status when a neighbour contradicts itself: damage, unless `block` is not a block at all. */
static HS_RARE hs_status_t why_not(const hs_heap_t *heap, uint32_t block)
{
    return hs_heap_is_in_free(heap, block) ? HS_ERR_ARGUMENT : HS_ERR_CORRUPT;
}

/* Turns the used block [block, block + size) into a free one, merged with its neighbours. */
static HS_STEP hs_status_t give(hs_heap_t *heap, uint32_t block, uint32_t size)
{
    uint32_t *const bitmap = bits_of(heap);
    const uint32_t next = block + size;
    uint32_t begin = block;
    uint32_t end = next;
    uint32_t old = 0;
    uint32_t from = 0;
    HS_ASSERT(size >= HS_BLOCK_MIN);
    if (hs_bit(bitmap, next + 1) != 0) {
        const uint32_t behind = size_behind(heap, next);
        if (HS_UNLIKELY(behind == 0)) {
            return why_not(heap, block);
        }
        old = next;
        from = hs_bin_of(behind);
        end += behind;
    }
    if (hs_bit(bitmap, block - 1) != 0) {
        const uint32_t before = size_before(heap, block);
        if (HS_UNLIKELY(before == 0)) {
            return why_not(heap, block);
        }
        if (from != 0) {
            bin_remove(heap, old, from);
        }
        begin -= before;
        old = begin;
        from = hs_bin_of(before);
        hs_clear_two(bitmap, block - 1);
    }
    heap->free += 2 * size;
    hs_clear_long(bitmap, block, size);
    if (end != next) {
        hs_clear_two(bitmap, next);
    }
    if (HS_LEAN || block - begin <= HS_BLOCK_MIN) {
        hs_set_two(bitmap, begin);
    }
    if (HS_LEAN || end - next <= HS_BLOCK_MIN) {
        hs_end_free(bitmap, end);
    }
    bin_put(heap, old, from, begin, end - begin);
    return HS_OK;
}

#endif
