/*
 * RT-Thread's memheap: items that know both neighbours, a free list used as a stack, first fit in its order.
 * Source: RT-Thread 4.1.1 nano (44d75c74) src/memheap.c, in 32-bit builds, RT_ALIGN_SIZE 4 and 8.
 *
 *     item + 0     magic; bit 0: used
 *     item + 4     the pool's object
 *     item + 8     addresses of the next and the previous item
 *     item + 16    free: of the next and the previous one of the list, 0 for its head
 *     item + 24    payload
 *
 * A used item of 24 bytes ends the pool and leads to the first one. The object lies outside of the pool; its
 * count of what is available, which refuses requests, drifts from the sum of the free items. A request is
 * rounded before it becomes at least 12 bytes, so that with RT_ALIGN_SIZE 8 items lie at multiples of 4. There
 * is no aligned allocation.
 */
#include "largest.h"
#include "list.h"
#include "region.h"
#include "seen.h"

#define MAGIC UINT32_C(0x1EA01EA0)
#define IS_USED UINT32_C(1)
#define OBJECT UINT32_C(4)
#define NEXT UINT32_C(8)
#define PREVIOUS UINT32_C(12)
#define NEXT_FREE UINT32_C(16)
#define PREVIOUS_FREE UINT32_C(20)
#define HEADER UINT32_C(24)
#define SMALLEST UINT32_C(12) /* payload, before it is rounded */

typedef struct memheap {
    hs_sim_t heap;
    uint32_t first;
    uint32_t last;
    uint32_t list; /* the first free item, or HS_NONE */
    uint32_t available;
    hs_largest_t largest; /* of the free payloads */
} memheap_t;

static memheap_t *memheap_of(hs_sim_t *heap)
{
    return (memheap_t *)heap;
}

static const memheap_t *memheap_of_const(const hs_sim_t *heap)
{
    return (const memheap_t *)heap;
}

/* ---- items ------------------------------------------------------------------------------------ */

static void put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static uint32_t link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

static void put_link(hs_sim_t *heap, uint32_t at, uint32_t item)
{
    put(heap, at, item == HS_NONE ? 0 : heap->base + item);
}

static bool is_used(const hs_sim_t *heap, uint32_t item)
{
    return (hs_region_get(heap, item) & IS_USED) != 0;
}

static uint32_t next_of(const hs_sim_t *heap, uint32_t item)
{
    return hs_region_get_link(heap, item + NEXT);
}

static uint32_t size_of(const hs_sim_t *heap, uint32_t item)
{
    return next_of(heap, item) - item - HEADER;
}

static void chain(hs_sim_t *heap, uint32_t left, uint32_t right)
{
    put_link(heap, left + NEXT, right);
    put_link(heap, right + PREVIOUS, left);
}

/* A free item that is not listed and lies between two others. */
static void put_item(hs_sim_t *heap, uint32_t item, uint32_t left, uint32_t right)
{
    put(heap, item, MAGIC);
    put(heap, item + OBJECT, heap->base);
    chain(heap, left, item);
    chain(heap, item, right);
}

static void count(memheap_t *state, uint32_t size)
{
    state->heap.tally.free += size;
    state->heap.tally.free_blocks++;
    hs_largest_add(&state->largest, size);
}

static void uncount(memheap_t *state, uint32_t size)
{
    state->heap.tally.free -= size;
    state->heap.tally.free_blocks--;
    hs_largest_take(&state->largest, size);
}

static void enlist(memheap_t *state, uint32_t item)
{
    hs_sim_t *heap = &state->heap;
    put_link(heap, item + NEXT_FREE, state->list);
    put_link(heap, item + PREVIOUS_FREE, HS_NONE);
    if (state->list != HS_NONE) {
        put_link(heap, state->list + PREVIOUS_FREE, item);
    }
    state->list = item;
    count(state, size_of(heap, item));
}

static void unlist(memheap_t *state, uint32_t item)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t next = link_at(heap, item + NEXT_FREE);
    const uint32_t previous = link_at(heap, item + PREVIOUS_FREE);
    if (next != HS_NONE) {
        put_link(heap, next + PREVIOUS_FREE, previous);
    }
    if (previous != HS_NONE) {
        put_link(heap, previous + NEXT_FREE, next);
    } else {
        state->list = next;
    }
    uncount(state, size_of(heap, item));
}

/* ---- malloc and free -------------------------------------------------------------------------- */

