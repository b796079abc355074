#include "newlib.h"

#include "list.h"

/* ---- chunks ----------------------------------------------------------------------------------- */

/* ---- bins ------------------------------------------------------------------------------------- */

static void bin_remove(newlib_t *newlib, uint32_t chunk)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t size = newlib_size_of(heap, chunk);
    heap->tally.free -= size - NEWLIB_OVERHEAD;
    heap->tally.free_blocks--;
    hs_largest_take(&newlib->largest, size);
    if (chunk == newlib->rest) {
        newlib->rest = HS_NONE;
        return;
    }
    const uint32_t bin = newlib_bin_of(size);
    const uint32_t next = newlib_link_at(heap, chunk + NEWLIB_NEXT_FREE);
    const uint32_t previous = newlib_link_at(heap, chunk + NEWLIB_PREVIOUS_FREE);
    if (next != HS_NONE) {
        newlib_put_link(heap, next + NEWLIB_PREVIOUS_FREE, previous);
    } else {
        newlib->last[bin] = previous;
    }
    if (previous != HS_NONE) {
        newlib_put_link(heap, previous + NEWLIB_NEXT_FREE, next);
    } else {
        newlib->first[bin] = next;
    }
}

/* Small sizes come to the front; in other bins the largest are in front, and the newest of one size. */
static void bin_add(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t bin = newlib_bin_of(size);
    uint32_t next = newlib->first[bin];
    if (size < NEWLIB_SMALL_LIMIT || next == HS_NONE) {
        newlib->map |= UINT32_C(1) << (bin / 4);
    }
    while (size >= NEWLIB_SMALL_LIMIT && next != HS_NONE && size < newlib_size_of(heap, next)) {
        heap->steps.nodes++;
        next = newlib_link_at(heap, next + NEWLIB_NEXT_FREE);
    }
    const uint32_t previous =
        next == HS_NONE ? newlib->last[bin] : newlib_link_at(heap, next + NEWLIB_PREVIOUS_FREE);
    newlib_put_link(heap, chunk + NEWLIB_NEXT_FREE, next);
    newlib_put_link(heap, chunk + NEWLIB_PREVIOUS_FREE, previous);
    if (next != HS_NONE) {
        newlib_put_link(heap, next + NEWLIB_PREVIOUS_FREE, chunk);
    } else {
        newlib->last[bin] = chunk;
    }
    if (previous != HS_NONE) {
        newlib_put_link(heap, previous + NEWLIB_NEXT_FREE, chunk);
    } else {
        newlib->first[bin] = chunk;
    }
    newlib_count(newlib, size);
}

static void set_rest(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    newlib->rest = chunk;
    newlib_put_link(&newlib->heap, chunk + NEWLIB_NEXT_FREE, HS_NONE);
    newlib_put_link(&newlib->heap, chunk + NEWLIB_PREVIOUS_FREE, HS_NONE);
    newlib_count(newlib, size);
}

/* ---- malloc ----------------------------------------------------------------------------------- */

/* Takes a free chunk, and makes what it has beyond `size` the last remainder. */
static uint32_t take(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t whole = newlib_size_of(heap, chunk);
    bin_remove(newlib, chunk);
    if (whole - size < NEWLIB_SMALLEST) {
        newlib_put_used(heap, chunk, whole);
        return chunk;
    }
    newlib_put(heap, chunk + NEWLIB_SIZE, size | NEWLIB_BELOW_USED);
    newlib_put_free(heap, chunk + size, whole - size);
    set_rest(newlib, chunk + size, whole - size);
    return chunk;
}

/* The last chunk of a bin that has `size`, or HS_NONE. */
static uint32_t last_that_fits(newlib_t *newlib, uint32_t bin, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    uint32_t chunk = newlib->last[bin];
    while (chunk != HS_NONE && newlib_size_of(heap, chunk) < size) {
        heap->steps.nodes++;
        chunk = newlib_link_at(heap, chunk + NEWLIB_PREVIOUS_FREE);
    }
    heap->steps.bins++;
    return chunk;
}

/* Bins from there on; those of a block that is found empty lose its bit, with the ones before them that are
 * empty, too. */
