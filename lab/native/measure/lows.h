/*
 * Low-water marks: free bytes and largest allocatable block of every region, memory kind and
 * capability set, exact after each event. Kinds, capability sets and needs that mean the same
 * regions share one set, and a set of one region is that region, so an event costs its region and
 * the distinct sets of several regions that it is in.
 */
#ifndef HEAPSCOPE_NATIVE_LOWS_H
#define HEAPSCOPE_NATIVE_LOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "bits.h"
#include "chip/chip.h"
#include "rows/trace.h"

#define HS_LOWS_UNKNOWN (HS_NONE - 1u) /* no heap has such a large block */
#define HS_LOW_SETS_MAX 48u            /* capability sets, kinds and needs together */

/* Marks of one region, or of several seen as one. */
typedef struct hs_low {
    uint32_t free;
    uint32_t minimum_free;
    uint32_t largest; /* allocatable; before rounding for 32BIT */
    uint32_t minimum_largest;
    uint32_t payload;
    uint32_t peak_payload;
    uint64_t minimum_free_event;
    uint64_t minimum_largest_event;
} hs_low_t;

typedef struct hs_low_region {
    hs_low_t low;
    uint32_t raw_largest; /* low.largest belongs to this `largest` of its heap; never HS_NONE */
    uint32_t payload;     /* as the replay changes it; low.payload follows when the event settles */
    uint32_t least_free, most_free; /* since the timeline's bucket began */
    uint32_t set_count;
    uint8_t sets[HS_LOW_SETS_MAX]; /* the sets of several regions it is in */
    uint64_t allocations;
    uint64_t frees;
} hs_low_region_t;

typedef struct hs_low_set {
    hs_low_t low; /* unused in a set of one region */
    uint32_t mask;
    uint32_t only; /* its region, if it is one; else UINT32_MAX */
    bool exec;     /* largest counts the alias that EXEC requests pay for */
} hs_low_set_t;

typedef struct hs_lows {
    hs_low_region_t region[HS_LAB_REGIONS_MAX];
    hs_low_set_t set[HS_LOW_SETS_MAX];
    uint32_t set_count;
} hs_lows_t;

/* The state before the first event, start-up blocks taken. */
void hs_lows_init(hs_lows_t *lows, const hs_chip_t *chip);
/* The set of these regions, for requests with these capabilities; added if it is new. Before the
 * first event, at most HS_LOW_SETS_MAX times. */
uint32_t hs_lows_set(hs_lows_t *lows, const hs_chip_t *chip, uint32_t mask, uint32_t caps);
/* The marks of a set. */
static inline const hs_low_t *hs_lows_of(const hs_lows_t *lows, uint32_t set)
{
    const uint32_t only = lows->set[set].only;
    return only != UINT32_MAX ? &lows->region[only].low : &lows->set[set].low;
}

/* Settling changed these, besides the figures of the moment. */
enum {
    HS_LOWS_LARGEST = 1, /* the largest allocatable of a region */
    HS_LOWS_LEAST = 2    /* a minimum of free bytes */
};

/* The change that an event made to a region. */
typedef struct hs_low_change {
    uint32_t free;    /* difference, modulo 2^32 */
    uint32_t dip;     /* how far below the final state the event went on its way */
    uint32_t payload; /* difference, modulo 2^32 */
    unsigned what;    /* HS_LOWS_ bits */
} hs_low_change_t;

static HS_INLINE_FOR_CALLER unsigned hs_lows_note_free(hs_low_t *low, uint32_t lowest,
                                                       uint64_t event)
{
    if (lowest >= low->minimum_free) {
        return 0;
    }
    low->minimum_free = lowest;
    low->minimum_free_event = event;
    return HS_LOWS_LEAST;
}

static HS_INLINE_FOR_CALLER void hs_lows_note_payload(hs_low_t *low, uint32_t payload)
{
    low->payload = payload;
    if (payload > low->peak_payload) {
        low->peak_payload = payload;
    }
}

static HS_INLINE_FOR_CALLER unsigned hs_lows_note_largest(hs_low_t *low, uint32_t largest,
                                                          uint64_t event)
{
    if (largest == low->largest) {
        return 0;
    }
    low->largest = largest;
    if (largest < low->minimum_largest) {
        low->minimum_largest = largest;
        low->minimum_largest_event = event;
    }
    return HS_LOWS_LARGEST;
}

/* Most events leave the largest block of their heap as it is. */
static HS_INLINE_FOR_CALLER unsigned hs_lows_settle_largest(hs_low_region_t *region, hs_sim_t *heap,
                                                            uint64_t event)
{
    if (heap->largest == region->raw_largest) {
        return 0;
    }
    const uint32_t largest = hs_sim_largest_allocatable(heap);
    region->raw_largest = heap->largest != HS_NONE ? heap->largest : HS_LOWS_UNKNOWN;
    return hs_lows_note_largest(&region->low, largest, event);
}

/* Takes over the heap's figures, but for the differences that sets of several regions need. */
static HS_INLINE_FOR_CALLER unsigned hs_lows_settle_alone(hs_low_region_t *region, hs_sim_t *heap,
                                                          uint64_t event)
{
    hs_low_t *low = &region->low;
    const uint32_t free = heap->tally.free, lowest = heap->tally.lowest_free;
    if (free < region->least_free) {
        region->least_free = free;
    } else if (free > region->most_free) {
        region->most_free = free;
    }
    low->free = free;
    heap->tally.lowest_free = free;
    hs_lows_note_payload(low, region->payload);
    return hs_lows_note_free(low, lowest, event) | hs_lows_settle_largest(region, heap, event);
}

static HS_INLINE_FOR_CALLER hs_low_change_t hs_lows_settle_region(hs_low_region_t *region,
                                                                  hs_sim_t *heap, uint64_t event)
{
    const hs_low_t *low = &region->low;
    const uint32_t free = heap->tally.free, lowest = heap->tally.lowest_free;
    hs_low_change_t change = {free - low->free, free - lowest, region->payload - low->payload, 0};
    change.what = hs_lows_settle_alone(region, heap, event);
    return change;
}

/* The sets of several regions that a region is in; returns HS_LOWS_ bits, those of the change too. */
unsigned hs_lows_settle_several(hs_lows_t *lows, const hs_chip_t *chip,
                                const hs_low_region_t *region, hs_low_change_t change,
                                uint64_t event);
/* Region `index` changed in the event: brings all marks up to date; returns HS_LOWS_ bits. Takes over
 * and resets its heap's tally.lowest_free. */
static HS_INLINE_FOR_CALLER unsigned hs_lows_settle(hs_lows_t *lows, const hs_chip_t *chip,
                                                    uint32_t index, uint64_t event)
{
    hs_low_region_t *region = &lows->region[index];
    hs_sim_t *heap = chip->region[index].heap;
    if (region->set_count == 0) {
        return hs_lows_settle_alone(region, heap, event);
    }
    const hs_low_change_t change = hs_lows_settle_region(region, heap, event);
    return hs_lows_settle_several(lows, chip, region, change, event);
}
/* The same for several regions, in the order in which the event changed them: a block that moved was in
 * both for a moment. */
unsigned hs_lows_settle_many(hs_lows_t *lows, const hs_chip_t *chip, const uint32_t *regions,
                             uint32_t count, uint64_t event);

#endif
