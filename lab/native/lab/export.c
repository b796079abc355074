/* The data of an export: a row an event, who allocated what, and counters over time. */
#include "lab/export.h"

#include <stdlib.h>
#include <string.h>

#include "lab/reader.h"

void hs_export_free(hs_export_t *export)
{
    if (export != NULL) {
        hs_follow_free(&export->follow);
        hs_trail_free(&export->trail);
        hs_profile_free(&export->profile);
        hs_samples_free(&export->samples);
        hs_history_free(&export->history);
        hs_queue_free(&export->rows);
        free(export);
    }
}

int hs_lab_reader_export(hs_lab_reader_t *reader, uint32_t what, uint64_t span)
{
    if (reader->export != NULL || reader->replay.begun) {
        return (int)HS_ERR_ARGUMENT;
    }
    hs_export_t *export = calloc(1, sizeof *export);
    if (export == NULL) {
        return (int)HS_ERR_MEMORY;
    }
    export->what = what;
    hs_follow_init(&export->follow);
    hs_profile_init(&export->profile);
    hs_samples_init(&export->samples, span);
    reader->export = export;
    return (int)HS_OK;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static void add_row(hs_export_t *export, const hs_replay_t *replay, const hs_event_t *event,
                    const hs_step_t *step)
{
    const bool recorded = event->kind == HS_EVENT_FAILED;
    const bool aligned =
        recorded ? event->new_key == HS_EVENT_ALIGNED : event->kind == HS_EVENT_ALIGNED;
    const bool keyed = !recorded || event->new_key == HS_EVENT_REALLOC;
    const hs_held_t *at = step->begun.live ? &step->begun : &step->ended;
    const bool placed = !replay->census_only && at->live;
    hs_lab_export_row_t *row = hs_queue_add(&export->rows, sizeof *row);
    memset(row, 0, sizeof *row);
    row->event = step->number;
    row->time = event->time;
    row->block = keyed ? event->key : UINT64_MAX;
    row->new_block = event->kind == HS_EVENT_REALLOC ? event->new_key : row->block;
    row->size = event->size;
    row->freed =
        (step->ended.live ? step->ended.size : 0) + (step->dropped.live ? step->dropped.size : 0);
    row->live = export->live_now;
    row->task = event->task;
    row->site = event->site;
    row->caps = event->caps;
    row->align = aligned ? UINT32_C(1) << (event->align_log2 & 31u) : 0;
    row->region = placed ? at->region : UINT32_MAX;
    row->offset = placed ? at->offset : UINT32_MAX;
    row->address = placed ? replay->chip.region[at->region].start + at->offset : UINT32_MAX;
    row->heap = event->heap;
    row->call = (uint8_t)(recorded ? event->new_key : event->kind);
    row->outcome = (uint8_t)step->outcome;
}

static bool wants_row(const hs_export_t *export, const hs_step_t *step)
{
    const bool failed =
        step->outcome == HS_LAB_OUTCOME_FAILED || step->outcome == HS_LAB_OUTCOME_RECORDED;
    return (export->what & HS_LAB_EXPORT_ROWS) ||
           (failed && (export->what & HS_LAB_EXPORT_FAILURES));
}

/* ---- counters ----------------------------------------------------------------------------------- */

static uint32_t region_free(const hs_replay_t *replay, uint32_t region)
{
    const hs_sim_t *heap = replay->chip.region[region].heap;
    return heap == NULL ? 0 : heap->tally.free;
}

/* The counters as things stand before the first event, each with a sample. */
static bool begin_counters(hs_export_t *export, const hs_replay_t *replay, uint64_t event,
                           uint64_t time)
{
    hs_samples_t *samples = &export->samples;
    export->live = hs_samples_add(samples, HS_LAB_SAMPLE_LIVE, 0, 0);
    export->failures = hs_samples_add(samples, HS_LAB_SAMPLE_FAILURES, 0, 0);
    const uint32_t largest = replay->measure.largest.now;
    export->largest = hs_samples_add(samples, HS_LAB_SAMPLE_LARGEST, 0, largest);
    export->region = (uint32_t)samples->count;
    for (uint32_t i = 0; i < replay->chip.count; i++) {
        hs_samples_add(samples, HS_LAB_SAMPLE_REGION, i, region_free(replay, i));
    }
    if (samples->count != export->region + replay->chip.count ||
        !hs_samples_begin(samples, event)) {
        return false;
    }
    for (uint32_t i = 0; i < samples->count; i++) {
        if (!replay->census_only || i <= export->failures) {
            hs_samples_set(samples, i, samples->counters[i].now, event, time, true);
        }
    }
    return hs_samples_end(samples); /* the first event's own are others */
}

/* Adds to the task's bytes; a sample only once the event is over, so in `set`. */
static bool add_bytes(hs_samples_t *samples, const hs_held_t *block, bool gained,
                      uint32_t counter[3], uint64_t value[3], size_t *used)
{
    if (!block->live) {
        return true;
    }
    const uint32_t number = hs_samples_task(samples, block->task);
    if (number == UINT32_MAX) {
        return false;
    }
    size_t i = 0;
    while (i < *used && counter[i] != number) {
        i++;
    }
    if (i == *used) {
        counter[(*used)++] = number;
        value[i] = samples->counters[number].now;
    }
    value[i] = gained ? value[i] + block->size : value[i] - block->size;
    return true;
}

static bool sample(hs_export_t *export, const hs_replay_t *replay, const hs_event_t *event,
                   const hs_step_t *step)
{
    hs_samples_t *samples = &export->samples;
    uint32_t counter[3];
    uint64_t value[3];
    size_t used = 0;
    if (!hs_samples_begin(samples, step->number) ||
        !add_bytes(samples, &step->ended, false, counter, value, &used) ||
        !add_bytes(samples, &step->dropped, false, counter, value, &used) ||
        !add_bytes(samples, &step->begun, true, counter, value, &used)) {
        return false;
    }
    for (size_t i = 0; i < used; i++) {
        hs_samples_set(samples, counter[i], value[i], step->number, event->time, false);
    }
    hs_samples_set(samples, export->live, export->live_now, step->number, event->time, false);
    hs_samples_set(samples, export->failures, export->failed, step->number, event->time, false);
    if (replay->census_only) {
        return true;
    }
    const uint32_t largest = replay->measure.largest.now;
    hs_samples_set(samples, export->largest, largest, step->number, event->time, false);
    for (uint32_t i = 0; i < replay->chip.count; i++) {
        const uint32_t free_bytes = region_free(replay, i);
        hs_samples_set(samples, export->region + i, free_bytes, step->number, event->time, false);
    }
    return true;
}

/* ---- lives -------------------------------------------------------------------------------------- */

static bool live_on(hs_export_t *export, const hs_replay_t *replay, const hs_event_t *event,
                    uint64_t number, const hs_did_t *did)
{
    const bool placed = did->begins && did->region < replay->chip.count;
    const hs_history_event_t of = {
        .number = number,
        .time = event->time,
        .asked = event->size,
        .address = placed ? replay->chip.region[did->region].start + did->offset : 0,
        .task = event->task,
        .site = event->site};
    return hs_history_step(&export->history, &of, did) == HS_OK;
}

static uint32_t serial_of(const hs_held_t *block)
{
    return block->live ? (uint32_t)block->serial + 1 : 0;
}

static hs_did_t did_of(const hs_step_t *step)
{
    hs_did_t did = {.ended = {serial_of(&step->ended), serial_of(&step->dropped)},
                    .begins = step->begun.live,
                    .failed = step->outcome == HS_LAB_OUTCOME_FAILED};
    if (did.begins) {
        did.region = step->begun.region;
        did.offset = step->begun.offset;
        did.size = (uint32_t)step->begun.size;
    }
    return did;
}

/* A census has no heaps to note of. */
static bool wants_lives_alone(const hs_export_t *export, const hs_replay_t *replay)
{
    return export->what == HS_LAB_EXPORT_HISTORY && !replay->census_only;
}

/* The replay runs at its own pace and notes what it does. */
static hs_status_t keep_lives(hs_export_t *export, hs_replay_t *replay, uint64_t first,
                              const hs_event_t *events, size_t count)
{
    hs_trail_t *trail = &export->trail;
    if (!hs_trail_batch(trail, &replay->blocks, first, count)) {
        return HS_ERR_MEMORY;
    }
    replay->trail = trail;
    const hs_status_t status = hs_replay_events(replay, first, events, count);
    replay->trail = NULL;
    uint64_t number = first;
    bool ok = status == HS_OK;
    for (size_t i = 0; i < count && ok; i++) {
        if (HS_EVENT_IS_HEAP(events[i].kind) && (replay->priming || number < replay->expected)) {
            ok = live_on(export, replay, &events[i], number, hs_trail_at(trail, number));
            number += !replay->priming; /* blocks of the beginning have the number 0 */
        }
    }
    return ok ? HS_OK : HS_ERR_MEMORY;
}

/* ---- events ------------------------------------------------------------------------------------- */

static bool look(hs_export_t *export, const hs_replay_t *replay, const hs_event_t *event,
                 const hs_step_t *step)
{
    export->live_now -= step->ended.live ? step->ended.size : 0;
    export->live_now -= step->dropped.live ? step->dropped.size : 0;
    export->live_now += step->begun.live ? step->begun.size : 0;
    export->failed += replay->census_only ? step->outcome == HS_LAB_OUTCOME_RECORDED
                                          : step->outcome == HS_LAB_OUTCOME_FAILED;
    if (wants_row(export, step)) {
        if (hs_queue_reserve(&export->rows, sizeof(hs_lab_export_row_t)) != HS_OK) {
            return false;
        }
        add_row(export, replay, event, step);
    }
    if (export->what & HS_LAB_EXPORT_HISTORY) {
        const hs_did_t did = did_of(step);
        if (!live_on(export, replay, event, step->number, &did)) {
            return false;
        }
    }
    if ((export->what & HS_LAB_EXPORT_PROFILE) && !hs_profile_step(&export->profile, event, step)) {
        return false;
    }
    return !(export->what & HS_LAB_EXPORT_SAMPLES) || sample(export, replay, event, step);
}

hs_status_t hs_export_events(hs_export_t *export, hs_replay_t *replay, uint64_t first,
                             const hs_event_t *events, size_t count)
{
    hs_status_t status = HS_OK;
    if (wants_lives_alone(export, replay)) {
        const size_t step = replay->priming ? 1 : count;
        for (size_t i = 0; i < count && status == HS_OK; i += step) {
            status = keep_lives(export, replay, first, events + i, step);
        }
        return status;
    }
    export->next = first;
    if (!export->begun && count != 0) {
        export->begun = true;
        if ((export->what & HS_LAB_EXPORT_SAMPLES) &&
            !begin_counters(export, replay, first, events[0].time)) {
            return HS_ERR_MEMORY;
        }
    }
    hs_replay_batch(replay, first, events, count);
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        export->time = events[i].time;
        if (!HS_EVENT_IS_HEAP(events[i].kind)) {
            uint64_t next = export->next;
            status = hs_replay_one(replay, &events[i], &next);
            continue;
        }
        hs_step_t step;
        const uint64_t number = export->next;
        export->next += !replay->priming; /* blocks of the beginning have the number 0 */
        status = hs_follow_event(&export->follow, replay, &events[i], number, &step);
        if (status == HS_OK && !look(export, replay, &events[i], &step)) {
            status = HS_ERR_MEMORY;
        }
    }
    hs_replay_batch_end(replay, export->next);
    return status;
}

