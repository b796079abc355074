#include "listen/stream.h"

#include <string.h>

#include "trace/bytes.h"

/* A search inside damaged chunks may cost 15 times the input and 1 MB, as the decoder's may: input made
 * for it could have each byte checked thousands of times. */
#define VAIN_PER_BYTE 15u
#define VAIN_FREE (UINT64_C(1) << 20)

static const uint8_t sync_bytes[4] = {HS_SYNC_0, HS_SYNC_1, HS_SYNC_2, HS_SYNC_3};

void hs_stream_init(hs_stream_t *stream)
{
    hs_crc32_init(&stream->crc);
    stream->damaged_chunks = 0;
    stream->fed = 0;
    stream->vain = 0;
    stream->begin = 0;
    stream->end = 0;
    stream->damaged = 0;
}

size_t hs_stream_push(hs_stream_t *stream, const uint8_t *bytes, size_t count)
{
    if (stream->begin != 0) {
        memmove(stream->held, stream->held + stream->begin, stream->end - stream->begin);
        stream->end -= stream->begin;
        stream->begin = 0;
    }
    const size_t room = HS_STREAM_HELD - stream->end;
    const size_t taken = count < room ? count : room;
    if (taken != 0) {
        memcpy(stream->held + stream->end, bytes, taken);
    }
    stream->end += taken;
    stream->fed += taken;
    return taken;
}

static hs_piece_t give(hs_stream_t *stream, size_t count, hs_piece_kind_t kind)
{
    const hs_piece_t piece = {stream->held + stream->begin, count, kind};
    stream->begin += count;
    stream->damaged -= count < stream->damaged ? count : stream->damaged;
    return piece;
}

/* Bytes that belong to no chunk: those that a damaged one may own, or text. */
static hs_piece_t outside(hs_stream_t *stream, size_t count)
{
    if (stream->damaged == 0) {
        return give(stream, count, HS_PIECE_TEXT);
    }
    return give(stream, count < stream->damaged ? count : stream->damaged, HS_PIECE_DAMAGED);
}

static bool header_is_right(const hs_stream_t *stream, const uint8_t *bytes)
{
    const uint32_t check =
        hs_crc32_of(&stream->crc, bytes + HS_CHUNK_KIND_AT, HS_CHUNK_CHECK_AT - HS_CHUNK_KIND_AT);
    return (check & 0xFFFFu) == hs_load16(bytes + HS_CHUNK_CHECK_AT);
}

static bool is_whole(const hs_stream_t *stream, const uint8_t *bytes, size_t size)
{
    const size_t checked = size - HS_CHUNK_KIND_AT - HS_CHUNK_CRC;
    return hs_crc32_of(&stream->crc, bytes + HS_CHUNK_KIND_AT, checked) ==
           hs_load32(bytes + size - HS_CHUNK_CRC);
}

/* Up to the next byte that may begin a chunk, at least one. */
static size_t to_next_sync(const uint8_t *bytes, size_t count)
{
    const uint8_t *next = count > 1 ? memchr(bytes + 1, HS_SYNC_0, count - 1) : NULL;
    return next == NULL ? count : (size_t)(next - bytes);
}

static hs_piece_t damage(hs_stream_t *stream, size_t size)
{
    const uint8_t *bytes = stream->held + stream->begin;
    stream->damaged_chunks++;
    stream->damaged = size > stream->damaged ? size : stream->damaged;
    stream->vain += size;
    if (stream->vain > stream->fed * VAIN_PER_BYTE + VAIN_FREE) {
        return outside(stream, size);
    }
    return outside(stream, to_next_sync(bytes, stream->end - stream->begin));
}

hs_piece_t hs_stream_next(hs_stream_t *stream, bool last)
{
    const uint8_t *bytes = stream->held + stream->begin;
    const size_t count = stream->end - stream->begin;
    const hs_piece_t nothing = {NULL, 0, HS_PIECE_NONE};
    if (count == 0) {
        return nothing;
    }
    if (memcmp(bytes, sync_bytes, count < sizeof sync_bytes ? count : sizeof sync_bytes) != 0) {
        return outside(stream, to_next_sync(bytes, count));
    }
    if (count < HS_CHUNK_HEADER) {
        return last ? outside(stream, to_next_sync(bytes, count)) : nothing;
    }
    if (!header_is_right(stream, bytes)) {
        return outside(stream, to_next_sync(bytes, count));
    }
    const size_t size =
        (size_t)HS_CHUNK_HEADER + hs_load16(bytes + HS_CHUNK_LENGTH_AT) + HS_CHUNK_CRC;
    if (count < size) {
        return last ? damage(stream, count) : nothing;
    }
    if (!is_whole(stream, bytes, size)) {
        return damage(stream, size);
    }
    stream->damaged = 0;
    return give(stream, size, HS_PIECE_CHUNK);
}
