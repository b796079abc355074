#include "reading.h"

static const char *const kinds[] = {
    "",          "malloc",     "calloc",       "aligned",      "realloc", "free",
    "failed",    "mark",       "task_start",   "task_end",     "lost",    "pool_create",
    "pool_grow", "pool_alloc", "pool_release", "lost_kind",    "task_on", "level",
    "pairs",     "snapshot",   "live",         "snapshot_end", "region",  "free_memory"};
static const char *const tables[] = {"task", "mark", "site", "heap", "pool", "region"};

static void text_add(reading_t *text, const char *what)
{
    const size_t length = strlen(what);
    if (text->count + length >= text->size) {
        text->size = text->size * 2 + length + 4096;
        text->at = realloc(text->at, text->size);
        CHECK(text->at != NULL);
    }
    memcpy(text->at + text->count, what, length + 1);
    text->count += length;
}

static void text_number(reading_t *text, const char *before, uint64_t number)
{
    char line[96];
    snprintf(line, sizeof line, "%s%" PRIu64, before, number);
    text_add(text, line);
}

static void text_bytes(reading_t *text, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char one[8];
        const bool plain = bytes[i] > 0x20 && bytes[i] < 0x7F && bytes[i] != '\\';
        snprintf(one, sizeof one, plain ? "%c" : "\\x%02x", bytes[i]);
        text_add(text, one);
    }
    text_add(text, "\n");
}

static void event_text(reading_t *text, const hs_event_t *event, uint64_t number)
{
    text_number(text, "event ", number);
    text_add(text, " ");
    text_add(text, kinds[event->kind]);
    text_number(text, " key ", event->key);
    text_number(text, " new ", event->new_key);
    text_number(text, " size ", event->size);
    text_number(text, " time ", event->time);
    text_number(text, " task ", event->task);
    text_number(text, " caps ", event->caps);
    text_number(text, " site ", event->site);
    text_number(text, " heap ", event->heap);
    text_number(text, " align ", event->align_log2);
    text_add(text, "\n");
}

static void facts_text(reading_t *text, const hs_decoder_t *decoder)
{
    for (size_t i = 0; i < hs_decoder_metadata_count(decoder); i++) {
        const char *key;
        const uint8_t *value;
        size_t length;
        CHECK_EQUAL(HS_OK, hs_decoder_metadata(decoder, i, &key, &value, &length));
        text_add(text, "fact ");
        text_add(text, key);
        text_add(text, " = ");
        text_bytes(text, value, length);
    }
}

static void names_text(reading_t *text, const hs_decoder_t *decoder)
{
    for (unsigned table = 0; table < HS_NAMES_TABLES; table++) {
        const uint32_t count = hs_decoder_name_count(decoder, (hs_name_table_t)table);
        text_add(text, "table ");
        text_add(text, tables[table]);
        text_number(text, " ", count);
        text_add(text, "\n");
        for (uint32_t i = 0; i < count; i++) {
            size_t length;
            const uint8_t *name = hs_decoder_name(decoder, (hs_name_table_t)table, i, &length);
            if (name != NULL) {
                text_add(text, "name ");
                text_add(text, tables[table]);
                text_number(text, " ", i);
                text_add(text, " = ");
                text_bytes(text, name, length);
            }
        }
    }
}

static void health_line(reading_t *text, const char *what, uint64_t number)
{
    text_add(text, "health ");
    text_add(text, what);
    if (number == UINT64_MAX) {
        text_add(text, " none");
    } else {
        text_number(text, " ", number);
    }
    text_add(text, "\n");
}

static void health_text(reading_t *text, const hs_trace_health_t *health)
{
    health_line(text, "events", health->events);
    health_line(text, "chunks", health->chunks);
    health_line(text, "lost_chunks", health->lost_chunks);
    health_line(text, "lost_events", health->lost_events);
    health_line(text, "skipped_bytes", health->skipped_bytes);
    health_line(text, "malformed_chunks", health->malformed_chunks);
    health_line(text, "newer_chunks", health->newer_chunks);
    health_line(text, "repeated_chunks", health->repeated_chunks);
    health_line(text, "first_damage", health->first_damage);
    health_line(text, "next_trace", health->next_trace);
    health_line(text, "version", health->version);
    health_line(text, "features", health->features);
    health_line(text, "ended", health->ended);
    health_line(text, "truncated", health->truncated);
    health_line(text, "stopped", health->stopped);
    health_line(text, "untold", health->untold);
}

void reading_of(const stream_bytes_t *bytes, reading_t *text, stream_events_t *events)
{
    hs_decoder_t *decoder = hs_decoder_new();
    CHECK(decoder != NULL);
    CHECK_EQUAL(HS_OK,
                hs_decoder_push(decoder, bytes->at, bytes->count, stream_events_sink, events));
    const hs_status_t status = hs_decoder_finish(decoder, stream_events_sink, events);
    text->count = 0;
    text_number(text, "status ", status);
    text_add(text, "\n");
    for (size_t i = 0; i < events->count; i++) {
        event_text(text, &events->at[i], events->numbers[i]);
    }
    facts_text(text, decoder);
    names_text(text, decoder);
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    health_text(text, &health);
    hs_decoder_delete(decoder);
}
