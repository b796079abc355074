/* Words of a chunk, the lowest byte first. Each returns the byte after. */
#ifndef HEAPSCOPE_TESTS_FORMAT_WORDS_H
#define HEAPSCOPE_TESTS_FORMAT_WORDS_H

#include <stdint.h>

static inline uint8_t *u16_put(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)(value & 0xFFu);
    at[1] = (uint8_t)(value >> 8);
    return at + 2;
}

static inline uint8_t *u32_put(uint8_t *at, uint32_t value)
{
    at = u16_put(at, (uint16_t)(value & 0xFFFFu));
    return u16_put(at, (uint16_t)(value >> 16));
}

#endif
