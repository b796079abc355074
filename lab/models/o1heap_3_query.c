/* Sizes, reports, the walk and the check of o1heap 3. */
#include "o1heap_3.h"

#include "seen.h"

/* ---- questions -------------------------------------------------------------------------------- */

bool hs_o1heap_3_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = o1heap_3_fragment_for(heap, size);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return wanted != 0 && o1heap_3_bins_for(heap, wanted) != 0;
}

uint32_t hs_o1heap_3_largest_allocatable(hs_sim_t *heap)
{
    const uint32_t bins = hs_region_get(heap, O1HEAP_3_BITMAP);
    return bins == 0 ? 0 : (O1HEAP_3_SMALLEST << hs_bits_highest(bins)) - O1HEAP_3_HEADER;
}

/* Bound: visits the fragments of one bin. */
uint32_t hs_o1heap_3_largest_free(const hs_sim_t *heap)
{
    const uint32_t bins = hs_region_get(heap, O1HEAP_3_BITMAP);
    uint32_t largest = 0;
    if (bins == 0) {
        return 0;
    }
    for (uint32_t fragment = o1heap_3_link_at(heap, 4 * hs_bits_highest(bins)); fragment != HS_NONE;
         fragment = o1heap_3_link_at(heap, fragment + O1HEAP_3_NEXT_FREE)) {
        const uint32_t size = o1heap_3_size_of(heap, fragment) - O1HEAP_3_HEADER;
        largest = size > largest ? size : largest;
    }
    return largest;
}

void hs_o1heap_3_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const uint32_t capacity = hs_region_get(heap, O1HEAP_3_CAPACITY);
    out->allocated = hs_region_get(heap, O1HEAP_3_ALLOCATED);
    out->free = capacity - out->allocated;
    out->minimum_free = capacity - hs_region_get(heap, O1HEAP_3_PEAK);
    out->largest_free = (UINT32_C(1) << hs_bits_highest(capacity)) - O1HEAP_3_HEADER;
}

/* ---- walk and check --------------------------------------------------------------------------- */

static bool block_at(const hs_sim_t *heap, uint32_t fragment, hs_walk_block_t *block)
{
    const uint32_t end = o1heap_3_end_of(heap, fragment);
    if (end < fragment + O1HEAP_3_SMALLEST || end > O1HEAP_3_FIRST + o1heap_3_capacity_of(heap) ||
        end % O1HEAP_3_SMALLEST != 0) {
        return false;
    }
    *block = (hs_walk_block_t){fragment + O1HEAP_3_HEADER, end - fragment - O1HEAP_3_HEADER,
                               o1heap_3_is_used(heap, fragment)};
    return true;
}

void hs_o1heap_3_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_walk_block_t block;
    for (uint32_t at = O1HEAP_3_FIRST; at != O1HEAP_3_FIRST + o1heap_3_capacity_of(heap);
         at = block.offset + block.size) {
        if (!block_at(heap, at, &block) || !visit(context, &block)) {
            return;
        }
    }
}

static bool is_free_fragment(const hs_sim_t *heap, uint32_t fragment)
{
    return fragment >= O1HEAP_3_FIRST && fragment < O1HEAP_3_FIRST + o1heap_3_capacity_of(heap) &&
           fragment % O1HEAP_3_SMALLEST == 0 && !o1heap_3_is_used(heap, fragment);
}

/* A free fragment and its neighbours in the bin lead to each other. */
static bool is_binned(const hs_sim_t *heap, uint32_t fragment, uint32_t size)
{
    const uint32_t bin = o1heap_3_bin_of(size);
    const uint32_t next = o1heap_3_link_at(heap, fragment + O1HEAP_3_NEXT_FREE);
    const uint32_t previous = o1heap_3_link_at(heap, fragment + O1HEAP_3_PREVIOUS_FREE);
    const bool next_agrees =
        next == HS_NONE || (is_free_fragment(heap, next) &&
                            o1heap_3_link_at(heap, next + O1HEAP_3_PREVIOUS_FREE) == fragment);
    const bool is_led_to =
        previous == HS_NONE ? o1heap_3_link_at(heap, 4 * bin) == fragment
                            : is_free_fragment(heap, previous) &&
                                  o1heap_3_link_at(heap, previous + O1HEAP_3_NEXT_FREE) == fragment;
    return next_agrees && is_led_to && (hs_region_get(heap, O1HEAP_3_BITMAP) >> bin & 1) != 0;
}

hs_status_t hs_o1heap_3_check(const hs_sim_t *heap, uint32_t *where)
{
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    uint32_t previous = HS_NONE;
    bool after_free = false;
    uint32_t bins = 0;
    for (uint32_t at = O1HEAP_3_FIRST; at != O1HEAP_3_FIRST + o1heap_3_capacity_of(heap);
         at = block.offset + block.size) {
        if (!block_at(heap, at, &block) ||
            o1heap_3_link_at(heap, at + O1HEAP_3_PREVIOUS) != previous ||
            (hs_region_get(heap, at + O1HEAP_3_PREVIOUS) - heap->base) % 4 > O1HEAP_3_IS_USED ||
            (!block.used && (after_free || !is_binned(heap, at, block.size + O1HEAP_3_HEADER)))) {
            return hs_seen_fault(at, where);
        }
        bins |= block.used ? 0 : UINT32_C(1) << o1heap_3_bin_of(block.size + O1HEAP_3_HEADER);
        hs_seen_add(&seen, block.size, block.used);
        previous = at;
        after_free = !block.used;
    }
    if (bins != hs_region_get(heap, O1HEAP_3_BITMAP) ||
        hs_region_get(heap, O1HEAP_3_CAPACITY) != o1heap_3_capacity_of(heap) ||
        hs_region_get(heap, O1HEAP_3_ALLOCATED) != o1heap_3_allocated_of(heap)) {
        return hs_seen_fault(O1HEAP_3_BITMAP, where);
    }
    for (uint32_t bin = 0; bin < O1HEAP_3_BINS; bin++) {
        if ((bins >> bin & 1) == 0 && o1heap_3_link_at(heap, 4 * bin) != HS_NONE) {
            return hs_seen_fault(4 * bin, where);
        }
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(O1HEAP_3_FIRST, where);
}
