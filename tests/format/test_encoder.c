/* The promises of the encoder besides its bytes: it refuses bad input, and goes on after that. */
#include "../../device/src/trace/crc32.h"
#include "stream.h"

static _Alignas(8) uint8_t memory[4096];

static hs_trace_t *open_trace(stream_bytes_t *bytes, uint16_t features, size_t size)
{
    const hs_trace_config_t config = {features, 2, stream_bytes_sink, bytes};
    return hs_trace_open(memory, size, &config);
}

static void refuses_memory_and_config_that_cannot_work(void)
{
    stream_bytes_t bytes = {0};
    hs_trace_config_t config = {0, 0, stream_bytes_sink, &bytes};
    CHECK(hs_trace_open(memory, HS_TRACE_MEMORY_MIN, &config) != NULL);
    CHECK(hs_trace_open(memory, HS_TRACE_MEMORY_MIN - 1, &config) == NULL);
    CHECK(hs_trace_open(memory + 4, sizeof memory - 8, &config) == NULL);
    CHECK(hs_trace_open(NULL, sizeof memory, &config) == NULL);
    CHECK(hs_trace_open(memory, sizeof memory, NULL) == NULL);
    config.address_shift = 16;
    CHECK(hs_trace_open(memory, sizeof memory, &config) == NULL);
    config = (hs_trace_config_t){8, 0, stream_bytes_sink, &bytes};
    CHECK(hs_trace_open(memory, sizeof memory, &config) == NULL);
    config = (hs_trace_config_t){0, 0, NULL, &bytes};
    CHECK(hs_trace_open(memory, sizeof memory, &config) == NULL);
}

static void refuse(hs_trace_t *trace, hs_event_t event)
{
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_trace_event(trace, &event));
}

static void refuses_events_that_do_not_fit_and_goes_on(void)
{
    stream_bytes_t bytes = {0};
    hs_trace_t *trace = open_trace(&bytes, 0, sizeof memory);
    refuse(trace, (hs_event_t){.kind = 0});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_FREE_MEMORY + 1});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_MALLOC, .key = 1});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_REALLOC, .key = 1, .new_key = 2});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_ALIGNED, .align_log2 = 32});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_FAILED, .new_key = HS_EVENT_FREE});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_FAILED});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_FREE, .task = HS_NAME_INDEX_MAX + 1});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_MALLOC, .site = HS_NAME_INDEX_MAX + 1});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_MARK, .key = HS_NAME_INDEX_MAX + 1});
    const hs_event_t good = {.kind = HS_EVENT_MALLOC, .size = 7};
    CHECK_EQUAL(HS_OK, hs_trace_event(trace, &good));
    CHECK_EQUAL(1, hs_trace_next_id(trace));
    CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_trace_event(trace, &good));
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_trace_name(trace, HS_NAMES_TASK, 0, "x", 1));
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_trace_close(trace));
    stream_events_t events = {0};
    hs_trace_health_t health;
    CHECK_EQUAL(HS_OK, stream_read(bytes.at, bytes.count, 0, &events, &health));
    CHECK_EQUAL(1, events.count);
    CHECK_EQUAL(7, events.at[0].size);
    stream_events_clear(&events);
    stream_bytes_clear(&bytes);
}

static void refuses_addresses_off_their_granule(void)
{
    stream_bytes_t bytes = {0};
    hs_trace_t *trace = open_trace(&bytes, HS_TRACE_ADDRESSES, sizeof memory);
    refuse(trace, (hs_event_t){.kind = HS_EVENT_MALLOC, .key = 0x3FFB0002});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_FREE, .key = 0x3FFB0001});
    refuse(trace, (hs_event_t){.kind = HS_EVENT_REALLOC, .key = 0x3FFB0004, .new_key = 3});
    const hs_event_t good = {.kind = HS_EVENT_FREE, .key = 0x3FFB0004};
    CHECK_EQUAL(HS_OK, hs_trace_event(trace, &good));
    stream_bytes_clear(&bytes);
}

static void time_that_goes_back_stands_still(void)
{
    stream_bytes_t bytes = {0};
    hs_trace_t *trace = open_trace(&bytes, HS_TRACE_CLOCK, sizeof memory);
    static const uint64_t times[] = {50, 20, 51};
    static const uint64_t wanted[] = {50, 50, 51};
    for (uint64_t i = 0; i < 3; i++) {
        const hs_event_t event = {.kind = HS_EVENT_MALLOC, .key = i, .time = times[i]};
        CHECK_EQUAL(HS_OK, hs_trace_event(trace, &event));
    }
    CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    stream_events_t events = {0};
    hs_trace_health_t health;
    CHECK_EQUAL(HS_OK, stream_read(bytes.at, bytes.count, 0, &events, &health));
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQUAL(wanted[i], events.at[i].time);
    }
    stream_events_clear(&events);
    stream_bytes_clear(&bytes);
}

