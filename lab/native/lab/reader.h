/* A decoder feeding a replay: the state behind hs_lab_reader_t. */
#ifndef HEAPSCOPE_NATIVE_READER_H
#define HEAPSCOPE_NATIVE_READER_H

#include "fit/fit.h"
#include "jitter/cycle.h"
#include "jitter/jitter.h"
#include "jitter/return.h"
#include "lab/export.h"
#include "lab/lab.h"
#include "lab/loss.h"
#include "lab/recording.h"
#include "lab/start.h"
#include "lab/times.h"
#include "queue/queue.h"
#include "replay/prime.h"
#include "replay/replay.h"
#include "trace/decoder.h"

struct hs_lab_reader {
    hs_decoder_t *decoder;
    hs_replay_t replay; /* of the events before the first loss */
    hs_loss_t loss;
    hs_loss_t before; /* events in front of what is used, when that begins with a snapshot */
    hs_start_t start;
    hs_segments_t later; /* after the first loss */
    hs_recording_t recording;
    uint64_t base; /* number of the first event that is used: here it is 0 */
    uint64_t next; /* number here of the event after the last one that was used */
    uint64_t start_blocks, start_bytes; /* of the snapshot */
    hs_fit_t *fit;                      /* NULL, or where the events go as well */
    hs_shown_t *shown;                  /* NULL, or what learns from the events */
    hs_jitter_t *jitter;                /* NULL, or what makes another run of them first */
    hs_cycle_t *cycle;                  /* NULL, or a stretch that is learnt from them */
    hs_return_t *back;                  /* NULL, or what finds such a stretch */
    hs_rounds_t *rounds;                /* NULL, or what is played behind that stretch */
    hs_export_t *export;                /* NULL, or what an export keeps of them */
    hs_times_t *times; /* NULL, or where the ticks of chosen events go, and nothing else */
    bool keep;         /* events are kept for hs_lab_reader_take */
    hs_queue_t kept;   /* hs_lab_event_t */
};

/* Events that are used, to all who want them; `reader` is a hs_lab_reader_t. */
hs_status_t hs_reader_hand_on(void *reader, uint64_t first, const hs_event_t *events, size_t count);

/* The health of what a decoder has read, for the binding. */
void hs_health_give(const hs_decoder_t *decoder, hs_lab_health_t *out);

#endif
