/* Questions to a heap of o1heap and its integrity check. */
#include "o1heap.h"
#include "seen.h"

uint32_t hs_o1heap_usable(const hs_sim_t *heap, uint32_t offset)
{
    return o1heap_get(heap, offset - O1HEAP_HEADER, O1HEAP_SIZE) - O1HEAP_HEADER;
}

bool hs_o1heap_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    uint32_t wanted = o1heap_fragment_for(heap, size);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return wanted != 0 && o1heap_bins_for(heap, wanted) != 0;
}

/* The power of two that every fragment of the highest bin in use holds. */
uint32_t hs_o1heap_largest_allocatable(hs_sim_t *heap)
{
    uint32_t bins = o1heap_get(heap, 0, O1HEAP_BITMAP_AT);
    return bins == 0 ? 0 : (O1HEAP_FRAGMENT_MIN << hs_bits_highest(bins)) - O1HEAP_HEADER;
}

/* Bound: visits the fragments of one bin. */
uint32_t hs_o1heap_largest_free(const hs_sim_t *heap)
{
    uint32_t bins = o1heap_get(heap, 0, O1HEAP_BITMAP_AT);
    uint32_t largest = 0;
    if (bins == 0) {
        return 0;
    }
    uint32_t fragment = o1heap_link(heap, 0, 4 * hs_bits_highest(bins));
    for (; fragment != HS_NONE; fragment = o1heap_link(heap, fragment, O1HEAP_NEXT_FREE)) {
        uint32_t size = o1heap_get(heap, fragment, O1HEAP_SIZE) - O1HEAP_HEADER;
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Its diagnostics, in which headers are part of a fragment. Its largest block is only the one that an empty heap could serve, whatever is allocated. */
void hs_o1heap_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    uint32_t capacity = hs_region_get(heap, O1HEAP_CAPACITY_AT);
    out->free = capacity - hs_region_get(heap, O1HEAP_ALLOCATED_AT);
    out->minimum_free = capacity - hs_region_get(heap, O1HEAP_PEAK_ALLOCATED_AT);
    out->largest_free = (UINT32_C(1) << hs_bits_highest(capacity)) - O1HEAP_HEADER;
    out->allocated = hs_region_get(heap, O1HEAP_ALLOCATED_AT);
}

/* A size that leads to the end or to before it. */
static bool is_size(const hs_sim_t *heap, uint32_t fragment, uint32_t size)
{
    return size >= O1HEAP_FRAGMENT_MIN && size % O1HEAP_FRAGMENT_MIN == 0 &&
           size <= O1HEAP_FIRST + o1heap_capacity(heap) - fragment;
}

/* Ends early where a size leads out of the heap, so that damaged memory can be walked too. */
void hs_o1heap_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    uint32_t end = O1HEAP_FIRST + o1heap_capacity(heap);
    uint32_t fragment = O1HEAP_FIRST;
    while (fragment != end) {
        uint32_t size = o1heap_get(heap, fragment, O1HEAP_SIZE);
        hs_walk_block_t seen = {fragment + O1HEAP_HEADER, size - O1HEAP_HEADER,
                                o1heap_is_used(heap, fragment)};
        if (!is_size(heap, fragment, size) || !visit(context, &seen)) {
            return;
        }
        fragment += size;
    }
}

/* ---- check ------------------------------------------------------------------------------------ */

typedef struct progress {
    hs_tally_t seen;
    uint32_t previous;
    bool after_free;
} progress_t;

/* Could a free fragment be here? */
static bool is_free_fragment(const hs_sim_t *heap, uint32_t fragment)
{
    return fragment >= O1HEAP_FIRST && fragment % O1HEAP_FRAGMENT_MIN == 0 &&
           fragment < O1HEAP_FIRST + o1heap_capacity(heap) && !o1heap_is_used(heap, fragment) &&
           is_size(heap, fragment, o1heap_get(heap, fragment, O1HEAP_SIZE));
}

/* A free fragment's links lead to others that lead back, or its bin to it. */
static hs_status_t check_links(const hs_sim_t *heap, uint32_t fragment, uint32_t *where)
{
    uint32_t next = o1heap_link(heap, fragment, O1HEAP_NEXT_FREE);
    uint32_t previous = o1heap_link(heap, fragment, O1HEAP_PREVIOUS_FREE);
    uint32_t head = 4 * o1heap_bin(o1heap_get(heap, fragment, O1HEAP_SIZE));
    if (next != HS_NONE && (!is_free_fragment(heap, next) ||
                            o1heap_link(heap, next, O1HEAP_PREVIOUS_FREE) != fragment)) {
        return hs_seen_fault(fragment + O1HEAP_NEXT_FREE, where);
    }
    if (previous == HS_NONE) {
        return o1heap_link(heap, 0, head) == fragment ? HS_OK : hs_seen_fault(head, where);
    }
    bool is_linked = is_free_fragment(heap, previous) &&
                     o1heap_link(heap, previous, O1HEAP_NEXT_FREE) == fragment;
    return is_linked ? HS_OK : hs_seen_fault(fragment + O1HEAP_PREVIOUS_FREE, where);
}

