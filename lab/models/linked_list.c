/*
 * linked_list_allocator: holes in address order, first fit; nothing lies in front of a used block, as Rust
 * says its size and alignment again when it frees it. The heap of embedded-alloc (LlffHeap) and of
 * esp-alloc. Source: crate linked_list_allocator 0.10.6 src/hole.rs, in 32-bit builds.
 *
 *     hole + 0     size, a multiple of 4
 *     hole + 4     address of the next hole; 0 in the last one
 *
 * A hole that would leave 4 bytes over is passed by. A realloc always takes a new block. The used blocks
 * are known beside `mem` alone: heap->index->by_size has their places and sizes.
 *
 * esp-alloc tries its regions in the order in which they were added; here the second one follows the
 * first. Its malloc for C keeps the size in a word in front of the block.
 */
#include "list.h"
#include "ordered_list.h"
#include "seen.h"

#define HOLE_MIN UINT32_C(8)
#define ROUND UINT32_C(3)

typedef struct linked_list_build {
    uint32_t alignment; /* of a request without one of its own */
    uint32_t front;     /* bytes of C's malloc, for the size */
    bool halves;        /* two regions, of the pool's halves */
} linked_list_build_t;

typedef struct linked_list {
    hs_sim_t heap;
    uint32_t start;
    uint32_t end;
    hs_ordered_t holes;
} linked_list_t;

static linked_list_t *linked_list_of(hs_sim_t *heap)
{
    return (linked_list_t *)heap;
}

static const linked_list_t *linked_list_of_const(const hs_sim_t *heap)
{
    return (const linked_list_t *)heap;
}

static const linked_list_build_t *build_of(const hs_sim_t *heap)
{
    return heap->model->build;
}

static hs_order_t *used_of(const hs_sim_t *heap)
{
    return &heap->index->by_size;
}

/* Bytes of a request, 0: refused. */
static uint32_t rounded(uint32_t size)
{
    const uint32_t wanted = size < HOLE_MIN ? HOLE_MIN : (size + ROUND) & ~ROUND;
    return size == 0 || wanted < size ? 0 : wanted;
}

/* Where a block of that alignment would begin in a hole. */
static uint32_t start_in(const hs_sim_t *heap, uint32_t hole, uint32_t align)
{
    const uint32_t gap = (0u - (heap->base + hole)) & (align - 1);
    return gap == 0 ? hole
                    : hole + HOLE_MIN + ((0u - (heap->base + hole + HOLE_MIN)) & (align - 1));
}

static bool serves(const hs_sim_t *heap, uint32_t at, uint32_t align, uint32_t size)
{
    const uint32_t start = start_in(heap, ordered_chunk(heap, at), align);
    const uint32_t end = ordered_end(heap, at);
    const bool is_inside = start >= ordered_chunk(heap, at) && start <= end && size <= end - start;
    return is_inside && (size == end - start || end - start - size >= HOLE_MIN);
}

/* The number of the hole for a request, or the count. Bound: visits each hole once. */
static uint32_t find(const hs_sim_t *heap, uint32_t align, uint32_t size)
{
    const hs_ordered_t *holes = &linked_list_of_const(heap)->holes;
    uint32_t at = ordered_next(heap, holes, 0, size);
    while (at < ordered_count(heap) && !serves(heap, at, align, size)) {
        at = ordered_next(heap, holes, at + 1, size);
    }
    return at;
}

static uint32_t allocate(linked_list_t *list, uint32_t align, uint32_t wanted)
{
    hs_sim_t *heap = &list->heap;
    const uint32_t size = rounded(wanted);
    const uint32_t at = size == 0 ? ordered_count(heap) : find(heap, align, size);
    heap->steps.nodes += at + UINT64_C(1);
    if (at == ordered_count(heap)) {
        return HS_NONE;
    }
    const uint32_t hole = ordered_chunk(heap, at);
    const uint32_t end = ordered_end(heap, at);
    const uint32_t start = start_in(heap, hole, align);
    const bool has_front = start != hole;
    if (end != start + size) {
        ordered_change(heap, &list->holes, at, start + size, end - start - size, 0);
        if (has_front) {
            ordered_add(heap, &list->holes, at, hole, start - hole, 0);
        }
    } else if (has_front) {
        ordered_change(heap, &list->holes, at, hole, start - hole, 0);
    } else {
        ordered_remove(heap, &list->holes, at);
    }
    const bool has_room = hs_order_add(used_of(heap), hs_index_key(start, size));
    HS_ASSERT(has_room); /* host memory ends, and nothing else knows the block */
    (void)has_room;
    heap->tally.used += size;
    heap->tally.used_blocks++;
    heap->tally.free = list->holes.bytes;
    heap->tally.free_blocks = ordered_count(heap);
    return start;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return allocate(linked_list_of(heap), build_of(heap)->alignment, size);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    (void)at;
    return allocate(linked_list_of(heap), align, size);
}

/* The number of a used block among them. */
static uint32_t number_of(const hs_sim_t *heap, uint32_t offset)
{
    return hs_order_below(used_of(heap), hs_index_key(offset, 0));
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return hs_order_low(used_of(heap), number_of(heap, offset));
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    linked_list_t *list = linked_list_of(heap);
    const uint32_t size = model_usable(heap, offset);
    hs_order_remove(used_of(heap), hs_index_key(offset, size));
    ordered_insert(heap, &list->holes, offset, size, 0);
    heap->tally.used -= size;
    heap->tally.used_blocks--;
    heap->tally.free = list->holes.bytes;
    heap->tally.free_blocks = ordered_count(heap);
}

