#include "measure/measure.h"

#include <string.h>

#include "measure/marks.h"

#define SERIES_LIVE 0u
#define SERIES_LARGEST 1u
#define SERIES_REGIONS 2u

static uint32_t first_task_series(const hs_measure_t *measure)
{
    return SERIES_REGIONS + measure->regions->count;
}

static const hs_low_set_t *malloc_set(const hs_measure_t *measure)
{
    return &measure->lows.set[measure->capset_set[0]];
}

static void add_capset(hs_measure_t *measure, uint32_t caps)
{
    const uint32_t mask = hs_regions_mask(measure->regions, caps);
    measure->capset_caps[measure->capsets] = caps;
    measure->capset_set[measure->capsets++] =
        hs_lows_set(&measure->lows, measure->regions, mask, caps);
}

static void add_kind(hs_measure_t *measure, uint32_t kind)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < measure->regions->count; i++) {
        const hs_region_t *region = &measure->regions->region[i];
        mask |= (uint32_t)(region->heap != NULL && region->kind == kind) << i;
    }
    measure->kind_set[kind] = hs_lows_set(&measure->lows, measure->regions, mask, 0);
}

/* malloc's own set always comes first; a 0 in the list asks for nothing more. */
static void init_sets(hs_measure_t *measure, const hs_lab_config_t *config)
{
    hs_lows_init(&measure->lows, measure->regions);
    add_capset(measure, 0);
    for (uint32_t i = 0; i < config->capset_count; i++) {
        if (config->capsets[i] != 0 && measure->capsets < HS_LAB_CAPSETS_MAX) {
            add_capset(measure, config->capsets[i]);
        }
    }
    for (uint32_t kind = 0; kind < measure->kinds; kind++) {
        add_kind(measure, kind);
    }
    for (uint32_t i = 0; i < config->need_count; i++) {
        hs_headroom_init(&measure->needs[i], measure->regions, &measure->lows, &config->needs[i]);
    }
    measure->need_count = config->need_count;
}

static void note_largest(hs_measure_t *measure)
{
    hs_lab_set_row_t row;
    hs_measure_capset_row(measure, 0, &row);
    const uint32_t largest[3] = {row.largest_free, row.largest_reported, row.largest_allocatable};
    hs_timeline_close(&measure->timeline, largest);
}

static void note_tightest(hs_measure_t *measure, uint64_t event)
{
    hs_tightest_t sum = {.event = event};
    for (uint32_t i = 0; i < measure->regions->count; i++) {
        if (malloc_set(measure)->mask >> i & 1u) {
            hs_lab_region_row_t row;
            hs_measure_region_parts(measure, i, &row);
            sum.payload += row.payload;
            sum.rounding += row.rounding;
            sum.header += row.header;
            sum.control += row.control;
            sum.startup += row.startup;
            sum.free += row.free;
        }
    }
    measure->tightest = sum;
}

hs_status_t hs_measure_init(hs_measure_t *measure, hs_regions_t *regions,
                            const hs_lab_config_t *config, uint32_t kinds)
{
    memset(measure, 0, sizeof *measure);
    if (config->need_count > HS_LAB_NEEDS_MAX || kinds > HS_LAB_KINDS_MAX ||
        config->timeline_buckets % 2 != 0 || config->timeline_buckets > 65536) {
        return HS_ERR_ARGUMENT;
    }
    measure->regions = regions;
    measure->kinds = kinds;
    measure->live_peak_event = HS_LAB_NEVER;
    hs_owners_init(&measure->owners, kinds);
    hs_failures_init(&measure->failures, regions->count);
    init_sets(measure, config);
    note_tightest(measure, HS_LAB_NEVER);
    if (!hs_timeline_init(&measure->timeline, config->timeline_buckets,
                          first_task_series(measure))) {
        return HS_ERR_MEMORY;
    }
    measure->timeline.now[SERIES_LARGEST] = malloc_set(measure)->largest;
    for (uint32_t i = 0; i < regions->count; i++) {
        measure->timeline.now[SERIES_REGIONS + i] = measure->lows.region[i].free;
    }
    return HS_OK;
}

void hs_measure_free(hs_measure_t *measure)
{
    hs_owners_free(&measure->owners);
    hs_failures_free(&measure->failures);
    hs_timeline_free(&measure->timeline);
    hs_marks_free(measure);
}

