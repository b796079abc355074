/* The chunk that ends a recording which is cut off, so that what was heard is a whole trace. */
#ifndef HEAPSCOPE_NATIVE_END_CHUNK_H
#define HEAPSCOPE_NATIVE_END_CHUNK_H

#include <stddef.h>
#include <stdint.h>

enum { HS_END_CHUNK_MAX = 30 }; /* header, varint, checksum */

/* Behind the chunk whose header is `last`, after `events` heap events; returns its bytes. */
size_t hs_end_chunk(const uint8_t *last, uint64_t events, uint8_t out[HS_END_CHUNK_MAX]);

#endif
