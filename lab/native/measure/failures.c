#include "measure/failures.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void hs_failures_init(hs_failures_t *failures, uint32_t region_count)
{
    memset(failures, 0, sizeof *failures);
    failures->region_count = region_count;
    failures->first_event = HS_LAB_NEVER;
    failures->apart = 1;
    failures->width = 1;
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

static void look(hs_lab_failure_region_t *out, const hs_chip_t *chip, uint32_t index, uint32_t caps,
                 uint32_t eligible)
{
    const hs_chip_region_t *region = &chip->region[index];
    memset(out, 0, sizeof *out);
    out->eligible = eligible;
    if (region->heap != NULL) {
        out->free = region->heap->tally.free;
        out->largest_free = hs_sim_largest_free(region->heap);
        out->largest_allocatable =
            hs_chip_allowed(chip, hs_region_largest_allocatable(region, caps));
    }
}

/* ---- how many, by span ------------------------------------------------------------------------- */

/* No sum of so many sizes overflows. */
#define SIZE_COUNTED_MAX (UINT64_C(1) << 40)

static void merge(hs_lab_failure_span_t *into, const hs_lab_failure_span_t *span)
{
    into->failures += span->failures;
    into->bytes += span->bytes;
    into->largest = span->largest > into->largest ? span->largest : into->largest;
}

static void widen(hs_failures_t *failures)
{
    hs_lab_failure_span_t *spans = failures->spans;
    for (uint32_t i = 0; i < HS_LAB_FAILURE_SPANS / 2; i++) {
        hs_lab_failure_span_t both = spans[2 * i];
        merge(&both, &spans[2 * i + 1]);
        spans[i] = both;
    }
    memset(&spans[HS_LAB_FAILURE_SPANS / 2], 0, HS_LAB_FAILURE_SPANS / 2 * sizeof *spans);
    failures->width *= 2;
}

static void count_in_span(hs_failures_t *failures, const hs_lab_failure_row_t *row)
{
    while (row->event / failures->width >= HS_LAB_FAILURE_SPANS) {
        widen(failures);
    }
    const uint64_t bytes = row->size < SIZE_COUNTED_MAX ? row->size : SIZE_COUNTED_MAX;
    const hs_lab_failure_span_t one = {.failures = 1, .bytes = bytes, .largest = row->size};
    merge(&failures->spans[row->event / failures->width], &one);
}

size_t hs_failures_spans(const hs_failures_t *failures, uint64_t end, hs_lab_failure_span_t *rows,
                         size_t capacity)
{
    if (failures->seen == 0 || end == 0) {
        return 0;
    }
    uint64_t width = failures->width;
    while ((end - 1) / width >= HS_LAB_FAILURE_SPANS) {
        width *= 2;
    }
    const size_t count = (size_t)((end - 1) / width) + 1;
    const uint64_t part = width / failures->width;
    for (size_t i = 0; i < count && i < capacity; i++) {
        const uint64_t first = i * width;
        rows[i] = (hs_lab_failure_span_t){.first_event = first,
                                          .events = end - first < width ? end - first : width};
        for (uint64_t n = i * part; n < (i + 1) * part && n < HS_LAB_FAILURE_SPANS; n++) {
            merge(&rows[i], &failures->spans[n]);
        }
    }
    return count;
}

/* ---- the sample -------------------------------------------------------------------------------- */

static void keep(hs_failures_t *failures, uint32_t place, const hs_chip_t *chip,
                 const hs_lab_failure_row_t *row, uint32_t requested)
{
    for (uint32_t i = 0; i < failures->region_count; i++) {
        look(&failures->regions[(size_t)place * failures->region_count + i], chip, i, row->caps,
             requested >> i & 1u);
    }
    failures->rows[place] = *row;
}

static void move_row(hs_failures_t *failures, uint32_t to, uint32_t from)
{
    const size_t count = failures->region_count;
    failures->rows[to] = failures->rows[from];
    memmove(&failures->regions[to * count], &failures->regions[from * count],
            count * sizeof *failures->regions);
}

/* Keeps the first and the largest row of each span of twice as many events, until half are left. */
static void thin(hs_failures_t *failures)
{
    while (failures->kept > HS_LAB_FAILURES_MAX / 2) {
        uint32_t kept = 0;
        failures->apart *= 2;
        for (uint32_t i = 0; i < failures->kept;) {
            const uint64_t span = failures->rows[i].event / failures->apart;
            const uint32_t first = i++;
            uint32_t largest = first;
            for (; i < failures->kept && failures->rows[i].event / failures->apart == span; i++) {
                if (failures->rows[i].size > failures->rows[largest].size) {
                    largest = i;
                }
            }
            move_row(failures, kept++, first);
            if (largest != first) {
                move_row(failures, kept++, largest);
            }
        }
        failures->kept = kept;
    }
}

/* Where the row goes; `kept`: behind the others; UINT32_MAX: it is neither first nor largest. */
static uint32_t place_of(const hs_failures_t *failures, const hs_lab_failure_row_t *row)
{
    const uint64_t span = row->event / failures->apart;
    const uint32_t kept = failures->kept;
    if (kept == 0 || failures->rows[kept - 1].event / failures->apart != span) {
        return kept;
    }
    if (row->size <= failures->rows[kept - 1].size) {
        return UINT32_MAX;
    }
    const bool has_first = kept > 1 && failures->rows[kept - 2].event / failures->apart == span;
    return has_first ? kept - 1 : kept;
}

void hs_failures_add(hs_failures_t *failures, const hs_chip_t *chip,
                     const hs_lab_failure_row_t *row, uint32_t requested)
{
    if (failures->seen++ == 0) {
        failures->first_event = row->event;
    }
    count_in_span(failures, row);
    if (!reserve(failures)) {
        return;
    }
    uint32_t place = place_of(failures, row);
    if (place == HS_LAB_FAILURES_MAX) {
        thin(failures);
        place = place_of(failures, row);
    }
    if (place != UINT32_MAX) {
        hs_lab_failure_row_t numbered = *row;
        numbered.number = failures->seen;
        keep(failures, place, chip, &numbered, requested);
        failures->kept += place == failures->kept;
    }
}
