/* Rounds of a stretch of a trace that are played behind it, for the binding. */
#include <stdlib.h>

#include "jitter/cycle.h"
#include "lab/reader.h"

struct hs_lab_cycle {
    hs_cycle_t cycle;
};

hs_lab_cycle_t *hs_lab_cycle_new(uint64_t first, uint64_t stop, int *status)
{
    hs_lab_cycle_t *cycle = malloc(sizeof *cycle);
    *status = cycle == NULL ? (int)HS_ERR_MEMORY : (int)hs_cycle_init(&cycle->cycle, first, stop);
    if (*status != (int)HS_OK) {
        free(cycle);
        return NULL;
    }
    return cycle;
}

void hs_lab_cycle_delete(hs_lab_cycle_t *cycle)
{
    if (cycle != NULL) {
        hs_cycle_free(&cycle->cycle);
        free(cycle);
    }
}

int hs_lab_cycle_close(hs_lab_cycle_t *cycle)
{
    return (int)hs_cycle_close(&cycle->cycle);
}

void hs_lab_cycle_level(hs_lab_cycle_t *cycle, uint32_t task, uint32_t site, uint64_t round)
{
    hs_cycle_level(&cycle->cycle, task, site, round);
}

size_t hs_lab_cycle_growth(const hs_lab_cycle_t *cycle, hs_lab_growth_row_t *rows, size_t capacity)
{
    return hs_cycle_growth(&cycle->cycle, rows, capacity);
}

size_t hs_lab_cycle_births(const hs_lab_cycle_t *cycle, hs_lab_growth_row_t *rows, size_t capacity)
{
    return hs_cycle_births(&cycle->cycle, rows, capacity);
}

int hs_lab_reader_look_for_cycle(hs_lab_reader_t *reader, uint64_t events)
{
    if (!reader->replay.census_only || reader->replay.begun || reader->back != NULL) {
        return (int)HS_ERR_ARGUMENT;
    }
    reader->back = malloc(sizeof *reader->back);
    return reader->back == NULL ? (int)HS_ERR_MEMORY : (int)hs_return_init(reader->back, events);
}

int hs_lab_reader_cycle(const hs_lab_reader_t *reader, uint64_t stretch[2])
{
    return reader->back != NULL &&
           hs_return_find(reader->back, HS_CYCLE_EVENTS_MAX, &stretch[0], &stretch[1]);
}

int hs_lab_reader_learn_cycle(hs_lab_reader_t *reader, hs_lab_cycle_t *cycle)
{
    if (!reader->replay.census_only || reader->replay.begun || reader->jitter != NULL) {
        return (int)HS_ERR_ARGUMENT;
    }
    reader->cycle = &cycle->cycle;
    return (int)HS_OK;
}

int hs_lab_reader_repeat(hs_lab_reader_t *reader, const hs_lab_cycle_t *cycle)
{
    if (reader->replay.census_only || reader->replay.begun || reader->jitter == NULL ||
        reader->rounds != NULL) {
        return (int)HS_ERR_ARGUMENT;
    }
    hs_rounds_t *rounds = malloc(sizeof *rounds);
    if (rounds == NULL || hs_rounds_init(rounds, &cycle->cycle) != HS_OK) {
        free(rounds);
        return (int)HS_ERR_MEMORY;
    }
    reader->rounds = rounds;
    hs_jitter_goes_on(reader->jitter);
    return (int)HS_OK;
}

static hs_status_t to_jitter(void *jitter, const hs_event_t *events, size_t count)
{
    return hs_jitter_events(jitter, events, count);
}

/* The first need that was short after each of `events` events, and `before` is what it was short then. */
static int32_t short_need(const hs_measure_t *measure, const uint64_t *before, uint64_t events)
{
    for (uint32_t i = 0; i < measure->need_count; i++) {
        if (events != 0 && measure->needs[i].row.short_events - before[i] >= events) {
            return (int32_t)i;
        }
    }
    return -1;
}

int hs_lab_reader_rounds(hs_lab_reader_t *reader, uint64_t most, hs_lab_rounds_t *out)
{
    hs_replay_t *const replay = &reader->replay;
    hs_status_t status = reader->rounds == NULL ? HS_ERR_ARGUMENT : HS_OK;
    *out = (hs_lab_rounds_t){.need = -1};
    if (status == HS_OK) {
        hs_jitter_changes(reader->jitter);
    }
    for (uint64_t i = 0; i < most && status == HS_OK && !out->failed && out->need < 0; i++) {
        uint64_t before[HS_LAB_NEEDS_MAX];
        const uint64_t events = reader->jitter->given, failures = replay->measure.failures.seen;
        for (uint32_t need = 0; need < replay->measure.need_count; need++) {
            before[need] = replay->measure.needs[need].row.short_events;
        }
        status = hs_rounds_play(reader->rounds, to_jitter, reader->jitter);
        if (status == HS_OK) {
            status = hs_jitter_finish(reader->jitter);
        }
        out->failed = replay->measure.failures.seen != failures;
        out->need = short_need(&replay->measure, before, reader->jitter->given - events);
    }
    if (reader->rounds != NULL) {
        out->played = reader->rounds->played;
        out->events = reader->jitter->given;
        out->period = hs_cycle_period(reader->rounds->cycle);
    }
    return (int)status;
}
