#include "o1heap_3.h"

#include "list.h"

/* ---- fragments --------------------------------------------------------------------------------- */

static void put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static uint32_t word_of(const hs_sim_t *heap, uint32_t fragment)
{
    return fragment == HS_NONE ? 0 : heap->base + fragment;
}

static void set_used(hs_sim_t *heap, uint32_t fragment, bool used)
{
    const uint32_t word = hs_region_get(heap, fragment + O1HEAP_3_PREVIOUS) & ~O1HEAP_3_IS_USED;
    put(heap, fragment + O1HEAP_3_PREVIOUS, word | (used ? O1HEAP_3_IS_USED : 0));
}

/* Two physical neighbours; the right one may be missing. */
static void interlink(hs_sim_t *heap, uint32_t left, uint32_t right)
{
    put(heap, left + O1HEAP_3_NEXT, word_of(heap, right));
    if (right != HS_NONE) {
        const uint32_t used = hs_region_get(heap, right + O1HEAP_3_PREVIOUS) & O1HEAP_3_IS_USED;
        put(heap, right + O1HEAP_3_PREVIOUS, word_of(heap, left) | used);
    }
}

/* ---- bins: each a list used as a stack ---------------------------------------------------------- */

static void rebin(hs_sim_t *heap, uint32_t fragment)
{
    const uint32_t size = o1heap_3_size_of(heap, fragment);
    const uint32_t bin = o1heap_3_bin_of(size);
    const uint32_t head = o1heap_3_link_at(heap, 4 * bin);
    put(heap, fragment + O1HEAP_3_NEXT_FREE, word_of(heap, head));
    put(heap, fragment + O1HEAP_3_PREVIOUS_FREE, 0);
    if (head != HS_NONE) {
        put(heap, head + O1HEAP_3_PREVIOUS_FREE, word_of(heap, fragment));
    }
    put(heap, 4 * bin, word_of(heap, fragment));
    put(heap, O1HEAP_3_BITMAP, hs_region_get(heap, O1HEAP_3_BITMAP) | UINT32_C(1) << bin);
    heap->tally.free += size - O1HEAP_3_HEADER;
    heap->tally.free_blocks++;
}

