/* The decoder's behaviour on input that no encoder of ours writes: later, malformed and hostile. */
#include "../../device/src/trace/crc32.h"
#include "../../device/src/trace/format.h"
#include "../../device/src/trace/varint.h"
#include "stream.h"
#include "trace/names.h"
#include "words.h"

/* Adds a chunk with right checks. */
static void chunk_add(stream_bytes_t *bytes, unsigned kind, unsigned features, uint32_t sequence,
                      const uint8_t *payload, size_t count)
{
    uint8_t header[HS_CHUNK_HEADER] = {HS_SYNC_0, HS_SYNC_1,     HS_SYNC_2,
                                       HS_SYNC_3, (uint8_t)kind, HS_TRACE_VERSION};
    (void)u16_put(header + HS_CHUNK_FEATURES_AT, (uint16_t)features);
    (void)u32_put(header + HS_CHUNK_SEQUENCE_AT, sequence);
    (void)u16_put(header + HS_CHUNK_LENGTH_AT, (uint16_t)count);
    (void)u16_put(header + HS_CHUNK_CHECK_AT,
                  (uint16_t)(hs_trace_crc32(header + HS_CHUNK_KIND_AT, 10) & 0xFFFFu));
    const size_t start = bytes->count;
    uint8_t crc[HS_CHUNK_CRC];
    stream_bytes_add(bytes, header, sizeof header);
    stream_bytes_add(bytes, payload, count);
    (void)u32_put(crc, hs_trace_crc32(bytes->at + start + HS_CHUNK_KIND_AT,
                                      bytes->count - start - HS_CHUNK_KIND_AT));
    stream_bytes_add(bytes, crc, sizeof crc);
}

typedef struct reading {
    hs_status_t status;
    hs_trace_health_t health;
    stream_events_t events;
} reading_t;

static reading_t read_all(const stream_bytes_t *bytes)
{
    reading_t reading = {0};
    reading.status = stream_read(bytes->at, bytes->count, 0, &reading.events, &reading.health);
    return reading;
}

/* One chunk of events: base of zeros, one good record, `count` bytes that are malformed, and so many
 * zeros that the decoder's fast path takes them on. */
static void malformed(const char *what, unsigned features, const uint8_t *record, size_t count,
                      size_t zeros)
{
    uint8_t payload[128] = {0}; /* number, task, caps, heap, next id */
    uint8_t *at = payload + 5 + ((features & HS_TRACE_ADDRESSES) != 0 ? 1 : 0) +
                  ((features & HS_TRACE_CLOCK) != 0 ? 1 : 0);
    *at++ = HS_RECORD_MALLOC | 9 << 3;
    at += (features & HS_TRACE_ADDRESSES) != 0 ? 1 : 0;
    at += (features & HS_TRACE_SITES) != 0 ? 1 : 0;
    at += (features & HS_TRACE_CLOCK) != 0 ? 1 : 0;
    memcpy(at, record, count);
    at += count + zeros;
    stream_bytes_t bytes = {0};
    chunk_add(&bytes, HS_CHUNK_EVENTS, features, 0, payload, (size_t)(at - payload));
    reading_t reading = read_all(&bytes);
    printf("malformed: %s\n", what);
    CHECK_EQUAL(HS_OK, reading.status);
    CHECK_EQUAL(1, reading.health.malformed_chunks);
    CHECK_EQUAL(1, reading.events.count);
    CHECK_EQUAL(9, reading.events.at[0].size);
    CHECK_EQUAL(0, reading.health.first_damage);
    stream_events_clear(&reading.events);
    stream_bytes_clear(&bytes);
}

#define MALFORMED(what, features, ...)                                                             \
    do {                                                                                           \
        static const uint8_t record_[] = {__VA_ARGS__};                                            \
        malformed(what, features, record_, sizeof record_, 0);                                     \
    } while (0)

/* For records that are malformed whatever follows them. */
#define MALFORMED_ANYWHERE(what, features, ...)                                                    \
    do {                                                                                           \
        static const uint8_t record_[] = {__VA_ARGS__};                                            \
        malformed(what, features, record_, sizeof record_, 0);                                     \
        malformed(what, features, record_, sizeof record_, 64);                                    \
    } while (0)

