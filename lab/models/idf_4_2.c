/*
 * ESP-IDF v3.3 to v4.2: one free list in address order, best fit.
 * Source: components/heap/multi_heap.c of the release tags v3.3 to v4.2.
 *
 *     first + 0    heap: lock, free bytes, minimum free bytes, address of the last block
 *     first + 16   the dummy block at the head of the free list, 8 bytes, always "free"
 *     first + 24   blocks
 *     end - 8      the last block: "free", no data, the end of every list
 *
 *     block + 0    address of the physically next block; bit 0: this block is free
 *     block + 4    data; in a free block the address of the next free block
 *
 * There is neither a size nor a way back: a block's size is the distance to the next one, and the
 * free block before a block is found by walking the free list from the dummy.
 */
#include "idf_4_2.h"

#include "bits.h"
#include "idf_4_2_index.h"
#include "list.h"
#include "load.h"
#include "region.h"

/* ---- the free list ---------------------------------------------------------------------------- */

/* The last block in the free list below `block`; the dummy if the list is empty. */
static uint32_t free_before(hs_list_heap_t *list, uint32_t block)
{
    if (list->heap.index != NULL) {
        return list_free_before_by_index(list, block);
    }
    uint32_t before = list->dummy;
    uint64_t nodes = 1;
    uint32_t next = list_next_free(list, before);
    while (next < block) {
        before = next;
        next = list_next_free(list, before);
        nodes++;
    }
    list->heap.steps.nodes += nodes;
    return before;
}

static void set_free_bytes(hs_list_heap_t *list, uint32_t free_bytes)
{
    list->heap.tally.free = free_bytes;
    hs_region_put(&list->heap, list->start + LIST_FREE_AT, free_bytes);
}

static void note_minimum(hs_list_heap_t *list)
{
    hs_region_note_low(&list->heap);
    hs_region_put(&list->heap, list->start + LIST_MINIMUM_AT, list->heap.tally.minimum_free);
}

/* A free block of `size` has come to be. */
static void note_larger(hs_list_heap_t *list, uint32_t size)
{
    if (size >= list->largest) {
        list->largest = size;
        list->largest_is_exact = true;
    }
}

/* A free block of `size` is gone: if it was the largest, its size is only a bound from now on. */
static void note_taken(hs_list_heap_t *list, uint32_t size)
{
    if (size == list->largest) {
        list->largest_is_exact = false;
    }
}

/* ---- splitting and merging -------------------------------------------------------------------- */

/* The free block at `next` grows downwards to begin at `grown`, which may be 4 bytes below it: its
 * header must be copied before the link, whose new place is the old header's. */
static void extend_down(hs_list_heap_t *list, uint32_t before, uint32_t next, uint32_t grown)
{
    hs_sim_t *heap = &list->heap;
    uint32_t header = hs_region_get(heap, next);
    uint32_t next_free = hs_region_get(heap, next + LIST_NEXT_FREE);
    uint32_t size = list_size(list, next);
    note_taken(list, size);
    hs_region_put(heap, grown, header);
    hs_region_put(heap, grown + LIST_NEXT_FREE, next_free);
    hs_region_put_link(heap, before + LIST_NEXT_FREE, grown);
    set_free_bytes(list, heap->tally.free + (next - grown));
    note_larger(list, size + (next - grown));
    list_index_change(list, next, size, grown, size + (next - grown));
    heap->steps.writes += 4;
}

static void insert_rest(hs_list_heap_t *list, uint32_t before, uint32_t rest, uint32_t next)
{
    hs_sim_t *heap = &list->heap;
    uint32_t size = next - rest - LIST_OVERHEAD;
    list_set_header(list, rest, next, LIST_IS_FREE);
    list_set_next_free(list, rest, list_next_free(list, before));
    list_set_next_free(list, before, rest);
    set_free_bytes(list, heap->tally.free + size);
    heap->tally.free_blocks++;
    heap->steps.writes += 4;
    note_larger(list, size);
}

/* Gives back what a used block has beyond `size`. `before` is the free block below it, or HS_NONE
 * where it must be searched for. Returns the block that came to be of it, which is not in the index
 * yet, or HS_NONE. */
