#include "lab/recording.h"

#include <stdlib.h>
#include <string.h>

#include "lab/fact.h"
#include "lab/reader.h"

void hs_recording_free(hs_recording_t *recording)
{
    hs_state_delete(recording->state);
    free(recording->levels);
    recording->state = NULL;
    recording->levels = NULL;
}

/* The state of a trace without addresses is never known, and is not asked for. */
static hs_status_t decide(hs_recording_t *recording, const hs_decoder_t *decoder)
{
    recording->decided = true;
    recording->sums.of_chip = hs_fact_is_of_chip(decoder);
    if (recording->sums.of_chip == 0) {
        return HS_OK;
    }
    recording->state = hs_state_new(!hs_fact_begins_unknown(decoder));
    recording->levels = calloc(HS_LAB_LEVELS_MAX, sizeof *recording->levels);
    return recording->state != NULL && recording->levels != NULL ? HS_OK : HS_ERR_MEMORY;
}

/* Hostile numbers stay at the largest one. */
static void add(uint64_t *sum, uint64_t number)
{
    *sum = number > UINT64_MAX - *sum ? UINT64_MAX : *sum + number;
}

static uint64_t product(uint64_t one, uint64_t other)
{
    return other != 0 && one > UINT64_MAX / other ? UINT64_MAX : one * other;
}

static void level_take(hs_recording_t *recording, const hs_event_t *event, uint64_t number)
{
    if (recording->sums.levels < HS_LAB_LEVELS_MAX) {
        recording->levels[recording->sums.levels] =
            (hs_lab_level_row_t){.event = number,
                                 .time = event->time,
                                 .least = event->size,
                                 .most = event->new_key,
                                 .level = (uint32_t)event->key,
                                 .reason = event->heap,
                                 .sampling = event->align_log2,
                                 .caps = event->caps,
                                 .task = event->site};
        recording->sums.levels++;
    }
}

static void lost_take(hs_recording_t *recording, const hs_event_t *event)
{
    uint32_t events, bytes;
    if (!hs_lost_kinds_take(&recording->kinds, event, &events, &bytes)) {
        return;
    }
    if (event->key == HS_LOST_LEFT_OUT) {
        add(&recording->sums.left_out, events);
    } else if (event->key < HS_LAB_DROPPED_KINDS) {
        add(&recording->dropped[event->key].events, events);
        add(&recording->dropped[event->key].bytes, bytes);
    }
}

static void take(hs_recording_t *recording, const hs_event_t *event, uint64_t number)
{
    hs_lab_recording_t *sums = &recording->sums;
    switch (event->kind) {
    case HS_EVENT_LOST:
        sums->losses += event->size != 0;
        return;
    case HS_EVENT_LOST_KIND:
        lost_take(recording, event);
        return;
    case HS_EVENT_TASK_ON:
        sums->cores = event->new_key >= sums->cores ? (uint32_t)event->new_key + 1u : sums->cores;
        sums->handlers += event->size != 0;
        return;
    case HS_EVENT_LEVEL:
        level_take(recording, event, number);
        return;
    case HS_EVENT_PAIRS:
        add(&sums->pairs, event->key);
        add(&sums->pair_bytes, product(event->key, event->size));
        return;
    default:
        return;
    }
}

hs_status_t hs_recording_events(hs_recording_t *recording, const hs_decoder_t *decoder,
                                uint64_t first, const hs_event_t *events, size_t count)
{
    hs_status_t status = recording->decided ? HS_OK : decide(recording, decoder);
    if (status != HS_OK || recording->state == NULL) {
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        take(recording, &events[i], first);
        first += HS_EVENT_IS_HEAP(events[i].kind);
    }
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    hs_state_shift(recording->state, hs_decoder_shift(decoder));
    return hs_state_events(recording->state, health.gaps, events, count);
}

/* ---- the interface ---- */

void hs_lab_recording(const hs_lab_reader_t *reader, hs_lab_recording_t *out)
{
    *out = reader->recording.sums;
    if (reader->recording.state != NULL) {
        hs_state_figures_t figures;
        hs_state_figures(reader->recording.state, &figures);
        out->snapshots = figures.snapshots;
        out->voids = figures.voids;
        out->corrections = figures.corrections;
        out->known = figures.known;
    }
    out->begun_late = reader->start.primed || reader->start.waiting;
    out->before = reader->before.sums.events;
    out->start_blocks = reader->start_blocks;
    out->start_bytes = reader->start_bytes;
}

size_t hs_lab_dropped(const hs_lab_reader_t *reader, hs_lab_dropped_row_t *rows, size_t capacity)
{
    for (size_t i = 0; i < HS_LAB_DROPPED_KINDS && i < capacity; i++) {
        rows[i] = reader->recording.dropped[i];
    }
    return HS_LAB_DROPPED_KINDS;
}

size_t hs_lab_levels(const hs_lab_reader_t *reader, hs_lab_level_row_t *rows, size_t capacity)
{
    const size_t count = reader->recording.sums.levels;
    for (size_t i = 0; i < count && i < capacity; i++) {
        rows[i] = reader->recording.levels[i];
    }
    return count;
}