static uint32_t search_up(newlib_t *newlib, uint32_t bin, uint32_t size)
{
    for (uint32_t block = bin / 4; block < NEWLIB_BINS / 4; block++, bin = 4 * block) {
        if ((newlib->map >> block & 1) == 0) {
            continue;
        }
        for (uint32_t at = bin; at < 4 * block + 4; at++) {
            const uint32_t chunk = last_that_fits(newlib, at, size);
            if (chunk != HS_NONE) {
                return chunk;
            }
        }
        while (bin > 4 * block && newlib->first[bin - 1] == HS_NONE) {
            bin--;
        }
        if (bin == 4 * block) {
            newlib->map &= ~(UINT32_C(1) << block);
        }
    }
    return HS_NONE;
}

/* A chunk of `size` out of the bins or the last remainder, or HS_NONE. */
static uint32_t search(newlib_t *newlib, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    uint32_t bin = newlib_bin_of(size);
    if (size < NEWLIB_SMALL_LIMIT - NEWLIB_GRANULE) {
        for (const uint32_t end = bin + 2; bin < end; bin++) {
            if (newlib->last[bin] != HS_NONE) {
                return newlib->last[bin];
            }
        }
    } else {
        const uint32_t chunk = last_that_fits(newlib, bin, size);
        if (chunk != HS_NONE && newlib_size_of(heap, chunk) - size < NEWLIB_SMALLEST) {
            return chunk;
        }
        bin += chunk == HS_NONE;
    }
    if (newlib->rest != HS_NONE) {
        const uint32_t rest = newlib->rest;
        if (newlib_size_of(heap, rest) >= size) {
            return rest;
        }
        bin_remove(newlib, rest);
        bin_add(newlib, rest, newlib_size_of(heap, rest));
    }
    return search_up(newlib, bin, size);
}

static bool move_break(newlib_t *newlib, uint32_t bytes)
{
    if (bytes > newlib->end - newlib->brk) {
        return false;
    }
    newlib->brk += bytes;
    return true;
}

/* Top grows for a chunk of `size`, as far as the arena allows. */
static void extend_top(newlib_t *newlib, uint32_t size)
{
    const uint32_t base = newlib->heap.base;
    if (newlib->begun) {
        if (((base + newlib->brk) & (NEWLIB_PAGE - 1)) == 0) {
            (void)move_break(newlib,
                             (size + NEWLIB_SMALLEST + NEWLIB_PAGE - 1) & ~(NEWLIB_PAGE - 1));
        }
    } else if (move_break(newlib, size + NEWLIB_SMALLEST)) {
        newlib->begun = true;
        (void)move_break(newlib, NEWLIB_PAGE - ((base + newlib->brk) & (NEWLIB_PAGE - 1)));
    }
    if (newlib->begun) {
        newlib_set_top(newlib, newlib->top);
    }
}

static uint32_t take_top(newlib_t *newlib, uint32_t size)
{
    if (newlib_top_size(newlib) < size + NEWLIB_SMALLEST) {
        extend_top(newlib, size);
    }
    if (newlib_top_size(newlib) < size + NEWLIB_SMALLEST) {
        return HS_NONE;
    }
    const uint32_t chunk = newlib->top;
    newlib_put(&newlib->heap, chunk + NEWLIB_SIZE, size | NEWLIB_BELOW_USED);
    newlib_set_top(newlib, chunk + size);
    newlib->heap.tally.free -= size;
    return chunk;
}

static uint32_t allocate(newlib_t *newlib, uint32_t size)
{
    uint32_t chunk = size == 0 ? HS_NONE : search(newlib, size);
    if (chunk != HS_NONE) {
        chunk = take(newlib, chunk, size);
    } else if (size != 0) {
        chunk = take_top(newlib, size);
    }
    if (chunk != HS_NONE) {
        newlib->heap.tally.used += newlib_size_of(&newlib->heap, chunk) - NEWLIB_OVERHEAD;
        newlib->heap.tally.used_blocks++;
    }
    return chunk;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    const uint32_t chunk = allocate(newlib_of(heap), newlib_chunk_size(size));
    return chunk == HS_NONE ? HS_NONE : chunk + NEWLIB_PAYLOAD;
}

