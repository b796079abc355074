/* Walks and checks a heap on behalf of a test: what the blocks add up to. */
#include "driver.h"

uint32_t drive_walk(const hs_heap_t *heap);
uint32_t drive_check(const hs_heap_t *heap);

typedef struct sum {
    uint32_t blocks, free;
} sum_t;

static bool add(void *context, void *block, size_t size, bool used)
{
    sum_t *sum = context;
    (void)block;
    sum->blocks++;
    sum->free += used ? 0 : (uint32_t)size;
    return true;
}

/* The number of blocks; 0: the free ones do not add up to what the heap says. */
uint32_t drive_walk(const hs_heap_t *heap)
{
    sum_t sum = {0};
    hs_heap_walk(heap, add, &sum);
    return sum.free == hs_heap_free_size(heap) ? sum.blocks : 0;
}

uint32_t drive_check(const hs_heap_t *heap)
{
    const void *where;
    return (uint32_t)hs_heap_check(heap, &where);
}
