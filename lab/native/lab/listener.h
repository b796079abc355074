/* A listener to a device: what it has taken out of the stream, and what is asked about it. */
#ifndef HEAPSCOPE_NATIVE_LISTENER_H
#define HEAPSCOPE_NATIVE_LISTENER_H

#include "lab/heard.h"
#include "lab/live_replay.h"
#include "listen/account.h"
#include "listen/console.h"
#include "listen/live_blocks.h"
#include "listen/notices.h"
#include "listen/stream.h"
#include "listen/trend.h"
#include "queue/queue.h"
#include "trace/bytes.h"
#include "trace/decoder.h"
#include "trace/state.h"

struct hs_lab_listener {
    hs_decoder_t *decoder;
    hs_state_t *state;
    hs_account_t account;
    hs_notices_t notices;
    hs_queue_t text, chunks;
    hs_console_t console; /* of the text that was taken out */
    hs_queue_t pending;   /* chunks from a repeated chunk 0 on: perhaps another recording */
    hs_status_t status;   /* not HS_OK: no host memory */
    uint64_t unsettled;   /* events since a snapshot began */
    uint64_t kept;        /* bytes of the recording's chunks before the one that is read */
    uint64_t facts;       /* of them, before metadata that is located right in front of it */
    unsigned boot;        /* of the recording */
    unsigned before;      /* boot of the one before; UINT_MAX: none */
    bool heard;           /* a chunk of the recording */
    bool decided;         /* whether it begins with an empty heap */
    bool metadata;        /* the chunk before was metadata */
    uint8_t last[HS_CHUNK_HEADER]; /* header of the chunk before */
    hs_trend_t trend;
    hs_owners_t owners;      /* of the last look at the trend */
    hs_live_blocks_t blocks; /* of the last look at them */
    hs_live_replay_t replay;
    hs_lab_watched_t watched[HS_LAB_NEEDS_MAX];
    uint32_t last_fits[HS_LAB_NEEDS_MAX]; /* the last answer that was known */
    uint32_t watched_count;
    hs_stream_t stream;
};

/* A region and how its figures are known. */
typedef struct hs_heard_region {
    hs_lab_listened_region_t row;
    uint32_t by;
    uint32_t name; /* regions of one name have the same number */
} hs_heard_region_t;

static inline size_t hs_listener_chunk_size(const uint8_t *chunk)
{
    return (size_t)HS_CHUNK_HEADER + hs_load16(chunk + HS_CHUNK_LENGTH_AT) + HS_CHUNK_CRC;
}

/* The regions of the memory that is replayed, else those that the recording tells; returns how many. */
size_t hs_heard_regions(const hs_lab_listener_t *listener,
                        hs_heard_region_t rows[HS_LAB_REGIONS_MAX]);
hs_span_t hs_heard_span(const hs_heard_region_t *region);
/* The live blocks as things stand; false: they are not known, or there is no host memory. */
bool hs_heard_blocks(hs_lab_listener_t *listener);
/* Answers the requests that are watched. */
void hs_watched_look(hs_lab_listener_t *listener);

#endif
