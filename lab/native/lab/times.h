/* The clock's ticks at chosen heap events. Private to lab/native/lab. */
#ifndef HEAPSCOPE_NATIVE_TIMES_H
#define HEAPSCOPE_NATIVE_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/trace.h"

typedef struct hs_times {
    size_t count, next; /* next: the first event that has not come yet */
    uint64_t *events;   /* ascending */
    uint64_t *times;    /* HS_LAB_NEVER: the event is not in the trace, or was lost */
} hs_times_t;

/* NULL: no host memory, or the events do not ascend. */
hs_times_t *hs_times_new(const uint64_t *events, size_t count);
void hs_times_delete(hs_times_t *times);
/* A batch as the decoder gives it. */
void hs_times_events(hs_times_t *times, uint64_t first, const hs_event_t *events, size_t count);

#endif
