#include "listen/end_chunk.h"

#include "../../device/src/trace/chunk.h"
#include "../../device/src/trace/varint.h"
#include "trace/bytes.h"

_Static_assert(HS_END_CHUNK_MAX == HS_CHUNK_HEADER + HS_VARINT_MAX + HS_CHUNK_CRC, "as large");

static hs_status_t stay(void *context, const uint8_t *bytes, size_t count)
{
    (void)bytes;
    *(size_t *)context = count;
    return HS_OK;
}

size_t hs_end_chunk(const uint8_t *last, uint64_t events, uint8_t out[HS_END_CHUNK_MAX])
{
    size_t count = 0;
    hs_chunk_t chunk = {.sink = stay,
                        .context = &count,
                        .bytes = out,
                        .limit = HS_CHUNK_HEADER + HS_VARINT_MAX,
                        .sequence = hs_load32(last + HS_CHUNK_SEQUENCE_AT) + 1,
                        .features = (uint16_t)hs_load16(last + HS_CHUNK_FEATURES_AT)};
    hs_chunk_open(&chunk, HS_CHUNK_END);
    hs_chunk_advance(&chunk, hs_varint_put(hs_chunk_at(&chunk), events));
    (void)hs_chunk_seal(&chunk);
    return count;
}
