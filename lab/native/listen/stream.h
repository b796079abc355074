/*
 * A stream from a device: whole chunks of a trace, and between them the text of its log. A chunk is found
 * by its sync and the check of its header, and believed by its checksum. Memory: two chunks.
 */
#ifndef HEAPSCOPE_NATIVE_STREAM_H
#define HEAPSCOPE_NATIVE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../device/src/trace/format.h"
#include "trace/crc32.h"

#define HS_STREAM_HELD ((size_t)2 * HS_CHUNK_MAX)

typedef enum hs_piece_kind {
    HS_PIECE_NONE, /* more bytes are needed to say what comes next */
    HS_PIECE_TEXT,
    HS_PIECE_CHUNK,
    HS_PIECE_DAMAGED /* bytes of a chunk whose checksum is wrong */
} hs_piece_kind_t;

typedef struct hs_piece {
    const uint8_t *bytes; /* valid until the next call */
    size_t count;
    hs_piece_kind_t kind;
} hs_piece_t;

typedef struct hs_stream {
    hs_crc32_t crc;
    uint64_t damaged_chunks; /* headers that are right before chunks that are not */
    uint64_t fed;
    uint64_t vain;     /* bytes of checksums that were wrong */
    size_t begin, end; /* of the bytes held */
    size_t damaged;    /* bytes from `begin` on that a damaged chunk may own */
    uint8_t held[HS_STREAM_HELD];
} hs_stream_t;

void hs_stream_init(hs_stream_t *stream);

/* Takes as many bytes as find room, at least one after hs_stream_next gave HS_PIECE_NONE. */
size_t hs_stream_push(hs_stream_t *stream, const uint8_t *bytes, size_t count);

/* The next piece. `last`: nothing follows, so that what may be the begin of a chunk cannot be one. O(bytes held). */
hs_piece_t hs_stream_next(hs_stream_t *stream, bool last);

#endif
