/*
 * umm_malloc: runs of units of 8 bytes or more, linked by 16-bit indices; best fit or first fit.
 * Source: rhempel/umm_malloc ed68d0b src/umm_malloc.c.
 *
 *     unit 0       the head of the free list; never free, never merged
 *     unit 1 ...   runs
 *     last unit    the end; never free
 *
 *     run + 0      index of the physically next run; bit 15: this run is free
 *     run + 2      index of the physically previous run
 *     run + 4      payload; in a free run the indices of the next and the previous one in the list
 *
 * Index 0 ends the list on both sides. A run that becomes free goes to its front, unless it is
 * absorbed by the one below; the rest of a run that was split takes that run's place.
 */
#include "umm.h"

#include "list.h"

/* ---- the free list ---------------------------------------------------------------------------- */

static void set_header(hs_umm_t *umm, uint32_t run, uint32_t next, uint32_t flag)
{
    umm_set_field(umm, run, 0, next | flag);
}

/* Two neighbours in the list; either may be the head. */
static void link_free(hs_umm_t *umm, uint32_t first, uint32_t second)
{
    umm_set_field(umm, first, UMM_NEXT_FREE, second);
    umm_set_field(umm, second, UMM_PREVIOUS_FREE, first);
    umm->heap.steps.writes += 2;
}

/* A free run has come to be, at its place in the list. */
static void note_free(hs_umm_t *umm, uint32_t run, uint32_t size)
{
    hs_index_t *index = umm->heap.index;
    hs_largest_add(&umm->largest, size);
    if (index != NULL && !hs_order_add(&index->by_size, umm_index_key(index, run, size))) {
        hs_index_drop(&umm->heap);
    }
}

static void note_taken(hs_umm_t *umm, uint32_t run, uint32_t size)
{
    hs_index_t *index = umm->heap.index;
    hs_largest_take(&umm->largest, size);
    if (index != NULL) {
        hs_order_remove(&index->by_size, umm_index_key(index, run, size));
    }
}

/* The free run `old`, of `size`, is now at `run`, of its size; its place in the list is the same. */
static void note_changed(hs_umm_t *umm, uint32_t old, uint32_t size, uint32_t run)
{
    hs_index_t *index = umm->heap.index;
    uint32_t changed = umm_size(umm, run);
    hs_largest_take(&umm->largest, size);
    hs_largest_add(&umm->largest, changed);
    if (index != NULL) {
        const uint64_t key = umm_index_key(index, old, size);
        index->ranks[run] = index->ranks[old];
        hs_order_replace(&index->by_size, key, umm_index_key(index, run, changed));
    }
}

/* The run comes to the front of the list, where its rank is below all others. */
static void rank_first(hs_umm_t *umm, uint32_t run)
{
    hs_index_t *index = umm->heap.index;
    if (index != NULL && index->next_rank == 0) {
        hs_index_drop(&umm->heap); /* after four billion of them */
    } else if (index != NULL) {
        index->ranks[run] = index->next_rank--;
    }
}

/* Out of the list; the run is used from now on, and its units are in no tally. */
static void unlink_free(hs_umm_t *umm, uint32_t run)
{
    hs_sim_t *heap = &umm->heap;
    uint32_t size = umm_size(umm, run);
    link_free(umm, umm_field(umm, run, UMM_PREVIOUS_FREE), umm_field(umm, run, UMM_NEXT_FREE));
    set_header(umm, run, umm_next(umm, run), 0);
    heap->steps.writes++;
    heap->tally.free -= umm_payload(umm, size);
    heap->tally.free_blocks--;
    note_taken(umm, run, size);
}

static void push_free(hs_umm_t *umm, uint32_t run)
{
    hs_sim_t *heap = &umm->heap;
    uint32_t size = umm_size(umm, run);
    link_free(umm, run, umm_field(umm, UMM_HEAD, UMM_NEXT_FREE));
    link_free(umm, UMM_HEAD, run);
    set_header(umm, run, umm_next(umm, run), UMM_IS_FREE);
    heap->steps.writes++;
    heap->tally.free += umm_payload(umm, size);
    heap->tally.free_blocks++;
    rank_first(umm, run);
    note_free(umm, run, size);
}

static void note_minimum(hs_umm_t *umm)
{
    uint32_t units = umm_free_units(umm);
    hs_region_note_low(&umm->heap);
    if (units < umm->minimum_units) {
        umm->minimum_units = units;
    }
}

/* ---- splitting and merging -------------------------------------------------------------------- */

/* The upper part of a run, from `units` on, becomes one of its own; returns it. */
static uint32_t split(hs_umm_t *umm, uint32_t run, uint32_t units, uint32_t flag)
{
    uint32_t next = umm_next(umm, run);
    uint32_t rest = run + units;
    set_header(umm, rest, next, flag);
    umm_set_field(umm, rest, UMM_PREVIOUS, run);
    umm_set_field(umm, next, UMM_PREVIOUS, rest);
    set_header(umm, run, rest, 0);
    umm->heap.steps.writes += 4;
    return rest;
}

