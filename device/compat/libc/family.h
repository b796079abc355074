/* The malloc family without names and errno, which malloc.c and newlib.c add in their own ways. Each
 * call takes the lock; status tells why there is no block. */
#ifndef HEAPSCOPE_LIBC_FAMILY_H
#define HEAPSCOPE_LIBC_FAMILY_H

#include "configuration.h"
#include "heapscope_libc.h"

/* HS_ERR_MEMORY: no room, or refused in an interrupt; HS_ERR_ARGUMENT: the alignment is impossible, or
 * no block begins at the address. Size 0 gives a block of its own. */
void *hs_libc_allocate(size_t size, hs_status_t *status);
void *hs_libc_clear(size_t count, size_t size, hs_status_t *status);
void *hs_libc_align(size_t alignment, size_t size, hs_status_t *status);
/* `size` 0: frees, and NULL with HS_OK. */
void *hs_libc_resize(void *block, size_t size, hs_status_t *status);
void hs_libc_release(void *block);
size_t hs_libc_usable(const void *block);

#endif
