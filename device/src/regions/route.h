/*
 * Which region serves a request. malloc, fits and largest go the same ways, so that they agree.
 */
#ifndef HEAPSCOPE_REGIONS_ROUTE_H
#define HEAPSCOPE_REGIONS_ROUTE_H

#include "place.h"

typedef struct hs_request {
    size_t size;
    size_t alignment; /* 1: the heap's own */
    size_t offset;
    uint32_t caps;
    bool clear;
} hs_request_t;

/* No heap has larger blocks; with this bound no rounding overflows. */
#define HS_REQUEST_MAX ((size_t)HS_WIDE_MAX)

/* False for a size that no region could serve. */
static inline bool hs_is_possible(const hs_request_t *request)
{
    return request->size - 1 < HS_REQUEST_MAX;
}

/* False for an alignment that no region could give. */
static inline bool hs_is_alignment(const hs_request_t *request)
{
    const size_t alignment = request->alignment;
    return alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= HS_ALIGNMENT_MAX &&
           request->offset <= request->size;
}

/* The capabilities with which the rules say that it is tried for the `index`th time, the last being
 * its own. false: there are no more. Rules that do not apply are left out, hence *index. */
bool hs_route_try(const hs_regions_t *set, const hs_request_t *request, uint32_t *index,
                  uint32_t *caps);

/* Takes the lock of each region that is asked. From a region that has all of request->caps, in their order; its address for the user and, if `place`
 * is not NULL, where it is. Rules apart. */
void *hs_route_take(hs_regions_t *set, const hs_request_t *request, hs_place_t *place);
bool hs_route_fits(hs_regions_t *set, const hs_request_t *request);
size_t hs_route_largest(hs_regions_t *set, uint32_t caps);

/* The same for the set itself: a block of no owner. */
void *hs_route_take_unowned(hs_regions_t *set, const hs_request_t *request);

/* The end of the region's heap from which blocks of a request with these capabilities come: chosen
 * before the heap is asked, and given up after it. With the region's lock held. */
static inline void hs_route_turn(const hs_area_t *area, uint32_t caps, bool begins)
{
#if HS_ENDS
#if HS_GUARD
    const bool fills = area->guard.config->level >= HS_GUARD_FILL;
#else
    const bool fills = false;
#endif
    if ((caps & HS_CAP_HIGH) != 0 && !fills) {
        hs_heap_set_end(area->guard.heap, begins);
    }
#else
    (void)area;
    (void)caps;
    (void)begins;
#endif
}

/* The capabilities that a rule asks for in place of `requested`. */
static inline uint32_t hs_route_by(const hs_size_rule_t *rule, uint32_t requested)
{
    return (requested & ~rule->asked) | rule->instead;
}

/* The owner row of the running task; 0: no owners. Takes the owners' lock. The row stays the task's as
 * long as it runs: only the end of a task gives its row up. */
uint32_t hs_route_owner(const hs_regions_t *set);
hs_tag_t hs_route_tag(const hs_regions_t *set, const hs_area_t *area, uint32_t owner);

#endif
