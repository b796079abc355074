/*
 * Contiki-NG's heapmem: a stack of free chunks, of which the first 16 are joined and searched, best fit.
 * Source: contiki-ng 5.0 (9f80681d3) os/lib/heapmem.c, alignment 8, one zone of the whole arena.
 *
 *     chunk + 0    addresses of the previous and the next chunk of the free list, 0 for none
 *     chunk + 8    size of the payload, a multiple of 8
 *     chunk + 12   bit 0: used
 *     chunk + 16   payload
 *
 * The arena fills upwards; what lies behind the last chunk is a free block here, and so is what the search
 * would join. The zone's quota is what a realloc that moves never gives back, and what a shrink that cuts
 * nothing off gives back all the same: requests are refused by it and not by the memory. There is no
 * aligned allocation.
 */
#include "list.h"
#include "region.h"
#include "runs.h"
#include "seen.h"

#define HEADER UINT32_C(16)
#define PREVIOUS UINT32_C(0)
#define NEXT UINT32_C(4)
#define SIZE UINT32_C(8)
#define FLAGS UINT32_C(12)
#define IS_USED UINT32_C(1)
#define ROUND UINT32_C(7)
#define SEARCHED 16u

typedef struct heapmem {
    hs_sim_t heap;
    uint32_t start;
    uint32_t usage; /* where the last chunk ends */
    uint32_t end;
    uint32_t list;  /* the first of it, or HS_NONE */
    uint32_t quota; /* what the zone counts as allocated, in bytes, modulo 2^32 */
    hs_runs_t runs; /* of chunks, and of what lies behind the last one */
} heapmem_t;

static heapmem_t *heapmem_of(hs_sim_t *heap)
{
    return (heapmem_t *)heap;
}

static const heapmem_t *heapmem_of_const(const hs_sim_t *heap)
{
    return (const heapmem_t *)heap;
}

/* ---- chunks and the free list ------------------------------------------------------------------ */

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

static void put_link(hs_sim_t *heap, uint32_t at, uint32_t chunk)
{
    put(heap, at, chunk == HS_NONE ? 0 : heap->base + chunk);
}

static uint32_t size_of(const hs_sim_t *heap, uint32_t chunk)
{
    return hs_region_get(heap, chunk + SIZE);
}

static uint32_t end_of(const hs_sim_t *heap, uint32_t chunk)
{
    return chunk + HEADER + size_of(heap, chunk);
}

static bool is_used(const hs_sim_t *heap, uint32_t chunk)
{
    return (hs_region_get(heap, chunk + FLAGS) & IS_USED) != 0;
}

static void unlist(heapmem_t *state, uint32_t chunk)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t next = link_at(heap, chunk + NEXT);
    const uint32_t previous = link_at(heap, chunk + PREVIOUS);
    if (next != HS_NONE) {
        put_link(heap, next + PREVIOUS, previous);
    }
    if (previous != HS_NONE) {
        put_link(heap, previous + NEXT, next);
    } else {
        state->list = next;
    }
}

/* A chunk becomes free: the last one leaves the heap, any other comes to the front of the list. */
static void release(heapmem_t *state, uint32_t chunk)
{
    hs_sim_t *heap = &state->heap;
    put(heap, chunk + FLAGS, 0);
    if (end_of(heap, chunk) == state->usage) {
        state->usage = chunk;
        return;
    }
    put_link(heap, chunk + PREVIOUS, HS_NONE);
    put_link(heap, chunk + NEXT, state->list);
    if (state->list != HS_NONE) {
        put_link(heap, state->list + PREVIOUS, chunk);
    }
    state->list = chunk;
}

/* Keeps so much of a chunk; the rest is free if it is more than a header. */
static void split(heapmem_t *state, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t whole = size_of(heap, chunk);
    if (size + HEADER < whole) {
        const uint32_t rest = chunk + HEADER + size;
        put(heap, rest + SIZE, whole - HEADER - size);
        put(heap, chunk + SIZE, size);
        release(state, rest);
    }
}

/* Takes in the free chunks behind. */
static void join(heapmem_t *state, uint32_t chunk)
{
    hs_sim_t *heap = &state->heap;
    uint32_t next = end_of(heap, chunk);
    while (next < state->usage && !is_used(heap, next)) {
        unlist(state, next);
        put(heap, chunk + SIZE, end_of(heap, next) - chunk - HEADER);
        heap->steps.nodes++;
        next = end_of(heap, chunk);
    }
}

/* ---- malloc and free -------------------------------------------------------------------------- */

static uint32_t rounded(uint32_t size)
{
    return (size + ROUND) & ~ROUND;
}

/* Does the zone's quota refuse it? The sums wrap. */
static bool is_refused(const heapmem_t *state, uint32_t size)
{
    return size == 0 || rounded(size) < size || rounded(size) > UINT32_MAX - HEADER ||
           HEADER + rounded(size) > state->end - state->start - state->quota;
}

