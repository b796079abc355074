/*
 * o1heap 3: as o1heap, with a header of 8 bytes and a realloc in place.
 * Source: pavel-kirienko/o1heap o1heap.c and o1heap.h of version 3, in a 32-bit build.
 *
 *     +0      heads of 32 bins
 *     +128    bitmap of bins in use
 *     +136    diagnostics: capacity, allocated, peak of it, largest request, failures (64 bits)
 *     +160    fragments
 *
 *     +0      address of the physically next fragment, 0 at the end
 *     +4      address of the previous one, 0 at the start; bit 0: used
 *     +8      payload; in a free fragment the addresses of the next and the previous one of its bin
 */
#include "bits.h"
#include "list.h"
#include "region.h"
#include "seen.h"

#define BINS 32u
#define BITMAP UINT32_C(128)
#define CAPACITY UINT32_C(136)
#define ALLOCATED UINT32_C(140)
#define PEAK UINT32_C(144)
#define REQUEST UINT32_C(148)
#define FAILURES UINT32_C(152)
#define FIRST UINT32_C(160)

#define NEXT UINT32_C(0)
#define PREVIOUS UINT32_C(4)
#define NEXT_FREE UINT32_C(8)
#define PREVIOUS_FREE UINT32_C(12)
#define IS_USED UINT32_C(1)

#define HEADER UINT32_C(8) /* the alignment too */
#define SMALLEST UINT32_C(16)
#define CAPACITY_MOST UINT32_C(0x80000000)

/* ---- fragments --------------------------------------------------------------------------------- */

static void put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static uint32_t link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at) & ~IS_USED;
    return word == 0 ? HS_NONE : word - heap->base;
}

static uint32_t word_of(const hs_sim_t *heap, uint32_t fragment)
{
    return fragment == HS_NONE ? 0 : heap->base + fragment;
}

static uint32_t capacity_of(const hs_sim_t *heap)
{
    const uint32_t behind = heap->size - FIRST;
    return (behind < CAPACITY_MOST ? behind : CAPACITY_MOST) & ~(SMALLEST - 1);
}

static bool is_used(const hs_sim_t *heap, uint32_t fragment)
{
    return (hs_region_get(heap, fragment + PREVIOUS) & IS_USED) != 0;
}

static uint32_t end_of(const hs_sim_t *heap, uint32_t fragment)
{
    const uint32_t next = link_at(heap, fragment + NEXT);
    return next == HS_NONE ? FIRST + capacity_of(heap) : next;
}

static uint32_t size_of(const hs_sim_t *heap, uint32_t fragment)
{
    return end_of(heap, fragment) - fragment;
}

static void set_used(hs_sim_t *heap, uint32_t fragment, bool used)
{
    const uint32_t word = hs_region_get(heap, fragment + PREVIOUS) & ~IS_USED;
    put(heap, fragment + PREVIOUS, word | (used ? IS_USED : 0));
}

/* Two physical neighbours; the right one may be missing. */
static void interlink(hs_sim_t *heap, uint32_t left, uint32_t right)
{
    put(heap, left + NEXT, word_of(heap, right));
    if (right != HS_NONE) {
        const uint32_t used = hs_region_get(heap, right + PREVIOUS) & IS_USED;
        put(heap, right + PREVIOUS, word_of(heap, left) | used);
    }
}

/* ---- bins: each a list used as a stack ---------------------------------------------------------- */

static uint32_t bin_of(uint32_t size)
{
    return hs_bits_highest(size / SMALLEST);
}

static void rebin(hs_sim_t *heap, uint32_t fragment)
{
    const uint32_t size = size_of(heap, fragment);
    const uint32_t bin = bin_of(size);
    const uint32_t head = link_at(heap, 4 * bin);
    put(heap, fragment + NEXT_FREE, word_of(heap, head));
    put(heap, fragment + PREVIOUS_FREE, 0);
    if (head != HS_NONE) {
        put(heap, head + PREVIOUS_FREE, word_of(heap, fragment));
    }
    put(heap, 4 * bin, word_of(heap, fragment));
    put(heap, BITMAP, hs_region_get(heap, BITMAP) | UINT32_C(1) << bin);
    heap->tally.free += size - HEADER;
    heap->tally.free_blocks++;
}