static uint32_t rounded(const hs_sim_t *heap, uint32_t size)
{
    const uint32_t round = *(const uint32_t *)heap->model->build - 1;
    const uint32_t wanted = (size + round) & ~round;
    if (size == 0 || wanted < size) {
        return 0;
    }
    return wanted < SMALLEST ? SMALLEST : wanted;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    memheap_t *state = memheap_of(heap);
    const uint32_t wanted = rounded(heap, size);
    uint32_t item = state->list;
    if (wanted == 0 || wanted >= state->available) {
        return HS_NONE;
    }
    while (item != HS_NONE && size_of(heap, item) < wanted) {
        heap->steps.nodes++;
        item = link_at(heap, item + NEXT_FREE);
    }
    if (item == HS_NONE) {
        return HS_NONE;
    }
    heap->steps.nodes++;
    const uint32_t whole = size_of(heap, item);
    unlist(state, item);
    if (whole >= wanted + HEADER + SMALLEST) {
        const uint32_t rest = item + HEADER + wanted;
        put_item(heap, rest, item, next_of(heap, item));
        enlist(state, rest);
        state->available -= wanted + HEADER;
    } else {
        state->available -= whole;
    }
    put(heap, item, MAGIC | IS_USED);
    heap->tally.used += size_of(heap, item);
    heap->tally.used_blocks++;
    return item + HEADER;
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return size_of(heap, offset - HEADER);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    memheap_t *state = memheap_of(heap);
    const uint32_t item = offset - HEADER;
    const uint32_t previous = hs_region_get_link(heap, item + PREVIOUS);
    uint32_t next = next_of(heap, item);
    heap->tally.used -= size_of(heap, item);
    heap->tally.used_blocks--;
    state->available += size_of(heap, item);
    put(heap, item, MAGIC);
    if (!is_used(heap, next)) {
        state->available += HEADER;
        unlist(state, next);
        next = next_of(heap, next);
        chain(heap, item, next);
    }
    if (item != state->first && !is_used(heap, previous)) {
        state->available += HEADER;
        uncount(state, size_of(heap, previous));
        chain(heap, previous, next);
        count(state, size_of(heap, previous));
    } else {
        enlist(state, item);
    }
}

/* ---- realloc ---------------------------------------------------------------------------------- */

static bool grow(memheap_t *state, uint32_t item, uint32_t wanted)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t old = size_of(heap, item);
    const uint32_t next = next_of(heap, item);
    /* The real sum wraps, and hands out a block that is not there: nothing to imitate. */
    if (is_used(heap, next) || size_of(heap, next) + old <= wanted + UINT64_C(0) + SMALLEST) {
        return false;
    }
    const uint32_t right = next_of(heap, next);
    unlist(state, next);
    put_item(heap, item + HEADER + wanted, item, right);
    enlist(state, item + HEADER + wanted);
    state->available -= wanted - old;
    return true;
}

static void shrink(memheap_t *state, uint32_t item, uint32_t wanted)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t rest = item + HEADER + wanted;
    uint32_t next = next_of(heap, item);
    if (!is_used(heap, next)) {
        state->available -= size_of(heap, next);
        unlist(state, next);
        next = next_of(heap, next);
    }
    put_item(heap, rest, item, next);
    enlist(state, rest);
    state->available += size_of(heap, rest);
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    memheap_t *state = memheap_of(heap);
    const uint32_t item = offset - HEADER;
    const uint32_t old = size_of(heap, item);
    const uint32_t wanted = rounded(heap, size);
    if (wanted == 0) {
        return HS_NONE;
    }
    if (wanted > old && !grow(state, item, wanted)) {
        const uint32_t moved = model_malloc(heap, size);
        if (moved != HS_NONE) {
            hs_region_note_low(heap);
            heap->steps.copied += old;
            model_free(heap, offset);
        }
        return moved;
    }
    if (old > wanted && old - wanted > HEADER + SMALLEST) {
        shrink(state, item, wanted);
    }
    heap->tally.used += size_of(heap, item) - old;
    return offset;
}

/* ---- questions -------------------------------------------------------------------------------- */

static hs_largest_t largest_of(const memheap_t *state)
{
    const hs_sim_t *heap = &state->heap;
    hs_largest_t seen = {0, 0, false};
    if (!state->largest.unknown) {
        return state->largest;
    }
    for (uint32_t item = state->list; item != HS_NONE; item = link_at(heap, item + NEXT_FREE)) {
        hs_largest_add(&seen, size_of(heap, item));
    }
    return seen;
}

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    return largest_of(memheap_of_const(heap)).size;
}

static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    memheap_t *state = memheap_of(heap);
    const uint32_t round = *(const uint32_t *)heap->model->build - 1;
    state->largest = largest_of(state);
    const uint32_t below = state->available == 0 ? 0 : state->available - 1;
    const uint32_t largest = state->largest.size < below ? state->largest.size : below;
    const uint32_t served = largest & ~round;
    return largest < SMALLEST ? 0 : served < SMALLEST ? SMALLEST & ~round : served;
}

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const memheap_t *state = memheap_of_const(heap);
    const uint32_t wanted = rounded(heap, size);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return wanted != 0 && wanted < state->available && wanted <= model_largest_free(heap);
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const memheap_t *state = memheap_of_const(heap);
    out->free = state->available;
    out->allocated = state->last + HEADER - state->first - state->available;
    out->minimum_free = heap->tally.minimum_free;
    out->largest_free = model_largest_free(heap);
}

