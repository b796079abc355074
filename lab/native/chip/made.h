/*
 * A plain request on a heap of which its caller knows the allocator: TLSF of an ESP-IDF with 16 or 32 bins a level.
 * It is the model's own code, made for the caller's loop with what is constant there.
 */
#ifndef HEAPSCOPE_NATIVE_MADE_H
#define HEAPSCOPE_NATIVE_MADE_H

#include "chip/chip.h"
#include "idf_made.h"

/* log2 of the bins for which the functions below are the chip's own; 0: none of them is. */
static inline uint32_t hs_chip_made(const hs_chip_t *chip)
{
    return chip->count == 1 && chip->plain_limit != 0 ? hs_idf_made(chip->plain_heap) : 0;
}

static HS_MADE_FOR_CALLER uint32_t hs_chip_take_16(hs_sim_t *heap, uint32_t size)
{
    return hs_idf_made_malloc(heap, size, 4);
}

static HS_MADE_FOR_CALLER uint32_t hs_chip_take_32(hs_sim_t *heap, uint32_t size)
{
    return hs_idf_made_malloc(heap, size, 5);
}

/* hs_chip_allocate and hs_chip_release. */
static HS_MADE_FOR_CALLER bool hs_chip_allocate_16(hs_chip_t *chip, const hs_request_t *request,
                                                   hs_place_t *place)
{
    return hs_chip_allocate_with(chip, request, place, hs_chip_take_16);
}

static HS_MADE_FOR_CALLER bool hs_chip_allocate_32(hs_chip_t *chip, const hs_request_t *request,
                                                   hs_place_t *place)
{
    return hs_chip_allocate_with(chip, request, place, hs_chip_take_32);
}

static HS_MADE_FOR_CALLER void hs_chip_release_16(hs_chip_t *chip, const hs_place_t *place)
{
    HS_ASSERT(place->region == 0 && place->offset < chip->region[0].size);
    hs_idf_made_free(chip->plain_heap, place->offset, 4);
}

static HS_MADE_FOR_CALLER void hs_chip_release_32(hs_chip_t *chip, const hs_place_t *place)
{
    HS_ASSERT(place->region == 0 && place->offset < chip->region[0].size);
    hs_idf_made_free(chip->plain_heap, place->offset, 5);
}

#endif
