/* Sizes, reports, the walk and the check of heapmem. */
#include "heapmem.h"

#include "seen.h"

/* ---- questions -------------------------------------------------------------------------------- */

/* The chunks that the heapmem_search has after it joined: at most so many, and those that they took in. */
typedef struct joined {
    uint32_t count;
    uint32_t start[HEAPMEM_SEARCHED], end[HEAPMEM_SEARCHED];
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
    uint32_t tries = HEAPMEM_SEARCHED;
    joined->count = 0;
    for (uint32_t chunk = state->list; chunk != HS_NONE && tries != 0;
         chunk = heapmem_link_at(heap, chunk + HEAPMEM_NEXT)) {
        if (part_of(joined, chunk) != joined->count) {
            continue;
        }
        uint32_t end = heapmem_end_of(heap, chunk);
        while (end < state->usage && !heapmem_is_used(heap, end)) {
            const uint32_t other = part_of(joined, end);
            end = heapmem_end_of(heap, end);
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

/* Payload of the largest chunk that the heapmem_search would see, or of what lies behind the last one. */
static uint32_t largest_seen(const heapmem_t *state)
{
    const hs_sim_t *heap = &state->heap;
    const uint32_t above = state->end - state->usage;
    uint32_t largest = above > HEAPMEM_HEADER ? above - HEAPMEM_HEADER : 0;
    uint32_t tries = HEAPMEM_SEARCHED;
    joined_t joined;
    look_ahead(state, &joined);
    for (uint32_t chunk = state->list; chunk != HS_NONE && tries != 0;
         chunk = heapmem_link_at(heap, chunk + HEAPMEM_NEXT)) {
        const uint32_t at = part_of(&joined, chunk);
        if (at != joined.count && chunk != joined.start[at]) {
            continue;
        }
        const uint32_t end = at == joined.count ? heapmem_end_of(heap, chunk) : joined.end[at];
        const uint32_t size = end - chunk - HEAPMEM_HEADER;
        largest = size > largest ? size : largest;
        tries--;
    }
    return largest;
}

bool hs_heapmem_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const heapmem_t *state = heapmem_of_const(heap);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return !heapmem_is_refused(state, size) && heapmem_rounded(size) <= largest_seen(state);
}

uint32_t hs_heapmem_largest_allocatable(hs_sim_t *heap)
{
    const heapmem_t *state = heapmem_of(heap);
    const uint32_t left = state->end - state->start - state->quota;
    const uint32_t quota = left > HEAPMEM_HEADER ? (left - HEAPMEM_HEADER) & ~HEAPMEM_ROUND : 0;
    const uint32_t largest = largest_seen(state) & ~HEAPMEM_ROUND;
    return quota < largest ? quota : largest;
}

uint32_t hs_heapmem_largest_free(const hs_sim_t *heap)
{
    return runs_largest_free(heap, &heapmem_of_const(heap)->runs);
}

void hs_heapmem_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const heapmem_t *state = heapmem_of_const(heap);
    out->allocated = state->quota;
    out->free = heap->tally.free;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = hs_heapmem_largest_free(heap);
}

/* ---- walk and check --------------------------------------------------------------------------- */

/* The block at `at`, a run or a used chunk; false: damaged. */
static bool block_at(const heapmem_t *state, uint32_t at, hs_tally_t *seen, hs_walk_block_t *block)
{
    const hs_sim_t *heap = &state->heap;
    const uint32_t run = seen->free_blocks;
    const bool is_run = run < runs_of(heap)->count && run_start(heap, run) == at;
    const uint32_t end = is_run ? run_end(heap, run) : heapmem_end_of(heap, at);
    const uint32_t chunks = end < state->usage ? end : state->usage;
    for (uint32_t part = at; part < chunks; part = heapmem_end_of(heap, part)) {
        const uint32_t size = heapmem_size_of(heap, part);
        if ((size & HEAPMEM_ROUND) != 0 || size > chunks - part - HEAPMEM_HEADER ||
            chunks - part < HEAPMEM_HEADER ||
            hs_region_get(heap, part + HEAPMEM_FLAGS) != (is_run ? 0 : HEAPMEM_IS_USED)) {
            return false;
        }
    }
    if (!is_run && end > state->usage) {
        return false;
    }
    const uint32_t payload = end - at > HEAPMEM_HEADER ? end - at - HEAPMEM_HEADER : 0;
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

void hs_heapmem_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    (void)walk(heap, visit, context, &seen);
}

/* The list holds free chunks that know each other; as many as there are. */
static hs_status_t check_list(const heapmem_t *state, uint32_t *where)
{
    const hs_sim_t *heap = &state->heap;
    uint32_t previous = HS_NONE;
    uint32_t left = (state->usage - state->start) / HEAPMEM_HEADER;
    for (uint32_t chunk = state->list; chunk != HS_NONE;
         chunk = heapmem_link_at(heap, chunk + HEAPMEM_NEXT)) {
        if (left-- == 0 || chunk % 4 != state->start % 4 || chunk < state->start ||
            chunk >= state->usage || heapmem_is_used(heap, chunk) ||
            heapmem_link_at(heap, chunk + HEAPMEM_PREVIOUS) != previous) {
            return hs_seen_fault(previous == HS_NONE ? state->start : previous, where);
        }
        previous = chunk;
    }
    return HS_OK;
}

hs_status_t hs_heapmem_check(const hs_sim_t *heap, uint32_t *where)
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
