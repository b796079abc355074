/*
 * FreeRTOS heap_4: one free list in address order, first fit.
 * Source: FreeRTOS-Kernel 4269c69 portable/MemMang/heap_4.c; `heap_4` with portBYTE_ALIGNMENT 8,
 * `heap_4-4` with 4.
 *
 *     start        blocks, from the first aligned address
 *     end          an empty block: next 0, size 0; the end of the free list
 *
 *     block + 0    address of the next free block; 0 in a used block
 *     block + 4    size with this header; bit 31: this block is used
 *     block + 8    payload
 *
 * heap_5 has several regions and one list over all of them; here two, with what lies between them as one
 * block that is never free. Source: the same, portable/MemMang/heap_5.c.
 *
 * The list's head and all counters are variables outside of the heap: they cost the region nothing,
 * and are kept beside `mem` here too. There is no realloc and no aligned allocation.
 */
#include "heap_4.h"

#define REST_MIN (2 * HEAP_4_HEADER) /* a rest must be larger to become a block */

/* ---- blocks and the free list ----------------------------------------------------------------- */

static void set_size(hs_heap_4_t *state, uint32_t block, uint32_t word)
{
    hs_region_put(&state->heap, block + HEAP_4_SIZE_AT, word);
    state->heap.steps.writes++;
}

static void set_next_free(hs_heap_4_t *state, uint32_t block, uint32_t next)
{
    if (block == HEAP_4_HEAD) {
        state->first_free = next;
    } else {
        hs_region_put_link(&state->heap, block, next);
    }
    state->heap.steps.writes++;
}

static void count_free(hs_heap_4_t *state, uint32_t size)
{
    state->heap.tally.free += size - HEAP_4_HEADER;
    state->heap.tally.free_blocks++;
    hs_largest_add(&state->largest, size);
}

static void uncount_free(hs_heap_4_t *state, uint32_t size)
{
    state->heap.tally.free -= size - HEAP_4_HEADER;
    state->heap.tally.free_blocks--;
    hs_largest_take(&state->largest, size);
}

/* A free block in the index is gone (`size` 0: none), and another one has come to be in its place
 * in the list (the same). */
