/*
 * Any bytes through the trace decoder: it neither crashes nor holds more than it may, gives only
 * events that the format allows, and gives the same ones however the bytes are cut in pieces.
 * Input that begins with the sync's first byte is taken as it is; other input, without its first
 * byte, as descriptions of chunks (framed.h).
 */
#define HS_HELD_ITSELF 1 /* what the target itself allocates is not counted */

#include <string.h>

#include "framed.h"
#include "fuzz.h"
#include "held.h"
#include "trace/decoder.h"
#include "trace/state.h"

typedef struct hs_seen {
    uint64_t digest;
    uint64_t heap_events;
    uint64_t next; /* event number */
    hs_state_t *state;
    const hs_decoder_t *decoder;
} hs_seen_t;

/* The live blocks that the events tell are those that are counted, and none is there twice. */
static void state_check(const hs_state_t *state)
{
    hs_state_figures_t figures;
    hs_state_figures(state, &figures);
    uint64_t blocks = 0;
    uint64_t bytes = 0;
    hs_state_block_t block;
    for (size_t at = 0; hs_state_next(state, &at, &block);) {
        hs_state_block_t match;
        FUZZ_REQUIRE(hs_state_find(state, block.address, &match));
        FUZZ_REQUIRE(match.size == block.size);
        blocks++;
        bytes += block.size;
    }
    FUZZ_REQUIRE(blocks == figures.blocks && bytes == figures.bytes);
    FUZZ_REQUIRE(figures.known || blocks == 0);
}

static void event_check(const hs_event_t *event)
{
    FUZZ_REQUIRE(event->kind >= HS_EVENT_MALLOC && event->kind <= HS_EVENT_FREE_MEMORY);
    FUZZ_REQUIRE(event->task <= HS_NAME_INDEX_MAX &&
                 event->site <= HS_NAME_INDEX_MAX + (event->kind == HS_EVENT_LEVEL ? 1u : 0u));
    FUZZ_REQUIRE(event->align_log2 <= 31);
    const bool indexed = (event->kind >= HS_EVENT_MARK && event->kind <= HS_EVENT_POOL_RELEASE &&
                          event->kind != HS_EVENT_LOST) ||
                         event->kind == HS_EVENT_TASK_ON || event->kind == HS_EVENT_REGION;
    FUZZ_REQUIRE(!indexed || event->key <= HS_NAME_INDEX_MAX);
    FUZZ_REQUIRE(event->kind != HS_EVENT_TASK_ON || event->new_key <= 255);
    FUZZ_REQUIRE(event->kind != HS_EVENT_FREE || (event->size == 0 && event->caps == 0));
}

static hs_status_t take(void *context, uint64_t first, const hs_event_t *events, size_t count)
{
    hs_seen_t *seen = context;
    FUZZ_REQUIRE(count > 0 && count <= HS_BATCH_EVENTS);
    FUZZ_REQUIRE(first >= seen->next);
    seen->next = first;
    if (seen->state != NULL) {
        hs_trace_health_t health;
        hs_decoder_health(seen->decoder, &health);
        hs_state_shift(seen->state, hs_decoder_shift(seen->decoder));
        FUZZ_REQUIRE(hs_state_events(seen->state, health.gaps, events, count) == HS_OK);
        state_check(seen->state);
    }
    for (size_t i = 0; i < count; i++) {
        const hs_event_t *event = &events[i];
        event_check(event);
        seen->next += HS_EVENT_IS_HEAP(event->kind) ? 1u : 0u;
        seen->heap_events += HS_EVENT_IS_HEAP(event->kind) ? 1u : 0u;
        uint64_t digest = fuzz_fnv(seen->digest, event->key);
        digest = fuzz_fnv(digest, event->new_key);
        digest = fuzz_fnv(digest, event->size);
        digest = fuzz_fnv(digest, event->time);
        digest = fuzz_fnv(digest, (uint64_t)event->task << 32 | event->caps);
        seen->digest = fuzz_fnv(digest, (uint64_t)event->site << 32 | (uint32_t)event->heap << 16 |
                                            (uint32_t)event->kind << 8 | event->align_log2);
    }
    return HS_OK;
}

