#include "arenas.h"

#define GRANULE 8u

/* The arena that the address lies in; NULL: none. */
static const hs_arena_t *arena_of(const hs_arenas_t *arenas, const void *block)
{
    for (uint32_t i = 0; i < arenas->count; i++) {
        if ((uintptr_t)block - arenas->arena[i].start < arenas->arena[i].size) {
            return &arenas->arena[i];
        }
    }
    return NULL;
}

/* The heap aligns what fits into a slot of 4 or 8 bytes to these; who wants more gets a larger one. */
static size_t aligned_size(const hs_arenas_t *arenas, size_t size)
{
    const size_t least = arenas->alignment > GRANULE ? GRANULE + 1 : arenas->alignment;
    return arenas->weak || size >= least || size == 0 ? size : least;
}

static void note_minimum(hs_arenas_t *arenas)
{
    const size_t now = hs_arenas_free_size(arenas);
    arenas->minimum = now < arenas->minimum ? now : arenas->minimum;
}

hs_status_t hs_arenas_add(hs_arenas_t *arenas, void *memory, size_t size)
{
    const uintptr_t start = (uintptr_t)memory;
    for (uint32_t i = 0; i < arenas->count; i++) {
        const hs_arena_t *const other = &arenas->arena[i];
        if (start - other->start < other->size || other->start - start < size) {
            return HS_ERR_ARGUMENT;
        }
    }
    if (arenas->count == HS_ARENAS_MAX) {
        return HS_ERR_MEMORY;
    }
    const hs_heap_config_t config = {.alignment = arenas->alignment};
    hs_heap_t *const heap = hs_heap_create(memory, size, &config);
    if (heap == NULL) {
        return HS_ERR_MEMORY;
    }
    arenas->arena[arenas->count++] = (hs_arena_t){start, size, heap};
    arenas->minimum +=
        hs_heap_free_size(heap); /* as if it had been there, and free, all the time */
    return HS_OK;
}

void *hs_arenas_malloc(hs_arenas_t *arenas, size_t size)
{
    void *block = NULL;
    for (uint32_t i = 0; i < arenas->count && block == NULL; i++) {
        block = hs_heap_malloc(arenas->arena[i].heap, aligned_size(arenas, size));
    }
    note_minimum(arenas);
    return block;
}

void *hs_arenas_calloc(hs_arenas_t *arenas, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    void *block = NULL;
    for (uint32_t i = 0; i < arenas->count && block == NULL; i++) {
        block = hs_heap_calloc(arenas->arena[i].heap, 1, aligned_size(arenas, count * size));
    }
    note_minimum(arenas);
    return block;
}

void *hs_arenas_aligned_alloc(hs_arenas_t *arenas, size_t alignment, size_t size)
{
    void *block = NULL;
    for (uint32_t i = 0; i < arenas->count && block == NULL; i++) {
        block =
            hs_heap_aligned_alloc(arenas->arena[i].heap, alignment, aligned_size(arenas, size), 0);
    }
    note_minimum(arenas);
    return block;
}

void *hs_arenas_realloc(hs_arenas_t *arenas, void *block, size_t size)
{
    if (block == NULL) {
        return hs_arenas_malloc(arenas, size);
    }
    const hs_arena_t *const arena = arena_of(arenas, block);
    const size_t had = arena != NULL ? hs_heap_usable_size(arena->heap, block) : 0;
    if (had == 0) {
        return NULL;
    }
    void *moved = hs_heap_realloc(arena->heap, block, aligned_size(arenas, size));
    if (moved == NULL && size > had && arenas->count > 1) {
        moved = hs_arenas_malloc(arenas, size);
        if (moved != NULL) { /* whole words: both are at least aligned to them */
            uint32_t *const to = moved;
            const uint32_t *const from = block;
            for (size_t i = 0; i < had / 4; i++) {
                to[i] = from[i];
            }
            (void)hs_heap_free(arena->heap, block);
        }
    }
    note_minimum(arenas);
    return moved;
}

hs_status_t hs_arenas_free(hs_arenas_t *arenas, void *block)
{
    if (block == NULL) {
        return HS_OK;
    }
    const hs_arena_t *const arena = arena_of(arenas, block);
    return arena != NULL ? hs_heap_free(arena->heap, block) : HS_ERR_ARGUMENT;
}

size_t hs_arenas_usable_size(const hs_arenas_t *arenas, const void *block)
{
    const hs_arena_t *const arena = arena_of(arenas, block);
    return arena != NULL ? hs_heap_usable_size(arena->heap, block) : 0;
}

size_t hs_arenas_free_size(const hs_arenas_t *arenas)
{
    size_t sum = 0;
    for (uint32_t i = 0; i < arenas->count; i++) {
        sum += hs_heap_free_size(arenas->arena[i].heap);
    }
    return sum;
}

size_t hs_arenas_largest(const hs_arenas_t *arenas)
{
    size_t largest = 0;
    for (uint32_t i = 0; i < arenas->count; i++) {
        const size_t here = hs_heap_largest(arenas->arena[i].heap);
        largest = here > largest ? here : largest;
    }
    return largest;
}

hs_status_t hs_arenas_check(const hs_arenas_t *arenas, const void **where)
{
    for (uint32_t i = 0; i < arenas->count; i++) {
        const hs_status_t status = hs_heap_check(arenas->arena[i].heap, where);
        if (status != HS_OK) {
            return status;
        }
    }
    return HS_OK;
}
