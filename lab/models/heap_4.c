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
 * The list's head and all counters are variables outside of the heap: they cost the region nothing,
 * and are kept beside `mem` here too. There is no realloc and no aligned allocation.
 */
#include "bits.h"
#include "free_index.h"
#include "largest.h"
#include "list.h"
#include "region.h"
#include "seen.h"

#define SIZE_AT UINT32_C(4)
#define HEADER UINT32_C(8)
#define REST_MIN (2 * HEADER) /* a rest must be larger to become a block */
#define IS_USED UINT32_C(0x80000000)

#define HEAD HS_NONE /* stands for the list's head where a free block is meant */

/* All positions are offsets from the region's start; sizes include the header. */
typedef struct hs_sim_4 {
    hs_sim_t heap;
    uint32_t start;
    uint32_t end;
    uint32_t first_free; /* xStart */
    uint32_t free_bytes;
    uint32_t minimum_free_bytes;
    hs_largest_t largest;
} hs_sim_4_t;

static hs_sim_4_t *state_of(hs_sim_t *heap)
{
    return (hs_sim_4_t *)heap;
}

static const hs_sim_4_t *state_of_const(const hs_sim_t *heap)
{
    return (const hs_sim_4_t *)heap;
}

/* ---- blocks and the free list ----------------------------------------------------------------- */

static uint32_t size_of(const hs_sim_4_t *state, uint32_t block)
{
    return hs_region_get(&state->heap, block + SIZE_AT) & ~IS_USED;
}

static void set_size(hs_sim_4_t *state, uint32_t block, uint32_t word)
{
    hs_region_put(&state->heap, block + SIZE_AT, word);
    state->heap.steps.writes++;
}

static uint32_t next_free(const hs_sim_4_t *state, uint32_t block)
{
    return block == HEAD ? state->first_free : hs_region_get_link(&state->heap, block);
}

static void set_next_free(hs_sim_4_t *state, uint32_t block, uint32_t next)
{
    if (block == HEAD) {
        state->first_free = next;
    } else {
        hs_region_put_link(&state->heap, block, next);
    }
    state->heap.steps.writes++;
}

static void count_free(hs_sim_4_t *state, uint32_t size)
{
    state->heap.tally.free += size - HEADER;
    state->heap.tally.free_blocks++;
    hs_largest_add(&state->largest, size);
}

static void uncount_free(hs_sim_4_t *state, uint32_t size)
{
    state->heap.tally.free -= size - HEADER;
    state->heap.tally.free_blocks--;
    hs_largest_take(&state->largest, size);
}

/* A free block in the index is gone (`size` 0: there was none), and another one has come to be in its place
 * in the list (the same). */
