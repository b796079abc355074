#include "sbrk_heap.h"

#include "seen.h"

/* ---- what is above the break ------------------------------------------------------------------ */

/* The free block at the end: its chunk, and the bytes that a request could have as one chunk. */
static uint32_t top_chunk(const hs_sbrk_heap_t *state)
{
    const uint32_t last = sbrk_last(state);
    return last < ordered_count(&state->heap) ? ordered_chunk(&state->heap, last)
                                              : sbrk_up(state, state->brk);
}

static uint32_t top_size(const hs_sbrk_heap_t *state)
{
    const uint32_t chunk = top_chunk(state);
    const uint32_t size = state->heap.size;
    return chunk < size ? (size - chunk) & ~(sbrk_build(state)->alignment - 1) : 0;
}

static bool has_top(const hs_sbrk_heap_t *state)
{
    return sbrk_last(state) < ordered_count(&state->heap) ||
           top_size(state) >= sbrk_build(state)->smallest;
}

/* Payload of a free chunk: the largest request that it serves. */
static uint32_t payload_of(const hs_sbrk_heap_t *state, uint32_t size)
{
    return size - sbrk_build(state)->overhead;
}

void hs_sbrk_settle(hs_sbrk_heap_t *state)
{
    const uint32_t last = sbrk_last(state);
    const bool joined = last < ordered_count(&state->heap);
    const uint32_t bytes = state->list.bytes - (joined ? ordered_size(&state->heap, last) : 0);
    hs_tally_t *tally = &state->heap.tally;
    tally->free = bytes - last * sbrk_build(state)->overhead;
    tally->free_blocks = last + has_top(state);
    tally->free += has_top(state) ? payload_of(state, top_size(state)) : 0;
}

/* ---- used chunks ------------------------------------------------------------------------------ */

uint32_t hs_sbrk_use(hs_sbrk_heap_t *state, uint32_t chunk, uint32_t size, uint32_t payload)
{
    hs_region_put(&state->heap, chunk, size);
    state->heap.steps.writes++;
    state->heap.tally.used += chunk + size - payload;
    state->heap.tally.used_blocks++;
    hs_sbrk_settle(state);
    return payload;
}

void hs_sbrk_unuse(hs_sbrk_heap_t *state, uint32_t chunk, uint32_t payload)
{
    state->heap.tally.used -= chunk + hs_region_get(&state->heap, chunk) - payload;
    state->heap.tally.used_blocks--;
}

uint32_t hs_sbrk_chunk_size(const hs_sim_t *heap, uint32_t size)
{
    const hs_sbrk_build_t *build = heap->model->build;
    if (size == 0 || size >= SBRK_TOO_LARGE - 2 * build->alignment) {
        return 0;
    }
    const uint32_t wanted =
        (size + build->overhead + build->alignment - 1) & ~(build->alignment - 1);
    return wanted < build->smallest ? build->smallest : wanted;
}

/* ---- questions -------------------------------------------------------------------------------- */

uint32_t hs_sbrk_largest_chunk(const hs_sbrk_heap_t *state)
{
    const uint32_t listed = ordered_largest(&state->heap, &state->list).size;
    const uint32_t top = top_size(state);
    const uint32_t largest = listed > top ? listed : top;
    return largest < SBRK_TOO_LARGE ? largest : SBRK_TOO_LARGE - sbrk_build(state)->alignment;
}

uint32_t hs_sbrk_largest_allocatable(hs_sim_t *heap)
{
    hs_sbrk_heap_t *state = sbrk_of(heap);
    state->list.largest = ordered_largest(heap, &state->list);
    const uint32_t chunk = hs_sbrk_largest_chunk(state);
    return chunk < sbrk_build(state)->smallest ? 0 : payload_of(state, chunk);
}

uint32_t hs_sbrk_largest_free(const hs_sim_t *heap)
{
    const hs_sbrk_heap_t *state = sbrk_of_const(heap);
    const uint32_t listed = ordered_largest(heap, &state->list).size;
    const uint32_t top = has_top(state) ? top_size(state) : 0;
    const uint32_t largest = listed > top ? listed : top;
    return largest == 0 ? 0 : payload_of(state, largest);
}

