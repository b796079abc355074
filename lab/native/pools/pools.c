#include "pools/pools.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct pool {
    uint64_t *left; /* bytes at the end of each block, the newest one last */
    uint32_t blocks, room;
    uint64_t first, increment, capacity, used, grown;
    bool live;
} pool_t;

typedef struct replay {
    const hs_lab_pool_rule_t *rule;
    hs_pool_sizes_t sizes;
    pool_t *pools;
    uint64_t allocated, used;
    hs_lab_pool_totals_t *totals;
} replay_t;

static uint64_t up(uint64_t bytes, uint64_t align)
{
    return (bytes + align - 1) & ~(align - 1);
}

static uint64_t rounded(const hs_lab_pool_rule_t *rule, uint64_t bytes)
{
    for (uint32_t i = 0; i < rule->sizes; i++) { /* at most HS_LAB_POOL_SIZES_MAX rounds */
        if (rule->size[i] >= bytes) {
            return rule->size[i];
        }
    }
    return bytes;
}

/* The first of a pool's bytes that a request can have, in its first block and in the others. */
static uint64_t head(const hs_lab_pool_rule_t *rule, bool first)
{
    return up((first ? (uint64_t)rule->pool : 0) + rule->block, rule->align);
}

/* ---- blocks ------------------------------------------------------------------------------------ */

static void count_use(replay_t *replay, pool_t *pool, uint64_t capacity, uint64_t used)
{
    replay->allocated += capacity - pool->capacity;
    replay->used += used - pool->used;
    pool->capacity = capacity;
    pool->used = used;
}

static hs_status_t add_block(replay_t *replay, pool_t *pool, uint64_t bytes)
{
    if (pool->blocks == pool->room) {
        uint32_t room = pool->room == 0 ? 8 : pool->room * 2;
        uint64_t *left = realloc(pool->left, room * sizeof *left);
        if (left == NULL) {
            return HS_ERR_MEMORY;
        }
        pool->left = left;
        pool->room = room;
    }
    uint64_t taken = head(replay->rule, pool->blocks == 0);
    if (bytes < taken) {
        return HS_ERR_ARGUMENT;
    }
    pool->left[pool->blocks++] = bytes - taken;
    count_use(replay, pool, pool->capacity + bytes, pool->used + taken);
    return HS_OK;
}

/* The newest block has the first say, as in pj_pool_allocate_find. */
static bool take(pool_t *pool, uint64_t bytes)
{
    for (uint32_t i = pool->blocks; i-- > 0;) {
        if (pool->left[i] >= bytes) {
            pool->left[i] -= bytes;
            return true;
        }
    }
    return false;
}

/* Whole increments, as many as the request, the header and the alignment take at worst. */
static uint64_t growth(const replay_t *replay, const pool_t *pool, uint64_t bytes)
{
    uint64_t needed = bytes + replay->rule->block + replay->rule->align;
    return pool->increment >= needed
               ? pool->increment
               : (needed + pool->increment) / pool->increment * pool->increment;
}

/* ---- events ------------------------------------------------------------------------------------ */

static hs_status_t create(replay_t *replay, pool_t *pool, const hs_event_t *event)
{
    bool again = pool->live;
    uint64_t first = event->size, increment = event->new_key;
    if (replay->sizes.initial != 0) {
        first = again ? pool->first : rounded(replay->rule, replay->sizes.initial);
        increment = replay->sizes.increment;
    }
    count_use(replay, pool, 0, 0);
    pool->blocks = 0;
    pool->grown = 0;
    pool->live = true;
    pool->first = first;
    pool->increment = increment;
    replay->totals->calls += !again;
    replay->totals->pools += !again;
    replay->totals->resets += again;
    return add_block(replay, pool, first);
}

static void release(replay_t *replay, pool_t *pool)
{
    count_use(replay, pool, 0, 0);
    pool->blocks = 0;
    pool->live = false;
}

