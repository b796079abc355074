/* Pools: blocks from a source, cut from the front. */
#include "pool.h"

#if HS_POOLS

/* ---- the set ---------------------------------------------------------------------------------- */

static void tell(const hs_pool_t *pool, hs_pool_event_kind_t kind, size_t size)
{
    const hs_pools_t *const pools = pool->pools;
    if (pools->observe != NULL) {
        const hs_pool_event_t event = {kind, pool, pool->number, pool->name, size, pool->increment};
        pools->observe(pools->context, &event);
    }
}

void hs_pools_init(hs_pools_t *pools, hs_source_t source, hs_pool_observe_t observe, void *context)
{
    *pools = (hs_pools_t){.source = source, .observe = observe, .context = context};
}

static hs_pool_block_t *take_block(hs_pools_t *pools, size_t size)
{
    hs_pool_block_t *const block = pools->source.allocate(pools->source.context, size);
    if (block == NULL) {
        return NULL;
    }
    block->older = NULL;
    block->size = size;
    block->at = (uintptr_t)(block + 1);
    block->end = (uintptr_t)block + size;
    pools->allocated += size;
    if (pools->peak_allocated < pools->allocated) {
        pools->peak_allocated = pools->allocated;
    }
    return block;
}

static void give_block(hs_pools_t *pools, hs_pool_block_t *block)
{
    HS_ASSERT(pools->allocated >= block->size);
    pools->allocated -= block->size;
    pools->source.release(pools->source.context, block, block->size);
}

/* Those in front of `last`, which is given, too, if it is NULL: the whole chain. */
static void give_blocks(hs_pools_t *pools, hs_pool_block_t *block, const hs_pool_block_t *last)
{
    while (block != last) {
        hs_pool_block_t *const older = block->older;
        give_block(pools, block);
        block = older;
    }
}

static uint32_t next_number(hs_pools_t *pools)
{
    const uint32_t number = pools->next_number;
    pools->next_number = (number + 1) % HS_POOL_NUMBERS;
    return number;
}

/* ---- life of a pool --------------------------------------------------------------------------- */

#define OWN_BYTES (sizeof(hs_pool_block_t) + sizeof(hs_pool_t))

/* The pool on its first block, which is empty but for it. */
static void start(hs_pool_t *pool, hs_pool_block_t *first)
{
    first->at = (uintptr_t)(pool + 1);
    pool->newest = first;
    pool->blocks = 1;
    pool->used = OWN_BYTES;
    pool->allocated = first->size;
    pool->number = next_number(pool->pools);
    tell(pool, HS_POOL_CREATED, first->size);
}

hs_pool_t *hs_pool_create(hs_pools_t *pools, const char *name, size_t initial, size_t increment)
{
    hs_pool_block_t *const first = take_block(pools, initial < OWN_BYTES ? OWN_BYTES : initial);
    if (first == NULL) {
        pools->failures++;
        if (pools->observe != NULL) {
            const hs_pool_event_t event = {HS_POOL_FAILED, NULL, 0, name, initial, increment};
            pools->observe(pools->context, &event);
        }
        return NULL;
    }
    hs_pool_t *const pool = (hs_pool_t *)(first + 1);
    pool->pools = pools;
    pool->older = pools->first;
    pools->first = pool;
    pool->increment = increment;
    pool->failures = 0;
    uint32_t length = 0;
    for (; length + 1 < HS_POOL_NAME && name != NULL && name[length] != 0; length++) {
        pool->name[length] = name[length];
    }
    pool->name[length] = 0;
    start(pool, first);
    return pool;
}

static hs_pool_block_t *first_block(hs_pool_t *pool)
{
    return (hs_pool_block_t *)pool - 1;
}

void hs_pool_reset(hs_pool_t *pool)
{
    hs_pool_block_t *const first = first_block(pool);
    tell(pool, HS_POOL_RELEASED, 0);
    give_blocks(pool->pools, pool->newest, first);
    start(pool, first);
}

