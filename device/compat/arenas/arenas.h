/*
 * Several heaps behind one malloc that asks nothing of the memory: what the drop-in interfaces of
 * libc and FreeRTOS stand on. Small on purpose; where regions differ in what they can do, regions.h
 * is it. Every function is O(number of arenas), those that walk say so. Not reentrant: the caller
 * holds the lock of port.h.
 */
#ifndef HEAPSCOPE_ARENAS_H
#define HEAPSCOPE_ARENAS_H

#include "heapscope/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef HS_ARENAS_MAX
#define HS_ARENAS_MAX 8
#endif
#if HS_ARENAS_MAX < 1
#error "HS_ARENAS_MAX: at least 1"
#endif

typedef struct hs_arena {
    uintptr_t start;
    size_t size;
    hs_heap_t *heap;
} hs_arena_t;

/* All zero but for what is documented: no memory yet. */
typedef struct hs_arenas {
    uint32_t alignment; /* of every block: 4, 8 or 16; set before the first arena */
    bool weak;          /* blocks of up to 4 and 8 bytes are aligned to 4 and 8 alone */
    uint32_t count;
    size_t minimum; /* low-water mark of the sum of free bytes, exact */
    hs_arena_t arena[HS_ARENAS_MAX];
} hs_arenas_t;

/* HS_ERR_ARGUMENT: it overlaps an arena. HS_ERR_MEMORY: too small for a heap, or HS_ARENAS_MAX. */
hs_status_t hs_arenas_add(hs_arenas_t *arenas, void *memory, size_t size);

/* These keep the contracts of the functions of heap.h with the same names. The arenas are asked in the
 * order of their addition. */
void *hs_arenas_malloc(hs_arenas_t *arenas, size_t size);
void *hs_arenas_calloc(hs_arenas_t *arenas, size_t count, size_t size);
void *hs_arenas_aligned_alloc(hs_arenas_t *arenas, size_t alignment, size_t size);
/* `size` above 0. Moves to another arena where its own cannot. */
void *hs_arenas_realloc(hs_arenas_t *arenas, void *block, size_t size);
hs_status_t hs_arenas_free(hs_arenas_t *arenas, void *block);
size_t hs_arenas_usable_size(const hs_arenas_t *arenas, const void *block);

size_t hs_arenas_free_size(const hs_arenas_t *arenas);
size_t hs_arenas_largest(const hs_arenas_t *arenas);
hs_status_t hs_arenas_check(const hs_arenas_t *arenas, const void **where); /* O(blocks) */

#ifdef __cplusplus
}
#endif

#endif
