/* Our heap, bare: HEAP_FORM is its hs_form_t. */
#include "arena.h"
#include "heap.h"
#include "heapscope/heap.h"

static hs_heap_t *heap;

bool heap_start(size_t size, heap_arena_t *arena)
{
    const hs_heap_config_t config = {HEAP_FORM, HS_ALIGNMENT_DEFAULT};
    heap = size <= ARENA_MAX ? hs_heap_create(arena_memory, size, &config) : NULL;
    *arena = (heap_arena_t){(uintptr_t)arena_memory, size};
    return heap != NULL;
}

void *heap_malloc(size_t size)
{
    return hs_heap_malloc(heap, size);
}

void *heap_calloc(size_t count, size_t size)
{
    return hs_heap_calloc(heap, count, size);
}

void *heap_realloc(void *block, size_t size)
{
    return hs_heap_realloc(heap, block, size);
}

bool heap_free(void *block)
{
    return hs_heap_free(heap, block) == HS_OK;
}

size_t heap_alignment(size_t size)
{
    return size <= 4 && HEAP_FORM == HS_FORM_SMALL ? 4 : HS_ALIGNMENT_DEFAULT;
}

bool heap_is_whole(void)
{
    return hs_heap_check(heap, NULL) == HS_OK;
}

heap_figures_t heap_figures(void)
{
    return (heap_figures_t){true, hs_heap_free_size(heap), hs_heap_minimum_free(heap)};
}
