/* Where the family's memory comes from. */
#ifndef HEAPSCOPE_LIBC_MEMORY_H
#define HEAPSCOPE_LIBC_MEMORY_H

#include "arenas.h"

/* Adds an arena in which `size` bytes at that alignment will do; false: there is no more. */
bool hs_libc_more(hs_arenas_t *arenas, size_t alignment, size_t size);

/* HS_LIBC_QUERIED: the program defines it. Called once, at the first request, under the lock; *size is set to
 * the bytes at the result. */
void *hs_libc_memory(size_t *size);

#endif
