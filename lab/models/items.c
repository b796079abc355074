/*
 * Heaps of items that know both neighbours, searched from the lowest free one, first fit: lwIP's mem.c and
 * RT-Thread's small memory, which was made of it.
 * Source: lwIP 2.2.1 (77dcd25a) src/core/mem.c; RT-Thread 4.1.1 nano (44d75c74) src/mem.c, in 32-bit builds.
 *
 *     lwIP         +0 next, previous (words, or half words to 64,000 bytes), +8 or +4 used
 *     RT-Thread    +0 the pool's address, bit 0: used, +4 next, +8 previous
 *
 * Both are offsets from the first item. lwIP's last item lies behind the pool; RT-Thread's object lies in
 * front of its first item, and its last one at the region's end. heap->index->by_place has the free items.
 * There is no aligned allocation.
 */
#include "list.h"
#include "region.h"
#include "region_half.h"
#include "runs.h"
#include "seen.h"

#define SMALLEST UINT32_C(12) /* payload, before it is rounded */

typedef struct items_build {
    uint32_t alignment;
    uint32_t header;
    uint32_t object; /* bytes in front of the first item */
    uint32_t limit;  /* bytes of the largest pool; 0: none */
    bool halves;     /* of a word for each field */
    bool is_rt;      /* RT-Thread's */
} items_build_t;

/* Positions of items are offsets from the region's start; sizes include the header. */
typedef struct items {
    hs_sim_t heap;
    uint32_t first;
    uint32_t last; /* the item at the end */
    hs_runs_t runs;
} items_t;

static items_t *items_of(hs_sim_t *heap)
{
    return (items_t *)heap;
}

static const items_t *items_of_const(const hs_sim_t *heap)
{
    return (const items_t *)heap;
}

static const items_build_t *build_of(const hs_sim_t *heap)
{
    return heap->model->build;
}

/* ---- items ------------------------------------------------------------------------------------ */

typedef enum field { NEXT, PREVIOUS, USED } field_t;

static uint32_t place_of(const hs_sim_t *heap, uint32_t item, field_t field)
{
    if (build_of(heap)->is_rt) {
        return item + (field == USED ? 0 : field == NEXT ? 4 : 8);
    }
    return item + (uint32_t)field * (build_of(heap)->halves ? 2 : 4);
}

static uint32_t get(const hs_sim_t *heap, uint32_t item, field_t field)
{
    const uint32_t at = place_of(heap, item, field);
    if (field == USED && !build_of(heap)->is_rt) {
        return heap->mem[at];
    }
    if (field == USED) {
        return hs_region_get(heap, at) & 1;
    }
    return items_of_const(heap)->first +
           (build_of(heap)->halves ? hs_region_get_half(heap, at) : hs_region_get(heap, at));
}

static void set(hs_sim_t *heap, uint32_t item, field_t field, uint32_t value)
{
    const uint32_t at = place_of(heap, item, field);
    const uint32_t offset = value - items_of(heap)->first;
    heap->steps.writes++;
    if (item > heap->size - build_of(heap)->header) {
        return; /* lwIP's last item lies behind the region */
    }
    if (field == USED && !build_of(heap)->is_rt) {
        heap->mem[at] = (uint8_t)value;
    } else if (field == USED) {
        const uint32_t round = build_of(heap)->alignment - 1;
        hs_region_put(heap, at, ((heap->base + round) & ~round) | value); /* the object's address */
    } else if (build_of(heap)->halves) {
        hs_region_put_half(heap, at, offset);
    } else {
        hs_region_put(heap, at, offset);
    }
}

static void put_item(hs_sim_t *heap, uint32_t item, uint32_t end, uint32_t previous, uint32_t used)
{
    set(heap, item, NEXT, end);
    set(heap, item, PREVIOUS, previous);
    set(heap, item, USED, used);
    set(heap, end, PREVIOUS, item);
}

static uint32_t smallest(const hs_sim_t *heap)
{
    const uint32_t round = build_of(heap)->alignment - 1;
    return (SMALLEST + round) & ~round;
}

/* Bytes between the first item's header and the last item. */
static uint32_t whole_of(const items_t *items)
{
    return items->last - items->first - build_of(&items->heap)->header;
}

/* The largest payload that a request may have: lwIP counts to where its last item begins. */
static uint32_t limit_of(const items_t *items)
{
    return whole_of(items) + (build_of(&items->heap)->is_rt ? 0 : build_of(&items->heap)->header);
}

/* Payload of a request, 0: refused. */
static uint32_t rounded(const hs_sim_t *heap, uint32_t size)
{
    const uint32_t round = build_of(heap)->alignment - 1;
    const uint32_t wanted = (size + round) & ~round;
    if (size == 0 || wanted < size || wanted > limit_of(items_of_const(heap))) {
        return 0;
    }
    return wanted < smallest(heap) ? smallest(heap) : wanted;
}

