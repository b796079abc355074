/* The bin of each size that a heap can have, and the highest and lowest bits of words, against plain loops.
 * Processors without an instruction for it find both by a table. */
#include "../models/check.h"
#include "heap/layout.h"

static uint32_t highest(uint32_t word)
{
    uint32_t index = 0;
    while (word >>= 1) {
        index++;
    }
    return index;
}

static uint32_t bin(uint32_t granules)
{
    if (granules < HS_BIN_EXACT) {
        return granules;
    }
    const uint32_t octave = highest(granules);
    return HS_BIN_EXACT + 4 * (octave - 4) + (granules >> (octave - 2)) % 4;
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const uint32_t most = HS_WIDE_MAX / HS_GRANULE;
    for (uint32_t granules = HS_BLOCK_MIN; granules <= most;
         granules += CHECK_THIN > 1 ? 1 + granules / 64 : 1) {
        const uint32_t match = hs_bin_of(granules, true);
        CHECK(match == bin(granules), "%u granules: bin %u", (unsigned)granules, (unsigned)match);
        CHECK(granules > HS_SMALL_MAX / HS_GRANULE || hs_bin_of(granules, false) == match,
              "%u granules: bin %u in the small form", (unsigned)granules,
              (unsigned)hs_bin_of(granules, false));
    }
    for (uint32_t i = 0; i < HS_WORD_BITS; i++) {
        const uint32_t bit = UINT32_C(1) << i;
        for (int round = 0; round < 100; round++) {
            const uint32_t low = (uint32_t)check_next(&random) & (bit - 1);
            CHECK(hs_word_highest(bit | low) == i, "bit %u", (unsigned)i);
            CHECK(hs_word_lowest(bit | ~(bit | (bit - 1))) == i, "bit %u", (unsigned)i);
        }
    }
    return 0;
}
