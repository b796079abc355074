/*
 * Pools: memory that is taken piece by piece and given back at once. A pool has a name and grows by
 * blocks from a source; a set holds the pools of one source, so that their use can be read together.
 * Nothing is freed singly. For objects of one size that are, see fixed.h.
 *
 * Not reentrant: a set and its pools need the caller's lock when several tasks use them.
 */
#ifndef HEAPSCOPE_POOL_H
#define HEAPSCOPE_POOL_H

#include "heapscope/source.h"
#include "heapscope/text.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HS_POOL_NAME 16u          /* bytes of a name with its terminator; longer ones are cut */
#define HS_POOL_ALIGNMENT 8u      /* of the results of alloc */
#define HS_POOL_LOOK 4u           /* blocks, the newest first, in which a request looks for room */
#define HS_POOL_NUMBERS 0x100000u /* pools' numbers are below; then they begin again */

typedef struct hs_pool hs_pool_t;

/* The events of a pool, the same as in traces (trace.h: HS_EVENT_POOL_*). */
typedef enum hs_pool_event_kind {
    HS_POOL_CREATED = 0,   /* `size`: the initial bytes; `increment` */
    HS_POOL_GREW = 1,      /* `size`: bytes taken from the source; not of the first block */
    HS_POOL_ALLOCATED = 2, /* `size`: as asked for */
    HS_POOL_RELEASED = 3,
    HS_POOL_FAILED = 4 /* `size`: as asked for; `pool` NULL: of a pool that was not made */
} hs_pool_event_kind_t;

typedef struct hs_pool_event {
    hs_pool_event_kind_t kind;
    const hs_pool_t *pool;
    uint32_t number; /* of the pool in its set, from 0 in the order of creation */
    const char *name;
    size_t size;
    size_t increment;
} hs_pool_event_t;

typedef void (*hs_pool_observe_t)(void *context, const hs_pool_event_t *event);

/* In the caller's memory; its fields are the code's own. */
typedef struct hs_pools {
    hs_source_t source;
    hs_pool_observe_t observe; /* NULL: nobody */
    void *context;
    hs_pool_t *first;
    uint32_t next_number;
    uint32_t failures;
    size_t allocated, peak_allocated; /* bytes from the source, all pools together */
} hs_pools_t;

/* ---- the set ---------------------------------------------------------------------------------- */

/* `observe` may be NULL. It is called within each operation, and may call none of them. */
void hs_pools_init(hs_pools_t *pools, hs_source_t source, hs_pool_observe_t observe, void *context);
void hs_pools_release_all(hs_pools_t *pools); /* O(blocks) */

/* ---- a pool ----------------------------------------------------------------------------------- */

/* `initial`: bytes of the first block, which also holds the pool's own data and is made larger where
 * that would not fit. `increment`: bytes by which it grows; 0: it does not. NULL: the source has no
 * such block. */
hs_pool_t *hs_pool_create(hs_pools_t *pools, const char *name, size_t initial, size_t increment);

/* Aligned to HS_POOL_ALIGNMENT; not cleared. NULL: size is 0, the pool is full and does not grow, or
 * the source has no block. A request that does not fit into an increment gets a block of as many
 * increments as it needs.
 * O(1) beside the source. */
void *hs_pool_alloc(hs_pool_t *pool, size_t size);
void *hs_pool_calloc(hs_pool_t *pool, size_t count, size_t size); /* NULL also: it overflows */
/* `alignment`: a power of two up to HS_ALIGNMENT_MAX; NULL for any other. */
void *hs_pool_aligned_alloc(hs_pool_t *pool, size_t alignment, size_t size);

/* Empties the pool down to its first block; observed as a release and a creation. O(blocks). */
void hs_pool_reset(hs_pool_t *pool);
/* Gives all of its memory back to the source. HS_ERR_ARGUMENT: not a pool of this set, or released before.
 * O(pools + blocks). */
hs_status_t hs_pool_release(hs_pools_t *pools, hs_pool_t *pool);

/* ---- figures ---------------------------------------------------------------------------------- */

typedef struct hs_pool_info {
    const char *name; /* in the pool */
    uint32_t number;
    uint32_t blocks;
    size_t used;      /* of allocated: bytes handed out, with alignment, and the pool's own data */
    size_t allocated; /* bytes from the source */
    size_t largest;   /* request that would succeed without growing */
    size_t increment;
    uint32_t failures;
    uint32_t utilisation; /* used in percent of allocated, rounded down */
} hs_pool_info_t;

void hs_pool_info(const hs_pool_t *pool, hs_pool_info_t *info); /* O(1) */

/* Every pool, the newest first; false stops. `visit` may change none of them. */
typedef bool (*hs_pool_visit_t)(void *context, const hs_pool_t *pool);
void hs_pools_walk(const hs_pools_t *pools, hs_pool_visit_t visit, void *context);

/* A line for each pool, the newest first, and one for all:
 *         icetp00:     3928 of     3968 (98%) used
 *           total:     5688 of     6144 (92%) used, peak 9216 */
void hs_pools_dump(const hs_pools_t *pools, hs_text_t text);

#ifdef __cplusplus
}
#endif

#endif
