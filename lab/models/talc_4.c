#include "talc_4.h"

#include "list.h"

static void put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static void put_link(hs_sim_t *heap, uint32_t at, uint32_t to)
{
    put(heap, at, to == HS_NONE ? 0 : heap->base + to);
}

/* ---- gaps ------------------------------------------------------------------------------------- */

/* Bytes between two chunks become a gap, at the head of its bin; the tag below knows it. */
static void add_gap(talc_t *talc, uint32_t start, uint32_t end)
{
    hs_sim_t *heap = &talc->heap;
    const uint32_t head = talc_head_of(talc, talc_bin_of(end - start));
    const uint32_t next = talc_link_at(heap, head);
    put_link(heap, start, next);
    put_link(heap, start + TALC_LINK, head);
    put(heap, start + TALC_SIZE, end - start);
    put(heap, end - TALC_TAG, end - start);
    put_link(heap, head, start);
    if (next != HS_NONE) {
        put_link(heap, next + TALC_LINK, start);
    }
    put(heap, start - TALC_TAG, hs_region_get(heap, start - TALC_TAG) | TALC_GAP_ABOVE);
    run_add(heap, &talc->gaps, start, end);
}

/* A gap is one no more, nor does the tag below say so. Returns its end. */
static uint32_t remove_gap(talc_t *talc, uint32_t start)
{
    hs_sim_t *heap = &talc->heap;
    const uint32_t end = start + talc_gap_size(heap, start);
    const uint32_t next = talc_link_at(heap, start);
    const uint32_t link = talc_link_at(heap, start + TALC_LINK);
    put_link(heap, link, next);
    if (next != HS_NONE) {
        put_link(heap, next + TALC_LINK, link);
    }
    put(heap, start - TALC_TAG, hs_region_get(heap, start - TALC_TAG) & ~TALC_GAP_ABOVE);
    run_remove(heap, &talc->gaps, run_from(heap, start));
    return end;
}

/* ---- used chunks ------------------------------------------------------------------------------ */

static uint32_t asked_of(const hs_sim_t *heap, uint32_t payload)
{
    return hs_order_low(talc_used_of(heap),
                        hs_order_below(talc_used_of(heap), hs_index_key(payload, 0)));
}

static uint32_t chunk_of(const hs_sim_t *heap, uint32_t tag)
{
    return (hs_region_get(heap, tag) & ~TALC_ROUND) - heap->base;
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return talc_tag_of(heap, offset, asked_of(heap, offset)) - offset;
}

/* A chunk from `chunk` to `end` is used for a payload, or as much of it as that needs if the rest can be a gap,
 * which it then is: with the gap behind it, talc_up to `last`. */
static void use(talc_t *talc, uint32_t chunk, uint32_t payload, uint32_t size, uint32_t end,
                uint32_t last)
{
    hs_sim_t *heap = &talc->heap;
    const uint32_t needed = talc_behind(heap, payload, size);
    const uint32_t least = needed < chunk + TALC_SIZE ? chunk + TALC_SIZE : needed;
    const bool has_rest = last - least - TALC_TAG >= TALC_SMALLEST &&
                          (last != end || end - least - TALC_TAG >= TALC_SMALLEST);
    const uint32_t tag = has_rest ? least : end - TALC_TAG;
    const bool has_room = hs_order_add(talc_used_of(heap), hs_index_key(payload, size));
    HS_ASSERT(has_room); /* host memory ends, and nothing else knows the chunk */
    (void)has_room;
    if (needed != tag) {
        put_link(heap, needed, tag);
    }
    put(heap, tag, (heap->base + chunk) | TALC_IS_USED);
    heap->tally.used += tag - payload;
    heap->tally.used_blocks++;
    if (has_rest) {
        add_gap(talc, tag + TALC_TAG, last);
    }
}

static void forget(talc_t *talc, uint32_t payload, uint32_t size)
{
    talc->heap.tally.used -= talc_tag_of(&talc->heap, payload, size) - payload;
    talc->heap.tally.used_blocks--;
    hs_order_remove(talc_used_of(&talc->heap), hs_index_key(payload, size));
}

