/*
 * A set of regions in memory: a head, then a record for each region of the table; records of added
 * regions lie in blocks of the set's own, in a list, the newest first. In this order regions are
 * tried, and looked up by address, so that one inside another is found before it.
 */
#ifndef HEAPSCOPE_REGIONS_SET_H
#define HEAPSCOPE_REGIONS_SET_H

#include "caps.h"
#include "heapscope/assert.h"

typedef uint32_t
#if defined(__GNUC__) || defined(__clang__)
    __attribute__((may_alias))
#endif
    hs_payload_t; /* payloads are of any type */

typedef struct hs_area {
    const hs_memory_t *memory;
    uintptr_t start;
    size_t size;
    hs_guard_t guard; /* heap NULL: not in use */
    size_t low;       /* while the set is monitored, the low-water mark of before; bytes */
} hs_area_t;

#define HS_WAITING SIZE_MAX /* as `low`: a start-up stack, until all of them are used */

typedef struct hs_added {
    hs_area_t area;
    struct hs_added *older;
    uint8_t index;
    bool late;
    hs_memory_t memory;
} hs_added_t;

struct hs_regions {
    const hs_regions_config_t *config;
    hs_added_t *added;
    uint8_t count; /* of the table */
    uint8_t total;
    bool started; /* start-up stacks are in use */
    bool monitored;
    hs_area_t area[];
};

/* ---- the regions in their order ---------------------------------------------------------------- */

static inline bool hs_is_of_table(const hs_regions_t *set, const hs_area_t *area)
{
    return (uintptr_t)area - (uintptr_t)set->area < set->count * sizeof(hs_area_t);
}

static inline hs_area_t *hs_first_area(hs_regions_t *set)
{
    return set->added != NULL ? &set->added->area : set->area;
}

static inline hs_area_t *hs_next_area(hs_regions_t *set, hs_area_t *area)
{
    if (hs_is_of_table(set, area)) {
        return area + 1 < set->area + set->count ? area + 1 : NULL;
    }
    hs_added_t *const older = ((hs_added_t *)area)->older;
    return older != NULL ? &older->area : set->area;
}

/* ---- a region ----------------------------------------------------------------------------------- */

static inline bool hs_has(const hs_area_t *area, uint32_t caps)
{
    return (hs_caps_all(area->memory->caps) & caps) == caps;
}

static inline bool hs_is_used(const hs_area_t *area)
{
    return area->guard.heap != NULL;
}

/* No part of a word may be read or written there. */
static inline bool hs_is_words(const hs_area_t *area)
{
    return !hs_has(area, HS_CAP_8BIT);
}

static inline size_t hs_words_up(size_t bytes)
{
    return (bytes + 3) & ~(size_t)3;
}

/* ---- the lock ----------------------------------------------------------------------------------- */

static inline void hs_lock(const hs_regions_t *set)
{
    if (set->config->lock != NULL) {
        set->config->lock(set->config->context);
    }
}

static inline void hs_unlock(const hs_regions_t *set)
{
    if (set->config->unlock != NULL) {
        set->config->unlock(set->config->context);
    }
}

#endif
