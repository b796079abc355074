/* The parts of a pool. Its blocks are chained, the newest first; the pool's own data lie in the first
 * block, which is the last of the chain. */
#ifndef HEAPSCOPE_POOL_POOL_H
#define HEAPSCOPE_POOL_POOL_H

#include "heapscope/assert.h"
#include "heapscope/config.h"
#include "heapscope/pool.h"

typedef struct hs_pool_block {
    struct hs_pool_block *older;
    size_t size; /* as taken from the source */
    uintptr_t at;
    uintptr_t end;
} hs_pool_block_t;

struct hs_pool {
    hs_pools_t *pools;
    hs_pool_t *older;
    hs_pool_block_t *newest;
    size_t increment;
    size_t used;
    size_t allocated;
    uint32_t number;
    uint32_t blocks;
    uint32_t failures;
    char name[HS_POOL_NAME];
};

static inline uintptr_t hs_pool_up(uintptr_t address, size_t alignment)
{
    HS_ASSERT(alignment != 0 && (alignment & (alignment - 1)) == 0);
    return (address + alignment - 1) & ~(uintptr_t)(alignment - 1);
}

#endif
