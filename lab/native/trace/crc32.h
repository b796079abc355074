/* CRC-32 (IEEE, as in zlib) for the host: eight bytes a step. The chip's is device/src/trace. */
#ifndef HEAPSCOPE_NATIVE_CRC32_H
#define HEAPSCOPE_NATIVE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* The tables live in the instance that uses them: 8 KB of constants in source would have to be
 * generated, and hidden ones filled at first use are a race. */
typedef struct hs_crc32 {
    uint32_t table[8][256];
} hs_crc32_t;

void hs_crc32_init(hs_crc32_t *crc);
uint32_t hs_crc32_of(const hs_crc32_t *crc, const uint8_t *bytes, size_t count);

#endif
