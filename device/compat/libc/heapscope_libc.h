/*
 * malloc and its family on Heapscope, and what can be asked beyond it. Linked before the C library,
 * these take the place of its own; with compat/arenas/arenas.c and a port. docs/guide/libc.md.
 *
 * Where the memory comes from, HS_LIBC_MEMORY:
 *   HS_LIBC_STATIC  an array of HS_LIBC_SIZE bytes (the default)
 *   HS_LIBC_GIVEN   what hs_libc_give() was given, before the first allocation
 *   HS_LIBC_SBRK    sbrk(), HS_LIBC_SIZE bytes at a time, HS_ARENAS_MAX times at most: a block never
 *                   lies across two of these
 *   HS_LIBC_PAGES   mmap(), likewise: for programs of a system
 *   HS_LIBC_QUERIED   what a function of the program, hs_libc_memory(), tells at the first request
 */
#ifndef HEAPSCOPE_LIBC_H
#define HEAPSCOPE_LIBC_H

#include "heapscope/heap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* HS_ERR_ARGUMENT: it overlaps what was given before. HS_ERR_MEMORY: too small, or given too often
 * (HS_ARENAS_MAX, with what comes from elsewhere). Takes the lock. */
hs_status_t hs_libc_give(void *memory, size_t size);

/* Bytes of payload, over all memory so far. */
size_t hs_libc_free_size(void);
size_t hs_libc_minimum_free(void);
/* The largest request that malloc would serve without more memory. */
size_t hs_libc_largest(void);
/* Checks all memory under the lock; O(blocks). HS_ERR_CORRUPT, *where (may be NULL): as hs_heap_check. */
hs_status_t hs_libc_check(const void **where);

/* Called for a free() or realloc() of an address where no used block begins: foreign, interior, or freed
 * before; and for a free() in an interrupt handler that the port refuses. The lock is not held. The
 * default, a weak function, does nothing: the call is refused and the program goes on. */
void hs_libc_refused(void *block);

#ifdef __cplusplus
}
#endif

#endif
