/* A reset: the memory stays, and the next boot sends what its rings had last before anything else. Whatever
 * the memory holds, a listener gets whole events of one boot, in their order, the last one among them. */
#include "line.h"
#include "listener.h"
#include "port_for_tests.h"

#if HS_RECORDER_BLACK_BOX

#define RECORDS 64u

static _Alignas(8) uint8_t memory[1 << 16];

typedef struct heard {
    hs_event_t last; /* heap event */
    uint64_t events; /* heap events */
    uint64_t lost;
    bool marked;
} heard_t;

static hs_status_t take(void *context, uint64_t first, const hs_event_t *events, size_t count)
{
    heard_t *heard = context;
    (void)first;
    for (size_t i = 0; i < count; i++) {
        if (HS_EVENT_IS_HEAP(events[i].kind)) {
            CHECK(heard->events == 0 || events[i].time >= heard->last.time);
            heard->last = events[i];
            heard->events++;
        }
        heard->lost += events[i].kind == HS_EVENT_LOST ? events[i].size : 0;
        heard->marked = heard->marked || events[i].kind == HS_EVENT_MARK;
    }
    return HS_OK;
}

/* Reads one recording; returns where the next one begins. */
static size_t recording(const uint8_t *bytes, size_t count, heard_t *heard,
                        hs_trace_health_t *health)
{
    *heard = (heard_t){.events = 0};
    hs_decoder_t *decoder = hs_decoder_new();
    CHECK(decoder != NULL);
    const hs_status_t pushed = hs_decoder_push(decoder, bytes, count, take, heard);
    CHECK(pushed == HS_OK);
    hs_decoder_health(decoder, health);
    hs_decoder_delete(decoder);
    return health->next_trace != UINT64_MAX ? (size_t)health->next_trace : count;
}

static hs_recorder_config_t config_of(line_t *line, uint32_t boot)
{
    hs_recorder_config_t config = line_config(line);
    config.black_box = true;
    config.walk = NULL;
    config.boot = boot;
    line->room = SIZE_MAX / 2;
    return config;
}

static hs_recorder_t *boot(const hs_recorder_config_t *config)
{
    return hs_recorder_open(
        memory, hs_recorder_overhead() + HS_RECORDER_CORES * RECORDS * HS_RECORDER_RECORD_BYTES,
        config);
}

static void settle(hs_recorder_t *recorder)
{
    for (int i = 0; i < 20; i++) {
        (void)hs_recorder_drain(recorder, 1000);
    }
    CHECK_EQUAL(HS_OK, hs_recorder_flush(recorder));
}

/* Some events, drained or not; then a request fails and the firmware panics. */
static void the_last_events_come_first(check_random_t *random)
{
    static hs_recorder_config_t config; /* one place in all boots, as in a firmware */
    for (uint32_t round = 1; round <= 200; round++) {
        line_t line = {.device = {.random = random}};
        const uint64_t steps = check_below(random, 300);
        const uint64_t drained = check_below(random, 4) * 40;
        config = config_of(&line, 2 * round);
        for (size_t i = 0; i < sizeof memory && round % 7 == 0; i++) {
            memory[i] = (uint8_t)check_below(random, 256); /* power was off */
        }
        line.device.recorder = boot(&config);
        CHECK(line.device.recorder != NULL);
        settle(line.device.recorder); /* what the boot before left */
        for (uint64_t i = 0; i < steps; i++) {
            device_step(&line.device);
            if (drained != 0 && check_below(random, drained) == 0) {
                (void)hs_recorder_drain(line.device.recorder, 1 + (size_t)check_below(random, 30));
            }
        }
        (void)hs_recorder_drain(line.device.recorder,
                                RECORDS + RECORDS / 2u); /* place for the last */
        port_clock += 5;
        hs_recorder_allocated(line.device.recorder, HS_EVENT_CALLOC, NULL, 4321, 0x1804,
                              (hs_callers_t){{0x40081234}});
        hs_recorder_mark(line.device.recorder, "panic");

        line.count = 0;
        port_clock = 7; /* the clock begins anew */
        config.boot = 2 * round + 1;
        line.device.recorder = boot(&config);
        CHECK(line.device.recorder != NULL);
        settle(line.device.recorder);
        heard_t heard;
        hs_trace_health_t health;
        const size_t rest = recording(line.bytes, line.count, &heard, &health);
        CHECK(rest < line.count && health.ended == 1);
        CHECK_EQUAL(0, health.skipped_bytes + health.malformed_chunks);
        CHECK_EQUAL(HS_EVENT_FAILED, heard.last.kind);
        CHECK_EQUAL(4321, heard.last.size);
        CHECK_EQUAL(0x1804, heard.last.caps);
        CHECK(heard.marked);
        CHECK(heard.events <= HS_RECORDER_CORES * RECORDS / 2u);
        /* And then this boot's own recording, from its beginning. */
        (void)recording(line.bytes + rest, line.count - rest, &heard, &health);
        CHECK_EQUAL(0, heard.events + health.lost_chunks);
        free(line.bytes);
    }
}

/* Bits that flipped while the power was low: what is sent is still a trace. */
static void a_damaged_memory_harms_nothing(check_random_t *random)
{
    static hs_recorder_config_t config;
    for (uint32_t round = 1; round <= 2000; round++) {
        line_t line = {.device = {.random = random}};
        config = config_of(&line, 2 * round);
        line.device.recorder = boot(&config);
        for (uint64_t i = check_below(random, 200); i > 0; i--) {
            device_step(&line.device);
        }
        const size_t used =
            hs_recorder_overhead() + HS_RECORDER_CORES * RECORDS * HS_RECORDER_RECORD_BYTES;
        for (uint64_t i = check_below(random, 40); i > 0; i--) {
            memory[check_below(random, used)] ^= (uint8_t)(1u << check_below(random, 8));
        }
        line.count = 0;
        config.boot = 2 * round + 1;
        line.device.recorder = boot(&config);
        CHECK(line.device.recorder != NULL);
        settle(line.device.recorder);
        heard_t heard;
        hs_trace_health_t health;
        (void)recording(line.bytes, line.count, &heard, &health);
        CHECK_EQUAL(0, health.skipped_bytes + health.malformed_chunks + health.lost_chunks);
        free(line.bytes);
    }
}

#endif

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
#if HS_RECORDER_BLACK_BOX
    the_last_events_come_first(&random);
    a_damaged_memory_harms_nothing(&random);
#else
    (void)random;
#endif
    return 0;
}
