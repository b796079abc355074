#include "measure/measure.h"

#include <string.h>

#include "chip/task_lists.h"
#include "measure/marks.h"

/* The columns of the timeline (lab.h). */
#define SERIES_LIVE 0u
#define SERIES_LARGEST 1u
#define SERIES_REGIONS 2u

/* The marks of the regions that malloc asks for a size. */
static const hs_low_t *low_for(hs_measure_t *measure, uint32_t size)
{
    const uint32_t allowed = hs_chip_allowed(measure->chip, size);
    const uint32_t mask = hs_chip_mask_for(measure->chip, 0, allowed);
    return hs_lows_of(&measure->lows, hs_lows_set(&measure->lows, measure->chip, mask, 0));
}

/* The largest malloc(n) that would succeed: the rule decides by n which regions are asked. */
static uint32_t malloc_largest(const hs_measure_t *measure)
{
    const uint32_t threshold = measure->chip->malloc_rule.threshold;
    const uint32_t large = measure->malloc_large->largest, small = measure->malloc_small->largest;
    if (large > threshold) {
        return hs_chip_allowed(measure->chip, large);
    }
    return hs_chip_allowed(measure->chip, small < threshold ? small : threshold);
}

static void note_malloc_largest(hs_measure_t *measure, uint64_t event)
{
    measure->largest.now = malloc_largest(measure);
    hs_series_note(&measure->largest);
    if (measure->largest.now < measure->minimum_largest) {
        measure->minimum_largest = measure->largest.now;
        measure->minimum_largest_event = event;
    }
}

static void add_capset(hs_measure_t *measure, uint32_t caps)
{
    const uint32_t mask = hs_chip_mask(measure->chip, caps);
    measure->capset_caps[measure->capsets] = caps;
    measure->capset_set[measure->capsets++] =
        hs_lows_set(&measure->lows, measure->chip, mask, caps);
}

static void add_kind(hs_measure_t *measure, uint32_t kind)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < measure->chip->count; i++) {
        const hs_chip_region_t *region = &measure->chip->region[i];
        mask |= (uint32_t)(region->heap != NULL && region->kind == kind) << i;
    }
    measure->kind_set[kind] = hs_lows_set(&measure->lows, measure->chip, mask, 0);
}

/* malloc's own set always comes first; a 0 in the list asks for nothing more. */
static void init_sets(hs_measure_t *measure, const hs_lab_config_t *config)
{
    hs_lows_init(&measure->lows, measure->chip);
    add_capset(measure, 0);
    measure->malloc_low = hs_lows_of(&measure->lows, measure->capset_set[0]);
    measure->malloc_small = low_for(measure, 1);
    measure->malloc_large = low_for(measure, UINT32_MAX);
    for (uint32_t i = 0; i < config->capset_count; i++) {
        if (config->capsets[i] != 0 && measure->capsets < HS_LAB_CAPSETS_MAX) {
            add_capset(measure, config->capsets[i]);
        }
    }
    for (uint32_t kind = 0; kind < measure->kinds; kind++) {
        add_kind(measure, kind);
    }
    for (uint32_t i = 0; i < config->need_count; i++) {
        hs_headroom_init(&measure->needs[i], measure->chip, &measure->lows, &config->needs[i]);
    }
    measure->need_count = config->need_count;
    for (uint32_t i = 0; i < config->need_count; i++) {
        measure->asks |= !measure->needs[i].by_largest;
        measure->any_short |= measure->needs[i].is_short;
    }
}

