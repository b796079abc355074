/* The encoder's one open chunk: where its bytes are put and how it is sealed. Private. */
#ifndef HEAPSCOPE_TRACE_CHUNK_H
#define HEAPSCOPE_TRACE_CHUNK_H

#include <stdbool.h>

#include "format.h"
#include "heapscope/assert.h"
#include "heapscope/trace.h"

typedef struct hs_chunk {
    hs_trace_sink_t sink;
    void *context;
    uint8_t *bytes;    /* the whole chunk, header first */
    size_t limit;      /* bytes before the CRC that fit */
    size_t used;       /* bytes so far, header included */
    uint32_t sequence; /* of the open chunk */
    uint16_t features;
    uint8_t kind;        /* HS_CHUNK_*, 0: none is open */
    hs_status_t refused; /* what the sink said; not HS_OK: nothing is written any more */
} hs_chunk_t;

/* Opens a chunk of `kind`, in place of the one sealed before. */
void hs_chunk_open(hs_chunk_t *chunk, unsigned kind);

/* Room left for payload. */
static inline size_t hs_chunk_room(const hs_chunk_t *chunk)
{
    return chunk->limit - chunk->used;
}

static inline uint8_t *hs_chunk_at(hs_chunk_t *chunk)
{
    return chunk->bytes + chunk->used;
}

static inline void hs_chunk_advance(hs_chunk_t *chunk, const uint8_t *to)
{
    HS_ASSERT(to >= chunk->bytes + chunk->used && to <= chunk->bytes + chunk->limit);
    chunk->used = (size_t)(to - chunk->bytes);
}

/* Completes the header, appends the CRC and gives the chunk to the sink. O(bytes in the chunk). */
hs_status_t hs_chunk_seal(hs_chunk_t *chunk);

#endif