static void contents_digest(const hs_decoder_t *decoder, hs_seen_t *seen)
{
    for (size_t i = 0; i < hs_decoder_metadata_count(decoder); i++) {
        const char *key;
        const uint8_t *value;
        size_t length;
        FUZZ_REQUIRE(hs_decoder_metadata(decoder, i, &key, &value, &length) == HS_OK);
        seen->digest = fuzz_fnv(seen->digest, strlen(key));
        seen->digest = fuzz_fnv(seen->digest, length == 0 ? 0 : value[length - 1]);
    }
    for (unsigned table = 0; table < HS_NAMES_TABLES; table++) {
        const uint32_t names = hs_decoder_name_count(decoder, (hs_name_table_t)table);
        FUZZ_REQUIRE(names <= HS_NAME_INDEX_MAX + 1);
        for (uint32_t i = 0; i < names && i < 300; i++) {
            size_t length;
            const uint8_t *name = hs_decoder_name(decoder, (hs_name_table_t)table, i, &length);
            seen->digest = fuzz_fnv(seen->digest, name == NULL ? 999 : length);
        }
    }
}

/* Decodes with pieces of the given size (0: all at once). */
static hs_seen_t decode(const uint8_t *bytes, size_t count, size_t piece, hs_trace_health_t *health)
{
    hs_seen_t seen = {.digest = FUZZ_FNV_BASIS};
    hs_held_reset();
    hs_decoder_t *decoder = hs_decoder_new();
    FUZZ_REQUIRE(decoder != NULL);
    for (size_t at = 0; at < count;) {
        const size_t part = piece == 0 || piece > count - at ? count - at : piece;
        FUZZ_REQUIRE(hs_decoder_push(decoder, bytes + at, part, take, &seen) == HS_OK);
        at += part;
    }
    seen.digest = fuzz_fnv(seen.digest, (uint64_t)hs_decoder_finish(decoder, take, &seen));
    hs_decoder_health(decoder, health);
    contents_digest(decoder, &seen);
    /* A name of one byte may cost a page, a table 32 KB, the first fact 256 places. */
    FUZZ_REQUIRE(hs_held_peak() <= (size_t)600 * 1024 + count * 450);
    hs_decoder_delete(decoder);
    FUZZ_REQUIRE(hs_held_now() == 0);
    FUZZ_REQUIRE(health->events == seen.heap_events);
    FUZZ_REQUIRE(health->bytes == count && health->skipped_bytes <= count);
    return seen;
}

/* The host's memory ends at the nth request: names and facts may be missing, never events. */
static void decode_short(const uint8_t *bytes, size_t count, size_t nth, uint64_t heap_events)
{
    hs_seen_t seen = {.digest = FUZZ_FNV_BASIS};
    hs_held_reset();
    hs_held_fail_at(nth);
    hs_decoder_t *decoder = hs_decoder_new();
    if (decoder != NULL) {
        FUZZ_REQUIRE(hs_decoder_push(decoder, bytes, count, take, &seen) == HS_OK);
        (void)hs_decoder_finish(decoder, take, &seen);
        FUZZ_REQUIRE(seen.heap_events == heap_events);
    }
    hs_decoder_delete(decoder);
    FUZZ_REQUIRE(hs_held_now() == 0);
    hs_held_reset();
}

/* The state behind the events, from its beginning or from the middle on: with memory of its own, which the
 * decoder's bound does not count. */
static void state_of(const uint8_t *bytes, size_t count)
{
    hs_held_reset();
    for (unsigned known = 0; known < 2; known++) {
        hs_decoder_t *decoder = hs_decoder_new();
        hs_seen_t seen = {.state = hs_state_new(known != 0), .decoder = decoder};
        FUZZ_REQUIRE(decoder != NULL && seen.state != NULL);
        FUZZ_REQUIRE(hs_decoder_push(decoder, bytes, count, take, &seen) == HS_OK);
        hs_state_delete(seen.state);
        hs_decoder_delete(decoder);
    }
    FUZZ_REQUIRE(hs_held_now() == 0);
}

static void check(const uint8_t *bytes, size_t count)
{
    state_of(bytes, count);
    hs_trace_health_t whole;
    const hs_seen_t seen = decode(bytes, count, 0, &whole);
    decode_short(bytes, count, 1 + count % 8, seen.heap_events);
    const size_t pieces[] = {1, 7, 1 + count / 2, 1 + count * 3 / 4};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        hs_trace_health_t health;
        const hs_seen_t again = decode(bytes, count, pieces[i], &health);
        FUZZ_REQUIRE(again.digest == seen.digest);
        FUZZ_REQUIRE(memcmp(&health, &whole, sizeof health) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || data[0] == 0x48) {
        check(data, size);
        return 0;
    }
    uint8_t *framed = malloc(FRAMED_MAX(size));
    FUZZ_REQUIRE(framed != NULL);
    check(framed, framed_build(data + 1, size - 1, framed));
    free(framed);
    return 0;
}