static hs_status_t refusing_sink(void *context, const uint8_t *bytes, size_t count)
{
    (void)bytes;
    (void)count;
    int *left = context;
    return --*left < 0 ? HS_ERR_SINK : HS_OK;
}

static void a_refusing_sink_stops_it(void)
{
    for (int accepted = 0; accepted < 5; accepted++) {
        int left = accepted;
        const hs_trace_config_t config = {0, 0, refusing_sink, &left};
        hs_trace_t *trace = hs_trace_open(memory, HS_TRACE_MEMORY_MIN, &config);
        hs_status_t status = HS_OK;
        for (uint64_t i = 0; i < 5000 && status == HS_OK; i++) {
            const hs_event_t event = {.kind = HS_EVENT_MALLOC, .key = i};
            status = hs_trace_event(trace, &event);
        }
        const hs_event_t event = {.kind = HS_EVENT_FREE};
        CHECK_EQUAL(HS_ERR_SINK, status);
        CHECK_EQUAL(HS_ERR_SINK, hs_trace_event(trace, &event));
        CHECK_EQUAL(HS_ERR_SINK, hs_trace_name(trace, HS_NAMES_TASK, 1, "x", 1));
        CHECK_EQUAL(HS_ERR_SINK, hs_trace_flush(trace));
        CHECK_EQUAL(HS_ERR_SINK, hs_trace_close(trace));
        CHECK_EQUAL(-1, left); /* it was not asked again */
    }
}

/* Chunks that are full by their bytes, or by the number of their facts. */
static void facts_fill_as_many_chunks_as_they_need(size_t size, size_t value_length)
{
    stream_bytes_t bytes = {0};
    hs_trace_t *trace = open_trace(&bytes, 0, size);
    char key[16];
    char value[101];
    memset(value, 'v', value_length);
    value[value_length] = '\0';
    for (int i = 0; i < 200; i++) {
        snprintf(key, sizeof key, "key%d", i);
        CHECK_EQUAL(HS_OK, hs_trace_metadata(trace, key, i % 2 == 0 ? value : ""));
    }
    static char large[sizeof memory + 1];
    memset(large, 'x', sizeof large - 1);
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_trace_metadata(trace, "k", large));
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_trace_metadata(trace, "", "x"));
    const hs_event_t event = {.kind = HS_EVENT_FREE, .key = HS_KEY_NONE};
    CHECK_EQUAL(HS_OK, hs_trace_event(trace, &event));
    CHECK_EQUAL(HS_OK, hs_trace_metadata(trace, "late", "x"));
    CHECK_EQUAL(HS_OK, hs_trace_event(trace, &event));
    CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_trace_metadata(trace, "closed", "x"));
    hs_decoder_t *decoder = hs_decoder_new();
    stream_events_t events = {0};
    CHECK_EQUAL(HS_OK,
                hs_decoder_push(decoder, bytes.at, bytes.count, stream_events_sink, &events));
    CHECK_EQUAL(2, events.count);
    CHECK_EQUAL(201, hs_decoder_metadata_count(decoder));
    for (size_t i = 0; i < 200; i++) {
        const char *got;
        const uint8_t *content;
        size_t length;
        snprintf(key, sizeof key, "key%d", (int)i);
        CHECK_EQUAL(HS_OK, hs_decoder_metadata(decoder, i, &got, &content, &length));
        CHECK(strcmp(key, got) == 0);
        CHECK_EQUAL(i % 2 == 0 ? value_length : 0, length);
    }
    hs_decoder_delete(decoder);
    stream_events_clear(&events);
    stream_bytes_clear(&bytes);
}

/* Blocks of a snapshot, more than a decoder hands over at once. */
static void live_blocks_come_back(void)
{
    enum { BLOCKS = 3000 };
    static hs_event_t blocks[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = (hs_event_t){.kind = HS_EVENT_LIVE,
                                 .key = (uint64_t)0x20000000 + 64 * ((i * 7919) % BLOCKS),
                                 .size = i * i,
                                 .new_key = 5,
                                 .site = (uint32_t)(i % 300)};
    }
    stream_bytes_t bytes = {0};
    hs_trace_t *trace =
        open_trace(&bytes, HS_TRACE_ADDRESSES | HS_TRACE_SITES, HS_TRACE_MEMORY_MIN);
    for (size_t i = 0; i < BLOCKS; i++) {
        CHECK_EQUAL(HS_OK, hs_trace_event(trace, &blocks[i]));
    }
    CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    stream_events_t events = {0};
    hs_trace_health_t health;
    CHECK_EQUAL(HS_OK, stream_read(bytes.at, bytes.count, 0, &events, &health));
    CHECK_EQUAL(BLOCKS, events.count);
    CHECK_EQUAL(0, health.events);
    for (size_t i = 0; i < BLOCKS; i++) {
        CHECK_EQUAL(blocks[i].key, events.at[i].key);
        CHECK_EQUAL(blocks[i].size, events.at[i].size);
        CHECK_EQUAL(blocks[i].site, events.at[i].site);
        CHECK_EQUAL(5, events.at[i].new_key);
    }
    stream_events_clear(&events);
    stream_bytes_clear(&bytes);
}

