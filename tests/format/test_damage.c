/*
 * Damage: whatever happens to the bytes, every chunk that is still whole is read, in order and once,
 * and what is lost is counted. The shadow model looks for the bytes of each chunk in the damaged
 * input; a decoder cannot do better than that.
 */
#include "stream.h"

#if defined(CHECK_THIN) /* tests/CMakeLists.txt */
#define ROUNDS (400 / CHECK_THIN)
#else
#define ROUNDS 400
#endif
#define EVENTS 2500

typedef struct scene {
    stream_bytes_t bytes;
    stream_events_t events;
    size_t firsts[4096]; /* per chunk: index of its first event in `events` */
    uint64_t heap_total;
} scene_t;

/* Which events each chunk holds, by reading the trace chunk by chunk. */
static void chunks_map(scene_t *scene)
{
    stream_events_t seen = {0};
    hs_decoder_t *decoder = hs_decoder_new();
    CHECK(decoder != NULL);
    size_t at = 0;
    for (size_t i = 0; i < scene->bytes.chunks; i++) {
        scene->firsts[i] = seen.count;
        const size_t end = scene->bytes.ends[i];
        CHECK_EQUAL(HS_OK, hs_decoder_push(decoder, scene->bytes.at + at, end - at,
                                           stream_events_sink, &seen));
        at = end;
    }
    scene->firsts[scene->bytes.chunks] = seen.count;
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    scene->heap_total = health.events;
    hs_decoder_delete(decoder);
    stream_events_equal(&scene->events, &seen);
    stream_events_clear(&seen);
}

static size_t chunk_start(const scene_t *scene, size_t chunk)
{
    return chunk == 0 ? 0 : scene->bytes.ends[chunk - 1];
}

/* Replaces `removed` bytes at `at` by `added`. */
static void splice(stream_bytes_t *bytes, size_t at, size_t removed, const uint8_t *added,
                   size_t count)
{
    stream_bytes_t result = {0};
    stream_bytes_add(&result, bytes->at, at);
    stream_bytes_add(&result, added, count);
    stream_bytes_add(&result, bytes->at + at + removed, bytes->count - at - removed);
    stream_bytes_clear(bytes);
    *bytes = result;
}

static void damage_once(check_random_t *random, const scene_t *scene, stream_bytes_t *bytes)
{
    const size_t at = (size_t)check_below(random, bytes->count);
    const size_t left = bytes->count - at;
    uint8_t junk[64];
    for (size_t i = 0; i < sizeof junk; i++) {
        junk[i] = (uint8_t)check_next(random);
    }
    const size_t length = 1 + (size_t)check_below(random, sizeof junk);
    const size_t chunk = (size_t)check_below(random, scene->bytes.chunks);
    const size_t start = chunk_start(scene, chunk);
    const size_t size = scene->bytes.ends[chunk] - start;
    switch (check_below(random, 6)) {
    case 0: /* a flipped bit */
        bytes->at[at] ^= (uint8_t)(1u << check_below(random, 8));
        break;
    case 1: /* bytes overwritten */
        splice(bytes, at, length < left ? length : left, junk, length < left ? length : left);
        break;
    case 2: /* bytes inserted */
        splice(bytes, at, 0, junk, length);
        break;
    case 3: /* bytes deleted */
        splice(bytes, at, length < left ? length : left, NULL, 0);
        break;
    case 4: /* a chunk came twice, or late */
        splice(bytes, at, 0, scene->bytes.at + start, size);
        break;
    default: /* a longer gap */
        splice(bytes, at, left < 1500 ? left / 2 : (size_t)check_below(random, 1500), NULL, 0);
        break;
    }
}

/* The chunk whose bytes begin there, or the number of chunks. */
static size_t chunk_at(const scene_t *scene, const stream_bytes_t *bytes, size_t at)
{
    for (size_t i = 0; i < scene->bytes.chunks; i++) {
        const size_t start = chunk_start(scene, i);
        const size_t size = scene->bytes.ends[i] - start;
        if (bytes->count - at >= size &&
            memcmp(bytes->at + at, scene->bytes.at + start, size) == 0) {
            return i;
        }
    }
    return scene->bytes.chunks;
}

typedef struct shadow {
    stream_events_t events;
    size_t next; /* chunk */
    size_t whole;
    size_t repeated;
    size_t missing; /* before the last whole one */
    bool ended;
} shadow_t;

static void shadow_take(const scene_t *scene, shadow_t *shadow, size_t chunk)
{
    if (chunk < shadow->next) {
        shadow->repeated++;
        return;
    }
    shadow->missing += chunk - shadow->next;
    shadow->next = chunk + 1;
    shadow->whole++;
    shadow->ended = chunk + 1 == scene->bytes.chunks;
    for (size_t i = scene->firsts[chunk]; i < scene->firsts[chunk + 1]; i++) {
        stream_events_add(&shadow->events, &scene->events.at[i], scene->events.numbers[i]);
    }
}

