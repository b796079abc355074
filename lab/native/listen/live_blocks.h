/* The live blocks of a device by address: whose they are, and the free space between them. */
#ifndef HEAPSCOPE_NATIVE_LIVE_BLOCKS_H
#define HEAPSCOPE_NATIVE_LIVE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "rows/listen.h"
#include "trace/state.h"

typedef struct hs_live_blocks {
    hs_state_block_t *rows; /* by address */
    size_t count;
} hs_live_blocks_t;

/* Memory from `start` up to `limit`. */
typedef struct hs_span {
    uint64_t start, limit;
} hs_span_t;

typedef struct hs_owners {
    hs_lab_owner_t *rows;
    size_t count;
} hs_owners_t;

/* Those of a state, in place of the ones before; none while they are unknown. HS_ERR_MEMORY: no host
 * memory. O(n log n). */
hs_status_t hs_live_blocks_take(hs_live_blocks_t *blocks, const hs_state_t *state);
void hs_live_blocks_free(hs_live_blocks_t *blocks);

/* Those that begin in the span; they stay the property of `blocks`. O(log n). */
hs_live_blocks_t hs_live_blocks_within(const hs_live_blocks_t *blocks, hs_span_t span);

/* Bytes of the longest stretch of the span without a live block. O(blocks of the span). */
uint64_t hs_live_blocks_room(const hs_live_blocks_t *blocks, hs_span_t span);

/* The blocks of the stretch of `size` bytes, in any of the spans, whose live bytes are fewest: both ends
 * of a span count as borders. Property of `blocks`. O(blocks). */
hs_live_blocks_t hs_live_blocks_in_the_way(const hs_live_blocks_t *blocks, const hs_span_t *spans,
                                           size_t count, uint64_t size);

/* Bytes and blocks by task and call site, in that order, in place of the owners before. HS_ERR_MEMORY: no
 * host memory. O(n log n). */
hs_status_t hs_owners_take(hs_owners_t *owners, const hs_live_blocks_t *blocks);
/* Orders them by live bytes, most first. */
void hs_owners_rank(hs_owners_t *owners);
/* The owner in the order of hs_owners_take; NULL: it holds nothing. O(log n). */
const hs_lab_owner_t *hs_owners_find(const hs_owners_t *owners, const hs_lab_owner_t *owner);
void hs_owners_free(hs_owners_t *owners);

#endif
