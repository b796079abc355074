/* Bins and their blocks, read as if they could be anything; for any form. */
#ifndef HEAPSCOPE_GUARD_SEARCH_H
#define HEAPSCOPE_GUARD_SEARCH_H

#include "links.h"

#if HS_GUARD

/* Do size and links of the free block at `block` agree with what they lead to? */
static inline bool hs_is_sound(const hs_heap_t *heap, uint32_t block)
{
    if (!hs_is_place(heap, block)) {
        return false;
    }
    const uint32_t *const self = hs_at(heap, block);
    const uint32_t next = self[HS_NEXT];
    const uint32_t previous = self[HS_PREVIOUS];
    const uint32_t size = self[HS_SIZE];
    return hs_is_place(heap, next) && hs_is_place(heap, previous) &&
           hs_at(heap, next)[HS_PREVIOUS] == block && hs_at(heap, previous)[HS_NEXT] == block &&
           size - HS_BLOCK_MIN <= heap->end - block - HS_BLOCK_MIN && self[2 * size - 1] == ~size;
}

/* The smallest size of a bin; granules. */
static inline uint32_t hs_bin_least(uint32_t bin)
{
    return bin < HS_BIN_EXACT ? bin : (4 + bin % 4) << (bin / 4 - 2);
}

/* Is hs_bin_of(size, ...) == bin? Answered without a search for the highest bit. */
static inline bool hs_is_in_bin(uint32_t bin, uint32_t size)
{
    return bin < HS_BIN_EXACT ? size == bin : size >> (bin / 4 - 2) == 4 + bin % 4;
}

/* Does the heap have that bin? */
static inline bool hs_has_bin(const hs_heap_t *heap, uint32_t bin)
{
    return hs_bin_least(bin) <= heap->end - 4;
}

/* Is the block sound, and in that bin? */
static inline bool hs_is_of_bin(const hs_heap_t *heap, uint32_t block, uint32_t bin)
{
    return hs_is_sound(heap, block) && hs_is_in_bin(bin, hs_at(heap, block)[HS_SIZE]);
}

/* The first block of a bin that the heap has, 0: none. */
static inline uint32_t hs_bin_first(const hs_heap_t *heap, uint32_t bin)
{
    return hs_is_wide(heap) ? ((const uint32_t *)heap)[1 - (int32_t)bin]
                            : ((const hs_half_t *)heap)[1 - (int32_t)bin];
}

/* The same. HS_UNSOUND: the map says otherwise. */
static inline uint32_t hs_bin_head(const hs_heap_t *heap, uint32_t bin)
{
    const uint32_t head = hs_bin_first(heap, bin);
    return (head != 0) == (hs_bit(heap->words, bin) != 0) ? head : HS_UNSOUND;
}

/* Can a block be put into a bin that `one` and `other` are no longer in? */
bool hs_guard_can_insert(const hs_heap_t *heap, uint32_t bin, uint32_t one, uint32_t other);

#endif

#endif
