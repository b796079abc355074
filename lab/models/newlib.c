/*
 * newlib's full malloc: Doug Lea's 2.6, best fit from 128 bins, and what lies behind the last chunk ("top").
 * Source: newlib 9dc06b7ea newlib/libc/stdlib/mallocr.c, the same from 3.3 on, in builds without
 * SMALL_MEMORY: pages of 4,096 bytes.
 *
 *     chunk + 0    size of the chunk below, where that is free; else the end of its payload
 *     chunk + 4    size with 4 bytes of the next chunk less 4, a multiple of 8; bit 0: the one below is used
 *     chunk + 8    payload; free: addresses of the next and the previous chunk of its bin, 0 at the ends
 *
 * The bins' heads, the map of blocks of four bins and the last remainder of a split, which no bin has, are
 * variables outside of the heap. The region is a fixed arena: sbrk fails, and changes nothing, where the break
 * would pass its end. After the first call it is asked for whole pages, so that both ends of the arena modulo
 * the page matter. Top and what lies above the break are one free block here.
 */
#include "bits.h"
#include "largest.h"
#include "list.h"
#include "region.h"
#include "seen.h"

#define SIZE UINT32_C(4)
#define PAYLOAD UINT32_C(8)
#define NEXT_FREE UINT32_C(8)
#define PREVIOUS_FREE UINT32_C(12)
#define BELOW_USED UINT32_C(1)
#define OVERHEAD UINT32_C(4)
#define SMALLEST UINT32_C(16)
#define GRANULE UINT32_C(8)
#define BINS 128u
#define SMALL_LIMIT UINT32_C(512) /* from there on a bin has several sizes */
#define PAGE UINT32_C(4096)
#define TRIM UINT32_C(131072) /* of top, from which on pages go back */
#define TOO_LARGE UINT32_C(0x80000000)

typedef struct newlib {
    hs_sim_t heap;
    uint32_t start;
    uint32_t top;
    uint32_t brk;
    uint32_t end;
    uint32_t map;  /* blocks of four bins that may hold chunks */
    uint32_t rest; /* the last remainder, or HS_NONE */
    bool begun;    /* sbrk was called */
    hs_largest_t largest; /* of the free chunks below top */
    uint32_t first[BINS], last[BINS];
} newlib_t;

static newlib_t *newlib_of(hs_sim_t *heap)
{
    return (newlib_t *)heap;
}

static const newlib_t *newlib_of_const(const hs_sim_t *heap)
{
    return (const newlib_t *)heap;
}

/* ---- chunks ----------------------------------------------------------------------------------- */

static void put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static uint32_t link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

static void put_link(hs_sim_t *heap, uint32_t at, uint32_t chunk)
{
    put(heap, at, chunk == HS_NONE ? 0 : heap->base + chunk);
}

static uint32_t size_of(const hs_sim_t *heap, uint32_t chunk)
{
    return hs_region_get(heap, chunk + SIZE) & ~(GRANULE - 1);
}

static bool below_is_used(const hs_sim_t *heap, uint32_t chunk)
{
    return (hs_region_get(heap, chunk + SIZE) & BELOW_USED) != 0;
}

static uint32_t below(const hs_sim_t *heap, uint32_t chunk)
{
    return chunk - hs_region_get(heap, chunk);
}

/* Not for top, behind which nothing lies. */
static bool is_free(const newlib_t *newlib, uint32_t chunk)
{
    return !below_is_used(&newlib->heap, chunk + size_of(&newlib->heap, chunk));
}

/* A used chunk of that size; the word of the chunk below stays as it is. */
static void put_used(hs_sim_t *heap, uint32_t chunk, uint32_t size)
{
    put(heap, chunk + SIZE, size | (hs_region_get(heap, chunk + SIZE) & BELOW_USED));
    put(heap, chunk + size + SIZE, hs_region_get(heap, chunk + size + SIZE) | BELOW_USED);
}

