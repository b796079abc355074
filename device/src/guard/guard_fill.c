/* Patterns in free and in fresh memory. */
#include "fill.h"

#if HS_GUARD

void hs_guard_fill_free(const hs_heap_t *heap, uint32_t block, uintptr_t from, uintptr_t to)
{
    const uint32_t size = hs_free_size_of(heap, block);
    if (size == 0) {
        return;
    }
    const uintptr_t low = (uintptr_t)(hs_at(heap, block) + HS_OWN_WORDS);
    const uintptr_t high = (uintptr_t)(hs_at(heap, block + size) + HS_FOOTER);
    const volatile hs_word_t *const end = hs_word_at(to < high ? to : high);
    /* bound: filled */
    for (volatile hs_word_t *at = hs_word_at(from > low ? from : low); at < end; at++) {
        *at = hs_lanes_of(HS_FILL_FREE);
    }
}

void hs_guard_fill_fresh(uintptr_t from, uintptr_t to)
{
    HS_ASSERT(to % 4 == 0);
    volatile hs_word_t *at = hs_word_at(from & ~(uintptr_t)3);
    if (from % 4 != 0) {
        const uint32_t lanes = hs_lanes_from((uint32_t)(from & 3));
        *at = (*at & ~lanes) | (hs_lanes_of(HS_FILL_FRESH) & lanes);
        at++;
    }
    /* bound: filled */
    for (const volatile hs_word_t *const end = hs_word_at(to); at < end; at++) {
        *at = hs_lanes_of(HS_FILL_FRESH);
    }
}

const void *hs_guard_wrong_fill(uintptr_t from, uintptr_t to)
{
    HS_ASSERT(from % 4 == 0 && to % 4 == 0);
    for (; from < to; from += 4) { /* bound: filled */
        const uint32_t wrong = hs_lanes(*hs_word_at(from)) ^ hs_lanes_of(HS_FILL_FREE);
        if (wrong != 0) {
            return (const void *)(from + hs_word_lowest(wrong) / 8);
        }
    }
    return NULL;
}

const void *hs_guard_wrong_free(const hs_heap_t *heap, uint32_t block, uint32_t words)
{
    const uint32_t most = 2 * hs_free_size_of(heap, block);
    const uint32_t *const first = hs_at(heap, block);
    if (most == 0) {
        return NULL;
    }
    return hs_guard_wrong_fill((uintptr_t)(first + HS_OWN_WORDS),
                               (uintptr_t)(first + (words < most ? words : most - 1)));
}

#endif
