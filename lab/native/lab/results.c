/* The figures of a replay, row by row. */
#include <string.h>

#include "lab/reader.h"

/* Copies up to `capacity` of `count` rows. */
static size_t copy_rows(void *out, size_t capacity, const void *rows, size_t count, size_t size)
{
    const size_t copied = count < capacity ? count : capacity;
    if (copied != 0) {
        memcpy(out, rows, copied * size);
    }
    return count;
}

void hs_lab_summary(const hs_lab_reader_t *reader, hs_lab_summary_t *out)
{
    hs_replay_summary(&reader->replay, out);
}

size_t hs_lab_regions(const hs_lab_reader_t *reader, hs_lab_region_row_t *rows, size_t capacity)
{
    const uint32_t count = reader->replay.chip.count;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        hs_measure_region_row(&reader->replay.measure, i, &rows[i]);
    }
    return count;
}

size_t hs_lab_tasks(const hs_lab_reader_t *reader, hs_lab_task_row_t *rows, size_t capacity)
{
    return hs_ledger_rows(&reader->replay.measure.owners, rows, capacity);
}

size_t hs_lab_capsets(const hs_lab_reader_t *reader, hs_lab_set_row_t *rows, size_t capacity)
{
    const hs_measure_t *measure = &reader->replay.measure;
    for (uint32_t i = 0; i < measure->capsets && i < capacity; i++) {
        hs_measure_capset_row(measure, i, &rows[i]);
    }
    return measure->capsets;
}

size_t hs_lab_kinds(const hs_lab_reader_t *reader, hs_lab_set_row_t *rows, size_t capacity)
{
    const hs_measure_t *measure = &reader->replay.measure;
    for (uint32_t i = 0; i < measure->kinds && i < capacity; i++) {
        hs_measure_kind_row(measure, i, &rows[i]);
    }
    return measure->kinds;
}

size_t hs_lab_needs(const hs_lab_reader_t *reader, hs_lab_need_row_t *rows, size_t capacity)
{
    const hs_measure_t *measure = &reader->replay.measure;
    for (uint32_t i = 0; i < measure->need_count && i < capacity; i++) {
        rows[i] = measure->needs[i].row;
    }
    return measure->need_count;
}

size_t hs_lab_failures(const hs_lab_reader_t *reader, hs_lab_failure_row_t *rows, size_t capacity)
{
    const hs_failures_t *failures = &reader->replay.measure.failures;
    return copy_rows(rows, capacity, failures->rows, failures->kept, sizeof *rows);
}

size_t hs_lab_failure_regions(const hs_lab_reader_t *reader, size_t failure,
                              hs_lab_failure_region_t *rows, size_t capacity)
{
    const hs_failures_t *failures = &reader->replay.measure.failures;
    if (failure >= failures->kept) {
        return 0;
    }
    return copy_rows(rows, capacity, &failures->regions[failure * failures->region_count],
                     failures->region_count, sizeof *rows);
}

size_t hs_lab_failure_spans(const hs_lab_reader_t *reader, hs_lab_failure_span_t *rows,
                            size_t capacity)
{
    const hs_replay_t *replay = &reader->replay;
    return hs_failures_spans(&replay->measure.failures, replay->expected, rows, capacity);
}

size_t hs_lab_rules(const hs_lab_reader_t *reader, hs_lab_rule_row_t *rows, size_t capacity)
{
    const hs_placement_t *placement = &reader->replay.placement;
    const size_t count = placement->count == 0 ? 0 : placement->count + (size_t)1;
    return copy_rows(rows, capacity, placement->row, count, sizeof *rows);
}

size_t hs_lab_anomalies(const hs_lab_reader_t *reader, hs_lab_anomaly_row_t *rows, size_t capacity)
{
    return copy_rows(rows, capacity, reader->replay.anomalies, reader->replay.anomalies_kept,
                     sizeof *rows);
}

size_t hs_lab_marks(const hs_lab_reader_t *reader, hs_lab_mark_row_t *rows, size_t capacity)
{
    const hs_measure_t *measure = &reader->replay.measure;
    for (uint32_t i = 0; i < measure->marks_kept && i < capacity; i++) {
        rows[i] = measure->marks[i].row;
    }
    return measure->marks_kept;
}

uint64_t hs_lab_marks_seen(const hs_lab_reader_t *reader)
{
    return reader->replay.measure.marks_seen;
}

