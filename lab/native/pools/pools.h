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
#include "rows/trials.h"

typedef struct hs_pool_sizes {
    uint32_t initial, increment; /* bytes; initial 0: as recorded */
} hs_pool_sizes_t;

/* Replays the pool events of those pools whose `chosen` is not 0; `pools` is one more than the
 * largest index. `allocated` and `used`, of `count` entries each, get the bytes after each event, and
 * may be NULL. HS_ERR_ARGUMENT: a rule or sizes that no pool can have; HS_ERR_MEMORY. O(events), and
 * for a request the blocks of its pool. */
hs_status_t hs_pools_replay(const hs_event_t *events, size_t count, const uint8_t *chosen,
                            uint32_t pools, hs_pool_sizes_t sizes, const hs_lab_pool_rule_t *rule,
                            uint64_t *allocated, uint64_t *used, hs_lab_pool_totals_t *out);

#endif
