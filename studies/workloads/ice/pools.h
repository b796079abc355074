/* A pool factory of PJLIB that records: its pools' life, and the blocks that they ask of the heap. */
#ifndef HEAPSCOPE_ICE_POOLS_H
#define HEAPSCOPE_ICE_POOLS_H

#include <pj/pool.h>

#include "recorder.h"

/* The one recorded factory of the program, empty. The trace learns how PJLIB's pools count. */
pj_pool_factory *hs_pools_recorded(hs_rec_t *rec);

/* Its dump, as PJLIB logs it, goes to the log. */
void hs_pools_dump(void);

typedef struct hs_pools_use {
    size_t used, allocated; /* bytes, of all live pools, as PJLIB counts them */
} hs_pools_use_t;

hs_pools_use_t hs_pools_use(void);

#endif
