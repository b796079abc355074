/* The part of each event that a reader keeps for an export; off unless asked for. */
#ifndef HEAPSCOPE_NATIVE_EXPORT_H
#define HEAPSCOPE_NATIVE_EXPORT_H

#include "heapscope/status.h"
#include "history/history.h"
#include "lab/lab.h"
#include "measure/profile.h"
#include "measure/samples.h"
#include "queue/queue.h"
#include "replay/follow.h"
#include "replay/trail.h"

typedef struct hs_export {
    uint32_t what; /* HS_LAB_EXPORT_* */
    bool begun;
    hs_follow_t follow;
    hs_trail_t trail; /* in its place where nothing but the history is wanted */
    hs_profile_t profile;
    hs_samples_t samples;
    hs_history_t history;
    uint32_t live, largest, failures; /* their counters; those of the regions follow `region` */
    uint32_t region;
    uint64_t live_now, failed;
    uint64_t next;   /* event number */
    uint64_t time;   /* of the last event */
    hs_queue_t rows; /* hs_lab_export_row_t */
} hs_export_t;

void hs_export_free(hs_export_t *export);
/* A batch as the decoder gives it: lets its events happen, and keeps what is wanted of them. */
hs_status_t hs_export_events(hs_export_t *export, hs_replay_t *replay, uint64_t first,
                             const hs_event_t *events, size_t count);
hs_status_t hs_export_finish(hs_export_t *export, const hs_replay_t *replay);

#endif
