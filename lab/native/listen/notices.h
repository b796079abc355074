/* Notices, reported at once and in the order of the stream: failed requests, losses, marks. */
#ifndef HEAPSCOPE_NATIVE_NOTICES_H
#define HEAPSCOPE_NATIVE_NOTICES_H

#include <stdint.h>

#include "heapscope/status.h"
#include "heapscope/trace.h"
#include "queue/queue.h"
#include "rows/listen.h"

typedef struct hs_notices {
    hs_queue_t waiting;         /* of hs_lab_notice_t */
    uint64_t lost;              /* events of the recording whose loss was reported */
    uint64_t reported_by_chunk; /* events that LOST records of the chunk told */
    uint64_t left_out; /* events left out on purpose, as far as the last LOST or snapshot */
} hs_notices_t;

/* A recording begins behind `text` bytes of log. HS_ERR_MEMORY: no host memory; also of the others. */
hs_status_t hs_notices_begin(hs_notices_t *notices, uint64_t text);
/* It began when the heap had blocks already. */
hs_status_t hs_notices_late_start(hs_notices_t *notices, uint64_t text);
/* A watched request stopped fitting. `holder`: who is most in its way; NULL: nobody is known. */
hs_status_t hs_notices_stopped(hs_notices_t *notices, uint32_t index, const hs_lab_owner_t *holder,
                               uint64_t text);
/* Before the events of a chunk, or of a part of it: `lost` events are missing by the numbers of chunks,
 * and by the records of chunks before. */
hs_status_t hs_notices_gap(hs_notices_t *notices, uint64_t lost, uint64_t text);
/* An event that `sums` has taken already. */
hs_status_t hs_notices_event(hs_notices_t *notices, const hs_event_t *event,
                             const hs_lab_listened_t *sums);
/* The chunk is over; `lost` has the events that its records told, too. */
hs_status_t hs_notices_chunk_end(hs_notices_t *notices, uint64_t lost, uint64_t text);

#endif
