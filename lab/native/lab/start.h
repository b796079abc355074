/*
 * A trace that begins with a heap of unknown contents: one that was heard from the middle on, one of a
 * recorder that takes snapshots, a black box. Its events are of use from the end of the first whole
 * snapshot on, whose blocks stand for all that came before.
 */
#ifndef HEAPSCOPE_NATIVE_START_H
#define HEAPSCOPE_NATIVE_START_H

#include <stdbool.h>

#include "trace/decoder.h"
#include "trace/state.h"

typedef struct hs_start {
    bool decided;
    bool waiting; /* for the first whole snapshot */
    bool primed;  /* it came: `blocks` are live there */
    hs_state_t *state;
    hs_event_t *blocks; /* as allocations, by address */
    size_t count;
    uint64_t gaps; /* of the decoder when it came: more of them are losses after it */
} hs_start_t;

/* Does what came before the first event have to be told by a snapshot? `first`: that event's number. */
bool hs_start_unknown(const hs_decoder_t *decoder, uint64_t first, uint64_t gaps);

void hs_start_free(hs_start_t *start);

/* How many of a batch's events come before everything is known: `count` while it is not. When it becomes
 * known within this batch, `primed` is set. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_start_take(hs_start_t *start, const hs_decoder_t *decoder, uint64_t first,
                          const hs_event_t *events, size_t count, size_t *before);

#endif
