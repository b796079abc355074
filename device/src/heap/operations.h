/*
 * The heap's operations for one form: included once by small.c and once by wide.c, which define
 *
 *     HS_NAME(call)  the external name       HS_BIN_T  the type of a bin
 *     HS_MAP         words of the map        HS_SLOTS  whether there are slots
 */
#include "blocks.h"
#include "slab.h"
#if HS_SLOTS
#include "slots.h"
#endif

/* The largest size that is looked at: with it no rounding up overflows. */
#define BYTES_MAX (HS_WIDE_MAX - 1u)

void *HS_NAME(malloc)(hs_heap_t *heap, size_t size)
{
    if (HS_UNLIKELY(size - 1 >= BYTES_MAX)) {
        return NULL;
    }
#if HS_SLOTS
    if (size <= HS_SLOT_MAX) {
        return slot_take(heap, size);
    }
#endif
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
    uintptr_t at = hs_granule_of(heap, address);
    uint32_t size = hs_seems_used(heap, bits_of(heap), at);
#if HS_SLOTS
    if (HS_UNLIKELY(size == 0)) {
        hs_status_t status;
        at = slot_give(heap, address, &status);
        if (at == 0) {
            return status;
        }
        size = slab_size(heap, (uint32_t)at);
    } else if (hs_small_is_slab(heap, (uint32_t)at, size)) {
        return HS_ERR_ARGUMENT; /* its head; no slot begins there */
    }
#else
    if (HS_UNLIKELY(size == 0)) {
        return HS_ERR_ARGUMENT;
    }
#endif
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

#if HS_SLOTS
/* The slot at `address` to `size` bytes: it stays where they fit. */
static HS_RARE void *slot_resize(hs_heap_t *heap, void *address, size_t size)
{
    const uint32_t had = (uint32_t)hs_heap_usable_size(heap, address);
    if (had == 0 || size <= had) {
        return had != 0 ? address : NULL;
    }
    uint32_t *const moved = HS_NAME(malloc)(heap, size);
    if (moved != NULL) {
        const uint32_t *const from = address;
        moved[0] = from[0];
        if (had > 4) {
            moved[1] = from[1];
        }
        (void)HS_NAME(free)(heap, address);
    }
    return moved;
}
#endif

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
    const uint32_t had = hs_used_at(heap, bits_of(heap), at, HS_SLOTS);
    if (had == 0) {
#if HS_SLOTS
        return slot_resize(heap, address, size);
#else
        return NULL;
#endif
    }
    return resize(heap, (uint32_t)at, had, block_granules(heap, size), size);
}

#include "aligned.h"
