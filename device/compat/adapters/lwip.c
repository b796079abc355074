#include "lwip.h"

static hs_private_t *used; /* the library's hooks have no context */

void hs_lwip_use(hs_private_t *heap)
{
    used = heap;
}

void *hs_lwip_malloc(size_t size)
{
    return used != NULL ? hs_private_malloc(used, size) : NULL;
}

void *hs_lwip_calloc(size_t count, size_t size)
{
    return used != NULL ? hs_private_calloc(used, count, size) : NULL;
}

void hs_lwip_free(void *block)
{
    if (used != NULL) {
        (void)hs_private_free(used, block); /* misuse is counted there */
    }
}

void *hs_lwip_trim(void *block, size_t size)
{
    if (used == NULL || block == NULL || size == 0 || hs_private_usable_size(used, block) < size) {
        return NULL;
    }
    return hs_private_realloc(used, block, size); /* smaller: in place */
}