/* A free item may begin up to there: one that is too near to the end is not looked at. */
static bool is_reached(const items_t *items, uint32_t item, uint32_t wanted)
{
    const bool is_rt = build_of(&items->heap)->is_rt;
    const uint32_t bound = limit_of(items) - wanted;
    return is_rt ? item - items->first <= bound : item - items->first < bound;
}

/* The number of the item for a request, or the count. Bound: visits each free item once. */
static uint32_t find(const items_t *items, uint32_t wanted)
{
    const hs_sim_t *heap = &items->heap;
    const uint32_t count = runs_of(heap)->count;
    const uint32_t size = wanted + build_of(heap)->header;
    const uint32_t at = hs_order_fit(runs_of(heap), 0, size, items->runs.largest.size);
    return at < count && is_reached(items, run_start(heap, at), wanted) ? at : count;
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* An item from `item` to `end` keeps `size` bytes; the rest, if it can be an item, is free. Returns the end
 * of what it keeps. */
static uint32_t split(items_t *items, uint32_t item, uint32_t end, uint32_t size)
{
    hs_sim_t *heap = &items->heap;
    const uint32_t header = build_of(heap)->header;
    if (end - item - size < header + smallest(heap)) {
        return end;
    }
    put_item(heap, item + size, end, item, 0);
    set(heap, item, NEXT, item + size);
    return item + size;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    items_t *items = items_of(heap);
    const uint32_t wanted = rounded(heap, size);
    const uint32_t at = wanted == 0 ? runs_of(heap)->count : find(items, wanted);
    if (at == runs_of(heap)->count) {
        return HS_NONE;
    }
    const uint32_t header = build_of(heap)->header;
    const uint32_t item = run_start(heap, at);
    const uint32_t kept = split(items, item, run_end(heap, at), wanted + header);
    heap->steps.nodes += at + UINT64_C(1);
    runs_use(heap, &items->runs, item, kept);
    set(heap, item, USED, 1);
    heap->tally.used += kept - item - header;
    heap->tally.used_blocks++;
    return item + header;
}

/* An item becomes free, and one with its free neighbours. */
static void release(items_t *items, uint32_t item)
{
    hs_sim_t *heap = &items->heap;
    uint32_t previous = get(heap, item, PREVIOUS);
    runs_free(heap, &items->runs, item, get(heap, item, NEXT));
    const uint32_t run = run_from(heap, item + 1) - 1;
    if (run_start(heap, run) != item) {
        item = run_start(heap, run);
        previous = get(heap, item, PREVIOUS);
    }
    put_item(heap, item, run_end(heap, run), previous, 0);
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return get(heap, offset - build_of(heap)->header, NEXT) - offset;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    heap->tally.used -= model_usable(heap, offset);
    heap->tally.used_blocks--;
    release(items_of(heap), offset - build_of(heap)->header);
}

/* In place only where enough for an item can be cut off, or nothing changes. */
static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    items_t *items = items_of(heap);
    const uint32_t header = build_of(heap)->header;
    const uint32_t round = build_of(heap)->alignment - 1;
    const uint32_t wanted = (size + round) & ~round;
    const uint32_t old = model_usable(heap, offset);
    if (wanted < size || wanted > limit_of(items)) {
        return HS_NONE;
    }
    if (wanted == old) {
        return offset;
    }
    if (wanted < old && old - wanted > header + SMALLEST) {
        const uint32_t end = offset + old;
        const uint32_t kept = split(items, offset - header, end, wanted + header);
        heap->tally.used -= end - kept;
        release(items, kept);
        return offset;
    }
    const uint32_t moved = model_malloc(heap, size);
    if (moved != HS_NONE) {
        hs_region_note_low(heap);
        heap->steps.copied += old < size ? old : size;
        model_free(heap, offset);
    }
    return moved;
}

/* ---- questions -------------------------------------------------------------------------------- */

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = rounded(heap, size);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return wanted != 0 && find(items_of_const(heap), wanted) != runs_of(heap)->count;
}

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    return runs_largest_free(heap, &items_of_const(heap)->runs);
}

/* The first item of the largest size, which is served up to where it lies too near to the end. */
static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    items_t *items = items_of(heap);
    const uint32_t header = build_of(heap)->header;
    const uint32_t align = build_of(heap)->alignment;
    items->runs.largest = runs_largest(heap, &items->runs);
    uint32_t size = items->runs.largest.size;
    while (size >= header + smallest(heap) && find(items, size - header) == runs_of(heap)->count) {
        size -= align;
    }
    return size < header + smallest(heap) ? 0 : size - header;
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const items_t *items = items_of_const(heap);
    out->allocated = heap->tally.used + heap->tally.used_blocks * build_of(heap)->header;
    out->free = limit_of(items) - out->allocated;
    out->minimum_free = heap->tally.minimum_free;
    out->largest_free = model_largest_free(heap);
}

