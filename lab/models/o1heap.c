/*
 * o1heap: fragments for powers of two, a bin for each power.
 * Source: pavel-kirienko/o1heap b3a1aa4 o1heap.c, in a 32-bit build.
 *
 *     +0      heads of 32 bins
 *     +128    bitmap of bins in use
 *     +136    diagnostics: capacity, allocated, peak of it, largest request, failures (64 bits)
 *     +160    fragments
 *
 *     +0      addresses of the physically next and previous fragment, 0 at the ends
 *     +8      size with this header
 *     +12     1: used
 *     +16     payload; in a free fragment the addresses of the next and the previous one of its bin,
 *             0 at the ends
 *
 * A request is rounded up to a power of two, header included; what the fragment found has beyond it
 * is split off, so that sizes of free fragments are any multiple of 32. There is no realloc and no
 * aligned allocation.
 */
#include "o1heap.h"

#include "list.h"

/* ---- bins: each a list used as a stack ---------------------------------------------------------- */

static void rebin(hs_sim_t *heap, uint32_t fragment)
{
    uint32_t size = o1heap_get(heap, fragment, O1HEAP_SIZE);
    uint32_t bin = o1heap_bin(size);
    uint32_t head = o1heap_link(heap, 0, 4 * bin);
    o1heap_set_link(heap, fragment, O1HEAP_NEXT_FREE, head);
    o1heap_set_link(heap, fragment, O1HEAP_PREVIOUS_FREE, HS_NONE);
    if (head != HS_NONE) {
        o1heap_set_link(heap, head, O1HEAP_PREVIOUS_FREE, fragment);
    }
    o1heap_set_link(heap, 0, 4 * bin, fragment);
    o1heap_set(heap, 0, O1HEAP_BITMAP_AT,
               o1heap_get(heap, 0, O1HEAP_BITMAP_AT) | UINT32_C(1) << bin);
    heap->tally.free += size - O1HEAP_HEADER;
    heap->tally.free_blocks++;
}

static void unbin(hs_sim_t *heap, uint32_t fragment)
{
    uint32_t size = o1heap_get(heap, fragment, O1HEAP_SIZE);
    uint32_t bin = o1heap_bin(size);
    uint32_t next = o1heap_link(heap, fragment, O1HEAP_NEXT_FREE);
    uint32_t previous = o1heap_link(heap, fragment, O1HEAP_PREVIOUS_FREE);
    if (next != HS_NONE) {
        o1heap_set_link(heap, next, O1HEAP_PREVIOUS_FREE, previous);
    }
    if (previous != HS_NONE) {
        o1heap_set_link(heap, previous, O1HEAP_NEXT_FREE, next);
    } else {
        o1heap_set_link(heap, 0, 4 * bin, next);
        if (next == HS_NONE) {
            o1heap_set(heap, 0, O1HEAP_BITMAP_AT,
                       o1heap_get(heap, 0, O1HEAP_BITMAP_AT) & ~(UINT32_C(1) << bin));
        }
    }
    heap->tally.free -= size - O1HEAP_HEADER;
    heap->tally.free_blocks--;
}

/* Two physical neighbours; either may be missing. */
static void interlink(hs_sim_t *heap, uint32_t left, uint32_t right)
{
    if (left != HS_NONE) {
        o1heap_set_link(heap, left, O1HEAP_NEXT, right);
    }
    if (right != HS_NONE) {
        o1heap_set_link(heap, right, O1HEAP_PREVIOUS, left);
    }
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* Cuts a fragment down to `wanted` and bins the rest. */
static void split(hs_sim_t *heap, uint32_t fragment, uint32_t wanted)
{
    uint32_t rest = fragment + wanted;
    uint32_t left_over = o1heap_get(heap, fragment, O1HEAP_SIZE) - wanted;
    if (left_over < O1HEAP_FRAGMENT_MIN) {
        return;
    }
    o1heap_set(heap, fragment, O1HEAP_SIZE, wanted);
    o1heap_set(heap, rest, O1HEAP_SIZE, left_over);
    o1heap_set(heap, rest, O1HEAP_USED, 0);
    interlink(heap, rest, o1heap_link(heap, fragment, O1HEAP_NEXT));
    interlink(heap, fragment, rest);
    rebin(heap, rest);
}

static uint32_t allocate(hs_sim_t *heap, uint32_t size)
{
    uint32_t wanted = o1heap_fragment_for(heap, size);
    uint32_t bins = wanted == 0 ? 0 : o1heap_bins_for(heap, wanted);
    heap->steps.bins++;
    if (bins == 0) {
        return HS_NONE;
    }
    uint32_t fragment = o1heap_link(heap, 0, 4 * hs_bits_lowest(bins));
    heap->steps.nodes++;
    unbin(heap, fragment);
    split(heap, fragment, wanted);
    o1heap_set(heap, fragment, O1HEAP_USED, 1);
    heap->tally.used += wanted - O1HEAP_HEADER;
    heap->tally.used_blocks++;
    return fragment + O1HEAP_HEADER;
}

static void count_allocated(hs_sim_t *heap)
{
    uint32_t allocated = o1heap_allocated(heap);
    hs_region_put(heap, O1HEAP_ALLOCATED_AT, allocated);
    if (allocated > hs_region_get(heap, O1HEAP_PEAK_ALLOCATED_AT)) {
        hs_region_put(heap, O1HEAP_PEAK_ALLOCATED_AT, allocated);
    }
}

/* Its diagnostics know refused requests too: a malloc that fails leaves a trace in `mem`. */
static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    uint32_t offset = allocate(heap, size);
    if (size > hs_region_get(heap, O1HEAP_PEAK_REQUEST_AT)) {
        hs_region_put(heap, O1HEAP_PEAK_REQUEST_AT, size);
    }
    if (offset != HS_NONE) {
        count_allocated(heap);
    } else if (size > 0) {
        uint32_t failures = hs_region_get(heap, O1HEAP_FAILURES_AT) + 1;
        hs_region_put(heap, O1HEAP_FAILURES_AT, failures);
        if (failures == 0) {
            hs_region_put(heap, O1HEAP_FAILURES_AT + 4,
                          hs_region_get(heap, O1HEAP_FAILURES_AT + 4) + 1);
        }
    }
    return offset;
}

