/*
 * The blocks of an interval of the trace, by task and site: how many were allocated, how many of these
 * were freed, and along which axis they are looked at. The axes need the sums of the whole interval, so
 * a first reading counts and a second one, which is given the first, notes the lives of the blocks.
 */
#ifndef HEAPSCOPE_NATIVE_WATCH_H
#define HEAPSCOPE_NATIVE_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "heapscope/status.h"
#include "heapscope/trace.h"
#include "measure/counts.h"
#include "measure/lives.h"
#include "rows/trace.h"

typedef struct hs_watch {
    uint64_t next; /* the next event to stop before; UINT64_MAX: none */
    uint64_t stop;
    bool on, known; /* `known`: the sums of the interval */
    bool failed;    /* the host had no memory: rows are missing */
    hs_lab_interval_t interval;
    uint64_t allocated; /* by all */
    uint64_t now;       /* time of the last event of the interval */
    hs_counts_t holders, tasks;
    hs_lives_t lives; /* of the second reading */
} hs_watch_t;

void hs_watch_init(hs_watch_t *watch);
void hs_watch_free(hs_watch_t *watch);
/* Watches the events from `first` up to `stop`. Once, at the start, else HS_ERR_ARGUMENT. `before`: the
 * watch of a reading of the same events; NULL: this is the first one. */
hs_status_t hs_watch_begin(hs_watch_t *watch, uint64_t first, uint64_t stop,
                           const hs_watch_t *before);
/* The event is due at which the interval begins or ends; UINT64_MAX: the trace is over. `bytes` and
 * `blocks` are live then. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_watch_take(hs_watch_t *watch, uint64_t bytes, uint64_t blocks, uint64_t event,
                          uint64_t time);

/* The event allocated the block; `before`: it lived before the first event. */
void hs_watch_born(hs_watch_t *watch, hs_block_t *block, const hs_event_t *event, uint64_t number,
                   bool before);
/* The event ends the block's life. */
void hs_watch_ended(hs_watch_t *watch, const hs_block_t *block, const hs_event_t *event);

/* Those that allocated in the interval, by task and site, where there is capacity for all; returns how many. */
size_t hs_watch_holders(const hs_watch_t *watch, hs_lab_holder_row_t *rows, size_t capacity);
/* The live blocks as they stand, by birth; returns how many there are. */
size_t hs_watch_live(const hs_blocks_t *blocks, hs_lab_live_row_t *rows, size_t capacity);

#endif