static void merge(hs_umm_t *umm, uint32_t low, uint32_t high, uint32_t flag)
{
    uint32_t next = umm_next(umm, high);
    set_header(umm, low, next, flag);
    umm_set_field(umm, next, UMM_PREVIOUS, low);
    umm->heap.steps.writes += 2;
}

/* A run that is not free takes in the one above it if that is free. */
static void absorb_next(hs_umm_t *umm, uint32_t run)
{
    uint32_t next = umm_next(umm, run);
    if (umm_is_free(umm, next)) {
        unlink_free(umm, next);
        merge(umm, run, next, 0);
    }
}

/* Frees a run whose units are in no tally. */
static void release(hs_umm_t *umm, uint32_t run)
{
    absorb_next(umm, run);
    uint32_t below = umm_field(umm, run, UMM_PREVIOUS);
    if (!umm_is_free(umm, below)) {
        push_free(umm, run);
        return;
    }
    uint32_t gained = umm_size(umm, run);
    uint32_t old = umm_size(umm, below);
    merge(umm, below, run, UMM_IS_FREE);
    umm->heap.tally.free += umm_bytes(umm, gained);
    note_changed(umm, below, old, below);
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* The same as best_fit, without a walk. */
static uint32_t best_fit_by_index(hs_umm_t *umm, uint32_t units)
{
    hs_order_t *order = &umm->heap.index->by_size;
    const uint32_t at = hs_order_search(order, (uint64_t)units << 48);
    umm->heap.steps.nodes += order->count;
    return at == order->count ? UMM_HEAD : (uint32_t)order->keys[at] & UMM_INDEX;
}

/* The smallest run of at least `units`, the first of equals in list order; the head if no run
 * is that long. Bound: visits every free run. */
static uint32_t best_fit(hs_umm_t *umm, uint32_t units)
{
    if (umm->heap.index != NULL) {
        return best_fit_by_index(umm, units);
    }
    uint32_t best = UMM_HEAD;
    uint32_t best_size = UINT32_MAX;
    uint32_t run = umm_field(umm, UMM_HEAD, UMM_NEXT_FREE);
    for (; run != UMM_HEAD; run = umm_field(umm, run, UMM_NEXT_FREE)) {
        uint32_t size = umm_size(umm, run);
        umm->heap.steps.nodes++;
        if (size >= units && size < best_size) {
            best = run;
            best_size = size;
        }
    }
    return best;
}

static uint32_t first_fit(hs_umm_t *umm, uint32_t units)
{
    uint32_t run = umm_field(umm, UMM_HEAD, UMM_NEXT_FREE);
    for (; run != UMM_HEAD; run = umm_field(umm, run, UMM_NEXT_FREE)) {
        umm->heap.steps.nodes++;
        if (umm_size(umm, run) >= units) {
            break;
        }
    }
    return run;
}

/* The low part of a free run is taken; the rest keeps its place in the list. */
static void take_low(hs_umm_t *umm, uint32_t run, uint32_t units)
{
    uint32_t previous = umm_field(umm, run, UMM_PREVIOUS_FREE);
    uint32_t next = umm_field(umm, run, UMM_NEXT_FREE);
    uint32_t size = umm_size(umm, run);
    uint32_t rest = split(umm, run, units, UMM_IS_FREE);
    link_free(umm, previous, rest);
    link_free(umm, rest, next);
    umm->heap.tally.free -= umm_bytes(umm, units);
    note_changed(umm, run, size, rest);
}

static uint32_t hand_out(hs_umm_t *umm, uint32_t run, uint32_t units)
{
    if (run == UMM_HEAD) {
        return HS_NONE;
    }
    if (umm_size(umm, run) == units) {
        unlink_free(umm, run);
    } else {
        take_low(umm, run, units);
    }
    umm->heap.tally.used += umm_payload(umm, units);
    umm->heap.tally.used_blocks++;
    note_minimum(umm);
    return umm_offset(umm, run);
}

static uint32_t malloc_best(hs_sim_t *heap, uint32_t size)
{
    hs_umm_t *umm = umm_of(heap);
    uint32_t units = umm_units_for(umm, size);
    return size == 0 ? HS_NONE : hand_out(umm, best_fit(umm, units), units);
}

static uint32_t malloc_first(hs_sim_t *heap, uint32_t size)
{
    hs_umm_t *umm = umm_of(heap);
    uint32_t units = umm_units_for(umm, size);
    return size == 0 ? HS_NONE : hand_out(umm, first_fit(umm, units), units);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_umm_t *umm = umm_of(heap);
    uint32_t run = umm_run_at(umm, offset);
    heap->tally.used -= umm_payload(umm, umm_size(umm, run));
    heap->tally.used_blocks--;
    release(umm, run);
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* Moves down into the free run below. */
static uint32_t slide(hs_umm_t *umm, uint32_t run, uint32_t old)
{
    uint32_t below = umm_field(umm, run, UMM_PREVIOUS);
    unlink_free(umm, below);
    merge(umm, below, run, 0);
    umm->heap.steps.copied += umm_payload(umm, old);
    return below;
}

/* Grows into free neighbours where they suffice; returns the run that then holds the data, of less
 * than `units` if they do not. The run below goes first, but for an exact fit above. */
static uint32_t grow(hs_umm_t *umm, uint32_t run, uint32_t units)
{
    uint32_t next = umm_next(umm, run);
    uint32_t previous = umm_field(umm, run, UMM_PREVIOUS);
    uint32_t size = next - run;
    uint32_t above = umm_is_free(umm, next) ? umm_size(umm, next) : 0;
    uint32_t below = umm_is_free(umm, previous) ? umm_size(umm, previous) : 0;
    if (size + above == units || (below == 0 && size + above >= units)) {
        absorb_next(umm, run);
        return run;
    }
    if (below + size >= units) {
        return slide(umm, run, size);
    }
    if (below + size + above >= units) {
        absorb_next(umm, run);
        return slide(umm, run, size);
    }
    return run;
}

static uint32_t move(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    uint32_t moved = heap->model->malloc(heap, size);
    if (moved != HS_NONE) {
        heap->steps.copied += hs_umm_usable(heap, offset);
        model_free(heap, offset);
    }
    return moved;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    hs_umm_t *umm = umm_of(heap);
    uint32_t units = umm_units_for(umm, size);
    uint32_t run = umm_run_at(umm, offset);
    uint32_t old = umm_size(umm, run);
    if (old < units) {
        run = grow(umm, run, units);
    }
    uint32_t held = umm_size(umm, run);
    if (held < units) {
        return move(heap, offset, size);
    }
    if (held > units) {
        release(umm, split(umm, run, units, 0));
    }
    heap->tally.used += umm_bytes(umm, units - old);
    note_minimum(umm);
    return umm_offset(umm, run);
}

/* ---- creation --------------------------------------------------------------------------------- */

static hs_status_t create(hs_sim_t *heap)
{
    hs_umm_t *umm = umm_of(heap);
    umm->shift = *(const uint32_t *)heap->model->build;
    uint32_t units = heap->size >> umm->shift;
    /* More units than indices: the real one would lose the upper bits of the last one's. */
    if (heap->base % 4 != 0 || units < UMM_UNITS_MIN || units > UMM_UNITS_MAX) {
        return HS_ERR_MEMORY;
    }
    umm->last = units - 1;
    memset(heap->mem, 0, heap->size);
    set_header(umm, UMM_HEAD, UMM_FIRST, 0);
    set_header(umm, UMM_FIRST, umm->last, UMM_IS_FREE);
    umm_set_field(umm, umm->last, UMM_PREVIOUS, UMM_FIRST);
    umm_set_field(umm, UMM_HEAD, UMM_NEXT_FREE, UMM_FIRST);
    umm_set_field(umm, UMM_HEAD, UMM_PREVIOUS_FREE, UMM_FIRST);
    heap->tally.control = umm_bytes(umm, 1);
    heap->tally.free = umm_payload(umm, umm->last - UMM_FIRST);
    heap->tally.free_blocks = 1;
    if (heap->model->malloc == malloc_best) {
        heap->index = hs_index_new(units);
    }
    rank_first(umm, UMM_FIRST);
    note_free(umm, UMM_FIRST, umm->last - UMM_FIRST);
    umm->minimum_units = umm_free_units(umm);
    return HS_OK;
}

/* All but name, title and malloc. */
#define SAME_IN_BOTH_FITS                                                                          \
    .state_size = sizeof(hs_umm_t), .granule = 4, .poisonable = false, .has_realloc = true,        \
    .has_aligned = false, .serves_up_to_largest = true, .search = HS_SEARCH_ANY,                   \
    .aligned_is_own = false, .create = create, .free = model_free, .realloc = model_realloc,       \
    .usable = hs_umm_usable, .fits = hs_umm_fits,                                                  \
    .largest_allocatable = hs_umm_largest_allocatable, .largest_free = hs_umm_largest_free,        \
    .reported = hs_umm_reported, .walk = hs_umm_walk, .check = hs_umm_check

/* A unit's bytes, log2. */
static const uint32_t shift_8 = 3;
static const uint32_t shift_32 = 5;

const hs_model_t hs_model_umm = {
    .name = "umm",
    .title = "umm_malloc: 8-byte units, best fit",
    .build = &shift_8,
    .malloc = malloc_best,
    SAME_IN_BOTH_FITS,
};

const hs_model_t hs_model_umm_32 = {
    .name = "umm:32",
    .title = "umm_malloc: 32-byte units, best fit",
    .build = &shift_32,
    .malloc = malloc_best,
    SAME_IN_BOTH_FITS,
};

const hs_model_t hs_model_umm_first = {
    .name = "umm-first",
    .title = "umm_malloc: 8-byte units, first fit",
    .build = &shift_8,
    .malloc = malloc_first,
    SAME_IN_BOTH_FITS,
};