static void names_are_cut_and_the_last_one_holds(void)
{
    stream_bytes_t bytes = {0};
    hs_trace_t *trace = open_trace(&bytes, 0, HS_TRACE_MEMORY_MIN);
    char name[300];
    memset(name, 'n', sizeof name);
    for (uint32_t i = 0; i < 100; i++) {
        CHECK_EQUAL(HS_OK, hs_trace_name(trace, HS_NAMES_SITE, i, name, sizeof name));
        CHECK_EQUAL(HS_OK, hs_trace_name(trace, HS_NAMES_SITE, i, name, i));
    }
    CHECK_EQUAL(HS_OK, hs_trace_name(trace, HS_NAMES_SITE, HS_NAME_INDEX_MAX, name, 300));
    CHECK_EQUAL(HS_ERR_ARGUMENT,
                hs_trace_name(trace, HS_NAMES_SITE, HS_NAME_INDEX_MAX + 1, name, 1));
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_trace_name(trace, HS_NAMES_TABLES, 0, name, 1));
    CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    hs_decoder_t *decoder = hs_decoder_new();
    CHECK_EQUAL(HS_OK, hs_decoder_push(decoder, bytes.at, bytes.count, stream_events_sink, NULL));
    size_t length;
    for (uint32_t i = 0; i < 100; i++) {
        CHECK(hs_decoder_name(decoder, HS_NAMES_SITE, i, &length) != NULL);
        CHECK_EQUAL(i, length);
    }
    CHECK(hs_decoder_name(decoder, HS_NAMES_SITE, 100, &length) == NULL);
    CHECK(hs_decoder_name(decoder, HS_NAMES_SITE, HS_NAME_INDEX_MAX, &length) != NULL);
    CHECK_EQUAL(HS_NAME_MAX, length);
    CHECK_EQUAL(HS_NAME_INDEX_MAX + 1, hs_decoder_name_count(decoder, HS_NAMES_SITE));
    CHECK_EQUAL(0, hs_decoder_name_count(decoder, HS_NAMES_POOL));
    hs_decoder_delete(decoder);
    stream_bytes_clear(&bytes);
}

/* A name of a call site of `length` bytes whose frames have 1 to 300. */
static void site_name_make(char *name, size_t length, unsigned seed)
{
    for (size_t i = 0, frame = 0; i < length; i++) {
        seed = seed * 1664525u + 1013904223u;
        frame = frame == 0 ? 1 + (seed >> 8) % 300 : frame - 1;
        name[i] = frame == 0 && i > 0 ? ';' : (char)('a' + (seed >> 16) % 26);
    }
}

static void names_of_call_sites_are_whole(void)
{
    static char name[HS_SITE_NAME_MAX + 1000];
    static const size_t lengths[] = {0, 1, 254, 255, 256, 257, 500, 505, 506, 1000, 5000, 60000};
    for (unsigned seed = 0; seed < 200; seed++) {
        const size_t length = seed < 12 ? lengths[seed] : 200 + seed * 37;
        site_name_make(name, length, seed);
        stream_bytes_t bytes = {0};
        hs_trace_t *trace = open_trace(&bytes, 0, HS_TRACE_MEMORY_MIN);
        CHECK_EQUAL(HS_OK, hs_trace_site(trace, 7, "another", 7));
        CHECK_EQUAL(HS_OK, hs_trace_site(trace, 7, name, length));
        CHECK_EQUAL(HS_OK, hs_trace_close(trace));
        hs_decoder_t *decoder = hs_decoder_new();
        CHECK_EQUAL(HS_OK,
                    hs_decoder_push(decoder, bytes.at, bytes.count, stream_events_sink, NULL));
        size_t had;
        const uint8_t *const got = hs_decoder_name(decoder, HS_NAMES_SITE, 7, &had);
        CHECK_EQUAL(length, had);
        CHECK(got != NULL && memcmp(got, name, length) == 0);
        hs_decoder_delete(decoder);
        stream_bytes_clear(&bytes);
    }
}

