/*
 * Lets the events of a trace happen one by one and tells what each did: whether it was served, and
 * which blocks it ended and began. It only looks at a replay from outside, so a replay that nobody
 * follows costs nothing for it.
 */
#ifndef HEAPSCOPE_NATIVE_FOLLOW_H
#define HEAPSCOPE_NATIVE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/step.h"
#include "replay/replay.h"

typedef struct hs_follow {
    hs_held_t *held; /* by record of hs_blocks_t */
    size_t held_size;
    uint64_t begun; /* blocks so far */
} hs_follow_t;

void hs_follow_init(hs_follow_t *follow);
void hs_follow_free(hs_follow_t *follow);
/* `event` is a heap event with this number, of the batch that the replay is in. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_follow_event(hs_follow_t *follow, hs_replay_t *replay, const hs_event_t *event,
                            uint64_t number, hs_step_t *step);

#endif