static void malformed_records_end_their_chunk_and_nothing_else(void)
{
    MALFORMED("head cut off", 0, 0x81);
    MALFORMED_ANYWHERE("number over 64 bits", 0, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                       0xFF, 0x1F);
    MALFORMED_ANYWHERE("number of eleven bytes", 0, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                       0x80, 0x80, 0x80, 0x00);
    MALFORMED("realloc without size", 0, 0x02);
    MALFORMED("alignment missing", 0, 0x04);
    MALFORMED_ANYWHERE("alignment over 31", 0, 0x0C, 32);
    MALFORMED_ANYWHERE("task over the limit", 0, 0x85, 0x80, 0x80, 0x04);
    MALFORMED_ANYWHERE("capabilities over 32 bits", 0, 0x86, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F);
    MALFORMED("extension without length", 0, 0x07);
    MALFORMED("extension longer than the chunk", 0, 0x07, 5, 0, 0, 0, 0);
    MALFORMED_ANYWHERE("mark without name", 0, 0x07, 0);
    MALFORMED_ANYWHERE("mark over the limit", 0, 0x07, 3, 0x80, 0x80, 0x40);
    MALFORMED_ANYWHERE("name without index", 0, 0x0F, 1, 0);
    MALFORMED_ANYWHERE("name over the limit", 0, 0x0F, 4, 0, 0x80, 0x80, 0x40);
    MALFORMED_ANYWHERE("failed call of no kind", 0, 0x17, 3, 0, 1, 0);
    MALFORMED_ANYWHERE("failed free", 0, 0x17, 3, HS_EVENT_FREE, 1, 0);
    MALFORMED_ANYWHERE("failed realloc without block", 0, 0x17, 3, HS_EVENT_REALLOC, 1, 0);
    MALFORMED_ANYWHERE("heap over 16 bits", 0, 0x37, 3, 0x80, 0x80, 0x04);
    MALFORMED_ANYWHERE("pool without bytes", 0, 0x47, 1, 0);
    MALFORMED("address cut off", HS_TRACE_ADDRESSES, 0x01);
    MALFORMED("time cut off", HS_TRACE_CLOCK, 0x01, 0x80);
    MALFORMED_ANYWHERE("site over the limit", HS_TRACE_SITES, 0x01, 0x80, 0x80, 0x40);
    MALFORMED("mark without time", HS_TRACE_CLOCK, 0x07, 1, 0);
}

static void malformed_bases_drop_their_chunk(void)
{
    static const uint8_t bases[][8] = {{0},                                  /* length 0 to 4 */
                                       {0, 0x80, 0x80, 0x40, 0, 0},          /* task */
                                       {0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}, /* capabilities */
                                       {0, 0, 0, 0x80, 0x80, 0x04, 0, 0}};   /* heap */
    static const size_t lengths[] = {4, 6, 8, 8};
    for (size_t i = 0; i < 4; i++) {
        stream_bytes_t bytes = {0};
        chunk_add(&bytes, HS_CHUNK_EVENTS, 0, 0, bases[i], lengths[i]);
        reading_t reading = read_all(&bytes);
        CHECK_EQUAL(1, reading.health.malformed_chunks);
        CHECK_EQUAL(0, reading.events.count);
        stream_bytes_clear(&bytes);
    }
}

static void event_numbers_that_go_back_are_malformed(void)
{
    stream_bytes_t bytes = {0};
    static const uint8_t two[] = {0, 0, 0, 0, 0, 1, 1};
    static const uint8_t back[] = {1, 0, 0, 0, 1, 1};
    static const uint8_t end[] = {2};
    chunk_add(&bytes, HS_CHUNK_EVENTS, 0, 0, two, sizeof two);
    chunk_add(&bytes, HS_CHUNK_EVENTS, 0, 1, back, sizeof back);
    chunk_add(&bytes, HS_CHUNK_END, 0, 2, end, sizeof end);
    reading_t reading = read_all(&bytes);
    CHECK_EQUAL(2, reading.health.events);
    CHECK_EQUAL(1, reading.health.malformed_chunks);
    CHECK_EQUAL(1, reading.health.ended);
    CHECK_EQUAL(0, reading.health.lost_events);
    stream_events_clear(&reading.events);
    stream_bytes_clear(&bytes);
}