/* ---- malloc and free -------------------------------------------------------------------------- */

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    talc_t *talc = talc_of(heap);
    const uint32_t gap = talc_find(talc, align, size, &heap->steps.nodes);
    (void)at;
    if (gap == HS_NONE) {
        return HS_NONE;
    }
    const uint32_t payload = talc_start_in(heap, gap, align);
    const uint32_t end = remove_gap(talc, gap);
    const uint32_t cut = payload < end - TALC_SMALLEST ? payload : end - TALC_SMALLEST;
    const bool has_front = cut - gap >= TALC_SMALLEST;
    if (has_front) {
        add_gap(talc, gap, cut);
    }
    use(talc, has_front ? cut : gap, payload, size, end, end);
    return payload;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return model_aligned(heap, talc_alignment_of(heap), size, 0);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    talc_t *talc = talc_of(heap);
    const uint32_t size = asked_of(heap, offset);
    const uint32_t tag = talc_tag_of(heap, offset, size);
    uint32_t start = chunk_of(heap, tag);
    uint32_t end = tag + TALC_TAG;
    const uint32_t below = hs_region_get(heap, start - TALC_TAG);
    const bool gap_above = (hs_region_get(heap, tag) & TALC_GAP_ABOVE) != 0;
    forget(talc, offset, size);
    if (gap_above) {
        end = remove_gap(talc, end);
    }
    if ((below & TALC_IS_USED) == 0) {
        start -= below;
        (void)remove_gap(talc, start);
    }
    add_gap(talc, start, end);
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t wanted)
{
    talc_t *talc = talc_of(heap);
    const uint32_t old = asked_of(heap, offset);
    const uint32_t tag = talc_tag_of(heap, offset, old);
    const uint32_t chunk = chunk_of(heap, tag);
    const uint32_t end = tag + TALC_TAG;
    const bool gap_above = (hs_region_get(heap, tag) & TALC_GAP_ABOVE) != 0;
    const uint32_t last = gap_above ? end + talc_gap_size(heap, end) : end;
    if (wanted >= TALC_TOO_LARGE - TALC_SMALLEST) {
        return HS_NONE;
    }
    const uint32_t needed = talc_behind(heap, offset, wanted);
    if (needed > last - TALC_TAG) {
        const uint32_t moved = model_malloc(heap, wanted);
        if (moved != HS_NONE) {
            hs_region_note_low(heap);
            heap->steps.copied += old;
            model_free(heap, offset);
        }
        return moved;
    }
    const uint32_t least = needed < chunk + TALC_SIZE ? chunk + TALC_SIZE : needed;
    const bool takes_gap = needed > tag;
    const bool cuts = needed < tag && end - least - TALC_TAG >= TALC_SMALLEST;
    forget(talc, offset, old);
    if (gap_above && (takes_gap || cuts)) {
        (void)remove_gap(talc, end);
        use(talc, chunk, offset, wanted, takes_gap ? last : end, last);
    } else {
        put(heap, tag, hs_region_get(heap, tag));
        use(talc, chunk, offset, wanted, end, end);
        put(heap, end - TALC_TAG,
            hs_region_get(heap, end - TALC_TAG) | (gap_above ? TALC_GAP_ABOVE : 0));
    }
    return offset;
}

static hs_status_t model_create(hs_sim_t *heap)
{
    talc_t *talc = talc_of(heap);
    talc->base = (0u - heap->base) & TALC_ROUND;
    if (heap->size < talc->base + TALC_CONTROL + TALC_SMALLEST) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    talc->end = talc->base + ((heap->size - talc->base) & ~TALC_ROUND);
    talc->gaps.header = TALC_TAG;
    memset(heap->mem + talc->base, 0, TALC_CONTROL);
    put(heap, talc->base, TALC_IS_USED);
    put(heap, talc->base + TALC_CONTROL - TALC_TAG, (heap->base + talc->base) | TALC_IS_USED);
    add_gap(talc, talc->base + TALC_CONTROL, talc->end);
    heap->tally.control = talc->base + TALC_CONTROL;
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_BOTH_ALIGNMENTS                                                                    \
    .state_size = sizeof(talc_t), .granule = 4, .has_realloc = true, .has_aligned = true,          \
    .serves_up_to_largest = true, .create = model_create, .malloc = model_malloc,                  \
    .free = model_free, .realloc = model_realloc, .aligned = model_aligned,                        \
    .usable = model_usable, .fits = hs_talc_4_fits,                                                \
    .largest_allocatable = hs_talc_4_largest_allocatable, .largest_free = hs_talc_4_largest_free,  \
    .reported = hs_talc_4_reported, .walk = hs_talc_4_walk, .check = hs_talc_4_check

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
