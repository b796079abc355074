/*
 * An allocator that the lab rebuilt, HEAP_MODEL, as a heap: it places blocks exactly as its original
 * does. It moves no contents itself, so a realloc saves them beforehand; and it keeps tallies, so its
 * time is not that of the original.
 */
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "model.h"

#define HEAP_BASE 0x3FC00000u

extern const hs_model_t HEAP_MODEL;

static hs_sim_t *heap;
static uint8_t *saved;

static void *address_of(uint32_t offset)
{
    return offset != HS_NONE ? heap->mem + offset : NULL;
}

static uint32_t offset_of(const void *block)
{
    return (uint32_t)((const uint8_t *)block - heap->mem);
}

bool heap_start(size_t size, heap_arena_t *arena)
{
    heap = hs_sim_new((hs_allocator_t){.model = &HEAP_MODEL}, HEAP_BASE, (uint32_t)size, NULL);
    saved = malloc(size);
    if (heap == NULL || saved == NULL) {
        return false;
    }
    *arena = (heap_arena_t){(uintptr_t)heap->mem, size};
    return true;
}

void *heap_malloc(size_t size)
{
    return address_of(hs_sim_malloc(heap, (uint32_t)size));
}

void *heap_calloc(size_t count, size_t size)
{
    if (size != 0 && count > UINT32_MAX / size) {
        return NULL;
    }
    void *const block = address_of(hs_sim_calloc(heap, (uint32_t)(count * size)));
    return block != NULL ? memset(block, 0, count * size) : NULL;
}

void *heap_realloc(void *block, size_t size)
{
    const size_t had = hs_sim_usable(heap, offset_of(block), false);
    const size_t kept = had < size ? had : size;
    memcpy(saved, block, kept);
    void *const moved = address_of(hs_sim_realloc(heap, offset_of(block), (uint32_t)size));
    if (moved != NULL && moved != block) {
        memcpy(moved, saved, kept);
    }
    return moved;
}

bool heap_free(void *block)
{
    hs_sim_free(heap, offset_of(block), false);
    return true;
}

size_t heap_alignment(size_t size)
{
    (void)size;
    return HEAP_MODEL.granule;
}

bool heap_is_whole(void)
{
    uint32_t where;
    return hs_sim_check(heap, &where) == HS_OK;
}

heap_figures_t heap_figures(void)
{
    return (heap_figures_t){true, heap->tally.free, heap->tally.minimum_free};
}
