/*
 * Questions to FreeRTOS's heap_4 (heap_4.c), and its check. None of them changes it.
 */
#include "heap_4.h"
#include "seen.h"

/* ---- questions -------------------------------------------------------------------------------- */

uint32_t hs_heap_4_usable(const hs_sim_t *heap, uint32_t offset)
{
    return heap_4_size(heap_4_of_const(heap), offset - HEAP_4_HEADER) - HEAP_4_HEADER;
}

/* Bound: visits each free block once. */
static hs_largest_t largest_by_walk(const hs_heap_4_t *state)
{
    hs_largest_t largest = {0, 0, false};
    for (uint32_t block = state->first_free; block != state->end;
         block = heap_4_next_free(state, block)) {
        hs_largest_add(&largest, heap_4_size(state, block));
    }
    return largest;
}

static uint32_t largest_size(const hs_heap_4_t *state)
{
    return state->largest.unknown ? largest_by_walk(state).size : state->largest.size;
}

uint32_t hs_heap_4_largest_free(const hs_sim_t *heap)
{
    uint32_t size = largest_size(heap_4_of_const(heap));
    return size == 0 ? 0 : size - HEAP_4_HEADER;
}

/* First fit finds any block that is large enough, and sizes are multiples of the alignment. */
uint32_t hs_heap_4_largest_allocatable(hs_sim_t *heap)
{
    hs_heap_4_t *state = heap_4_of(heap);
    if (state->largest.unknown) {
        state->largest = largest_by_walk(state);
    }
    return hs_heap_4_largest_free(heap);
}

bool hs_heap_4_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const hs_heap_4_t *state = heap_4_of_const(heap);
    uint32_t wanted = heap_4_block_size(heap, size);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return wanted != 0 && wanted <= state->largest.size && wanted <= largest_size(state);
}

/* Counted like its interface: headers are part of a block, free or used. */
void hs_heap_4_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const hs_heap_4_t *state = heap_4_of_const(heap);
    out->free = state->free_bytes;
    out->minimum_free = state->minimum_free_bytes;
    out->largest_free = largest_size(state);
    out->allocated = heap->tally.used + HEAP_4_HEADER * heap->tally.used_blocks;
}

void hs_heap_4_forget_low(hs_sim_t *heap)
{
    hs_heap_4_t *state = heap_4_of(heap);
    state->minimum_free_bytes = state->free_bytes;
}

/* A size that leads to the end or to before it. */
static bool is_size(const hs_heap_4_t *state, uint32_t block, uint32_t size)
{
    return size > HEAP_4_HEADER && size % state->heap.model->granule == 0 &&
           size <= state->end - block;
}

/* Ends early where a size leads out of the heap, so that damaged memory can be walked too. */
void hs_heap_4_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const hs_heap_4_t *state = heap_4_of_const(heap);
    uint32_t block = state->start;
    while (block != state->end) {
        uint32_t size = heap_4_size(state, block);
        bool used = (hs_region_get(heap, block + HEAP_4_SIZE_AT) & HEAP_4_IS_USED) != 0;
        hs_walk_block_t seen = {block + HEAP_4_HEADER, size - HEAP_4_HEADER, used};
        const bool is_between = block == state->between;
        if (!is_size(state, block, size) || (!is_between && !visit(context, &seen))) {
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
static bool index_agrees(const hs_heap_4_t *state, uint32_t number, uint32_t block, uint32_t size)
{
    const hs_index_t *index = state->heap.index;
    return index == NULL || (number < index->by_place.count &&
                             index->by_place.keys[number] == hs_index_key(block, size));
}

/* A used block has no link; a free one is the next of the list and never follows another. */
static hs_status_t check_block(const hs_heap_4_t *state, uint32_t block, progress_t *progress,
                               uint32_t *where)
{
    uint32_t word = hs_region_get(&state->heap, block + HEAP_4_SIZE_AT);
    bool used = (word & HEAP_4_IS_USED) != 0;
    if (!is_size(state, block, word & ~HEAP_4_IS_USED) || (!used && progress->after_free)) {
        return hs_seen_fault(block + HEAP_4_SIZE_AT, where);
    }
    if (used && hs_region_get(&state->heap, block) != 0) {
        return hs_seen_fault(block, where);
    }
    if (!used && !index_agrees(state, progress->seen.free_blocks, block, word)) {
        return hs_seen_fault(block, where);
    }
    if (!used) {
        if (heap_4_next_free(state, progress->free_block) != block) {
            return hs_seen_fault(progress->free_block == HEAP_4_HEAD ? block : progress->free_block,
                                 where);
        }
        progress->free_block = block;
        hs_largest_add(&progress->largest, word);
    }
    if (block != state->between) {
        hs_seen_add(&progress->seen, (word & ~HEAP_4_IS_USED) - HEAP_4_HEADER, used);
    }
    progress->after_free = !used;
    return HS_OK;
}

static bool counts_agree(const hs_heap_4_t *state, const progress_t *progress)
{
    const hs_tally_t *tally = &state->heap.tally;
    return hs_seen_agrees(tally, &progress->seen) &&
           hs_largest_agrees(&state->largest, &progress->largest) &&
           state->free_bytes == tally->free + HEAP_4_HEADER * tally->free_blocks &&
           state->minimum_free_bytes <= state->free_bytes &&
           (state->heap.index == NULL || state->heap.index->by_place.count == tally->free_blocks);
}

/* Bound: each step goes up by more than a header. */
hs_status_t hs_heap_4_check(const hs_sim_t *heap, uint32_t *where)
{
    const hs_heap_4_t *state = heap_4_of_const(heap);
    progress_t progress = {{0, 0, 0, 0, 0, 0, 0}, {0, 0, false}, HEAP_4_HEAD, false};
    for (uint32_t block = state->start; block != state->end; block += heap_4_size(state, block)) {
        hs_status_t status = check_block(state, block, &progress, where);
        if (status != HS_OK) {
            return status;
        }
    }
    if (heap_4_next_free(state, progress.free_block) != state->end) {
        return hs_seen_fault(progress.free_block == HEAP_4_HEAD ? state->end : progress.free_block,
                             where);
    }
    if (hs_region_get(heap, state->end) != 0 ||
        hs_region_get(heap, state->end + HEAP_4_SIZE_AT) != 0) {
        return hs_seen_fault(state->end, where);
    }
    return counts_agree(state, &progress) ? HS_OK : hs_seen_fault(state->start, where);
}
