/*
 * talc 4: gaps in 64 bins, a tag behind each used chunk.
 * Source: crate talc 4.4.3, Talck with ErrOnOom or ClaimOnOom and one claimed region, in 32-bit builds.
 *
 *     base         a tag, heads of 64 bins
 *     +260         a tag; chunks, all at multiples of 4
 *
 *     used chunk   at most 8 bytes, payload; then the tag: the chunk's address, bit 0: used; bit 1: what follows
 *                  is a gap. Where the chunk is longer, the tag is its last word, and its address comes first
 *     gap + 0      address of the next one of its bin, 0 at the end
 *     gap + 4      of what leads to it, a head or a gap
 *     gap + 8      size, which is in its last word, too
 *
 * Nothing lies in front of a used block, as Rust says its size again when it frees it. heap->index->by_place has
 * the gaps, by_size the payloads of the used chunks and the sizes that were asked for.
 */
#include "bits.h"
#include "list.h"
#include "region.h"
#include "runs.h"
#include "seen.h"

#define BINS 64u
#define CONTROL UINT32_C(264)
#define TAG UINT32_C(4)
#define SMALLEST UINT32_C(12)
#define IS_USED UINT32_C(1)
#define GAP_ABOVE UINT32_C(2)
#define LINK UINT32_C(4)
#define SIZE UINT32_C(8)
#define ROUND UINT32_C(3)
#define TOO_LARGE UINT32_C(0x80000000)

typedef struct talc {
    hs_sim_t heap;
    uint32_t base;
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
    if (size < 64) {
        return (size - SMALLEST) / 4;
    }
    if (size < 128) {
        return size / 8 + 5;
    }
    const uint32_t high = hs_bits_highest(size);
    const uint32_t bin = 2 * (high - 7) + (size >> (high - 1)) + 19;
    return bin < BINS ? bin : BINS - 1;
}

static uint32_t head_of(const talc_t *talc, uint32_t bin)
{
    return talc->base + TAG + 4 * bin;
}

/* Bytes between two chunks become a gap, at the head of its bin; the tag below knows it. */
static void add_gap(talc_t *talc, uint32_t start, uint32_t end)
{
    hs_sim_t *heap = &talc->heap;
    const uint32_t head = head_of(talc, bin_of(end - start));
    const uint32_t next = link_at(heap, head);
    put_link(heap, start, next);
    put_link(heap, start + LINK, head);
    put(heap, start + SIZE, end - start);
    put(heap, end - TAG, end - start);
    put_link(heap, head, start);
    if (next != HS_NONE) {
        put_link(heap, next + LINK, start);
    }
    put(heap, start - TAG, hs_region_get(heap, start - TAG) | GAP_ABOVE);
    run_add(heap, &talc->gaps, start, end);
}

static uint32_t gap_size(const hs_sim_t *heap, uint32_t gap)
{
    return hs_region_get(heap, gap + SIZE);
}

/* A gap is one no more, nor does the tag below say so. Returns its end. */
static uint32_t remove_gap(talc_t *talc, uint32_t start)
{
    hs_sim_t *heap = &talc->heap;
    const uint32_t end = start + gap_size(heap, start);
    const uint32_t next = link_at(heap, start);
    const uint32_t link = link_at(heap, start + LINK);
    put_link(heap, link, next);
    if (next != HS_NONE) {
        put_link(heap, next + LINK, link);
    }
    put(heap, start - TAG, hs_region_get(heap, start - TAG) & ~GAP_ABOVE);
    run_remove(heap, &talc->gaps, run_from(heap, start));
    return end;
}

/* ---- used chunks ------------------------------------------------------------------------------ */

static uint32_t up(uint32_t at)
{
    return (at + ROUND) & ~ROUND;
}

static uint32_t asked_of(const hs_sim_t *heap, uint32_t payload)
{
    return hs_order_low(used_of(heap), hs_order_below(used_of(heap), hs_index_key(payload, 0)));
}

/* Where the tag of a used chunk is. */
static uint32_t tag_of(const hs_sim_t *heap, uint32_t payload, uint32_t size)
{
    const uint32_t at = up(payload + size);
    const uint32_t word = hs_region_get(heap, at);
    return (word & IS_USED) != 0 ? at : word - heap->base;
}

static uint32_t chunk_of(const hs_sim_t *heap, uint32_t tag)
{
    return (hs_region_get(heap, tag) & ~ROUND) - heap->base;
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return tag_of(heap, offset, asked_of(heap, offset)) - offset;
}

/* A chunk from `chunk` to `end` is used for a payload, or as much of it as that needs if the rest can be a gap,
 * which it then is: with the gap behind it, up to `last`. */
