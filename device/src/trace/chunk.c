#include "chunk.h"

#include "crc32.h"

void hs_chunk_open(hs_chunk_t *chunk, unsigned kind)
{
    chunk->kind = (uint8_t)kind;
    chunk->used = HS_CHUNK_HEADER;
}

/* The low `bytes` of a number, the lowest first. Returns the byte after. */
static uint8_t *word_put(uint8_t *at, uint32_t number, unsigned bytes)
{
    for (; bytes > 0; bytes--) {
        *at++ = (uint8_t)(number & 0xFFu);
        number >>= 8;
    }
    return at;
}

static void header_put(hs_chunk_t *chunk)
{
    static const uint8_t sync[] = {HS_SYNC_0, HS_SYNC_1, HS_SYNC_2, HS_SYNC_3};
    uint8_t *at = chunk->bytes;
    for (unsigned i = 0; i < sizeof sync; i++) {
        *at++ = sync[i];
    }
    *at++ = chunk->kind;
    *at++ = HS_TRACE_VERSION;
    at = word_put(at, chunk->features, 2);
    at = word_put(at, chunk->sequence, 4);
    at = word_put(at, (uint32_t)(chunk->used - HS_CHUNK_HEADER), 2);
    const uint32_t check =
        hs_trace_crc32(chunk->bytes + HS_CHUNK_KIND_AT, HS_CHUNK_CHECK_AT - HS_CHUNK_KIND_AT);
    (void)word_put(at, check, 2);
}

hs_status_t hs_chunk_seal(hs_chunk_t *chunk)
{
    header_put(chunk);
    const uint32_t crc =
        hs_trace_crc32(chunk->bytes + HS_CHUNK_KIND_AT, chunk->used - HS_CHUNK_KIND_AT);
    (void)word_put(hs_chunk_at(chunk), crc, 4);
    chunk->kind = 0;
    chunk->sequence++;
    chunk->refused = chunk->sink(chunk->context, chunk->bytes, chunk->used + HS_CHUNK_CRC);
    return chunk->refused;
}