static void unbin(hs_sim_t *heap, uint32_t fragment)
{
    const uint32_t size = o1heap_3_size_of(heap, fragment);
    const uint32_t bin = o1heap_3_bin_of(size);
    const uint32_t next = o1heap_3_link_at(heap, fragment + O1HEAP_3_NEXT_FREE);
    const uint32_t previous = o1heap_3_link_at(heap, fragment + O1HEAP_3_PREVIOUS_FREE);
    if (next != HS_NONE) {
        put(heap, next + O1HEAP_3_PREVIOUS_FREE, word_of(heap, previous));
    }
    if (previous != HS_NONE) {
        put(heap, previous + O1HEAP_3_NEXT_FREE, word_of(heap, next));
    } else {
        put(heap, 4 * bin, word_of(heap, next));
        if (next == HS_NONE) {
            put(heap, O1HEAP_3_BITMAP,
                hs_region_get(heap, O1HEAP_3_BITMAP) & ~(UINT32_C(1) << bin));
        }
    }
    heap->tally.free -= size - O1HEAP_3_HEADER;
    heap->tally.free_blocks--;
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* Cuts a fragment down; returns the rest, which is in no bin, or HS_NONE. */
static uint32_t split(hs_sim_t *heap, uint32_t fragment, uint32_t wanted)
{
    const uint32_t rest = fragment + wanted;
    if (o1heap_3_size_of(heap, fragment) - wanted < O1HEAP_3_SMALLEST) {
        return HS_NONE;
    }
    const uint32_t next = o1heap_3_link_at(heap, fragment + O1HEAP_3_NEXT);
    put(heap, rest + O1HEAP_3_PREVIOUS, 0);
    interlink(heap, rest, next);
    interlink(heap, fragment, rest);
    return rest;
}

static void use(hs_sim_t *heap, uint32_t fragment, uint32_t wanted)
{
    const uint32_t rest = split(heap, fragment, wanted);
    if (rest != HS_NONE) {
        rebin(heap, rest);
    }
    set_used(heap, fragment, true);
    heap->tally.used += o1heap_3_size_of(heap, fragment) - O1HEAP_3_HEADER;
    heap->tally.used_blocks++;
}

static void count_allocated(hs_sim_t *heap)
{
    const uint32_t allocated = o1heap_3_allocated_of(heap);
    hs_region_put(heap, O1HEAP_3_ALLOCATED, allocated);
    if (allocated > hs_region_get(heap, O1HEAP_3_PEAK)) {
        hs_region_put(heap, O1HEAP_3_PEAK, allocated);
    }
}

/* Its diagnostics know refused requests too. */
static void note_request(hs_sim_t *heap, uint32_t size, bool failed)
{
    if (size > hs_region_get(heap, O1HEAP_3_REQUEST)) {
        hs_region_put(heap, O1HEAP_3_REQUEST, size);
    }
    if (failed) {
        const uint32_t failures = hs_region_get(heap, O1HEAP_3_FAILURES) + 1;
        hs_region_put(heap, O1HEAP_3_FAILURES, failures);
        hs_region_put(heap, O1HEAP_3_FAILURES + 4,
                      hs_region_get(heap, O1HEAP_3_FAILURES + 4) + (failures == 0));
    }
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    const uint32_t wanted = o1heap_3_fragment_for(heap, size);
    const uint32_t bins = wanted == 0 ? 0 : o1heap_3_bins_for(heap, wanted);
    heap->steps.bins++;
    note_request(heap, size, bins == 0);
    if (bins == 0) {
        return HS_NONE;
    }
    const uint32_t fragment = o1heap_3_link_at(heap, 4 * hs_bits_lowest(bins));
    heap->steps.nodes++;
    unbin(heap, fragment);
    use(heap, fragment, wanted);
    count_allocated(heap);
    return fragment + O1HEAP_3_HEADER;
}

/* A fragment in no tally becomes free. */
static void release(hs_sim_t *heap, uint32_t fragment)
{
    const uint32_t previous = o1heap_3_link_at(heap, fragment + O1HEAP_3_PREVIOUS);
    const uint32_t next = o1heap_3_link_at(heap, fragment + O1HEAP_3_NEXT);
    set_used(heap, fragment, false);
    if (previous != HS_NONE && !o1heap_3_is_used(heap, previous)) {
        unbin(heap, previous);
        interlink(heap, previous, next);
        fragment = previous;
    }
    if (next != HS_NONE && !o1heap_3_is_used(heap, next)) {
        unbin(heap, next);
        interlink(heap, fragment, o1heap_3_link_at(heap, next + O1HEAP_3_NEXT));
    }
    rebin(heap, fragment);
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return o1heap_3_size_of(heap, offset - O1HEAP_3_HEADER) - O1HEAP_3_HEADER;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    heap->tally.used -= model_usable(heap, offset);
    heap->tally.used_blocks--;
    release(heap, offset - O1HEAP_3_HEADER);
    count_allocated(heap);
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* The fragment made of this one and of free neighbours, for `wanted`; HS_NONE: there is no room. */
static uint32_t widen(hs_sim_t *heap, uint32_t fragment, uint32_t wanted)
{
    const uint32_t own = o1heap_3_size_of(heap, fragment);
    const uint32_t next = o1heap_3_link_at(heap, fragment + O1HEAP_3_NEXT);
    const uint32_t previous = o1heap_3_link_at(heap, fragment + O1HEAP_3_PREVIOUS);
    const uint32_t above =
        next != HS_NONE && !o1heap_3_is_used(heap, next) ? o1heap_3_size_of(heap, next) : 0;
    const uint32_t below = previous != HS_NONE && !o1heap_3_is_used(heap, previous)
                               ? o1heap_3_size_of(heap, previous)
                               : 0;
    if (own + above < wanted && (below == 0 || below + own + above < wanted)) {
        return HS_NONE;
    }
    const uint32_t last = above != 0 ? o1heap_3_link_at(heap, next + O1HEAP_3_NEXT) : next;
    if (above != 0) {
        unbin(heap, next);
    }
    if (own + above < wanted) {
        unbin(heap, previous);
        heap->steps.copied += own - O1HEAP_3_HEADER;
        fragment = previous;
    }
    interlink(heap, fragment, last);
    return fragment;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    uint32_t fragment = offset - O1HEAP_3_HEADER;
    const uint32_t old = o1heap_3_size_of(heap, fragment);
    const uint32_t wanted = o1heap_3_fragment_for(heap, size);
    if (wanted == 0) {
        note_request(heap, size, true);
        return HS_NONE;
    }
    if (wanted <= old) {
        const uint32_t rest = split(heap, fragment, wanted);
        note_request(heap, size, false);
        if (rest != HS_NONE) {
            heap->tally.used -= o1heap_3_size_of(heap, rest);
            release(heap, rest);
            count_allocated(heap);
        }
        return offset;
    }
    fragment = widen(heap, fragment, wanted);
    if (fragment == HS_NONE) {
        const uint32_t moved = model_malloc(heap, size);
        if (moved != HS_NONE) {
            hs_region_note_low(heap);
            heap->steps.copied += old - O1HEAP_3_HEADER;
            model_free(heap, offset);
        }
        return moved;
    }
    note_request(heap, size, false);
    heap->tally.used -= old - O1HEAP_3_HEADER;
    heap->tally.used_blocks--;
    use(heap, fragment, wanted);
    count_allocated(heap);
    return fragment + O1HEAP_3_HEADER;
}

static hs_status_t model_create(hs_sim_t *heap)
{
    if (heap->base == 0 || heap->base % O1HEAP_3_HEADER != 0 ||
        heap->size < O1HEAP_3_FIRST + O1HEAP_3_SMALLEST) {
        return HS_ERR_MEMORY;
    }
    memset(heap->mem, 0, O1HEAP_3_FIRST + O1HEAP_3_HEADER);
    hs_region_put(heap, O1HEAP_3_CAPACITY, o1heap_3_capacity_of(heap));
    rebin(heap, O1HEAP_3_FIRST);
    heap->tally.control = O1HEAP_3_FIRST;
    heap->steps.writes = 0;
    return HS_OK;
}

const hs_model_t hs_model_o1heap_3 = {
    .name = "o1heap-3",
    .title = "o1heap 3: fragments of powers of two, header 8, realloc in place",
    .state_size = sizeof(hs_sim_t),
    .granule = 8,
    .has_realloc = true,
    .serves_up_to_largest = true,
    .undoes_malloc = true,
    .search = HS_SEARCH_ANY,
    .create = model_create,
    .malloc = model_malloc,
    .free = model_free,
    .realloc = model_realloc,
    .usable = model_usable,
    .fits = hs_o1heap_3_fits,
    .largest_allocatable = hs_o1heap_3_largest_allocatable,
    .largest_free = hs_o1heap_3_largest_free,
    .reported = hs_o1heap_3_reported,
    .walk = hs_o1heap_3_walk,
    .check = hs_o1heap_3_check,
};
