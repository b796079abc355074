/*
 * A plain request on a heap of which its caller knows the allocator: TLSF of an ESP-IDF with 16 or 32 bins a level.
 * It is the model's own code, made for the caller's loop with what is constant there (idf_inline.h).
 */
#ifndef HEAPSCOPE_NATIVE_INLINE_H
#define HEAPSCOPE_NATIVE_INLINE_H

#include "../../device/src/regions/caps.h"
#include "chip/chip.h"
#include "idf_inline.h"

/* log2 of the bins of the only heap, where it is such a one and malloc asks just that; else 0. */
static inline uint32_t hs_chip_inline(const hs_chip_t *chip)
{
    return chip->count == 1 && chip->plain_limit != 0 ? hs_idf_inline(chip->plain_heap) : 0;
}

/* A realloc of so many asks that heap once, and no other. */
static inline bool hs_chip_inline_resizes(const hs_chip_t *chip)
{
    const uint32_t caps = chip->malloc_rule.small;
    return chip->malloc_rule.fallback == 0 && (hs_caps_all(chip->region[0].caps) & caps) == caps;
}

/* malloc of 1 to this many bytes is hs_idf_inline_malloc there. */
static inline uint32_t hs_chip_inline_limit(const hs_chip_t *chip)
{
    const uint32_t most = hs_idf_inline_most(chip->plain_heap);
    return chip->plain_limit < most ? chip->plain_limit : most;
}

#endif
