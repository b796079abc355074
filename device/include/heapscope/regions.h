/*
 * Regions: all memory of a chip behind one malloc that is told what the memory must be capable of.
 * One heap on each region, of the form that its size and capabilities allow; fall-back from one to
 * the next in a fixed order. Bounded by the number of regions, never by that of the blocks, unless
 * a function says so. Takes the caller's lock around each call (hs_regions_config_t).
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

#define HS_PRIORITIES 3u

/* A region as it is given. A request goes to the regions that have all its capabilities: first to
 * those that have one of them at priority 0, in the order of the table, then 1, then 2. */
typedef struct hs_region {
    const char *name; /* must outlive the set */
    void *start;
    size_t size;                  /* bytes */
    uint32_t caps[HS_PRIORITIES]; /* a capability counts at the first priority that has it */
    uint8_t kind;                 /* for owners.h, below HS_KINDS_MAX */
    bool startup_stack;           /* in use until hs_regions_enable_startup_stacks() */
    bool bare;                    /* guard level 0 and no owners here, whatever the set has */
    void *alias; /* the same bytes as the instruction bus sees them, words in reverse order if
                  * `alias_reversed`; NULL: none. Requests with HS_CAP_EXEC get these addresses */
    bool alias_reversed;
} hs_region_t;

/* A request of at least `from` and at most `to` bytes (0: no bound) whose capabilities include
 * `asked` is tried with `instead` first. */
typedef struct hs_size_rule {
    uint32_t asked;
    uint32_t from, to;
    uint32_t instead;
} hs_size_rule_t;

typedef struct hs_regions_config {
    const hs_guard_config_t *guard; /* NULL: none; must outlive the set */
    hs_owners_t *owners;            /* NULL: none */
    void *(*task)(void *context);   /* the running task's handle, for owners; NULL: one owner */
    const hs_size_rule_t *rules;    /* in this order; must outlive the set */
    uint32_t rule_count;
    /* Called for a request that no region could serve, and for capabilities that no region has; not
     * for size 0. Called without the lock. */
    void (*failed)(void *context, size_t size, uint32_t caps);
    void (*lock)(void *context); /* recursive; NULL: none */
    void (*unlock)(void *context);
    void *context;
    uint32_t alignment; /* as hs_heap_config_t */
} hs_regions_config_t;

typedef struct hs_regions hs_regions_t;

/* ---- life ------------------------------------------------------------------------------------- */

/* The control memory lies in the first 8BIT region (in that of `memory`, if not NULL: bytes of
 * hs_regions_control()). NULL: no region is large enough, a table that is contradictory (two
 * regions overlap, more than HS_REGIONS_MAX), or no 8BIT memory for the control data. */
hs_regions_t *hs_regions_create(const hs_region_t *table, uint32_t count,
                                const hs_regions_config_t *config, void *memory,
                                size_t memory_size);
size_t hs_regions_control(uint32_t count); /* bytes for that many regions, heaps apart */

/* From then on the start-up stacks' memory is used. Once. */
hs_status_t hs_regions_enable_startup_stacks(hs_regions_t *set);

/* HS_ERR_ARGUMENT: it overlaps a region. HS_ERR_MEMORY: too small, or HS_REGIONS_MAX reached. */
hs_status_t hs_regions_add(hs_regions_t *set, const hs_region_t *region);

/* ---- blocks ----------------------------------------------------------------------------------- */

void *hs_regions_malloc(hs_regions_t *set, size_t size, uint32_t caps);
void *hs_regions_calloc(hs_regions_t *set, size_t count, size_t size, uint32_t caps);
void *hs_regions_aligned_alloc(hs_regions_t *set, size_t alignment, size_t size, size_t offset,
                               uint32_t caps);
/* In place where the block's region has `caps`; else it moves to one that has. */
void *hs_regions_realloc(hs_regions_t *set, void *block, size_t size, uint32_t caps);
/* Any address that any of these gave, by data or by instruction bus. */
hs_status_t hs_regions_free(hs_regions_t *set, void *block);

/* Each of `caps` in turn. */
void *hs_regions_malloc_prefer(hs_regions_t *set, size_t size, const uint32_t *caps,
                               uint32_t count);
void *hs_regions_calloc_prefer(hs_regions_t *set, size_t n, size_t size, const uint32_t *caps,
                               uint32_t count);
void *hs_regions_realloc_prefer(hs_regions_t *set, void *block, size_t size, const uint32_t *caps,
                                uint32_t count);

size_t hs_regions_usable_size(hs_regions_t *set, const void *block);
size_t hs_regions_full_size(hs_regions_t *set, const void *block);
void *hs_regions_containing_block(hs_regions_t *set, const void *address); /* O(n) */

/* ---- questions; over the regions that have all of `caps` --------------------------------------- */

size_t hs_regions_total(hs_regions_t *set, uint32_t caps);
size_t hs_regions_free_size(hs_regions_t *set, uint32_t caps);
/* The sum of the regions' low-water marks: a bound, as they need not be of one moment. */
size_t hs_regions_minimum_free(hs_regions_t *set, uint32_t caps);
bool hs_regions_fits(hs_regions_t *set, size_t size, size_t alignment, uint32_t caps);
size_t hs_regions_largest_allocatable(hs_regions_t *set, uint32_t caps);
void hs_regions_info(hs_regions_t *set, uint32_t caps, hs_heap_info_t *info); /* O(n) */

/* The low-water marks since `start`; `stop` restores those of all time. HS_ERR_ARGUMENT: stop without
 * start. A second start is no error and changes nothing. */
hs_status_t hs_regions_monitor_start(hs_regions_t *set);
hs_status_t hs_regions_monitor_stop(hs_regions_t *set);

/* One region, by index in the order of the table, those that were added at run time at the end;
 * NULL: none of that index. `heap` may be NULL: start-up stack not yet enabled. */
typedef struct hs_region_state {
    const char *name;
    void *start;
    size_t size;
    uint32_t caps; /* of all priorities */
    uint8_t kind;
    hs_guard_t *guard; /* guard->heap NULL: not in use yet */
} hs_region_state_t;
bool hs_regions_state(hs_regions_t *set, uint32_t index, hs_region_state_t *state);

/* Every block of the regions that have `caps`, in the regions' order; false from `visit` goes on with
 * the next region. O(n). */
typedef bool (*hs_regions_visit_t)(void *context, uint32_t region, void *block, size_t size,
                                   bool used, hs_tag_t tag);
void hs_regions_walk(hs_regions_t *set, uint32_t caps, hs_regions_visit_t visit, void *context);

/* HS_ERR_CORRUPT: a region failed; its faults were reported. O(n). */
hs_status_t hs_regions_check(hs_regions_t *set, uint32_t caps);

#ifdef __cplusplus
}
#endif

#endif