/* ---- free ------------------------------------------------------------------------------------- */

/* Whole pages of a large top go back. */
static void trim(newlib_t *newlib)
{
    const uint32_t size = newlib_top_size(newlib);
    if (size >= NEWLIB_TRIM) {
        newlib->brk -= ((size - NEWLIB_SMALLEST + NEWLIB_PAGE - 1) / NEWLIB_PAGE - 1) * NEWLIB_PAGE;
        newlib_set_top(newlib, newlib->top);
    }
}

/* Frees a chunk that is in no tally. */
static void release(newlib_t *newlib, uint32_t chunk)
{
    hs_sim_t *heap = &newlib->heap;
    uint32_t size = newlib_size_of(heap, chunk);
    const uint32_t next = chunk + size;
    bool is_rest = false;
    if (!newlib_below_is_used(heap, chunk)) {
        chunk = newlib_below(heap, chunk);
        size += newlib_size_of(heap, chunk);
        is_rest = chunk == newlib->rest;
        bin_remove(newlib, chunk);
    }
    if (next == newlib->top) {
        heap->tally.free += size;
        newlib_set_top(newlib, chunk);
        trim(newlib);
        return;
    }
    if (newlib_is_free(newlib, next)) {
        size += newlib_size_of(heap, next);
        is_rest = is_rest || next == newlib->rest;
        bin_remove(newlib, next);
    }
    newlib_put_free(heap, chunk, size);
    if (is_rest) {
        set_rest(newlib, chunk, size);
    } else {
        bin_add(newlib, chunk, size);
    }
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return newlib_size_of(heap, offset - NEWLIB_PAYLOAD) - NEWLIB_OVERHEAD;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    heap->tally.used -= model_usable(heap, offset);
    heap->tally.used_blocks--;
    release(newlib_of(heap), offset - NEWLIB_PAYLOAD);
}