static void index_change(hs_sim_4_t *state, uint32_t old, uint32_t old_size, uint32_t block,
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

/* Bytes of the block that a request needs, 0 if it is refused. */
static uint32_t block_size(const hs_sim_t *heap, uint32_t size)
{
    uint32_t round = heap->model->granule - 1;
    if (size == 0 || size > UINT32_MAX - HEADER - round) {
        return 0;
    }
    uint32_t wanted = (size + HEADER + round) & ~round;
    return (wanted & IS_USED) != 0 ? 0 : wanted;
}

/* The free block in front of that number of the order, or the head. */
static uint32_t block_below(const hs_order_t *order, uint32_t below)
{
    return below == 0 ? HEAD : hs_order_high(order, below - 1);
}

/* The same as first_fit, over an array in place of a list. Bound: as there. */
static uint32_t first_fit_by_index(hs_sim_4_t *state, uint32_t wanted, uint32_t *before)
{
    const hs_order_t *order = &state->heap.index->by_place;
    uint32_t at = 0;
    while (at < order->count && hs_order_low(order, at) < wanted) {
        at++;
    }
    const bool found = at < order->count;
    state->heap.steps.nodes += at + (uint64_t)found;
    *before = block_below(order, at);
    return found ? hs_order_high(order, at) : state->end;
}

/* The lowest free block of at least `wanted`, or the end; *before: the one in front of it in the
 * list. Bound: visits each free block once. */
static uint32_t first_fit(hs_sim_4_t *state, uint32_t wanted, uint32_t *before)
{
    if (state->heap.index != NULL) {
        return first_fit_by_index(state, wanted, before);
    }
    uint32_t block = state->first_free;
    *before = HEAD;
    while (block != state->end) {
        state->heap.steps.nodes++;
        if (size_of(state, block) >= wanted) {
            break;
        }
        *before = block;
        block = next_free(state, block);
    }
    return block;
}

/* Takes a free block out of the list, all but the rest of it; returns the bytes taken. */
static uint32_t cut(hs_sim_4_t *state, uint32_t before, uint32_t block, uint32_t wanted)
{
    uint32_t size = size_of(state, block);
    uint32_t next = next_free(state, block);
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
    hs_sim_4_t *state = state_of(heap);
    uint32_t before;
    uint32_t wanted = block_size(heap, size);
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
    set_size(state, block, taken | IS_USED);
    hs_region_put(heap, block, 0);
    heap->steps.writes++;
    heap->tally.used += taken - HEADER;
    heap->tally.used_blocks++;
    return block + HEADER;
}

/* The last free block below `block`, or the head. Bound: visits each free block once. */
static uint32_t free_before(hs_sim_4_t *state, uint32_t block)
{
    if (state->heap.index != NULL) {
        const hs_order_t *order = &state->heap.index->by_place;
        const uint32_t below = hs_order_below(order, hs_index_key(block, 0));
        state->heap.steps.nodes += UINT64_C(1) + below;
        return block_below(order, below);
    }
    uint32_t before = HEAD;
    uint32_t next = state->first_free;
    state->heap.steps.nodes++;
    while (next < block) {
        before = next;
        next = next_free(state, before);
        state->heap.steps.nodes++;
    }
    return before;
}

/* Into the list, merged with the free block that ends at `block` and the one that begins behind. */
static void insert(hs_sim_4_t *state, uint32_t block, uint32_t size)
{
    uint32_t before = free_before(state, block);
    uint32_t next = next_free(state, before);
    uint32_t below = before != HEAD ? size_of(state, before) : 0;
    bool joins_below = before != HEAD && before + below == block;
    bool joins_above = block + size == next && next != state->end;
    uint32_t above = joins_above ? size_of(state, next) : 0;
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
        next = next_free(state, next);
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
    hs_sim_4_t *state = state_of(heap);
    uint32_t block = offset - HEADER;
    uint32_t size = size_of(state, block);
    heap->tally.used -= size - HEADER;
    heap->tally.used_blocks--;
    state->free_bytes += size;
    insert(state, block, size);
}

/* ---- questions -------------------------------------------------------------------------------- */

static uint32_t usable(const hs_sim_t *heap, uint32_t offset)
{
    return size_of(state_of_const(heap), offset - HEADER) - HEADER;
}

/* Bound: visits each free block once. */
static hs_largest_t largest_by_walk(const hs_sim_4_t *state)
{
    hs_largest_t largest = {0, 0, false};
    for (uint32_t block = state->first_free; block != state->end; block = next_free(state, block)) {
        hs_largest_add(&largest, size_of(state, block));
    }
    return largest;
}

static uint32_t largest_size(const hs_sim_4_t *state)
{
    return state->largest.unknown ? largest_by_walk(state).size : state->largest.size;
}

static uint32_t largest_free(const hs_sim_t *heap)
{
    uint32_t size = largest_size(state_of_const(heap));
    return size == 0 ? 0 : size - HEADER;
}

/* First fit finds any block that is large enough, and sizes are multiples of the alignment. */
static uint32_t largest_allocatable(hs_sim_t *heap)
{
    hs_sim_4_t *state = state_of(heap);
    if (state->largest.unknown) {
        state->largest = largest_by_walk(state);
    }
    return largest_free(heap);
}

static bool fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const hs_sim_4_t *state = state_of_const(heap);
    uint32_t wanted = block_size(heap, size);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return wanted != 0 && wanted <= state->largest.size && wanted <= largest_size(state);
}

/* Counted like its interface: headers are part of a block, free or used. */
static void reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const hs_sim_4_t *state = state_of_const(heap);
    out->free = state->free_bytes;
    out->minimum_free = state->minimum_free_bytes;
    out->largest_free = largest_size(state);
    out->allocated = state->end - state->start - state->free_bytes;
}

static void forget_low(hs_sim_t *heap)
{
    hs_sim_4_t *state = state_of(heap);
    state->minimum_free_bytes = state->free_bytes;
}

/* A size that leads to the end or to before it. */
static bool is_size(const hs_sim_4_t *state, uint32_t block, uint32_t size)
{
    return size > HEADER && size % state->heap.model->granule == 0 && size <= state->end - block;
}

/* Ends early where a size leads out of the heap, so that damaged memory can be walked too. */
static void walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const hs_sim_4_t *state = state_of_const(heap);
    uint32_t block = state->start;
    while (block != state->end) {
        uint32_t size = size_of(state, block);
        bool used = (hs_region_get(heap, block + SIZE_AT) & IS_USED) != 0;
        hs_walk_block_t seen = {block + HEADER, size - HEADER, used};
        if (!is_size(state, block, size) || !visit(context, &seen)) {
            return;
        }
        block += size;
    }
}

/* ---- check ------------------------------------------------------------------------------------ */

typedef struct progress {
    hs_tally_t seen;
    hs_largest_t largest;
    uint32_t free_block; /* the last one, or the head */
    bool after_free;
} progress_t;

/* No index, or it has the block, as the free one with that number. */
static bool index_agrees(const hs_sim_4_t *state, uint32_t number, uint32_t block, uint32_t size)
{
    const hs_index_t *index = state->heap.index;
    return index == NULL || (number < index->by_place.count &&
                             index->by_place.keys[number] == hs_index_key(block, size));
}

