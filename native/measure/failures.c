#include "measure/failures.h"

#include <stdlib.h>
#include <string.h>

void hs_failures_init(hs_failures_t *failures, uint32_t region_count)
{
    memset(failures, 0, sizeof *failures);
    failures->region_count = region_count;
    failures->first_event = HS_LAB_NEVER;
}

void hs_failures_free(hs_failures_t *failures)
{
    free(failures->rows);
    free(failures->regions);
    memset(failures, 0, sizeof *failures);
}

/* Most replays have no failure, so the space is taken with the first one. */
static int reserve(hs_failures_t *failures)
{
    if (failures->rows == NULL) {
        failures->rows = calloc(HS_LAB_FAILURES_MAX, sizeof *failures->rows);
        failures->regions =
            calloc((size_t)HS_LAB_FAILURES_MAX * failures->region_count, sizeof *failures->regions);
    }
    return failures->rows != NULL && failures->regions != NULL;
}

static void look(hs_lab_failure_region_t *out, const hs_chip_t *regions, uint32_t index,
                 uint32_t caps, uint32_t eligible)
{
    const hs_chip_region_t *region = &regions->region[index];
    memset(out, 0, sizeof *out);
    out->eligible = eligible;
    if (region->heap != NULL) {
        out->free = region->heap->tally.free;
        out->largest_free = hs_sim_largest_free(region->heap);
        out->largest_allocatable =
            hs_chip_allowed(regions, hs_region_largest_allocatable(region, caps));
    }
}

void hs_failures_add(hs_failures_t *failures, const hs_chip_t *regions,
                     const hs_lab_failure_row_t *row, uint32_t asked)
{
    if (failures->seen++ == 0) {
        failures->first_event = row->event;
    }
    if (failures->kept == HS_LAB_FAILURES_MAX || !reserve(failures)) {
        return;
    }
    for (uint32_t i = 0; i < failures->region_count; i++) {
        look(&failures->regions[(size_t)failures->kept * failures->region_count + i], regions, i,
             row->caps, asked >> i & 1u);
    }
    failures->rows[failures->kept++] = *row;
}
