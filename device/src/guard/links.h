/*
 * The heap follows the links of free blocks as they are. From HS_GUARD_LINKS on the guard looks
 * first: at each link that a call is going to follow, and at what it leads to. Bounded, as the
 * heap's own searches are.
 */
#ifndef HEAPSCOPE_GUARD_LINKS_H
#define HEAPSCOPE_GUARD_LINKS_H

#include "../heap/slab.h"
#include "marks.h"

#if HS_GUARD || HS_OWNERS

#define HS_UNSOUND UINT32_MAX /* in place of a block */

/* Do shape and end agree, which tell where everything else lies? The sum is that of hs_shape_of(), but
 * not cut off: it also differs for an end that no heap can have, whose high bits the seal leaves out. */
static inline bool hs_is_sealed(const hs_heap_t *heap)
{
    const uint32_t shape = heap->shape;
    return (shape >> HS_SEAL_SHIFT & HS_SEAL_MASK) ==
           heap->end * 5 + (shape & HS_UNIT) + 2 * (uint32_t)hs_is_wide(heap);
}

/* Is the block at granule `block`, the first of one or the end, a free one? */
static inline bool hs_is_free_at(const hs_heap_t *heap, uint32_t block)
{
    return block < heap->end && hs_bit(hs_bitmap(heap), block + 1) != 0;
}

static inline uint32_t hs_free_size_of(const hs_heap_t *heap, uint32_t block)
{
    return hs_is_free_at(heap, block) ? hs_at(heap, block)[HS_SIZE] : 0;
}

static inline uint32_t hs_index_of(const hs_heap_t *heap, uintptr_t raw)
{
    return (uint32_t)((raw - (uintptr_t)heap) >> HS_GRANULE_SHIFT);
}

/* Is a block of so many bytes a slot of a slab? */
static inline bool hs_is_slot(const hs_heap_t *heap, uint32_t whole)
{
    return whole <= HS_SLOT_MAX && !hs_is_wide(heap);
}

/* Can a block lie there, as far as the heap's size tells? Control and bitmap take four granules at
 * least; any other wrong place shows by its links. */
static inline bool hs_is_place(const hs_heap_t *heap, uint32_t block)
{
    return block - 4 <= heap->end - HS_BLOCK_MIN - 4;
}

/* A used block, or the slab of a slot, with its neighbours in the bitmap. */
typedef struct hs_around {
    uint32_t at, size;       /* granules */
    uint32_t before, behind; /* of the free blocks beside it, 0: none */
    bool sound;              /* nothing that its free would follow is wrong */
} hs_around_t;

/* Bytes of the used block or slot at `raw`, the same as hs_heap_usable_size; 0: none begins there. */
uint32_t hs_guard_look_around(const hs_heap_t *heap, uintptr_t raw, hs_around_t *around);

/* The block that a malloc of so many granules would take; 0: none. HS_UNSOUND: it would follow a link
 * that is wrong, or put the rest beside one. */
uint32_t hs_guard_candidate(const hs_heap_t *heap, uint32_t granules);

/* Can a slot of a slab be taken, or a slab be made? */
bool hs_guard_can_take_slot(const hs_heap_t *heap, uint32_t size);

/* Can an aligned block be searched for? */
bool hs_guard_can_align(const hs_heap_t *heap, uint32_t granules, uint32_t alignment);

/* Can a free block of so many granules be put into its bin, the free neighbours being in none? */
bool hs_guard_can_put(const hs_heap_t *heap, const hs_around_t *around, uint32_t granules);

#endif

#endif
