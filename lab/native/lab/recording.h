/* The facts that a trace tells of its recorder on a chip: losses by kind, levels, pairs, snapshots, cores. */
#ifndef HEAPSCOPE_NATIVE_RECORDING_H
#define HEAPSCOPE_NATIVE_RECORDING_H

#include "lab/lab.h"
#include "trace/decoder.h"
#include "trace/lost_kinds.h"
#include "trace/state.h"

typedef struct hs_recording {
    hs_state_t *state; /* NULL: no such trace, or nobody asks */
    hs_lab_recording_t sums;
    hs_lost_kinds_t kinds;
    hs_lab_dropped_row_t dropped[HS_LAB_DROPPED_KINDS];
    hs_lab_level_row_t *levels;
    bool decided;
} hs_recording_t;

void hs_recording_free(hs_recording_t *recording);

/* All events of a trace, batch by batch; `first` is the number of the first. HS_ERR_MEMORY. */
hs_status_t hs_recording_events(hs_recording_t *recording, const hs_decoder_t *decoder,
                                uint64_t first, const hs_event_t *events, size_t count);

#endif
