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

/* ---- bits at the borders of blocks ------------------------------------------------------------- */

/* Bits i and i + 1 become bits 0 and 1 of `two`. */
static HS_STEP void put_two(hs_heap_t *heap, uint32_t i, uint32_t two)
{
    uint32_t *const word = bits_of(heap) + i / HS_WORD_BITS;
    const uint32_t at = i % HS_WORD_BITS;
    word[0] = (word[0] & ~(UINT32_C(3) << at)) | two << at;
    if (HS_UNLIKELY(at == HS_WORD_BITS - 1)) {
        word[1] = (word[1] & ~1u) | two >> 1;
    }
}

/* The first bits of a free block. */
static HS_INLINE void begin_free(hs_heap_t *heap, uint32_t block)
{
    put_two(heap, block, 3);
}

/* The free block at `block` becomes a used one: its second bit goes. */
static HS_INLINE void begin_used(hs_heap_t *heap, uint32_t block)
{
    if (HS_LEAN) {
        put_two(heap, block, 1);
    } else {
        hs_clear(bits_of(heap), block + 1);
    }
}

/* The last bit of a free block up to `end`, where another one begins. */
static HS_INLINE void end_free(hs_heap_t *heap, uint32_t end)
{
    if (HS_LEAN) {
        put_two(heap, end - 1, 3);
    } else {
        hs_set(bits_of(heap), end - 1);
    }
}

/* The same of a used block. */
static HS_INLINE void end_used(hs_heap_t *heap, uint32_t end)
{
    if (HS_LEAN) {
        put_two(heap, end - 1, 2);
    } else {
        hs_clear(bits_of(heap), end - 1);
    }
}

/* ---- taking and giving ------------------------------------------------------------------------- */

/* Makes a used block of `granules` from the start of [block, block + size), whose beginning is marked, and
 * a free one from the rest where that is large enough. `from`: the bin that the free block at `block` is
 * still in, or 0. All of the range counts as free before. */
static HS_STEP void settle(hs_heap_t *heap, uint32_t from, uint32_t block, uint32_t size,
                           uint32_t granules)
{
    const uint32_t left = size - granules;
    HS_ASSERT(granules >= HS_BLOCK_MIN && granules <= size && size <= heap->end - block);
    if (left < HS_BLOCK_MIN) {
        granules = size;
        if (from != 0) {
            bin_remove(heap, block, from);
        }
        end_used(heap, block + size);
    } else {
        begin_free(heap, block + granules);
        if (HS_LEAN || from == 0) {
            end_free(heap, block + size);
        }
        bin_put(heap, block, from, block + granules, left);
    }
    heap->free -= 2 * granules;
    hs_mark_long(bits_of(heap), block, granules);
}

#if HS_ENDS
/* The same at the end of the free block [block, block + size), whose beginning stays free. Gives the used
 * block, which is all of it where the rest is too small. */
static HS_STEP uint32_t settle_high(hs_heap_t *heap, uint32_t from, uint32_t block, uint32_t size,
                                    uint32_t granules)
{
    const uint32_t left = size - granules;
    HS_ASSERT(granules >= HS_BLOCK_MIN && granules <= size && size <= heap->end - block);
    if (left < HS_BLOCK_MIN) {
        begin_used(heap, block);
        settle(heap, from, block, size, granules);
        return block;
    }
    const uint32_t high = block + left;
    end_used(heap, block + size);
    put_two(heap, high, 1);
    end_free(heap, high);
    bin_put(heap, block, from, block, left);
    heap->free -= 2 * granules;
    hs_mark_long(bits_of(heap), high, granules);
    return high;
}
#endif

/* Makes a used block of `granules` at least of the free one that was found, and gives it, or 0. The
 * low-water mark is the caller's. */
static HS_INLINE uint32_t take_fit(hs_heap_t *heap, uint32_t granules, fit_t match)
{
    const uint32_t block = (uint32_t)match;
    if (block != 0) {
        const uint32_t from = (uint32_t)(match >> 32);
        HS_ASSUME(from != 0);
#if HS_ENDS
        if ((heap->shape & HS_HIGH) != 0) {
            return settle_high(heap, from, block, hs_at(heap, block)[HS_SIZE], granules);
        }
#endif
        begin_used(heap, block);
        settle(heap, from, block, hs_at(heap, block)[HS_SIZE], granules);
    }
    return block;
}

