/* The sums of LOST_KIND records, modulo 2^32, as numbers of what is new (format/SPEC.md, "Losses by kind"). */
#ifndef HEAPSCOPE_NATIVE_LOST_KINDS_H
#define HEAPSCOPE_NATIVE_LOST_KINDS_H

#include <stdbool.h>

#include "../../device/src/trace/format.h"
#include "heapscope/trace.h"

typedef struct hs_lost_kinds {
    uint32_t events[HS_LOST_KINDS]; /* as they were reported last */
    uint32_t bytes[HS_LOST_KINDS];
} hs_lost_kinds_t;

/* Gives the numbers by which a LOST_KIND exceeds the one before of its kind. False: a later writer's kind. */
static inline bool hs_lost_kinds_take(hs_lost_kinds_t *reported, const hs_event_t *event,
                                      uint32_t *events, uint32_t *bytes)
{
    if (event->key >= HS_LOST_KINDS) {
        return false;
    }
    *events = (uint32_t)event->new_key - reported->events[event->key];
    *bytes = (uint32_t)event->size - reported->bytes[event->key];
    reported->events[event->key] += *events;
    reported->bytes[event->key] += *bytes;
    return true;
}

/* Whether all kinds that it does not name are reported before it. */
static inline bool hs_lost_kinds_whole(const hs_event_t *event)
{
    return event->kind == HS_EVENT_LOST_KIND && event->key == HS_LOST_PAIRS;
}

#endif