/* A free chunk behind a used one. */
static void put_free(hs_sim_t *heap, uint32_t chunk, uint32_t size)
{
    put(heap, chunk + SIZE, size | BELOW_USED);
    put(heap, chunk + size, size);
    put(heap, chunk + size + SIZE, hs_region_get(heap, chunk + size + SIZE) & ~BELOW_USED);
}

static uint32_t top_size(const newlib_t *newlib)
{
    return newlib->brk - newlib->top;
}

static void set_top(newlib_t *newlib, uint32_t top)
{
    newlib->top = top;
    put(&newlib->heap, top + SIZE, top_size(newlib) | BELOW_USED);
}

/* ---- bins ------------------------------------------------------------------------------------- */

static uint32_t bin_of(uint32_t size)
{
    const uint32_t half = size >> 9;
    if (half == 0) {
        return size >> 3;
    }
    return half <= 4      ? 56 + (size >> 6)
           : half <= 20   ? 91 + half
           : half <= 84   ? 110 + (size >> 12)
           : half <= 340  ? 119 + (size >> 15)
           : half <= 1364 ? 124 + (size >> 18)
                          : 126;
}

static void count(newlib_t *newlib, uint32_t size)
{
    newlib->heap.tally.free += size - OVERHEAD;
    newlib->heap.tally.free_blocks++;
    hs_largest_add(&newlib->largest, size);
}

static void bin_remove(newlib_t *newlib, uint32_t chunk)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t size = size_of(heap, chunk);
    heap->tally.free -= size - OVERHEAD;
    heap->tally.free_blocks--;
    hs_largest_take(&newlib->largest, size);
    if (chunk == newlib->rest) {
        newlib->rest = HS_NONE;
        return;
    }
    const uint32_t bin = bin_of(size);
    const uint32_t next = link_at(heap, chunk + NEXT_FREE);
    const uint32_t previous = link_at(heap, chunk + PREVIOUS_FREE);
    if (next != HS_NONE) {
        put_link(heap, next + PREVIOUS_FREE, previous);
    } else {
        newlib->last[bin] = previous;
    }
    if (previous != HS_NONE) {
        put_link(heap, previous + NEXT_FREE, next);
    } else {
        newlib->first[bin] = next;
    }
}

/* Small sizes come to the front; in other bins the largest are in front, and the newest of one size. */
static void bin_add(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t bin = bin_of(size);
    uint32_t next = newlib->first[bin];
    if (size < SMALL_LIMIT || next == HS_NONE) {
        newlib->map |= UINT32_C(1) << (bin / 4);
    }
    while (size >= SMALL_LIMIT && next != HS_NONE && size < size_of(heap, next)) {
        heap->steps.nodes++;
        next = link_at(heap, next + NEXT_FREE);
    }
    const uint32_t previous =
        next == HS_NONE ? newlib->last[bin] : link_at(heap, next + PREVIOUS_FREE);
    put_link(heap, chunk + NEXT_FREE, next);
    put_link(heap, chunk + PREVIOUS_FREE, previous);
    if (next != HS_NONE) {
        put_link(heap, next + PREVIOUS_FREE, chunk);
    } else {
        newlib->last[bin] = chunk;
    }
    if (previous != HS_NONE) {
        put_link(heap, previous + NEXT_FREE, chunk);
    } else {
        newlib->first[bin] = chunk;
    }
    count(newlib, size);
}

static void set_rest(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    newlib->rest = chunk;
    put_link(&newlib->heap, chunk + NEXT_FREE, HS_NONE);
    put_link(&newlib->heap, chunk + PREVIOUS_FREE, HS_NONE);
    count(newlib, size);
}

/* ---- malloc ----------------------------------------------------------------------------------- */

/* The chunk that a request needs, 0: refused. */
static uint32_t chunk_size(uint32_t size)
{
    if (size == 0 || size >= TOO_LARGE - SMALLEST) {
        return 0;
    }
    return size + OVERHEAD + GRANULE - 1 < SMALLEST + GRANULE - 1
               ? SMALLEST
               : (size + OVERHEAD + GRANULE - 1) & ~(GRANULE - 1);
}

