/*
 * talc 5: gaps in 95 bins, a tag behind each used chunk.
 * Source: crate talc 5.1.1, TalcLock with DefaultBinning and one claimed region, in 32-bit builds.
 *
 *     base         heads of 95 bins
 *     +380         the first tag; chunks, all at multiples of 16
 *
 *     used chunk   payload; its last word is the tag: bit 0: used; bit 1: what follows is a gap
 *     gap + 0      address of the next one of its bin, 0 at the end
 *     gap + 4      of what leads to it, a head or a gap
 *     gap + 8      bin, size; the size is in its last word, too
 *
 * Nothing lies in front of a used block, as Rust says its size again when it frees it. heap->index->by_place has
 * the gaps, by_size the places and sizes of the used chunks.
 */
#include "bits.h"
#include "list.h"
#include "region.h"
#include "runs.h"
#include "seen.h"

#define GRANULE UINT32_C(16)
#define BINS 95u
#define CONTROL UINT32_C(384)
#define TAG UINT32_C(4)
#define IS_USED UINT32_C(1)
#define GAP_ABOVE UINT32_C(2)
#define LINK UINT32_C(4)
#define BIN UINT32_C(8)
#define SIZE UINT32_C(12)
#define TOO_LARGE UINT32_C(0x80000000)

typedef struct talc {
    hs_sim_t heap;
    uint32_t base; /* of the heads */
    uint32_t end;
    hs_runs_t gaps;
} talc_t;

static talc_t *talc_of(hs_sim_t *heap)
{
    return (talc_t *)heap;
}

static const talc_t *talc_of_const(const hs_sim_t *heap)
{
    return (const talc_t *)heap;
}

static hs_order_t *used_of(const hs_sim_t *heap)
{
    return &heap->index->by_size;
}

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

static void put_link(hs_sim_t *heap, uint32_t at, uint32_t to)
{
    put(heap, at, to == HS_NONE ? 0 : heap->base + to);
}

/* ---- gaps ------------------------------------------------------------------------------------- */

static uint32_t bin_of(uint32_t size)
{
    if (size <= 256) {
        return size / GRANULE;
    }
    const uint32_t high = hs_bits_highest(size);
    const uint32_t bin = 4 * (high - 5) + (size >> (high - 2));
    return bin < BINS ? bin : BINS - 1;
}

static uint32_t head_of(const talc_t *talc, uint32_t bin)
{
    return talc->base + 4 * bin;
}

/* Bytes between two chunks become a gap, at the head of its bin; the tag below knows it. */
static void add_gap(talc_t *talc, uint32_t start, uint32_t end)
{
    hs_sim_t *heap = &talc->heap;
    if (start == end) {
        return;
    }
    const uint32_t head = head_of(talc, bin_of(end - start));
    const uint32_t next = link_at(heap, head);
    put_link(heap, start, next);
    put_link(heap, start + LINK, head);
    put(heap, start + BIN, bin_of(end - start));
    put(heap, start + SIZE, end - start);
    put(heap, end - TAG, end - start);
    put_link(heap, head, start);
    if (next != HS_NONE) {
        put_link(heap, next + LINK, start);
    }
    put(heap, start - TAG, hs_region_get(heap, start - TAG) | GAP_ABOVE);
    run_add(heap, &talc->gaps, start, end);
}

/* A gap is one no more, nor does the tag below say so. */
static void remove_gap(talc_t *talc, uint32_t start)
{
    hs_sim_t *heap = &talc->heap;
    const uint32_t next = link_at(heap, start);
    const uint32_t link = link_at(heap, start + LINK);
    put_link(heap, link, next);
    if (next != HS_NONE) {
        put_link(heap, next + LINK, link);
    }
    put(heap, start - TAG, hs_region_get(heap, start - TAG) & ~GAP_ABOVE);
    run_remove(heap, &talc->gaps, run_from(heap, start));
}

