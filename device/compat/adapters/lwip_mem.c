/* The functions of lwIP's mem.c, in its place. Compiled with lwIP's headers. */
#include <lwip/mem.h>

#include "lwip.h"

void mem_init(void);
void mem_init(void) {}

void *mem_malloc(mem_size_t size)
{
    return hs_lwip_malloc(size);
}

void *mem_calloc(mem_size_t count, mem_size_t size)
{
    return hs_lwip_calloc(count, size);
}

void mem_free(void *block)
{
    hs_lwip_free(block);
}

void *mem_trim(void *block, mem_size_t size)
{
    return hs_lwip_trim(block, size);
}