/* Takes a free chunk, and makes what it has beyond `size` the last remainder. */
static uint32_t take(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t whole = size_of(heap, chunk);
    bin_remove(newlib, chunk);
    if (whole - size < SMALLEST) {
        put_used(heap, chunk, whole);
        return chunk;
    }
    put(heap, chunk + SIZE, size | BELOW_USED);
    put_free(heap, chunk + size, whole - size);
    set_rest(newlib, chunk + size, whole - size);
    return chunk;
}

/* The last chunk of a bin that has `size`, or HS_NONE. */
static uint32_t last_that_fits(newlib_t *newlib, uint32_t bin, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    uint32_t chunk = newlib->last[bin];
    while (chunk != HS_NONE && size_of(heap, chunk) < size) {
        heap->steps.nodes++;
        chunk = link_at(heap, chunk + PREVIOUS_FREE);
    }
    heap->steps.bins++;
    return chunk;
}

/* Bins from there on; those of a block that is found empty lose its bit, with the ones before them that are
 * empty, too. */
static uint32_t search_up(newlib_t *newlib, uint32_t bin, uint32_t size)
{
    for (uint32_t block = bin / 4; block < BINS / 4; block++, bin = 4 * block) {
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
    uint32_t bin = bin_of(size);
    if (size < SMALL_LIMIT - GRANULE) {
        for (const uint32_t end = bin + 2; bin < end; bin++) {
            if (newlib->last[bin] != HS_NONE) {
                return newlib->last[bin];
            }
        }
    } else {
        const uint32_t chunk = last_that_fits(newlib, bin, size);
        if (chunk != HS_NONE && size_of(heap, chunk) - size < SMALLEST) {
            return chunk;
        }
        bin += chunk == HS_NONE;
    }
    if (newlib->rest != HS_NONE) {
        const uint32_t rest = newlib->rest;
        if (size_of(heap, rest) >= size) {
            return rest;
        }
        bin_remove(newlib, rest);
        bin_add(newlib, rest, size_of(heap, rest));
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
        if (((base + newlib->brk) & (PAGE - 1)) == 0) {
            (void)move_break(newlib, (size + SMALLEST + PAGE - 1) & ~(PAGE - 1));
        }
    } else if (move_break(newlib, size + SMALLEST)) {
        newlib->begun = true;
        (void)move_break(newlib, PAGE - ((base + newlib->brk) & (PAGE - 1)));
    }
    if (newlib->begun) {
        set_top(newlib, newlib->top);
    }
}

static uint32_t take_top(newlib_t *newlib, uint32_t size)
{
    if (top_size(newlib) < size + SMALLEST) {
        extend_top(newlib, size);
    }
    if (top_size(newlib) < size + SMALLEST) {
        return HS_NONE;
    }
    const uint32_t chunk = newlib->top;
    put(&newlib->heap, chunk + SIZE, size | BELOW_USED);
    set_top(newlib, chunk + size);
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
        newlib->heap.tally.used += size_of(&newlib->heap, chunk) - OVERHEAD;
        newlib->heap.tally.used_blocks++;
    }
    return chunk;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    const uint32_t chunk = allocate(newlib_of(heap), chunk_size(size));
    return chunk == HS_NONE ? HS_NONE : chunk + PAYLOAD;
}

/* ---- free ------------------------------------------------------------------------------------- */

/* Whole pages of a large top go back. */
static void trim(newlib_t *newlib)
{
    const uint32_t size = top_size(newlib);
    if (size >= TRIM) {
        newlib->brk -= ((size - SMALLEST + PAGE - 1) / PAGE - 1) * PAGE;
        set_top(newlib, newlib->top);
    }
}

