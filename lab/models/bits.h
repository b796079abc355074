/*
 * Positions of bits in 32-bit words. The only place with compiler extensions; any other compiler
 * gets the portable form.
 */
#ifndef HEAPSCOPE_MODELS_BITS_H
#define HEAPSCOPE_MODELS_BITS_H

#include <stdint.h>

/* 1: the portable form everywhere, so that a test can run it on any compiler. */
#ifndef HS_BITS_PORTABLE
#define HS_BITS_PORTABLE 0
#endif

#if !HS_BITS_PORTABLE && (defined(__GNUC__) || defined(__clang__))
#define HS_BITS_GNU 1
#else
#define HS_BITS_GNU 0
#endif
#if !HS_BITS_PORTABLE && !HS_BITS_GNU && defined(_MSC_VER)
#define HS_BITS_MSVC 1
#include <intrin.h>
#else
#define HS_BITS_MSVC 0
#endif

/* In front of a static function of which each caller needs a copy of its own, with its constants. A compiler that does
 * not optimize cannot make a copy where a function is handed over. */
#if HS_BITS_GNU && defined(__OPTIMIZE__)
#define HS_INLINE_FOR_CALLER inline __attribute__((always_inline))
#elif HS_BITS_MSVC
#define HS_INLINE_FOR_CALLER __forceinline
#else
#define HS_INLINE_FOR_CALLER inline
#endif

/* In front of a static function that seldom is called: its callers keep their registers for the rest. */
#if HS_BITS_GNU
#define HS_SELDOM __attribute__((cold, noinline))
#else
#define HS_SELDOM
#endif

/* Index of the highest set bit; x != 0. */
static inline uint32_t hs_bits_highest(uint32_t x)
{
#if HS_BITS_GNU
    return (uint32_t)(sizeof(unsigned int) * 8 - 1) ^ (uint32_t)__builtin_clz(x);
#elif HS_BITS_MSVC
    unsigned long index;
    _BitScanReverse(&index, x);
    return (uint32_t)index;
#else
    uint32_t index = 0;
    for (uint32_t step = 16; step != 0; step >>= 1) {
        if ((x >> step) != 0) {
            x >>= step;
            index += step;
        }
    }
    return index;
#endif
}

/* Index of the lowest set bit; x != 0. */
static inline uint32_t hs_bits_lowest(uint32_t x)
{
#if HS_BITS_GNU
    return (uint32_t)__builtin_ctz(x);
#else
    return hs_bits_highest(x & (~x + 1u));
#endif
}

/* The bits from `from` (below 32) upwards. */
static inline uint32_t hs_bits_from(uint32_t from)
{
    return UINT32_C(0xFFFFFFFF) << from;
}

static inline uint32_t hs_bits_up4(uint32_t x)
{
    return (x + 3u) & ~UINT32_C(3);
}

static inline uint32_t hs_bits_down4(uint32_t x)
{
    return x & ~UINT32_C(3);
}

#endif
