/*
 * The heap's operations for one form: included once by small.c and once by wide.c, which define
 *
 *     HS_NAME(call)      the external name
 *     HS_IS_WIDE(heap)   whether a heap is of the wide form: bins of 32 bits, and no slots
 */
#include "blocks.h"
#include "slab.h"
#include "slots.h"

/* The largest size that is looked at: with it no rounding up overflows. */
#define BYTES_MAX (HS_WIDE_MAX - 1u)

void *HS_NAME(malloc)(hs_heap_t *heap, size_t size)
{
    if (HS_UNLIKELY(size - 1 >= BYTES_MAX)) {
        return NULL;
    }
    if (!HS_IS_WIDE(heap) && size <= HS_SLOT_MAX) {
        return slot_take(heap, size);
    }
    const uint32_t block = take(heap, block_granules(heap, size));
    if (block == 0) {
        return NULL;
    }
    note_minimum(heap);
    return hs_at(heap, block);
}

hs_status_t HS_NAME(free)(hs_heap_t *heap, void *address)
{
    if (address == NULL) {
        return HS_OK;
    }
    const uint32_t *const bitmap = bits_of(heap);
    uint32_t at = (uint32_t)hs_granule_of(heap, address);
    uint32_t size;
    if (HS_UNLIKELY(!hs_begins(heap, bitmap, hs_granule_of(heap, address)))) {
        hs_status_t status = HS_ERR_ARGUMENT;
        at = HS_IS_WIDE(heap) ? 0 : slot_give(heap, address, &status);
        if (at == 0) {
            return status;
        }
        size = slab_size(heap, at);
    } else {
        size = hs_seeming_size(bitmap, at); /* where a bit is set begins no slot */
        if (size == 0 || (!HS_IS_WIDE(heap) && hs_small_is_slab(heap, at, size))) {
            return HS_ERR_ARGUMENT;
        }
    }
    return give(heap, at, size);
}

/* A block elsewhere with the first words of the block or slot at `address`, which is freed. */
static HS_RARE void *move(hs_heap_t *heap, void *address, uint32_t words, size_t size)
{
    void *const moved = HS_NAME(malloc)(heap, size);
    if (moved != NULL) {
        hs_copy(moved, address, words);
        (void)HS_NAME(free)(heap, address);
    }
    return moved;
}

/* The slot at `address` to `size` bytes: it stays where they fit. */
static HS_RARE void *slot_resize(hs_heap_t *heap, void *address, size_t size)
{
    const uint32_t had = (uint32_t)hs_heap_usable_size(heap, address);
    if (had == 0 || size <= had) {
        return had != 0 ? address : NULL;
    }
    return move(heap, address, had / 4, size);
}

/* The used block of `had` granules to `wanted`: in place where that is possible. */
static void *resize(hs_heap_t *heap, uint32_t block, uint32_t had, uint32_t wanted, size_t size)
{
    uint32_t *const bitmap = bits_of(heap);
    const bool followed = hs_bit(bitmap, block + had + 1) != 0;
    const uint32_t behind = followed ? size_behind(heap, block + had) : 0;
    if (followed && behind == 0) {
        return NULL; /* damaged */
    }
    uint32_t whole = had + behind;
    if (wanted == had || (wanted < had && behind == 0 && had - wanted < HS_BLOCK_MIN)) {
        return hs_at(heap, block);
    }
    uint32_t before = 0;
    if (wanted > whole) {
        before = hs_free_before(heap, bitmap, block); /* not damaged: this would be no used block */
        if (wanted > before + whole) {
            return move(heap, hs_at(heap, block), 2 * had, size);
        }
        whole += before;
    }
    heap->free += 2 * had;
    hs_clear_long(bitmap, block, had);
    if (behind != 0) {
        bin_remove(heap, block + had, hs_bin_of(behind));
        hs_clear_two(bitmap, block + had);
    }
    if (before != 0) {
        hs_clear_two(bitmap, block - 1);
        block -= before;
        bin_remove(heap, block, hs_bin_of(before));
        hs_begin_used(bitmap, block);
        hs_copy(hs_at(heap, block), hs_at(heap, block + before), 2 * had);
    }
    settle(heap, 0, block, whole, wanted);
    note_minimum(heap);
    return hs_at(heap, block);
}

void *HS_NAME(realloc)(hs_heap_t *heap, void *address, size_t size)
{
    if (address == NULL) {
        return HS_NAME(malloc)(heap, size);
    }
    if (size == 0) {
        (void)HS_NAME(free)(heap, address);
        return NULL;
    }
    if (size > BYTES_MAX) {
        return NULL;
    }
    const uintptr_t at = hs_granule_of(heap, address);
    const uint32_t had = hs_used_at(heap, bits_of(heap), at, !HS_IS_WIDE(heap));
    if (had == 0) {
        return HS_IS_WIDE(heap) ? NULL : slot_resize(heap, address, size);
    }
    return resize(heap, (uint32_t)at, had, block_granules(heap, size), size);
}

#include "aligned.h"
