/*
 * Low-water marks: free bytes and largest allocatable block of every region, memory kind and
 * capability set, exact after each event. Kinds, capability sets and needs that mean the same
 * regions share one set, so that an event costs the distinct sets it touches.
 */
#ifndef HEAPSCOPE_NATIVE_LOWS_H
#define HEAPSCOPE_NATIVE_LOWS_H

#include <stdbool.h>
#include <stdint.h>

#include "lab/lab.h"
#include "replay/regions.h"

#define HS_LOW_SETS_MAX 32u /* capability sets, kinds and needs together */

/* Some regions seen as one. */
typedef struct hs_low_set {
    uint32_t mask;
    bool exec; /* largest counts the alias that EXEC requests pay for */
    uint32_t free;
    uint32_t minimum_free;
    uint32_t payload;
    uint32_t peak_payload;
    uint32_t largest; /* allocatable; before rounding for 32BIT */
    uint32_t minimum_largest;
    uint64_t minimum_free_event;
    uint64_t minimum_largest_event;
} hs_low_set_t;

typedef struct hs_low_region {
    uint32_t free;
    uint32_t minimum_free;
    uint32_t largest;
    uint32_t minimum_largest;
    uint32_t payload;      /* as the replay changes it */
    uint32_t seen_payload; /* as the sets know it */
    uint32_t peak_payload;
    uint32_t sets; /* bit per set that the region belongs to */
    uint64_t minimum_free_event;
    uint64_t minimum_largest_event;
    uint64_t allocations;
    uint64_t frees;
} hs_low_region_t;

typedef struct hs_lows {
    hs_low_region_t region[HS_REGIONS_MAX];
    hs_low_set_t set[HS_LOW_SETS_MAX];
    uint32_t set_count;
} hs_lows_t;

/* The state before the first event, start-up blocks taken. */
void hs_lows_init(hs_lows_t *lows, const hs_regions_t *regions);
/* The set of these regions, for requests with these capabilities; added if it is new. Before the
 * first event, at most HS_LOW_SETS_MAX times. */
uint32_t hs_lows_set(hs_lows_t *lows, const hs_regions_t *regions, uint32_t mask, uint32_t caps);
/* The regions in `touched` changed in the event, in this order: brings all marks up to date. true:
 * the largest allocatable of one changed. Takes over and resets the heaps' tally.lowest_free. */
bool hs_lows_settle(hs_lows_t *lows, const hs_regions_t *regions, const uint32_t *touched,
                    uint32_t count, uint64_t event);

#endif
