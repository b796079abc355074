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
    const uintptr_t granule = hs_granule_of(heap, address);
    uint32_t at = (uint32_t)granule;
    uint32_t size = 0;
    bool begins = true;
    if (HS_LEAN) {
        size = hs_seems_used(heap, granule);
        begins = size != 0;
    } else {
        begins = hs_begins(heap, granule);
    }
    if (HS_UNLIKELY(!begins)) {
        hs_status_t status = HS_ERR_ARGUMENT;
        at = HS_IS_WIDE(heap) ? 0 : slot_give(heap, address, &status);
        if (at == 0) {
            return status;
        }
        size = slab_size(heap, at);
    } else {
        if (!HS_LEAN) {
            size = hs_seeming_size(heap, at); /* where a bit is set begins no slot */
        }
        if (size == 0 || (!HS_IS_WIDE(heap) && hs_small_is_slab(heap, at, size))) {
            return HS_ERR_ARGUMENT;
        }
    }
    return give(heap, at, size);
}

/* Words of the used block or slot at `address`; 0: none begins there. */
static HS_INLINE uint32_t words_of(const hs_heap_t *heap, const void *address)
{
    if (!HS_LEAN) {
        const uint32_t size = hs_used_at(heap, hs_granule_of(heap, address), !HS_IS_WIDE(heap));
        if (size != 0 || HS_IS_WIDE(heap)) {
            return 2 * size;
        }
    }
    return (uint32_t)hs_heap_usable_size(heap, address) / 4;
}

/* A block elsewhere with the first words of the block or slot at `address`, which is freed. */
static HS_APART void *move(hs_heap_t *heap, void *address, uint32_t words, size_t size)
{
    void *const moved = HS_NAME(malloc)(heap, size);
    if (moved != NULL) {
        hs_copy(moved, address, words);
        (void)HS_NAME(free)(heap, address);
    }
    return moved;
}

/* The used block of `had` granules to `wanted` without a move upwards. Gives the block that it is then; 0:
 * there is no room; HS_DAMAGED. */
static HS_STEP uint32_t resize(hs_heap_t *heap, uint32_t block, uint32_t had, uint32_t wanted)
{
    const uint32_t behind = free_behind(heap, block + had);
    if (behind == HS_DAMAGED) {
        return behind;
    }
    uint32_t whole = had + behind;
    if (wanted == had || (wanted < had && behind == 0 && had - wanted < HS_BLOCK_MIN)) {
        return block;
    }
    uint32_t before = 0;
    if (wanted > whole) {
        /* Not damaged: this would be no used block. */
        before = hs_free_before(heap, block);
        whole += before;
        if (wanted > whole) {
            return 0;
        }
    }
    heap->free += 2 * had;
    hs_clear_long(bits_of(heap), block, had);
    if (behind != 0) {
        bin_remove(heap, block + had, bin_of(heap, behind));
        put_two(heap, block + had, 0);
    }
    if (before != 0) {
        put_two(heap, block - 1, 0);
        block -= before;
        bin_remove(heap, block, bin_of(heap, before));
        begin_used(heap, block);
        hs_copy(hs_at(heap, block), hs_at(heap, block + before), 2 * had);
    }
    settle(heap, 0, block, whole, wanted);
    note_minimum(heap);
    return block;
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
    const uint32_t words = size > BYTES_MAX ? 0 : words_of(heap, address);
    if (words == 0) {
        return NULL;
    }
    if (4 * words > HS_SLOT_MAX) { /* a block */
        const uint32_t block = resize(heap, (uint32_t)hs_granule_of(heap, address), words / 2,
                                      block_granules(heap, size));
        if (block != 0) {
            return block != HS_DAMAGED ? hs_at(heap, block) : NULL;
        }
    } else if (size <= 4 * words) {
        return address;
    }
    return move(heap, address, words, size);
}

#include "aligned.h"
