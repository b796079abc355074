/*
 * A trace that begins with a heap of unknown contents: one that was heard from the middle on, one of a
 * recorder that takes snapshots, a black box. Its events are of use from the end of the first whole
 * snapshot on, whose blocks stand for all that came before. A later segment of a recording begins so, too.
 */
#ifndef HEAPSCOPE_NATIVE_START_H
#define HEAPSCOPE_NATIVE_START_H

#include <stdbool.h>

#include "lab/segments.h"

typedef struct hs_start {
    bool decided;
    bool waiting;     /* for the snapshot that it begins with */
    bool primed;      /* it came: `blocks` are live there */
    uint64_t segment; /* of the recording that is wanted, from 1; 0 as well: the first */
    hs_segments_t segments;
    hs_event_t *blocks; /* as allocations, by address */
    size_t count;
    uint64_t gaps; /* of the decoder when it came: more of them are losses after it */
} hs_start_t;

void hs_start_free(hs_start_t *start);

/* How many of a batch's events come before everything is known: `count` while it is not. When it becomes
 * known within this batch, `primed` is set. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_start_take(hs_start_t *start, const hs_decoder_t *decoder, const hs_event_t *events,
                          size_t count, size_t *before);

#endif
