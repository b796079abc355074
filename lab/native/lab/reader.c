/* A trace read to its end: bytes in, through the decoder, into the replay. */
#include "lab/reader.h"

#include <stdlib.h>
#include <string.h>

#include "lab/fact.h"

hs_lab_reader_t *hs_lab_reader_new(const hs_lab_config_t *config, int *status, uint32_t *where)
{
    *status = HS_ERR_MEMORY;
    *where = UINT32_MAX;
    hs_lab_reader_t *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        return NULL;
    }
    *status = (int)hs_replay_init(&reader->replay, config, where);
    reader->decoder = hs_decoder_new();
    if (*status == HS_OK && reader->decoder == NULL) {
        *status = HS_ERR_MEMORY;
    }
    if (*status != HS_OK) {
        hs_lab_reader_delete(reader);
        return NULL;
    }
    return reader;
}

void hs_lab_reader_delete(hs_lab_reader_t *reader)
{
    if (reader != NULL) {
        hs_replay_free(&reader->replay);
        hs_loss_free(&reader->loss);
        hs_loss_free(&reader->before);
        hs_start_free(&reader->start);
        hs_segments_free(&reader->later);
        hs_recording_free(&reader->recording);
        hs_decoder_delete(reader->decoder);
        hs_export_free(reader->export);
        hs_times_delete(reader->times);
        if (reader->jitter != NULL) {
            hs_jitter_free(reader->jitter);
            free(reader->jitter);
        }
        if (reader->back != NULL) {
            hs_return_free(reader->back);
            free(reader->back);
        }
        if (reader->rounds != NULL) {
            hs_rounds_free(reader->rounds);
            free(reader->rounds);
        }
        hs_queue_free(&reader->kept);
        free(reader);
    }
}

_Static_assert(sizeof(hs_lab_event_t) == sizeof(hs_event_t) &&
                   offsetof(hs_lab_event_t, site) == offsetof(hs_event_t, site) &&
                   offsetof(hs_lab_event_t, align_log2) == offsetof(hs_event_t, align_log2),
               "the binding's event is the decoder's");

hs_status_t hs_reader_hand_on(void *context, uint64_t first, const hs_event_t *events, size_t count)
{
    hs_lab_reader_t *reader = context;
    if (reader->times != NULL) {
        if (!reader->replay.priming) {
            hs_times_events(reader->times, first, events, count);
        }
        return HS_OK;
    }
    if (reader->keep && hs_queue_put(&reader->kept, events, count * sizeof *events) != HS_OK) {
        return HS_ERR_MEMORY;
    }
    if (reader->fit != NULL && hs_fit_events(reader->fit, events, count) != HS_OK) {
        return HS_ERR_MEMORY;
    }
    if (reader->export != NULL) {
        return hs_export_events(reader->export, &reader->replay, first, events, count);
    }
    return hs_replay_events(&reader->replay, first, events, count);
}

/* How many of these events come before the heap event `stop`. */
static size_t up_to(uint64_t stop, uint64_t first, const hs_event_t *events, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (first >= stop) {
            return i;
        }
        first += HS_EVENT_IS_HEAP(events[i].kind);
    }
    return count;
}

/* Events before the first loss. The blocks of the beginning are as they were in every run. */
static hs_status_t use_events(hs_lab_reader_t *reader, uint64_t first, const hs_event_t *events,
                              size_t count)
{
    if (reader->back != NULL) {
        const hs_status_t status = hs_return_events(reader->back, events, count);
        if (status != HS_OK) {
            return status;
        }
    }
    if (reader->cycle != NULL) {
        const hs_status_t status = reader->replay.priming
                                       ? hs_cycle_prime(reader->cycle, events, count)
                                       : hs_cycle_learn(reader->cycle, events, count);
        if (status != HS_OK) {
            return status;
        }
    }
    if (reader->jitter != NULL && !reader->replay.priming) {
        reader->replay.by_address = true; /* the blocks of second visitors are in no sequence */
        return hs_jitter_events(reader->jitter, events,
                                reader->rounds == NULL
                                    ? count
                                    : up_to(reader->rounds->cycle->stop, first, events, count));
    }
    const hs_status_t status = reader->shown == NULL || reader->replay.priming
                                   ? HS_OK
                                   : hs_shown_events(reader->shown, events, count);
    return status == HS_OK ? hs_reader_hand_on(reader, first, events, count) : status;
}

/* `plain`: all of them are heap events. */
static uint64_t number_after(uint64_t first, const hs_event_t *events, size_t count, bool plain)
{
    if (plain) {
        return first + count;
    }
    for (size_t i = 0; i < count; i++) {
        first += HS_EVENT_IS_HEAP(events[i].kind);
    }
    return first;
}

