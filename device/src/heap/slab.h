/*
 * Slabs, of the small form: a slab is a used block of slots of one size, for requests that a block
 * of two granules would waste most on. It has 14 slots, of one word each (kind 0, 8 granules) or of
 * two (kind 1, 15 granules); the block may be one granule longer, where that would have been left
 * over.
 *
 * The slabs of a kind are in a circular list, in which those with a free slot come first.
 */
#ifndef HEAPSCOPE_HEAP_SLAB_H
#define HEAPSCOPE_HEAP_SLAB_H

#include "layout.h"

/* The first granule of a slab. */
typedef struct HS_ANY_TYPE hs_slab {
    uint16_t slots; /* free ones, a bit each from bit 0 on */
    uint16_t sign;  /* bit 0: the kind; the rest follows from the place */
    uint16_t next;  /* granules */
    uint16_t previous;
} hs_slab_t;

static HS_INLINE hs_slab_t *hs_slab_at(const hs_heap_t *heap, uint32_t slab)
{
    return (hs_slab_t *)hs_at(heap, slab);
}

#define HS_SLAB_SIGN 0x5A5Au

static inline uint16_t hs_slab_sign(uint32_t slab, uint32_t kind)
{
    return (uint16_t)((slab ^ HS_SLAB_SIGN) << 1 | kind);
}

static inline uint32_t hs_slot_words(uint32_t kind)
{
    return UINT32_C(1) << kind;
}

#define HS_SLAB_SLOTS 14u

/* Granules of a slab: fewer than 16, since blocks below 16 are found without a search. */
static inline uint32_t hs_slab_granules(uint32_t kind)
{
    return 8 + 7 * kind;
}

/* First slab of each kind, or 0. */
static inline hs_half_t *hs_slabs(const hs_heap_t *heap)
{
    return (hs_half_t *)(heap->words + HS_MAP_SMALL);
}

static HS_INLINE bool hs_slab_is_signed(const hs_heap_t *heap, uint32_t slab)
{
    /* The kind does not count; the sign has 15 bits of the place. */
    return (hs_slab_at(heap, slab)->sign >> 1 ^ slab ^ HS_SLAB_SIGN) << 17 == 0;
}

static inline uint32_t hs_slab_kind(const hs_heap_t *heap, uint32_t slab)
{
    return hs_slab_at(heap, slab)->sign & 1u;
}

/* A payload may hold anything; but another slab would have to point back at it. */
static HS_INLINE bool hs_slab_is_linked(const hs_heap_t *heap, uint32_t slab)
{
    const uint32_t next = hs_slab_at(heap, slab)->next;
    return next < heap->end && hs_slab_at(heap, next)->previous == slab &&
           (next != slab || hs_slabs(heap)[hs_slab_kind(heap, slab)] == slab);
}

static HS_STEP bool hs_slab_is_sound(const hs_heap_t *heap, uint32_t slab)
{
    return HS_UNLIKELY(hs_slab_is_signed(heap, slab)) && hs_slab_is_linked(heap, slab);
}

/* Is the used block at `slab`, of `size` granules, a slab? For the small form. */
static HS_STEP bool hs_small_is_slab(const hs_heap_t *heap, uint32_t slab, uint32_t size)
{
    return size - 8 < 10 && hs_slab_is_sound(heap, slab) &&
           size - hs_slab_granules(hs_slab_kind(heap, slab)) < 2;
}

/* The same for any form; no part of a word is read in one that may have whole words only. */
static inline bool hs_is_slab(const hs_heap_t *heap, uint32_t slab, uint32_t size)
{
    return !hs_is_wide(heap) && hs_small_is_slab(heap, slab, size);
}

/* A place in a slab. */
typedef struct hs_slot {
    uint32_t slab; /* 0: no block at that address */
    uint32_t bit;
} hs_slot_t;

/* The slot at `address` of a heap of the small form, in use or not. */
static HS_STEP hs_slot_t hs_slot_at(const hs_heap_t *heap, const void *address)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    hs_slot_t slot = {0, 0};
    const uintptr_t distance = (uintptr_t)address - (uintptr_t)heap;
    if (distance >= (uintptr_t)heap->end * HS_GRANULE || distance % 4 != 0) {
        return slot;
    }
    /* The slab begins at the last set bit before, in its word or the one before. */
    const uint32_t granule = (uint32_t)distance / HS_GRANULE;
    uint32_t at = granule / HS_WORD_BITS;
    uint32_t word = bitmap[at];
    if (hs_is_long(word)) {
        return slot;
    }
    word &= UINT32_MAX >> (~granule % HS_WORD_BITS);
    if (word == 0) {
        word = at != 0 ? bitmap[--at] : 0;
        if (word == 0 || hs_is_long(word)) {
            return slot;
        }
    }
    const uint32_t slab = at * HS_WORD_BITS + hs_word_highest(word);
    if (!hs_slab_is_sound(heap, slab)) {
        return slot;
    }
    const uint32_t kind = hs_slab_kind(heap, slab);
    const uint32_t index = (uint32_t)distance / 4 - 2 * slab - 2; /* in words behind the head */
    if (index >> kind < HS_SLAB_SLOTS && (index & kind) == 0) {
        slot.slab = slab;
        slot.bit = UINT32_C(1) << (index >> kind);
    }
    return slot;
}

/* Granules of the used block at index `at`; 0: none begins there, or it is a slab. `slots`: the heap
 * has slabs. */
static HS_STEP uint32_t hs_used_at(const hs_heap_t *heap, uintptr_t at, bool slots)
{
    const uint32_t size = hs_seems_used(heap, at);
    return size == 0 || hs_free_before(heap, (uint32_t)at) == HS_DAMAGED ||
                   (slots && hs_small_is_slab(heap, (uint32_t)at, size))
               ? 0
               : size;
}

#endif