static void too_long_names_of_call_sites_keep_the_allocating_function(void)
{
    static char name[HS_SITE_NAME_MAX + 1000];
    site_name_make(name, sizeof name, 5);
    stream_bytes_t bytes = {0};
    hs_trace_t *trace = open_trace(&bytes, 0, 4096);
    CHECK_EQUAL(HS_OK, hs_trace_site(trace, 1, name, sizeof name));
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_trace_site(trace, HS_NAME_INDEX_MAX + 1, name, sizeof name));
    CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    hs_decoder_t *decoder = hs_decoder_new();
    CHECK_EQUAL(HS_OK, hs_decoder_push(decoder, bytes.at, bytes.count, stream_events_sink, NULL));
    size_t length;
    const uint8_t *const got = hs_decoder_name(decoder, HS_NAMES_SITE, 1, &length);
    CHECK(got != NULL && length > HS_SITE_NAME_MAX - 600 && length <= HS_SITE_NAME_MAX);
    CHECK(memcmp(got, "...", 3) == 0);
    CHECK(memcmp(got + 3, name + sizeof name - (length - 3), length - 3) == 0);
    hs_decoder_delete(decoder);
    stream_bytes_clear(&bytes);
}

/* Each chunk of a trace left out in turn: a name is the whole or says that it was cut. */
static void a_lost_piece_leaves_the_end_of_the_name(void)
{
    char name[2000];
    site_name_make(name, sizeof name, 11);
    stream_bytes_t bytes = {0};
    hs_trace_t *trace = open_trace(&bytes, 0, HS_TRACE_MEMORY_MIN);
    CHECK_EQUAL(HS_OK, hs_trace_site(trace, 1, name, sizeof name));
    CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    size_t lost = 0, from = 0;
    while (from < bytes.count) {
        const size_t next = from + 20 + bytes.at[from + 12] + 256u * bytes.at[from + 13];
        hs_decoder_t *decoder = hs_decoder_new();
        (void)hs_decoder_push(decoder, bytes.at, from, stream_events_sink, NULL);
        (void)hs_decoder_push(decoder, bytes.at + next, bytes.count - next, stream_events_sink,
                              NULL);
        size_t length;
        const uint8_t *const got = hs_decoder_name(decoder, HS_NAMES_SITE, 1, &length);
        if (got != NULL && length < sizeof name) {
            lost++;
            CHECK(memcmp(got, "...", 3) == 0);
            CHECK(memcmp(got + 3, name + sizeof name - (length - 3), length - 3) == 0);
        }
        hs_decoder_delete(decoder);
        from = next;
    }
    CHECK(lost > 4);
    stream_bytes_clear(&bytes);
}

static void frees_do_not_switch_capabilities(void)
{
    stream_bytes_t with = {0};
    stream_bytes_t without = {0};
    for (int turn = 0; turn < 2; turn++) {
        hs_trace_t *trace = open_trace(turn == 0 ? &with : &without, 0, sizeof memory);
        for (uint64_t i = 0; i < 100; i++) {
            const hs_event_t get = {.kind = HS_EVENT_MALLOC, .key = i, .caps = 4};
            const hs_event_t put = {.kind = HS_EVENT_FREE, .key = i, .caps = turn == 0 ? 0 : 4};
            CHECK_EQUAL(HS_OK, hs_trace_event(trace, &get));
            CHECK_EQUAL(HS_OK, hs_trace_event(trace, &put));
        }
        CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    }
    CHECK_EQUAL(with.count, without.count);
    CHECK(memcmp(with.at, without.at, with.count) == 0);
    stream_bytes_clear(&with);
    stream_bytes_clear(&without);
}

static void crc_is_that_of_zlib(void)
{
    CHECK_EQUAL(0xCBF43926u, hs_trace_crc32((const uint8_t *)"123456789", 9));
    CHECK_EQUAL(0, hs_trace_crc32((const uint8_t *)"", 0));
}

int main(void)
{
    refuses_memory_and_config_that_cannot_work();
    refuses_events_that_do_not_fit_and_goes_on();
    refuses_addresses_off_their_granule();
    time_that_goes_back_stands_still();
    a_refusing_sink_stops_it();
    facts_fill_as_many_chunks_as_they_need(HS_TRACE_MEMORY_MIN, 100);
    facts_fill_as_many_chunks_as_they_need(sizeof memory, 1);
    live_blocks_come_back();
    names_are_cut_and_the_last_one_holds();
    names_of_call_sites_are_whole();
    too_long_names_of_call_sites_keep_the_allocating_function();
    a_lost_piece_leaves_the_end_of_the_name();
    frees_do_not_switch_capabilities();
    crc_is_that_of_zlib();
    return 0;
}
