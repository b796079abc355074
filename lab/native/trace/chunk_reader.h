/* Whole chunks, in whatever order and number they come, to events, facts and losses. Private to
 * lab/native/trace. */
#ifndef HEAPSCOPE_NATIVE_CHUNK_READER_H
#define HEAPSCOPE_NATIVE_CHUNK_READER_H

#include "metadata.h"
#include "records.h"

#define HS_PRINTS                                                                                  \
    64u /* chunks whose CRC is remembered, to tell a repetition from a new recording */

/* A chunk's header, and where it lies. */
typedef struct hs_frame {
    const uint8_t *bytes; /* the header's first */
    uint64_t position;    /* of it in the input */
    size_t size;          /* header, payload and CRC */
    uint32_t sequence;
} hs_frame_t;

typedef struct hs_chunk_reader {
    hs_trace_health_t health;
    hs_records_t records;
    hs_metadata_t metadata;
    uint64_t next_sequence; /* one past the last chunk read */
    uint64_t claimed;       /* one past the highest sequence in a damaged chunk's header */
    uint64_t next_event;    /* one past the last heap event read */
    uint64_t unnumbered;    /* lost events without numbers, as the health has them */
    uint64_t restart_at;    /* where chunk 0 came again; UINT64_MAX: it did not */
    uint64_t printed;       /* bit n: prints[n] is set */
    uint32_t prints[HS_PRINTS];
    uint64_t missing; /* chunks lost since the facts began that may have been metadata */
    uint64_t
        damaged; /* of those that the next chunk will show lost: headers that are no metadata's */
    bool facts_begun;   /* the first metadata chunk of them was read */
    bool facts_whole;   /* all of them were, once: later ones repeat them */
    uint32_t boot;      /* of all chunks, as their features say it; UINT32_MAX: none was read */
    uint32_t addressed; /* 0: not known yet; 1: without addresses; 2: with */
} hs_chunk_reader_t;

void hs_chunk_reader_init(hs_chunk_reader_t *reader, hs_event_t *batch);
void hs_chunk_reader_clear(hs_chunk_reader_t *reader);

/* Takes a chunk whose CRC is right. HS_OK, or what the sink said. */
hs_status_t hs_chunk_reader_take(hs_chunk_reader_t *reader, const hs_frame_t *frame);

/* Notes a chunk whose header is right and whose CRC is not, or that is cut off. */
void hs_chunk_reader_miss(hs_chunk_reader_t *reader, const hs_frame_t *frame);

/* Notes that something is lost at that position. */
void hs_chunk_reader_damage(hs_chunk_reader_t *reader, uint64_t position);

/* The input is over: counts the damaged chunks that no later one made known as lost. `at_border`: it ends with
 * a whole chunk. */
void hs_chunk_reader_finish(hs_chunk_reader_t *reader, bool at_border);

#endif