/* ---- walk and check --------------------------------------------------------------------------- */

static bool block_at(const memheap_t *state, uint32_t item, hs_walk_block_t *block)
{
    const hs_sim_t *heap = &state->heap;
    const uint32_t next = next_of(heap, item);
    if (next < item + HEADER || next > state->last || next % 4 != state->first % 4) {
        return false;
    }
    *block = (hs_walk_block_t){item + HEADER, next - item - HEADER, is_used(heap, item)};
    return true;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const memheap_t *state = memheap_of_const(heap);
    hs_walk_block_t block;
    for (uint32_t item = state->first; item != state->last; item = block.offset + block.size) {
        if (!block_at(state, item, &block) || !visit(context, &block)) {
            return;
        }
    }
}

static bool is_free_item(const memheap_t *state, uint32_t item)
{
    return item >= state->first && item < state->last && item % 4 == state->first % 4 &&
           hs_region_get(&state->heap, item) == MAGIC;
}

/* A free item and its neighbours in the list lead to each other. */
static bool is_listed(const memheap_t *state, uint32_t item)
{
    const hs_sim_t *heap = &state->heap;
    const uint32_t next = link_at(heap, item + NEXT_FREE);
    const uint32_t previous = link_at(heap, item + PREVIOUS_FREE);
    const bool next_agrees = next == HS_NONE || (is_free_item(state, next) &&
                                                 link_at(heap, next + PREVIOUS_FREE) == item);
    const bool is_led_to = previous == HS_NONE ? state->list == item
                                               : is_free_item(state, previous) &&
                                                     link_at(heap, previous + NEXT_FREE) == item;
    return next_agrees && is_led_to;
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    const memheap_t *state = memheap_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    uint32_t previous = state->last;
    for (uint32_t item = state->first; item != state->last; item = block.offset + block.size) {
        if (!block_at(state, item, &block) || (hs_region_get(heap, item) & ~IS_USED) != MAGIC ||
            hs_region_get(heap, item + OBJECT) != heap->base ||
            hs_region_get_link(heap, item + PREVIOUS) != previous ||
            (!block.used && !is_listed(state, item))) {
            return hs_seen_fault(item, where);
        }
        hs_seen_add(&seen, block.size, block.used);
        previous = item;
    }
    if (hs_region_get(heap, state->last) != (MAGIC | IS_USED) ||
        hs_region_get_link(heap, state->last + PREVIOUS) != previous ||
        next_of(heap, state->last) != state->first) {
        return hs_seen_fault(state->last, where);
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(state->first, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    memheap_t *state = memheap_of(heap);
    const uint32_t round = *(const uint32_t *)heap->model->build - 1;
    state->first = (0u - heap->base) & round;
    if (heap->size < state->first + 2 * HEADER + 2 * SMALLEST) {
        return HS_ERR_MEMORY;
    }
    state->last = state->first + ((heap->size - state->first) & ~round) - HEADER;
    state->list = HS_NONE;
    state->available = state->last - state->first - HEADER;
    put_item(heap, state->last, state->first, state->first);
    put(heap, state->last, MAGIC | IS_USED);
    put_item(heap, state->first, state->last, state->last);
    enlist(state, state->first);
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_BOTH_ALIGNMENTS                                                                    \
    .state_size = sizeof(memheap_t), .granule = 4, .has_realloc = true,                            \
    .serves_up_to_largest = true, .create = model_create, .malloc = model_malloc,                  \
    .free = model_free, .realloc = model_realloc, .usable = model_usable, .fits = model_fits,      \
    .largest_allocatable = model_largest_allocatable, .largest_free = model_largest_free,          \
    .reported = model_reported, .walk = model_walk, .check = model_check

const hs_model_t hs_model_rtthread_memheap = {
    .name = "rtthread-memheap",
    .title = "RT-Thread's memheap, RT_ALIGN_SIZE 4: a stack of free items, first fit",
    .build = &(const uint32_t){4},
    SAME_IN_BOTH_ALIGNMENTS,
};

const hs_model_t hs_model_rtthread_memheap_8 = {
    .name = "rtthread-memheap-8",
    .title = "RT-Thread's memheap, RT_ALIGN_SIZE 8",
    .build = &(const uint32_t){8},
    SAME_IN_BOTH_ALIGNMENTS,
};