/* Frees a chunk that is in no tally. */
static void release(newlib_t *newlib, uint32_t chunk)
{
    hs_sim_t *heap = &newlib->heap;
    uint32_t size = size_of(heap, chunk);
    const uint32_t next = chunk + size;
    bool is_rest = false;
    if (!below_is_used(heap, chunk)) {
        chunk = below(heap, chunk);
        size += size_of(heap, chunk);
        is_rest = chunk == newlib->rest;
        bin_remove(newlib, chunk);
    }
    if (next == newlib->top) {
        heap->tally.free += size;
        set_top(newlib, chunk);
        trim(newlib);
        return;
    }
    if (is_free(newlib, next)) {
        size += size_of(heap, next);
        is_rest = is_rest || next == newlib->rest;
        bin_remove(newlib, next);
    }
    put_free(heap, chunk, size);
    if (is_rest) {
        set_rest(newlib, chunk, size);
    } else {
        bin_add(newlib, chunk, size);
    }
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return size_of(heap, offset - PAYLOAD) - OVERHEAD;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    heap->tally.used -= model_usable(heap, offset);
    heap->tally.used_blocks--;
    release(newlib_of(heap), offset - PAYLOAD);
}

/* A used chunk keeps `size`; the rest is freed if it can be a chunk. */
static void cut(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t rest = size_of(heap, chunk) - size;
    if (rest >= SMALLEST) {
        put(heap, chunk + size + SIZE, rest | BELOW_USED);
        put_used(heap, chunk, size);
        release(newlib, chunk + size);
    }
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* Makes one used chunk of this one and the free ones beside it, as far as `size` needs them; with top it has
 * that size. Returns the chunk, or HS_NONE. */
static uint32_t widen(newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    hs_sim_t *heap = &newlib->heap;
    const uint32_t own = size_of(heap, chunk);
    const uint32_t next = chunk + own;
    const bool to_top = next == newlib->top;
    const bool takes_next = to_top || is_free(newlib, next);
    const uint32_t needed = to_top ? size + SMALLEST : size;
    const uint32_t above = to_top ? top_size(newlib) : takes_next ? size_of(heap, next) : 0;
    const uint32_t under = below_is_used(heap, chunk) ? 0 : hs_region_get(heap, chunk);
    const bool forward = takes_next && own + above >= needed;
    const bool both = takes_next && under != 0 && own + above + under >= needed;
    if (!forward && !both && (under == 0 || own + under < size)) {
        return HS_NONE;
    }
    if (!forward) {
        chunk -= under;
        bin_remove(newlib, chunk);
        heap->steps.copied += own - OVERHEAD;
    }
    if (to_top && (forward || both)) {
        heap->tally.free -= chunk + size - next;
        put(heap, chunk + SIZE, size | (hs_region_get(heap, chunk + SIZE) & BELOW_USED));
        set_top(newlib, chunk + size);
        return chunk;
    }
    if (forward || both) {
        bin_remove(newlib, next);
    }
    put_used(heap, chunk, (forward || both ? next + above : next) - chunk);
    return chunk;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t wanted)
{
    newlib_t *newlib = newlib_of(heap);
    const uint32_t old = offset - PAYLOAD;
    const uint32_t own = size_of(heap, old);
    const uint32_t size = chunk_size(wanted);
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
            heap->steps.copied += own - OVERHEAD;
            model_free(heap, offset);
            return moved + PAYLOAD;
        }
        heap->tally.used -= size_of(heap, moved) - OVERHEAD;
        heap->tally.used_blocks--;
        put_used(heap, old, own + size_of(heap, moved));
        chunk = old;
    }
    cut(newlib, chunk, size);
    heap->tally.used += size_of(heap, chunk) - own;
    return chunk + PAYLOAD;
}

/* ---- aligned allocation ----------------------------------------------------------------------- */

