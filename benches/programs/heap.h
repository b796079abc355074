/*
 * The heap that a program of this folder runs on. One file heap_*.c is linked; heaps.toml is the table.
 * Sizes are bytes.
 */
#ifndef HEAPSCOPE_PROGRAMS_HEAP_H
#define HEAPSCOPE_PROGRAMS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct heap_figures {
    bool known; /* false: this heap does not tell */
    uint64_t free, minimum;
} heap_figures_t;

/* The memory that blocks may lie in; `size` 0: anywhere. */
typedef struct heap_arena {
    uintptr_t base;
    size_t size;
} heap_arena_t;

/* Makes the heap of `size` bytes. false: it cannot be made. */
bool heap_start(size_t size, heap_arena_t *arena);

/* The contracts of malloc, calloc, realloc (sizes above 0, blocks in use) and free. */
void *heap_malloc(size_t size);
void *heap_calloc(size_t count, size_t size);
void *heap_realloc(void *block, size_t size);
bool heap_free(void *block); /* false: refused */

/* The alignment that the heap promises for a block of `size` bytes. */
size_t heap_alignment(size_t size);

/* Does all of the heap's own data agree? */
bool heap_is_whole(void);

heap_figures_t heap_figures(void);

#endif