static hs_status_t check_fragment(const hs_sim_t *heap, uint32_t fragment, progress_t *progress,
                                  uint32_t *where)
{
    uint32_t size = o1heap_get(heap, fragment, O1HEAP_SIZE);
    uint32_t used = o1heap_get(heap, fragment, O1HEAP_USED);
    if (!is_size(heap, fragment, size) || (used != 0 && (size & (size - 1)) != 0)) {
        return hs_seen_fault(fragment + O1HEAP_SIZE, where);
    }
    bool is_last = fragment + size == O1HEAP_FIRST + o1heap_capacity(heap);
    if (o1heap_link(heap, fragment, O1HEAP_NEXT) != (is_last ? HS_NONE : fragment + size)) {
        return hs_seen_fault(fragment + O1HEAP_NEXT, where);
    }
    if (o1heap_link(heap, fragment, O1HEAP_PREVIOUS) != progress->previous) {
        return hs_seen_fault(fragment + O1HEAP_PREVIOUS, where);
    }
    if (used > 1 || (used == 0 && progress->after_free)) {
        return hs_seen_fault(fragment + O1HEAP_USED, where);
    }
    hs_seen_add(&progress->seen, size - O1HEAP_HEADER, used != 0);
    progress->previous = fragment;
    progress->after_free = used == 0;
    return used != 0 ? HS_OK : check_links(heap, fragment, where);
}

/* Bound: each step goes up by at least 32 bytes. */
static hs_status_t check_fragments(const hs_sim_t *heap, progress_t *progress, uint32_t *where)
{
    uint32_t end = O1HEAP_FIRST + o1heap_capacity(heap);
    uint32_t fragment = O1HEAP_FIRST;
    while (fragment != end) {
        hs_status_t status = check_fragment(heap, fragment, progress, where);
        if (status != HS_OK) {
            return status;
        }
        fragment += o1heap_get(heap, fragment, O1HEAP_SIZE);
    }
    return HS_OK;
}

/* The bins' bits, and their lists from the front; *left is how many free fragments no list has held
 * yet, which bounds the walk. */
static hs_status_t check_bin(const hs_sim_t *heap, uint32_t bin, uint32_t *left, uint32_t *where)
{
    uint32_t fragment = o1heap_link(heap, 0, 4 * bin);
    uint32_t bit = o1heap_get(heap, 0, O1HEAP_BITMAP_AT) >> bin & 1;
    if ((bit != 0) != (fragment != HS_NONE)) {
        return hs_seen_fault(O1HEAP_BITMAP_AT, where);
    }
    for (; fragment != HS_NONE; fragment = o1heap_link(heap, fragment, O1HEAP_NEXT_FREE)) {
        if (*left == 0 || !is_free_fragment(heap, fragment) ||
            o1heap_bin(o1heap_get(heap, fragment, O1HEAP_SIZE)) != bin) {
            return hs_seen_fault(4 * bin, where);
        }
        --*left;
    }
    return HS_OK;
}

static hs_status_t check_bins(const hs_sim_t *heap, uint32_t free_fragments, uint32_t *where)
{
    uint32_t left = free_fragments;
    for (uint32_t bin = 0; bin < O1HEAP_BINS; bin++) {
        hs_status_t status = check_bin(heap, bin, &left, where);
        if (status != HS_OK) {
            return status;
        }
    }
    return left == 0 ? HS_OK : hs_seen_fault(O1HEAP_BITMAP_AT, where);
}

static hs_status_t check_diagnostics(const hs_sim_t *heap, uint32_t *where)
{
    uint32_t capacity = o1heap_capacity(heap);
    uint32_t peak = hs_region_get(heap, O1HEAP_PEAK_ALLOCATED_AT);
    uint32_t request = hs_region_get(heap, O1HEAP_PEAK_REQUEST_AT);
    bool has_failed = (hs_region_get(heap, O1HEAP_FAILURES_AT) |
                       hs_region_get(heap, O1HEAP_FAILURES_AT + 4)) != 0;
    if (hs_region_get(heap, O1HEAP_CAPACITY_AT) != capacity) {
        return hs_seen_fault(O1HEAP_CAPACITY_AT, where);
    }
    if (hs_region_get(heap, O1HEAP_ALLOCATED_AT) != o1heap_allocated(heap)) {
        return hs_seen_fault(O1HEAP_ALLOCATED_AT, where);
    }
    if (peak < o1heap_allocated(heap) || peak > capacity || peak % O1HEAP_FRAGMENT_MIN != 0) {
        return hs_seen_fault(O1HEAP_PEAK_ALLOCATED_AT, where);
    }
    if (!has_failed && request != 0 && (request > peak || request + O1HEAP_HEADER > peak)) {
        return hs_seen_fault(O1HEAP_PEAK_REQUEST_AT, where);
    }
    return HS_OK;
}

hs_status_t hs_o1heap_check(const hs_sim_t *heap, uint32_t *where)
{
    progress_t progress = {{0, 0, 0, 0, 0, 0, 0}, HS_NONE, false};
    hs_status_t status = check_diagnostics(heap, where);
    if (status == HS_OK) {
        status = check_fragments(heap, &progress, where);
    }
    if (status == HS_OK) {
        status = check_bins(heap, progress.seen.free_blocks, where);
    }
    if (status == HS_OK && !hs_seen_agrees(&heap->tally, &progress.seen)) {
        return hs_seen_fault(O1HEAP_FIRST, where);
    }
    return status;
}
