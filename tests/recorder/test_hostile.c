/* A stream joined in the middle, two boots mixed, bytes flipped, dropped, repeated and put in, a clock that
 * jumps: a listener's state is at each event the program's own, or not known; and what is missing is counted. */
#include "line.h"
#include "listener.h"
#include "port_for_tests.h"

#define ROUNDS 150
#define EVENTS_MAX 4096u
#define LAST 3000u /* bytes of a stream with whole chunks in them */

/* One heap event of the program, as it changed the heap. */
typedef struct change {
    uint16_t before, after; /* numbers of addresses; DEVICE_BLOCKS: none */
    uint32_t size;
} change_t;

/* A boot: its stream, and the program's own account of its heap. */
typedef struct boot {
    line_t line;
    change_t changes[EVENTS_MAX];
    uint32_t count;
    uint32_t identity;
} boot_t;

/* Who listens, with the heap as it was at the event that was heard last. */
typedef struct shadow {
    listener_t *listener;
    const boot_t *boot;
    uint32_t sizes[DEVICE_BLOCKS];
    uint64_t at;    /* events of it */
    uint64_t known; /* how often the state was compared */
} shadow_t;

static void note(boot_t *boot, const uint32_t *before)
{
    const uint32_t *now = boot->line.device.sizes;
    change_t change = {DEVICE_BLOCKS, DEVICE_BLOCKS, 0};
    for (uint16_t i = 0; i < DEVICE_BLOCKS; i++) {
        if (before[i] != 0 && now[i] == 0) {
            change.before = i;
        } else if (now[i] != before[i]) {
            change.after = i;
            change.size = now[i];
        }
    }
    CHECK(boot->count < EVENTS_MAX);
    boot->changes[boot->count++] = change;
}

static void step(boot_t *boot)
{
    uint32_t before[DEVICE_BLOCKS];
    memcpy(before, boot->line.device.sizes, sizeof before);
    const uint64_t issued = boot->line.device.issued;
    device_step(&boot->line.device);
    if (boot->line.device.issued != issued) {
        note(boot, before);
    }
}

/* A run whose line is quick enough, so that the number of an event is the same on both sides. */
static void boot_run(boot_t *boot, check_random_t *random, uint32_t identity)
{
    static _Alignas(8) uint8_t memory[1 << 18];
    *boot = (boot_t){.identity = identity};
    boot->line.device.random = random;
    hs_recorder_config_t config = line_config(&boot->line);
    config.boot = identity;
    config.program = "\x1b[2J;\xff hostile";
    boot->line.device.recorder = hs_recorder_open(memory, sizeof memory, &config);
    CHECK(boot->line.device.recorder != NULL);
    for (int i = 0; i < 2000; i++) {
        step(boot);
        boot->line.room = SIZE_MAX / 2;
        if (check_below(random, 50) == 0) {
            port_clock = (uint32_t)check_next(random); /* it lies */
        }
        if (check_below(random, 300) == 0) {
            hs_recorder_snapshot(boot->line.device.recorder);
        }
        if (check_below(random, 8) == 0) {
            (void)hs_recorder_drain(boot->line.device.recorder,
                                    1 + (size_t)check_below(random, 40));
        }
    }
    hs_recorder_snapshot(boot->line.device.recorder);
    for (int i = 0; i < 300; i++) {
        (void)hs_recorder_drain(boot->line.device.recorder, 10000);
    }
    CHECK_EQUAL(HS_OK, hs_recorder_flush(boot->line.device.recorder));
    hs_recorder_figures_t figures;
    hs_recorder_figures(boot->line.device.recorder, &figures);
    CHECK_EQUAL(0, figures.lost);
}

static void advance(shadow_t *shadow, uint64_t to)
{
    CHECK(to <= shadow->boot->count);
    for (; shadow->at < to; shadow->at++) {
        const change_t *change = &shadow->boot->changes[shadow->at];
        if (change->before != DEVICE_BLOCKS) {
            shadow->sizes[change->before] = 0;
        }
        if (change->after != DEVICE_BLOCKS) {
            shadow->sizes[change->after] = change->size;
        }
    }
}

static void compare(shadow_t *shadow)
{
    hs_state_figures_t figures;
    hs_state_figures(shadow->listener->state, &figures);
    if (!figures.known) {
        return;
    }
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < DEVICE_BLOCKS; i++) {
        blocks += shadow->sizes[i] != 0;
        bytes += shadow->sizes[i];
    }
    CHECK_EQUAL(blocks, figures.blocks);
    CHECK_EQUAL(bytes, figures.bytes);
    for (uint32_t i = 0; i < DEVICE_BLOCKS; i++) {
        hs_state_block_t block;
        const bool live = hs_state_find(shadow->listener->state, device_address(i), &block);
        CHECK_EQUAL(shadow->sizes[i] != 0, live);
        CHECK(!live || block.size == shadow->sizes[i]);
    }
    shadow->known++;
}

