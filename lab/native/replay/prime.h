/* The blocks that are live when a recording begins. */
#ifndef HEAPSCOPE_NATIVE_PRIME_H
#define HEAPSCOPE_NATIVE_PRIME_H

#include "replay/replay.h"

/* Before the first event, whose number is 0: the events that follow, up to hs_replay_primed(), are these
 * blocks, given as allocations in the order of their addresses (chip/laid.h). They were made before it: they
 * are no calls of the program, have all the number 0, and lie at their recorded addresses where the heaps can
 * have them there. */
hs_status_t hs_replay_prime(hs_replay_t *replay, const hs_event_t *blocks, size_t count);
void hs_replay_primed(hs_replay_t *replay);

#endif