static HS_STEP uint32_t take(hs_heap_t *heap, uint32_t granules)
{
    return 2 * granules <= heap->free ? take_fit(heap, granules, bin_find(heap, granules)) : 0;
}

/* The size of the free block that begins at `next`, 0 where a used one does, or HS_DAMAGED. */
static HS_STEP uint32_t free_behind(const hs_heap_t *heap, uint32_t next)
{
    if (hs_bit(bits_of(heap), next + 1) == 0) {
        return 0;
    }
    const uint32_t most = heap->end - next;
    if (HS_UNLIKELY(most - HS_BLOCK_MIN >= heap->end)) {
        return HS_DAMAGED; /* no block has room there */
    }
    const uint32_t size = hs_at(heap, next)[HS_SIZE];
    if (HS_UNLIKELY(size - 1 >= most || hs_at(heap, next + size)[HS_FOOTER] != ~size)) {
        return HS_DAMAGED;
    }
    return size;
}

/* The status when a neighbour contradicts itself: damage, unless `block` is not a block at all. */
static HS_APART hs_status_t why_not(const hs_heap_t *heap, uint32_t block)
{
    return hs_heap_is_in_free(heap, block) ? HS_ERR_ARGUMENT : HS_ERR_CORRUPT;
}

/* Clears the first bits of the free block at `next`, which is merged into the one before it. Where it
 * has two granules, its second bit is also its last one and stays. */
static HS_INLINE void merge_begin(hs_heap_t *heap, uint32_t next, uint32_t size)
{
    if (HS_UNLIKELY(size == HS_BLOCK_MIN)) {
        hs_clear(bits_of(heap), next);
    } else {
        put_two(heap, next, 0);
    }
}

/* Turns the used block [block, block + size) into a free one, merged with its neighbours. */
static HS_STEP hs_status_t give(hs_heap_t *heap, uint32_t block, uint32_t size)
{
    const uint32_t next = block + size;
    HS_ASSERT(size >= HS_BLOCK_MIN);
    const uint32_t behind = free_behind(heap, next);
    if (HS_UNLIKELY(behind == HS_DAMAGED)) {
        return why_not(heap, block);
    }
    const uint32_t before = hs_free_before(heap, block);
    if (HS_UNLIKELY(before == HS_DAMAGED)) {
        return why_not(heap, block);
    }
    heap->free += 2 * size;
    hs_clear_long(bits_of(heap), block, size);
#if HS_LEAN
    /* All bits at the borders go, and those of the whole are set; whatever was free before. */
    uint32_t old = 0;
    if (behind != 0) {
        old = next;
        put_two(heap, next, 0);
    }
    if (before != 0) {
        if (behind != 0) {
            bin_remove(heap, next, bin_of(heap, behind));
        }
        put_two(heap, block - 1, 0);
        block -= before;
        old = block;
    }
    size += before + behind;
    begin_free(heap, block);
    end_free(heap, block + size);
    bin_put(heap, old, old != 0 ? bin_of(heap, hs_at(heap, old)[HS_SIZE]) : 0, block, size);
#else
    if (before == 0) {
        hs_set(bits_of(heap), block + 1);
        if (behind == 0) {
            hs_set(bits_of(heap), next - 1);
            bin_put(heap, 0, 0, block, size);
        } else {
            merge_begin(heap, next, behind);
            bin_put(heap, next, bin_of(heap, behind), block, size + behind);
        }
        return HS_OK;
    }
    put_two(heap, block - 1, 0);
    block -= before;
    if (HS_UNLIKELY(before == HS_BLOCK_MIN)) {
        hs_set(bits_of(heap), block + 1);
    }
    if (behind == 0) {
        hs_set(bits_of(heap), next - 1);
    } else {
        merge_begin(heap, next, behind);
        bin_remove(heap, next, bin_of(heap, behind));
    }
    bin_put(heap, block, bin_of(heap, before), block, before + size + behind);
#endif
    return HS_OK;
}

#endif