/* A used block has no link; a free one is the next of the list and never follows another. */
static hs_status_t check_block(const hs_sim_4_t *state, uint32_t block, progress_t *progress,
                               uint32_t *where)
{
    uint32_t word = hs_region_get(&state->heap, block + SIZE_AT);
    bool used = (word & IS_USED) != 0;
    if (!is_size(state, block, word & ~IS_USED) || (!used && progress->after_free)) {
        return hs_seen_fault(block + SIZE_AT, where);
    }
    if (used && hs_region_get(&state->heap, block) != 0) {
        return hs_seen_fault(block, where);
    }
    if (!used && !index_agrees(state, progress->seen.free_blocks, block, word)) {
        return hs_seen_fault(block, where);
    }
    if (!used) {
        if (next_free(state, progress->free_block) != block) {
            return hs_seen_fault(progress->free_block == HEAD ? block : progress->free_block,
                                 where);
        }
        progress->free_block = block;
        hs_largest_add(&progress->largest, word);
    }
    hs_seen_add(&progress->seen, (word & ~IS_USED) - HEADER, used);
    progress->after_free = !used;
    return HS_OK;
}

static bool counts_agree(const hs_sim_4_t *state, const progress_t *progress)
{
    const hs_tally_t *tally = &state->heap.tally;
    return hs_seen_agrees(tally, &progress->seen) &&
           hs_largest_agrees(&state->largest, &progress->largest) &&
           state->free_bytes == tally->free + HEADER * tally->free_blocks &&
           state->minimum_free_bytes <= state->free_bytes &&
           (state->heap.index == NULL || state->heap.index->by_place.count == tally->free_blocks);
}

/* Bound: each step goes up by more than a header. */
static hs_status_t check(const hs_sim_t *heap, uint32_t *where)
{
    const hs_sim_4_t *state = state_of_const(heap);
    progress_t progress = {{0, 0, 0, 0, 0, 0, 0}, {0, 0, false}, HEAD, false};
    for (uint32_t block = state->start; block != state->end; block += size_of(state, block)) {
        hs_status_t status = check_block(state, block, &progress, where);
        if (status != HS_OK) {
            return status;
        }
    }
    if (next_free(state, progress.free_block) != state->end) {
        return hs_seen_fault(progress.free_block == HEAD ? state->end : progress.free_block, where);
    }
    if (hs_region_get(heap, state->end) != 0 || hs_region_get(heap, state->end + SIZE_AT) != 0) {
        return hs_seen_fault(state->end, where);
    }
    return counts_agree(state, &progress) ? HS_OK : hs_seen_fault(state->start, where);
}

/* ---- creation --------------------------------------------------------------------------------- */

static hs_status_t create(hs_sim_t *heap)
{
    hs_sim_4_t *state = state_of(heap);
    uint32_t round = heap->model->granule - 1;
    uint32_t skipped = (0u - heap->base) & round;
    if (heap->size < skipped + 3 * HEADER) {
        return HS_ERR_MEMORY;
    }
    state->start = skipped;
    state->end = ((heap->base + heap->size - HEADER) & ~round) - heap->base;
    /* The real one takes any size, and takes the upper bit of this one for its mark. */
    if ((state->end & IS_USED) != 0) {
        return HS_ERR_MEMORY;
    }
    state->first_free = state->start;
    hs_region_put(heap, state->end, 0);
    hs_region_put(heap, state->end + SIZE_AT, 0);
    set_size(state, state->start, state->end - state->start);
    set_next_free(state, state->start, state->end);
    state->free_bytes = state->minimum_free_bytes = state->end - state->start;
    heap->index = hs_index_new(0);
    count_free(state, state->free_bytes);
    index_change(state, 0, 0, state->start, state->free_bytes);
    heap->steps.writes = 0;
    return HS_OK;
}

/* All but name, title and granule, which is the alignment. */
#define SAME_IN_BOTH_ALIGNMENTS                                                                    \
    .state_size = sizeof(hs_sim_4_t), .poisonable = false, .has_realloc = false,                   \
    .has_aligned = false, .serves_up_to_largest = true, .aligned_is_own = false, .create = create, \
    .malloc = model_malloc, .free = model_free, .usable = usable, .fits = fits,                    \
    .largest_allocatable = largest_allocatable, .largest_free = largest_free,                      \
    .reported = reported, .walk = walk, .forget_low = forget_low, .check = check

const hs_model_t hs_model_heap_4 = {
    .name = "heap_4",
    .title = "FreeRTOS heap_4: free list in address order, first fit",
    .granule = 8,
    SAME_IN_BOTH_ALIGNMENTS,
};

const hs_model_t hs_model_heap_4_4 = {
    .name = "heap_4-4",
    .title = "FreeRTOS heap_4 with an alignment of 4",
    .granule = 4,
    SAME_IN_BOTH_ALIGNMENTS,
};
