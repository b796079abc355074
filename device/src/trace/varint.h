/* Writing the format's integers. Each function writes at `at` and returns the byte after; the
 * caller has reserved HS_VARINT_MAX bytes. */
#ifndef HEAPSCOPE_TRACE_VARINT_H
#define HEAPSCOPE_TRACE_VARINT_H

#include <stdint.h>

static inline uint8_t *hs_varint_put(uint8_t *at, uint64_t value)
{
    /* Bound: ten rounds of 7 bits. */
    while (value > 0x7Fu) {
        *at++ = (uint8_t)(value | 0x80u);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/* The head of a record: kind in bits 0 to 2, four bits of the number in bits 3 to 6. */
static inline uint8_t *hs_head_put(uint8_t *at, unsigned kind, uint64_t number)
{
    const unsigned low = kind | (unsigned)(number & 15u) << 3;
    number >>= 4;
    if (number == 0) {
        *at++ = (uint8_t)low;
        return at;
    }
    *at++ = (uint8_t)(low | 0x80u);
    return hs_varint_put(at, number);
}

/* A difference modulo 2^64, small in either direction, as a small number: 0, -1, 1, -2, ... */
static inline uint64_t hs_zigzag(uint64_t difference)
{
    return (difference << 1) ^ (0u - (difference >> 63));
}

static inline uint64_t hs_unzigzag(uint64_t number)
{
    return (number >> 1) ^ (0u - (number & 1u));
}

#endif