static void use(talc_t *talc, uint32_t chunk, uint32_t payload, uint32_t size, uint32_t end, uint32_t last)
{
    hs_sim_t *heap = &talc->heap;
    const uint32_t needed = up(payload + size);
    const uint32_t least = needed < chunk + SIZE ? chunk + SIZE : needed;
    const bool has_rest = last - least - TAG >= SMALLEST && (last != end || end - least - TAG >= SMALLEST);
    const uint32_t tag = has_rest ? least : end - TAG;
    const bool has_room = hs_order_add(used_of(heap), hs_index_key(payload, size));
    HS_ASSERT(has_room); /* host memory ends, and nothing else knows the chunk */
    (void)has_room;
    if (needed != tag) {
        put_link(heap, needed, tag);
    }
    put(heap, tag, (heap->base + chunk) | IS_USED);
    heap->tally.used += tag - payload;
    heap->tally.used_blocks++;
    if (has_rest) {
        add_gap(talc, tag + TAG, last);
    }
}

static void forget(talc_t *talc, uint32_t payload, uint32_t size)
{
    talc->heap.tally.used -= tag_of(&talc->heap, payload, size) - payload;
    talc->heap.tally.used_blocks--;
    hs_order_remove(used_of(&talc->heap), hs_index_key(payload, size));
}

/* ---- malloc and free -------------------------------------------------------------------------- */

static uint32_t alignment_of(const hs_sim_t *heap)
{
    return *(const uint32_t *)heap->model->build;
}

static uint32_t start_in(const hs_sim_t *heap, uint32_t gap, uint32_t align)
{
    return gap + ((0u - (heap->base + gap)) & (align - 1));
}

static bool serves(const hs_sim_t *heap, uint32_t gap, uint32_t align, uint32_t size)
{
    const uint32_t has = gap_size(heap, gap);
    if (align <= ROUND + 1) {
        return has >= (size <= 8 ? SMALLEST : up(size + TAG));
    }
    const uint32_t start = start_in(heap, gap, align);
    return start >= gap && start - gap < has && size + TAG <= has - (start - gap);
}

/* Bins from that of the size on, each from its head. Bound: visits each gap once. */
static uint32_t find(const talc_t *talc, uint32_t align, uint32_t size, uint64_t *nodes)
{
    const hs_sim_t *heap = &talc->heap;
    if (size == 0 || size >= TOO_LARGE - SMALLEST) {
        return HS_NONE;
    }
    for (uint32_t bin = bin_of(size <= 8 ? SMALLEST : up(size + TAG)); bin < BINS; bin++) {
        for (uint32_t gap = link_at(heap, head_of(talc, bin)); gap != HS_NONE;
             gap = link_at(heap, gap)) {
            ++*nodes;
            if (serves(heap, gap, align, size)) {
                return gap;
            }
        }
    }
    return HS_NONE;
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    talc_t *talc = talc_of(heap);
    const uint32_t gap = find(talc, align, size, &heap->steps.nodes);
    (void)at;
    if (gap == HS_NONE) {
        return HS_NONE;
    }
    const uint32_t payload = start_in(heap, gap, align);
    const uint32_t end = remove_gap(talc, gap);
    const uint32_t cut = payload < end - SMALLEST ? payload : end - SMALLEST;
    const bool has_front = cut - gap >= SMALLEST;
    if (has_front) {
        add_gap(talc, gap, cut);
    }
    use(talc, has_front ? cut : gap, payload, size, end, end);
    return payload;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return model_aligned(heap, alignment_of(heap), size, 0);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    talc_t *talc = talc_of(heap);
    const uint32_t size = asked_of(heap, offset);
    const uint32_t tag = tag_of(heap, offset, size);
    uint32_t start = chunk_of(heap, tag);
    uint32_t end = tag + TAG;
    const uint32_t below = hs_region_get(heap, start - TAG);
    const bool gap_above = (hs_region_get(heap, tag) & GAP_ABOVE) != 0;
    forget(talc, offset, size);
    if (gap_above) {
        end = remove_gap(talc, end);
    }
    if ((below & IS_USED) == 0) {
        start -= below;
        (void)remove_gap(talc, start);
    }
    add_gap(talc, start, end);
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t wanted)
{
    talc_t *talc = talc_of(heap);
    const uint32_t old = asked_of(heap, offset);
    const uint32_t tag = tag_of(heap, offset, old);
    const uint32_t chunk = chunk_of(heap, tag);
    const uint32_t end = tag + TAG;
    const bool gap_above = (hs_region_get(heap, tag) & GAP_ABOVE) != 0;
    const uint32_t last = gap_above ? end + gap_size(heap, end) : end;
    if (wanted >= TOO_LARGE - SMALLEST) {
        return HS_NONE;
    }
    const uint32_t needed = up(offset + wanted);
    if (needed > last - TAG) {
        const uint32_t moved = model_malloc(heap, wanted);
        if (moved != HS_NONE) {
            hs_region_note_low(heap);
            heap->steps.copied += old;
            model_free(heap, offset);
        }
        return moved;
    }
    const uint32_t least = needed < chunk + SIZE ? chunk + SIZE : needed;
    const bool takes_gap = needed > tag;
    const bool cuts = needed < tag && end - least - TAG >= SMALLEST;
    forget(talc, offset, old);
    if (gap_above && (takes_gap || cuts)) {
        (void)remove_gap(talc, end);
        use(talc, chunk, offset, wanted, takes_gap ? last : end, last);
    } else {
        put(heap, tag, hs_region_get(heap, tag));
        use(talc, chunk, offset, wanted, end, end);
        put(heap, end - TAG, hs_region_get(heap, end - TAG) | (gap_above ? GAP_ABOVE : 0));
    }
    return offset;
}

