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

#include "replay/replay.h"

/* A live block. Of a census its size is what the program asked for, and it is nowhere. */
typedef struct hs_held {
    bool live;
    uint64_t size;
    uint64_t birth, birth_time; /* event number and time of its last (re)allocation */
    uint32_t task, site;        /* of that */
    uint32_t region, offset;    /* UINT32_MAX: nowhere */
} hs_held_t;

/* What one heap event did. A realloc that was served ends its block and begins a new one. */
typedef struct hs_step {
    uint64_t number;
    uint32_t outcome;                /* HS_LAB_OUTCOME_* */
    hs_held_t ended, dropped, begun; /* dropped: live under the key that the event took */
} hs_step_t;

typedef struct hs_follow {
    hs_held_t *held; /* by record of hs_blocks_t */
    size_t held_size;
} hs_follow_t;

void hs_follow_init(hs_follow_t *follow);
void hs_follow_free(hs_follow_t *follow);
/* `event` is a heap event with this number. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_follow_event(hs_follow_t *follow, hs_replay_t *replay, const hs_event_t *event,
                            uint64_t number, hs_step_t *step);

#endif
