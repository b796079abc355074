/* Sizes, reports, the walk and the check of the full newlib heap. */
#include "newlib.h"

#include "seen.h"

/* ---- questions -------------------------------------------------------------------------------- */

static hs_largest_t largest_of(const newlib_t *newlib)
{
    const hs_sim_t *heap = &newlib->heap;
    hs_largest_t seen = {0, 0, false};
    if (!newlib->largest.unknown) {
        return newlib->largest;
    }
    if (newlib->rest != HS_NONE) {
        hs_largest_add(&seen, newlib_size_of(heap, newlib->rest));
    }
    for (uint32_t bin = 0; bin < NEWLIB_BINS; bin++) {
        for (uint32_t chunk = newlib->first[bin]; chunk != HS_NONE;
             chunk = newlib_link_at(heap, chunk + NEWLIB_NEXT_FREE)) {
            hs_largest_add(&seen, newlib_size_of(heap, chunk));
        }
    }
    return seen;
}

/* The most that a chunk out of top can have, after it grew. */
static uint32_t most_of_top(const newlib_t *newlib)
{
    const uint32_t above = newlib->end - newlib->brk;
    const bool on_page = ((newlib->heap.base + newlib->brk) & (NEWLIB_PAGE - 1)) == 0;
    const uint32_t top = newlib_top_size(newlib);
    const uint32_t pages = !newlib->begun ? above : on_page ? above & ~(NEWLIB_PAGE - 1) : 0;
    /* A request for pages does not newlib_count what top has. */
    const uint32_t most = pages > top ? pages : top;
    return most < NEWLIB_SMALLEST ? 0 : (most - NEWLIB_SMALLEST) & ~(NEWLIB_GRANULE - 1);
}

static uint32_t largest_chunk(const newlib_t *newlib)
{
    const uint32_t binned = largest_of(newlib).size;
    const uint32_t top = most_of_top(newlib);
    const uint32_t largest = binned > top ? binned : top;
    return largest < NEWLIB_TOO_LARGE - NEWLIB_SMALLEST ? largest
                                                        : NEWLIB_TOO_LARGE - NEWLIB_SMALLEST;
}

bool hs_newlib_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = newlib_padded_size(&align, size);
    (void)at;
    return wanted != 0 && wanted <= largest_chunk(newlib_of_const(heap));
}

uint32_t hs_newlib_largest_allocatable(hs_sim_t *heap)
{
    newlib_t *newlib = newlib_of(heap);
    newlib->largest = largest_of(newlib);
    const uint32_t chunk = largest_chunk(newlib);
    return chunk < NEWLIB_SMALLEST ? 0 : chunk - NEWLIB_OVERHEAD;
}

/* The free block at the end: top and what lies above the break. */
uint32_t hs_newlib_end_payload(const newlib_t *newlib)
{
    return newlib->end - newlib->top - NEWLIB_PAYLOAD;
}

uint32_t hs_newlib_largest_free(const hs_sim_t *heap)
{
    const newlib_t *newlib = newlib_of_const(heap);
    const uint32_t binned = largest_of(newlib).size;
    const uint32_t payload = binned == 0 ? 0 : binned - NEWLIB_OVERHEAD;
    return payload > hs_newlib_end_payload(newlib) ? payload : hs_newlib_end_payload(newlib);
}

/* mallinfo(): fordblks are the free chunks and top. */
void hs_newlib_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const newlib_t *newlib = newlib_of_const(heap);
    const uint32_t chunks = heap->tally.free_blocks - 1;
    out->free = heap->tally.free - hs_newlib_end_payload(newlib) + NEWLIB_OVERHEAD * chunks +
                newlib_top_size(newlib);
    out->allocated = newlib->brk - newlib->start - out->free;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = hs_newlib_largest_free(heap);
}

/* ---- walk and check --------------------------------------------------------------------------- */

static bool block_at(const newlib_t *newlib, uint32_t chunk, hs_walk_block_t *block)
{
    const uint32_t size = newlib_size_of(&newlib->heap, chunk);
    if (size < NEWLIB_SMALLEST || size > newlib->top - chunk) {
        return false;
    }
    *block = (hs_walk_block_t){chunk + NEWLIB_PAYLOAD, size - NEWLIB_OVERHEAD,
                               !newlib_is_free(newlib, chunk)};
    return true;
}

void hs_newlib_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const newlib_t *newlib = newlib_of_const(heap);
    hs_walk_block_t block;
    for (uint32_t chunk = newlib->start; chunk != newlib->top;
         chunk += newlib_size_of(heap, chunk)) {
        if (!block_at(newlib, chunk, &block) || !visit(context, &block)) {
            return;
        }
    }
    visit(context,
          &(hs_walk_block_t){newlib->top + NEWLIB_PAYLOAD, hs_newlib_end_payload(newlib), false});
}

static bool is_free_chunk(const newlib_t *newlib, uint32_t chunk)
{
    hs_walk_block_t block;
    return chunk >= newlib->start && chunk < newlib->top &&
           (chunk - newlib->start) % NEWLIB_GRANULE == 0 && block_at(newlib, chunk, &block) &&
           !block.used;
}

/* A free chunk is the last remainder, or its bin and its neighbours there lead to it. */
static bool is_binned(const newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    const hs_sim_t *heap = &newlib->heap;
    const uint32_t next = newlib_link_at(heap, chunk + NEWLIB_NEXT_FREE);
    const uint32_t previous = newlib_link_at(heap, chunk + NEWLIB_PREVIOUS_FREE);
    if (chunk == newlib->rest) {
        return next == HS_NONE && previous == HS_NONE;
    }
    const uint32_t bin = newlib_bin_of(size);
    const bool from_behind = next == HS_NONE
                                 ? newlib->last[bin] == chunk
                                 : is_free_chunk(newlib, next) &&
                                       newlib_link_at(heap, next + NEWLIB_PREVIOUS_FREE) == chunk;
    const bool from_before = previous == HS_NONE
                                 ? newlib->first[bin] == chunk
                                 : is_free_chunk(newlib, previous) &&
                                       newlib_link_at(heap, previous + NEWLIB_NEXT_FREE) == chunk;
    return from_behind && from_before && (newlib->map >> (bin / 4) & 1) != 0;
}

hs_status_t hs_newlib_check(const hs_sim_t *heap, uint32_t *where)
{
    const newlib_t *newlib = newlib_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    bool after_used = true;
    uint32_t size = 0;
    for (uint32_t chunk = newlib->start; chunk != newlib->top; chunk += size) {
        if (!block_at(newlib, chunk, &block) || newlib_below_is_used(heap, chunk) != after_used ||
            (hs_region_get(heap, chunk + NEWLIB_SIZE) & (NEWLIB_GRANULE - 1) &
             ~NEWLIB_BELOW_USED) != 0 ||
            (!after_used && (hs_region_get(heap, chunk) != size || !block.used))) {
            return hs_seen_fault(chunk, where);
        }
        size = block.size + NEWLIB_OVERHEAD;
        if (!block.used && !is_binned(newlib, chunk, size)) {
            return hs_seen_fault(chunk, where);
        }
        hs_seen_add(&seen, block.size, block.used);
        after_used = block.used;
    }
    if (newlib->begun && hs_region_get(heap, newlib->top + NEWLIB_SIZE) !=
                             (newlib_top_size(newlib) | NEWLIB_BELOW_USED)) {
        return hs_seen_fault(newlib->top, where);
    }
    hs_seen_add(&seen, hs_newlib_end_payload(newlib), false);
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(newlib->start, where);
}
