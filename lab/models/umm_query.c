/* Questions to a heap of umm_malloc and its integrity check. */
#include "seen.h"
#include "umm.h"

uint32_t hs_umm_usable(const hs_sim_t *heap, uint32_t offset)
{
    const hs_umm_t *umm = umm_of_const(heap);
    return umm_payload(umm, umm_size(umm, umm_run_at(umm, offset)));
}

static uint32_t umm_index_size(const hs_order_t *order, uint32_t at)
{
    return hs_order_high(order, at) >> 16;
}

/* ---- largest and fits ------------------------------------------------------------------------- */

/* Bound: visits every free run. */
static hs_largest_t largest_by_walk(const hs_umm_t *umm)
{
    hs_largest_t largest = {0, 0, false};
    if (umm->heap.index != NULL) {
        const hs_order_t *order = &umm->heap.index->by_size;
        largest.size = order->count == 0 ? 0 : umm_index_size(order, order->count - 1);
        largest.others = order->count < 2 ? 0 : umm_index_size(order, order->count - 2);
        return largest;
    }
    uint32_t run = umm_field(umm, UMM_HEAD, UMM_NEXT_FREE);
    for (; run != UMM_HEAD; run = umm_field(umm, run, UMM_NEXT_FREE)) {
        hs_largest_add(&largest, umm_size(umm, run));
    }
    return largest;
}

static uint32_t largest_units(const hs_umm_t *umm)
{
    return umm->largest.unknown ? largest_by_walk(umm).size : umm->largest.size;
}

uint32_t hs_umm_largest_free(const hs_sim_t *heap)
{
    const hs_umm_t *umm = umm_of_const(heap);
    uint32_t units = largest_units(umm);
    return units == 0 ? 0 : umm_payload(umm, units);
}

/* Either search ends at a run that is large enough if there is one. */
uint32_t hs_umm_largest_allocatable(hs_sim_t *heap)
{
    hs_umm_t *umm = umm_of(heap);
    if (umm->largest.unknown) {
        umm->largest = largest_by_walk(umm);
    }
    return hs_umm_largest_free(heap);
}

bool hs_umm_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const hs_umm_t *umm = umm_of_const(heap);
    uint32_t units = umm_units_for(umm, size);
    (void)align; /* there is no aligned allocation */
    (void)at;
    return size != 0 && units <= umm->largest.size && units <= largest_units(umm);
}

/* ---- reports and walk ------------------------------------------------------------------------- */

/* Counted like umm_info(): units with their headers, of used runs too. It keeps no minimum; this is the
 * least that it would have said. */
void hs_umm_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const hs_umm_t *umm = umm_of_const(heap);
    out->free = umm_bytes(umm, umm_free_units(umm));
    out->minimum_free = umm_bytes(umm, umm->minimum_units);
    out->largest_free = umm_bytes(umm, largest_units(umm));
    out->allocated = heap->tally.used + UMM_HEADER * heap->tally.used_blocks;
}

/* Ends early where an index leads down or out of the heap, so that damaged memory can be walked. */
void hs_umm_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const hs_umm_t *umm = umm_of_const(heap);
    uint32_t run = UMM_FIRST;
    while (run != umm->last) {
        uint32_t next = umm_next(umm, run);
        if (next <= run || next > umm->last) {
            return;
        }
        hs_walk_block_t seen = {umm_offset(umm, run), umm_payload(umm, next - run),
                                !umm_is_free(umm, run)};
        if (!visit(context, &seen)) {
            return;
        }
        run = next;
    }
}

/* ---- check ------------------------------------------------------------------------------------ */

typedef struct progress {
    hs_tally_t seen;
    hs_largest_t largest;
    uint32_t previous;
    bool after_free;
} progress_t;

/* No index, or it has the run, whose rank is above that of the one before it in the list. */
static bool index_agrees(const hs_umm_t *umm, uint32_t run, uint32_t previous)
{
    const hs_index_t *index = umm->heap.index;
    return index == NULL ||
           (hs_order_has(&index->by_size, umm_index_key(index, run, umm_size(umm, run))) &&
            (previous == UMM_HEAD || index->ranks[previous] < index->ranks[run]));
}

/* The index has no more runs than there are. */
static bool index_ends(const hs_umm_t *umm)
{
    const hs_index_t *index = umm->heap.index;
    return index == NULL || index->by_size.count == umm->heap.tally.free_blocks;
}

/* Does the list, from its front, hold as many free runs as there are, linked both ways? Bound: that
 * number. */