/* Newest first: a block that moves is for a moment in both regions, so the loss settles last. */
static void remember(uint32_t list[2], uint32_t *count, uint32_t value)
{
    if (*count == 0) {
        list[(*count)++] = value;
    } else if (*count == 1 && list[0] != value) {
        list[1] = list[0];
        list[0] = value;
        ++*count;
    }
}

void hs_measure_gain(hs_measure_t *measure, const hs_block_t *block, uint64_t event)
{
    const hs_region_t *region = &measure->regions->region[block->region];
    hs_low_region_t *low = &measure->lows.region[block->region];
    low->payload += block->requested;
    low->allocations++;
    measure->live += block->requested;
    measure->live_blocks++;
    if (measure->live > measure->live_peak) {
        measure->live_peak = measure->live;
        measure->live_peak_event = event;
    }
    hs_owners_gain(&measure->owners, block->task, region->kind, block->requested,
                   block->held, event);
    remember(measure->touched, &measure->touched_count, block->region);
    remember(measure->changed, &measure->changed_count, block->task);
}

void hs_measure_lose(hs_measure_t *measure, const hs_block_t *block)
{
    const hs_region_t *region = &measure->regions->region[block->region];
    hs_low_region_t *low = &measure->lows.region[block->region];
    low->payload -= block->requested;
    low->frees++;
    measure->live -= block->requested;
    measure->live_blocks--;
    hs_owners_lose(&measure->owners, block->task, region->kind, block->requested,
                   block->held);
    remember(measure->touched, &measure->touched_count, block->region);
    remember(measure->changed, &measure->changed_count, block->task);
}

void hs_measure_failed(hs_measure_t *measure, uint32_t slot, const hs_lab_failure_row_t *row)
{
    hs_owners_row(&measure->owners, slot, 0)->failures++;
    hs_failures_add(&measure->failures, measure->regions, row);
}

/* A task gets its series with its first event. */
static void draw_new_tasks(hs_measure_t *measure, uint64_t time)
{
    hs_timeline_begin(&measure->timeline, time);
    while (measure->timeline_tasks < measure->owners.tasks &&
           hs_timeline_add(&measure->timeline)) {
        measure->timeline_tasks++;
    }
}

static void draw(hs_measure_t *measure, uint64_t time)
{
    hs_timeline_t *timeline = &measure->timeline;
    const uint32_t first_task = first_task_series(measure);
    hs_timeline_begin(timeline, time);
    if (measure->touched_count != 0) {
        hs_timeline_set(timeline, SERIES_LIVE, (uint32_t)measure->live);
        hs_timeline_set(timeline, SERIES_LARGEST, malloc_set(measure)->largest);
    }
    for (uint32_t i = 0; i < measure->touched_count; i++) {
        const uint32_t region = measure->touched[i];
        hs_timeline_set(timeline, SERIES_REGIONS + region, measure->lows.region[region].free);
    }
    for (uint32_t i = 0; i < measure->changed_count; i++) {
        const uint32_t slot = measure->changed[i];
        if (slot < measure->timeline_tasks) {
            hs_timeline_set(timeline, first_task + slot,
                            hs_owners_payload(&measure->owners, slot));
        }
    }
    if (hs_timeline_step(timeline)) {
        note_largest(measure);
    }
}

void hs_measure_settle(hs_measure_t *measure, uint64_t event, uint64_t time)
{
    const uint32_t low_before = malloc_set(measure)->minimum_free;
    const bool largest = hs_lows_settle(&measure->lows, measure->regions, measure->touched,
                                        measure->touched_count, event);
    for (uint32_t n = 0; n < measure->need_count; n++) {
        hs_headroom_touch(&measure->needs[n], measure->regions, &measure->lows, measure->touched,
                          measure->touched_count, largest, event);
    }
    if (malloc_set(measure)->minimum_free < low_before) {
        note_tightest(measure, event);
    }
    for (uint32_t n = 0; n < measure->need_count; n++) {
        hs_headroom_settle(&measure->needs[n], event, time);
    }
    if (measure->timeline.capacity != 0) {
        if (measure->timeline_tasks < measure->owners.tasks) {
            draw_new_tasks(measure, time);
        }
        draw(measure, time);
    }
    measure->touched_count = 0;
    measure->changed_count = 0;
}

void hs_measure_finish(hs_measure_t *measure)
{
    if (measure->timeline.used != 0) {
        note_largest(measure);
    }
}