/* ---- questions -------------------------------------------------------------------------------- */

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    uint64_t nodes = 0;
    (void)at;
    return find(talc_of_const(heap), align == 0 ? alignment_of(heap) : align, size, &nodes) != HS_NONE;
}

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    return runs_largest_free(heap, &talc_of_const(heap)->gaps);
}

static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    talc_t *talc = talc_of(heap);
    const uint32_t align = alignment_of(heap);
    uint32_t largest = 0;
    if (align <= ROUND + 1) {
        talc->gaps.largest = runs_largest(heap, &talc->gaps);
        return model_largest_free(heap);
    }
    for (uint32_t at = 0; at < runs_of(heap)->count; at++) {
        const uint32_t start = start_in(heap, run_start(heap, at), align);
        const uint32_t end = run_end(heap, at) - TAG;
        largest = start < end && end - start > largest ? end - start : largest;
    }
    return largest;
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    out->free = heap->tally.free + TAG * heap->tally.free_blocks; /* available_bytes */
    out->allocated = heap->tally.used;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = model_largest_free(heap);
}

/* ---- walk and check --------------------------------------------------------------------------- */

/* The chunk or gap at `at`, and where the next one begins; false: damaged. */
static bool block_at(const talc_t *talc, uint32_t at, hs_tally_t *seen, hs_walk_block_t *block,
                     uint32_t *next)
{
    const hs_sim_t *heap = &talc->heap;
    const uint32_t run = seen->free_blocks;
    const uint32_t used = seen->used_blocks;
    const bool is_gap = run < runs_of(heap)->count && run_start(heap, run) == at;
    if (is_gap) {
        const uint32_t size = run_size(heap, run);
        *block = (hs_walk_block_t){at, size - TAG, false};
        *next = at + size;
        if (gap_size(heap, at) != size || hs_region_get(heap, *next - TAG) != size) {
            return false;
        }
    } else {
        if (used >= used_of(heap)->count) {
            return false;
        }
        const uint32_t payload = hs_order_high(used_of(heap), used);
        const uint32_t tag = tag_of(heap, payload, hs_order_low(used_of(heap), used));
        const bool gap_above = run < runs_of(heap)->count && run_start(heap, run) == tag + TAG;
        if (payload < at || tag < payload || tag > talc->end - TAG || (tag - at) % 4 != 0 ||
            hs_region_get(heap, tag) !=
                ((heap->base + at) | IS_USED | (gap_above ? GAP_ABOVE : 0))) {
            return false;
        }
        *block = (hs_walk_block_t){payload, tag - payload, true};
        *next = tag + TAG;
    }
    hs_seen_add(seen, block->size, block->used);
    return true;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const talc_t *talc = talc_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    for (uint32_t at = talc->base + CONTROL; at != talc->end;) {
        if (!block_at(talc, at, &seen, &block, &at) || !visit(context, &block)) {
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
    for (uint32_t at = talc->base + CONTROL; at != talc->end;) {
        const uint32_t before = at;
        if (!block_at(talc, before, &seen, &block, &at)) {
            return hs_seen_fault(before, where);
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
    talc->base = (0u - heap->base) & ROUND;
    if (heap->size < talc->base + CONTROL + SMALLEST) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    talc->end = talc->base + ((heap->size - talc->base) & ~ROUND);
    talc->gaps.header = TAG;
    memset(heap->mem + talc->base, 0, CONTROL);
    put(heap, talc->base, IS_USED);
    put(heap, talc->base + CONTROL - TAG, (heap->base + talc->base) | IS_USED);
    add_gap(talc, talc->base + CONTROL, talc->end);
    heap->tally.control = talc->base + CONTROL;
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_BOTH_ALIGNMENTS                                                                    \
    .state_size = sizeof(talc_t), .granule = 4, .has_realloc = true, .has_aligned = true,          \
    .serves_up_to_largest = true, .create = model_create, .malloc = model_malloc,                  \
    .free = model_free, .realloc = model_realloc, .aligned = model_aligned,                        \
    .usable = model_usable, .fits = model_fits, .largest_allocatable = model_largest_allocatable,  \
    .largest_free = model_largest_free, .reported = model_reported, .walk = model_walk,            \
    .check = model_check

const hs_model_t hs_model_talc_4 = {
    .name = "talc-4",
    .title = "Rust's talc 4: gaps in bins, a tag behind each chunk",
    .build = &(const uint32_t){4},
    SAME_IN_BOTH_ALIGNMENTS,
};

const hs_model_t hs_model_talc_4_8 = {
    .name = "talc-4-8",
    .title = "Rust's talc 4 where every request has an alignment of 8",
    .build = &(const uint32_t){8},
    SAME_IN_BOTH_ALIGNMENTS,
};
