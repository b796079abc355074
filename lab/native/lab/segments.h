/*
 * The segments of a chip's recording: each begins where everything is known, at the end of a whole snapshot or
 * with an empty heap, and ends where an event is missing.
 */
#ifndef HEAPSCOPE_NATIVE_SEGMENTS_H
#define HEAPSCOPE_NATIVE_SEGMENTS_H

#include <stdbool.h>

#include "trace/decoder.h"
#include "trace/state.h"

typedef struct hs_segments {
    hs_state_t *state;
    bool inside;    /* a segment is under way */
    uint64_t count; /* that have begun */
} hs_segments_t;

/* `known`: the first segment begins here. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_segments_init(hs_segments_t *segments, bool known);
void hs_segments_free(hs_segments_t *segments);

/* Whether events are missing from here on: lost, left out, or counted without their order. */
bool hs_segments_ends_at_other(const hs_event_t *event);
static inline bool hs_segments_ends_at(const hs_event_t *event)
{
    return !HS_EVENT_IS_HEAP(event->kind) && hs_segments_ends_at_other(event);
}

/* The next event. *begins: a segment begins after it. HS_ERR_MEMORY. */
hs_status_t hs_segments_take(hs_segments_t *segments, const hs_decoder_t *decoder,
                             const hs_event_t *event, bool *begins);

#endif