void hs_measure_mark(hs_measure_t *measure, uint64_t event, uint64_t time, uint32_t name)
{
    const hs_lab_mark_row_t row = {.event = event,
                                   .time = time,
                                   .live = measure->live,
                                   .live_peak = measure->live_peak,
                                   .live_blocks = measure->live_blocks,
                                   .failures = measure->failures.seen,
                                   .name = name};
    hs_marks_add(measure, &row);
}

void hs_measure_region_parts(const hs_measure_t *measure, uint32_t index,
                             hs_lab_region_row_t *row)
{
    const hs_region_t *region = &measure->regions->region[index];
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
    const uint32_t poison = region->heap->light ? HS_LIGHT_OVERHEAD * tally->used_blocks : 0;
    row->control = tally->control;
    row->startup = region->startup;
    row->payload = measure->lows.region[index].payload;
    row->rounding = tally->used - poison - row->startup - row->payload;
    row->free = tally->free;
    row->header = region->size - tally->control - tally->used - tally->free + poison;
    row->used_blocks = tally->used_blocks;
    row->free_blocks = tally->free_blocks;
}

void hs_measure_region_row(const hs_measure_t *measure, uint32_t index, hs_lab_region_row_t *row)
{
    const hs_region_t *region = &measure->regions->region[index];
    const hs_low_region_t *low = &measure->lows.region[index];
    hs_measure_region_parts(measure, index, row);
    row->minimum_free = low->minimum_free;
    row->peak_payload = low->peak_payload;
    row->minimum_largest_allocatable = low->minimum_largest;
    row->minimum_free_event = low->minimum_free_event;
    row->minimum_largest_event = low->minimum_largest_event;
    row->allocations = low->allocations;
    row->frees = low->frees;
    row->failures = measure->regions->refusals[index];
    if (region->heap == NULL) {
        return;
    }
    hs_reported_t reported;
    hs_heap_reported(region->heap, &reported);
    row->reported_free = reported.free;
    row->reported_minimum_free = reported.minimum_free;
    row->largest_reported = reported.largest_free;
    row->largest_free = hs_heap_largest_free(region->heap);
    row->largest_allocatable = low->largest;
    row->step_nodes = region->heap->steps.nodes;
    row->step_bins = region->heap->steps.bins;
    row->step_writes = region->heap->steps.writes;
    row->step_copied = region->heap->steps.copied;
}

static void add_region(const hs_region_t *region, hs_lab_set_row_t *row)
{
    hs_reported_t reported;
    hs_heap_reported(region->heap, &reported);
    const uint32_t largest = hs_heap_largest_free(region->heap);
    row->size += region->size;
    row->free_reported += reported.free;
    row->minimum_free_reported += reported.minimum_free;
    row->largest_free = largest > row->largest_free ? largest : row->largest_free;
    row->largest_reported = reported.largest_free > row->largest_reported
                                ? reported.largest_free
                                : row->largest_reported;
}

static void set_row(const hs_measure_t *measure, uint32_t set, uint32_t caps,
                    hs_lab_set_row_t *row)
{
    const hs_low_set_t *low = &measure->lows.set[set];
    /* Requests for words are rounded up to words. */
    const uint32_t word = (caps & (HS_CAP_32BIT | HS_CAP_EXEC)) ? 3 : 0;
    memset(row, 0, sizeof *row);
    for (uint32_t i = 0; i < measure->regions->count; i++) {
        if (low->mask >> i & 1u) {
            add_region(&measure->regions->region[i], row);
        }
    }
    row->caps = caps;
    row->free = low->free;
    row->minimum_free = low->minimum_free;
    row->largest_allocatable = low->largest & ~word;
    row->minimum_largest_allocatable = low->minimum_largest & ~word;
    row->peak_payload = low->peak_payload;
    row->minimum_free_event = low->minimum_free_event;
    row->minimum_largest_event = low->minimum_largest_event;
}

void hs_measure_capset_row(const hs_measure_t *measure, uint32_t index, hs_lab_set_row_t *row)
{
    set_row(measure, measure->capset_set[index], measure->capset_caps[index], row);
}

void hs_measure_kind_row(const hs_measure_t *measure, uint32_t kind, hs_lab_set_row_t *row)
{
    set_row(measure, measure->kind_set[kind], 0, row);
    row->caps = kind;
}
