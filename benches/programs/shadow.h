/*
 * The shadow looks at what a heap gives to a program: whether each block lies in the heap's memory and
 * on its alignment, whether it overlaps another one, whether calloc clears, and whether realloc keeps the
 * contents, also when it fails. It knows each block by its address.
 */
#ifndef HEAPSCOPE_PROGRAMS_SHADOW_H
#define HEAPSCOPE_PROGRAMS_SHADOW_H

#include "heap.h"

typedef struct shadow_use {
    uint64_t bytes, blocks; /* in use, as asked for */
    uint64_t bytes_most, blocks_most;
} shadow_use_t;

/* false: no memory for it. */
bool shadow_start(heap_arena_t arena);

/* Each of these returns NULL, or the name of the fault. */

/* A block of `size` bytes was handed out; it is written over if it is not a cleared one. */
const char *shadow_taken(void *block, size_t size, bool cleared);

/* A block goes back; its contents are written over. "unknown": it is not in use. */
const char *shadow_given(void *block);

/* A realloc begins; shadow_resized() ends it. */
const char *shadow_resizes(void *block, size_t size);
const char *shadow_resized(void *block, void *moved, size_t size);

/* The bytes that were asked for; 0: it is not in use. */
size_t shadow_size(const void *block);

shadow_use_t shadow_use(void);

#endif