static uint32_t gap_size(const hs_sim_t *heap, uint32_t gap)
{
    return hs_region_get(heap, gap + SIZE);
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* The chunk of a request, 0: refused. */
static uint32_t chunk_size(uint32_t size)
{
    return size == 0 || size >= TOO_LARGE - 2 * GRANULE
               ? 0
               : (size + TAG + GRANULE - 1) & ~(GRANULE - 1);
}

static uint32_t start_in(const hs_sim_t *heap, uint32_t gap, uint32_t align)
{
    return align <= GRANULE ? gap : gap + ((0u - (heap->base + gap)) & (align - 1));
}

static bool serves(const hs_sim_t *heap, uint32_t gap, uint32_t align, uint32_t size)
{
    const uint32_t start = start_in(heap, gap, align);
    const uint32_t end = gap + gap_size(heap, gap);
    return start >= gap && start < end && size <= end - start;
}

/* The first gap of a bin that serves a request, or HS_NONE; *nodes: how many were looked at. */
static uint32_t first_of(const talc_t *talc, uint32_t bin, uint32_t align, uint32_t size,
                         uint64_t *nodes)
{
    const hs_sim_t *heap = &talc->heap;
    uint32_t gap = link_at(heap, head_of(talc, bin));
    while (gap != HS_NONE && !serves(heap, gap, align, size)) {
        gap = link_at(heap, gap);
        ++*nodes;
    }
    *nodes += gap != HS_NONE;
    return gap;
}

/* All gaps of a bin from `bin` on serve a request without an alignment; the one below has some that do. */
static uint32_t find(const talc_t *talc, uint32_t align, uint32_t size, uint64_t *nodes)
{
    const uint32_t bin = bin_of((size > align ? size : align) - 1) + 1;
    if (bin >= BINS - 1) {
        return first_of(talc, BINS - 1, align, size, nodes);
    }
    for (uint32_t at = bin; at < BINS; at++) {
        const uint32_t gap = first_of(talc, at, align, size, nodes);
        if (gap != HS_NONE) {
            return gap;
        }
    }
    return first_of(talc, bin - 1, align, size, nodes);
}

static void put_used(talc_t *talc, uint32_t chunk, uint32_t size)
{
    const bool has_room = hs_order_add(used_of(&talc->heap), hs_index_key(chunk, size));
    HS_ASSERT(has_room); /* host memory ends, and nothing else knows the chunk */
    (void)has_room;
    put(&talc->heap, chunk + size - TAG, IS_USED);
    talc->heap.tally.used += size - TAG;
    talc->heap.tally.used_blocks++;
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t wanted, uint32_t at)
{
    talc_t *talc = talc_of(heap);
    const uint32_t size = chunk_size(wanted);
    const uint32_t gap = size == 0 ? HS_NONE : find(talc, align, size, &heap->steps.nodes);
    (void)at;
    if (gap == HS_NONE) {
        return HS_NONE;
    }
    const uint32_t chunk = start_in(heap, gap, align);
    const uint32_t end = gap + gap_size(heap, gap);
    remove_gap(talc, gap);
    add_gap(talc, gap, chunk);
    put_used(talc, chunk, size);
    add_gap(talc, chunk + size, end);
    return chunk;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return model_aligned(heap, 4, size, 0);
}

static uint32_t size_of(const hs_sim_t *heap, uint32_t chunk)
{
    return hs_order_low(used_of(heap), hs_order_below(used_of(heap), hs_index_key(chunk, 0)));
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return size_of(heap, offset) - TAG;
}

/* Bytes become a gap, one with the gaps that touch them. */
static void release(talc_t *talc, uint32_t start, uint32_t end)
{
    hs_sim_t *heap = &talc->heap;
    const uint32_t below = hs_region_get(heap, start - TAG);
    const uint32_t above = run_from(heap, end);
    if (above < runs_of(heap)->count && run_start(heap, above) == end) {
        const uint32_t gap = end;
        end += gap_size(heap, gap);
        remove_gap(talc, gap);
    }
    if ((below & IS_USED) == 0) {
        start -= below;
        remove_gap(talc, start);
    }
    add_gap(talc, start, end);
}

static void forget(talc_t *talc, uint32_t chunk, uint32_t size)
{
    hs_order_remove(used_of(&talc->heap), hs_index_key(chunk, size));
    talc->heap.tally.used -= size - TAG;
    talc->heap.tally.used_blocks--;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    const uint32_t size = size_of(heap, offset);
    forget(talc_of(heap), offset, size);
    release(talc_of(heap), offset, offset + size);
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t wanted)
{
    talc_t *talc = talc_of(heap);
    const uint32_t old = size_of(heap, offset);
    const uint32_t size = chunk_size(wanted);
    const uint32_t end = offset + old;
    const bool has_gap = end < talc->end && (hs_region_get(heap, end - TAG) & GAP_ABOVE) != 0;
    if (size == 0) {
        return HS_NONE;
    }
    if (size > old && (!has_gap || gap_size(heap, end) < size - old)) {
        const uint32_t moved = model_malloc(heap, wanted);
        if (moved != HS_NONE) {
            hs_region_note_low(heap);
            heap->steps.copied += old - TAG;
            model_free(heap, offset);
        }
        return moved;
    }
    if (size == old) {
        return offset;
    }
    forget(talc, offset, old);
    if (size > old) {
        const uint32_t last = end + gap_size(heap, end);
        remove_gap(talc, end);
        put_used(talc, offset, size);
        add_gap(talc, offset + size, last);
    } else {
        put_used(talc, offset, size);
        release(talc, offset + size, end);
    }
    return offset;
}

/* ---- questions -------------------------------------------------------------------------------- */

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = chunk_size(size);
    uint64_t nodes = 0;
    (void)at;
    return wanted != 0 &&
           find(talc_of_const(heap), align == 0 ? 4 : align, wanted, &nodes) != HS_NONE;
}

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    return runs_largest_free(heap, &talc_of_const(heap)->gaps);
}

