/* The C library's heap, which takes its memory where it likes and tells nothing about it. */
#include <stdlib.h>

#include "heap.h"

bool heap_start(size_t size, heap_arena_t *arena)
{
    (void)size;
    *arena = (heap_arena_t){0, 0};
    return true;
}

void *heap_malloc(size_t size)
{
    return malloc(size);
}

void *heap_calloc(size_t count, size_t size)
{
    return calloc(count, size);
}

void *heap_realloc(void *block, size_t size)
{
    return realloc(block, size);
}

bool heap_free(void *block)
{
    free(block);
    return true;
}

size_t heap_alignment(size_t size)
{
    (void)size;
    return _Alignof(max_align_t);
}

bool heap_is_whole(void)
{
    return true;
}

heap_figures_t heap_figures(void)
{
    return (heap_figures_t){false, 0, 0};
}