static void blocks_are_known_in_one_way_only(void)
{
    stream_bytes_t bytes = {0};
    static const uint8_t ids[] = {0, 0, 0, 0, 0, 1};
    static const uint8_t addresses[] = {1, 0, 0, 0, 0, 0, 1, 0};
    chunk_add(&bytes, HS_CHUNK_EVENTS, 0, 0, ids, sizeof ids);
    chunk_add(&bytes, HS_CHUNK_EVENTS, HS_TRACE_ADDRESSES, 1, addresses, sizeof addresses);
    reading_t reading = read_all(&bytes);
    CHECK_EQUAL(1, reading.health.events);
    CHECK_EQUAL(1, reading.health.malformed_chunks);
    CHECK_EQUAL(0, reading.health.features);
    stream_events_clear(&reading.events);
    stream_bytes_clear(&bytes);
}

static void only_newer_chunks_is_reported(void)
{
    stream_bytes_t bytes = {0};
    chunk_add(&bytes, HS_CHUNK_METADATA, 0x40, 0, NULL, 0);
    chunk_add(&bytes, HS_CHUNK_EVENTS, 0x41, 1, NULL, 0);
    reading_t reading = read_all(&bytes);
    CHECK_EQUAL(HS_ERR_VERSION, reading.status);
    CHECK_EQUAL(2, reading.health.newer_chunks);
    CHECK_EQUAL(0x40, reading.health.features);
    stream_bytes_clear(&bytes);
}

/* A header inside each header: every byte could be checked thousands of times. That it is not shows
 * in the good chunks among them, all of which an unbounded search would find. */
static void hostile_nesting_stays_linear(void)
{
    enum { HEADERS = 1 << 17, GOOD_EVERY = 1000 }; /* 2 MB: unbounded, this checks 8 GB */
    stream_bytes_t bytes = {0};
    uint8_t header[HS_CHUNK_HEADER] = {HS_SYNC_0, HS_SYNC_1, HS_SYNC_2, HS_SYNC_3, 2, 1};
    (void)u16_put(header + HS_CHUNK_LENGTH_AT, 0xFFFF);
    (void)u16_put(header + HS_CHUNK_CHECK_AT,
                  (uint16_t)(hs_trace_crc32(header + HS_CHUNK_KIND_AT, 10) & 0xFFFFu));
    uint8_t good[] = {0, 0, 0, 0, 0, 1};
    uint32_t sequence = 0;
    for (int i = 0; i < HEADERS; i++) {
        stream_bytes_add(&bytes, header, sizeof header);
        if (i % GOOD_EVERY == 0) {
            good[0] = (uint8_t)(sequence % 127); /* the event number */
            chunk_add(&bytes, HS_CHUNK_EVENTS, 0, sequence++, good, sizeof good);
        }
    }
    static const uint8_t gap[HS_CHUNK_MAX] = {0};
    stream_bytes_add(&bytes, gap, sizeof gap);
    static const uint8_t last[] = {127, 0, 0, 0, 0, 1};
    chunk_add(&bytes, HS_CHUNK_EVENTS, 0, 1000, last, sizeof last);
    hs_trace_health_t health[2];
    for (int turn = 0; turn < 2; turn++) {
        stream_events_t events = {0};
        CHECK_EQUAL(HS_OK, stream_read(bytes.at, bytes.count, turn == 0 ? 0 : 1000, &events,
                                       &health[turn]));
        CHECK(health[turn].chunks < sequence / 2);
        CHECK_EQUAL(127, events.numbers[events.count - 1]);
        stream_events_clear(&events);
    }
    CHECK(memcmp(&health[0], &health[1], sizeof health[0]) == 0);
    stream_bytes_clear(&bytes);
}

