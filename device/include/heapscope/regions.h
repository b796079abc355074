/*
 * Regions: all memory of a chip behind one malloc that takes the capabilities that the memory must have.
 * One heap on each region, of the form that its size and capabilities allow; fall-back from one to
 * the next in a fixed order. Bounded by the number of regions, never by that of the blocks, unless
 * a function says so.
 *
 * Each region has a lock of its own (hs_regions_config_t). A call holds the lock of one region at a time
 * and none while contents are copied or cleared, or while `failed` runs. docs/design/regions.md says
 * which call holds which lock, and why none waits for another forever.
 */
#ifndef HEAPSCOPE_REGIONS_H
#define HEAPSCOPE_REGIONS_H

#include "heapscope/guard.h"
#include "heapscope/owners.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Capabilities: the bits are the caller's, but for these, which the code itself looks at. They have
 * the values of ESP-IDF. */
#define HS_CAP_EXEC (1u << 0)
#define HS_CAP_32BIT (1u << 1)
#define HS_CAP_8BIT (1u << 2) /* without it: memory for aligned 32-bit access alone */
#define HS_CAP_DMA (1u << 3)
#define HS_CAP_SPIRAM (1u << 10)
#define HS_CAP_INTERNAL (1u << 11)
#define HS_CAP_DEFAULT (1u << 12)
#define HS_CAP_IRAM_8BIT (1u << 13)
#define HS_CAP_RTCRAM (1u << 15)

#if HS_ENDS
/* A request has it, and no memory: its block comes from the high end of the free block that is found
 * (hs_heap_set_end). A size rule can give it to requests. It has no effect where a guard fills free
 * memory, from HS_GUARD_FILL on. */
#define HS_CAP_HIGH (1u << 30)
#endif

#define HS_PRIORITIES 3u

/* The properties that regions of one sort have in common: constant data, which can stay in flash. A request goes to
 * the regions that have all its capabilities: first to those that have one of them at priority 0,
 * in the set's order, then 1, then 2. */
typedef struct hs_memory {
    const char *name;
    uint32_t caps[HS_PRIORITIES]; /* a capability counts at the first priority that has it */
    uint8_t kind;                 /* for owners.h, below HS_KINDS_MAX */
    bool bare;                    /* no guard and no owners here, whatever the set has */
    /* The same bytes as the instruction bus sees them; requests with HS_CAP_EXEC get these addresses.
     * An address of the region and its alias differ by `alias`; or, where the words come in reverse
     * order, add up to it (ESP32: 0x8009FFFC). 0: none. */
    bool alias_reversed;
    uintptr_t alias;
} hs_memory_t;

/* A region as it is given. Copied; what `memory` points to is not, unless a function says so. */
typedef struct hs_region {
    const hs_memory_t *memory;
    void *start;
    size_t size;        /* bytes */
    bool startup_stack; /* in use until hs_regions_enable_startup_stacks() */
    bool late;          /* of an added one: hs_regions_minimum_free() leaves it out */
} hs_region_t;

/* A request of at least `from` and at most `to` bytes (0: no bound) whose capabilities include all of
 * `asked` is tried first with `instead` in their place. */
typedef struct hs_size_rule {
    uint32_t asked;
    uint32_t from, to;
    uint32_t instead;
} hs_size_rule_t;

/* All that it points to must outlive the set, and so must it itself: constant data, too. */
typedef struct hs_regions_config {
    const hs_guard_config_t *guard; /* NULL: none */
    hs_owners_t *owners;            /* NULL: none. `guard`, if any, must then have `owners` set */
    void *(*task)(void *context); /* the running task's handle, for owners; NULL: one owner. Called
                                     * with HS_LOCK_OWNERS held */
    const void *(*site)(void *context); /* who allocates, for a guard with `sites`; NULL: unknown */
    const hs_size_rule_t *rules;        /* in this order */
    uint32_t rule_count;
    /* Called for a request that no region could serve, and for capabilities that no region has; not
     * for size 0. `size` is SIZE_MAX where a product overflowed. Called without the lock. */
    void (*failed)(void *context, size_t size, uint32_t caps);
    /* NULL: none. `lock` is the index of a region, HS_LOCK_SET or HS_LOCK_OWNERS, below HS_LOCK_COUNT.
     * All may be one lock. Each is recursive. With HS_LOCK_SET held a region's is taken, never the other
     * way round; no other two are held together. */
    void (*lock)(void *context, uint32_t lock);
    void (*unlock)(void *context, uint32_t lock);
    void *context;
    uint32_t alignment; /* as hs_heap_config_t */
} hs_regions_config_t;

typedef struct hs_regions hs_regions_t;

/* ---- life ------------------------------------------------------------------------------------- */

/* The control data take hs_regions_control() bytes: of `memory`, or, where that is NULL, at the start
 * of the first region with HS_CAP_8BIT that has room and is not a start-up stack. A region that is too
 * small for a heap is left unused. NULL: `count` is 0 or more than HS_REGIONS_MAX, two regions of the
 * table overlap or one wraps round, a kind is HS_KINDS_MAX or more, a value of `config` is not
 * documented, one of `lock` and `unlock` is NULL and the other is not, there are locks and HS_LOCKS is 0,
 * or there is no room for the control data. `config` NULL: all zero. */
hs_regions_t *hs_regions_create(const hs_region_t *table, uint32_t count,
                                const hs_regions_config_t *config, void *memory,
                                size_t memory_size);
size_t hs_regions_control(uint32_t count); /* bytes for that many regions, heaps apart */

/* From then on the start-up stacks' memory is used. HS_ERR_ARGUMENT: for the second time. */
hs_status_t hs_regions_enable_startup_stacks(hs_regions_t *set);

