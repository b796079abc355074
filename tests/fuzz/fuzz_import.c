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
} hs_written_t;

static hs_written_t import_as(hs_import_form_t form, const uint8_t *text, size_t count,
                              size_t piece)
{
    hs_held_reset();
    hs_import_t *import = hs_import_new(form);
    FUZZ_REQUIRE(import != NULL);
    for (size_t at = 0; at < count;) {
        const size_t part = piece == 0 || piece > count - at ? count - at : piece;
        FUZZ_REQUIRE(hs_import_push(import, text + at, part) == HS_OK);
        at += part;
    }
    FUZZ_REQUIRE(hs_import_finish(import) == HS_OK);
    const uint8_t *bytes;
    hs_written_t written;
    written.count = hs_import_take(import, &bytes);
    written.bytes = malloc(written.count);
    FUZZ_REQUIRE(written.bytes != NULL);
    memcpy(written.bytes, bytes, written.count);
    hs_import_stats(import, &written.stats);
    size_t length;
    const uint8_t *bad = hs_import_bad_line(import, &length);
    FUZZ_REQUIRE(length <= HS_IMPORT_BAD_MAX && (bad != NULL) == (written.stats.bad_lines > 0));
    FUZZ_REQUIRE(hs_held_peak() <=
                 (size_t)400 * 1024 + count * (form == HS_IMPORT_TEXT ? 32 : 256));
    hs_import_delete(import);
    FUZZ_REQUIRE(hs_held_now() == 0);
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

static void read_back(const hs_written_t *written)
{
    uint64_t blocks = 0;
    hs_decoder_t *decoder = hs_decoder_new();
    FUZZ_REQUIRE(decoder != NULL);
    FUZZ_REQUIRE(hs_decoder_push(decoder, written->bytes, written->count, take, &blocks) == HS_OK);
    FUZZ_REQUIRE(hs_decoder_finish(decoder, take, &blocks) == HS_OK);
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
    hs_import_t *import = hs_import_new(form);
    if (import != NULL) {
        const hs_status_t pushed = hs_import_push(import, text, count);
        const hs_status_t finished = hs_import_finish(import);
        FUZZ_REQUIRE(pushed == HS_OK || (pushed == HS_ERR_MEMORY && finished == HS_ERR_MEMORY));
        FUZZ_REQUIRE(finished == HS_OK || finished == HS_ERR_MEMORY);
        FUZZ_REQUIRE(finished == HS_ERR_MEMORY || hs_held_calls() < nth);
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
