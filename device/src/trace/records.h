/* Events to records: the innermost part of the encoder, which knows no chunks. Private. */
#ifndef HEAPSCOPE_TRACE_RECORDS_H
#define HEAPSCOPE_TRACE_RECORDS_H

#include <stdbool.h>

#include "format.h"
#include "heapscope/trace.h"

/* The values that a record is written relative to; a chunk of events begins with them. */
typedef struct hs_record_state {
    uint64_t next_id;      /* of the next allocation, without addresses */
    uint64_t last_address; /* last one mentioned, shifted */
    uint64_t time;         /* of the last stamped record */
    uint32_t task;
    uint32_t caps;
    uint16_t heap;
    uint16_t features;
    uint8_t shift;
} hs_record_state_t;

/* Bytes of one event at most: TASK 5, CAPS 6, HEAP 5, then a REALLOC: head, size, block, site, time.
 * FAILED of a realloc and POOL_CREATE, with their head, length and fields, are shorter. */
#define HS_RECORD_MAX (5u + 6u + 5u + 4u * HS_VARINT_MAX + 5u)

/* Whether the event can be written with these features in this state. O(1). */
bool hs_record_valid(const hs_record_state_t *state, const hs_event_t *event);

/* Writes the base of a chunk of events after its event number. Returns the byte after. O(1). */
uint8_t *hs_record_base_put(uint8_t *at, const hs_record_state_t *state);

/* Writes a valid event and moves the state on; the caller has HS_RECORD_MAX bytes of room. Returns
 * the byte after. O(1). */
uint8_t *hs_record_put(uint8_t *at, hs_record_state_t *state, const hs_event_t *event);

#endif
