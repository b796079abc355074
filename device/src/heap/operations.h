/*
 * The heap's operations for one form: included once by small.c and once by wide.c, which define
 *
 *     HS_NAME(call)  the external name       HS_BIN_T  the type of a bin
 *     HS_MAP         words of the map        HS_SLOTS  whether slots of 8 bytes exist
 */
#include "blocks.h"
#if HS_SLOTS
#include "slots.h"
#endif

/* Where even the rounding up must not overflow. */
#define BYTES_MAX (HS_WIDE_MAX - 1u)

void *HS_NAME(malloc)(hs_heap_t *heap, size_t size)
{
    if (HS_UNLIKELY(size - 1 >= BYTES_MAX)) {
        return NULL;
    }
    uint32_t block;
#if HS_SLOTS
    if (size <= HS_GRANULE) {
        block = slot_take(heap);
        return block != 0 ? hs_at(heap, block) : NULL;
    }
    block = take(heap, whole_units(heap, size));
#else
    block = take(heap, block_granules(heap, size));
#endif
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
    const uintptr_t at = hs_granule_of(heap, address);
    const uint32_t size = hs_used_at(heap, bits_of(heap), at);
    if (HS_UNLIKELY(size == 0)) {
#if HS_SLOTS
        if (at < heap->end) {
            return slot_give(heap, (uint32_t)at);
        }
#endif
        return HS_ERR_ARGUMENT;
    }
    return give(heap, (uint32_t)at, size);
}

/* A block elsewhere with the first `granules` of the one at `address`, which is freed. */
static HS_RARE void *move(hs_heap_t *heap, void *address, uint32_t granules, size_t size)
{
    void *const moved = HS_NAME(malloc)(heap, size);
    if (moved != NULL) {
        hs_copy(moved, address, granules);
        (void)HS_NAME(free)(heap, address);
    }
    return moved;
}

/* The used block of `had` granules to `wanted`: in place where that is possible. */
static void *resize(hs_heap_t *heap, uint32_t block, uint32_t had, uint32_t wanted, size_t size)
{
    uint32_t *const bitmap = bits_of(heap);
    const uint32_t behind = free_behind(heap, block + had);
    if (behind == HS_DAMAGED) {
        return NULL;
    }
    uint32_t whole = had + behind;
    if (wanted == had || (wanted < had && behind == 0 && had - wanted < HS_BLOCK_MIN)) {
        return hs_at(heap, block);
    }
    uint32_t before = 0;
    if (wanted > whole) {
        before = free_before(heap, block);
        if (before == HS_DAMAGED) {
            return NULL;
        }
        if (wanted > before + whole) {
            return move(heap, hs_at(heap, block), had, size);
        }
        whole += before;
    }
    hs_clear_long(bitmap, block, had);
    if (behind != 0) {
        absorb(heap, block + had, behind);
    }
    if (before != 0) {
        absorb(heap, block - before, before);
        hs_clear(bitmap, block);
        block -= before;
        hs_copy(hs_at(heap, block), hs_at(heap, block + before), had);
    }
    settle(heap, block, whole, wanted);
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
    const uint32_t had = hs_used_at(heap, bits_of(heap), at);
    if (had == 0) {
#if HS_SLOTS
        if (at < heap->end && slot_is_used(heap, (uint32_t)at)) {
            return size <= HS_GRANULE ? address : move(heap, address, 1, size);
        }
#endif
        return NULL;
    }
    return resize(heap, (uint32_t)at, had, block_granules(heap, size), size);
}

#include "aligned.h"
