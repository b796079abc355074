/*
 * Free blocks by size, for one form: included with HS_BIN_T, the type of a bin, and HS_MAP, the words
 * of the map. A bin is a circular list, headed by the block that is to be looked at first; the map
 * has a bit for each bin that is not empty.
 */
#ifndef HEAPSCOPE_HEAP_BINS_H
#define HEAPSCOPE_HEAP_BINS_H

#include "layout.h"

static HS_INLINE HS_BIN_T *bin_at(hs_heap_t *heap, uint32_t bin)
{
    HS_ASSERT(bin >= HS_BLOCK_MIN && bin <= hs_last_bin(heap->end));
    return (HS_BIN_T *)heap + 1 - (int32_t)bin; /* bin 2, the first, lies right before the heap */
}

static HS_INLINE uint32_t bin_head(const hs_heap_t *heap, uint32_t bin)
{
    return ((const HS_BIN_T *)heap)[1 - (int32_t)bin];
}

static HS_INLINE uint32_t *bits_of(const hs_heap_t *heap)
{
    return (uint32_t *)heap->words + hs_words_before(HS_MAP == HS_MAP_WIDE);
}

/* Low addresses go first, as far as two comparisons can tell. */
static HS_INLINE void bin_insert(hs_heap_t *heap, uint32_t block, uint32_t bin)
{
    HS_ASSERT(block >= hs_first(heap) && block + HS_BLOCK_MIN <= heap->end);
    HS_ASSERT(hs_bin_of(hs_at(heap, block)[HS_SIZE]) == bin);
    HS_BIN_T *const head = bin_at(heap, bin);
    uint32_t next = *head;
    uint32_t *const self = hs_at(heap, block);
    if (next == 0) {
        self[HS_NEXT] = block;
        self[HS_PREVIOUS] = block;
        *head = (HS_BIN_T)block;
        heap->words[bin / HS_WORD_BITS] |= UINT32_C(1) << bin % HS_WORD_BITS;
        return;
    }
    uint32_t previous = hs_at(heap, next)[HS_PREVIOUS];
    if (block < next) {
        *head = (HS_BIN_T)block;
    } else if (block < previous) {
        previous = next;
        next = hs_at(heap, next)[HS_NEXT];
    }
    hs_at(heap, previous)[HS_NEXT] = block;
    self[HS_PREVIOUS] = previous;
    self[HS_NEXT] = next;
    hs_at(heap, next)[HS_PREVIOUS] = block;
}

static HS_INLINE void bin_remove(hs_heap_t *heap, uint32_t block, uint32_t bin)
{
    const uint32_t next = hs_at(heap, block)[HS_NEXT];
    HS_BIN_T *const head = bin_at(heap, bin);
    if (next == block) {
        *head = 0;
        heap->words[bin / HS_WORD_BITS] &= ~(UINT32_C(1) << bin % HS_WORD_BITS);
        return;
    }
    const uint32_t previous = hs_at(heap, block)[HS_PREVIOUS];
    hs_at(heap, previous)[HS_NEXT] = next;
    hs_at(heap, next)[HS_PREVIOUS] = previous;
    if (*head == block) {
        *head = (HS_BIN_T)next;
    }
}

/* `block` takes the place that `old` has in its bin. */
static HS_INLINE void bin_replace(hs_heap_t *heap, uint32_t old, uint32_t block, uint32_t bin)
{
    uint32_t next = hs_at(heap, old)[HS_NEXT];
    uint32_t previous = hs_at(heap, old)[HS_PREVIOUS];
    HS_BIN_T *const head = bin_at(heap, bin);
    if (*head == old) {
        *head = (HS_BIN_T)block;
    }
    if (next == old) {
        next = block;
        previous = block;
    }
    hs_at(heap, block)[HS_NEXT] = next;
    hs_at(heap, block)[HS_PREVIOUS] = previous;
    hs_at(heap, previous)[HS_NEXT] = block;
    hs_at(heap, next)[HS_PREVIOUS] = block;
}

static HS_INLINE void bin_move(hs_heap_t *heap, uint32_t old, uint32_t from, uint32_t block,
                               uint32_t to)
{
    if (from == to) {
        bin_replace(heap, old, block, from);
    } else {
        bin_remove(heap, old, from);
        bin_insert(heap, block, to);
    }
}

/* The first bin from `bin` on that is not empty, or 0. */
static HS_INLINE uint32_t bin_from(const hs_heap_t *heap, uint32_t bin)
{
    uint32_t at = bin / HS_WORD_BITS;
    uint32_t found = at < HS_MAP ? heap->words[at] & UINT32_MAX << bin % HS_WORD_BITS : 0;
    while (found == 0 && ++at < HS_MAP) { /* bound: HS_MAP - 1 */
        found = heap->words[at];
    }
    return found != 0 ? at * HS_WORD_BITS + hs_word_lowest(found) : 0;
}

/* The smallest that holds `granules` among up to *look blocks of a list from `head` on, or 0. */
static HS_INLINE uint32_t bin_best(const hs_heap_t *heap, uint32_t head, uint32_t granules,
                                   uint32_t *look)
{
    uint32_t best = 0;
    uint32_t best_size = UINT32_MAX;
    uint32_t left = *look;
    HS_ASSERT(head != 0 && left != 0);
    uint32_t block = head;
    do { /* bound: look */
        const uint32_t *const self = hs_at(heap, block);
        const uint32_t size = self[HS_SIZE];
        if (size >= granules && size < best_size) {
            best = block;
            if (size == granules) {
                break;
            }
            best_size = size;
        }
        block = self[HS_NEXT];
        left--;
    } while (left != 0 && block != head);
    *look = left;
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
    return best;
}

/* A free block for `granules`, not more than are free; and its bin. 0: none. */
static HS_INLINE uint32_t bin_find(const hs_heap_t *heap, uint32_t granules, uint32_t *bin)
{
    HS_ASSERT(granules >= HS_BLOCK_MIN && 2 * granules <= heap->free);
    if (granules < HS_BIN_EXACT) {
        const uint32_t at = bin_from(heap, granules);
        *bin = at;
        if (at < HS_BIN_EXACT) {
            return at != 0 ? bin_head(heap, at) : 0;
        }
        return bin_least(heap, bin_head(heap, at), HS_LOOK); /* look: HS_LOOK */
    }
    uint32_t look = HS_LOOK;
    const uint32_t at = hs_bin_of(granules);
    const uint32_t head = bin_head(heap, at);
    /* look: HS_LOOK */
    uint32_t block = head != 0 ? bin_best(heap, head, granules, &look) : 0;
    *bin = at;
    if (block == 0) {
        const uint32_t above = bin_from(heap, at + 1);
        if (above != 0) {
            *bin = above;
            /* look: HS_LOOK */
            block = bin_least(heap, bin_head(heap, above), look + (look == 0));
        } else if (head != 0) {
            look = HS_LOOK_LAST;
            /* look: HS_LOOK_LAST */
            block = bin_best(heap, head, granules, &look);
        }
    }
    return block;
}

#endif
