/*
 * Pools of a trace, replayed: what they hold and what they ask of the heap, as recorded or with
 * other sizes. The arithmetic is that of PJLIB's pools (pool.c, pool_caching.c), with the sizes of
 * its headers as the recorder found them.
 */
#ifndef HEAPSCOPE_NATIVE_POOLS_H
#define HEAPSCOPE_NATIVE_POOLS_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "heapscope/trace.h"

#define HS_POOL_SIZES_MAX 32u

typedef struct hs_pool_rule {
    uint32_t follow; /* 1: nothing is known of how these pools grow, they grow as recorded */
    uint32_t pool, block, align; /* bytes of a pool's and of a block's header; a power of two */
    uint32_t sizes; /* of first blocks, to which smaller ones are rounded up; 0: none */
    uint32_t size[HS_POOL_SIZES_MAX]; /* ascending */
} hs_pool_rule_t;

typedef struct hs_pool_sizes {
    uint32_t initial, increment; /* bytes; initial 0: as recorded */
} hs_pool_sizes_t;

typedef struct hs_pool_totals {
    uint64_t pools; /* created; emptied ones are not created again */
    uint64_t resets;
    uint64_t requests; /* to the pools */
    uint64_t calls;    /* blocks asked of the heap */
    uint64_t growths;  /* recorded */
    uint64_t unlike;   /* requests that made a pool grow otherwise than recorded */
    uint64_t failed;   /* requests that a pool which must not grow could not serve */
    uint64_t stray;    /* events of a pool that is not there */
} hs_pool_totals_t;

/* Replays the pool events of those pools whose `chosen` is not 0; `pools` is one more than the
 * largest index. `allocated` and `used`, of `count` entries each, get the bytes after each event, and
 * may be NULL. HS_ERR_ARGUMENT: a rule or sizes that no pool can have; HS_ERR_MEMORY. O(events), and
 * for a request the blocks of its pool. */
hs_status_t hs_pools_replay(const hs_event_t *events, size_t count, const uint8_t *chosen,
                            uint32_t pools, hs_pool_sizes_t sizes, const hs_pool_rule_t *rule,
                            uint64_t *allocated, uint64_t *used, hs_pool_totals_t *out);

#endif
