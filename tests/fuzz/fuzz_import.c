/*
 * Any bytes through the importer, as any of its forms: it neither crashes nor holds more than it may, writes a trace
 * that reads back without a fault and with as many events as it says, and writes the same one
 * however the bytes are cut in pieces.
 */
#define HS_HELD_ITSELF 1 /* what the target itself allocates is not counted */

#include <string.h>

#include "capture/import.h"
#include "fuzz.h"
#include "held.h"
#include "trace/decoder.h"

typedef struct hs_written {
    uint8_t *bytes;
    size_t count;
    hs_import_stats_t stats;
    uint32_t features;
} hs_written_t;

static uint64_t left_out_check(hs_import_t *import, const hs_import_stats_t *stats)
{
    uint64_t sum = 0, kept = 0, before = 0;
    for (uint32_t reason = 0; hs_import_reason_name(reason) != NULL; reason++) {
        sum += hs_import_reason_count(import, reason);
    }
    FUZZ_REQUIRE(sum == stats->bad_lines);
    hs_import_line_t line;
    for (; hs_import_left_out(import, &line, 1) == 1; kept++) {
        FUZZ_REQUIRE(line.line > before && line.line <= stats->lines);
        FUZZ_REQUIRE(line.reason > HS_IMPORT_TAKEN && line.reason < HS_IMPORT_REASONS);
        FUZZ_REQUIRE(line.length <= HS_IMPORT_BAD_MAX);
        before = line.line;
    }
    return kept;
}

/* False: a line needs the features that `written` tells as wanted. */
static bool import_with(hs_import_form_t form, uint32_t features, const uint8_t *text, size_t count,
                        size_t piece, hs_written_t *out)
{
    hs_held_reset();
    hs_import_t *import = hs_import_new(form, features);
    FUZZ_REQUIRE(import != NULL);
    hs_status_t status = HS_OK;
    for (size_t at = 0; at < count && status == HS_OK;) {
        const size_t part = piece == 0 || piece > count - at ? count - at : piece;
        status = hs_import_push(import, text + at, part);
        at += part;
    }
    const hs_status_t finished = hs_import_finish(import);
    FUZZ_REQUIRE(status == HS_OK || status == finished);
    hs_written_t written = {0};
    hs_import_stats(import, &written.stats);
    FUZZ_REQUIRE(finished == (written.stats.wanted == 0 ? HS_OK : HS_ERR_VERSION));
    if (finished != HS_OK) {
        FUZZ_REQUIRE((written.stats.wanted & features) == 0);
        hs_import_delete(import);
        FUZZ_REQUIRE(hs_held_now() == 0);
        *out = written;
        return false;
    }
    const uint8_t *bytes;
    written.count = hs_import_take(import, &bytes);
    written.bytes = malloc(written.count);
    FUZZ_REQUIRE(written.bytes != NULL);
    memcpy(written.bytes, bytes, written.count);
    size_t length;
    const uint8_t *bad = hs_import_bad_line(import, &length);
    FUZZ_REQUIRE(length <= HS_IMPORT_BAD_MAX && (bad != NULL) == (written.stats.bad_lines > 0));
    const uint64_t kept = left_out_check(import, &written.stats);
    FUZZ_REQUIRE(kept == (written.stats.bad_lines < HS_IMPORT_BAD_KEPT ? written.stats.bad_lines
                                                                       : HS_IMPORT_BAD_KEPT));
    FUZZ_REQUIRE(hs_held_peak() <=
                 (size_t)400 * 1024 + count * (form == HS_IMPORT_TEXT ? 32 : 256));
    hs_import_delete(import);
    FUZZ_REQUIRE(hs_held_now() == 0);
    *out = written;
    return true;
}

static hs_written_t import_as(hs_import_form_t form, const uint8_t *text, size_t count,
                              size_t piece)
{
    hs_written_t written;
    uint32_t features = 0;
    for (int round = 0; !import_with(form, features, text, count, piece, &written); round++) {
        FUZZ_REQUIRE(round < 3); /* there are three features */
        features |= written.stats.wanted;
    }
    written.features = features;
    return written;
}

static hs_status_t take(void *context, uint64_t first, const hs_event_t *events, size_t count)
{
    (void)first;
    uint64_t *blocks = context;
    for (size_t i = 0; i < count; i++) {
        const hs_event_t *event = &events[i];
        if (event->kind <= HS_EVENT_ALIGNED) {
            FUZZ_REQUIRE(event->key == *blocks);
            ++*blocks;
        } else if (event->kind <= HS_EVENT_FREE) {
            FUZZ_REQUIRE(event->key < *blocks || event->key == HS_KEY_NONE);
        }
    }
    return HS_OK;
}

static hs_status_t any(void *context, uint64_t first, const hs_event_t *events, size_t count)
{
    (void)context, (void)first, (void)events, (void)count;
    return HS_OK;
}

static void read_back(const hs_written_t *written)
{
    uint64_t blocks = 0;
    const hs_event_sink_t sink = written->features & HS_TRACE_ADDRESSES ? any : take;
    hs_decoder_t *decoder = hs_decoder_new();
    FUZZ_REQUIRE(decoder != NULL);
    FUZZ_REQUIRE(hs_decoder_push(decoder, written->bytes, written->count, sink, &blocks) == HS_OK);
    FUZZ_REQUIRE(hs_decoder_finish(decoder, sink, &blocks) == HS_OK);
    hs_trace_health_t health;
    hs_decoder_health(decoder, &health);
    FUZZ_REQUIRE(health.ended == 1 && health.first_damage == UINT64_MAX);
    FUZZ_REQUIRE(health.events == written->stats.events);
    hs_decoder_delete(decoder);
}

/* The host's memory ends at the nth request: the import says so and leaves nothing behind. */
static void import_short(hs_import_form_t form, const uint8_t *text, size_t count, size_t nth)
{
    hs_held_reset();
    hs_held_fail_at(nth);
    hs_import_t *import = hs_import_new(form, HS_TRACE_CLOCK | HS_TRACE_SITES);
    if (import != NULL) {
        const hs_status_t pushed = hs_import_push(import, text, count);
        const hs_status_t finished = hs_import_finish(import);
        FUZZ_REQUIRE(pushed == HS_OK || pushed == finished);
        FUZZ_REQUIRE(finished == HS_OK || finished == HS_ERR_MEMORY || finished == HS_ERR_VERSION);
        FUZZ_REQUIRE(finished != HS_OK || hs_held_calls() < nth);
    }
    hs_import_delete(import);
    FUZZ_REQUIRE(hs_held_now() == 0);
    hs_held_reset();
}

static void try_form(hs_import_form_t form, const uint8_t *data, size_t size)
{
    const hs_written_t whole = import_as(form, data, size, 0);
    read_back(&whole);
    import_short(form, data, size, 1 + size % 12);
    const size_t pieces[] = {1, 13, 1 + size / 2};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        const hs_written_t again = import_as(form, data, size, pieces[i]);
        FUZZ_REQUIRE(again.count == whole.count);
        FUZZ_REQUIRE(memcmp(again.bytes, whole.bytes, whole.count) == 0);
        FUZZ_REQUIRE(memcmp(&again.stats, &whole.stats, sizeof whole.stats) == 0);
        free(again.bytes);
    }
    free(whole.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_form((hs_import_form_t)(size % 3), data, size); /* mutations change the size */
    return 0;
}