static hs_status_t grow(replay_t *replay, pool_t *pool, uint64_t bytes)
{
    replay->totals->calls++;
    return add_block(replay, pool, bytes);
}

static hs_status_t request(replay_t *replay, pool_t *pool, uint64_t requested)
{
    hs_lab_pool_totals_t *totals = replay->totals;
    totals->requests++;
    uint64_t bytes = up(requested, replay->rule->align);
    uint64_t grown = 0;
    if (!take(pool, bytes)) {
        if (pool->increment == 0) {
            totals->failed++;
            return HS_OK;
        }
        grown = growth(replay, pool, requested);
        hs_status_t status = grow(replay, pool, grown);
        if (status != HS_OK) {
            return status;
        }
        take(pool, bytes);
    }
    totals->unlike += grown != pool->grown;
    pool->grown = 0;
    count_use(replay, pool, pool->capacity, pool->used + bytes);
    return HS_OK;
}

static hs_status_t followed(replay_t *replay, pool_t *pool, const hs_event_t *event)
{
    if (event->kind == HS_EVENT_POOL_GROW) {
        return grow(replay, pool, event->size);
    }
    replay->totals->requests++;
    count_use(replay, pool, pool->capacity, pool->used + event->size);
    return HS_OK;
}

static hs_status_t step(replay_t *replay, const hs_event_t *event)
{
    pool_t *pool = &replay->pools[event->key];
    if (event->kind == HS_EVENT_POOL_CREATE) {
        return create(replay, pool, event);
    }
    if (!pool->live) {
        replay->totals->stray++;
        return HS_OK;
    }
    if (event->kind == HS_EVENT_POOL_RELEASE) {
        release(replay, pool);
        return HS_OK;
    }
    if (event->kind == HS_EVENT_POOL_GROW) {
        replay->totals->growths++;
        pool->grown += event->size;
    }
    if (replay->rule->follow) {
        return followed(replay, pool, event);
    }
    return event->kind == HS_EVENT_POOL_ALLOC ? request(replay, pool, event->size) : HS_OK;
}

/* ---- all of them ------------------------------------------------------------------------------- */

static bool is_fair(const hs_lab_pool_rule_t *rule, hs_pool_sizes_t sizes)
{
    bool power = rule->align != 0 && (rule->align & (rule->align - 1)) == 0;
    bool whatif = sizes.initial != 0;
    return power && rule->sizes <= HS_LAB_POOL_SIZES_MAX && !(whatif && rule->follow) &&
           (!whatif || rounded(rule, sizes.initial) >= head(rule, true));
}

hs_status_t hs_pools_replay(const hs_event_t *events, size_t count, const uint8_t *chosen,
                            uint32_t pools, hs_pool_sizes_t sizes, const hs_lab_pool_rule_t *rule,
                            uint64_t *allocated, uint64_t *used, hs_lab_pool_totals_t *out)
{
    if (!is_fair(rule, sizes)) {
        return HS_ERR_ARGUMENT;
    }
    *out = (hs_lab_pool_totals_t){0};
    replay_t replay = {.rule = rule, .sizes = sizes, .totals = out};
    replay.pools = calloc(pools == 0 ? 1 : pools, sizeof *replay.pools);
    hs_status_t status = replay.pools == NULL ? HS_ERR_MEMORY : HS_OK;
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        const hs_event_t *event = &events[i];
        bool own = event->kind >= HS_EVENT_POOL_CREATE && event->kind <= HS_EVENT_POOL_RELEASE &&
                   event->key < pools && chosen[event->key] != 0;
        status = own ? step(&replay, event) : HS_OK;
        if (allocated != NULL) {
            allocated[i] = replay.allocated;
        }
        if (used != NULL) {
            used[i] = replay.used;
        }
    }
    for (uint32_t i = 0; replay.pools != NULL && i < pools; i++) {
        free(replay.pools[i].left);
    }
    free(replay.pools);
    return status;
}
