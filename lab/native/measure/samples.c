#include "measure/samples.h"

#include <stdlib.h>
#include <string.h>

void hs_samples_init(hs_samples_t *samples, uint64_t span)
{
    memset(samples, 0, sizeof *samples);
    samples->span = span == 0 ? 1 : span;
}

void hs_samples_free(hs_samples_t *samples)
{
    free(samples->counters);
    free(samples->touched);
    free(samples->tasks);
    hs_queue_free(&samples->ready);
    memset(samples, 0, sizeof *samples);
}

/* ---- counters ----------------------------------------------------------------------------------- */

static bool grow_counters(hs_samples_t *samples)
{
    const size_t grown = samples->capacity * 2 + 64;
    hs_counter_t *counters = realloc(samples->counters, grown * sizeof *counters);
    if (counters == NULL) {
        return false;
    }
    samples->counters = counters;
    uint32_t *touched = realloc(samples->touched, grown * sizeof *touched);
    if (touched == NULL) {
        return false;
    }
    samples->touched = touched;
    samples->capacity = grown;
    return true;
}

uint32_t hs_samples_add(hs_samples_t *samples, uint32_t kind, uint32_t index, uint64_t value)
{
    if (samples->count == samples->capacity && !grow_counters(samples)) {
        return UINT32_MAX;
    }
    hs_counter_t *counter = &samples->counters[samples->count];
    memset(counter, 0, sizeof *counter);
    counter->kind = kind;
    counter->index = index;
    counter->now = value;
    return (uint32_t)samples->count++;
}

static bool reserve_task(hs_samples_t *samples, uint32_t task)
{
    if (task < samples->tasks_size) {
        return true;
    }
    const size_t grown = (size_t)task * 2 + 64;
    uint32_t *moved = realloc(samples->tasks, grown * sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    memset(moved + samples->tasks_size, 0, (grown - samples->tasks_size) * sizeof *moved);
    samples->tasks = moved;
    samples->tasks_size = grown;
    return true;
}

uint32_t hs_samples_task(hs_samples_t *samples, uint32_t task)
{
    if (!reserve_task(samples, task)) {
        return UINT32_MAX;
    }
    if (samples->tasks[task] == 0) {
        uint32_t counter = (uint32_t)samples->count - 1; /* the one of all others is the last */
        if (samples->task_count < HS_LAB_TASKS_MAX) {
            const bool others = ++samples->task_count == HS_LAB_TASKS_MAX;
            counter = hs_samples_add(samples, HS_LAB_SAMPLE_TASK, others ? UINT32_MAX : task, 0);
            if (counter == UINT32_MAX) {
                return UINT32_MAX;
            }
        }
        samples->tasks[task] = counter + 1;
    }
    return samples->tasks[task] - 1;
}

/* ---- samples ------------------------------------------------------------------------------------ */

static void give(hs_samples_t *samples, const hs_lab_sample_t *sample)
{
    *(hs_lab_sample_t *)hs_queue_add(&samples->ready, sizeof *sample) = *sample;
}

/* Its samples of this span, each event once, in order. */
static void give_counter(hs_samples_t *samples, const hs_counter_t *counter)
{
    const bool least_first = counter->least.event < counter->most.event;
    const hs_lab_sample_t *first = least_first ? &counter->least : &counter->most;
    const hs_lab_sample_t *second = least_first ? &counter->most : &counter->least;
    if (first->event != second->event) {
        give(samples, first);
    }
    if (second->event != counter->last.event) {
        give(samples, second);
    }
    give(samples, &counter->last);
}

bool hs_samples_end(hs_samples_t *samples)
{
    const size_t most = samples->touched_count * 3;
    if (hs_queue_reserve(&samples->ready, most * sizeof(hs_lab_sample_t)) != HS_OK) {
        return false;
    }
    for (size_t i = 0; i < samples->touched_count; i++) {
        hs_counter_t *counter = &samples->counters[samples->touched[i]];
        give_counter(samples, counter);
        counter->changed = false;
    }
    samples->touched_count = 0;
    return true;
}

bool hs_samples_begin(hs_samples_t *samples, uint64_t event)
{
    if (event < samples->end) {
        return true;
    }
    samples->end = event - event % samples->span + samples->span;
    return hs_samples_end(samples);
}

void hs_samples_set(hs_samples_t *samples, uint32_t number, uint64_t value, uint64_t event,
                    uint64_t time, bool force)
{
    hs_counter_t *counter = &samples->counters[number];
    if (value == counter->now && !force) {
        return;
    }
    const hs_lab_sample_t sample = {event, time, value, counter->kind, counter->index};
    counter->now = value;
    counter->last = sample;
    if (!counter->changed) {
        counter->changed = true;
        counter->least = counter->most = sample;
        samples->touched[samples->touched_count++] = number;
    }
    if (value < counter->least.value) {
        counter->least = sample;
    }
    if (value > counter->most.value) {
        counter->most = sample;
    }
}

size_t hs_samples_take(hs_samples_t *samples, hs_lab_sample_t *out, size_t capacity)
{
    return hs_queue_take(&samples->ready, out, sizeof *out, capacity);
}
