/*
 * Turns fuzzer bytes into chunks with right checks, so that what lies behind the CRC is reached.
 * Each chunk is described by: kind, version, features (low, high byte), step of the sequence,
 * length (low, high byte), payload.
 */
#ifndef HEAPSCOPE_FUZZ_FRAMED_H
#define HEAPSCOPE_FUZZ_FRAMED_H

#include <stddef.h>
#include <stdint.h>

#define FRAMED_MAX(size) ((size_t)(size) * 3u + 64u) /* what `size` bytes become at most */

/* Writes the chunks to `out` and returns their size. */
size_t framed_build(const uint8_t *data, size_t size, uint8_t *out);

#endif
