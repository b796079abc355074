/*
 * The regions of a layout, each with its heap, and what a request does to them (chip/route.h says in
 * which order they are asked). Regions with our own heap follow device/src/regions where that differs.
 */
#ifndef HEAPSCOPE_NATIVE_CHIP_H
#define HEAPSCOPE_NATIVE_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "../../device/src/regions/hardware.h"
#include "bits.h"
#include "heapscope/assert.h"
#include "heapscope/regions.h"
#include "model.h"
#include "rows/replay.h"

typedef struct hs_chip_region {
    hs_sim_t *heap; /* NULL: too small for one */
    uint32_t start;
    uint32_t size;
    uint32_t caps[3];
    uint32_t kind;
    bool iram_alias;
    uint32_t startup;  /* usable bytes of start-up blocks and of private heaps taken from it */
    bool private_heap; /* no request finds it by capabilities: caps are 0 */
    uint32_t serves;   /* capabilities that a rule may place here */
    bool own;          /* our own heap, in a set of regions as device/src/regions makes it */
    bool words;        /* the same, of whole words: no byte of it may be touched */
    uint32_t lists; /* raw bytes of its blocks that task tracking has for itself (task_lists.h) */
    uint32_t list_blocks; /* and how many these are */
} hs_chip_region_t;

/* The capabilities that malloc(n) asks for: n <= threshold small, above it large, then fallback
 * (0: none). */
typedef struct hs_malloc_rule {
    uint32_t threshold;
    uint32_t small;
    uint32_t large;
    uint32_t fallback;
} hs_malloc_rule_t;

/* The order in which one capability set is tried. A region may come several times, once for each
 * priority at which it shares a bit. */
typedef struct hs_route {
    uint32_t caps;
    uint32_t mask; /* regions in it */
    uint8_t count;
    uint8_t tries[3 * HS_LAB_REGIONS_MAX];
} hs_route_t;

#define HS_ROUTES_KEPT 16u

typedef struct hs_task_lists hs_task_lists_t;

typedef struct hs_chip {
    hs_chip_region_t region[HS_LAB_REGIONS_MAX]; /* in list order */
    uint32_t count;
    uint32_t request_max; /* 0: none */
    hs_malloc_rule_t malloc_rule;
    hs_hardware_t hardware;
    hs_route_t plain; /* of malloc's small capabilities; a copy that is never displaced */
    /* malloc of 1 to this many bytes asks the heap of plain's first region for just that; 0: malloc
     * is not so simple here, or blocks are listed. */
    uint32_t plain_limit;
    uint32_t plain_mask; /* all regions that it might then ask, fallback included */
    hs_sim_t *plain_heap;
    hs_route_t routes[HS_ROUTES_KEPT]; /* those used lately */
    uint32_t route_count;
    uint32_t route_next;
    uint32_t route_last;                   /* asked for last */
    uint64_t refusals[HS_LAB_REGIONS_MAX]; /* tries that the region's heap could not serve */
    hs_task_lists_t *lists;                /* NULL: nobody lists blocks */
} hs_chip_t;

/* A request as the program makes it; caps 0 follows the malloc rule. align 0: none. */
typedef struct hs_request {
    uint32_t size;
    uint32_t align;
    uint32_t caps;
    bool zeroed;
} hs_request_t;

typedef struct hs_place {
    uint32_t region;
    uint32_t offset; /* payload, from the region's start */
    uint32_t held;   /* bytes of the raw block: requested, rounding and poisoning */
    bool exec;       /* 4 bytes more were taken for the instruction-side alias */
    bool aligned;    /* from aligned allocation: some allocators free it in another way */
    uint8_t rule;    /* that placed it; only kept where there are rules (placement.h) */
} hs_place_t;

void hs_chip_free(hs_chip_t *chip);
/* The route of one capability set; valid until HS_ROUTES_KEPT others were asked for. */
const hs_route_t *hs_chip_route(hs_chip_t *chip, uint32_t caps);
/* Regions that could serve the set at all, by bit; caps 0: by the malloc rule, fallback included. */
uint32_t hs_chip_mask(hs_chip_t *chip, uint32_t caps);

