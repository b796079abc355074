/* One heap event happens to blocks, heaps and measures. */
#ifndef HEAPSCOPE_NATIVE_HEAP_EVENTS_H
#define HEAPSCOPE_NATIVE_HEAP_EVENTS_H

#include "replay/replay.h"

/* The request that an event makes. */
hs_request_t hs_replay_request(const hs_event_t *event);
/* HS_ERR_MEMORY: no host memory for another live block. */
hs_status_t hs_replay_heap_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number);
/* For the loop of a plain replay (inline_run.h): the same, counted by the census too. */
hs_status_t hs_replay_plain_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number);
/* For it, too, where the only heap had no block: for an allocation, whose block is recorded, and for a realloc that
 * has nowhere else to go. `slot`: the calling task's. */
void hs_replay_refused(hs_replay_t *replay, const hs_event_t *event, uint64_t number,
                       hs_block_t *block);
void hs_replay_realloc_refused(hs_replay_t *replay, const hs_event_t *event, uint64_t number,
                               uint32_t slot, hs_block_t *block);
/* The heap events from *next on, each counted by the census too, up to `end`, one of another kind, or
 * the one with the number `pause`. *number is that of the event at *next. HS_ERR_MEMORY. */
hs_status_t hs_replay_heap_run(hs_replay_t *replay, const hs_event_t **next, const hs_event_t *end,
                               uint64_t *number);

#endif
