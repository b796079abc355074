/* Little-endian loads and the decoder's integers, with bounds. Private to lab/native/trace. */
#ifndef HEAPSCOPE_NATIVE_BYTES_H
#define HEAPSCOPE_NATIVE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define HS_ALWAYS_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define HS_ALWAYS_INLINE __forceinline
#else
#define HS_ALWAYS_INLINE inline
#endif

/* 1 where the host is known to be little-endian; elsewhere words are put together from bytes. */
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
#define HS_LITTLE_ENDIAN (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#elif defined(_MSC_VER)
#define HS_LITTLE_ENDIAN 1
#else
#define HS_LITTLE_ENDIAN 0
#endif

static inline uint32_t hs_load16(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t hs_load32(const uint8_t *at)
{
    return hs_load16(at) | hs_load16(at + 2) << 16;
}

static HS_ALWAYS_INLINE uint64_t hs_load64(const uint8_t *at)
{
#if HS_LITTLE_ENDIAN
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
#else
    return hs_load32(at) | (uint64_t)hs_load32(at + 4) << 32;
#endif
}

/* Bytes still to be read. */
typedef struct hs_cursor {
    const uint8_t *at;
    const uint8_t *end;
} hs_cursor_t;

static inline size_t hs_cursor_left(const hs_cursor_t *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* Reads a LEB128 number whose first `have` bits are `value` already. False: the bytes end inside
 * it, or it does not fit 64 bits. Bound: ten bytes. */
static inline bool hs_cursor_continue(hs_cursor_t *cursor, unsigned have, uint64_t *value)
{
    for (unsigned shift = have; cursor->at < cursor->end && shift < 64; shift += 7) {
        const uint64_t byte = *cursor->at++;
        const uint64_t part = byte & 0x7Fu;
        if (part << shift >> shift != part) {
            return false;
        }
        *value |= part << shift;
        if (byte < 0x80u) {
            return true;
        }
    }
    return false;
}

static inline bool hs_cursor_varint(hs_cursor_t *cursor, uint64_t *value)
{
    *value = 0;
    return hs_cursor_continue(cursor, 0, value);
}

static inline bool hs_cursor_byte(hs_cursor_t *cursor, uint8_t *value)
{
    if (cursor->at == cursor->end) {
        return false;
    }
    *value = *cursor->at++;
    return true;
}

/* A number of at most `max`. */
static inline bool hs_cursor_bounded(hs_cursor_t *cursor, uint64_t max, uint32_t *value)
{
    uint64_t number;
    if (!hs_cursor_varint(cursor, &number) || number > max) {
        return false;
    }
    *value = (uint32_t)number;
    return true;
}

#endif
