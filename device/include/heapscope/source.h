/*
 * A source of memory: where private heaps and pools take theirs from, and to whom it goes back. A
 * heap, a private heap, or two functions of the caller's over any other allocator.
 */
#ifndef HEAPSCOPE_SOURCE_H
#define HEAPSCOPE_SOURCE_H

#include "heapscope/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hs_source {
    /* NULL: none. Aligned to a pointer at least. */
    void *(*allocate)(void *context, size_t size);
    /* `block` as allocate() gave it, with the size that it was asked for; never NULL. */
    void (*release)(void *context, void *block, size_t size);
    void *context;
} hs_source_t;

/* The heap must outlive what is taken. Not reentrant, as the heap. */
hs_source_t hs_heap_source(hs_heap_t *heap);

#ifdef __cplusplus
}
#endif

#endif