static hs_status_t take(void *context, uint64_t first, const hs_event_t *events, size_t count)
{
    shadow_t *shadow = context;
    listener_t *listener = shadow->listener;
    hs_trace_health_t health;
    hs_decoder_health(listener->decoder, &health);
    CHECK_EQUAL(HS_TRACE_BOOT(shadow->boot->identity), health.features & HS_TRACE_BOOT(0xFFu));
    advance(shadow, first); /* over what was lost */
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(HS_OK, hs_state_events(listener->state, health.gaps, &events[i], 1));
        if (HS_EVENT_IS_HEAP(events[i].kind)) {
            advance(shadow, ++first);
            listener->heard++;
        }
        if (events[i].kind == HS_EVENT_SNAPSHOT_END || first % 16 == 0) {
            compare(shadow);
        }
    }
    return HS_OK;
}

static hs_status_t ignore(void *context, uint64_t first, const hs_event_t *events, size_t count)
{
    (void)context;
    (void)first;
    (void)events;
    (void)count;
    return HS_OK;
}

/* Those of the first whole chunk, which say which boot it is of; 0: none. */
static uint32_t features_of(const uint8_t *bytes, size_t count)
{
    hs_decoder_t *decoder = hs_decoder_new();
    hs_trace_health_t health = {.features = 0};
    for (size_t at = 0; at < count && health.features == 0; at++) {
        CHECK_EQUAL(HS_OK, hs_decoder_push(decoder, bytes + at, 1, ignore, NULL));
        hs_decoder_health(decoder, &health);
    }
    hs_decoder_delete(decoder);
    return health.features;
}

/* Hears a stream as one does who begins anew at each other boot. Returns how often the state was compared. */
static uint64_t hear(const boot_t boots[2], const uint8_t *bytes, size_t count, bool clean_end)
{
    uint64_t known = 0;
    for (size_t from = 0; from < count;) {
        shadow_t shadow = {.listener = listener_new()};
        const uint32_t features = features_of(bytes + from, count - from);
        shadow.boot = HS_TRACE_BOOT(boots[0].identity) == (features & HS_TRACE_BOOT(0xFFu))
                          ? &boots[0]
                          : &boots[1];
        CHECK_EQUAL(HS_OK, hs_decoder_push(shadow.listener->decoder, bytes + from, count - from,
                                           take, &shadow));
        hs_trace_health_t health;
        hs_decoder_health(shadow.listener->decoder, &health);
        known += shadow.known;
        CHECK(shadow.listener->heard + health.lost_events <= shadow.boot->count);
        if (health.next_trace == UINT64_MAX) {
            CHECK(!clean_end || shadow.listener->heard + health.lost_events == shadow.boot->count);
            from = count;
        } else {
            CHECK(health.next_trace > 0);
            from += (size_t)health.next_trace;
        }
        listener_delete(shadow.listener);
    }
    return known;
}

typedef struct stream {
    uint8_t *bytes;
    size_t count;
} stream_t;

static void put(stream_t *stream, const uint8_t *bytes, size_t count)
{
    stream->bytes = realloc(stream->bytes, stream->count + count + 1);
    CHECK(stream->bytes != NULL);
    memcpy(stream->bytes + stream->count, bytes, count);
    stream->count += count;
}

/* Pieces of one boot, damaged: what a listener hears who joins in the middle. */
static void damaged(stream_t *out, check_random_t *random, const boot_t *boot, bool to_end)
{
    const uint8_t *bytes = boot->line.bytes;
    const size_t whole = boot->line.count;
    size_t at = check_below(random, 2) == 0 ? 0 : (size_t)check_below(random, whole - LAST);
    while (at < whole && (to_end || check_below(random, 12) != 0)) {
        const size_t length = 1 + (size_t)check_below(random, whole / 8);
        const bool enough = length < whole - at && (!to_end || whole - at - length >= LAST);
        const size_t taken = enough ? length : whole - at;
        const size_t begin = out->count;
        const bool last = at + taken == whole;
        put(out, bytes + at, taken);
        switch (check_below(random, last && to_end ? 2 : 6)) {
        case 0:
            break; /* as it was sent */
        case 1:    /* again */
            put(out, bytes + at, taken);
            break;
        case 2: /* bits flipped */
            for (int i = 0; i < 3; i++) {
                out->bytes[begin + check_below(random, taken)] ^=
                    (uint8_t)(1u << check_below(random, 8));
            }
            break;
        case 3: /* the end dropped */
            out->count = begin + (size_t)check_below(random, taken);
            break;
        case 4: /* log text */
            put(out, (const uint8_t *)"W (9) HS\xC7 \x1b[31m\r\n", 17);
            break;
        default: /* from before */
            put(out, bytes + check_below(random, at + 1), taken < at ? taken : 0);
            break;
        }
        at += taken;
    }
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    static boot_t boots[2];
    uint64_t known = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (round % 30 == 0) {
            boot_run(&boots[0], &random, 2 * round + 1);
            boot_run(&boots[1], &random, 2 * round + 2);
        }
        stream_t stream = {0};
        const uint64_t parts = check_below(&random, 4);
        for (uint64_t i = 0; i < parts; i++) {
            damaged(&stream, &random, &boots[check_below(&random, 2)], false);
        }
        damaged(&stream, &random, &boots[check_below(&random, 2)], true);
        known += hear(boots, stream.bytes, stream.count, true);
        free(stream.bytes);
        if (round % 30 == 29) {
            free(boots[0].line.bytes);
            free(boots[1].line.bytes);
        }
    }
    printf("the state was known, and right, at %" PRIu64 " events\n", known);
    CHECK(known > 1000);
    return 0;
}