/* NULL: no such mark. */
static const hs_mark_t *mark_at(const hs_lab_reader_t *reader, size_t mark)
{
    const hs_measure_t *measure = &reader->replay.measure;
    return mark < measure->marks_kept ? &measure->marks[mark] : NULL;
}

size_t hs_lab_mark_regions(const hs_lab_reader_t *reader, size_t mark, hs_lab_region_row_t *rows,
                           size_t capacity)
{
    const hs_mark_t *at = mark_at(reader, mark);
    return at == NULL
               ? 0
               : copy_rows(rows, capacity, at->regions, reader->replay.chip.count, sizeof *rows);
}

size_t hs_lab_mark_tasks(const hs_lab_reader_t *reader, size_t mark, hs_lab_task_row_t *rows,
                         size_t capacity)
{
    const hs_mark_t *at = mark_at(reader, mark);
    return at == NULL ? 0 : copy_rows(rows, capacity, at->tasks, at->row.task_rows, sizeof *rows);
}

size_t hs_lab_mark_capsets(const hs_lab_reader_t *reader, size_t mark, hs_lab_set_row_t *rows,
                           size_t capacity)
{
    const hs_mark_t *at = mark_at(reader, mark);
    return at == NULL ? 0
                      : copy_rows(rows, capacity, at->capsets, reader->replay.measure.capsets,
                                  sizeof *rows);
}

void hs_lab_timeline(const hs_lab_reader_t *reader, hs_lab_timeline_t *out)
{
    const hs_measure_t *measure = &reader->replay.measure;
    memset(out, 0, sizeof *out);
    out->width = measure->timeline.width;
    out->buckets = measure->timeline.used;
    out->regions = reader->replay.chip.count;
    if (measure->chip != NULL) {
        out->tasks = hs_measure_timeline_tasks(measure);
        out->series = 2 + out->regions + out->tasks;
    }
}

uint32_t hs_lab_timeline_task(const hs_lab_reader_t *reader, uint32_t position)
{
    hs_lab_timeline_t timeline;
    hs_lab_timeline(reader, &timeline);
    return position < timeline.tasks ? hs_ledger_task(&reader->replay.measure.owners, position)
                                     : UINT32_MAX;
}

void hs_lab_timeline_values(const hs_lab_reader_t *reader, uint32_t *least, uint32_t *most,
                            uint64_t *first_time)
{
    hs_lab_timeline_t timeline;
    hs_lab_timeline(reader, &timeline);
    for (uint32_t i = 0; i < timeline.buckets; i++) {
        const hs_bucket_t *bucket = &reader->replay.measure.timeline.buckets[i];
        const size_t to = (size_t)i * timeline.series;
        memcpy(&least[to], bucket->least, timeline.series * sizeof *least);
        memcpy(&most[to], bucket->most, timeline.series * sizeof *most);
        first_time[i] = bucket->first_time;
    }
}

void hs_lab_timeline_largest(const hs_lab_reader_t *reader, uint32_t *values)
{
    const hs_timeline_t *timeline = &reader->replay.measure.timeline;
    for (uint32_t i = 0; i < timeline->used; i++) {
        memcpy(&values[(size_t)i * 3], timeline->buckets[i].largest,
               sizeof timeline->buckets[i].largest);
    }
}

void hs_lab_reader_interval(const hs_lab_reader_t *reader, hs_lab_interval_t *out)
{
    *out = reader->replay.watch.interval;
}

size_t hs_lab_holders(const hs_lab_reader_t *reader, hs_lab_holder_row_t *rows, size_t capacity)
{
    return hs_watch_holders(&reader->replay.watch, rows, capacity);
}

size_t hs_lab_lives(const hs_lab_reader_t *reader, hs_lab_life_row_t *rows, size_t capacity)
{
    const hs_lives_t *lives = &reader->replay.watch.lives;
    return copy_rows(rows, capacity, lives->rows, lives->count, sizeof *rows);
}

size_t hs_lab_live(const hs_lab_reader_t *reader, hs_lab_live_row_t *rows, size_t capacity)
{
    return reader->replay.census_only ? hs_watch_live(&reader->replay.blocks, rows, capacity) : 0;
}

void hs_lab_explain(const hs_lab_reader_t *reader, hs_lab_explanation_t *out)
{
    *out = reader->replay.explain.event;
    out->event = reader->replay.explained;
}

size_t hs_lab_explain_regions(const hs_lab_reader_t *reader, hs_lab_explanation_region_t *rows,
                              size_t capacity)
{
    return copy_rows(rows, capacity, reader->replay.explain.region, reader->replay.chip.count,
                     sizeof *rows);
}
