/* The figures of pools, for programs and for people. */
#include "pool.h"

#if HS_POOLS

static uint32_t percent(size_t part, size_t whole)
{
    return whole == 0 ? 0 : (uint32_t)((uint64_t)part * 100 / whole);
}

void hs_pool_info(const hs_pool_t *pool, hs_pool_info_t *info)
{
    *info = (hs_pool_info_t){.name = pool->name,
                             .number = pool->number,
                             .blocks = pool->blocks,
                             .used = pool->used,
                             .allocated = pool->allocated,
                             .increment = pool->increment,
                             .failures = pool->failures,
                             .utilisation = percent(pool->used, pool->allocated)};
    const hs_pool_block_t *block = pool->newest;
    for (uint32_t i = 0; i < HS_POOL_LOOK && block != NULL; i++, block = block->older) {
        const uintptr_t at = hs_pool_up(block->at, HS_POOL_ALIGNMENT);
        if (at < block->end && block->end - at > info->largest) {
            info->largest = block->end - at;
        }
    }
}

void hs_pools_walk(const hs_pools_t *pools, hs_pool_visit_t visit, void *context)
{
    const hs_pool_t *pool = pools->first;
    while (pool != NULL && visit(context, pool)) {
        pool = pool->older;
    }
}

static void put_use(hs_text_t text, const char *name, size_t used, size_t allocated)
{
    uint32_t length = 0;
    while (name[length] != 0) {
        length++;
    }
    for (; length < HS_POOL_NAME; length++) {
        hs_text_string(text, " ");
    }
    hs_text_string(text, name);
    hs_text_string(text, ": ");
    hs_text_number(text, used, 8);
    hs_text_string(text, " of ");
    hs_text_number(text, allocated, 8);
    hs_text_string(text, " (");
    hs_text_number(text, percent(used, allocated), 0);
    hs_text_string(text, "%) used");
}

void hs_pools_dump(const hs_pools_t *pools, hs_text_t text)
{
    size_t used = 0;
    for (const hs_pool_t *pool = pools->first; pool != NULL; pool = pool->older) {
        put_use(text, pool->name, pool->used, pool->allocated);
        hs_text_string(text, "\n");
        used += pool->used;
    }
    put_use(text, "total", used, pools->allocated);
    hs_text_string(text, ", peak ");
    hs_text_number(text, pools->peak_allocated, 0);
    hs_text_string(text, "\n");
}

#endif