/* Where the last bin but one has the largest gap, a request of its size looks in the last one alone. */
static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    talc_t *talc = talc_of(heap);
    talc->gaps.largest = runs_largest(heap, &talc->gaps);
    const uint32_t largest = talc->gaps.largest.size;
    if (largest == 0) {
        return 0;
    }
    return (bin_of(largest) == BINS - 2 ? UINT32_C(5) << 25 : largest) - TAG;
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    out->free = heap->tally.free + TAG * heap->tally.free_blocks; /* available_bytes */
    out->allocated = heap->tally.used;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = model_largest_free(heap);
}

/* ---- walk and check --------------------------------------------------------------------------- */

/* The chunk or gap at `at`; false: damaged. */
static bool block_at(const talc_t *talc, uint32_t at, hs_tally_t *seen, hs_walk_block_t *block)
{
    const hs_sim_t *heap = &talc->heap;
    const uint32_t run = seen->free_blocks;
    const uint32_t used = seen->used_blocks;
    const bool is_gap = run < runs_of(heap)->count && run_start(heap, run) == at;
    uint32_t size = 0;
    if (is_gap) {
        size = run_size(heap, run);
    } else if (used < used_of(heap)->count && hs_order_high(used_of(heap), used) == at) {
        size = hs_order_low(used_of(heap), used);
    }
    if (size == 0) {
        return false;
    }
    const uint32_t last = hs_region_get(heap, at + size - TAG);
    const uint32_t next = run + is_gap;
    const bool gap_above = next < runs_of(heap)->count && run_start(heap, next) == at + size;
    if (last != (is_gap ? size : IS_USED | (gap_above ? GAP_ABOVE : 0)) ||
        (is_gap && (gap_size(heap, at) != size || hs_region_get(heap, at + BIN) != bin_of(size)))) {
        return false;
    }
    *block = (hs_walk_block_t){at, size - TAG, !is_gap};
    hs_seen_add(seen, block->size, block->used);
    return true;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const talc_t *talc = talc_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    for (uint32_t at = talc->base + CONTROL; at != talc->end; at += block.size + TAG) {
        if (!block_at(talc, at, &seen, &block) || !visit(context, &block)) {
            return;
        }
    }
}

/* A bin leads to gaps of its own, each of which knows what leads to it. */
static hs_status_t check_bin(const talc_t *talc, uint32_t bin, uint32_t *left, uint32_t *where)
{
    const hs_sim_t *heap = &talc->heap;
    uint32_t link = head_of(talc, bin);
    for (uint32_t gap = link_at(heap, link); gap != HS_NONE; gap = link_at(heap, gap)) {
        const uint32_t run = run_from(heap, gap);
        if (*left == 0 || run == runs_of(heap)->count || run_start(heap, run) != gap ||
            bin_of(run_size(heap, run)) != bin || link_at(heap, gap + LINK) != link) {
            return hs_seen_fault(link, where);
        }
        --*left;
        link = gap;
    }
    return HS_OK;
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    const talc_t *talc = talc_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    for (uint32_t at = talc->base + CONTROL; at != talc->end; at += block.size + TAG) {
        if (!block_at(talc, at, &seen, &block)) {
            return hs_seen_fault(at, where);
        }
    }
    uint32_t left = seen.free_blocks;
    for (uint32_t bin = 0; bin < BINS; bin++) {
        const hs_status_t status = check_bin(talc, bin, &left, where);
        if (status != HS_OK) {
            return status;
        }
    }
    return left == 0 && hs_seen_agrees(&heap->tally, &seen) ? HS_OK
                                                            : hs_seen_fault(talc->base, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    talc_t *talc = talc_of(heap);
    talc->base = (0u - heap->base) & (GRANULE - 1);
    if (heap->size < talc->base + CONTROL + GRANULE) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    talc->end = talc->base + ((heap->size - talc->base) & ~(GRANULE - 1));
    talc->gaps.header = TAG;
    memset(heap->mem + talc->base, 0, CONTROL);
    put(heap, talc->base + CONTROL - TAG, IS_USED);
    add_gap(talc, talc->base + CONTROL, talc->end);
    heap->tally.control = talc->base + CONTROL;
    heap->steps.writes = 0;
    return HS_OK;
}

const hs_model_t hs_model_talc_5 = {
    .name = "talc-5",
    .title = "Rust's talc 5: gaps in bins, a tag behind each chunk",
    .state_size = sizeof(talc_t),
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
