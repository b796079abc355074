#include "random.h"

/* Sebastiano Vigna's SplitMix64, in the public domain. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

int hs_random_fill(void *state, unsigned char *out, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % 8 == 0) {
            bits = next(state);
        }
        out[i] = (unsigned char)(bits >> i % 8 * 8);
    }
    return 0;
}