static hs_status_t check_list(const hs_umm_t *umm, uint32_t free_runs, uint32_t *where)
{
    uint32_t previous = UMM_HEAD;
    for (;;) {
        uint32_t run = umm_field(umm, previous, UMM_NEXT_FREE);
        if (run >= umm->last || (run == UMM_HEAD) != (free_runs == 0)) {
            return hs_seen_fault(umm_place(umm, previous, UMM_NEXT_FREE), where);
        }
        if (umm_field(umm, run, UMM_PREVIOUS_FREE) != previous) {
            return hs_seen_fault(umm_place(umm, run, UMM_PREVIOUS_FREE), where);
        }
        if (run == UMM_HEAD) {
            return HS_OK;
        }
        if (!umm_is_free(umm, run) || !index_agrees(umm, run, previous)) {
            return hs_seen_fault(umm_place(umm, previous, UMM_NEXT_FREE), where);
        }
        free_runs--;
        previous = run;
    }
}

/* A free run is linked from both sides, and never follows another free one. */
static hs_status_t check_free_run(const hs_umm_t *umm, uint32_t run, bool after_free,
                                  uint32_t *where)
{
    uint32_t next = umm_field(umm, run, UMM_NEXT_FREE);
    uint32_t previous = umm_field(umm, run, UMM_PREVIOUS_FREE);
    if (after_free) {
        return hs_seen_fault(umm_place(umm, run, 0), where);
    }
    if (next >= umm->last || umm_field(umm, next, UMM_PREVIOUS_FREE) != run) {
        return hs_seen_fault(umm_place(umm, run, UMM_NEXT_FREE), where);
    }
    if (previous >= umm->last || umm_field(umm, previous, UMM_NEXT_FREE) != run) {
        return hs_seen_fault(umm_place(umm, run, UMM_PREVIOUS_FREE), where);
    }
    return HS_OK;
}

/* Bound: each step goes up by at least one unit. */
static hs_status_t check_runs(const hs_umm_t *umm, progress_t *progress, uint32_t *where)
{
    uint32_t run = UMM_FIRST;
    while (run != umm->last) {
        uint32_t next = umm_next(umm, run);
        bool is_free = umm_is_free(umm, run);
        if (next <= run || next > umm->last) {
            return hs_seen_fault(umm_place(umm, run, 0), where);
        }
        if (umm_field(umm, run, UMM_PREVIOUS) != progress->previous) {
            return hs_seen_fault(umm_place(umm, run, UMM_PREVIOUS), where);
        }
        if (is_free) {
            hs_status_t status = check_free_run(umm, run, progress->after_free, where);
            if (status != HS_OK) {
                return status;
            }
            hs_largest_add(&progress->largest, next - run);
        }
        hs_seen_add(&progress->seen, umm_payload(umm, next - run), !is_free);
        progress->after_free = is_free;
        progress->previous = run;
        run = next;
    }
    return HS_OK;
}

static hs_status_t check_ends(const hs_umm_t *umm, uint32_t last_run, uint32_t *where)
{
    const uint32_t expected[][2] = {
        {umm_place(umm, UMM_HEAD, 0), UMM_FIRST},
        {umm_place(umm, UMM_HEAD, UMM_PREVIOUS), 0},
        {umm_place(umm, umm->last, 0), 0},
        {umm_place(umm, umm->last, UMM_PREVIOUS), last_run},
        {umm_place(umm, umm->last, UMM_NEXT_FREE), 0},
        {umm_place(umm, umm->last, UMM_PREVIOUS_FREE), 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (hs_region_get_half(&umm->heap, expected[i][0]) != expected[i][1]) {
            return hs_seen_fault(expected[i][0], where);
        }
    }
    return HS_OK;
}

hs_status_t hs_umm_check(const hs_sim_t *heap, uint32_t *where)
{
    const hs_umm_t *umm = umm_of_const(heap);
    progress_t progress = {{0, 0, 0, 0, 0, 0, 0}, {0, 0, false}, UMM_HEAD, false};
    hs_status_t status = check_runs(umm, &progress, where);
    if (status == HS_OK) {
        status = check_ends(umm, progress.previous, where);
    }
    if (status == HS_OK) {
        status = check_list(umm, progress.seen.free_blocks, where);
    }
    if (status == HS_OK && (!hs_seen_agrees(&heap->tally, &progress.seen) ||
                            !hs_largest_agrees(&umm->largest, &progress.largest) ||
                            !index_ends(umm) || umm->minimum_units > umm_free_units(umm))) {
        return hs_seen_fault(umm_place(umm, UMM_FIRST, 0), where);
    }
    return status;
}
