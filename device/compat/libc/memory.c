#define _DEFAULT_SOURCE /* for MAP_ANONYMOUS */
#include "memory.h"
#include "configuration.h"

#if HS_LIBC_MEMORY == HS_LIBC_STATIC

bool hs_libc_more(hs_arenas_t *arenas, size_t alignment, size_t size)
{
    static _Alignas(16) uint8_t arena[HS_LIBC_SIZE];
    static bool taken;
    (void)alignment, (void)size;
    if (taken) {
        return false;
    }
    taken = true;
    return hs_arenas_add(arenas, arena, sizeof arena) == HS_OK;
}

#elif HS_LIBC_MEMORY == HS_LIBC_QUERIED

bool hs_libc_more(hs_arenas_t *arenas, size_t alignment, size_t size)
{
    static bool requested;
    (void)alignment, (void)size;
    if (requested) {
        return false;
    }
    requested = true;
    size_t bytes = 0;
    void *const memory = hs_libc_memory(&bytes);
    return hs_arenas_add(arenas, memory, bytes) == HS_OK;
}

#elif HS_LIBC_MEMORY == HS_LIBC_GIVEN

bool hs_libc_more(hs_arenas_t *arenas, size_t alignment, size_t size)
{
    (void)arenas, (void)alignment, (void)size;
    return false;
}

#else

/* Bytes that a heap needs beside the block and its bitmap (1/63 of it): bins, control and roundings. */
#define ASIDE 4096u

static void *take_memory(size_t size);

bool hs_libc_more(hs_arenas_t *arenas, size_t alignment, size_t size)
{
    if (arenas->count == HS_ARENAS_MAX || size > HS_WIDE_MAX || alignment > HS_ALIGNMENT_MAX) {
        return false;
    }
    const size_t least = size + size / 62 + 2 * alignment + ASIDE;
    if (least > HS_WIDE_MAX) {
        return false; /* it would be taken, and the request still not fit */
    }
    size_t chosen = least > HS_LIBC_SIZE ? least : (size_t)HS_LIBC_SIZE;
    void *memory = take_memory(chosen);
    while (memory == NULL && chosen > least) { /* the last piece may be smaller */
        chosen = chosen / 2 > least ? chosen / 2 : least;
        memory = take_memory(chosen);
    }
    return memory != NULL && hs_arenas_add(arenas, memory, chosen) == HS_OK;
}

#if HS_LIBC_MEMORY == HS_LIBC_SBRK

#ifndef HS_LIBC_SBRK_CALL
#define HS_LIBC_SBRK_CALL sbrk
#endif
void *HS_LIBC_SBRK_CALL(ptrdiff_t increment); /* newlib's type */

static void *take_memory(size_t size)
{
    void *const memory = HS_LIBC_SBRK_CALL((ptrdiff_t)size);
    return memory != (void *)-1 ? memory : NULL;
}

#else
#include <sys/mman.h>

static void *take_memory(size_t size)
{
    void *const memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

#endif
#endif
