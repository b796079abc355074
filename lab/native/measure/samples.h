/*
 * Counters over time, for viewers that draw them: a sample where a value changed. In long traces a
 * span of events gives at most three samples of a counter, its least, its most and its last value,
 * each at its own moment, so that no extreme is lost.
 */
#ifndef HEAPSCOPE_NATIVE_SAMPLES_H
#define HEAPSCOPE_NATIVE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "queue/queue.h"
#include "rows/export.h"
#include "rows/replay.h"

typedef struct hs_counter {
    uint32_t kind, index;
    uint64_t now;
    bool changed; /* in this span: the three below hold */
    hs_lab_sample_t least, most, last;
} hs_counter_t;

typedef struct hs_samples {
    uint64_t span; /* events; 1: every change is kept */
    uint64_t end;  /* of this span: the first event beyond it */
    hs_counter_t *counters;
    size_t count, capacity;
    uint32_t *touched; /* counters that changed in this span */
    size_t touched_count;
    uint32_t *tasks; /* task index -> its counter + 1 */
    size_t tasks_size;
    uint32_t task_count;
    hs_queue_t ready; /* hs_lab_sample_t, to be taken */
} hs_samples_t;

void hs_samples_init(hs_samples_t *samples, uint64_t span);
void hs_samples_free(hs_samples_t *samples);
/* Adds a counter with a value; returns its number, or UINT32_MAX without host memory. */
uint32_t hs_samples_add(hs_samples_t *samples, uint32_t kind, uint32_t index, uint64_t value);
/* The counter of a task, from 0; beyond HS_LAB_TASKS_MAX all share one. UINT32_MAX as above. */
uint32_t hs_samples_task(hs_samples_t *samples, uint32_t task);
/* Before the values of a heap event: ends the span that it is not in. false: no host memory. */
bool hs_samples_begin(hs_samples_t *samples, uint64_t event);
/* `force`: a sample even of a value that is as it was. */
void hs_samples_set(hs_samples_t *samples, uint32_t counter, uint64_t value, uint64_t event,
                    uint64_t time, bool force);
bool hs_samples_end(hs_samples_t *samples); /* the last span is over */
size_t hs_samples_take(hs_samples_t *samples, hs_lab_sample_t *out, size_t capacity);

#endif