static void index_change(hs_heap_4_t *state, uint32_t old, uint32_t old_size, uint32_t block,
                         uint32_t size)
{
    if (state->heap.index == NULL) {
        return;
    }
    hs_order_t *order = &state->heap.index->by_place;
    if (old_size != 0 && size != 0) {
        hs_order_replace(order, hs_index_key(old, old_size), hs_index_key(block, size));
    } else if (old_size != 0) {
        hs_order_remove(order, hs_index_key(old, old_size));
    } else if (!hs_order_add(order, hs_index_key(block, size))) {
        hs_index_drop(&state->heap);
    }
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* The free block in front of that number of the order, or the head. */
static uint32_t block_below(const hs_order_t *order, uint32_t below)
{
    return below == 0 ? HEAP_4_HEAD : hs_order_high(order, below - 1);
}

/* The same as first_fit, over an array in place of a list. Bound: as there. */
static uint32_t first_fit_by_index(hs_heap_4_t *state, uint32_t wanted, uint32_t *before)
{
    hs_order_t *order = &state->heap.index->by_place;
    uint32_t at = 0;
    while (at < order->count && hs_order_low(order, at) < wanted) {
        at++;
    }
    order->latest = at;
    const bool hit = at < order->count;
    state->heap.steps.nodes += at + (uint64_t)hit;
    *before = block_below(order, at);
    return hit ? hs_order_high(order, at) : state->end;
}

/* The lowest free block of at least `wanted`, or the end; *before: the one in front of it in the
 * list. Bound: visits each free block once. */
static uint32_t first_fit(hs_heap_4_t *state, uint32_t wanted, uint32_t *before)
{
    if (state->heap.index != NULL) {
        return first_fit_by_index(state, wanted, before);
    }
    uint32_t block = state->first_free;
    *before = HEAP_4_HEAD;
    while (block != state->end) {
        state->heap.steps.nodes++;
        if (heap_4_size(state, block) >= wanted) {
            break;
        }
        *before = block;
        block = heap_4_next_free(state, block);
    }
    return block;
}

/* Takes a free block out of the list, all but the rest of it; returns the bytes taken. */
static uint32_t cut(hs_heap_4_t *state, uint32_t before, uint32_t block, uint32_t wanted)
{
    uint32_t size = heap_4_size(state, block);
    uint32_t next = heap_4_next_free(state, block);
    uncount_free(state, size);
    index_change(state, block, size, block + wanted, size - wanted > REST_MIN ? size - wanted : 0);
    if (size - wanted > REST_MIN) {
        uint32_t rest = block + wanted;
        set_size(state, rest, size - wanted);
        set_next_free(state, rest, next);
        count_free(state, size - wanted);
        next = rest;
        size = wanted;
    }
    set_next_free(state, before, next);
    return size;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    hs_heap_4_t *state = heap_4_of(heap);
    uint32_t before;
    uint32_t wanted = heap_4_block_size(heap, size);
    if (wanted == 0 || wanted > state->free_bytes) {
        return HS_NONE;
    }
    uint32_t block = first_fit(state, wanted, &before);
    if (block == state->end) {
        return HS_NONE;
    }
    uint32_t taken = cut(state, before, block, wanted);
    state->free_bytes -= taken;
    if (state->free_bytes < state->minimum_free_bytes) {
        state->minimum_free_bytes = state->free_bytes;
    }
    set_size(state, block, taken | HEAP_4_IS_USED);
    hs_region_put(heap, block, 0);
    heap->steps.writes++;
    heap->tally.used += taken - HEAP_4_HEADER;
    heap->tally.used_blocks++;
    return block + HEAP_4_HEADER;
}

/* The last free block below `block`, or the head. Bound: visits each free block once. */
static uint32_t free_before(hs_heap_4_t *state, uint32_t block)
{
    if (state->heap.index != NULL) {
        hs_order_t *order = &state->heap.index->by_place;
        const uint32_t below = hs_order_search(order, hs_index_key(block, 0));
        state->heap.steps.nodes += UINT64_C(1) + below;
        return block_below(order, below);
    }
    uint32_t before = HEAP_4_HEAD;
    uint32_t next = state->first_free;
    state->heap.steps.nodes++;
    while (next < block) {
        before = next;
        next = heap_4_next_free(state, before);
        state->heap.steps.nodes++;
    }
    return before;
}

/* Into the list, merged with the free block that ends at `block` and the one that begins behind. */
static void insert(hs_heap_4_t *state, uint32_t block, uint32_t size)
{
    uint32_t before = free_before(state, block);
    uint32_t next = heap_4_next_free(state, before);
    uint32_t below = before != HEAP_4_HEAD ? heap_4_size(state, before) : 0;
    bool joins_below = before != HEAP_4_HEAD && before + below == block;
    bool joins_above = block + size == next && next != state->end;
    uint32_t above = joins_above ? heap_4_size(state, next) : 0;
    uint32_t merged = size + (joins_below ? below : 0) + above;
    if (joins_below) {
        index_change(state, before, below, before, merged);
        uncount_free(state, below);
        block = before;
    } else {
        index_change(state, next, above, block, merged);
    }
    if (joins_above) {
        if (joins_below) {
            index_change(state, next, above, 0, 0);
        }
        uncount_free(state, above);
        next = heap_4_next_free(state, next);
    }
    size = merged;
    set_size(state, block, size);
    set_next_free(state, block, next);
    if (!joins_below) {
        set_next_free(state, before, block);
    }
    count_free(state, size);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_heap_4_t *state = heap_4_of(heap);
    uint32_t block = offset - HEAP_4_HEADER;
    uint32_t size = heap_4_size(state, block);
    heap->tally.used -= size - HEAP_4_HEADER;
    heap->tally.used_blocks--;
    state->free_bytes += size;
    insert(state, block, size);
}

/* ---- creation --------------------------------------------------------------------------------- */

static hs_status_t create(hs_sim_t *heap)
{
    hs_heap_4_t *state = heap_4_of(heap);
    uint32_t round = heap->model->granule - 1;
    uint32_t skipped = (0u - heap->base) & round;
    if (heap->size < skipped + 3 * HEAP_4_HEADER) {
        return HS_ERR_MEMORY;
    }
    state->start = skipped;
    state->end = ((heap->base + heap->size - HEAP_4_HEADER) & ~round) - heap->base;
    /* The real one takes any size, and takes the upper bit of this one for its mark. */
    if ((state->end & HEAP_4_IS_USED) != 0) {
        return HS_ERR_MEMORY;
    }
    state->first_free = state->start;
    state->between = HS_NONE;
    hs_region_put(heap, state->end, 0);
    hs_region_put(heap, state->end + HEAP_4_SIZE_AT, 0);
    set_size(state, state->start, state->end - state->start);
    set_next_free(state, state->start, state->end);
    state->free_bytes = state->minimum_free_bytes = state->end - state->start;
    heap->index = hs_index_new(0);
    count_free(state, state->free_bytes);
    index_change(state, 0, 0, state->start, state->free_bytes);
    heap->steps.writes = 0;
    return HS_OK;
}

/* FreeRTOS would have any regions; these are the ones of the recorded answers: the first quarter, and from three
 * eighths on. */
static hs_status_t create_two(hs_sim_t *heap)
{
    const uint32_t round = heap->model->granule - 1;
    hs_heap_4_t *state = heap_4_of(heap);
    const uint32_t start = ((heap->base + 3 * (heap->size / 8) + round) & ~round) - heap->base;
    const uint32_t end = ((heap->base + heap->size / 4 - HEAP_4_HEADER) & ~round) - heap->base;
    const hs_status_t status = heap->size < 16 * REST_MIN ? HS_ERR_MEMORY : create(heap);
    if (status != HS_OK) {
        return status;
    }
    uncount_free(state, state->free_bytes);
    hs_index_drop(heap);
    set_size(state, state->start, end - state->start);
    set_next_free(state, state->start, start);
    set_size(state, end, (start - end) | HEAP_4_IS_USED);
    hs_region_put(heap, end, 0);
    set_size(state, start, state->end - start);
    set_next_free(state, start, state->end);
    state->between = end;
    state->free_bytes = state->minimum_free_bytes = end - state->start + state->end - start;
    heap->index = hs_index_new(0);
    count_free(state, end - state->start);
    count_free(state, state->end - start);
    index_change(state, 0, 0, state->start, end - state->start);
    index_change(state, 0, 0, start, state->end - start);
    heap->steps.writes = 0;
    return HS_OK;
}

/* All but name, title and granule, which is the alignment. */
#define SAME_IN_BOTH_ALIGNMENTS                                                                    \
    .state_size = sizeof(hs_heap_4_t), .poisonable = false, .has_realloc = false,                  \
    .has_aligned = false, .serves_up_to_largest = true, .undoes_malloc = true,                     \
    .aligned_is_own = false, .malloc = model_malloc, .free = model_free,                           \
    .usable = hs_heap_4_usable, .fits = hs_heap_4_fits,                                            \
    .largest_allocatable = hs_heap_4_largest_allocatable, .largest_free = hs_heap_4_largest_free,  \
    .reported = hs_heap_4_reported, .walk = hs_heap_4_walk, .forget_low = hs_heap_4_forget_low,    \
    .check = hs_heap_4_check

const hs_model_t hs_model_heap_4 = {
    .name = "heap_4",
    .title = "FreeRTOS heap_4: free list in address order, first fit",
    .granule = 8,
    .create = create,
    .keeps_places = true,
    .search = HS_SEARCH_LOWEST,
    SAME_IN_BOTH_ALIGNMENTS,
};

const hs_model_t hs_model_heap_4_4 = {
    .name = "heap_4-4",
    .title = "FreeRTOS heap_4 with an alignment of 4",
    .granule = 4,
    .create = create,
    .keeps_places = true,
    .search = HS_SEARCH_LOWEST,
    SAME_IN_BOTH_ALIGNMENTS,
};

const hs_model_t hs_model_heap_5 = {
    .name = "heap_5",
    .title = "FreeRTOS heap_5 with two regions: free list in address order, first fit",
    .granule = 8,
    .create = create_two,
    SAME_IN_BOTH_ALIGNMENTS,
};