static void unbin(hs_sim_t *heap, uint32_t fragment)
{
    const uint32_t size = size_of(heap, fragment);
    const uint32_t bin = bin_of(size);
    const uint32_t next = link_at(heap, fragment + NEXT_FREE);
    const uint32_t previous = link_at(heap, fragment + PREVIOUS_FREE);
    if (next != HS_NONE) {
        put(heap, next + PREVIOUS_FREE, word_of(heap, previous));
    }
    if (previous != HS_NONE) {
        put(heap, previous + NEXT_FREE, word_of(heap, next));
    } else {
        put(heap, 4 * bin, word_of(heap, next));
        if (next == HS_NONE) {
            put(heap, BITMAP, hs_region_get(heap, BITMAP) & ~(UINT32_C(1) << bin));
        }
    }
    heap->tally.free -= size - HEADER;
    heap->tally.free_blocks--;
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* The fragment that a request needs, 0: refused. */
static uint32_t fragment_for(const hs_sim_t *heap, uint32_t size)
{
    if (size == 0 || size > capacity_of(heap) - HEADER) {
        return 0;
    }
    const uint32_t fragment = UINT32_C(2) << hs_bits_highest(size + HEADER - 1);
    return fragment < SMALLEST ? SMALLEST : fragment;
}

static uint32_t bins_for(const hs_sim_t *heap, uint32_t wanted)
{
    return hs_region_get(heap, BITMAP) & hs_bits_from(bin_of(wanted));
}

/* Cuts a fragment down; returns the rest, which is in no bin, or HS_NONE. */
static uint32_t split(hs_sim_t *heap, uint32_t fragment, uint32_t wanted)
{
    const uint32_t rest = fragment + wanted;
    if (size_of(heap, fragment) - wanted < SMALLEST) {
        return HS_NONE;
    }
    const uint32_t next = link_at(heap, fragment + NEXT);
    put(heap, rest + PREVIOUS, 0);
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
    heap->tally.used += size_of(heap, fragment) - HEADER;
    heap->tally.used_blocks++;
}

static uint32_t allocated_of(const hs_sim_t *heap)
{
    return heap->tally.used + HEADER * heap->tally.used_blocks;
}

static void count_allocated(hs_sim_t *heap)
{
    const uint32_t allocated = allocated_of(heap);
    hs_region_put(heap, ALLOCATED, allocated);
    if (allocated > hs_region_get(heap, PEAK)) {
        hs_region_put(heap, PEAK, allocated);
    }
}

/* Its diagnostics know refused requests too. */
static void note_request(hs_sim_t *heap, uint32_t size, bool failed)
{
    if (size > hs_region_get(heap, REQUEST)) {
        hs_region_put(heap, REQUEST, size);
    }
    if (failed) {
        const uint32_t failures = hs_region_get(heap, FAILURES) + 1;
        hs_region_put(heap, FAILURES, failures);
        hs_region_put(heap, FAILURES + 4, hs_region_get(heap, FAILURES + 4) + (failures == 0));
    }
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    const uint32_t wanted = fragment_for(heap, size);
    const uint32_t bins = wanted == 0 ? 0 : bins_for(heap, wanted);
    heap->steps.bins++;
    note_request(heap, size, bins == 0);
    if (bins == 0) {
        return HS_NONE;
    }
    const uint32_t fragment = link_at(heap, 4 * hs_bits_lowest(bins));
    heap->steps.nodes++;
    unbin(heap, fragment);
    use(heap, fragment, wanted);
    count_allocated(heap);
    return fragment + HEADER;
}

/* A fragment in no tally becomes free. */
static void release(hs_sim_t *heap, uint32_t fragment)
{
    const uint32_t previous = link_at(heap, fragment + PREVIOUS);
    const uint32_t next = link_at(heap, fragment + NEXT);
    set_used(heap, fragment, false);
    if (previous != HS_NONE && !is_used(heap, previous)) {
        unbin(heap, previous);
        interlink(heap, previous, next);
        fragment = previous;
    }
    if (next != HS_NONE && !is_used(heap, next)) {
        unbin(heap, next);
        interlink(heap, fragment, link_at(heap, next + NEXT));
    }
    rebin(heap, fragment);
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return size_of(heap, offset - HEADER) - HEADER;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    heap->tally.used -= model_usable(heap, offset);
    heap->tally.used_blocks--;
    release(heap, offset - HEADER);
    count_allocated(heap);
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* The fragment made of this one and of free neighbours, for `wanted`; HS_NONE: there is no room. */
static uint32_t widen(hs_sim_t *heap, uint32_t fragment, uint32_t wanted)
{
    const uint32_t own = size_of(heap, fragment);
    const uint32_t next = link_at(heap, fragment + NEXT);
    const uint32_t previous = link_at(heap, fragment + PREVIOUS);
    const uint32_t above = next != HS_NONE && !is_used(heap, next) ? size_of(heap, next) : 0;
    const uint32_t below = previous != HS_NONE && !is_used(heap, previous) ? size_of(heap, previous) : 0;
    if (own + above < wanted && (below == 0 || below + own + above < wanted)) {
        return HS_NONE;
    }
    const uint32_t last = above != 0 ? link_at(heap, next + NEXT) : next;
    if (above != 0) {
        unbin(heap, next);
    }
    if (own + above < wanted) {
        unbin(heap, previous);
        heap->steps.copied += own - HEADER;
        fragment = previous;
    }
    interlink(heap, fragment, last);
    return fragment;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    uint32_t fragment = offset - HEADER;
    const uint32_t old = size_of(heap, fragment);
    const uint32_t wanted = fragment_for(heap, size);
    if (wanted == 0) {
        note_request(heap, size, true);
        return HS_NONE;
    }
    if (wanted <= old) {
        const uint32_t rest = split(heap, fragment, wanted);
        note_request(heap, size, false);
        if (rest != HS_NONE) {
            heap->tally.used -= size_of(heap, rest);
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
            heap->steps.copied += old - HEADER;
            model_free(heap, offset);
        }
        return moved;
    }
    note_request(heap, size, false);
    heap->tally.used -= old - HEADER;
    heap->tally.used_blocks--;
    use(heap, fragment, wanted);
    count_allocated(heap);
    return fragment + HEADER;
}

/* ---- questions -------------------------------------------------------------------------------- */

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = fragment_for(heap, size);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return wanted != 0 && bins_for(heap, wanted) != 0;
}

static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    const uint32_t bins = hs_region_get(heap, BITMAP);
    return bins == 0 ? 0 : (SMALLEST << hs_bits_highest(bins)) - HEADER;
}

