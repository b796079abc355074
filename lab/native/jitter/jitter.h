/*
 * Another run that is as plausible as the recorded one: the same program, with what may differ from
 * run to run differing. Three things do (docs/design/jitter.md):
 *
 *   sizes   a share of the allocations asks for another size, one that its call site has shown; a
 *           block that is resized keeps the difference, within what resizing there has shown
 *   order   each task is late by some ticks of the clock, as order.h says
 *   visits  some visits of a task that comes and goes are left out, or made by two at once, never
 *           more tasks at once than the recording had
 *
 * Each block is allocated once, before its resizes, and freed as often as in the recording; nothing
 * else changes. Everything is a function of the seed. Strength 0: the recorded run.
 *
 * Memory: that of live blocks (blocks.h), of 32 waiting events, and 12 bytes a task.
 */
#ifndef HEAPSCOPE_NATIVE_JITTER_H
#define HEAPSCOPE_NATIVE_JITTER_H

#include "jitter/order.h"
#include "jitter/shown.h"

#define HS_JITTER_OUT 256u

typedef hs_status_t (*hs_jitter_sink_t)(void *context, uint64_t first, const hs_event_t *events,
                                        size_t count);

typedef struct hs_jitter {
    const hs_shown_t *shown;
    uint64_t seed;
    double strength;    /* 0 to 1: the share of allocations with another size */
    double fewer, more; /* chance that a visit is left out, and made by two */
    hs_order_t order;
    hs_blocks_t blocks;
    hs_shown_task_t *tasks;
    uint32_t task_count;
    uint32_t present;      /* tasks that hold a block, those of second visitors included */
    double later_strength; /* those of the rounds, once they begin */
    uint64_t later_reach;
    bool goes_on;   /* rounds follow the recording, which is as it was (hs_jitter_goes_on) */
    uint64_t drawn; /* events that were looked at */
    uint64_t given; /* heap events that went on */
    hs_jitter_sink_t sink;
    void *context;
    hs_event_t out[HS_JITTER_OUT];
    size_t out_count;
} hs_jitter_t;

/* `shown` is used as long as the run; `reach`: ticks that a task may be late at strength 1. Each batch
 * goes to `sink`. HS_ERR_ARGUMENT: strength is not from 0 to 1. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_jitter_init(hs_jitter_t *run, const hs_shown_t *shown, uint64_t seed,
                           double strength, uint64_t reach, hs_jitter_sink_t sink, void *context);
void hs_jitter_free(hs_jitter_t *run);
/* The next events of the recording. Any error of the sink, or HS_ERR_MEMORY. */
hs_status_t hs_jitter_events(hs_jitter_t *run, const hs_event_t *events, size_t count);
/* Before the first event: the recording is given as it was, until hs_jitter_changes. Rounds of
 * the same program follow it, in each of which as many visits are left out as are made by two. */
void hs_jitter_goes_on(hs_jitter_t *run);
void hs_jitter_changes(hs_jitter_t *run);
/* The recording is over: all that waits goes on. */
hs_status_t hs_jitter_finish(hs_jitter_t *run);

#endif