static uint32_t search(heapmem_t *state, uint32_t size)
{
    hs_sim_t *heap = &state->heap;
    uint32_t best = HS_NONE;
    uint32_t tries = SEARCHED;
    for (uint32_t chunk = state->list; chunk != HS_NONE && tries != 0; tries--) {
        join(state, chunk);
        chunk = link_at(heap, chunk + NEXT);
    }
    tries = SEARCHED;
    for (uint32_t chunk = state->list; chunk != HS_NONE && tries != 0; tries--) {
        const uint32_t has = size_of(heap, chunk);
        heap->steps.nodes++;
        if (has >= size && (best == HS_NONE || has < size_of(heap, best))) {
            best = chunk;
        }
        if (best != HS_NONE && size_of(heap, best) == size) {
            break;
        }
        chunk = link_at(heap, chunk + NEXT);
    }
    return best;
}

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
    uint32_t chunk = search(state, size);
    if (chunk != HS_NONE) {
        unlist(state, chunk);
        split(state, chunk, size);
        return chunk;
    }
    chunk = state->usage;
    if (!extend(state, HEADER + size)) {
        return HS_NONE;
    }
    put(heap, chunk + SIZE, size);
    return chunk;
}

/* The chunk has other bytes than before: `before` of them were no run's. */
static void account(heapmem_t *state, uint32_t chunk, uint32_t before)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t end = end_of(heap, chunk);
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
    if (is_refused(state, size)) {
        return HS_NONE;
    }
    const uint32_t chunk = take(state, rounded(size));
    if (chunk == HS_NONE) {
        return HS_NONE;
    }
    put(heap, chunk + FLAGS, IS_USED);
    state->quota += HEADER + rounded(size);
    account(state, chunk, 0);
    heap->tally.used -= HEADER;
    heap->tally.used_blocks++;
    return chunk + HEADER;
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return size_of(heap, offset - HEADER);
}

static void give(heapmem_t *state, uint32_t chunk)
{
    hs_sim_t *heap = &state->heap;
    heap->tally.used -= size_of(heap, chunk);
    heap->tally.used_blocks--;
    runs_free(heap, &state->runs, chunk, end_of(heap, chunk));
    release(state, chunk);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    heapmem_t *state = heapmem_of(heap);
    state->quota -= HEADER + model_usable(heap, offset);
    give(state, offset - HEADER);
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    heapmem_t *state = heapmem_of(heap);
    const uint32_t chunk = offset - HEADER;
    const uint32_t old = size_of(heap, chunk);
    const uint32_t wanted = rounded(size);
    bool stays = wanted <= old;
    if (wanted < size) {
        return HS_NONE;
    }
    if (wanted > old && end_of(heap, chunk) == state->usage) {
        stays = extend(state, wanted - old);
        if (stays) {
            put(heap, chunk + SIZE, wanted);
        }
    } else if (wanted > old) {
        join(state, chunk);
        stays = size_of(heap, chunk) >= wanted;
    }
    if (stays) {
        split(state, chunk, wanted);
        state->quota += wanted - old;
    }
    account(state, chunk, HEADER + old);
    hs_region_note_low(heap); /* what it joined stays in the block, also where it then fails */
    if (stays) {
        return offset;
    }
    const uint32_t moved = model_malloc(heap, size);
    if (moved != HS_NONE) {
        hs_region_note_low(heap);
        heap->steps.copied += size_of(heap, chunk);
        give(state, chunk);
    }
    return moved;
}

/* ---- questions -------------------------------------------------------------------------------- */

/* The chunks that the search has after it joined: at most so many, and those that they took in. */
typedef struct joined {
    uint32_t count;
    uint32_t start[SEARCHED], end[SEARCHED];
} joined_t;

/* The number of the joined chunk in which that one lies; the count: in none. */
static uint32_t part_of(const joined_t *joined, uint32_t chunk)
{
    uint32_t at = 0;
    while (at < joined->count && (chunk < joined->start[at] || chunk >= joined->end[at])) {
        at++;
    }
    return at;
}

static void look_ahead(const heapmem_t *state, joined_t *joined)
{
    const hs_sim_t *heap = &state->heap;
    uint32_t tries = SEARCHED;
    joined->count = 0;
    for (uint32_t chunk = state->list; chunk != HS_NONE && tries != 0;
         chunk = link_at(heap, chunk + NEXT)) {
        if (part_of(joined, chunk) != joined->count) {
            continue;
        }
        uint32_t end = end_of(heap, chunk);
        while (end < state->usage && !is_used(heap, end)) {
            const uint32_t other = part_of(joined, end);
            end = end_of(heap, end);
            if (other != joined->count) {
                end = joined->end[other];
                joined->count--;
                joined->start[other] = joined->start[joined->count];
                joined->end[other] = joined->end[joined->count];
            }
        }
        joined->start[joined->count] = chunk;
        joined->end[joined->count++] = end;
        tries--;
    }
}