void hs_sbrk_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const hs_sbrk_heap_t *state = sbrk_of_const(heap);
    out->free = state->list.bytes;
    out->allocated = state->brk < state->start ? 0 : state->brk - state->start - state->list.bytes;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = hs_sbrk_largest_free(heap);
}

/* A walk over the chunks below the break. */
typedef struct walk {
    uint32_t chunk;  /* the next one */
    uint32_t number; /* of the next free one */
} walk_t;

/* false: damaged. A last free chunk that is part of the block at the end is not seen. */
static bool next_block(const hs_sbrk_heap_t *state, walk_t *walk, hs_walk_block_t *block)
{
    const hs_sim_t *heap = &state->heap;
    const hs_sbrk_build_t *build = sbrk_build(state);
    const uint32_t chunk = walk->chunk;
    const bool is_free =
        walk->number < ordered_count(heap) && ordered_chunk(heap, walk->number) == chunk;
    const uint32_t bits = is_free ? build->free_bits : 0;
    const uint32_t size = hs_region_get(heap, chunk) ^ bits;
    if (size < 2 * SBRK_HEADER || size % SBRK_HEADER != 0 || size > state->brk - chunk ||
        (is_free && !ordered_agrees(heap, walk->number, bits))) {
        return false;
    }
    const uint32_t payload = is_free ? build->overhead : build->payload_at(heap, chunk, size);
    *block = (hs_walk_block_t){chunk + payload, size - payload, !is_free};
    walk->number += is_free;
    walk->chunk = chunk + size;
    return payload != 0;
}

static hs_walk_block_t top_block(const hs_sbrk_heap_t *state)
{
    const uint32_t overhead = sbrk_build(state)->overhead;
    return (hs_walk_block_t){top_chunk(state) + overhead, top_size(state) - overhead, false};
}

/* All blocks below the break but a free one that is part of the end's, up to where `visit` stops or
 * something is wrong. Returns that place, or the break. */
static uint32_t walk_below(const hs_sbrk_heap_t *state, hs_walk_fn visit, void *context,
                           walk_t *walk)
{
    hs_walk_block_t block;
    const uint32_t last = sbrk_last(state);
    *walk = (walk_t){state->start, 0};
    while (walk->chunk < state->brk) {
        const uint32_t at = walk->chunk;
        if (!next_block(state, walk, &block)) {
            return at;
        }
        if (walk->number <= last && !visit(context, &block)) {
            return at;
        }
    }
    return state->brk;
}

void hs_sbrk_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const hs_sbrk_heap_t *state = sbrk_of_const(heap);
    walk_t walk;
    if (walk_below(state, visit, context, &walk) == state->brk && has_top(state)) {
        const hs_walk_block_t top = top_block(state);
        visit(context, &top);
    }
}

static bool add(void *context, const hs_walk_block_t *block)
{
    hs_seen_add(context, block->size, block->used);
    return true;
}

hs_status_t hs_sbrk_check(const hs_sim_t *heap, uint32_t *where)
{
    const hs_sbrk_heap_t *state = sbrk_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    walk_t walk;
    const uint32_t end = walk_below(state, add, &seen, &walk);
    if (end != state->brk) {
        return hs_seen_fault(end, where);
    }
    if (has_top(state)) {
        hs_seen_add(&seen, top_size(state) - sbrk_build(state)->overhead, false);
    }
    return (walk.chunk == state->brk || state->brk < state->start) &&
                   walk.number == ordered_count(heap) && hs_seen_agrees(&heap->tally, &seen)
               ? HS_OK
               : hs_seen_fault(0, where);
}

hs_status_t hs_sbrk_create(hs_sim_t *heap)
{
    hs_sbrk_heap_t *state = sbrk_of(heap);
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    state->start = sbrk_up(state, 0);
    if (top_size(state) < sbrk_build(state)->smallest) {
        return HS_ERR_MEMORY;
    }
    hs_sbrk_settle(state);
    return HS_OK;
}