hs_status_t hs_pool_release(hs_pools_t *pools, hs_pool_t *pool)
{
    hs_pool_t **link = &pools->first;
    while (*link != pool && *link != NULL) {
        link = &(*link)->older;
    }
    if (pool == NULL || *link == NULL) {
        return HS_ERR_ARGUMENT;
    }
    *link = pool->older;
    tell(pool, HS_POOL_RELEASED, 0);
    give_blocks(pools, pool->newest, NULL);
    return HS_OK;
}

void hs_pools_release_all(hs_pools_t *pools)
{
    while (pools->first != NULL) {
        (void)hs_pool_release(pools, pools->first);
    }
}

/* ---- allocation ------------------------------------------------------------------------------- */

/* From one block, or NULL. */
static void *cut(hs_pool_t *pool, hs_pool_block_t *block, size_t alignment, size_t size)
{
    const uintptr_t at = hs_pool_up(block->at, alignment);
    if (at > block->end || at < block->at || block->end - at < size) {
        return NULL;
    }
    pool->used += at + size - block->at;
    block->at = at + size;
    HS_ASSERT(block->at <= block->end && pool->used <= pool->allocated);
    return (void *)at;
}

/* A new block of as many increments as the request needs; NULL: none. */
static hs_pool_block_t *grow(hs_pool_t *pool, size_t alignment, size_t size)
{
    const size_t increment = pool->increment;
    /* A block is aligned to a pointer; a larger alignment can cost the difference in front. */
    const size_t front =
        sizeof(hs_pool_block_t) + (alignment > sizeof(void *) ? alignment - sizeof(void *) : 0);
    if (increment == 0 || size > SIZE_MAX / 2 - front) {
        return NULL;
    }
    const size_t increments = (front + size - 1) / increment + 1; /* rounded up, and never over */
    if (increments > SIZE_MAX / increment) {
        return NULL;
    }
    hs_pool_block_t *const block = take_block(pool->pools, increments * increment);
    if (block == NULL) {
        return NULL;
    }
    HS_ASSERT(block->size >= front + size);
    block->older = pool->newest;
    pool->newest = block;
    pool->blocks++;
    pool->allocated += block->size;
    pool->used += sizeof(hs_pool_block_t);
    tell(pool, HS_POOL_GREW, block->size);
    return block;
}

static void *allocate(hs_pool_t *pool, size_t alignment, size_t size)
{
    void *built = NULL;
    hs_pool_block_t *block = pool->newest;
    for (uint32_t i = 0; i < HS_POOL_LOOK && block != NULL && built == NULL; i++) {
        built = cut(pool, block, alignment, size);
        block = block->older;
    }
    if (built == NULL) {
        block = grow(pool, alignment, size);
        built = block != NULL ? cut(pool, block, alignment, size) : NULL;
    }
    pool->failures += built == NULL ? 1u : 0u;
    pool->pools->failures += built == NULL ? 1u : 0u;
    tell(pool, built != NULL ? HS_POOL_ALLOCATED : HS_POOL_FAILED, size);
    return built;
}

void *hs_pool_alloc(hs_pool_t *pool, size_t size)
{
    return size != 0 ? allocate(pool, HS_POOL_ALIGNMENT, size) : NULL;
}

void *hs_pool_calloc(hs_pool_t *pool, size_t count, size_t size)
{
    if (count == 0 || size == 0) {
        return NULL;
    }
    const size_t bytes = count > SIZE_MAX / size ? SIZE_MAX : count * size;
    unsigned char *const built = allocate(pool, HS_POOL_ALIGNMENT, bytes);
    for (size_t i = 0; built != NULL && i < bytes; i++) {
        built[i] = 0;
    }
    return built;
}

void *hs_pool_aligned_alloc(hs_pool_t *pool, size_t alignment, size_t size)
{
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0 ||
        alignment > HS_ALIGNMENT_MAX) {
        return NULL;
    }
    return allocate(pool, alignment, size);
}

#endif