static uint32_t split(hs_list_heap_t *list, uint32_t block, uint32_t size, uint32_t before)
{
    uint32_t next = list_next(list, block);
    uint32_t data = next - block - LIST_OVERHEAD;
    uint32_t rest = block + LIST_OVERHEAD + size;
    bool extend = next != list->last && list_is_free(list, next);
    if (!extend && data < size + LIST_BLOCK_MIN) {
        return HS_NONE;
    }
    if (before == HS_NONE) {
        before = free_before(list, block);
    }
    if (extend) {
        extend_down(list, before, next, rest);
    } else {
        insert_rest(list, before, rest, next);
    }
    list_set_header(list, block, rest, 0);
    list->heap.tally.used -= data - size;
    list->heap.steps.writes++;
    return extend ? HS_NONE : rest;
}

/* The end of a realloc. */
static void split_used(hs_list_heap_t *list, uint32_t block, uint32_t size)
{
    const uint32_t rest = split(list, block, size, HS_NONE);
    if (rest != HS_NONE) {
        list_index_add(list, rest, list_size(list, rest));
    }
}

/* Both are free: `low` swallows `high`. Not in the index yet. */
static void merge_free(hs_list_heap_t *list, uint32_t low, uint32_t high)
{
    hs_sim_t *heap = &list->heap;
    note_taken(list, list_size(list, low));
    note_taken(list, list_size(list, high));
    list_set_next_free(list, low, list_next_free(list, high));
    list_set_header(list, low, list_next(list, high), LIST_IS_FREE);
    set_free_bytes(list, heap->tally.free + LIST_OVERHEAD);
    heap->tally.free_blocks--;
    heap->steps.writes += 3;
    note_larger(list, list_size(list, low));
}

/* One of the two is free: the result is used. */
static void merge_used(hs_list_heap_t *list, uint32_t low, uint32_t high, uint32_t taken)
{
    hs_sim_t *heap = &list->heap;
    uint32_t before = free_before(list, taken);
    uint32_t size = list_size(list, taken);
    list_set_next_free(list, before, list_next_free(list, taken));
    set_free_bytes(list, heap->tally.free - size);
    heap->tally.free_blocks--;
    heap->tally.used += size + LIST_OVERHEAD;
    heap->steps.writes += 3;
    note_taken(list, size);
    list_index_remove(list, taken, size);
    list_set_header(list, low, list_next(list, high), 0);
}

