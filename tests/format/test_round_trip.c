/* A decoder reads exactly the events that an encoder wrote: every set of features, buffers of every kind of
 * size, input in every kind of pieces. */
#include "stream.h"

#define ROUNDS 12
#define EVENTS 3000

static void reads_the_same(const stream_bytes_t *bytes, const stream_events_t *written,
                           size_t piece)
{
    stream_events_t read = {0};
    hs_trace_health_t health;
    CHECK_EQUAL(HS_OK, stream_read(bytes->at, bytes->count, piece, &read, &health));
    stream_events_equal(written, &read);
    uint64_t heap = 0;
    uint64_t lost = 0;
    for (size_t i = 0; i < written->count; i++) {
        heap += HS_EVENT_IS_HEAP(written->at[i].kind) ? 1u : 0u;
        lost += written->at[i].kind == HS_EVENT_LOST ? written->at[i].size : 0;
    }
    CHECK_EQUAL(bytes->count, health.bytes);
    CHECK_EQUAL(heap, health.events);
    CHECK_EQUAL(lost, health.lost_events);
    CHECK_EQUAL(0, health.lost_chunks + health.skipped_bytes + health.malformed_chunks +
                       health.newer_chunks + health.repeated_chunks);
    CHECK_EQUAL(UINT64_MAX, health.first_damage);
    CHECK_EQUAL(UINT64_MAX, health.next_trace);
    CHECK_EQUAL(1, health.version);
    CHECK_EQUAL(1, health.ended);
    CHECK_EQUAL(0, health.truncated);
    stream_events_clear(&read);
}

static size_t memory_size(check_random_t *random, int round)
{
    static const size_t sizes[] = {HS_TRACE_MEMORY_MIN, 520, 1024, 4096, 65000, 70000, 200000};
    const size_t kinds = sizeof sizes / sizeof sizes[0];
    return (size_t)round < kinds ? sizes[round] : 512 + (size_t)check_below(random, 70000);
}

static void round_trip(check_random_t *random, uint16_t features, int round)
{
    stream_source_t source = stream_source(random, features);
    stream_bytes_t bytes = {0};
    stream_events_t written = {0};
    stream_write(&source, EVENTS, memory_size(random, round), &bytes, &written);
    reads_the_same(&bytes, &written, 0);
    reads_the_same(&bytes, &written, 1);
    reads_the_same(&bytes, &written, 16);
    reads_the_same(&bytes, &written, 1 + (size_t)check_below(random, bytes.count));
    stream_events_clear(&written);
    stream_bytes_clear(&bytes);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    for (unsigned features = 0; features < 8; features++) {
        for (int round = 0; round < ROUNDS; round++) {
            round_trip(&random, (uint16_t)features, round);
        }
    }
    return 0;
}
