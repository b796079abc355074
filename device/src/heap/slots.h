/*
 * Slots for the small sizes that a block would waste most on, for the small form: a used block has
 * two granules at least and whole granules always; a slot has whole words and shares a head with the
 * others of its slab.
 */
#ifndef HEAPSCOPE_HEAP_SLOTS_H
#define HEAPSCOPE_HEAP_SLOTS_H

#include "blocks.h"

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

/* In front of all others of its kind. */
static inline void slab_link(hs_heap_t *heap, uint32_t slab, uint16_t *first)
{
    const uint32_t next = *first != 0 ? *first : slab;
    hs_at(heap, slab)[1] = slab << 16 | next;
    const uint32_t previous = hs_at(heap, next)[1] >> 16;
    set_previous(heap, slab, previous);
    set_next(heap, previous, slab);
    set_previous(heap, next, slab);
    *first = (uint16_t)slab;
}

static inline void slab_unlink(hs_heap_t *heap, uint32_t slab, uint16_t *first)
{
    const uint32_t links = hs_at(heap, slab)[1];
    const uint32_t next = links & 0xFFFFu;
    set_next(heap, links >> 16, next);
    set_previous(heap, next, links >> 16);
    if (*first == slab) {
        *first = (uint16_t)(next != slab ? next : 0);
    }
}

static inline uint32_t kind_for(size_t size)
{
    return size > 4;
}

static inline bool slot_is_free(const hs_heap_t *heap, uint32_t kind) /* any */
{
    const uint32_t slab = hs_slabs(heap)[kind];
    return slab != 0 && (hs_at(heap, slab)[0] & 0xFFFFu) != 0;
}

/* What malloc can still serve where there is no free block; bytes. */
static inline uint32_t largest_slot(const hs_heap_t *heap)
{
    /* Every smaller size must be served, too. */
    const uint32_t small = slot_is_free(heap, 0) ? 4 : 0;
    return small != 0 && slot_is_free(heap, 1) ? 8 : small;
}

/* NULL: neither a free slot nor room for another slab. */
static HS_RARE void *slot_take(hs_heap_t *heap, size_t size)
{
    const uint32_t kind = kind_for(size);
    const hs_slab_kind_t *const slabs = hs_slab_kinds + kind;
    uint16_t *const first = hs_slabs(heap) + kind;
    uint32_t slab = *first;
    if (!slot_is_free(heap, kind)) {
        slab = take(heap, slabs->granules);
        if (slab == 0) {
            return NULL;
        }
        heap->free += slabs->slots * slabs->words;
        hs_at(heap, slab)[0] = hs_slab_check(slab, kind) | ((UINT32_C(1) << slabs->slots) - 1);
        slab_link(heap, slab, first);
    }
    uint32_t *const head = hs_at(heap, slab);
    const uint32_t slots = head[0] & 0xFFFFu;
    head[0] &= head[0] - 1;
    if ((slots & (slots - 1)) == 0) {
        *first = (uint16_t)head[1]; /* the full one is the last now */
    }
    heap->free -= slabs->words;
    note_minimum(heap);
    return head + 2 + hs_word_lowest(slots) * slabs->words;
}

static HS_RARE hs_status_t slot_give(hs_heap_t *heap, void *address)
{
    const hs_slot_t slot = hs_slot_at(heap, address);
    uint32_t *const head = hs_at(heap, slot.slab);
    if (slot.slab == 0 || (head[0] & slot.bit) != 0) {
        return HS_ERR_ARGUMENT;
    }
    const uint32_t kind = hs_slab_kind(head);
    const hs_slab_kind_t *const slabs = hs_slab_kinds + kind;
    uint16_t *const first = hs_slabs(heap) + kind;
    const uint32_t free = (head[0] & 0xFFFFu) | slot.bit;
    if (free == slot.bit) {
        slab_unlink(heap, slot.slab, first);
        slab_link(heap, slot.slab, first);
    }
    head[0] |= slot.bit;
    heap->free += slabs->words;
    if (free + 1 == UINT32_C(1) << slabs->slots) {
        slab_unlink(heap, slot.slab, first);
        heap->free -= slabs->slots * slabs->words;
        head[0] = 0; /* what lies here later shall not look like a slab */
        return give(heap, slot.slab, hs_used_size(bits_of(heap), slot.slab));
    }
    return HS_OK;
}

#endif
