/*
 * The event loop: each event of a trace on the heaps of a layout, bit-exactly, with every measure
 * brought up to date. Without a layout it is a census: what the recorded program held.
 */
#ifndef HEAPSCOPE_NATIVE_REPLAY_H
#define HEAPSCOPE_NATIVE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "chip/chip.h"
#include "chip/placement.h"
#include "heapscope/trace.h"
#include "measure/census.h"
#include "measure/explain.h"
#include "measure/measure.h"
#include "measure/watch.h"
#include "replay/movable.h"
#include "replay/survey.h"
#include "replay/trail.h"
#include "rows/replay.h"

struct hs_replay {
    const hs_lab_config_t *config; /* NULL: a census */
    uint32_t kinds;                /* of regions */
    bool census_only;
    bool by_address;    /* the trace knows blocks by address */
    bool priming;       /* what comes are the blocks of the beginning (prime.h) */
    bool gaps;          /* events are missing, so an unknown block proves nothing */
    uint64_t next_key;  /* one past the highest id allocated */
    uint64_t expected;  /* the next event number if nothing is missing */
    bool begun;         /* an event has come */
    bool timed;         /* and one with a time */
    bool stopped;       /* the event `stop` has come: nothing after it counts */
    uint64_t stop;      /* UINT64_MAX: none */
    uint64_t explained; /* event to explain; UINT64_MAX: none */
    uint64_t pause;     /* the next event at which something of these, or the watch, is due */
    hs_watch_t watch;
    hs_explain_t explain;
    hs_survey_t survey; /* off but for a report */
    hs_blocks_t blocks;
    hs_trail_t *trail; /* where to note what events do; NULL: nowhere */
    uint32_t laid;     /* regions, by bit, that hold the blocks of the beginning already */
    uint32_t tenants;  /* of these blocks, those of the system itself */
    hs_chip_t chip;
    hs_placement_t placement;
    hs_movable_t movable;
    hs_measure_t measure;
    hs_census_t census;
    hs_lab_summary_t summary; /* its counters; measures fill the rest on demand */
    hs_lab_anomaly_row_t anomalies[HS_LAB_ANOMALIES_MAX];
    uint32_t anomalies_kept;
};

/* config NULL: a census; else it is used as long as the replay. On failure *where is the index of the region at fault, or UINT32_MAX. */
hs_status_t hs_replay_init(hs_replay_t *replay, const hs_lab_config_t *config, uint32_t *where);
void hs_replay_free(hs_replay_t *replay);

/* A batch as the decoder gives it. HS_ERR_MEMORY: no host memory for another live block. */
hs_status_t hs_replay_events(hs_replay_t *replay, uint64_t first, const hs_event_t *events,
                             size_t count);
/* The same for who looks at the replay after each event: the batch begins, its events come one by one, each with
 * its number, which goes on with a heap event, and the batch ends. */
void hs_replay_batch(hs_replay_t *replay, uint64_t first, const hs_event_t *events, size_t count);
hs_status_t hs_replay_one(hs_replay_t *replay, const hs_event_t *event, uint64_t *number);
void hs_replay_batch_end(hs_replay_t *replay, uint64_t number);
/* Before the first event of a census: watches the events from `first` on and ends before `stop`. `before`: a finished
 * census that watched the same; NULL: this is the first one. */
hs_status_t hs_replay_watch(hs_replay_t *replay, uint64_t first, uint64_t stop,
                            const hs_replay_t *before);
/* Before the first event, of a replay or a census: no event from `stop` on is taken. */
hs_status_t hs_replay_stop(hs_replay_t *replay, uint64_t stop);
/* Before the first event of a replay, one of them once: what a report is drawn from (lab.h). */
hs_status_t hs_replay_survey(hs_replay_t *replay, uint32_t columns);
hs_status_t hs_replay_draw(hs_replay_t *replay, const uint64_t *events, size_t columns,
                           const uint32_t *rows, uint64_t peak);
/* The trace is over. */
hs_status_t hs_replay_finish(hs_replay_t *replay);
void hs_replay_summary(const hs_replay_t *replay, hs_lab_summary_t *out);

#endif