static uint32_t padded_size(uint32_t *align, uint32_t size)
{
    const uint32_t chunk = chunk_size(size);
    if (*align <= GRANULE || chunk == 0) {
        return chunk;
    }
    *align = *align < SMALLEST ? SMALLEST : *align;
    return chunk_size(chunk + *align + SMALLEST);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t wanted, uint32_t at)
{
    newlib_t *newlib = newlib_of(heap);
    const uint32_t size = chunk_size(wanted);
    uint32_t chunk = allocate(newlib, padded_size(&align, wanted));
    (void)at;
    if (chunk == HS_NONE || align <= GRANULE) {
        return chunk == HS_NONE ? HS_NONE : chunk + PAYLOAD;
    }
    hs_region_note_low(heap);
    const uint32_t whole = size_of(heap, chunk);
    uint32_t lead = (0u - (heap->base + chunk + PAYLOAD)) & (align - 1);
    lead += lead != 0 && lead < SMALLEST ? align : 0;
    if (lead != 0) {
        put(heap, chunk + lead + SIZE, (whole - lead) | BELOW_USED);
        put(heap, chunk + SIZE, lead | (hs_region_get(heap, chunk + SIZE) & BELOW_USED));
        release(newlib, chunk);
        chunk += lead;
    }
    cut(newlib, chunk, size);
    heap->tally.used += size_of(heap, chunk) - whole;
    return chunk + PAYLOAD;
}

/* ---- questions -------------------------------------------------------------------------------- */

static hs_largest_t largest_of(const newlib_t *newlib)
{
    const hs_sim_t *heap = &newlib->heap;
    hs_largest_t seen = {0, 0, false};
    if (!newlib->largest.unknown) {
        return newlib->largest;
    }
    if (newlib->rest != HS_NONE) {
        hs_largest_add(&seen, size_of(heap, newlib->rest));
    }
    for (uint32_t bin = 0; bin < BINS; bin++) {
        for (uint32_t chunk = newlib->first[bin]; chunk != HS_NONE;
             chunk = link_at(heap, chunk + NEXT_FREE)) {
            hs_largest_add(&seen, size_of(heap, chunk));
        }
    }
    return seen;
}

/* What a chunk out of top can have, after it grew. */
static uint32_t most_of_top(const newlib_t *newlib)
{
    const uint32_t above = newlib->end - newlib->brk;
    const bool on_page = ((newlib->heap.base + newlib->brk) & (PAGE - 1)) == 0;
    const uint32_t top = top_size(newlib);
    const uint32_t pages = !newlib->begun ? above : on_page ? above & ~(PAGE - 1) : 0;
    /* A request for pages does not count what top has. */
    const uint32_t most = pages > top ? pages : top;
    return most < SMALLEST ? 0 : (most - SMALLEST) & ~(GRANULE - 1);
}

static uint32_t largest_chunk(const newlib_t *newlib)
{
    const uint32_t binned = largest_of(newlib).size;
    const uint32_t top = most_of_top(newlib);
    const uint32_t largest = binned > top ? binned : top;
    return largest < TOO_LARGE - SMALLEST ? largest : TOO_LARGE - SMALLEST;
}

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = padded_size(&align, size);
    (void)at;
    return wanted != 0 && wanted <= largest_chunk(newlib_of_const(heap));
}

static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    newlib_t *newlib = newlib_of(heap);
    newlib->largest = largest_of(newlib);
    const uint32_t chunk = largest_chunk(newlib);
    return chunk < SMALLEST ? 0 : chunk - OVERHEAD;
}

/* The free block at the end: top and what lies above the break. */
static uint32_t end_payload(const newlib_t *newlib)
{
    return newlib->end - newlib->top - PAYLOAD;
}

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    const newlib_t *newlib = newlib_of_const(heap);
    const uint32_t binned = largest_of(newlib).size;
    const uint32_t payload = binned == 0 ? 0 : binned - OVERHEAD;
    return payload > end_payload(newlib) ? payload : end_payload(newlib);
}

/* mallinfo(): fordblks are the free chunks and top. */
static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const newlib_t *newlib = newlib_of_const(heap);
    const uint32_t chunks = heap->tally.free_blocks - 1;
    out->free = heap->tally.free - end_payload(newlib) + OVERHEAD * chunks + top_size(newlib);
    out->allocated = newlib->brk - newlib->start - out->free;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = model_largest_free(heap);
}

/* ---- walk and check --------------------------------------------------------------------------- */

