/* The blocks of a loaded trace with their lifetimes. Time is counted in allocations, so a block's number is its birth. */
#ifndef HEAPSCOPE_OFFLINE_BLOCKS_H
#define HEAPSCOPE_OFFLINE_BLOCKS_H

#include "fit/fit.h"

typedef struct hs_offline_block {
    uint32_t end; /* allocations before it is freed or has another size: above its number */
    uint32_t size, align, offset; /* granules */
} hs_offline_block_t;

typedef struct hs_offline_blocks {
    hs_offline_block_t *blocks;
    size_t count;
    uint64_t peak;    /* granules that are live at once, at most */
    uint64_t aligned; /* the largest alignment, granules */
} hs_offline_blocks_t;

/* At most `most` of them are kept; `count` is that of all. */
hs_status_t hs_offline_read(hs_offline_blocks_t *out, const hs_fit_t *fit, size_t most);

#endif
