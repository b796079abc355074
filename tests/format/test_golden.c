/*
 * The golden traces (format/golden/make.py): each reads as its text says, for ever; and what the
 * encoder makes of the events of an undamaged one is the same bytes.
 * Those of the second edition are made by make_2.py.
 */
#include "stream.h"

static const char *const whole[] = {"kinds0", "kinds1", "kinds2", "kinds3",   "kinds4",
                                    "kinds5", "kinds6", "kinds7", "extremes", NULL};
static const char *const others[] = {"names",
                                     "site_callers",
                                     "later_writer",
                                     "newer",
                                     "damage_flip",
                                     "damage_cut",
                                     "damage_missing",
                                     "damage_joined",
                                     "damage_repeated",
                                     "damage_malformed",
                                     "two_recordings",
                                     "not_a_trace",
                                     NULL};
static const char *const of_chips[] = {"chip0",
                                       "chip1",
                                       "chip2",
                                       "chip3",
                                       "chip4",
                                       "chip5",
                                       "chip6",
                                       "chip7",
                                       "heard_late",
                                       "other_boot",
                                       "other_boot_same_byte",
                                       "void_record",
                                       NULL};

static const char *const kinds[] = {
    "",          "malloc",     "calloc",       "aligned",      "realloc", "free",
    "failed",    "mark",       "task_start",   "task_end",     "lost",    "pool_create",
    "pool_grow", "pool_alloc", "pool_release", "lost_kind",    "task_on", "level",
    "pairs",     "snapshot",   "live",         "snapshot_end", "region",  "free_memory"};
static const char *const tables[] = {"task", "mark", "site", "heap", "pool", "region"};
static unsigned table_count = 5; /* of the edition that is read */

typedef struct text {
    char at[16384];
    size_t count;
} text_t;

static void text_add(text_t *text, const char *what)
{
    const size_t length = strlen(what);
    CHECK(text->count + length < sizeof text->at);
    memcpy(text->at + text->count, what, length + 1);
    text->count += length;
}

static void text_number(text_t *text, const char *before, uint64_t number)
{
    char line[96];
    snprintf(line, sizeof line, "%s%" PRIu64, before, number);
    text_add(text, line);
}

static void text_bytes(text_t *text, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char one[8];
        const bool plain = bytes[i] > 0x20 && bytes[i] < 0x7F && bytes[i] != '\\';
        snprintf(one, sizeof one, plain ? "%c" : "\\x%02x", bytes[i]);
        text_add(text, one);
    }
    text_add(text, "\n");
}

static void event_text(text_t *text, const hs_event_t *event, uint64_t number)
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

static void facts_text(text_t *text, const hs_decoder_t *decoder)
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

static void names_text(text_t *text, const hs_decoder_t *decoder)
{
    for (unsigned table = 0; table < table_count; table++) {
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

static void health_line(text_t *text, const char *what, uint64_t number)
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

static void health_text(text_t *text, const hs_trace_health_t *health)
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
}

/* The decoder's reading of a trace, as text; `events` gets its events. */
static void decoded_text(const stream_bytes_t *bytes, text_t *text, stream_events_t *events)
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

static stream_bytes_t load(const char *folder, const char *name, const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    static uint8_t bytes[65536];
    stream_bytes_t loaded = {0};
    stream_bytes_add(&loaded, bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
    return loaded;
}

static void reads_as_its_text(const char *name, const stream_bytes_t *bytes,
                              const stream_bytes_t *wanted, stream_events_t *events)
{
    static text_t text;
    decoded_text(bytes, &text, events);
    if (text.count != wanted->count || memcmp(text.at, wanted->at, text.count) != 0) {
        fprintf(stderr, "%s reads as:\n%s", name, text.at);
        exit(1);
    }
}

/* The events of every_kind() and extremes() in make.py: two chunks at the event number 11. */
static void writes_the_same(const char *name, const stream_bytes_t *bytes,
                            const stream_events_t *events)
{
    _Alignas(8) static uint8_t memory[4096];
    const bool kind = strncmp(name, "kinds", 5) == 0;
    const uint16_t features = (uint16_t)(kind ? name[5] - '0' : 0);
    stream_bytes_t written = {0};
    const hs_trace_config_t config = {features, 2, stream_bytes_sink, &written};
    hs_trace_t *trace = hs_trace_open(memory, sizeof memory, &config);
    CHECK(trace != NULL);
    if (kind) {
        CHECK_EQUAL(HS_OK, hs_trace_metadata(trace, "source", "golden"));
        CHECK_EQUAL(HS_OK, hs_trace_metadata(trace, "word_size", "4"));
    }
    for (size_t i = 0; i < events->count; i++) {
        const hs_event_t *event = &events->at[i];
        if (event->kind == HS_EVENT_MARK) {
            CHECK_EQUAL(HS_OK, hs_trace_name(trace, HS_NAMES_MARK, 0, "connected", 9));
        }
        if (kind && event->kind == HS_EVENT_POOL_CREATE) {
            CHECK_EQUAL(HS_OK, hs_trace_flush(trace));
        }
        CHECK_EQUAL(HS_OK, hs_trace_event(trace, event));
    }
    CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    CHECK_EQUAL(bytes->count, written.count);
    CHECK(memcmp(bytes->at, written.at, written.count) == 0);
    stream_bytes_clear(&written);
}

static void golden(const char *folder, const char *name, bool again)
{
    printf("%s\n", name);
    stream_bytes_t bytes = load(folder, name, "hst");
    stream_bytes_t text = load(folder, name, "txt");
    stream_events_t events = {0};
    reads_as_its_text(name, &bytes, &text, &events);
    if (again) {
        writes_the_same(name, &bytes, &events);
    }
    stream_events_clear(&events);
    stream_bytes_clear(&text);
    stream_bytes_clear(&bytes);
}

int main(void)
{
    const char *folder = "format/golden/v1";
    for (size_t i = 0; whole[i] != NULL; i++) {
        golden(folder, whole[i], true);
    }
    for (size_t i = 0; others[i] != NULL; i++) {
        golden(folder, others[i], false);
    }
    table_count = 6;
    for (size_t i = 0; of_chips[i] != NULL; i++) {
        golden("format/golden/v1_2", of_chips[i], false);
    }
    return 0;
}
