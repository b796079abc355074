/* Numbers by chance: each is a function of a seed and of what it is drawn for, so that the order of the
 * draws plays no part. */
#ifndef HEAPSCOPE_NATIVE_CHANCE_H
#define HEAPSCOPE_NATIVE_CHANCE_H

#include <stdint.h>

/* The finalizer of splitmix64: each bit of `x` changes about half of the result's. */
static inline uint64_t hs_chance_mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static inline uint64_t hs_chance_draw(uint64_t seed, uint64_t what, uint64_t which)
{
    return hs_chance_mix(hs_chance_mix(seed ^ hs_chance_mix(what)) ^ which);
}

/* From 0 up to, and without, 1. */
static inline double hs_chance_share(uint64_t draw)
{
    return (double)(draw >> 11) / 9007199254740992.0; /* 2^53 */
}

#endif
