/* Links of free blocks and of slabs, looked at before the heap follows them; any form. */
#include "links.h"

#if HS_GUARD

static bool is_place(const hs_heap_t *heap, uint32_t block)
{
    return block >= hs_first(heap) && block <= heap->end - HS_BLOCK_MIN;
}

bool hs_free_is_sound(const hs_heap_t *heap, uint32_t block)
{
    if (!is_place(heap, block)) {
        return false;
    }
    const uint32_t *const self = hs_at(heap, block);
    const uint32_t next = self[HS_NEXT];
    const uint32_t previous = self[HS_PREVIOUS];
    const uint32_t size = self[HS_SIZE];
    return size - HS_BLOCK_MIN <= heap->end - block - HS_BLOCK_MIN && self[2 * size - 1] == ~size &&
           is_place(heap, next) && is_place(heap, previous) &&
           hs_at(heap, next)[HS_PREVIOUS] == block && hs_at(heap, previous)[HS_NEXT] == block;
}

bool hs_slab_is_sound(const hs_heap_t *heap, uint32_t slab)
{
    if (!is_place(heap, slab)) {
        return false;
    }
    const uint32_t next = hs_slab_at(heap, slab)->next;
    const uint32_t previous = hs_slab_at(heap, slab)->previous;
    return hs_slab_is_signed(heap, slab) && is_place(heap, next) && is_place(heap, previous) &&
           hs_slab_at(heap, next)->previous == slab && hs_slab_at(heap, previous)->next == slab;
}

bool hs_slabs_are_sound(const hs_heap_t *heap)
{
    for (uint32_t kind = 0; kind < HS_SLAB_KINDS; kind++) {
        const uint32_t slab = hs_slabs(heap)[kind];
        if (slab != 0 && (!hs_slab_is_sound(heap, slab) || hs_slab_kind(heap, slab) != kind)) {
            return false;
        }
    }
    return true;
}

bool hs_can_take_slot(const hs_heap_t *heap, uint32_t size)
{
    const uint32_t kind = size > 4;
    if (!hs_slabs_are_sound(heap)) {
        return false;
    }
    const uint32_t slab = hs_slabs(heap)[kind];
    if (slab != 0 && hs_slab_at(heap, slab)->slots != 0) {
        return true;
    }
    uint32_t block;
    const uint32_t granules = hs_slab_granules(kind);
    return hs_candidate(heap, granules + (granules & heap->shape & HS_UNIT), &block) &&
           (block != 0 || hs_candidate(heap, HS_BLOCK_MIN, &block));
}

bool hs_look_around(const hs_heap_t *heap, uintptr_t raw, uint32_t whole, hs_around_t *around)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    *around = (hs_around_t){hs_index_of(heap, raw), whole / HS_GRANULE, 0, 0};
    if (whole <= HS_SLOT_MAX && !hs_is_wide(heap)) {
        around->at = hs_slot_at(heap, bitmap, (const void *)raw).slab;
        around->size = hs_seems_used(heap, bitmap, around->at);
        if (!hs_slab_is_sound(heap, around->at) || !hs_slabs_are_sound(heap)) {
            return false;
        }
    }
    const uint32_t next = around->at + around->size;
    if (hs_is_free_at(heap, next)) {
        if (!hs_free_is_sound(heap, next)) {
            return false;
        }
        around->behind = hs_at(heap, next)[HS_SIZE];
    }
    around->before = hs_free_before(heap, bitmap, around->at);
    if (around->before == HS_DAMAGED ||
        (around->before != 0 && !hs_free_is_sound(heap, around->at - around->before))) {
        return false;
    }
    return hs_has_place(heap, around->before + around->size + around->behind);
}

#endif
