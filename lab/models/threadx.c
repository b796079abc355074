/*
 * ThreadX byte pool: one ring of blocks in address order, searched from a pointer; free neighbours are
 * joined by the search, never at release.
 * Source: threadx 7ad78c40 (6.4.2+) common/src/tx_byte_pool_search.c, tx_byte_release.c, in 32-bit builds.
 *
 *     block + 0    address of the next block; the last one, of 8 bytes and used, leads to the first
 *     block + 4    0xFFFFEEEE if it is free, else the pool's address
 *     block + 8    payload
 *
 * No free block lies below the search pointer, so that the search is a first fit. Blocks that the search
 * would join are one free block here: heap->index->by_place has these runs. `mem` keeps the blocks as they are,
 * which decide how much of a run a request takes. There is no realloc and no aligned allocation.
 */
#include "list.h"
#include "region.h"
#include "runs.h"
#include "seen.h"

#define HEADER UINT32_C(8)
#define OWNER UINT32_C(4)
#define IS_FREE UINT32_C(0xFFFFEEEE)
#define REST_MIN UINT32_C(20) /* of a rest that becomes a block, header included */
#define POOL_MIN UINT32_C(100)
#define ROUND UINT32_C(3)

typedef struct threadx {
    hs_sim_t heap;
    uint32_t start;
    uint32_t last;
    uint32_t available; /* as it reports: free blocks with their headers */
    uint32_t fragments;
    hs_runs_t runs;
} threadx_t;

static threadx_t *threadx_of(hs_sim_t *heap)
{
    return (threadx_t *)heap;
}

static const threadx_t *threadx_of_const(const hs_sim_t *heap)
{
    return (const threadx_t *)heap;
}

static void link_to(hs_sim_t *heap, uint32_t block, uint32_t next)
{
    hs_region_put_link(heap, block, next);
    heap->steps.writes++;
}

static void set_owner(hs_sim_t *heap, uint32_t block, uint32_t owner)
{
    hs_region_put(heap, block + OWNER, owner);
    heap->steps.writes++;
}

/* ---- allocate and release --------------------------------------------------------------------- */

/* Joins the first blocks of a run until they have `wanted` bytes. Returns the end of what is joined. */
static uint32_t join(threadx_t *pool, uint32_t at, uint32_t wanted)
{
    hs_sim_t *heap = &pool->heap;
    const uint32_t start = run_start(heap, at);
    const uint32_t end = run_end(heap, at);
    uint32_t next = hs_region_get_link(heap, start);
    heap->steps.nodes++;
    while (next != end && next - start - HEADER < wanted) {
        next = hs_region_get_link(heap, next);
        link_to(heap, start, next);
        pool->fragments--;
        heap->steps.nodes++;
    }
    return next;
}

static uint32_t take(threadx_t *pool, uint32_t at, uint32_t next, uint32_t wanted)
{
    hs_sim_t *heap = &pool->heap;
    const uint32_t block = run_start(heap, at);
    if (next - block - HEADER - wanted >= REST_MIN) {
        const uint32_t rest = block + HEADER + wanted;
        link_to(heap, rest, next);
        set_owner(heap, rest, IS_FREE);
        link_to(heap, block, rest);
        pool->fragments++;
        next = rest;
    }
    runs_use(heap, &pool->runs, block, next);
    set_owner(heap, block, heap->base);
    pool->available -= next - block;
    heap->tally.used += next - block - HEADER;
    heap->tally.used_blocks++;
    return block + HEADER;
}

/* Bytes of a request, 0: refused before a search. */
static uint32_t rounded(const threadx_t *pool, uint32_t size)
{
    const uint32_t wanted = (size + ROUND) & ~ROUND;
    return wanted < size || wanted >= pool->available + HEADER * (pool->fragments - 2) ? 0 : wanted;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    threadx_t *pool = threadx_of(heap);
    const uint32_t wanted = rounded(pool, size);
    if (wanted == 0) {
        return HS_NONE;
    }
    for (uint32_t at = 0; at < runs_of(heap)->count; at++) {
        const uint32_t next = join(pool, at, wanted);
        if (next - run_start(heap, at) - HEADER >= wanted) {
            return take(pool, at, next, wanted);
        }
    }
    return HS_NONE;
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return hs_region_get_link(heap, offset - HEADER) - offset;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    threadx_t *pool = threadx_of(heap);
    const uint32_t block = offset - HEADER;
    const uint32_t end = offset + model_usable(heap, offset);
    heap->tally.used -= end - offset;
    heap->tally.used_blocks--;
    pool->available += end - block;
    set_owner(heap, block, IS_FREE);
    runs_free(heap, &pool->runs, block, end);
}

