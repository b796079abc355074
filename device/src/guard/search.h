/*
 * What a search of the heap would take, without taking it and without following a wrong link:
 * included once by guard_small.c and once by guard_wide.c, which define HS_BIN_T and HS_MAP as the
 * heap's forms do, and HS_GUARDED(call), the functions' names.
 */
#include "../heap/bins.h"
#include "links.h"

#define HS_LOOK_ALIGNED_ALL 16u /* as many as the heap's search for an aligned block looks at */

/* Are the first `look` blocks of a bin what they seem to be? Gives how many were not looked at; and
 * UINT32_MAX: one is not. */
static uint32_t look_at(const hs_heap_t *heap, uint32_t bin, uint32_t look)
{
    const uint32_t head = bin <= hs_last_bin(heap->end) ? bin_head(heap, bin) : UINT32_MAX;
    if ((head != 0) != (hs_bit(heap->words, bin) != 0)) {
        return UINT32_MAX;
    }
    uint32_t block = head;
    while (block != 0 && look != 0) {
        if (!hs_free_is_sound(heap, block) || hs_bin_of(hs_at(heap, block)[HS_SIZE]) != bin) {
            return UINT32_MAX;
        }
        look--;
        block = hs_at(heap, block)[HS_NEXT];
        if (block == head) {
            break;
        }
    }
    return look;
}

static bool is_sound(const hs_heap_t *heap, uint32_t bin, uint32_t look)
{
    return look_at(heap, bin, look) != UINT32_MAX;
}

bool HS_GUARDED(has_place)(const hs_heap_t *heap, uint32_t granules)
{
    return granules < HS_BLOCK_MIN || is_sound(heap, hs_bin_of(granules), 1);
}

/* Can bin_find() be asked? */
static bool can_find(const hs_heap_t *heap, uint32_t granules)
{
    if (granules < HS_BIN_EXACT) {
        const uint32_t at = bin_from(heap, granules);
        return at == 0 || is_sound(heap, at, at < HS_BIN_EXACT ? 1 : HS_LOOK);
    }
    if (granules > heap->end) {
        return false; /* heap->free is wrong */
    }
    const uint32_t own = hs_bin_of(granules);
    const uint32_t above = bin_from(heap, own + 1);
    return is_sound(heap, own, above != 0 ? HS_LOOK : HS_LOOK_LAST) &&
           (above == 0 || is_sound(heap, above, HS_LOOK));
}

bool HS_GUARDED(candidate)(const hs_heap_t *heap, uint32_t granules, uint32_t *block)
{
    *block = 0;
    if (2 * (uint64_t)granules > heap->free) {
        return true;
    }
    if (!can_find(heap, granules)) {
        return false;
    }
    uint32_t bin;
    *block = bin_find(heap, granules, &bin);
    return *block == 0 || HS_GUARDED(has_place)(heap, hs_at(heap, *block)[HS_SIZE] - granules);
}

/* What is left before and behind an aligned block may go to any bin, so all first ones are looked
 * at. */
bool HS_GUARDED(can_align)(const hs_heap_t *heap, uint32_t granules, uint32_t alignment)
{
    if (2 * (uint64_t)granules > heap->free) {
        return true;
    }
    for (uint32_t bin = bin_from(heap, 1); bin != 0; bin = bin_from(heap, bin + 1)) {
        if (!is_sound(heap, bin, 1)) {
            return false;
        }
    }
    uint32_t look = HS_LOOK_ALIGNED_ALL;
    for (uint32_t bin = bin_from(heap, hs_bin_of(granules)); bin != 0 && look != 0;
         bin = bin_from(heap, bin + 1)) {
        look = look_at(heap, bin, look);
        if (look == UINT32_MAX) {
            return false;
        }
    }
    const uint32_t enough = granules + (alignment >> HS_GRANULE_SHIFT) + 1;
    uint32_t block;
    return HS_GUARDED(candidate)(heap, enough + (enough & heap->shape & HS_UNIT), &block);
}
