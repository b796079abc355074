/*
 * The golden traces (format/golden/make.py): each reads as its text says, for ever; and what the
 * encoder makes of the events of an undamaged one is the same bytes.
 */
#include "reading.h"

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
                                     "chip0",
                                     "chip1",
                                     "chip2",
                                     "chip3",
                                     "chip4",
                                     "chip5",
                                     "chip6",
                                     "chip7",
                                     "lost_losses",
                                     "still_untold",
                                     "heard_late",
                                     "other_boot",
                                     "other_boot_same_byte",
                                     "void_record",
                                     NULL};

static stream_bytes_t load(const char *name, const char *ending)
{
    char path[512];
    snprintf(path, sizeof path, "format/golden/v1/%s.%s", name, ending);
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
    reading_t text = {0};
    reading_of(bytes, &text, events);
    if (text.count != wanted->count || memcmp(text.at, wanted->at, text.count) != 0) {
        fprintf(stderr, "%s reads as:\n%s", name, text.at);
        exit(1);
    }
    free(text.at);
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

static void golden(const char *name, bool again)
{
    printf("%s\n", name);
    stream_bytes_t bytes = load(name, "hst");
    stream_bytes_t text = load(name, "txt");
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
    for (size_t i = 0; whole[i] != NULL; i++) {
        golden(whole[i], true);
    }
    for (size_t i = 0; others[i] != NULL; i++) {
        golden(others[i], false);
    }
    return 0;
}