/* ---- walk and check --------------------------------------------------------------------------- */

/* The item at `at`; false: damaged. */
static bool block_at(const items_t *items, uint32_t at, hs_tally_t *seen, hs_walk_block_t *block)
{
    const hs_sim_t *heap = &items->heap;
    const uint32_t header = build_of(heap)->header;
    const uint32_t run = seen->free_blocks;
    const bool is_free = run < runs_of(heap)->count && run_start(heap, run) == at;
    const uint32_t end = get(heap, at, NEXT);
    if (end < at + header || end > items->last || end % 4 != items->first % 4 ||
        get(heap, at, USED) != !is_free || (is_free && end != run_end(heap, run))) {
        return false;
    }
    *block = (hs_walk_block_t){at + header, end - at - header, !is_free};
    hs_seen_add(seen, block->size, block->used);
    return true;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const items_t *items = items_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    for (uint32_t at = items->first; at != items->last; at = block.offset + block.size) {
        if (!block_at(items, at, &seen, &block) || !visit(context, &block)) {
            return;
        }
    }
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    const items_t *items = items_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    uint32_t previous = items->first;
    for (uint32_t at = items->first; at != items->last; at = block.offset + block.size) {
        if (!block_at(items, at, &seen, &block) || get(heap, at, PREVIOUS) != previous) {
            return hs_seen_fault(at, where);
        }
        previous = at;
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(items->first, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    items_t *items = items_of(heap);
    const items_build_t *build = build_of(heap);
    const uint32_t round = build->alignment - 1;
    const uint32_t behind = build->is_rt ? build->header : 0;
    items->first = build->object + ((0u - (heap->base + build->object)) & round);
    if (heap->size < items->first + behind + build->header + smallest(heap) ||
        (build->limit != 0 && heap->size > build->limit)) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    items->last = items->first + ((heap->size - items->first) & ~round) - behind;
    put_item(heap, items->first, items->last, items->first, 0);
    if (build->is_rt) {
        put_item(heap, items->last, items->last, items->last, 1);
    }
    items->runs.header = build->header;
    run_add(heap, &items->runs, items->first, items->last);
    heap->tally.control = build->object;
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_ALL                                                                                \
    .state_size = sizeof(items_t), .granule = 4, .create = model_create, .malloc = model_malloc,   \
    .free = model_free, .realloc = model_realloc, .usable = model_usable, .fits = model_fits,      \
    .largest_allocatable = model_largest_allocatable, .largest_free = model_largest_free,          \
    .reported = model_reported, .walk = model_walk, .check = model_check

const hs_model_t hs_model_lwip_mem = {
    .name = "lwip-mem",
    .title = "lwIP's mem.c, MEM_ALIGNMENT 4, more than 64,000 bytes",
    .build = &(const items_build_t){4, 12, 0, 0, false, false},
    SAME_IN_ALL,
};

const hs_model_t hs_model_lwip_mem_8 = {
    .name = "lwip-mem-8",
    .title = "lwIP's mem.c, MEM_ALIGNMENT 8, more than 64,000 bytes",
    .build = &(const items_build_t){8, 16, 0, 0, false, false},
    SAME_IN_ALL,
};

const hs_model_t hs_model_lwip_mem_small = {
    .name = "lwip-mem-small",
    .title = "lwIP's mem.c, MEM_ALIGNMENT 4, up to 64,000 bytes",
    .build = &(const items_build_t){4, 8, 0, 64000, true, false},
    SAME_IN_ALL,
};

const hs_model_t hs_model_lwip_mem_small_8 = {
    .name = "lwip-mem-small-8",
    .title = "lwIP's mem.c, MEM_ALIGNMENT 8, up to 64,000 bytes",
    .build = &(const items_build_t){8, 8, 0, 64000, true, false},
    SAME_IN_ALL,
};

const hs_model_t hs_model_rtthread_smem = {
    .name = "rtthread-smem",
    .title = "RT-Thread's small memory, RT_ALIGN_SIZE 4",
    .has_realloc = true,
    .build = &(const items_build_t){4, 12, 56, 0, false, true},
    SAME_IN_ALL,
};

const hs_model_t hs_model_rtthread_smem_8 = {
    .name = "rtthread-smem-8",
    .title = "RT-Thread's small memory, RT_ALIGN_SIZE 8",
    .has_realloc = true,
    .build = &(const items_build_t){8, 16, 56, 0, false, true},
    SAME_IN_ALL,
};
