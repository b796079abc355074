/* CRC-32 as in IEEE 802.3 and zlib: polynomial 0x04C11DB7, reflected, start and end inverted. */
#ifndef HEAPSCOPE_TRACE_CRC32_H
#define HEAPSCOPE_TRACE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC of `count` bytes. O(count), 64 bytes of constant table; may run in an interrupt. */
uint32_t hs_trace_crc32(const uint8_t *bytes, size_t count);

#endif
