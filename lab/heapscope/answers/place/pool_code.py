"""C for the pools of fixed blocks that rules name (device/include/heapscope/fixed.h)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from heapscope.answers.place.memories import FixedPool
from heapscope.answers.place.rule_lines import SIZE_MAX, PlaceRule
from heapscope.base import capabilities
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.region_names import find_regions

_ABOUT = """\
/* Pools of fixed blocks. Call place_pools_create() once, before the first request; then call
 * place_malloc() and the others below in place of hs_regions_malloc() and its kind. A request that
 * finds its pool full goes to the regions. A pool has no lock: PLACE_LOCK() and PLACE_UNLOCK() are
 * yours, for every task, core and interrupt that allocates. */
#if !defined(PLACE_LOCK) || !defined(PLACE_UNLOCK)
#error "Define PLACE_LOCK() and PLACE_UNLOCK() in front of this file."
#endif
"""

_TABLES = """\
typedef struct place_pool {
    const char *name;
    uint32_t block, alignment, count;
    uint32_t from;   /* capabilities of the memory that it takes */
    uint32_t serves; /* capabilities that its blocks have */
    hs_fixed_t *fixed;
    uintptr_t start;
    size_t size;
} place_pool_t;

typedef struct place_pool_rule {
    uint32_t asked, from, to;
    uint32_t pool;
} place_pool_rule_t;
"""

_FUNCTIONS = """\
#define PLACE_POOLS (sizeof place_pools / sizeof *place_pools)
#define PLACE_POOL_RULES (sizeof place_pool_rules / sizeof *place_pool_rules)

/* false: the memory of a pool could not be had; its requests go to the regions. */
static inline bool place_pools_create(hs_regions_t *set)
{
    bool all = true;
    for (uint32_t i = 0; i < PLACE_POOLS; i++) {
        place_pool_t *const pool = &place_pools[i];
        pool->size = hs_fixed_memory(pool->count, pool->block, pool->alignment);
        void *const memory = hs_regions_malloc(set, pool->size, pool->from);
        pool->start = (uintptr_t)memory;
        pool->fixed = memory != NULL ? hs_fixed_create(memory, pool->size, pool->block,
                                                       pool->alignment, pool->name)
                                     : NULL;
        all &= pool->fixed != NULL;
    }
    return all;
}

/* The pool that has the block; NULL: none. */
static inline place_pool_t *place_pool_of(const void *block)
{
    for (uint32_t i = 0; i < PLACE_POOLS; i++) {
        if (place_pools[i].fixed != NULL &&
            (uintptr_t)block - place_pools[i].start < place_pools[i].size) {
            return &place_pools[i];
        }
    }
    return NULL;
}

/* A block of the pool that the first rule for the request names; NULL: no rule, or it is full. */
static inline void *place_take(size_t alignment, size_t size, uint32_t caps)
{
    for (uint32_t i = 0; i < PLACE_POOL_RULES; i++) {
        const place_pool_rule_t *const rule = &place_pool_rules[i];
        if ((caps & rule->asked) != rule->asked || size < rule->from || size > rule->to) {
            continue;
        }
        const place_pool_t *const pool = &place_pools[rule->pool];
        if (pool->fixed == NULL || size == 0 || size > pool->block ||
            alignment > pool->alignment || (caps & ~PLACE_OWNERS & ~pool->serves) != 0) {
            return NULL;
        }
        PLACE_LOCK();
        void *const block = hs_fixed_alloc(pool->fixed);
        PLACE_UNLOCK();
        return block;
    }
    return NULL;
}

static inline void *place_malloc(hs_regions_t *set, size_t size, uint32_t caps)
{
    void *const block = place_take(1, size, caps);
    return block != NULL ? block : hs_regions_malloc(set, size, caps);
}

static inline void *place_calloc(hs_regions_t *set, size_t count, size_t size, uint32_t caps)
{
    const bool possible = size == 0 || count <= SIZE_MAX / size;
    unsigned char *const block = possible ? place_take(1, count * size, caps) : NULL;
    for (size_t i = 0; block != NULL && i < count * size; i++) {
        block[i] = 0;
    }
    return block != NULL ? block : hs_regions_calloc(set, count, size, caps);
}

static inline void *place_aligned_alloc(hs_regions_t *set, size_t alignment, size_t size,
                                        uint32_t caps)
{
    void *const block = place_take(alignment, size, caps);
    return block != NULL ? block : hs_regions_aligned_alloc(set, alignment, size, 0, caps);
}

static inline hs_status_t place_free(hs_regions_t *set, void *block)
{
    place_pool_t *const pool = place_pool_of(block);
    if (pool == NULL) {
        return hs_regions_free(set, block);
    }
    PLACE_LOCK();
    const hs_status_t status = hs_fixed_free(pool->fixed, block);
    PLACE_UNLOCK();
    return status;
}

/* A block of a pool stays where it is up to its whole size, and moves beyond it. */
static inline void *place_realloc(hs_regions_t *set, void *block, size_t size, uint32_t caps)
{
    const place_pool_t *const pool = place_pool_of(block);
    if (block == NULL) {
        return place_malloc(set, size, caps);
    }
    if (pool == NULL) {
        return hs_regions_realloc(set, block, size, caps);
    }
    if (size != 0 && size <= pool->block) {
        return block;
    }
    unsigned char *const moved = size != 0 ? place_malloc(set, size, caps) : NULL;
    for (size_t i = 0; moved != NULL && i < pool->block; i++) {
        moved[i] = ((const unsigned char *)block)[i];
    }
    if (moved != NULL || size == 0) {
        (void)place_free(set, block);
    }
    return moved;
}
"""


def pools_of(rules: Sequence[PlaceRule]) -> tuple[FixedPool, ...]:
    """Each once, in the order of the rules."""
    return tuple(dict.fromkeys(rule.pool for rule in rules if rule.pool is not None))


def pool_lines(
    rules: Sequence[PlaceRule],
    layout: Layout,
    *,
    owners: Sequence[str],
    requested: Callable[[PlaceRule], str],
    source: Callable[[FixedPool], str],
) -> Iterator[str]:
    """`owners`: the bits of all owners; `requested`: that of a rule's, or ""; `source`: the
    capability of the memory that a pool is taken from."""
    pools = pools_of(rules)
    yield from _ABOUT.splitlines()
    yield ""
    yield f"#define PLACE_OWNERS ({' | '.join(owners) or '0u'})"
    yield ""
    yield from _TABLES.splitlines()
    yield ""
    yield "static place_pool_t place_pools[] = {"
    for pool in pools:
        serves = layout.regions[find_regions(layout, pool.source)[0]].all_caps
        yield (
            f'    {{.name = "{pool.name}", .block = {pool.block}, .alignment = {pool.alignment}, '
            f".count = {pool.count},"
        )
        yield f"     .from = {source(pool)}, .serves = {serves & ~capabilities.EXEC:#010x}u}},"
    yield "};"
    yield ""
    yield "static const place_pool_rule_t place_pool_rules[] = {"
    for rule in rules:
        if rule.pool is not None:
            most = "UINT32_MAX" if rule.most == SIZE_MAX else str(rule.most)
            yield f"    {{{requested(rule) or 0}, {rule.least}, {most}, {pools.index(rule.pool)}}},"
    yield "};"
    yield ""
    yield from _FUNCTIONS.splitlines()