/* A used chunk keeps `size`; the rest is freed if it can be a chunk. */
static void cut(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t rest = newlib_size_of(heap, chunk) - size;
    if (rest >= NEWLIB_SMALLEST) {
        newlib_put(heap, chunk + size + NEWLIB_SIZE, rest | NEWLIB_BELOW_USED);
        newlib_put_used(heap, chunk, size);
        release(newlib, chunk + size);
    }
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* Makes one used chunk of this one and the free ones beside it, as far as `size` needs them; with top it has
 * that size. Returns the chunk, or HS_NONE. */
static uint32_t widen(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t own = newlib_size_of(heap, chunk);
    const uint32_t next = chunk + own;
    const bool to_top = next == newlib->top;
    const bool takes_next = to_top || newlib_is_free(newlib, next);
    const uint32_t needed = to_top ? size + NEWLIB_SMALLEST : size;
    const uint32_t above = to_top       ? newlib_top_size(newlib)
                           : takes_next ? newlib_size_of(heap, next)
                                        : 0;
    const uint32_t under = newlib_below_is_used(heap, chunk) ? 0 : hs_region_get(heap, chunk);
    const bool forward = takes_next && own + above >= needed;
    const bool both = takes_next && under != 0 && own + above + under >= needed;
    if (!forward && !both && (under == 0 || own + under < size)) {
        return HS_NONE;
    }
    if (!forward) {
        chunk -= under;
        bin_remove(newlib, chunk);
        heap->steps.copied += own - NEWLIB_OVERHEAD;
    }
    if (to_top && (forward || both)) {
        heap->tally.free -= chunk + size - next;
        newlib_put(heap, chunk + NEWLIB_SIZE,
                   size | (hs_region_get(heap, chunk + NEWLIB_SIZE) & NEWLIB_BELOW_USED));
        newlib_set_top(newlib, chunk + size);
        return chunk;
    }
    if (forward || both) {
        bin_remove(newlib, next);
    }
    newlib_put_used(heap, chunk, (forward || both ? next + above : next) - chunk);
    return chunk;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t wanted)
{
    newlib_t *newlib = newlib_of(heap);
    const uint32_t old = offset - NEWLIB_PAYLOAD;
    const uint32_t own = newlib_size_of(heap, old);
    const uint32_t size = newlib_chunk_size(wanted);
    uint32_t chunk = old;
    if (size == 0) {
        return HS_NONE;
    }
    if (own < size) {
        chunk = widen(newlib, old, size);
    }
    if (chunk == HS_NONE) {
        const uint32_t moved = allocate(newlib, size);
        if (moved == HS_NONE) {
            return HS_NONE;
        }
        hs_region_note_low(heap);
        if (moved != old + own) {
            heap->steps.copied += own - NEWLIB_OVERHEAD;
            model_free(heap, offset);
            return moved + NEWLIB_PAYLOAD;
        }
        heap->tally.used -= newlib_size_of(heap, moved) - NEWLIB_OVERHEAD;
        heap->tally.used_blocks--;
        newlib_put_used(heap, old, own + newlib_size_of(heap, moved));
        chunk = old;
    }
    cut(newlib, chunk, size);
    heap->tally.used += newlib_size_of(heap, chunk) - own;
    return chunk + NEWLIB_PAYLOAD;
}

/* ---- aligned allocation ----------------------------------------------------------------------- */

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t wanted, uint32_t at)
{
    newlib_t *newlib = newlib_of(heap);
    const uint32_t size = newlib_chunk_size(wanted);
    uint32_t chunk = allocate(newlib, newlib_padded_size(&align, wanted));
    (void)at;
    if (chunk == HS_NONE || align <= NEWLIB_GRANULE) {
        return chunk == HS_NONE ? HS_NONE : chunk + NEWLIB_PAYLOAD;
    }
    hs_region_note_low(heap);
    const uint32_t whole = newlib_size_of(heap, chunk);
    uint32_t lead = (0u - (heap->base + chunk + NEWLIB_PAYLOAD)) & (align - 1);
    lead += lead != 0 && lead < NEWLIB_SMALLEST ? align : 0;
    if (lead != 0) {
        newlib_put(heap, chunk + lead + NEWLIB_SIZE, (whole - lead) | NEWLIB_BELOW_USED);
        newlib_put(heap, chunk + NEWLIB_SIZE,
                   lead | (hs_region_get(heap, chunk + NEWLIB_SIZE) & NEWLIB_BELOW_USED));
        release(newlib, chunk);
        chunk += lead;
    }
    cut(newlib, chunk, size);
    heap->tally.used += newlib_size_of(heap, chunk) - whole;
    return chunk + NEWLIB_PAYLOAD;
}

static hs_status_t model_create(hs_sim_t *heap)
{
    newlib_t *newlib = newlib_of(heap);
    newlib->start = newlib->top = newlib->brk = (0u - heap->base) & (NEWLIB_GRANULE - 1);
    if (heap->size < newlib->start + 2 * NEWLIB_SMALLEST) {
        return HS_ERR_MEMORY;
    }
    newlib->end = heap->size;
    newlib->rest = HS_NONE;
    memset(newlib->first, 0xFF, sizeof newlib->first);
    memset(newlib->last, 0xFF, sizeof newlib->last);
    heap->tally.free = hs_newlib_end_payload(newlib);
    heap->tally.free_blocks = 1;
    return HS_OK;
}

const hs_model_t hs_model_newlib = {
    .name = "newlib",
    .title = "newlib's full malloc: Doug Lea's 2.6, best fit from bins",
    .state_size = sizeof(newlib_t),
    .granule = 4,
    .has_realloc = true,
    .has_aligned = true,
    .serves_up_to_largest = true,
    .create = model_create,
    .malloc = model_malloc,
    .free = model_free,
    .realloc = model_realloc,
    .aligned = model_aligned,
    .usable = model_usable,
    .fits = hs_newlib_fits,
    .largest_allocatable = hs_newlib_largest_allocatable,
    .largest_free = hs_newlib_largest_free,
    .reported = hs_newlib_reported,
    .walk = hs_newlib_walk,
    .check = hs_newlib_check,
};
