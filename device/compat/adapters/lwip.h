/*
 * lwIP on a private heap, in one of two ways. With its own mem.c, in lwipopts.h:
 *
 *     #define MEM_LIBC_MALLOC 1                       2.2: MEM_CUSTOM_ALLOCATOR 1
 *     #define mem_clib_malloc hs_lwip_malloc               MEM_CUSTOM_MALLOC hs_lwip_malloc
 *     #define mem_clib_calloc hs_lwip_calloc               MEM_CUSTOM_CALLOC hs_lwip_calloc
 *     #define mem_clib_free hs_lwip_free                   MEM_CUSTOM_FREE hs_lwip_free
 *
 * or lwip_mem.c in the place of mem.c (MEM_LIBC_MALLOC 1 all the same), which also gives back what
 * mem_trim() cuts off: there lwIP's own does nothing, so that a received frame keeps the bytes of the
 * largest one. With MEMP_MEM_MALLOC 1 its pools come from there, too.
 *
 * lwIP allocates in several tasks: the heap needs a lock. Needs no header of lwIP's.
 */
#ifndef HEAPSCOPE_ADAPTERS_LWIP_H
#define HEAPSCOPE_ADAPTERS_LWIP_H

#include "heapscope/private.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The hooks carry no context: one heap for the program. Before lwip_init() or tcpip_init(). NULL:
 * every allocation fails. */
void hs_lwip_use(hs_private_t *heap);

void *hs_lwip_malloc(size_t size);
void *hs_lwip_calloc(size_t count, size_t size);
void hs_lwip_free(void *block);
/* The block, which stays where it is, cut to `size`; NULL: it was smaller, and nothing changed. */
void *hs_lwip_trim(void *block, size_t size);

#ifdef __cplusplus
}
#endif

#endif
