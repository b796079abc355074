/*
 * Zephyr's heaps recorded by their listeners (CONFIG_HEAP_LISTENER, CONFIG_SYS_HEAP_LISTENER):
 *
 *   HS_RECORDER_ZEPHYR(system_heap, HEAP_ID_FROM_POINTER(&_system_heap.heap));   once, in a file
 *   hs_recorder_zephyr(recorder);
 *   hs_recorder_zephyr_heap(&system_heap);                                       for each heap
 *
 * and compile recorder_zephyr.c with -Wl,--wrap=sys_heap_realloc -Wl,--wrap=sys_heap_aligned_realloc. The
 * listeners are called under the heap's own lock, so that events stand in the order of its changes; sizes
 * are those that blocks hold (walked_sizes). Failed requests do not reach a listener: call
 * hs_recorder_failed() where your program sees one.
 */
#ifndef HEAPSCOPE_RECORDER_ZEPHYR_H
#define HEAPSCOPE_RECORDER_ZEPHYR_H

#include <zephyr/sys/heap_listener.h>

#include "heapscope/recorder.h"

typedef struct hs_recorder_zephyr_heap {
    struct heap_listener allocated;
    struct heap_listener freed;
} hs_recorder_zephyr_heap_t;

#define HS_RECORDER_ZEPHYR(name, id)                                                               \
    hs_recorder_zephyr_heap_t name = {                                                             \
        {.heap_id = (id), .event = HEAP_ALLOC, {.alloc_cb = hs_recorder_zephyr_allocated}},        \
        {.heap_id = (id), .event = HEAP_FREE, {.free_cb = hs_recorder_zephyr_freed}}}

void hs_recorder_zephyr(hs_recorder_t *recorder); /* NULL: nothing is recorded */
void hs_recorder_zephyr_heap(hs_recorder_zephyr_heap_t *heap);

void hs_recorder_zephyr_allocated(uintptr_t heap, void *block, size_t bytes);
void hs_recorder_zephyr_freed(uintptr_t heap, void *block, size_t bytes);

#endif
