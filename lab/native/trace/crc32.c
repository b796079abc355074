#include "crc32.h"

#include "bytes.h"

#define POLYNOMIAL UINT32_C(0xEDB88320)

void hs_crc32_init(hs_crc32_t *crc)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++) {
            value = (value >> 1) ^ ((value & 1u) != 0 ? POLYNOMIAL : 0);
        }
        crc->table[0][i] = value;
    }
    for (int ahead = 1; ahead < 8; ahead++) {
        for (uint32_t i = 0; i < 256; i++) {
            const uint32_t before = crc->table[ahead - 1][i];
            crc->table[ahead][i] = (before >> 8) ^ crc->table[0][before & 0xFFu];
        }
    }
}

/* "Slicing by 8" (Kounavis and Berry, 2005): eight independent look-ups a step. */
uint32_t hs_crc32_of(const hs_crc32_t *crc, const uint8_t *bytes, size_t count)
{
    uint32_t value = UINT32_C(0xFFFFFFFF);
    for (; count >= 8; bytes += 8, count -= 8) {
        const uint64_t word = hs_load64(bytes) ^ value;
        value = crc->table[7][word & 0xFFu] ^ crc->table[6][(word >> 8) & 0xFFu] ^
                crc->table[5][(word >> 16) & 0xFFu] ^ crc->table[4][(word >> 24) & 0xFFu] ^
                crc->table[3][(word >> 32) & 0xFFu] ^ crc->table[2][(word >> 40) & 0xFFu] ^
                crc->table[1][(word >> 48) & 0xFFu] ^ crc->table[0][word >> 56];
    }
    for (; count > 0; bytes++, count--) {
        value = (value >> 8) ^ crc->table[0][(value ^ *bytes) & 0xFFu];
    }
    return ~value;
}
