/*
 * Slots of 8 bytes for the smallest requests, for the small form: a used block has two granules at
 * least, a slot has one and shares a head with 14 others.
 */
#ifndef HEAPSCOPE_HEAP_SLOTS_H
#define HEAPSCOPE_HEAP_SLOTS_H

#include "blocks.h"

static inline void set_slots(hs_heap_t *heap, uint32_t slab)
{
    heap->slots = (heap->slots & 0xFFFF0000u) | slab;
}

static inline void set_next(hs_heap_t *heap, uint32_t slab, uint32_t next)
{
    uint32_t *const links = hs_at(heap, slab) + 1;
    *links = (*links & 0xFFFF0000u) | next;
}

static inline void set_previous(hs_heap_t *heap, uint32_t slab, uint32_t previous)
{
    uint32_t *const links = hs_at(heap, slab) + 1;
    *links = (*links & 0xFFFFu) | previous << 16;
}

/* In front of all others. */
static inline void slab_link(hs_heap_t *heap, uint32_t slab)
{
    const uint32_t next = hs_slots(heap) != 0 ? hs_slots(heap) : slab;
    hs_at(heap, slab)[1] = slab << 16 | next;
    const uint32_t previous = hs_at(heap, next)[1] >> 16;
    set_previous(heap, slab, previous);
    set_next(heap, previous, slab);
    set_previous(heap, next, slab);
    set_slots(heap, slab);
}

static inline void slab_unlink(hs_heap_t *heap, uint32_t slab)
{
    const uint32_t links = hs_at(heap, slab)[1];
    const uint32_t next = links & 0xFFFFu;
    set_next(heap, links >> 16, next);
    set_previous(heap, next, links >> 16);
    if (hs_slots(heap) == slab) {
        set_slots(heap, next != slab ? next : 0);
    }
}

static inline bool slot_is_free(const hs_heap_t *heap) /* any */
{
    return hs_slots(heap) != 0 && (hs_at(heap, hs_slots(heap))[0] & HS_SLAB_FREE) != 0;
}

static inline bool slot_is_used(const hs_heap_t *heap, uint32_t slot)
{
    const uint32_t slab = hs_slab_of(heap, slot);
    return slab != 0 && (hs_at(heap, slab)[0] >> (slot - slab) & 1u) == 0;
}

/* Where no slab can be had, the smallest block does. */
static HS_RARE uint32_t slot_take(hs_heap_t *heap)
{
    uint32_t slab = hs_slots(heap);
    if (!slot_is_free(heap)) {
        slab = take(heap, HS_SLAB);
        if (slab == 0) {
            slab = take(heap, HS_BLOCK_MIN);
            note_minimum(heap);
            return slab;
        }
        heap->free += HS_SLAB - 1; /* all but the head */
        hs_at(heap, slab)[0] = hs_slab_check(slab) | HS_SLAB_FREE;
        slab_link(heap, slab);
    }
    uint32_t *const head = hs_at(heap, slab);
    const uint32_t slots = head[0] & HS_SLAB_FREE;
    const uint32_t left = slots & (slots - 1);
    head[0] = (head[0] & 0xFFFF0000u) | left;
    if (left == 0) {
        set_slots(heap, hs_at(heap, slab)[1] & 0xFFFFu); /* the full one is the last now */
    }
    heap->free--;
    note_minimum(heap);
    return slab + hs_word_lowest(slots);
}

static HS_RARE hs_status_t slot_give(hs_heap_t *heap, uint32_t slot)
{
    const uint32_t slab = hs_slab_of(heap, slot);
    if (slab == 0) {
        return HS_ERR_ARGUMENT;
    }
    uint32_t *const head = hs_at(heap, slab);
    const uint32_t self = UINT32_C(1) << (slot - slab);
    if ((head[0] & self) != 0) {
        return HS_ERR_ARGUMENT; /* freed before */
    }
    if ((head[0] & HS_SLAB_FREE) == 0) {
        slab_unlink(heap, slab);
        slab_link(heap, slab);
    }
    head[0] |= self;
    heap->free++;
    if ((head[0] & HS_SLAB_FREE) == HS_SLAB_FREE) {
        slab_unlink(heap, slab);
        heap->free -= HS_SLAB - 1;
        return give(heap, slab, hs_used_size(bits_of(heap), slab));
    }
    return HS_OK;
}

#endif
