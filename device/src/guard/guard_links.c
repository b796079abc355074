/* Used blocks and what is beside them, slabs and their lists, looked at before a link is followed. */
#include "search.h"

#if HS_GUARD

bool hs_guard_can_put(const hs_heap_t *heap, const hs_around_t *around, uint32_t granules)
{
    return granules < HS_BLOCK_MIN ||
           hs_guard_can_insert(heap, hs_bin_of(granules, hs_is_wide(heap)),
                               around->at + around->size, around->at - around->before);
}

/* Can the memory become free? */
static HS_INLINE bool can_merge(const hs_heap_t *heap, hs_around_t *around)
{
    const uint32_t next = around->at + around->size;
    const uint32_t before = around->at - around->before;
    uint32_t beside = 0;
    if (hs_is_free_at(heap, next)) {
        if (!hs_is_sound(heap, next)) {
            return false;
        }
        beside = around->behind = hs_at(heap, next)[HS_SIZE];
    }
    if (around->before != 0) {
        beside = around->before;
        if (around->before == HS_DAMAGED || !hs_is_sound(heap, before)) {
            return false;
        }
    }
    /* A merged block that stays in the bin of a neighbour takes that one's place. */
    const uint32_t bin =
        hs_bin_of(around->before + around->size + around->behind, hs_is_wide(heap));
    return hs_is_in_bin(bin, beside) || hs_guard_can_insert(heap, bin, next, before);
}

/* ---- slabs ------------------------------------------------------------------------------------ */

static bool is_slab(const hs_heap_t *heap, uint32_t slab)
{
    if (!hs_is_place(heap, slab) || !hs_slab_is_signed(heap, slab)) {
        return false;
    }
    const uint32_t next = hs_slab_at(heap, slab)->next;
    const uint32_t previous = hs_slab_at(heap, slab)->previous;
    return hs_is_place(heap, next) && hs_is_place(heap, previous) &&
           hs_slab_at(heap, next)->previous == slab && hs_slab_at(heap, previous)->next == slab;
}

/* The first slab of a kind, 0: none. HS_UNSOUND: not of that kind, or a link of it is wrong. */
static uint32_t first_slab(const hs_heap_t *heap, uint32_t kind)
{
    const uint32_t slab = hs_slabs(heap)[kind];
    return slab == 0 || (is_slab(heap, slab) && hs_slab_kind(heap, slab) == kind) ? slab
                                                                                  : HS_UNSOUND;
}

bool hs_guard_can_take_slot(const hs_heap_t *heap, uint32_t size)
{
    const uint32_t kind = size > 4;
    const uint32_t slab = first_slab(heap, kind);
    if (slab == HS_UNSOUND || (slab != 0 && hs_slab_at(heap, slab)->slots != 0)) {
        return slab != HS_UNSOUND;
    }
    const uint32_t granules = hs_slab_granules(kind);
    const uint32_t block = hs_guard_candidate(heap, granules + (granules & heap->shape & HS_UNIT));
    if (block != 0) {
        return block != HS_UNSOUND;
    }
    return hs_guard_candidate(heap, HS_BLOCK_MIN) != HS_UNSOUND &&
           first_slab(heap, 1) != HS_UNSOUND;
}

/* The slot at `raw`, of the small form. *merges: with it the slab will be free. */
static HS_RARE uint32_t look_at_slot(const hs_heap_t *heap, uintptr_t raw, hs_around_t *around,
                                     bool *merges)
{
    const hs_slot_t slot = hs_slot_at(heap, (const void *)raw);
    const uint32_t slab = slot.slab;
    if (slab == 0 || (hs_slab_at(heap, slab)->slots & slot.bit) != 0) {
        return 0;
    }
    const uint32_t slots = hs_slab_at(heap, slab)->slots;
    const uint32_t kind = hs_slab_kind(heap, slab);
    const bool last = (slots | slot.bit) + 1 == 1u << HS_SLAB_SLOTS;
    *around = (hs_around_t){slab, hs_seems_used(heap, slab), hs_free_before(heap, slab), 0, true};
    if (slots == 0 || last) { /* else a bit changes, and no list */
        around->sound = is_slab(heap, slab) && first_slab(heap, kind) != HS_UNSOUND;
    }
    *merges = last && around->sound;
    return 4 * hs_slot_words(kind);
}

uint32_t hs_guard_look_around(const hs_heap_t *heap, uintptr_t raw, hs_around_t *around)
{
    const uintptr_t at = hs_granule_of(heap, (const void *)raw);
    const uint32_t size = hs_seems_used(heap, at);
    uint32_t whole = size * HS_GRANULE;
    if (size == 0) {
        bool merges = false;
        whole = hs_is_wide(heap) ? 0 : look_at_slot(heap, raw, around, &merges);
        if (!merges) {
            return whole;
        }
    } else {
        const uint32_t before = hs_free_before(heap, (uint32_t)at);
        if (before == HS_DAMAGED || hs_is_slab(heap, (uint32_t)at, size)) {
            return 0;
        }
        *around = (hs_around_t){(uint32_t)at, size, before, 0, true};
    }
    around->sound = can_merge(heap, around);
    return whole;
}

#endif
