/*
 * Free blocks by size, for one form: included with HS_IS_WIDE, which tells the form of a heap. A bin is a
 * circular list, headed by the block that is to be looked at first; the map has a bit for each bin that
 * is not empty.
 */
#ifndef HEAPSCOPE_HEAP_BINS_H
#define HEAPSCOPE_HEAP_BINS_H

#include "layout.h"

static HS_INLINE uint32_t bin_of(const hs_heap_t *heap, uint32_t granules)
{
    (void)heap; /* each form has its own code, or both one */
    return hs_bin_of(granules, HS_IS_WIDE(heap));
}

static HS_INLINE uint32_t bin_head(const hs_heap_t *heap, uint32_t bin)
{
    HS_ASSERT(bin <= hs_last_bin(heap->end));
    return hs_head_of_bin(heap, bin, HS_IS_WIDE(heap));
}

static HS_INLINE void bin_set_head(hs_heap_t *heap, uint32_t bin, uint32_t block)
{
    HS_ASSERT(bin >= HS_BLOCK_MIN && bin <= hs_last_bin(heap->end));
    if (HS_IS_WIDE(heap)) {
        ((uint32_t *)heap)[1 - (int32_t)bin] = block;
    } else {
        ((hs_half_t *)heap)[1 - (int32_t)bin] = (hs_half_t)block;
    }
}

static HS_INLINE uint32_t *bits_of(const hs_heap_t *heap)
{
    return (uint32_t *)heap->words + hs_words_before(HS_IS_WIDE(heap));
}

/* Writes the links between three neighbours of a list. */
static HS_STEP void bin_link(hs_heap_t *heap, uint32_t previous, uint32_t block, uint32_t next)
{
    uint32_t *const self = hs_at(heap, block);
    hs_at(heap, previous)[HS_NEXT] = block;
    self[HS_PREVIOUS] = previous;
    self[HS_NEXT] = next;
    hs_at(heap, next)[HS_PREVIOUS] = block;
}

/* Low addresses go first, as far as two comparisons can tell. */
static HS_STEP void bin_insert(hs_heap_t *heap, uint32_t block, uint32_t bin)
{
    HS_ASSERT(block >= hs_first(heap) && block + HS_BLOCK_MIN <= heap->end);
    uint32_t next = bin_head(heap, bin);
    uint32_t previous = block;
    if (next == 0) {
        next = block;
        bin_set_head(heap, bin, block);
        heap->words[bin / HS_WORD_BITS] |= UINT32_C(1) << bin % HS_WORD_BITS;
    } else {
        previous = hs_at(heap, next)[HS_PREVIOUS];
        if (block < next) {
            bin_set_head(heap, bin, block);
        } else if (block < previous) {
            previous = next;
            next = hs_at(heap, next)[HS_NEXT];
        }
    }
    bin_link(heap, previous, block, next);
}

static HS_STEP void bin_remove(hs_heap_t *heap, uint32_t block, uint32_t bin)
{
    const uint32_t next = hs_at(heap, block)[HS_NEXT];
    if (next == block) {
        bin_set_head(heap, bin, 0);
        heap->words[bin / HS_WORD_BITS] &= ~(UINT32_C(1) << bin % HS_WORD_BITS);
        return;
    }
    const uint32_t previous = hs_at(heap, block)[HS_PREVIOUS];
    hs_at(heap, previous)[HS_NEXT] = next;
    hs_at(heap, next)[HS_PREVIOUS] = previous;
    if (bin_head(heap, bin) == block) {
        bin_set_head(heap, bin, next);
    }
}

#if !HS_LEAN
/* `block` takes the place that `old` has in its bin. */
static HS_INLINE void bin_replace(hs_heap_t *heap, uint32_t old, uint32_t block, uint32_t bin)
{
    uint32_t next = hs_at(heap, old)[HS_NEXT];
    uint32_t previous = hs_at(heap, old)[HS_PREVIOUS];
    if (bin_head(heap, bin) == old) {
        bin_set_head(heap, bin, block);
    }
    if (next == old) {
        next = block;
        previous = block;
    }
    bin_link(heap, previous, block, next);
}
#endif

