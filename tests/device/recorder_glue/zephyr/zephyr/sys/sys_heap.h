/* Stands in for Zephyr's header: the same declarations of what is used here. */
#ifndef TESTS_ZEPHYR_SYS_HEAP_H
#define TESTS_ZEPHYR_SYS_HEAP_H

#include <stddef.h>

struct sys_heap {
    void *heap;
    void *init_mem;
    size_t init_bytes;
};

void *sys_heap_alloc(struct sys_heap *heap, size_t bytes);
void *sys_heap_aligned_alloc(struct sys_heap *heap, size_t align, size_t bytes);
void sys_heap_free(struct sys_heap *heap, void *mem);
void *sys_heap_aligned_realloc(struct sys_heap *heap, void *ptr, size_t align, size_t bytes);
#if defined(TEST_ZEPHYR_MACRO) /* of older releases */
#define sys_heap_realloc(heap, ptr, bytes) sys_heap_aligned_realloc(heap, ptr, 0, bytes)
#else
void *sys_heap_realloc(struct sys_heap *heap, void *ptr, size_t bytes);
#endif
size_t sys_heap_usable_size(struct sys_heap *heap, void *mem);

#endif
