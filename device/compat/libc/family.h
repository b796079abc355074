/* The family without names and errno: what malloc.c and newlib.c say in their own ways. Each takes
 * the lock; status tells why there is no block. */
#ifndef HEAPSCOPE_LIBC_FAMILY_H
#define HEAPSCOPE_LIBC_FAMILY_H

#include "configuration.h"
#include "heapscope_libc.h"

/* HS_ERR_MEMORY: none, or refused in an interrupt; HS_ERR_ARGUMENT: no alignment, or no block. Of
 * size 0 a block of its own. */
void *hs_libc_allocate(size_t size, hs_status_t *status);
void *hs_libc_clear(size_t count, size_t size, hs_status_t *status);
void *hs_libc_align(size_t alignment, size_t size, hs_status_t *status);
/* `size` 0: frees, and NULL with HS_OK. */
void *hs_libc_resize(void *block, size_t size, hs_status_t *status);
void hs_libc_release(void *block);
size_t hs_libc_usable(const void *block);

#endif
