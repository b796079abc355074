/*
 * Looks at the live blocks at chosen moments: who held how much, by task and site; and counts the
 * blocks that are freed by the moments that they lived between. A moment costs a walk over the live
 * blocks, a free a look into a table.
 */
#ifndef HEAPSCOPE_NATIVE_WATCH_H
#define HEAPSCOPE_NATIVE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "heapscope/status.h"
#include "measure/lives.h"
#include "rows/trace.h"

/* One moment: its holders are holders[first .. first + count). */
typedef struct hs_watch_moment {
    hs_lab_moment_row_t row;
    size_t first;
} hs_watch_moment_t;

typedef struct hs_watch {
    uint64_t *events; /* ascending */
    size_t count;     /* of events */
    size_t taken;     /* moments so far */
    hs_watch_moment_t *moments;
    hs_lab_holder_row_t *holders;
    size_t holder_count, holder_capacity;
    uint64_t next;    /* the next event to stop before; UINT64_MAX: none */
    hs_lives_t lives; /* the stretches are those between the moments */
} hs_watch_t;

void hs_watch_init(hs_watch_t *watch);
void hs_watch_free(hs_watch_t *watch);
/* Looks before each of these heap events (ascending, else HS_ERR_ARGUMENT). Once, at the start. */
hs_status_t hs_watch_set(hs_watch_t *watch, const uint64_t *events, size_t count);
/* Takes every moment up to and including `event`. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_watch_take(hs_watch_t *watch, const hs_blocks_t *blocks, uint64_t event,
                          uint64_t time);

/* The block's life ends, between the moments of now. Without moments this is nothing. */
void hs_watch_ended(hs_watch_t *watch, const hs_block_t *block);

/* The live blocks as they stand, by birth; returns how many there are. */
size_t hs_watch_live(const hs_blocks_t *blocks, hs_lab_live_row_t *rows, size_t capacity);

#endif