/* ---- questions -------------------------------------------------------------------------------- */

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = rounded(size);
    (void)at;
    align = align == 0 ? build_of(heap)->alignment : align;
    return wanted != 0 && find(heap, align, wanted) != ordered_count(heap);
}

/* A hole serves all that it has behind the first aligned place. */
static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    linked_list_t *list = linked_list_of(heap);
    const uint32_t align = build_of(heap)->alignment;
    uint32_t largest = 0;
    if (align <= ROUND + 1) {
        list->holes.largest = ordered_largest(heap, &list->holes);
        return list->holes.largest.size;
    }
    for (uint32_t at = 0; at < ordered_count(heap); at++) {
        const uint32_t start = start_in(heap, ordered_chunk(heap, at), align);
        const uint32_t end = ordered_end(heap, at);
        largest = start < end && end - start > largest ? end - start : largest;
    }
    return largest < HOLE_MIN ? 0 : largest;
}

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    return ordered_largest(heap, &linked_list_of_const(heap)->holes).size;
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const linked_list_t *list = linked_list_of_const(heap);
    out->allocated = heap->tally.used;
    out->free = list->end - list->start - heap->tally.used;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = model_largest_free(heap);
}

/* The block at `at`, which is the next hole or the next used block; false: neither, or it is damaged. */
static bool block_at(const hs_sim_t *heap, uint32_t at, hs_tally_t *seen, hs_walk_block_t *block)
{
    const uint32_t hole = seen->free_blocks;
    const uint32_t used = seen->used_blocks;
    const bool is_hole = hole < ordered_count(heap) && ordered_chunk(heap, hole) == at;
    if (is_hole) {
        *block = (hs_walk_block_t){at, ordered_size(heap, hole), false};
    } else if (used < used_of(heap)->count && hs_order_high(used_of(heap), used) == at) {
        *block = (hs_walk_block_t){at, hs_order_low(used_of(heap), used), true};
    } else {
        return false;
    }
    hs_seen_add(seen, block->size, block->used);
    return !is_hole || ordered_agrees(heap, hole, 0);
}

/* Returns where it stopped, or the end. */
static uint32_t walk(const hs_sim_t *heap, hs_walk_fn visit, void *context, hs_tally_t *seen)
{
    const linked_list_t *list = linked_list_of_const(heap);
    hs_walk_block_t block;
    for (uint32_t at = list->start; at != list->end; at += block.size) {
        if (!block_at(heap, at, seen, &block) || (visit != NULL && !visit(context, &block))) {
            return at;
        }
    }
    return list->end;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    (void)walk(heap, visit, context, &seen);
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    const uint32_t end = walk(heap, NULL, NULL, &seen);
    if (end != linked_list_of_const(heap)->end) {
        return hs_seen_fault(end, where);
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(0, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    linked_list_t *list = linked_list_of(heap);
    list->start = (0u - heap->base) & ROUND;
    if (heap->size < list->start + HOLE_MIN) {
        return HS_ERR_MEMORY;
    }
    list->end = list->start + ((heap->size - list->start) & ~ROUND);
    heap->around.front = heap->around.owner = build_of(heap)->front;
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    const uint32_t half = heap->size / 2 & ~UINT32_C(15);
    if (build_of(heap)->halves && half >= list->start + HOLE_MIN && half <= list->end - HOLE_MIN) {
        list->holes.wall = half;
        ordered_add(heap, &list->holes, 0, half, list->end - half, 0);
        ordered_add(heap, &list->holes, 0, list->start, half - list->start, 0);
    } else {
        ordered_add(heap, &list->holes, 0, list->start, list->end - list->start, 0);
    }
    heap->tally.free = list->holes.bytes;
    heap->tally.free_blocks = ordered_count(heap);
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_ALL_BUILDS                                                                         \
    .state_size = sizeof(linked_list_t), .granule = 4, .has_aligned = true, .undoes_malloc = true, \
    .create = model_create, .malloc = model_malloc, .free = model_free, .aligned = model_aligned,  \
    .usable = model_usable, .fits = model_fits, .largest_allocatable = model_largest_allocatable,  \
    .largest_free = model_largest_free, .reported = model_reported, .walk = model_walk,            \
    .check = model_check

const hs_model_t hs_model_linked_list = {
    .name = "linked_list_allocator",
    .title = "Rust's linked_list_allocator, also LlffHeap of embedded-alloc: holes, first fit",
    .build = &(const linked_list_build_t){4, 0, false},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_linked_list_8 = {
    .name = "linked_list_allocator-8",
    .title = "Rust's linked_list_allocator where every request has an alignment of 8",
    .build = &(const linked_list_build_t){8, 0, false},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_esp_alloc = {
    .name = "esp-alloc",
    .title = "esp-alloc with one region: linked_list_allocator",
    .places_as = "linked_list_allocator",
    .build = &(const linked_list_build_t){4, 0, false},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_esp_alloc_2 = {
    .name = "esp-alloc-2",
    .title = "esp-alloc with two regions, the halves of the pool",
    .build = &(const linked_list_build_t){4, 0, true},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_esp_alloc_malloc = {
    .name = "esp-alloc-malloc",
    .title = "esp-alloc's malloc for C: a word in front of each block",
    .build = &(const linked_list_build_t){4, 4, false},
    SAME_IN_ALL_BUILDS,
};
