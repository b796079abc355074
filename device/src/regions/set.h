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

/*
 * Two words are written while others read them without a lock: the head of the list and the heap of a
 * region. Whoever reads one uses what it points to: through an address that was just read, which every
 * processor keeps in order. Only ThreadSanitizer needs this.
 */
#if defined(__SANITIZE_THREAD__)
#define HS_THREADS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HS_THREADS_WATCHED 1
#endif
#endif
#if defined(HS_THREADS_WATCHED)
#define HS_PUBLISHED(word) __atomic_load_n(&(word), __ATOMIC_ACQUIRE)
#define HS_PUBLISH(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELEASE)
#elif !HS_LOCKS
#define HS_PUBLISHED(word) (word)
#define HS_PUBLISH(word, value) ((word) = (value))
#elif defined(__GNUC__) || defined(__clang__)
#define HS_PUBLISHED(word) (*(__typeof__(word) volatile const *)&(word))
#define HS_PUBLISH(word, value)                                                                    \
    (__atomic_thread_fence(__ATOMIC_RELEASE), *(__typeof__(word) volatile *)&(word) = (value))
#else
#error "HS_PUBLISH: another compiler; define HS_LOCKS as 0 or say how it orders two stores"
#endif

/* ---- the regions in their order ---------------------------------------------------------------- */

static inline bool hs_is_of_table(const hs_regions_t *set, const hs_area_t *area)
{
    return (uintptr_t)area - (uintptr_t)set->area < set->count * sizeof(hs_area_t);
}

static inline hs_area_t *hs_first_area(hs_regions_t *set)
{
    hs_added_t *const added = HS_PUBLISHED(set->added);
    return added != NULL ? &added->area : set->area;
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

/* Those of a request that its memory must have. */
static inline uint32_t hs_caps_of_memory(uint32_t caps)
{
#if HS_ENDS
    return caps & ~HS_CAP_HIGH;
#else
    return caps;
#endif
}

static inline bool hs_has(const hs_area_t *area, uint32_t caps)
{
    const uint32_t wanted = hs_caps_of_memory(caps);
    return (hs_caps_all(area->memory->caps) & wanted) == wanted;
}

static inline bool hs_is_used(const hs_area_t *area)
{
    return HS_PUBLISHED(area->guard.heap) != NULL;
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

/* ---- the locks ---------------------------------------------------------------------------------- */

static inline uint32_t hs_index_of_area(const hs_regions_t *set, const hs_area_t *area)
{
    return hs_is_of_table(set, area) ? (uint32_t)(area - set->area)
                                     : ((const hs_added_t *)area)->index;
}

/* `lock`: an index, HS_LOCK_SET or HS_LOCK_OWNERS. */
static inline void hs_lock(const hs_regions_t *set, uint32_t lock)
{
    if (HS_LOCKS && set->config->lock != NULL) {
        set->config->lock(set->config->context, lock);
    }
}

static inline void hs_unlock(const hs_regions_t *set, uint32_t lock)
{
    if (HS_LOCKS && set->config->unlock != NULL) {
        set->config->unlock(set->config->context, lock);
    }
}

static inline void hs_lock_area(const hs_regions_t *set, const hs_area_t *area)
{
    if (HS_LOCKS && set->config->lock != NULL) {
        set->config->lock(set->config->context, hs_index_of_area(set, area));
    }
}

static inline void hs_unlock_area(const hs_regions_t *set, const hs_area_t *area)
{
    if (HS_LOCKS && set->config->unlock != NULL) {
        set->config->unlock(set->config->context, hs_index_of_area(set, area));
    }
}

#endif
