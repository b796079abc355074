/* Random valid events, a place for encoded bytes, and what a decoder made of them. */
#ifndef HEAPSCOPE_TESTS_FORMAT_STREAM_H
#define HEAPSCOPE_TESTS_FORMAT_STREAM_H

#include "check.h"
#include "heapscope/trace.h"
#include "trace/decoder.h"

typedef struct stream_bytes {
    uint8_t *at;
    size_t count;
    size_t size;
    size_t chunks;
    size_t ends[4096]; /* where each of the first chunks ends */
} stream_bytes_t;

typedef struct stream_events {
    hs_event_t *at;
    size_t count;
    size_t size;
    uint64_t *numbers; /* of the heap event that each is or precedes */
} stream_events_t;

/* The choices that make the events of one stream. */
typedef struct stream_source {
    check_random_t *random;
    uint16_t features;
    uint8_t shift;
    bool wild; /* numbers of any size; else as from a chip */
    uint64_t time;
    uint64_t address;
    uint32_t written_task; /* which the encoder wrote last */
    hs_event_t context;    /* task, caps and heap of late */
} stream_source_t;

void stream_bytes_add(stream_bytes_t *bytes, const uint8_t *from, size_t count);
void stream_bytes_clear(stream_bytes_t *bytes);
hs_status_t stream_bytes_sink(void *bytes, const uint8_t *from, size_t count);

void stream_events_add(stream_events_t *events, const hs_event_t *event, uint64_t number);
void stream_events_clear(stream_events_t *events);
/* Fails the test at the first event in which the two differ. */
void stream_events_equal(const stream_events_t *wanted, const stream_events_t *match);

stream_source_t stream_source(check_random_t *random, uint16_t features);
/* The next event that an encoder with that next id accepts, as a decoder will give it. */
hs_event_t stream_next(stream_source_t *source, uint64_t next_id);

/* Writes `count` random events with an encoder of `memory` bytes; `events` gets them. */
void stream_write(stream_source_t *source, size_t count, size_t memory, stream_bytes_t *bytes,
                  stream_events_t *events);
/* Reads all in pieces of at most `piece` bytes (0: in one) and returns what finish said. */
hs_status_t stream_read(const uint8_t *bytes, size_t count, size_t piece, stream_events_t *events,
                        hs_trace_health_t *health);
/* The sink that it reads with; the context is a stream_events_t. */
hs_status_t stream_events_sink(void *events, uint64_t first, const hs_event_t *from, size_t count);

#endif
