/* Requests that fail, and events that a faultless trace does not have. All of it is seldom. */
#ifndef HEAPSCOPE_NATIVE_ANOMALIES_H
#define HEAPSCOPE_NATIVE_ANOMALIES_H

#include "replay/replay.h"

/* `what`: HS_LAB_ANOMALY_*. The first HS_LAB_ANOMALIES_MAX are kept. */
HS_SELDOM void hs_replay_anomaly(hs_replay_t *replay, uint32_t what, const hs_event_t *event,
                                 uint64_t number);
/* A free of a block that is not live: a double free where that can be known. */
HS_SELDOM void hs_replay_free_of_nothing(hs_replay_t *replay, const hs_event_t *event,
                                         uint64_t number);
/* No heap serves the request. `slot`: its task's in the ledger; `old`: the block of a realloc, or NULL. */
HS_SELDOM void hs_replay_failed(hs_replay_t *replay, const hs_event_t *event, uint64_t number,
                                uint32_t slot, const hs_block_t *old);

/* Its allocator cannot resize it at all. */
bool hs_replay_refuses_realloc(const hs_replay_t *replay, const hs_block_t *block);

#endif
