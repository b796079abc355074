/*
 * Which capabilities lead a request to a region. The set of regions and the lab's replay of it both
 * ask these functions, so that they agree. All are pure.
 */
#ifndef HEAPSCOPE_REGIONS_CAPS_H
#define HEAPSCOPE_REGIONS_CAPS_H

#include "heapscope/regions.h"

/* Executable memory can be accessed by 32-bit words only, so EXEC implies 32BIT. */
static inline uint32_t hs_caps_requested(uint32_t caps)
{
    return caps | ((caps & HS_CAP_EXEC) != 0 ? HS_CAP_32BIT : 0);
}

/* Code is fetched by words, and its addresses serve neither bytes nor DMA. */
static inline bool hs_caps_contradict(uint32_t caps)
{
    return (caps & HS_CAP_EXEC) != 0 && (caps & (HS_CAP_8BIT | HS_CAP_DMA)) != 0;
}

/* The capabilities of a region, over its priorities. */
static inline uint32_t hs_caps_all(const uint32_t has[HS_PRIORITIES])
{
    return has[0] | has[1] | has[2];
}

/* A region is asked at a priority where it shares a capability with the request, if it has all others
 * at some priority. `requested`: of hs_caps_requested. */
static inline bool hs_caps_lead_to(const uint32_t has[HS_PRIORITIES], uint32_t requested,
                                   uint32_t priority)
{
    return (has[priority] & requested) != 0 && (hs_caps_all(has) & requested) == requested;
}

#endif
