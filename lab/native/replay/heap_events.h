/* One heap event happens to blocks, heaps and measures. */
#ifndef HEAPSCOPE_NATIVE_HEAP_EVENTS_H
#define HEAPSCOPE_NATIVE_HEAP_EVENTS_H

#include "replay/replay.h"

/* The request that an event makes. */
hs_request_t hs_replay_request(const hs_event_t *event);
/* HS_ERR_MEMORY: no host memory for another live block. */
hs_status_t hs_replay_heap_event(hs_replay_t *replay, const hs_event_t *event, uint64_t number);
/* The heap events from *next on, each counted by the census too, up to `end`, one of another kind, or
 * the one with the number `pause`. *number is that of the event at *next. HS_ERR_MEMORY. */
hs_status_t hs_replay_heap_run(hs_replay_t *replay, const hs_event_t **next, const hs_event_t *end,
                               uint64_t *number);

#endif
