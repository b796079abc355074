/* Sizes, reports, the walk and the check of talc 4. */
#include "talc_4.h"

#include "seen.h"

/* ---- questions -------------------------------------------------------------------------------- */

bool hs_talc_4_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    uint64_t nodes = 0;
    (void)at;
    return talc_find(talc_of_const(heap), align == 0 ? talc_alignment_of(heap) : align, size,
                     &nodes) != HS_NONE;
}

uint32_t hs_talc_4_largest_free(const hs_sim_t *heap)
{
    return runs_largest_free(heap, &talc_of_const(heap)->gaps);
}

uint32_t hs_talc_4_largest_allocatable(hs_sim_t *heap)
{
    talc_t *talc = talc_of(heap);
    const uint32_t align = talc_alignment_of(heap);
    uint32_t largest = 0;
    if (align <= TALC_ROUND + 1) {
        talc->gaps.largest = runs_largest(heap, &talc->gaps);
        return hs_talc_4_largest_free(heap);
    }
    for (uint32_t at = 0; at < runs_of(heap)->count; at++) {
        const uint32_t start = talc_start_in(heap, run_start(heap, at), align);
        const uint32_t end = run_end(heap, at) - TALC_TAG;
        largest = start < end && end - start > largest ? end - start : largest;
    }
    return largest;
}

void hs_talc_4_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    out->free = heap->tally.free + TALC_TAG * heap->tally.free_blocks; /* available_bytes */
    out->allocated = heap->tally.used;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = hs_talc_4_largest_free(heap);
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
        *block = (hs_walk_block_t){at, size - TALC_TAG, false};
        *next = at + size;
        if (talc_gap_size(heap, at) != size || hs_region_get(heap, *next - TALC_TAG) != size) {
            return false;
        }
    } else {
        if (used >= talc_used_of(heap)->count) {
            return false;
        }
        const uint32_t payload = hs_order_high(talc_used_of(heap), used);
        const uint32_t tag = talc_tag_of(heap, payload, hs_order_low(talc_used_of(heap), used));
        const bool gap_above = run < runs_of(heap)->count && run_start(heap, run) == tag + TALC_TAG;
        if (payload < at || tag < payload || tag > talc->end - TALC_TAG || (tag - at) % 4 != 0 ||
            hs_region_get(heap, tag) !=
                ((heap->base + at) | TALC_IS_USED | (gap_above ? TALC_GAP_ABOVE : 0))) {
            return false;
        }
        *block = (hs_walk_block_t){payload, tag - payload, true};
        *next = tag + TALC_TAG;
    }
    hs_seen_add(seen, block->size, block->used);
    return true;
}

void hs_talc_4_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const talc_t *talc = talc_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    for (uint32_t at = talc->base + TALC_CONTROL; at != talc->end;) {
        if (!block_at(talc, at, &seen, &block, &at) || !visit(context, &block)) {
            return;
        }
    }
}

/* A bin leads to gaps of its own, each of which knows what leads to it. */
static hs_status_t check_bin(const talc_t *talc, uint32_t bin, uint32_t *left, uint32_t *where)
{
    const hs_sim_t *heap = &talc->heap;
    uint32_t link = talc_head_of(talc, bin);
    for (uint32_t gap = talc_link_at(heap, link); gap != HS_NONE; gap = talc_link_at(heap, gap)) {
        const uint32_t run = run_from(heap, gap);
        if (*left == 0 || run == runs_of(heap)->count || run_start(heap, run) != gap ||
            talc_bin_of(run_size(heap, run)) != bin ||
            talc_link_at(heap, gap + TALC_LINK) != link) {
            return hs_seen_fault(link, where);
        }
        --*left;
        link = gap;
    }
    return HS_OK;
}

hs_status_t hs_talc_4_check(const hs_sim_t *heap, uint32_t *where)
{
    const talc_t *talc = talc_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    for (uint32_t at = talc->base + TALC_CONTROL; at != talc->end;) {
        const uint32_t before = at;
        if (!block_at(talc, before, &seen, &block, &at)) {
            return hs_seen_fault(before, where);
        }
    }
    uint32_t left = seen.free_blocks;
    for (uint32_t bin = 0; bin < TALC_BINS; bin++) {
        const hs_status_t status = check_bin(talc, bin, &left, where);
        if (status != HS_OK) {
            return status;
        }
    }
    return left == 0 && hs_seen_agrees(&heap->tally, &seen) ? HS_OK
                                                            : hs_seen_fault(talc->base, where);
}
