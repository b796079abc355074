#include "text_imported.h"

static imported_t import_with(const char *text, size_t count, size_t piece, uint32_t features)
{
    imported_t result = {.features = features};
    hs_import_t *import = hs_import_new(HS_IMPORT_TEXT, features);
    CHECK(import != NULL);
    CHECK_EQUAL(HS_OK, hs_import_metadata(import, "source", "text"));
    const uint8_t *taken;
    for (size_t at = 0; at < count;) {
        const size_t part = piece == 0 || piece > count - at ? count - at : piece;
        const hs_status_t status = hs_import_push(import, (const uint8_t *)text + at, part);
        if (status == HS_ERR_VERSION) {
            hs_import_stats(import, &result.stats);
            hs_import_delete(import);
            return result;
        }
        CHECK_EQUAL(HS_OK, status);
        at += part;
        const size_t size = hs_import_take(import, &taken);
        stream_bytes_add(&result.bytes, taken, size);
    }
    const hs_status_t finished = hs_import_finish(import);
    if (finished == HS_ERR_VERSION) {
        hs_import_stats(import, &result.stats);
        hs_import_delete(import);
        return result;
    }
    CHECK_EQUAL(HS_OK, finished);
    const size_t size = hs_import_take(import, &taken);
    stream_bytes_add(&result.bytes, taken, size);
    CHECK_EQUAL(0, hs_import_take(import, &taken));
    hs_import_stats(import, &result.stats);
    const uint8_t *bad = hs_import_bad_line(import, &result.bad_length);
    CHECK_EQUAL(result.stats.bad_lines > 0 ? 1 : 0, bad != NULL ? 1 : 0);
    if (bad != NULL) {
        memcpy(result.bad, bad, result.bad_length);
    }
    result.left_count = hs_import_left_out(import, result.left, IMPORTED_LEFT);
    hs_import_delete(import);
    result.decoder = hs_decoder_new();
    CHECK_EQUAL(HS_OK, hs_decoder_push(result.decoder, result.bytes.at, result.bytes.count,
                                       stream_events_sink, &result.events));
    CHECK_EQUAL(HS_OK, hs_decoder_finish(result.decoder, stream_events_sink, &result.events));
    hs_trace_health_t health;
    hs_decoder_health(result.decoder, &health);
    CHECK_EQUAL(result.stats.events, health.events);
    CHECK_EQUAL(1, health.ended);
    return result;
}

imported_t import_text(const char *text, size_t count, size_t piece)
{
    imported_t imported = import_with(text, count, piece, 0);
    while (imported.stats.wanted != 0) { /* bound: there are three features */
        const uint32_t features = imported.features | imported.stats.wanted;
        imported_clear(&imported);
        imported = import_with(text, count, piece, features);
    }
    return imported;
}

void imported_clear(imported_t *imported)
{
    hs_decoder_delete(imported->decoder);
    stream_events_clear(&imported->events);
    stream_bytes_clear(&imported->bytes);
}

void event_is(const imported_t *imported, size_t index, unsigned kind, uint64_t key, uint64_t size,
              uint32_t task)
{
    CHECK(index < imported->events.count);
    const hs_event_t *event = &imported->events.at[index];
    CHECK_EQUAL(kind, event->kind);
    CHECK_EQUAL(key, event->key);
    CHECK_EQUAL(size, event->size);
    CHECK_EQUAL(task, event->task);
}

void name_is(const imported_t *imported, hs_name_table_t table, uint32_t index, const char *wanted)
{
    size_t length;
    const uint8_t *name = hs_decoder_name(imported->decoder, table, index, &length);
    CHECK(name != NULL);
    CHECK_EQUAL(strlen(wanted), length);
    CHECK(memcmp(wanted, name, length) == 0);
}