static void a_name_may_be_given_any_number_of_times(void)
{
    enum { NAMES = 230, CHUNKS = 1300 }; /* 76 MB of names, more than are ever held */
    uint8_t payload[5 + NAMES * 260] = {0};
    hs_decoder_t *decoder = hs_decoder_new();
    for (uint32_t i = 0; i < CHUNKS; i++) {
        uint8_t *at = payload + 5;
        for (int n = 0; n < NAMES; n++) {
            *at++ = HS_RECORD_EXTENSION | HS_EXTENSION_NAME << 3;
            at = hs_varint_put(at, 257);
            *at++ = HS_NAMES_TASK;
            *at++ = 3;
            memset(at, 'a' + (int)(i % 26), 255);
            at += 255;
        }
        stream_bytes_t bytes = {0};
        chunk_add(&bytes, HS_CHUNK_EVENTS, 0, i, payload, (size_t)(at - payload));
        CHECK_EQUAL(HS_OK,
                    hs_decoder_push(decoder, bytes.at, bytes.count, stream_events_sink, NULL));
        stream_bytes_clear(&bytes);
        size_t length;
        const uint8_t *name = hs_decoder_name(decoder, HS_NAMES_TASK, 3, &length);
        CHECK(name != NULL && length == 255 && name[254] == 'a' + i % 26);
    }
    hs_decoder_delete(decoder);
}

/* Chunk 0 strayed in again; after the next new chunk, what is old is only old. */
static void the_name_of_a_call_site_is_bounded(void)
{
    uint8_t piece[HS_NAME_MAX + 1] = "...";
    hs_names_t names = {0};
    size_t length = 3;
    CHECK_EQUAL(HS_OK, hs_names_set(&names, HS_NAMES_SITE, 1, piece, length));
    memset(piece + 3, 'x', sizeof piece - 3);
    hs_names_callers(&names, 1, length, piece, sizeof piece);
    (void)hs_names_get(&names, HS_NAMES_SITE, 1, &length);
    CHECK_EQUAL(3, length);
    for (size_t before = 0; before != length;) {
        before = length;
        hs_names_callers(&names, 1, length, piece, HS_NAME_MAX);
        (void)hs_names_get(&names, HS_NAMES_SITE, 1, &length);
    }
    CHECK(length > HS_SITE_NAME_MAX - 252 && length <= HS_SITE_NAME_MAX);
    const size_t rest = HS_SITE_NAME_MAX - (length - 3);
    hs_names_callers(&names, 1, length, piece, rest);
    const uint8_t *const whole = hs_names_get(&names, HS_NAMES_SITE, 1, &length);
    CHECK_EQUAL(HS_SITE_NAME_MAX, length);
    CHECK(memcmp(whole, "...x", 4) == 0 && whole[length - 1] == 'x');
    hs_names_callers(&names, 1, length, piece, 4);
    (void)hs_names_get(&names, HS_NAMES_SITE, 1, &length);
    CHECK_EQUAL(HS_SITE_NAME_MAX, length);
    hs_names_clear(&names);
    CHECK_EQUAL(0, names.held);
}

static void a_stray_repetition_is_no_new_recording(void)
{
    stream_bytes_t bytes = {0};
    static const uint8_t facts[] = {0};
    static const uint8_t payloads[][6] = {
        {0, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 1, 1}, {2, 0, 0, 0, 2, 1}};
    static const uint8_t other[] = {0, 0, 0, 0, 0, 9};
    chunk_add(&bytes, HS_CHUNK_METADATA, 0, 0, facts, 1);
    chunk_add(&bytes, HS_CHUNK_EVENTS, 0, 1, payloads[0], 6);
    chunk_add(&bytes, HS_CHUNK_EVENTS, 0, 2, payloads[1], 6);
    chunk_add(&bytes, HS_CHUNK_METADATA, 0, 0, facts, 1);
    chunk_add(&bytes, HS_CHUNK_EVENTS, 0, 3, payloads[2], 6);
    chunk_add(&bytes, HS_CHUNK_EVENTS, 0, 1, other, 6);
    reading_t reading = read_all(&bytes);
    CHECK_EQUAL(UINT64_MAX, reading.health.next_trace);
    CHECK_EQUAL(3, reading.health.events);
    CHECK_EQUAL(2, reading.health.repeated_chunks);
    stream_events_clear(&reading.events);
    stream_bytes_clear(&bytes);
}