hs_status_t hs_export_finish(hs_export_t *export, const hs_replay_t *replay)
{
    if (wants_lives_alone(export, replay)) {
        return HS_OK;
    }
    const bool ok = hs_samples_end(&export->samples) &&
                    hs_profile_end(&export->profile, export->follow.held, &replay->blocks,
                                   export->next, export->time);
    return ok ? HS_OK : HS_ERR_MEMORY;
}

/* ---- what there is ------------------------------------------------------------------------------ */

size_t hs_lab_export_rows(hs_lab_reader_t *reader, hs_lab_export_row_t *rows, size_t capacity)
{
    hs_export_t *export = reader->export;
    return export == NULL ? 0 : hs_queue_take(&export->rows, rows, sizeof *rows, capacity);
}

size_t hs_lab_export_samples(hs_lab_reader_t *reader, hs_lab_sample_t *rows, size_t capacity)
{
    return reader->export == NULL ? 0 : hs_samples_take(&reader->export->samples, rows, capacity);
}

size_t hs_lab_export_profile(const hs_lab_reader_t *reader, hs_lab_profile_row_t *rows,
                             size_t capacity)
{
    return reader->export == NULL ? 0 : hs_profile_rows(&reader->export->profile, rows, capacity);
}

void hs_lab_export_peak(const hs_lab_reader_t *reader, hs_lab_profile_t *out)
{
    memset(out, 0, sizeof *out);
    if (reader->export != NULL) {
        *out = reader->export->profile.peak;
        out->end_event = reader->export->next;
        out->end_time = reader->export->time;
    }
}