/* From then on the region is tried before all others of its priority. The target of `memory` is copied,
 * except for the name. The region may lie inside a used block of another one, which must then not be
 * freed. HS_ERR_ARGUMENT: it overlaps a region in any other way, or a field is out of its range.
 * HS_ERR_MEMORY: too small, HS_REGIONS_MAX reached, or no 8BIT memory for its control data. O(n)
 * where it lies inside a region. */
hs_status_t hs_regions_add(hs_regions_t *set, const hs_region_t *region);

/* May there be a region from `start` to `end` beside the one from `other_start` to `other_end`? It may
 * touch that one or lie inside it, but not be equal to it. */
bool hs_regions_may_add(uintptr_t other_start, uintptr_t other_end, uintptr_t start, uintptr_t end);

/* ---- blocks ----------------------------------------------------------------------------------- */

/* NULL: size 0, no capability asked for, no region with all of them, or none with room. In a region
 * without HS_CAP_8BIT, and for HS_CAP_32BIT, sizes are rounded up to whole words. */
void *hs_regions_malloc(hs_regions_t *set, size_t size, uint32_t caps);
void *hs_regions_calloc(hs_regions_t *set, size_t count, size_t size, uint32_t caps);
/* The contract of hs_heap_aligned_alloc(); `failed` is not called for an impossible alignment. */
void *hs_regions_aligned_alloc(hs_regions_t *set, size_t alignment, size_t size, size_t offset,
                               uint32_t caps);
void *hs_regions_aligned_calloc(hs_regions_t *set, size_t alignment, size_t count, size_t size,
                                uint32_t caps);
/* Resizes in place where the block's region has `caps` and room; else moves the block to a region that
 * has both. NULL: the block is untouched (size 0: freed). */
void *hs_regions_realloc(hs_regions_t *set, void *block, size_t size, uint32_t caps);
/* Any address that any of these gave, by data or by instruction bus. HS_ERR_ARGUMENT and
 * HS_ERR_CORRUPT as hs_heap_free(). NULL is fine. */
hs_status_t hs_regions_free(hs_regions_t *set, void *block);

/* Tries each of `caps` in turn; `failed` is called with the last. */
void *hs_regions_malloc_prefer(hs_regions_t *set, size_t size, const uint32_t *caps,
                               uint32_t count);
void *hs_regions_calloc_prefer(hs_regions_t *set, size_t n, size_t size, const uint32_t *caps,
                               uint32_t count);
void *hs_regions_realloc_prefer(hs_regions_t *set, void *block, size_t size, const uint32_t *caps,
                                uint32_t count);

/* 0 or NULL: no used block. An address within a block may be of either bus, the block is the data's. */
size_t hs_regions_usable_size(hs_regions_t *set, const void *block);
size_t hs_regions_full_size(hs_regions_t *set, const void *block);
void *hs_regions_containing_block(hs_regions_t *set, const void *address); /* O(n) */

/* ---- questions; over the regions in use that have all of `caps`; 0: over all ------------------- */

/* A sum is of regions that were asked one after the other: where another core allocates meanwhile, each
 * part was true at its moment, the sum need not be of one moment. */

size_t hs_regions_total(hs_regions_t *set, uint32_t caps); /* their sizes as given */
size_t hs_regions_free_size(hs_regions_t *set, uint32_t caps);
/* The sum of the regions' low-water marks: a bound, as they need not be of one moment. Without those
 * that were added `late`, which had nothing when the others' marks began. */
size_t hs_regions_minimum_free(hs_regions_t *set, uint32_t caps);
/* Would the allocation succeed now? Rules, guard and rounding included. */
bool hs_regions_fits(hs_regions_t *set, size_t size, size_t alignment, uint32_t caps);
/* The largest size that malloc would serve now. */
size_t hs_regions_largest_allocatable(hs_regions_t *set, uint32_t caps);
void hs_regions_info(hs_regions_t *set, uint32_t caps, hs_heap_info_t *info); /* O(n) */

/* The low-water marks since `start`; `stop` restores those of all time. HS_ERR_ARGUMENT: stop without
 * start. A second start gives HS_OK and changes nothing. */
hs_status_t hs_regions_monitor_start(hs_regions_t *set);
hs_status_t hs_regions_monitor_stop(hs_regions_t *set);

/* One region, by index in the order of the table, those that were added at run time at the end;
 * false: none of that index. */
typedef struct hs_region_state {
    const char *name;
    void *start;
    size_t size;
    uint32_t caps; /* of all priorities */
    uint8_t kind;
    uint32_t index;
    bool in_use;       /* false: a start-up stack yet, or too small for a heap */
    hs_guard_t *guard; /* to be used where `in_use` is true, under the lock */
} hs_region_state_t;
bool hs_regions_state(hs_regions_t *set, uint32_t index, hs_region_state_t *state); /* no lock */

/* For those who call functions of `guard` themselves: the lock of that region, to be held meanwhile. */
void hs_regions_lock(hs_regions_t *set, uint32_t index);
void hs_regions_unlock(hs_regions_t *set, uint32_t index);

/* Every block of the regions that have `caps`, in the order in which they are tried; false from
 * `visit` goes on with the next region. `visit` runs with the region's lock held and may ask about this
 * region only. O(n). */
typedef bool (*hs_regions_visit_t)(void *context, uint32_t region, void *block, size_t size,
                                   bool used, hs_tag_t tag);
void hs_regions_walk(hs_regions_t *set, uint32_t caps, hs_regions_visit_t visit, void *context);

/* HS_ERR_CORRUPT: a region failed; its faults were reported. O(n). */
hs_status_t hs_regions_check(hs_regions_t *set, uint32_t caps);

#ifdef __cplusplus
}
#endif

#endif