/* ---- questions -------------------------------------------------------------------------------- */

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    return runs_largest_free(heap, &threadx_of_const(heap)->runs);
}

static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    threadx_t *pool = threadx_of(heap);
    pool->runs.largest = runs_largest(heap, &pool->runs);
    return model_largest_free(heap);
}

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = rounded(threadx_of_const(heap), size);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return wanted != 0 && wanted <= model_largest_free(heap);
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const threadx_t *pool = threadx_of_const(heap);
    out->free = pool->available;
    out->allocated = pool->last - pool->start - pool->available;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = model_largest_free(heap);
}

/* The block at `at`, a run or a used one; false: damaged. */
static bool block_at(const threadx_t *pool, uint32_t at, hs_tally_t *seen, hs_walk_block_t *block)
{
    const hs_sim_t *heap = &pool->heap;
    const uint32_t run = seen->free_blocks;
    const bool is_run = run < runs_of(heap)->count && run_start(heap, run) == at;
    const uint32_t end = is_run ? run_end(heap, run) : hs_region_get_link(heap, at);
    if (end < at + HEADER || end > pool->last) {
        return false;
    }
    for (uint32_t part = at; part != end; part = hs_region_get_link(heap, part)) {
        const uint32_t next = hs_region_get_link(heap, part);
        const uint32_t owner = is_run ? IS_FREE : heap->base;
        if (next < part + HEADER || next > end || ((next - part) & ROUND) != 0 ||
            hs_region_get(heap, part + OWNER) != owner) {
            return false;
        }
    }
    *block = (hs_walk_block_t){at + HEADER, end - at - HEADER, !is_run};
    hs_seen_add(seen, block->size, block->used);
    return true;
}

/* Returns where it stopped, or the last block. */
static uint32_t walk(const hs_sim_t *heap, hs_walk_fn visit, void *context, hs_tally_t *seen)
{
    const threadx_t *pool = threadx_of_const(heap);
    hs_walk_block_t block;
    for (uint32_t at = pool->start; at != pool->last; at = block.offset + block.size) {
        if (!block_at(pool, at, seen, &block) || (visit != NULL && !visit(context, &block))) {
            return at;
        }
    }
    return pool->last;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    (void)walk(heap, visit, context, &seen);
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    const threadx_t *pool = threadx_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    const uint32_t end = walk(heap, NULL, NULL, &seen);
    if (end != pool->last || hs_region_get_link(heap, end) != pool->start ||
        hs_region_get(heap, end + OWNER) != heap->base) {
        return hs_seen_fault(end, where);
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(pool->start, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    threadx_t *pool = threadx_of(heap);
    pool->start = (0u - heap->base) & ROUND;
    if (heap->size < pool->start + POOL_MIN) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    pool->last = pool->start + ((heap->size - pool->start) & ~ROUND) - HEADER;
    pool->available = pool->last - pool->start;
    pool->fragments = 2;
    link_to(heap, pool->start, pool->last);
    set_owner(heap, pool->start, IS_FREE);
    link_to(heap, pool->last, pool->start);
    set_owner(heap, pool->last, heap->base);
    pool->runs.header = HEADER;
    run_add(heap, &pool->runs, pool->start, pool->last);
    heap->steps.writes = 0;
    return HS_OK;
}

const hs_model_t hs_model_threadx = {
    .name = "threadx",
    .title = "ThreadX byte pool: first fit, joined by the search alone",
    .state_size = sizeof(threadx_t),
    .granule = 4,
    .serves_up_to_largest = true,
    .create = model_create,
    .malloc = model_malloc,
    .free = model_free,
    .usable = model_usable,
    .fits = model_fits,
    .largest_allocatable = model_largest_allocatable,
    .largest_free = model_largest_free,
    .reported = model_reported,
    .walk = model_walk,
    .check = model_check,
};
