/* Our heap in the small form behind the guard: HEAP_LEVEL is its hs_guard_level_t. */
#include "arena.h"
#include "heap.h"
#include "heapscope/guard.h"

static hs_heap_t *heap;
static hs_guard_t guard;
static bool reported;

static const hs_tag_t tag = {1, NULL};

static void report(void *context, const hs_fault_t *fault)
{
    (void)context;
    (void)fault;
    reported = true;
}

static const hs_guard_config_t config = {.level = HEAP_LEVEL, .owners = true, .report = report};

bool heap_start(size_t size, heap_arena_t *arena)
{
    const hs_heap_config_t form = {HS_FORM_SMALL, HS_ALIGNMENT_DEFAULT};
    heap = size <= ARENA_MAX ? hs_heap_create(arena_memory, size, &form) : NULL;
    *arena = (heap_arena_t){(uintptr_t)arena_memory, size};
    return heap != NULL && hs_guard_init(&guard, heap, &config) == HS_OK;
}

void *heap_malloc(size_t size)
{
    return hs_guard_malloc(&guard, size, tag);
}

void *heap_calloc(size_t count, size_t size)
{
    return hs_guard_calloc(&guard, count, size, tag);
}

void *heap_realloc(void *block, size_t size)
{
    return hs_guard_realloc(&guard, block, size, tag);
}

bool heap_free(void *block)
{
    return hs_guard_free(&guard, block) == HS_OK;
}

size_t heap_alignment(size_t size)
{
    return size < 4 && HEAP_LEVEL < HS_GUARD_CANARIES ? 4 : HS_ALIGNMENT_DEFAULT;
}

bool heap_is_whole(void)
{
    return hs_guard_check(&guard) == HS_OK && !reported;
}

heap_figures_t heap_figures(void)
{
    return (heap_figures_t){true, hs_heap_free_size(heap), hs_heap_minimum_free(heap)};
}
