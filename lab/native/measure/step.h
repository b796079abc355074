/* The effect of one event, block by block, which replay/follow.h tells the measures of an export. */
#ifndef HEAPSCOPE_NATIVE_STEP_H
#define HEAPSCOPE_NATIVE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "rows/export.h"

/* A live block; if it is not, nothing else of it is set. In a census its size is what the program asked for, and it is nowhere. */
typedef struct hs_held {
    bool live;
    uint64_t size;
    uint64_t birth, birth_time; /* event number and time of its last (re)allocation */
    uint32_t task, site;        /* of that */
    uint32_t region, offset;    /* UINT32_MAX: nowhere */
    uint64_t serial;            /* how many blocks began before it */
} hs_held_t;

/* The effect of one heap event. A realloc that was served ends its block and begins a new one. */
typedef struct hs_step {
    uint64_t number;
    uint32_t outcome;                /* HS_LAB_OUTCOME_* */
    hs_held_t ended, dropped, begun; /* dropped: live under the key that the event took */
} hs_step_t;

/* The same in short: what a replay notes itself (replay/trail.h). */
typedef struct hs_did {
    uint32_t ended
        [2]; /* serials plus 1; 0: none. A second one was live under the key that the event took. */
    bool begins, failed;
    uint32_t region, offset, size; /* of the block that begins */
} hs_did_t;

#endif