/* Regions that a request of `size` bytes would ask: malloc's rule decides by size, and the hardware's
 * about capabilities. */
uint32_t hs_chip_mask_for(hs_chip_t *chip, uint32_t caps, uint32_t size);
/* A largest size, as far as the layout lets requests of that size through at all. */
static inline uint32_t hs_chip_allowed(const hs_chip_t *chip, uint32_t largest)
{
    return chip->request_max != 0 && largest > chip->request_max ? chip->request_max : largest;
}

/* Once regions, rule and heaps are set, and again whenever the rule changes. */
void hs_chip_plan(hs_chip_t *chip);

/* hs_chip_allocate for a request that is not plain; and of a plain one, whose first try failed. */
bool hs_chip_allocate_requested(hs_chip_t *chip, const hs_request_t *request, hs_place_t *place);
bool hs_chip_allocate_further(hs_chip_t *chip, const hs_request_t *request, hs_place_t *place);

/* Nearly all requests are plain, so these do without what they do not need. */
static HS_INLINE_FOR_CALLER bool hs_chip_allocate(hs_chip_t *chip, const hs_request_t *request,
                                                  hs_place_t *place)
{
    if (request->caps != 0 || request->align != 0 || request->size - 1 >= chip->plain_limit) {
        const hs_request_t requested = *request; /* only a copy is ever in memory */
        return hs_chip_allocate_requested(chip, &requested, place);
    }
    hs_sim_t *heap = chip->plain_heap;
    const uint32_t used = heap->tally.used;
    const uint32_t offset = hs_sim_malloc(heap, request->size);
    if (offset == HS_NONE) {
        const hs_request_t requested = *request;
        return hs_chip_allocate_further(chip, &requested, place);
    }
    heap->steps.copied += request->zeroed ? request->size : 0;
    place->region = chip->plain.tries[0];
    place->offset = offset;
    place->held = heap->tally.used - used;
    place->exec = false;
    place->aligned = false;
    return true;
}
/* heap_caps_realloc: in the block's own heap if its capabilities allow, else moved. `place` holds
 * the block and is changed on success. false: the block is as it was. */
bool hs_chip_reallocate(hs_chip_t *chip, const hs_request_t *request, hs_place_t *place);
/* May a rule place a request with these capabilities in the region? Those of malloc may go anywhere. */
bool hs_region_serves(const hs_chip_region_t *region, uint32_t caps);
/* One try in one heap, whatever its capabilities; what cannot be had counts as refused there. */
bool hs_chip_allocate_in(hs_chip_t *chip, uint32_t index, const hs_request_t *request,
                         hs_place_t *place);
/* realloc without a move to another heap; `requested`: only if the heap has the capabilities. */
bool hs_chip_resize(hs_chip_t *chip, const hs_request_t *request, bool requested,
                    hs_place_t *place);
/* From which end of a free block the heaps that have two take the next blocks (hs_model.set_end). */
void hs_chip_set_end(hs_chip_t *chip, bool high);
/* The end of a realloc that moved: the old block at *place is copied and freed. */
void hs_chip_move(hs_chip_t *chip, const hs_request_t *request, const hs_place_t *moved,
                  hs_place_t *place);
void hs_chip_release(hs_chip_t *chip, const hs_place_t *place);

/* A request that fails before any region is asked. */
bool hs_chip_refuse(const hs_chip_t *chip, const hs_request_t *request);
/* Would the request be served now? Pure. */
bool hs_chip_fits(hs_chip_t *chip, const hs_request_t *request);
/* Would hs_chip_allocate_in serve it now? Pure. */
bool hs_chip_fits_in(const hs_chip_t *chip, uint32_t index, const hs_request_t *request);
/* Would region `index` serve it, its capabilities apart? Pure. */
bool hs_region_fits(const hs_chip_region_t *region, const hs_request_t *request);
/* The largest request with these capabilities that the region could serve now. */
uint32_t hs_region_largest_allocatable(const hs_chip_region_t *region, uint32_t caps);

#endif
