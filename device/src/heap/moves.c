/* Whether a realloc copies: asked before it, by a caller that gives its lock up for the time of a copy. */
#include "heapscope/config.h"
#include "layout.h"

#if HS_LOCKS

bool hs_heap_moves(const hs_heap_t *heap, const void *block, size_t size)
{
    const size_t bytes = hs_heap_usable_size(heap, block);
    if (bytes == 0 || size <= bytes || size > HS_WIDE_MAX ||
        (bytes <= HS_SLOT_MAX && !hs_is_wide(heap))) {
        return false; /* no block, or it stays, or it is too large for any, or a slot of two words */
    }
    const uint32_t *const bitmap = hs_bitmap(heap);
    const uint32_t at = (uint32_t)hs_granule_of(heap, block);
    const uint32_t had = (uint32_t)bytes / HS_GRANULE;
    const uint32_t next = at + had;
    const uint32_t before = hs_free_before(heap, at);
    uint32_t whole = had;
    if (next < heap->end && hs_bit(bitmap, next + 1) != 0) {
        const uint32_t behind = hs_at(heap, next)[HS_SIZE];
        if (behind > heap->end - next || hs_at(heap, next + behind)[HS_FOOTER] != ~behind) {
            return false; /* damaged: realloc refuses */
        }
        whole += behind;
    }
    whole += before != HS_DAMAGED ? before : 0;
    return size > (size_t)whole * HS_GRANULE;
}

#endif