/* Two neighbours, not both used. The ends never merge. */
static uint32_t merge(hs_list_heap_t *list, uint32_t low, uint32_t high)
{
    if (high == list->last) {
        return low;
    }
    if (low == list->dummy) {
        return high;
    }
    bool low_free = list_is_free(list, low);
    if (low_free && list_is_free(list, high)) {
        merge_free(list, low, high);
    } else {
        merge_used(list, low, high, low_free ? low : high);
    }
    return low;
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* The smallest free block for `size`, the lowest of equals, or HS_NONE; *before: the one in front
 * of it in the list. Visits all but after an exact fit. */
static uint32_t best_fit(hs_list_heap_t *list, uint32_t size, uint32_t *before)
{
    if (list->heap.index != NULL) {
        return list_best_fit_by_index(list, size, before);
    }
    uint32_t best = HS_NONE;
    uint32_t best_size = UINT32_MAX;
    uint32_t previous = list->dummy;
    uint64_t nodes = 0;
    uint32_t block = list_next_free(list, previous);
    for (; block != list->last && best_size != size; block = list_next_free(list, block)) {
        uint32_t data = list_size(list, block);
        nodes++;
        if (data >= size && data < best_size) {
            best = block;
            best_size = data;
            *before = previous;
        }
        previous = block;
    }
    list->heap.steps.nodes += nodes + (best_size != size ? 1 : 0);
    return best;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    hs_list_heap_t *list = list_of(heap);
    uint32_t before = HS_NONE;
    size = hs_bits_up4(size);
    if (size == 0 || heap->tally.free < size) {
        return HS_NONE;
    }
    uint32_t block = best_fit(list, size, &before);
    if (block == HS_NONE) {
        return HS_NONE;
    }
    uint32_t data = list_size(list, block);
    list_set_next_free(list, before, list_next_free(list, block));
    list_set_header(list, block, list_next(list, block), 0);
    note_taken(list, data);
    set_free_bytes(list, heap->tally.free - data);
    heap->tally.free_blocks--;
    heap->tally.used += data;
    heap->tally.used_blocks++;
    heap->steps.writes += 3;
    const uint32_t rest = split(list, block, size, before);
    if (rest == HS_NONE) {
        list_index_remove(list, block, data);
    } else {
        list_index_change(list, block, data, rest, list_size(list, rest));
    }
    note_minimum(list);
    return block + LIST_OVERHEAD;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_list_heap_t *list = list_of(heap);
    uint32_t block = offset - LIST_OVERHEAD;
    uint32_t before = free_before(list, block);
    uint32_t next = list_next(list, block);
    uint32_t data = next - block - LIST_OVERHEAD;
    list_set_next_free(list, block, list_next_free(list, before));
    list_set_next_free(list, before, block);
    list_set_header(list, block, next, LIST_IS_FREE);
    set_free_bytes(list, heap->tally.free + data);
    heap->tally.free_blocks++;
    heap->tally.used -= data;
    heap->tally.used_blocks--;
    heap->steps.writes += 4;
    note_larger(list, data);
    const uint32_t freed = block;
    const uint32_t below = list_next(list, before) == block ? list_size(list, before) : 0;
    const uint32_t above =
        list_is_free(list, next) && next != list->last ? list_size(list, next) : 0;
    if (list_next(list, before) == block) {
        block = merge(list, before, block);
    }
    if (list_is_free(list, next)) {
        merge(list, block, next);
    }
    const uint32_t merged = list_size(list, block);
    if (block != freed) {
        list_index_change(list, block, below, block, merged);
    } else if (above != 0) {
        list_index_change(list, next, above, block, merged);
    } else {
        list_index_add(list, block, merged);
    }
    if (block != freed && above != 0) {
        list_index_remove(list, next, above);
    }
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* Grows a block into its free neighbours where they suffice, into the lower one whenever the sum
 * is wanted or both are; returns the block that then holds the data. The sums leave out the header
 * that a merge gains, and count the dummy's 4 bytes for the very first block, though nothing can be
 * merged with it: both as in the source. */
static uint32_t grow(hs_list_heap_t *list, uint32_t block, uint32_t size)
{
    uint32_t next = list_next(list, block);
    uint32_t before = free_before(list, block);
    uint32_t data = list_size(list, block);
    uint32_t below = list_next(list, before) == block ? list_size(list, before) : 0;
    if (list_is_free(list, next)) {
        uint32_t above = next == list->last ? 0 : list_size(list, next);
        if (data + above + below >= size) {
            block = merge(list, block, next);
        }
    }
    if (below > 0 && list_size(list, block) + below >= size) {
        block = merge(list, before, block);
    }
    return block;
}

static uint32_t move(hs_sim_t *heap, uint32_t offset, uint32_t old, uint32_t size)
{
    uint32_t moved = model_malloc(heap, size);
    if (moved != HS_NONE) {
        heap->steps.copied += old;
        model_free(heap, offset);
    }
    return moved;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    hs_list_heap_t *list = list_of(heap);
    uint32_t block = offset - LIST_OVERHEAD;
    uint32_t old = list_size(list, block);
    size = hs_bits_up4(size);
    if (size == 0) {
        /* The last three sizes below 2^32 wrap to 0, for which the real one frees the block while
         * its program takes the NULL for a failure. Refused here: the block stays. */
        return HS_NONE;
    }
    if (size <= old) {
        split_used(list, block, size);
        return offset;
    }
    if (heap->tally.free < size - old) {
        return HS_NONE;
    }
    uint32_t grown = grow(list, block, size);
    if (list_size(list, grown) < size) {
        return move(heap, offset, old, size);
    }
    heap->steps.copied += grown != block ? old : 0;
    split_used(list, grown, size);
    note_minimum(list);
    return grown + LIST_OVERHEAD;
}

/* ---- aligned: a raw block with the distance to its start in front of the aligned address -------- */

static uint32_t aligned_start(const hs_sim_t *heap, uint32_t aligned)
{
    return aligned - hs_region_get(heap, aligned - 4);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    (void)at; /* this version aligns the raw payload only: with poisoning the program's is not */
    uint32_t request = hs_list_aligned_request(align, size);
    uint32_t start = request == 0 ? HS_NONE : model_malloc(heap, request);
    if (start == HS_NONE) {
        return HS_NONE;
    }
    uint32_t address = (heap->base + start + 4 + align - 1) & ~(align - 1);
    uint32_t aligned = address - heap->base;
    hs_region_put(heap, aligned - 4, aligned - start);
    heap->steps.writes++;
    return aligned;
}

static void model_aligned_free(hs_sim_t *heap, uint32_t offset)
{
    model_free(heap, aligned_start(heap, offset));
}

static uint32_t usable(const hs_sim_t *heap, uint32_t offset)
{
    return list_size(list_of_const(heap), offset - LIST_OVERHEAD);
}

static uint32_t aligned_usable(const hs_sim_t *heap, uint32_t offset)
{
    uint32_t start = aligned_start(heap, offset);
    return usable(heap, start) - (offset - start);
}

/* ---- creation --------------------------------------------------------------------------------- */

static hs_status_t create(hs_sim_t *heap)
{
    hs_list_heap_t *list = list_of(heap);
    uint32_t start = hs_bits_up4(heap->base);
    uint32_t end = hs_bits_down4(heap->base + heap->size);
    if (start < heap->base || end < start || end - start < LIST_REGION_MIN) {
        return HS_ERR_MEMORY;
    }
    list->start = start - heap->base;
    list->dummy = list->start + LIST_DUMMY_AT;
    list->last = end - heap->base - LIST_BLOCK_MIN;
    uint32_t first = list->start + LIST_CONTROL;
    list_set_header(list, list->dummy, first, LIST_IS_FREE);
    list_set_next_free(list, list->dummy, first);
    list_set_header(list, first, list->last, LIST_IS_FREE);
    list_set_next_free(list, first, list->last);
    hs_region_put(heap, list->last, LIST_IS_FREE);
    hs_region_put(heap, list->last + LIST_NEXT_FREE, 0);
    hs_region_put_link(heap, list->start + LIST_LAST_AT, list->last);

    heap->tally.control = LIST_CONTROL;
    heap->tally.free_blocks = 1;
    set_free_bytes(list, list_size(list, first));
    heap->tally.minimum_free = heap->tally.free;
    note_minimum(list);
    heap->index = hs_index_new(0);
    note_larger(list, heap->tally.free);
    list_index_add(list, first, heap->tally.free);
    return HS_OK;
}

/* All but name, title and aligned allocation. */
#define SAME_IN_BOTH                                                                               \
    .state_size = sizeof(hs_list_heap_t), .granule = 4, .poisonable = true,                        \
    .tracking = HS_TRACKING_IN_POISON, .has_realloc = true, .serves_up_to_largest = true,          \
    .undoes_malloc = true, .search = HS_SEARCH_ANY, .create = create, .malloc = model_malloc,      \
    .free = model_free, .realloc = model_realloc, .usable = usable, .fits = hs_list_fits,          \
    .largest_allocatable = hs_list_largest_allocatable, .largest_free = hs_list_largest_free,      \
    .reported = hs_list_reported, .walk = hs_list_walk, .forget_low = hs_idf_forget_low,           \
    .check = hs_list_check

const hs_model_t hs_model_idf_4_2 = {
    .name = "idf-4.2",
    .title = "ESP-IDF v4.2: free list in address order, best fit",
    .has_aligned = true,
    .aligned_is_own = true,
    .aligned = model_aligned,
    .aligned_free = model_aligned_free,
    .aligned_usable = aligned_usable,
    SAME_IN_BOTH,
};

const hs_model_t hs_model_idf_3_3 = {
    .name = "idf-3.3",
    .title = "ESP-IDF v3.3: as v4.2, without aligned allocation",
    .places_as = "idf-4.2",
    SAME_IN_BOTH,
};