/* `left` takes in its right neighbour, whose header it spoils. */
static void merge(hs_sim_t *heap, uint32_t left, uint32_t right)
{
    uint32_t size = o1heap_get(heap, left, O1HEAP_SIZE) + o1heap_get(heap, right, O1HEAP_SIZE);
    o1heap_set(heap, left, O1HEAP_SIZE, size);
    o1heap_set(heap, right, O1HEAP_SIZE, 0);
    interlink(heap, left, o1heap_link(heap, right, O1HEAP_NEXT));
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    uint32_t fragment = offset - O1HEAP_HEADER;
    uint32_t previous = o1heap_link(heap, fragment, O1HEAP_PREVIOUS);
    uint32_t next = o1heap_link(heap, fragment, O1HEAP_NEXT);
    heap->tally.used -= o1heap_get(heap, fragment, O1HEAP_SIZE) - O1HEAP_HEADER;
    heap->tally.used_blocks--;
    o1heap_set(heap, fragment, O1HEAP_USED, 0);
    if (previous != HS_NONE && !o1heap_is_used(heap, previous)) {
        unbin(heap, previous);
        merge(heap, previous, fragment);
        fragment = previous;
    }
    if (next != HS_NONE && !o1heap_is_used(heap, next)) {
        unbin(heap, next);
        merge(heap, fragment, next);
    }
    rebin(heap, fragment);
    count_allocated(heap);
}

/* ---- creation --------------------------------------------------------------------------------- */

static hs_status_t create(hs_sim_t *heap)
{
    /* It refuses other alignments and address 0 itself. */
    if (heap->base == 0 || heap->base % O1HEAP_HEADER != 0 ||
        heap->size < O1HEAP_FIRST + O1HEAP_FRAGMENT_MIN) {
        return HS_ERR_MEMORY;
    }
    memset(heap->mem, 0, O1HEAP_FIRST + O1HEAP_HEADER);
    hs_region_put(heap, O1HEAP_CAPACITY_AT, o1heap_capacity(heap));
    hs_region_put(heap, O1HEAP_FIRST + O1HEAP_SIZE, o1heap_capacity(heap));
    rebin(heap, O1HEAP_FIRST);
    heap->tally.control = O1HEAP_FIRST;
    heap->steps.writes = 0;
    return HS_OK;
}

const hs_model_t hs_model_o1heap = {
    .name = "o1heap",
    .title = "o1heap: fragments of powers of two",
    .state_size = sizeof(hs_sim_t),
    .granule = 16,
    .poisonable = false,
    .has_realloc = false,
    .has_aligned = false,
    .serves_up_to_largest = true,
    .undoes_malloc = true,
    .search = HS_SEARCH_ANY,
    .aligned_is_own = false,
    .create = create,
    .malloc = model_malloc,
    .free = model_free,
    .usable = hs_o1heap_usable,
    .fits = hs_o1heap_fits,
    .largest_allocatable = hs_o1heap_largest_allocatable,
    .largest_free = hs_o1heap_largest_free,
    .reported = hs_o1heap_reported,
    .walk = hs_o1heap_walk,
    .check = hs_o1heap_check,
};