/* Writes size and footer of the free block at `block` and gives it a place in the bin of that size: the
 * place of the free block at `old`, which it comes from, where that has the same bin, `from`. `from` 0:
 * it comes from none. */
static HS_STEP void bin_put(hs_heap_t *heap, uint32_t old, uint32_t from, uint32_t block,
                            uint32_t size)
{
    HS_ASSERT(size >= HS_BLOCK_MIN && size <= heap->end - block);
    const uint32_t to = bin_of(heap, size);
    if (from != to) {
        if (from != 0) {
            bin_remove(heap, old, from);
        }
        bin_insert(heap, block, to);
    } else if (old != block) {
#if HS_LEAN
        bin_link(heap, old, block, hs_at(heap, old)[HS_NEXT]);
        bin_remove(heap, old, from);
#else
        bin_replace(heap, old, block, from);
#endif
    }
    hs_at(heap, block)[HS_SIZE] = size;
    hs_at(heap, block + size)[HS_FOOTER] = ~size;
}

/* The first bin from `bin` on that is not empty, or 0. */
static HS_STEP uint32_t bin_from(const hs_heap_t *heap, uint32_t bin)
{
    const uint32_t words = HS_IS_WIDE(heap) ? HS_MAP_WIDE : HS_MAP_SMALL;
    uint32_t at = bin / HS_WORD_BITS;
    uint32_t match = at < words ? heap->words[at] & UINT32_MAX << bin % HS_WORD_BITS : 0;
    while (match == 0 && ++at < words) { /* bound: map - 1 */
        match = heap->words[at];
    }
    return match != 0 ? at * HS_WORD_BITS + hs_word_lowest(match) : 0;
}

#if !HS_LEAN
/* The same; where these are empty, the first of all that is not. `bin`: in the first word. */
static HS_INLINE uint32_t bin_from_else(const hs_heap_t *heap, uint32_t bin)
{
    HS_ASSERT(bin < HS_WORD_BITS);
    uint32_t match = heap->words[0] & UINT32_MAX << bin;
    uint32_t at = 0;
    for (uint32_t i = 1; match == 0 && i < HS_MAP_SMALL; i++) { /* bound: map - 1 */
        match = heap->words[i];
        at = i;
    }
    if (match == 0) {
        match = heap->words[0];
        at = 0;
    }
    return match != 0 ? at * HS_WORD_BITS + hs_word_lowest(match) : 0;
}
#endif

/* A free block, 0 for none, and in the upper half its bin. Two registers hold both. */
typedef uint64_t fit_t;

static HS_INLINE fit_t fit_in(uint32_t bin, uint32_t block)
{
    return (uint64_t)bin << 32 | block;
}

#if HS_LEAN

/* The smallest that holds `granules` among up to `left` blocks of the list from `head` on, or 0. */
static HS_STEP uint32_t bin_best(const hs_heap_t *heap, uint32_t head, uint32_t granules,
                                 uint32_t left)
{
    uint32_t best = 0;
    uint32_t best_size = UINT32_MAX;
    uint32_t block = head;
    HS_ASSERT(head != 0 && left != 0);
    do { /* bound: left */
        const uint32_t *const self = hs_at(heap, block);
        const uint32_t size = self[HS_SIZE];
        if (size >= granules && size < best_size) {
            best = block;
            best_size = size;
            if (size == granules) {
                break;
            }
        }
        block = self[HS_NEXT];
    } while (--left != 0 && block != head);
    return best;
}

