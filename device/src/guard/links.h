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

/* Do the size and the links of the free block at `block` agree with what they lead to? */
bool hs_free_is_sound(const hs_heap_t *heap, uint32_t block);

/* The same of a slab and its list. */
bool hs_slab_is_sound(const hs_heap_t *heap, uint32_t slab);
/* The same of the first slabs of both kinds. */
bool hs_slabs_are_sound(const hs_heap_t *heap);

#define HS_GUARD_FORM(NAME)                                                                        \
    bool NAME##_candidate(const hs_heap_t *heap, uint32_t granules, uint32_t *block);              \
    bool NAME##_has_place(const hs_heap_t *heap, uint32_t granules);                               \
    bool NAME##_can_align(const hs_heap_t *heap, uint32_t granules, uint32_t alignment)

HS_GUARD_FORM(hs_guard_small);
HS_GUARD_FORM(hs_guard_wide);

/* What a malloc of so many granules would take; 0: nothing. False: it would follow a link that is
 * wrong, or put what it leaves beside one. */
static inline bool hs_candidate(const hs_heap_t *heap, uint32_t granules, uint32_t *block)
{
    return hs_is_wide(heap) ? hs_guard_wide_candidate(heap, granules, block)
                            : hs_guard_small_candidate(heap, granules, block);
}

/* Can a free block of so many granules be put into its bin? */
static inline bool hs_has_place(const hs_heap_t *heap, uint32_t granules)
{
    return hs_is_wide(heap) ? hs_guard_wide_has_place(heap, granules)
                            : hs_guard_small_has_place(heap, granules);
}

/* Can an aligned block be searched for? */
static inline bool hs_can_align(const hs_heap_t *heap, uint32_t granules, uint32_t alignment)
{
    return hs_is_wide(heap) ? hs_guard_wide_can_align(heap, granules, alignment)
                            : hs_guard_small_can_align(heap, granules, alignment);
}

/* Can a slot of a slab be taken, or a slab be made? */
bool hs_can_take_slot(const hs_heap_t *heap, uint32_t size);

/* What a used block is in the bitmap: itself, or the slab of a slot; and its neighbours. */
typedef struct hs_around {
    uint32_t at, size;       /* granules */
    uint32_t before, behind; /* of the free blocks beside it, 0: none */
} hs_around_t;

/* False: a link beside the block at `raw`, of `whole` bytes, is wrong, or its place in a bin. */
bool hs_look_around(const hs_heap_t *heap, uintptr_t raw, uint32_t whole, hs_around_t *around);

#endif

#endif