static void note_tightest(hs_measure_t *measure, uint64_t event)
{
    hs_tightest_t sum = {.event = event};
    for (uint32_t i = 0; i < measure->chip->count; i++) {
        if (measure->lows.set[measure->capset_set[0]].mask >> i & 1u) {
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
    /* The minimum is below that where a realloc holds the old block until it has the new one. */
    sum.moving = sum.free - measure->malloc_low->minimum_free;
    sum.free = measure->malloc_low->minimum_free;
    measure->tightest = sum;
    measure->tightest_free = measure->malloc_low->minimum_free;
}

hs_status_t hs_measure_init(hs_measure_t *measure, hs_chip_t *chip, const hs_lab_config_t *config,
                            uint32_t kinds)
{
    memset(measure, 0, sizeof *measure);
    if (config->need_count > HS_LAB_NEEDS_MAX || kinds > HS_LAB_KINDS_MAX ||
        config->timeline_buckets % 2 != 0 || config->timeline_buckets > 65536) {
        return HS_ERR_ARGUMENT;
    }
    measure->chip = chip;
    measure->kinds = kinds;
    measure->live_peak_event = HS_LAB_NEVER;
    hs_ledger_init(&measure->owners, kinds, HS_LAB_TASKS_MAX);
    hs_failures_init(&measure->failures, chip->count);
    init_sets(measure, config);
    note_tightest(measure, HS_LAB_NEVER);
    measure->largest.now = measure->minimum_largest = malloc_largest(measure);
    measure->minimum_largest_event = HS_LAB_NEVER;
    hs_series_restart(&measure->largest);
    return hs_timeline_init(&measure->timeline, config->timeline_buckets) ? HS_OK : HS_ERR_MEMORY;
}

void hs_measure_free(hs_measure_t *measure)
{
    hs_ledger_free(&measure->owners);
    hs_failures_free(&measure->failures);
    hs_timeline_free(&measure->timeline);
    hs_marks_free(measure);
}

static void judge_needs(hs_measure_t *measure, bool largest, uint64_t event)
{
    measure->any_short = false;
    for (uint32_t n = 0; n < measure->need_count; n++) {
        if (largest || !measure->needs[n].by_largest) {
            hs_headroom_judge(&measure->needs[n], event);
        }
        measure->any_short |= measure->needs[n].is_short;
    }
}

void hs_measure_settle_rest(hs_measure_t *measure, unsigned what, uint64_t event)
{
    const hs_low_t *low = measure->malloc_low;
    if (what & HS_LOWS_LARGEST) {
        note_malloc_largest(measure, event);
    }
    if ((what & HS_LOWS_LEAST) && low->minimum_free < measure->tightest_free) {
        note_tightest(measure, event);
    }
    if ((what & HS_LOWS_LARGEST) || measure->asks) {
        judge_needs(measure, (what & HS_LOWS_LARGEST) != 0, event);
    }
}

void hs_measure_look_at_needs(hs_measure_t *measure, uint32_t region)
{
    for (uint32_t n = 0; n < measure->need_count; n++) {
        if (!measure->needs[n].by_largest) {
            hs_headroom_look(&measure->needs[n], measure->chip, region);
        }
    }
}

void hs_measure_settle_move(hs_measure_t *measure, uint32_t to, uint32_t from, uint64_t event)
{
    const hs_task_lists_t *lists = measure->chip->lists;
    const uint32_t regions[3] = {to, lists != NULL ? lists->host : to, from};
    const unsigned what = hs_lows_settle_many(&measure->lows, measure->chip, regions, 3, event);
    for (uint32_t i = 0; i < 3; i++) {
        hs_measure_look_at_needs(measure, regions[i]);
    }
    hs_measure_settle_rest(measure, what, event);
}

void hs_measure_begin(hs_measure_t *measure, const hs_block_t *block)
{
    hs_measure_gain(measure, block, HS_LAB_NEVER, false);
}

void hs_measure_begun(hs_measure_t *measure)
{
    for (uint32_t i = 0; i < measure->chip->count; i++) {
        if (measure->chip->region[i].heap != NULL) {
            hs_lows_settle(&measure->lows, measure->chip, i, HS_LAB_NEVER);
        }
    }
    for (uint32_t slot = 0; slot < measure->owners.tasks; slot++) {
        hs_series_restart(&measure->owners.payload[slot]);
    }
    hs_series_restart(&measure->live);
    note_tightest(measure, HS_LAB_NEVER);
}

void hs_measure_failed(hs_measure_t *measure, uint32_t slot, const hs_lab_failure_row_t *row,
                       uint32_t requested)
{
    hs_ledger_row(&measure->owners, slot, 0)->failures++;
    hs_failures_add(&measure->failures, measure->chip, row, requested);
}

static void take_series(hs_bucket_t *bucket, uint32_t column, hs_series_t *series)
{
    bucket->least[column] = series->least;
    bucket->most[column] = series->most;
    hs_series_restart(series);
}

uint32_t hs_measure_timeline_tasks(const hs_measure_t *measure)
{
    const uint32_t room = HS_LAB_SERIES_MAX - SERIES_REGIONS - measure->chip->count;
    return measure->owners.tasks < room ? measure->owners.tasks : room;
}

void hs_measure_end_bucket(hs_measure_t *measure)
{
    hs_bucket_t *bucket = hs_timeline_next(&measure->timeline);
    uint32_t column = SERIES_REGIONS;
    if (measure->timeline.capacity == 0) {
        return;
    }
    take_series(bucket, SERIES_LIVE, &measure->live);
    take_series(bucket, SERIES_LARGEST, &measure->largest);
    for (uint32_t i = 0; i < measure->chip->count; i++, column++) {
        hs_low_region_t *region = &measure->lows.region[i];
        bucket->least[column] = region->least_free;
        bucket->most[column] = region->most_free;
        region->least_free = region->most_free = region->low.free;
    }
    const uint32_t tasks = hs_measure_timeline_tasks(measure);
    for (uint32_t task = 0; task < tasks; task++, column++) {
        take_series(bucket, column, &measure->owners.payload[task]);
    }
    hs_measure_largest(measure, bucket->largest);
    hs_timeline_commit(&measure->timeline, column);
}

void hs_measure_close_all(hs_measure_t *measure, const hs_event_t *events, uint64_t first,
                          uint64_t count)
{
    if (count == 0 || !measure->any_short) {
        return;
    }
    hs_measure_close(measure, first, events->time);
    for (uint32_t n = 0; n < measure->need_count; n++) {
        hs_headroom_t *need = &measure->needs[n];
        if (need->is_short) {
            need->row.last_event = first + count - 1;
            need->row.short_events += count - 1;
        }
    }
}

void hs_measure_finish(hs_measure_t *measure)
{
    if (measure->timeline.fill != 0) {
        hs_measure_end_bucket(measure);
    }
}

void hs_measure_mark(hs_measure_t *measure, uint64_t event, uint64_t time, uint32_t name)
{
    const hs_lab_mark_row_t row = {.event = event,
                                   .time = time,
                                   .live = measure->live.now,
                                   .live_peak = measure->live_peak,
                                   .live_blocks = measure->live_blocks,
                                   .failures = measure->failures.seen,
                                   .name = name};
    hs_marks_add(measure, &row);
}