static shadow_t shadow_read(const scene_t *scene, const stream_bytes_t *bytes)
{
    shadow_t shadow = {0};
    for (size_t at = 0; at < bytes->count;) {
        const size_t chunk = chunk_at(scene, bytes, at);
        if (chunk == scene->bytes.chunks) {
            at++;
        } else {
            at += scene->bytes.ends[chunk] - chunk_start(scene, chunk);
            shadow_take(scene, &shadow, chunk);
        }
    }
    return shadow;
}

static uint64_t heap_count(const stream_events_t *events, uint64_t *lost)
{
    uint64_t heap = 0;
    *lost = 0;
    for (size_t i = 0; i < events->count; i++) {
        heap += HS_EVENT_IS_HEAP(events->at[i].kind) ? 1u : 0u;
        *lost += events->at[i].kind == HS_EVENT_LOST ? events->at[i].size : 0;
    }
    return heap;
}

static void losses_check(const scene_t *scene, const shadow_t *shadow,
                         const hs_trace_health_t *health)
{
    uint64_t recorded_lost;
    const uint64_t heap = heap_count(&shadow->events, &recorded_lost);
    CHECK_EQUAL(heap, health->events);
    CHECK_EQUAL(shadow->whole, health->chunks);
    CHECK_EQUAL(shadow->repeated, health->repeated_chunks);
    CHECK_EQUAL(shadow->ended ? 1 : 0, health->ended);
    CHECK_EQUAL(0, health->malformed_chunks + health->newer_chunks);
    if (shadow->ended) { /* the sequence tells everything */
        CHECK_EQUAL(shadow->missing, health->lost_chunks);
        CHECK_EQUAL(scene->heap_total - heap + recorded_lost, health->lost_events);
        CHECK_EQUAL(shadow->missing > 0 || health->skipped_bytes > 0 ? 1 : 0,
                    health->first_damage != UINT64_MAX ? 1 : 0);
    } else {
        CHECK(health->lost_chunks >= shadow->missing);
        CHECK(health->lost_chunks <= scene->bytes.chunks - shadow->whole);
    }
}

static void damage_round(check_random_t *random, const scene_t *scene)
{
    stream_bytes_t bytes = {0};
    stream_bytes_add(&bytes, scene->bytes.at, scene->bytes.count);
    for (uint64_t wounds = 1 + check_below(random, 6); wounds > 0 && bytes.count > 0; wounds--) {
        damage_once(random, scene, &bytes);
    }
    if (check_below(random, 4) == 0 && bytes.count > 0) {
        bytes.count = (size_t)check_below(random, bytes.count); /* truncation */
    }
    shadow_t shadow = shadow_read(scene, &bytes);
    static const size_t pieces[] = {0, 1, 100, 0};
    stream_events_t read = {0};
    hs_trace_health_t health;
    const hs_status_t status =
        stream_read(bytes.at, bytes.count, pieces[check_below(random, 4)], &read, &health);
    CHECK_EQUAL(shadow.whole > 0 ? HS_OK : HS_ERR_FORMAT, status);
    stream_events_equal(&shadow.events, &read);
    losses_check(scene, &shadow, &health);
    stream_events_clear(&read);
    stream_events_clear(&shadow.events);
    stream_bytes_clear(&bytes);
}

/* A trace cut off at any byte: all chunks before the cut are read, and the cut is seen. */
static void every_truncation(const scene_t *scene)
{
    size_t chunk = 0;
    for (size_t cut = 0; cut <= scene->bytes.count && cut < 2500; cut++) {
        chunk += cut == scene->bytes.ends[chunk] ? 1u : 0u;
        stream_events_t read = {0};
        hs_trace_health_t health;
        (void)stream_read(scene->bytes.at, cut, 0, &read, &health);
        CHECK_EQUAL(chunk, health.chunks);
        CHECK_EQUAL(scene->firsts[chunk], read.count);
        CHECK_EQUAL(cut == chunk_start(scene, chunk) ? 0 : 1, health.truncated);
        stream_events_clear(&read);
    }
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    for (unsigned features = 0; features < 8; features++) {
        scene_t *scene = calloc(1, sizeof *scene);
        CHECK(scene != NULL);
        stream_source_t source = stream_source(&random, (uint16_t)features);
        stream_write(&source, EVENTS, 1024, &scene->bytes, &scene->events);
        chunks_map(scene);
        every_truncation(scene);
        for (int round = 0; round < ROUNDS / 8; round++) {
            damage_round(&random, scene);
        }
        stream_events_clear(&scene->events);
        stream_bytes_clear(&scene->bytes);
        free(scene);
    }
    return 0;
}