static bool block_at(const newlib_t *newlib, uint32_t chunk, hs_walk_block_t *block)
{
    const uint32_t size = size_of(&newlib->heap, chunk);
    if (size < SMALLEST || size > newlib->top - chunk) {
        return false;
    }
    *block = (hs_walk_block_t){chunk + PAYLOAD, size - OVERHEAD, !is_free(newlib, chunk)};
    return true;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const newlib_t *newlib = newlib_of_const(heap);
    hs_walk_block_t block;
    for (uint32_t chunk = newlib->start; chunk != newlib->top; chunk += size_of(heap, chunk)) {
        if (!block_at(newlib, chunk, &block) || !visit(context, &block)) {
            return;
        }
    }
    visit(context, &(hs_walk_block_t){newlib->top + PAYLOAD, end_payload(newlib), false});
}

static bool is_free_chunk(const newlib_t *newlib, uint32_t chunk)
{
    hs_walk_block_t block;
    return chunk >= newlib->start && chunk < newlib->top && (chunk - newlib->start) % GRANULE == 0 &&
           block_at(newlib, chunk, &block) && !block.used;
}

/* A free chunk is the last remainder, or its bin and its neighbours there lead to it. */
static bool is_binned(const newlib_t *newlib, uint32_t chunk, uint32_t size)
{
    const hs_sim_t *heap = &newlib->heap;
    const uint32_t next = link_at(heap, chunk + NEXT_FREE);
    const uint32_t previous = link_at(heap, chunk + PREVIOUS_FREE);
    if (chunk == newlib->rest) {
        return next == HS_NONE && previous == HS_NONE;
    }
    const uint32_t bin = bin_of(size);
    const bool from_behind = next == HS_NONE ? newlib->last[bin] == chunk
                                             : is_free_chunk(newlib, next) &&
                                                   link_at(heap, next + PREVIOUS_FREE) == chunk;
    const bool from_before = previous == HS_NONE ? newlib->first[bin] == chunk
                                                 : is_free_chunk(newlib, previous) &&
                                                       link_at(heap, previous + NEXT_FREE) == chunk;
    return from_behind && from_before && (newlib->map >> (bin / 4) & 1) != 0;
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    const newlib_t *newlib = newlib_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    bool after_used = true;
    uint32_t size = 0;
    for (uint32_t chunk = newlib->start; chunk != newlib->top; chunk += size) {
        if (!block_at(newlib, chunk, &block) || below_is_used(heap, chunk) != after_used ||
            (hs_region_get(heap, chunk + SIZE) & (GRANULE - 1) & ~BELOW_USED) != 0 ||
            (!after_used && (hs_region_get(heap, chunk) != size || !block.used))) {
            return hs_seen_fault(chunk, where);
        }
        size = block.size + OVERHEAD;
        if (!block.used && !is_binned(newlib, chunk, size)) {
            return hs_seen_fault(chunk, where);
        }
        hs_seen_add(&seen, block.size, block.used);
        after_used = block.used;
    }
    if (newlib->begun &&
        hs_region_get(heap, newlib->top + SIZE) != (top_size(newlib) | BELOW_USED)) {
        return hs_seen_fault(newlib->top, where);
    }
    hs_seen_add(&seen, end_payload(newlib), false);
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(newlib->start, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    newlib_t *newlib = newlib_of(heap);
    newlib->start = newlib->top = newlib->brk = (0u - heap->base) & (GRANULE - 1);
    if (heap->size < newlib->start + 2 * SMALLEST) {
        return HS_ERR_MEMORY;
    }
    newlib->end = heap->size;
    newlib->rest = HS_NONE;
    memset(newlib->first, 0xFF, sizeof newlib->first);
    memset(newlib->last, 0xFF, sizeof newlib->last);
    heap->tally.free = end_payload(newlib);
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
    .fits = model_fits,
    .largest_allocatable = model_largest_allocatable,
    .largest_free = model_largest_free,
    .reported = model_reported,
    .walk = model_walk,
    .check = model_check,
};
