#include "mbedtls.h"

static hs_private_t *used; /* the library's hooks have no context */

void hs_mbedtls_use(hs_private_t *heap)
{
    used = heap;
}

void *hs_mbedtls_calloc(size_t count, size_t size)
{
    return used != NULL ? hs_private_calloc(used, count, size) : NULL;
}

void hs_mbedtls_free(void *block)
{
    if (used != NULL) {
        (void)hs_private_free(used, block); /* misuse is counted there */
    }
}
