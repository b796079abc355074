#include "chunk.h"

#include "crc32.h"
#include "varint.h"

void hs_chunk_open(hs_chunk_t *chunk, unsigned kind)
{
    chunk->kind = (uint8_t)kind;
    chunk->used = HS_CHUNK_HEADER;
}

static void header_put(hs_chunk_t *chunk)
{
    uint8_t *at = chunk->bytes;
    *at++ = HS_SYNC_0;
    *at++ = HS_SYNC_1;
    *at++ = HS_SYNC_2;
    *at++ = HS_SYNC_3;
    *at++ = chunk->kind;
    *at++ = HS_TRACE_VERSION;
    at = hs_u16_put(at, chunk->features);
    at = hs_u32_put(at, chunk->sequence);
    at = hs_u16_put(at, (uint16_t)(chunk->used - HS_CHUNK_HEADER));
    const uint32_t check =
        hs_trace_crc32(chunk->bytes + HS_CHUNK_KIND_AT, HS_CHUNK_CHECK_AT - HS_CHUNK_KIND_AT);
    (void)hs_u16_put(at, (uint16_t)(check & 0xFFFFu));
}

hs_status_t hs_chunk_seal(hs_chunk_t *chunk)
{
    header_put(chunk);
    const uint32_t crc =
        hs_trace_crc32(chunk->bytes + HS_CHUNK_KIND_AT, chunk->used - HS_CHUNK_KIND_AT);
    (void)hs_u32_put(hs_chunk_at(chunk), crc);
    chunk->kind = 0;
    chunk->sequence++;
    chunk->refused = chunk->sink(chunk->context, chunk->bytes, chunk->used + HS_CHUNK_CRC);
    return chunk->refused;
}
