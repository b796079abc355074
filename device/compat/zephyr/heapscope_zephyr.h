/*
 * k_malloc and its family on Heapscope, and what can be asked beyond them: CONFIG_HEAPSCOPE_K_MALLOC.
 * The linker sends every call of k_malloc, k_calloc, k_realloc, k_aligned_alloc and k_free here, and
 * the requests that Zephyr makes from the system heap for a thread. docs/guide/zephyr.md.
 */
#ifndef HEAPSCOPE_ZEPHYR_H
#define HEAPSCOPE_ZEPHYR_H

#include "heapscope/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of payload. These take the lock, and may be called where k_malloc may be. */
size_t hs_k_malloc_free_size(void);
size_t hs_k_malloc_minimum_free(void); /* the least that was free since the start */
/* The largest request that k_malloc would serve now. */
size_t hs_k_malloc_largest(void);
/* Checks all metadata under the lock; O(blocks). HS_ERR_CORRUPT, *where (may be NULL): as hs_heap_check. */
hs_status_t hs_k_malloc_check(const void **where);

/* Called for a k_free() or k_realloc() of an address within the heap where no used block begins: interior,
 * or freed before. The lock is not held. The default, a weak function, does nothing: the call is refused
 * and the program goes on. */
void hs_k_malloc_refused(void *block);

#ifdef __cplusplus
}
#endif

#endif
