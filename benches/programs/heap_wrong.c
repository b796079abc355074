/* Our heap made wrong in the way that HEAP_WRONG in the environment names, so that the shadow can be
 * seen to notice. Each fault comes once, at the thousandth call. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "heap.h"
#include "heapscope/heap.h"

#define SOUND_CALLS 1000u

static hs_heap_t *heap;
static const char *wrong;
static unsigned calls;
static uint8_t *last; /* the block that was handed out before */

bool heap_start(size_t size, heap_arena_t *arena)
{
    heap = size <= ARENA_MAX ? hs_heap_create(arena_memory, size, NULL) : NULL;
    wrong = getenv("HEAP_WRONG");
    wrong = wrong != NULL ? wrong : "";
    *arena = (heap_arena_t){(uintptr_t)arena_memory, size};
    return heap != NULL;
}

static bool is_now(const char *kind)
{
    return calls >= SOUND_CALLS && strcmp(wrong, kind) == 0;
}

/* A block at another place than it has. */
static void *moved(uint8_t *block)
{
    calls++;
    uint8_t *const before = last;
    last = block;
    if (block == NULL) {
        return NULL;
    }
    if (is_now("misaligned")) {
        return block + 2;
    }
    if (is_now("outside")) {
        return arena_memory + ARENA_MAX - 8;
    }
    return is_now("overlap") && before != NULL ? before : block;
}

void *heap_malloc(size_t size)
{
    return moved(hs_heap_malloc(heap, size));
}

void *heap_calloc(size_t count, size_t size)
{
    uint8_t *const block = moved(hs_heap_calloc(heap, count, size));
    if (block != NULL && count * size > 8 && is_now("not cleared")) {
        block[count * size - 1] = 1;
    }
    return block;
}

void *heap_realloc(void *block, size_t size)
{
    calls++;
    if (is_now("contents lost by a failure")) {
        ((uint8_t *)block)[0] ^= 1;
        return NULL;
    }
    uint8_t *const result = hs_heap_realloc(heap, block, size);
    last = NULL;
    if (result != NULL && is_now("contents lost")) {
        result[0] ^= 1;
    }
    return result;
}

bool heap_free(void *block)
{
    calls++;
    last = block == last ? NULL : last;
    return !is_now("free refused") && hs_heap_free(heap, block) == HS_OK;
}

size_t heap_alignment(size_t size)
{
    return size <= 4 ? 4 : HS_ALIGNMENT_DEFAULT;
}

bool heap_is_whole(void)
{
    return !is_now("metadata") && hs_heap_check(heap, NULL) == HS_OK;
}

heap_figures_t heap_figures(void)
{
    return (heap_figures_t){true, hs_heap_free_size(heap), hs_heap_minimum_free(heap)};
}
