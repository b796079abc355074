#include "duktape.h"

void *hs_duktape_alloc(void *udata, size_t size)
{
    return hs_private_malloc(udata, size);
}

void *hs_duktape_realloc(void *udata, void *block, size_t size)
{
    return hs_private_realloc(udata, block, size);
}

void hs_duktape_free(void *udata, void *block)
{
    (void)hs_private_free(udata, block); /* misuse is counted there */
}