static void names_at_hostile_indices_hold_little(void)
{
    stream_bytes_t bytes = {0};
    uint8_t payload[40000] = {0};
    uint8_t *at = payload + 5;
    for (uint32_t index = 0; index <= HS_NAME_INDEX_MAX; index += 256) {
        for (uint8_t table = 0; table < HS_NAMES_TABLES && at < payload + sizeof payload - 8;
             table++) {
            uint8_t number[HS_VARINT_MAX];
            const size_t digits = (size_t)(hs_varint_put(number, index) - number);
            *at++ = HS_RECORD_EXTENSION | HS_EXTENSION_NAME << 3;
            *at++ = (uint8_t)(1 + digits);
            *at++ = table;
            at = hs_varint_put(at, index);
        }
    }
    for (uint32_t i = 0; i < 4; i++) {
        chunk_add(&bytes, HS_CHUNK_EVENTS, 0, i, payload, (size_t)(at - payload));
    }
    reading_t reading = read_all(&bytes);
    CHECK_EQUAL(0, reading.health.malformed_chunks);
    stream_bytes_clear(&bytes);
}

static hs_status_t refusing_sink(void *context, uint64_t first, const hs_event_t *events,
                                 size_t count)
{
    (void)first;
    (void)events;
    (void)count;
    ++*(int *)context;
    return HS_ERR_SINK;
}

static void a_refusing_sink_stops_it(void)
{
    check_random_t random = {1};
    stream_source_t source = stream_source(&random, 0);
    stream_bytes_t bytes = {0};
    stream_events_t events = {0};
    stream_write(&source, 5000, 1024, &bytes, &events);
    int requested = 0;
    hs_decoder_t *decoder = hs_decoder_new();
    CHECK_EQUAL(HS_ERR_SINK,
                hs_decoder_push(decoder, bytes.at, bytes.count, refusing_sink, &requested));
    CHECK_EQUAL(HS_ERR_SINK, hs_decoder_push(decoder, bytes.at, 100, refusing_sink, &requested));
    CHECK_EQUAL(HS_ERR_SINK, hs_decoder_finish(decoder, refusing_sink, &requested));
    CHECK_EQUAL(1, requested);
    hs_decoder_delete(decoder);
    stream_events_clear(&events);
    stream_bytes_clear(&bytes);
}

static void facts_are_bounded_and_the_last_one_holds(void)
{
    stream_bytes_t bytes = {0};
    uint8_t payload[4096];
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t *at = hs_varint_put(payload, 300);
        for (unsigned fact = 0; fact < 300; fact++) {
            *at++ = 2;
            *at++ = (uint8_t)(1 + fact / 255);
            *at++ = (uint8_t)(1 + fact % 255);
            *at++ = 1;
            *at++ = (uint8_t)i;
        }
        chunk_add(&bytes, HS_CHUNK_METADATA, 0, i, payload, (size_t)(at - payload));
    }
    hs_decoder_t *decoder = hs_decoder_new();
    CHECK_EQUAL(HS_OK, hs_decoder_push(decoder, bytes.at, bytes.count, stream_events_sink, NULL));
    CHECK_EQUAL(256, hs_decoder_metadata_count(decoder));
    const char *key;
    const uint8_t *value;
    size_t length;
    CHECK_EQUAL(HS_OK, hs_decoder_metadata(decoder, 255, &key, &value, &length));
    CHECK_EQUAL(1, length);
    CHECK_EQUAL(2, value[0]);
    CHECK_EQUAL(HS_ERR_ARGUMENT, hs_decoder_metadata(decoder, 256, &key, &value, &length));
    hs_decoder_delete(decoder);
    stream_bytes_clear(&bytes);
}

static void an_empty_input_is_no_trace(void)
{
    hs_decoder_t *decoder = hs_decoder_new();
    CHECK_EQUAL(HS_ERR_FORMAT, hs_decoder_finish(decoder, stream_events_sink, NULL));
    hs_decoder_delete(decoder);
    hs_decoder_delete(NULL);
}

int main(void)
{
    malformed_records_end_their_chunk_and_nothing_else();
    malformed_bases_drop_their_chunk();
    event_numbers_that_go_back_are_malformed();
    blocks_are_known_in_one_way_only();
    only_newer_chunks_is_reported();
    hostile_nesting_stays_linear();
    names_at_hostile_indices_hold_little();
    a_name_may_be_given_any_number_of_times();
    the_name_of_a_call_site_is_bounded();
    a_stray_repetition_is_no_new_recording();
    a_refusing_sink_stops_it();
    facts_are_bounded_and_the_last_one_holds();
    an_empty_input_is_no_trace();
    return 0;
}
