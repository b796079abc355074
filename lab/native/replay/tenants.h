/* Blocks of the system itself, which the heaps hold beside those of the trace. */
#ifndef HEAPSCOPE_NATIVE_TENANTS_H
#define HEAPSCOPE_NATIVE_TENANTS_H

#include "replay/replay.h"

/* When start-up is over and nothing is measured yet. A block without room counts as start-up use
 * that found none. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_tenants_place(hs_replay_t *replay, const hs_lab_config_t *config);
/* Before the first event: each is its task's. HS_ERR_MEMORY. */
hs_status_t hs_tenants_book(hs_replay_t *replay, const hs_lab_config_t *config);

#endif
