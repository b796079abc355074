/*
 * Bits of 32-bit words. The only place of the heap with compiler extensions; any other compiler
 * gets the portable form.
 */
#ifndef HEAPSCOPE_HEAP_WORD_H
#define HEAPSCOPE_HEAP_WORD_H

#include <stdint.h>

#include "heapscope/assert.h"
#include "heapscope/config.h"

#if defined(__GNUC__) || defined(__clang__)
#define HS_UNLIKELY(condition) __builtin_expect((condition), 0)
/* For the compiler, which cannot know. */
#define HS_ASSUME(condition) ((condition) ? (void)0 : __builtin_unreachable())
/* Keeps a rare path from costing the usual one registers. */
#define HS_RARE __attribute__((noinline))
/* On the path of malloc or free. */
#define HS_INLINE inline __attribute__((always_inline))
/* The same, and long enough that a lean heap has it once. */
#if HS_LEAN
#define HS_STEP __attribute__((noinline, unused))
#define HS_SHARED HS_STEP
#define HS_APART inline
#else
#define HS_STEP HS_INLINE
#define HS_SHARED inline /* off that path */
#define HS_APART HS_RARE /* what only hands on to a step, for rare callers */
#endif
/* For memory that is read and written as different types in turn. */
#define HS_ANY_TYPE __attribute__((may_alias))
#else
#define HS_UNLIKELY(condition) (condition)
#define HS_ASSUME(condition) HS_ASSERT(condition)
#define HS_RARE
#define HS_INLINE inline
#define HS_STEP inline
#define HS_SHARED inline
#define HS_APART inline
#define HS_ANY_TYPE
#endif

typedef uint16_t HS_ANY_TYPE hs_half_t;
typedef uint32_t HS_ANY_TYPE hs_word_t;

#define HS_WORD_BITS 32u

/* Does one instruction find the highest bit? */
#ifndef HS_HAS_CLZ
#if !defined(__GNUC__) && !defined(__clang__)
#define HS_HAS_CLZ 0
#elif defined(__riscv)
#if defined(__riscv_zbb)
#define HS_HAS_CLZ 1
#else
#define HS_HAS_CLZ 0
#endif
#elif defined(__arm__) && !defined(__ARM_FEATURE_CLZ)
#define HS_HAS_CLZ 0
#else
#define HS_HAS_CLZ 1
#endif
#endif

#if HS_HAS_CLZ

/* Index of the highest set bit; word != 0. */
static inline uint32_t hs_word_highest(uint32_t word)
{
    HS_ASSERT(word != 0);
    return (uint32_t)(sizeof(unsigned int) * 8 - 1) ^ (uint32_t)__builtin_clz(word);
}

#else

#define HS_BINS_LISTED 64u
/* The bins of up to 63 granules; then the same if there were four an octave from 4 on, which are four times
 * the index of the highest bit, and up to 3 more. For processors without clz. */
extern const uint8_t hs_heap_bins[2 * HS_BINS_LISTED];

static HS_STEP uint32_t hs_word_highest(uint32_t word)
{
    HS_ASSERT(word != 0);
    uint32_t index = 0;
#if !HS_LEAN
    if (word >> 16 != 0) {
        word >>= 16;
        index = 16;
    }
    if (word >= HS_BINS_LISTED << 5) {
        word >>= 11;
        index += 11;
    } else if (word >= HS_BINS_LISTED) {
        word >>= 5;
        index += 5;
    }
    return index + hs_heap_bins[HS_BINS_LISTED + word] / 4;
#else
    for (uint32_t step = 16; step != 0; step >>= 1) { /* bound: 5 */
        if ((word >> step) != 0) {
            word >>= step;
            index += step;
        }
    }
    return index;
#endif
}

#endif

/* Index of the lowest set bit; word != 0. */
#if HS_HAS_CLZ
static inline
#else
static HS_STEP
#endif
    uint32_t hs_word_lowest(uint32_t word)
{
    HS_ASSERT(word != 0);
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctz(word);
#else
    return hs_word_highest(word & (~word + 1u));
#endif
}

#endif
