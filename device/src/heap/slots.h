/* Slots: taking and giving, and the lists of slabs; for the small form. */
#ifndef HEAPSCOPE_HEAP_SLOTS_H
#define HEAPSCOPE_HEAP_SLOTS_H

#include "blocks.h"
#include "slab.h"

/* In front of all others of its kind. */
static HS_STEP void slab_link(hs_heap_t *heap, uint32_t slab, hs_half_t *first)
{
    HS_ASSERT(slab != 0 && slab <= UINT16_MAX);
    hs_slab_t *const self = hs_slab_at(heap, slab);
    const uint16_t next = *first;
    *first = (uint16_t)slab;
    if (next == 0) {
        self->next = (uint16_t)slab;
        self->previous = (uint16_t)slab;
        return;
    }
    const uint16_t previous = hs_slab_at(heap, next)->previous;
    self->next = next;
    self->previous = previous;
    hs_slab_at(heap, previous)->next = (uint16_t)slab;
    hs_slab_at(heap, next)->previous = (uint16_t)slab;
}

static HS_STEP void slab_unlink(hs_heap_t *heap, uint32_t slab, hs_half_t *first)
{
    const uint16_t next = hs_slab_at(heap, slab)->next;
    const uint16_t previous = hs_slab_at(heap, slab)->previous;
    if (next == slab) {
        *first = 0;
        return;
    }
    hs_slab_at(heap, previous)->next = next;
    hs_slab_at(heap, next)->previous = previous;
    if (*first == slab) {
        *first = next;
    }
}

static inline uint32_t kind_for(size_t size)
{
    return size > 4;
}

static inline bool slot_is_free(const hs_heap_t *heap, uint32_t kind) /* any */
{
    const uint32_t slab = hs_slabs(heap)[kind];
    return slab != 0 && hs_slab_at(heap, slab)->slots != 0;
}

/* A kind with a free slot for `size` bytes, its own first, or HS_SLAB_KINDS. */
static inline uint32_t kind_with_slot(const hs_heap_t *heap, size_t size)
{
    uint32_t kind = kind_for(size);
    while (kind < HS_SLAB_KINDS && !slot_is_free(heap, kind)) { /* bound: HS_SLAB_KINDS */
        kind++;
    }
    return kind;
}

/* The largest size that malloc can still serve where there is no free block; bytes. */
static inline uint32_t largest_slot(const hs_heap_t *heap)
{
    return slot_is_free(heap, 1) ? 8 : slot_is_free(heap, 0) ? 4 : 0;
}

/* Takes a slot of a kind that has a free one. */
static HS_INLINE void *slot_of(hs_heap_t *heap, uint32_t kind)
{
    HS_ASSERT(slot_is_free(heap, kind));
    hs_half_t *const first = hs_slabs(heap) + kind;
    hs_slab_t *const slab = hs_slab_at(heap, *first);
    const uint32_t slots = slab->slots;
    const uint32_t left = slots & (slots - 1);
    slab->slots = (uint16_t)left;
    if (left == 0) {
        *first = slab->next; /* the full one is the last now */
    }
    heap->free -= hs_slot_words(kind);
    note_minimum(heap);
    return (hs_word_t *)slab + 2 + (hs_word_lowest(slots) << kind);
}

/* Makes a slab of a used block for it, and takes its first slot. */
static HS_INLINE void *slab_begin(hs_heap_t *heap, uint32_t block, uint32_t kind)
{
    hs_slab_t *const slab = hs_slab_at(heap, block);
    heap->free += (HS_SLAB_SLOTS - 1) * hs_slot_words(kind);
    slab->slots = (uint16_t)((1u << HS_SLAB_SLOTS) - 2);
    slab->sign = hs_slab_sign(block, kind);
    slab_link(heap, block, hs_slabs(heap) + kind);
    return (hs_word_t *)slab + 2;
}

/* Up to HS_SLOT_MAX bytes: a slot, if need be of a new slab; else a block; else a larger slot. */
static HS_RARE void *slot_take(hs_heap_t *heap, size_t size)
{
    HS_ASSERT(size != 0 && size <= HS_SLOT_MAX);
    uint32_t kind = kind_for(size);
    if (!slot_is_free(heap, kind)) {
        const uint32_t granules = whole_units(heap, hs_slab_granules(kind) * HS_GRANULE);
#if HS_LEAN
        uint32_t block = take(heap, granules);
        const bool is_slab = block != 0;
        if (!is_slab) {
            block = take(heap, HS_BLOCK_MIN);
        }
        const bool is_taken = block != 0;
#else
        HS_ASSERT(granules <= HS_BIN_EXACT); /* each block of a bin from there on fits */
        const uint32_t at = bin_from_else(heap, granules);
        const bool is_slab = at >= granules;
        const bool is_taken = at != 0;
        uint32_t block = 0;
        if (is_taken) {
            block = take_fit(heap, is_slab ? granules : HS_BLOCK_MIN, bin_take_from(heap, at));
        }
#endif
        if (is_taken) {
            void *const taken = is_slab ? slab_begin(heap, block, kind) : hs_at(heap, block);
            note_minimum(heap);
            return taken;
        }
        if (kind != 0 || !slot_is_free(heap, 1)) {
            return NULL;
        }
        kind = 1;
    }
    return slot_of(heap, kind);
}

/* Granules of a slab's block. */
static HS_INLINE uint32_t slab_size(const hs_heap_t *heap, uint32_t slab)
{
#if HS_LEAN
    return hs_used_size(bits_of(heap), slab);
#else
    return hs_taken_size(bits_of(heap), slab, hs_slab_granules(hs_slab_kind(heap, slab)));
#endif
}

/* Frees the slot at `address`. Gives the slab where it was the last in use, and 0 otherwise:
 * *status says why. */
static HS_INLINE uint32_t slot_give(hs_heap_t *heap, const void *address, hs_status_t *status)
{
    const hs_slot_t slot = hs_slot_at(heap, address);
    hs_slab_t *const slab = hs_slab_at(heap, slot.slab);
    *status = HS_ERR_ARGUMENT;
    if (slot.slab == 0) {
        return 0;
    }
    const uint32_t before = slab->slots;
    const uint32_t slots = before | slot.bit;
    if (slots == before) {
        return 0;
    }
    *status = HS_OK;
    const uint32_t kind = hs_slab_kind(heap, slot.slab);
    hs_half_t *const first = hs_slabs(heap) + kind;
    if (slots != (1u << HS_SLAB_SLOTS) - 1) {
        slab->slots = (uint16_t)slots;
        heap->free += hs_slot_words(kind);
        if (before == 0) {
            slab_unlink(heap, slot.slab, first);
            slab_link(heap, slot.slab, first);
        }
        return 0;
    }
    slab_unlink(heap, slot.slab, first);
    HS_ASSERT(heap->free >= (HS_SLAB_SLOTS - 1) * hs_slot_words(kind));
    heap->free -= (HS_SLAB_SLOTS - 1) * hs_slot_words(kind);
    slab->sign = (uint16_t)kind; /* later contents of this memory must not look like a slab */
    return slot.slab;
}

#endif