/* The blocks of the snapshot, as allocations in front of the next event, which has the number 0 here. */
static hs_status_t begin(hs_lab_reader_t *reader)
{
    hs_start_t *const match = &reader->start;
    hs_status_t status = hs_replay_prime(&reader->replay, match->blocks, match->count);
    if (status == HS_OK && match->count != 0) {
        status = use_events(reader, 0, match->blocks, match->count);
    }
    hs_replay_primed(&reader->replay);
    reader->start_blocks = match->count;
    for (size_t i = 0; i < match->count; i++) {
        reader->start_bytes += match->blocks[i].size;
    }
    hs_start_free(match);
    return status;
}

/* Events before all is known are counted, and no more. */
static hs_status_t start(hs_lab_reader_t *reader, uint64_t *first, const hs_event_t *events,
                         size_t count, size_t *before)
{
    hs_status_t status = hs_start_take(&reader->start, reader->decoder, events, count, before);
    if (status != HS_OK || *before == 0) {
        return status;
    }
    status = hs_loss_take(&reader->before, *first, events, *before, reader->replay.by_address);
    *first = number_after(*first, events, *before, false);
    if (status != HS_OK || !reader->start.primed) {
        return status;
    }
    hs_loss_finish(&reader->before);
    reader->base = *first;
    return begin(reader);
}

/* later segments are counted, where there can be any. */
static hs_status_t later_count(hs_lab_reader_t *reader, const hs_event_t *events, size_t count)
{
    hs_status_t status = HS_OK;
    if (!reader->replay.by_address || !hs_fact_is_of_chip(reader->decoder)) {
        return HS_OK;
    }
    if (reader->later.state == NULL) {
        status = hs_segments_init(&reader->later, false);
    }
    bool begins;
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        status = hs_segments_take(&reader->later, reader->decoder, &events[i], &begins);
    }
    return status;
}

static hs_status_t take_events(void *context, uint64_t first, const hs_event_t *events,
                               size_t count)
{
    hs_lab_reader_t *reader = context;
    /* Feature bits may first be known with the first batch. */
    hs_trace_health_t health;
    hs_decoder_health(reader->decoder, &health);
    reader->replay.by_address = (health.features & HS_TRACE_ADDRESSES) != 0;
    hs_status_t status = HS_OK;
    if (reader->replay.census_only && reader->times == NULL) {
        status = hs_recording_events(&reader->recording, reader->decoder, first, events, count);
    }
    size_t before = 0;
    if (status == HS_OK) {
        status = start(reader, &first, events, count, &before);
    }
    events += before;
    count -= before;
    if (status != HS_OK || count == 0) {
        return status;
    }
    const bool plain = hs_decoder_others(reader->decoder) == 0;
    const bool lost = !reader->start.primed || health.gaps != reader->start.gaps;
    const size_t used =
        hs_loss_split(&reader->loss, lost ? health.lost_at : UINT64_MAX, events, count, plain);
    first -= reader->base;
    status = used == 0 ? HS_OK : use_events(reader, first, events, used);
    first = number_after(first, events, used, plain);
    reader->next = used != 0 ? first : reader->next;
    if (status != HS_OK || used == count) {
        return status;
    }
    status = later_count(reader, events + used, count - used);
    return status != HS_OK ? status
                           : hs_loss_take(&reader->loss, first, events + used, count - used,
                                          reader->replay.by_address);
}

int hs_lab_reader_watch(hs_lab_reader_t *reader, uint64_t first, uint64_t stop,
                        const hs_lab_reader_t *before)
{
    return (int)hs_replay_watch(&reader->replay, first, stop,
                                before == NULL ? NULL : &before->replay);
}

int hs_lab_reader_segment(hs_lab_reader_t *reader, uint64_t segment)
{
    reader->start.segment = segment;
    return (int)(reader->start.decided ? HS_ERR_ARGUMENT : HS_OK);
}

uint64_t hs_lab_reader_segments(const hs_lab_reader_t *reader)
{
    const hs_start_t *start = &reader->start;
    const uint64_t used = start->waiting || start->primed ? start->segments.count : 1;
    return used + reader->later.count;
}

int hs_lab_reader_keep(hs_lab_reader_t *reader)
{
    reader->keep = reader->replay.census_only;
    return (int)(reader->keep ? HS_OK : HS_ERR_ARGUMENT);
}

size_t hs_lab_reader_take(hs_lab_reader_t *reader, hs_lab_event_t *out, size_t capacity)
{
    return hs_queue_take(&reader->kept, out, sizeof *out, capacity);
}

int hs_lab_reader_push(hs_lab_reader_t *reader, const uint8_t *bytes, size_t count)
{
    return (int)hs_decoder_push(reader->decoder, bytes, count, take_events, reader);
}