/* A free block for `granules`, not more than are free. */
static HS_STEP fit_t bin_find(const hs_heap_t *heap, uint32_t granules)
{
    HS_ASSERT(granules >= HS_BLOCK_MIN && 2 * granules <= heap->free);
    uint32_t at = bin_of(heap, granules);
    uint32_t look = HS_LOOK;
    const uint32_t head = bin_head(heap, at);
    if (head != 0) {
        const uint32_t match = bin_best(heap, head, granules, look); /* left: HS_LOOK */
        if (match != 0) {
            return fit_in(at, match);
        }
        look = 1;
    }
    const uint32_t above = bin_from(heap, at + 1);
    if (above != 0) {
        at = above;
        look = above < HS_BIN_EXACT ? 1 : look; /* there all are of one size */
    } else if (head != 0) {
        look = HS_LOOK_LAST;
    } else {
        return 0;
    }
    /* left: HS_LOOK_LAST */
    return fit_in(at, bin_best(heap, bin_head(heap, at), granules, look));
}

#else

/* Blocks of a list that are still to be looked at. */
typedef struct look {
    uint32_t block; /* the next one */
    uint32_t left;  /* how many at most */
} look_t;

/* The smallest that holds `granules` among the blocks of the list from `head` on, or 0. */
static HS_INLINE uint32_t bin_best(const hs_heap_t *heap, uint32_t head, uint32_t granules,
                                   look_t *look)
{
    uint32_t best = 0;
    uint32_t best_size = UINT32_MAX;
    HS_ASSERT(look->block != 0 && look->left != 0);
    do { /* bound: left */
        const uint32_t block = look->block;
        const uint32_t *const self = hs_at(heap, block);
        const uint32_t size = self[HS_SIZE];
        if (size >= granules && size < best_size) {
            best = block;
            if (size == granules) {
                break;
            }
            best_size = size;
        }
        look->block = self[HS_NEXT];
        look->left--;
    } while (look->left != 0 && look->block != head);
    return best;
}

/* The same where each is known to be large enough. */
static HS_INLINE uint32_t bin_least(const hs_heap_t *heap, uint32_t head, uint32_t look)
{
    HS_ASSERT(head != 0 && look != 0);
    uint32_t best = head;
    uint32_t best_size = hs_at(heap, head)[HS_SIZE];
    /* bound: look - 1 */
    for (uint32_t block = hs_at(heap, head)[HS_NEXT]; --look != 0 && block != head;
         block = hs_at(heap, block)[HS_NEXT]) {
        const uint32_t size = hs_at(heap, block)[HS_SIZE];
        if (size < best_size) {
            best = block;
            best_size = size;
        }
    }
    HS_ASSUME(best != 0);
    return best;
}

/* A free block of bin `at`, the first that is not empty and holds what is wanted, or 0. */
static HS_INLINE fit_t bin_take_from(const hs_heap_t *heap, uint32_t at)
{
    if (at < HS_BIN_EXACT) {
        const uint32_t head = at != 0 ? bin_head(heap, at) : 0;
        return fit_in(at, head);
    }
    return fit_in(at, bin_least(heap, bin_head(heap, at), HS_LOOK)); /* look: HS_LOOK */
}

/* A free block for `granules`, not more than are free. */
static HS_INLINE fit_t bin_find(const hs_heap_t *heap, uint32_t granules)
{
    HS_ASSERT(granules >= HS_BLOCK_MIN && 2 * granules <= heap->free);
    if (granules <= HS_BIN_EXACT) { /* each in the first bin of several sizes fits, too */
        return bin_take_from(heap, bin_from(heap, granules));
    }
    const uint32_t at = bin_of(heap, granules);
    const uint32_t head = bin_head(heap, at);
    if (head == 0) {
        return bin_take_from(heap, bin_from(heap, at + 1));
    }
    look_t look = {head, HS_LOOK};
    uint32_t block = bin_best(heap, head, granules, &look); /* left: HS_LOOK */
    if (block == 0) {
        const uint32_t above = bin_from(heap, at + 1);
        if (above != 0) {
            return fit_in(above, bin_head(heap, above));
        }
        if (look.block != head) { /* those looked at are all too small */
            look.left = HS_LOOK_LAST - HS_LOOK;
            /* left: HS_LOOK_LAST - HS_LOOK */
            block = bin_best(heap, head, granules, &look);
        }
    }
    return fit_in(at, block);
}

#endif

#endif
