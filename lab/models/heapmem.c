#include "heapmem.h"

#include "list.h"

/* ---- chunks and the free list ------------------------------------------------------------------ */

/* A chunk becomes free: the last one leaves the heap, any other comes to the front of the list. */
static void release(heapmem_t *state, uint32_t chunk)
{
    hs_sim_t *heap = &state->heap;
    heapmem_put(heap, chunk + HEAPMEM_FLAGS, 0);
    if (heapmem_end_of(heap, chunk) == state->usage) {
        state->usage = chunk;
        return;
    }
    heapmem_put_link(heap, chunk + HEAPMEM_PREVIOUS, HS_NONE);
    heapmem_put_link(heap, chunk + HEAPMEM_NEXT, state->list);
    if (state->list != HS_NONE) {
        heapmem_put_link(heap, state->list + HEAPMEM_PREVIOUS, chunk);
    }
    state->list = chunk;
}

/* Keeps so much of a chunk; the rest is free if it is more than a header. */
static void split(heapmem_t *state, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t whole = heapmem_size_of(heap, chunk);
    if (size + HEAPMEM_HEADER < whole) {
        const uint32_t rest = chunk + HEAPMEM_HEADER + size;
        heapmem_put(heap, rest + HEAPMEM_SIZE, whole - HEAPMEM_HEADER - size);
        heapmem_put(heap, chunk + HEAPMEM_SIZE, size);
        release(state, rest);
    }
}

/* ---- malloc and free -------------------------------------------------------------------------- */

static bool extend(heapmem_t *state, uint32_t bytes)
{
    if (bytes > state->end - state->usage) {
        return false;
    }
    state->usage += bytes;
    return true;
}

static uint32_t take(heapmem_t *state, uint32_t size)
{
    hs_sim_t *heap = &state->heap;
    uint32_t chunk = heapmem_search(state, size);
    if (chunk != HS_NONE) {
        heapmem_unlist(state, chunk);
        split(state, chunk, size);
        return chunk;
    }
    chunk = state->usage;
    if (!extend(state, HEAPMEM_HEADER + size)) {
        return HS_NONE;
    }
    heapmem_put(heap, chunk + HEAPMEM_SIZE, size);
    return chunk;
}

/* The chunk has other bytes than before: `before` of them were no run's. */
static void account(heapmem_t *state, uint32_t chunk, uint32_t before)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t end = heapmem_end_of(heap, chunk);
    if (end > chunk + before) {
        runs_use(heap, &state->runs, chunk + before, end);
    } else if (end < chunk + before) {
        runs_free(heap, &state->runs, end, chunk + before);
    }
    heap->tally.used += end - chunk - before;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    heapmem_t *state = heapmem_of(heap);
    if (heapmem_is_refused(state, size)) {
        return HS_NONE;
    }
    const uint32_t chunk = take(state, heapmem_rounded(size));
    if (chunk == HS_NONE) {
        return HS_NONE;
    }
    heapmem_put(heap, chunk + HEAPMEM_FLAGS, HEAPMEM_IS_USED);
    state->quota += HEAPMEM_HEADER + heapmem_rounded(size);
    account(state, chunk, 0);
    heap->tally.used -= HEAPMEM_HEADER;
    heap->tally.used_blocks++;
    return chunk + HEAPMEM_HEADER;
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return heapmem_size_of(heap, offset - HEAPMEM_HEADER);
}

static void give(heapmem_t *state, uint32_t chunk)
{
    hs_sim_t *heap = &state->heap;
    heap->tally.used -= heapmem_size_of(heap, chunk);
    heap->tally.used_blocks--;
    runs_free(heap, &state->runs, chunk, heapmem_end_of(heap, chunk));
    release(state, chunk);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    heapmem_t *state = heapmem_of(heap);
    state->quota -= HEAPMEM_HEADER + model_usable(heap, offset);
    give(state, offset - HEAPMEM_HEADER);
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    heapmem_t *state = heapmem_of(heap);
    const uint32_t chunk = offset - HEAPMEM_HEADER;
    const uint32_t old = heapmem_size_of(heap, chunk);
    const uint32_t wanted = heapmem_rounded(size);
    bool stays = wanted <= old;
    if (wanted < size) {
        return HS_NONE;
    }
    if (wanted > old && heapmem_end_of(heap, chunk) == state->usage) {
        stays = extend(state, wanted - old);
        if (stays) {
            heapmem_put(heap, chunk + HEAPMEM_SIZE, wanted);
        }
    } else if (wanted > old) {
        heapmem_join(state, chunk);
        stays = heapmem_size_of(heap, chunk) >= wanted;
    }
    if (stays) {
        split(state, chunk, wanted);
        state->quota += wanted - old;
    }
    account(state, chunk, HEAPMEM_HEADER + old);
    hs_region_note_low(heap); /* what it joined stays in the block, also where it then fails */
    if (stays) {
        return offset;
    }
    const uint32_t moved = model_malloc(heap, size);
    if (moved != HS_NONE) {
        hs_region_note_low(heap);
        heap->steps.copied += heapmem_size_of(heap, chunk);
        give(state, chunk);
    }
    return moved;
}

static hs_status_t model_create(hs_sim_t *heap)
{
    heapmem_t *state = heapmem_of(heap);
    state->start = state->usage = (0u - heap->base) & HEAPMEM_ROUND;
    if (heap->size < state->start + HEAPMEM_HEADER + HEAPMEM_ROUND + 1) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    state->end = state->start + ((heap->size - state->start) & ~HEAPMEM_ROUND);
    state->list = HS_NONE;
    state->runs.header = HEAPMEM_HEADER;
    run_add(heap, &state->runs, state->start, state->end);
    return HS_OK;
}

const hs_model_t hs_model_heapmem = {
    .name = "heapmem",
    .title = "Contiki-NG's heapmem: best fit in the first 16 free chunks",
    .state_size = sizeof(heapmem_t),
    .granule = 8,
    .has_realloc = true,
    .serves_up_to_largest = true,
    .create = model_create,
    .malloc = model_malloc,
    .free = model_free,
    .realloc = model_realloc,
    .usable = model_usable,
    .fits = hs_heapmem_fits,
    .largest_allocatable = hs_heapmem_largest_allocatable,
    .largest_free = hs_heapmem_largest_free,
    .reported = hs_heapmem_reported,
    .walk = hs_heapmem_walk,
    .check = hs_heapmem_check,
};