/* Bound: visits the fragments of one bin. */
static uint32_t model_largest_free(const hs_sim_t *heap)
{
    const uint32_t bins = hs_region_get(heap, BITMAP);
    uint32_t largest = 0;
    if (bins == 0) {
        return 0;
    }
    for (uint32_t fragment = link_at(heap, 4 * hs_bits_highest(bins)); fragment != HS_NONE;
         fragment = link_at(heap, fragment + NEXT_FREE)) {
        const uint32_t size = size_of(heap, fragment) - HEADER;
        largest = size > largest ? size : largest;
    }
    return largest;
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const uint32_t capacity = hs_region_get(heap, CAPACITY);
    out->allocated = hs_region_get(heap, ALLOCATED);
    out->free = capacity - out->allocated;
    out->minimum_free = capacity - hs_region_get(heap, PEAK);
    out->largest_free = (UINT32_C(1) << hs_bits_highest(capacity)) - HEADER;
}

/* ---- walk and check --------------------------------------------------------------------------- */

static bool block_at(const hs_sim_t *heap, uint32_t fragment, hs_walk_block_t *block)
{
    const uint32_t end = end_of(heap, fragment);
    if (end < fragment + SMALLEST || end > FIRST + capacity_of(heap) || end % SMALLEST != 0) {
        return false;
    }
    *block = (hs_walk_block_t){fragment + HEADER, end - fragment - HEADER, is_used(heap, fragment)};
    return true;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_walk_block_t block;
    for (uint32_t at = FIRST; at != FIRST + capacity_of(heap); at = block.offset + block.size) {
        if (!block_at(heap, at, &block) || !visit(context, &block)) {
            return;
        }
    }
}

