/* The figures of measure.h as rows of lab.h. */
#include <string.h>

#include "heapscope/assert.h"
#include "measure/measure.h"

void hs_measure_region_parts(const hs_measure_t *measure, uint32_t index, hs_lab_region_row_t *row)
{
    const hs_chip_region_t *region = &measure->chip->region[index];
    memset(row, 0, sizeof *row);
    row->start = region->start;
    row->size = region->size;
    row->kind = region->kind;
    row->has_heap = region->heap != NULL;
    if (region->heap == NULL) {
        row->header = region->size; /* lost whole */
        return;
    }
    const hs_tally_t *tally = &region->heap->tally;
    const uint32_t programs = tally->used_blocks - region->list_blocks;
    const uint32_t around = hs_sim_overhead(region->heap) * programs + region->lists;
    HS_ASSERT((uint64_t)tally->control + tally->used + tally->free <= region->size);
    HS_ASSERT((uint64_t)around + region->startup + measure->lows.region[index].payload <=
              tally->used);
    row->control = tally->control;
    row->startup = region->startup;
    row->payload = measure->lows.region[index].payload;
    row->rounding = tally->used - around - row->startup - row->payload;
    row->free = tally->free;
    row->header = region->size - tally->control - tally->used - tally->free + around;
    row->used_blocks = tally->used_blocks;
}

void hs_measure_region_row(const hs_measure_t *measure, uint32_t index, hs_lab_region_row_t *row)
{
    const hs_chip_region_t *region = &measure->chip->region[index];
    const hs_low_t *low = &measure->lows.region[index].low;
    hs_measure_region_parts(measure, index, row);
    row->minimum_free = low->minimum_free;
    row->peak_payload = low->peak_payload;
    row->minimum_largest_allocatable = hs_chip_allowed(measure->chip, low->minimum_largest);
    row->minimum_free_event = low->minimum_free_event;
    row->minimum_largest_event = low->minimum_largest_event;
    row->allocations = measure->lows.region[index].allocations;
    row->frees = measure->lows.region[index].frees;
    row->failures = measure->chip->refusals[index];
    if (region->heap == NULL) {
        return;
    }
    hs_reported_t reported;
    hs_sim_reported(region->heap, &reported);
    row->reported_free = reported.free;
    row->reported_minimum_free = reported.minimum_free;
    row->largest_reported = reported.largest_free;
    row->largest_free = hs_sim_largest_free(region->heap);
    row->free_blocks = hs_sim_free_blocks(region->heap);
    row->largest_allocatable = hs_chip_allowed(measure->chip, low->largest);
    row->step_nodes = region->heap->steps.nodes;
    row->step_bins = region->heap->steps.bins;
    row->step_writes = region->heap->steps.writes;
    row->step_copied = region->heap->steps.copied;
}

/* heap_caps_get_info() goes through the regions and takes the task's word off the largest block so far at
 * each, off that of an earlier one again (components/heap/heap_caps.c, v5.2 to v6.1). */
static uint32_t reported_largest(uint32_t before, const hs_sim_t *heap,
                                 const hs_reported_t *reported)
{
    const uint32_t largest = reported->largest_free > before ? reported->largest_free : before;
    return largest > heap->around.owner ? largest - heap->around.owner : 0;
}

static void add_region(const hs_chip_region_t *region, hs_lab_set_row_t *row)
{
    hs_reported_t reported;
    hs_sim_reported(region->heap, &reported);
    const uint32_t largest = hs_sim_largest_free(region->heap);
    row->size += region->size;
    row->free_reported += reported.free;
    row->minimum_free_reported += reported.minimum_free;
    row->largest_free = largest > row->largest_free ? largest : row->largest_free;
    row->largest_reported = reported_largest(row->largest_reported, region->heap, &reported);
}

static void set_row(const hs_measure_t *measure, uint32_t set, uint32_t caps, hs_lab_set_row_t *row)
{
    const uint32_t mask = measure->lows.set[set].mask;
    const hs_low_t *low = hs_lows_of(&measure->lows, set);
    /* Requests for words are rounded up to words. */
    const uint32_t word = (caps & (HS_CAP_32BIT | HS_CAP_EXEC)) ? 3 : 0;
    memset(row, 0, sizeof *row);
    for (uint32_t i = 0; i < measure->chip->count; i++) {
        if (mask >> i & 1u) {
            add_region(&measure->chip->region[i], row);
        }
    }
    row->caps = caps;
    row->free = low->free;
    row->minimum_free = low->minimum_free;
    row->largest_allocatable = hs_chip_allowed(measure->chip, low->largest) & ~word;
    row->minimum_largest_allocatable = hs_chip_allowed(measure->chip, low->minimum_largest) & ~word;
    row->peak_payload = low->peak_payload;
    row->minimum_free_event = low->minimum_free_event;
    row->minimum_largest_event = low->minimum_largest_event;
}

void hs_measure_capset_row(const hs_measure_t *measure, uint32_t index, hs_lab_set_row_t *row)
{
    set_row(measure, measure->capset_set[index], measure->capset_caps[index], row);
    if (measure->capset_caps[index] == 0) { /* malloc's rule is more than its regions */
        row->largest_allocatable = measure->largest.now;
        row->minimum_largest_allocatable = measure->minimum_largest;
        row->minimum_largest_event = measure->minimum_largest_event;
    }
}

void hs_measure_largest(const hs_measure_t *measure, uint32_t largest[3])
{
    uint32_t mask = measure->lows.set[measure->capset_set[0]].mask;
    largest[0] = largest[1] = 0;
    largest[2] = measure->largest.now;
    for (uint32_t i = 0; mask != 0; i++, mask >>= 1) {
        if (mask & 1u) {
            hs_reported_t reported;
            const hs_sim_t *heap = measure->chip->region[i].heap;
            hs_sim_reported(heap, &reported);
            const uint32_t free = hs_sim_largest_free(heap);
            largest[0] = free > largest[0] ? free : largest[0];
            largest[1] = reported_largest(largest[1], heap, &reported);
        }
    }
}

void hs_measure_kind_row(const hs_measure_t *measure, uint32_t kind, hs_lab_set_row_t *row)
{
    set_row(measure, measure->kind_set[kind], 0, row);
    row->caps = kind;
}
