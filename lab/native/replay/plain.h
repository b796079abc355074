/*
 * The usual replay is plain: blocks have ids, there is one region, and there are no rules of placement and no
 * blocks of the beginning to be put back. Mostly its heap is one of which more is known (chip/made.h). The functions
 * that an event goes through are made once for each case. `plain` is a constant in each copy: 0, or what a plain
 * replay knows of its heap.
 */
#ifndef HEAPSCOPE_NATIVE_PLAIN_H
#define HEAPSCOPE_NATIVE_PLAIN_H

#include "chip/made.h"
#include "replay/replay.h"

typedef enum hs_plain { HS_PLAIN_NOT, HS_PLAIN_ANY, HS_PLAIN_IDF_16, HS_PLAIN_IDF_32 } hs_plain_t;

static inline hs_plain_t hs_plain_of(const hs_replay_t *replay)
{
    if (replay->census_only || replay->by_address || replay->placement.count != 0 ||
        replay->laid != 0 || !hs_measure_is_only(&replay->measure)) {
        return HS_PLAIN_NOT;
    }
    switch (hs_chip_made(&replay->chip)) {
    case 4:
        return HS_PLAIN_IDF_16;
    case 5:
        return HS_PLAIN_IDF_32;
    default:
        return HS_PLAIN_ANY;
    }
}

/* hs_chip_allocate. */
static HS_MADE_FOR_CALLER bool hs_plain_allocate(hs_chip_t *chip, const hs_request_t *request,
                                                 hs_place_t *place, const hs_plain_t plain)
{
    switch (plain) {
    case HS_PLAIN_IDF_16:
        return hs_chip_allocate_16(chip, request, place);
    case HS_PLAIN_IDF_32:
        return hs_chip_allocate_32(chip, request, place);
    default:
        return hs_chip_allocate(chip, request, place);
    }
}

/* hs_chip_release; not plain too. */
static HS_MADE_FOR_CALLER void hs_plain_release(hs_chip_t *chip, const hs_place_t *place,
                                                const hs_plain_t plain)
{
    switch (plain) {
    case HS_PLAIN_IDF_16:
        hs_chip_release_16(chip, place);
        break;
    case HS_PLAIN_IDF_32:
        hs_chip_release_32(chip, place);
        break;
    default:
        hs_chip_release(chip, place);
        break;
    }
}

#endif