static bool is_free_fragment(const hs_sim_t *heap, uint32_t fragment)
{
    return fragment >= FIRST && fragment < FIRST + capacity_of(heap) && fragment % SMALLEST == 0 &&
           !is_used(heap, fragment);
}

/* A free fragment and its neighbours in the bin lead to each other. */
static bool is_binned(const hs_sim_t *heap, uint32_t fragment, uint32_t size)
{
    const uint32_t bin = bin_of(size);
    const uint32_t next = link_at(heap, fragment + NEXT_FREE);
    const uint32_t previous = link_at(heap, fragment + PREVIOUS_FREE);
    const bool next_agrees = next == HS_NONE || (is_free_fragment(heap, next) &&
                                                 link_at(heap, next + PREVIOUS_FREE) == fragment);
    const bool is_led_to = previous == HS_NONE ? link_at(heap, 4 * bin) == fragment
                                               : is_free_fragment(heap, previous) &&
                                                     link_at(heap, previous + NEXT_FREE) == fragment;
    return next_agrees && is_led_to && (hs_region_get(heap, BITMAP) >> bin & 1) != 0;
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    uint32_t previous = HS_NONE;
    bool after_free = false;
    uint32_t bins = 0;
    for (uint32_t at = FIRST; at != FIRST + capacity_of(heap); at = block.offset + block.size) {
        if (!block_at(heap, at, &block) || link_at(heap, at + PREVIOUS) != previous ||
            (hs_region_get(heap, at + PREVIOUS) - heap->base) % 4 > IS_USED ||
            (!block.used && (after_free || !is_binned(heap, at, block.size + HEADER)))) {
            return hs_seen_fault(at, where);
        }
        bins |= block.used ? 0 : UINT32_C(1) << bin_of(block.size + HEADER);
        hs_seen_add(&seen, block.size, block.used);
        previous = at;
        after_free = !block.used;
    }
    if (bins != hs_region_get(heap, BITMAP) || hs_region_get(heap, CAPACITY) != capacity_of(heap) ||
        hs_region_get(heap, ALLOCATED) != allocated_of(heap)) {
        return hs_seen_fault(BITMAP, where);
    }
    for (uint32_t bin = 0; bin < BINS; bin++) {
        if ((bins >> bin & 1) == 0 && link_at(heap, 4 * bin) != HS_NONE) {
            return hs_seen_fault(4 * bin, where);
        }
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(FIRST, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    if (heap->base == 0 || heap->base % HEADER != 0 || heap->size < FIRST + SMALLEST) {
        return HS_ERR_MEMORY;
    }
    memset(heap->mem, 0, FIRST + HEADER);
    hs_region_put(heap, CAPACITY, capacity_of(heap));
    rebin(heap, FIRST);
    heap->tally.control = FIRST;
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
    .fits = model_fits,
    .largest_allocatable = model_largest_allocatable,
    .largest_free = model_largest_free,
    .reported = model_reported,
    .walk = model_walk,
    .check = model_check,
};