int hs_lab_reader_finish(hs_lab_reader_t *reader)
{
    hs_status_t status = hs_decoder_finish(reader->decoder, take_events, reader);
    if (status == HS_OK && reader->jitter != NULL) {
        status = hs_jitter_finish(reader->jitter);
    }
    if (status == HS_OK && reader->export != NULL) {
        status = hs_export_finish(reader->export, &reader->replay);
    }
    hs_loss_finish(&reader->before);
    hs_loss_finish(&reader->loss);
    const hs_status_t finished = hs_replay_finish(&reader->replay);
    return (int)(status != HS_OK ? status : finished);
}

void hs_health_give(const hs_decoder_t *decoder, hs_lab_health_t *out)
{
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    out->bytes = health.bytes;
    out->events = health.events;
    out->chunks = health.chunks;
    out->lost_chunks = health.lost_chunks;
    out->lost_events = health.lost_events;
    out->skipped_bytes = health.skipped_bytes;
    out->malformed_chunks = health.malformed_chunks;
    out->newer_chunks = health.newer_chunks;
    out->repeated_chunks = health.repeated_chunks;
    out->first_damage = health.first_damage;
    out->next_trace = health.next_trace;
    out->version = health.version;
    out->features = health.features;
    out->ended = health.ended;
    out->truncated = health.truncated;
    out->stopped = health.stopped;
    out->untold = health.untold;
    out->facts_lost = health.facts_lost;
}

void hs_lab_reader_health(const hs_lab_reader_t *reader, hs_lab_health_t *out)
{
    hs_health_give(reader->decoder, out);
}

void hs_lab_reader_census(const hs_lab_reader_t *reader, hs_lab_census_t *out)
{
    hs_census_figures(&reader->replay.census, out);
}

void hs_lab_reader_loss(const hs_lab_reader_t *reader, hs_lab_loss_t *out)
{
    hs_trace_health_t health;
    hs_decoder_health(reader->decoder, &health);
    *out = reader->start.waiting ? reader->before.sums : reader->loss.sums;
    out->event = reader->start.waiting ? 0 : health.lost_at;
    if (reader->start.primed) { /* what is missing in front of the snapshot is not missing here */
        const bool lost = reader->loss.lost || health.gaps != reader->start.gaps;
        out->event = lost ? reader->next : UINT64_MAX;
    }
    out->time = reader->replay.census.figures.last_time;
}

size_t hs_lab_reader_metadata_count(const hs_lab_reader_t *reader)
{
    return hs_decoder_metadata_count(reader->decoder);
}

size_t hs_lab_reader_metadata(const hs_lab_reader_t *reader, size_t index, const char **key,
                              const uint8_t **value)
{
    size_t length = 0;
    *key = NULL;
    *value = NULL;
    hs_decoder_metadata(reader->decoder, index, key, value, &length);
    return length;
}

uint32_t hs_lab_reader_name_next(const hs_lab_reader_t *reader, uint32_t table, uint32_t index)
{
    if (table >= HS_NAMES_TABLES) {
        return UINT32_MAX;
    }
    const hs_census_t *census = &reader->replay.census;
    const uint32_t named = hs_decoder_name_next(reader->decoder, (hs_name_table_t)table, index);
    const uint32_t used = table == HS_NAMES_TASK   ? hs_census_next(&census->tasks, index)
                          : table == HS_NAMES_SITE ? hs_census_next(&census->sites, index)
                                                   : UINT32_MAX;
    return used < named ? used : named;
}

size_t hs_lab_reader_name(const hs_lab_reader_t *reader, uint32_t table, uint32_t index,
                          const uint8_t **bytes)
{
    size_t length = 0;
    *bytes = table < HS_NAMES_TABLES
                 ? hs_decoder_name(reader->decoder, (hs_name_table_t)table, index, &length)
                 : NULL;
    return length;
}

/* FNV-1a of 32 bits. */
static uint32_t hash_of(const uint8_t *bytes, size_t length)
{
    uint32_t hash = 0x811C9DC5u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ bytes[i]) * 0x01000193u;
    }
    return hash;
}

size_t hs_lab_reader_names(const hs_lab_reader_t *reader, uint32_t table, uint8_t *bytes,
                           hs_lab_name_row_t *rows, size_t capacity)
{
    size_t count = 0;
    uint32_t begin = 0;
    for (uint32_t index = hs_lab_reader_name_next(reader, table, 0); index != UINT32_MAX;
         index = hs_lab_reader_name_next(reader, table, index + 1)) {
        const uint8_t *name = NULL;
        const size_t length = hs_lab_reader_name(reader, table, index, &name);
        if (count < capacity) {
            rows[count] =
                (hs_lab_name_row_t){.begin = begin,
                                    .hash = hash_of(name, length),
                                    .index = index,
                                    .length = name == NULL ? HS_LAB_NO_NAME : (uint32_t)length};
            if (bytes != NULL && length != 0) {
                memcpy(bytes + begin, name, length);
            }
        }
        begin += (uint32_t)length; /* the names of a trace have an upper bound: trace/names.h */
        count++;
    }
    return count;
}
