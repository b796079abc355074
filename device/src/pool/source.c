/* A heap as a source of memory. */
#include "heapscope/source.h"

#include "heapscope/config.h"

#if HS_POOLS || HS_PRIVATE /* for either */

static void *allocate(void *context, size_t size)
{
    return hs_heap_malloc(context, size);
}

static void release(void *context, void *block, size_t size)
{
    (void)size;
    (void)hs_heap_free(context, block);
}

hs_source_t hs_heap_source(hs_heap_t *heap)
{
    return (hs_source_t){allocate, release, heap};
}

#endif