/* Payload of the largest chunk that the search would see, or of what lies behind the last one. */
static uint32_t largest_seen(const heapmem_t *state)
{
    const hs_sim_t *heap = &state->heap;
    const uint32_t above = state->end - state->usage;
    uint32_t largest = above > HEADER ? above - HEADER : 0;
    uint32_t tries = SEARCHED;
    joined_t joined;
    look_ahead(state, &joined);
    for (uint32_t chunk = state->list; chunk != HS_NONE && tries != 0;
         chunk = link_at(heap, chunk + NEXT)) {
        const uint32_t at = part_of(&joined, chunk);
        if (at != joined.count && chunk != joined.start[at]) {
            continue;
        }
        const uint32_t end = at == joined.count ? end_of(heap, chunk) : joined.end[at];
        const uint32_t size = end - chunk - HEADER;
        largest = size > largest ? size : largest;
        tries--;
    }
    return largest;
}

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const heapmem_t *state = heapmem_of_const(heap);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return !is_refused(state, size) && rounded(size) <= largest_seen(state);
}

static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    const heapmem_t *state = heapmem_of(heap);
    const uint32_t left = state->end - state->start - state->quota;
    const uint32_t quota = left > HEADER ? (left - HEADER) & ~ROUND : 0;
    const uint32_t largest = largest_seen(state) & ~ROUND;
    return quota < largest ? quota : largest;
}

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    return runs_largest_free(heap, &heapmem_of_const(heap)->runs);
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const heapmem_t *state = heapmem_of_const(heap);
    out->allocated = state->quota;
    out->free = heap->tally.free;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = model_largest_free(heap);
}

/* ---- walk and check --------------------------------------------------------------------------- */

/* The block at `at`, a run or a used chunk; false: damaged. */
static bool block_at(const heapmem_t *state, uint32_t at, hs_tally_t *seen, hs_walk_block_t *block)
{
    const hs_sim_t *heap = &state->heap;
    const uint32_t run = seen->free_blocks;
    const bool is_run = run < runs_of(heap)->count && run_start(heap, run) == at;
    const uint32_t end = is_run ? run_end(heap, run) : end_of(heap, at);
    const uint32_t chunks = end < state->usage ? end : state->usage;
    for (uint32_t part = at; part < chunks; part = end_of(heap, part)) {
        const uint32_t size = size_of(heap, part);
        if ((size & ROUND) != 0 || size > chunks - part - HEADER || chunks - part < HEADER ||
            hs_region_get(heap, part + FLAGS) != (is_run ? 0 : IS_USED)) {
            return false;
        }
    }
    if (!is_run && end > state->usage) {
        return false;
    }
    const uint32_t payload = end - at > HEADER ? end - at - HEADER : 0;
    *block = (hs_walk_block_t){end - payload, payload, !is_run};
    hs_seen_add(seen, block->size, block->used);
    return true;
}

/* Returns where it stopped, or the end. */
static uint32_t walk(const hs_sim_t *heap, hs_walk_fn visit, void *context, hs_tally_t *seen)
{
    const heapmem_t *state = heapmem_of_const(heap);
    hs_walk_block_t block;
    for (uint32_t at = state->start; at < state->end; at = block.offset + block.size) {
        if (!block_at(state, at, seen, &block) || (visit != NULL && !visit(context, &block))) {
            return at;
        }
    }
    return state->end;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    (void)walk(heap, visit, context, &seen);
}

/* The list holds free chunks that know each other; as many as there are. */
static hs_status_t check_list(const heapmem_t *state, uint32_t *where)
{
    const hs_sim_t *heap = &state->heap;
    uint32_t previous = HS_NONE;
    uint32_t left = (state->usage - state->start) / HEADER;
    for (uint32_t chunk = state->list; chunk != HS_NONE; chunk = link_at(heap, chunk + NEXT)) {
        if (left-- == 0 || chunk % 4 != state->start % 4 || chunk < state->start ||
            chunk >= state->usage || is_used(heap, chunk) ||
            link_at(heap, chunk + PREVIOUS) != previous) {
            return hs_seen_fault(previous == HS_NONE ? state->start : previous, where);
        }
        previous = chunk;
    }
    return HS_OK;
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    const heapmem_t *state = heapmem_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    const uint32_t end = walk(heap, NULL, NULL, &seen);
    if (end < state->end) {
        return hs_seen_fault(end, where);
    }
    if (!hs_seen_agrees(&heap->tally, &seen)) {
        return hs_seen_fault(state->start, where);
    }
    return check_list(state, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    heapmem_t *state = heapmem_of(heap);
    state->start = state->usage = (0u - heap->base) & ROUND;
    if (heap->size < state->start + HEADER + ROUND + 1) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    state->end = state->start + ((heap->size - state->start) & ~ROUND);
    state->list = HS_NONE;
    state->runs.header = HEADER;
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
    .fits = model_fits,
    .largest_allocatable = model_largest_allocatable,
    .largest_free = model_largest_free,
    .reported = model_reported,
    .walk = model_walk,
    .check = model_check,
};
