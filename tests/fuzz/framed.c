#include "framed.h"

#include <string.h>

#include "../../device/src/trace/crc32.h"
#include "../../device/src/trace/format.h"
#include "../format/words.h"

#define FRAMED_DESCRIBED 7u /* bytes in front of a payload */

static uint8_t *framed_chunk(uint8_t *out, const uint8_t *described, uint32_t sequence,
                             size_t length)
{
    uint8_t *at = out;
    *at++ = HS_SYNC_0;
    *at++ = HS_SYNC_1;
    *at++ = HS_SYNC_2;
    *at++ = HS_SYNC_3;
    memcpy(at, described, 4);
    at = u32_put(at + 4, sequence);
    at = u16_put(at, (uint16_t)length);
    const uint32_t check = hs_trace_crc32(out + HS_CHUNK_KIND_AT, 10);
    at = u16_put(at, (uint16_t)(check & 0xFFFFu));
    memcpy(at, described + FRAMED_DESCRIBED, length);
    at += length;
    return u32_put(at, hs_trace_crc32(out + HS_CHUNK_KIND_AT, length + 12));
}

size_t framed_build(const uint8_t *data, size_t size, uint8_t *out)
{
    uint8_t *at = out;
    uint32_t sequence = 0;
    while (size >= FRAMED_DESCRIBED) {
        size_t length = data[5] | (size_t)data[6] << 8;
        length = length <= size - FRAMED_DESCRIBED ? length : size - FRAMED_DESCRIBED;
        sequence += data[4] < 0x80u ? data[4] : data[4] - UINT32_C(256);
        at = framed_chunk(at, data, sequence, length);
        data += FRAMED_DESCRIBED + length;
        size -= FRAMED_DESCRIBED + length;
    }
    return (size_t)(at - out);
}
