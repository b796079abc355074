/*
 * A listener to a device: a stream of log text and chunks in, and out of it the text, the whole chunks of
 * one recording after the other, and the state that they tell.
 */
#include <stdlib.h>
#include <string.h>

#include "lab/fact.h"
#include "lab/listener.h"
#include "lab/reader.h"
#include "listen/end_chunk.h"

#define PENDING_MAX                                                                                \
    ((size_t)4 << 20) /* bytes of chunks that may be repeated, or another recording's */
#define BLOCKS_MAX (UINT64_C(1) << 20) /* no chip has as many; beyond them the state is not known */

static hs_status_t recording_begin(hs_lab_listener_t *listener)
{
    hs_decoder_delete(listener->decoder);
    hs_state_delete(listener->state);
    listener->decoder = hs_decoder_new();
    listener->state = hs_state_new(false);
    listener->heard = false;
    listener->decided = false;
    listener->metadata = false;
    listener->unsettled = listener->kept = listener->facts = 0;
    hs_trend_clear(&listener->trend);
    return listener->decoder == NULL || listener->state == NULL ? HS_ERR_MEMORY : HS_OK;
}

hs_lab_listener_t *hs_lab_listener_new(void)
{
    hs_lab_listener_t *listener = calloc(1, sizeof *listener);
    if (listener == NULL) {
        return NULL;
    }
    hs_stream_init(&listener->stream);
    listener->before = UINT32_MAX;
    if (recording_begin(listener) != HS_OK) {
        hs_lab_listener_delete(listener);
        return NULL;
    }
    return listener;
}

void hs_lab_listener_delete(hs_lab_listener_t *listener)
{
    if (listener != NULL) {
        hs_decoder_delete(listener->decoder);
        hs_state_delete(listener->state);
        hs_queue_free(&listener->text);
        hs_queue_free(&listener->notices.waiting);
        hs_queue_free(&listener->chunks);
        hs_console_free(&listener->console);
        hs_queue_free(&listener->pending);
        hs_trend_clear(&listener->trend);
        hs_owners_free(&listener->owners);
        hs_live_blocks_free(&listener->blocks);
        hs_live_replay_free(&listener->replay);
        free(listener);
    }
}

/* ---- events ---- */

static hs_status_t state_new(hs_lab_listener_t *listener, bool known)
{
    hs_state_t *built = hs_state_new(known);
    if (built == NULL) {
        return HS_ERR_MEMORY;
    }
    hs_state_delete(listener->state);
    listener->state = built;
    return HS_OK;
}

/* Only a recording from its first event on, of a recorder that says so, begins with an empty heap. */
static hs_status_t decide(hs_lab_listener_t *listener, uint64_t first, uint64_t gaps)
{
    listener->decided = true;
    const bool unknown = first != 0 || gaps != 0 || hs_fact_begins_unknown(listener->decoder);
    return unknown ? HS_OK : state_new(listener, true);
}

/* A stream made for it could make the table of blocks grow without end. */
static hs_status_t bound(hs_lab_listener_t *listener, const hs_event_t *event,
                         const hs_state_figures_t *figures)
{
    const bool settles = event->kind == HS_EVENT_SNAPSHOT || event->kind == HS_EVENT_SNAPSHOT_END;
    listener->unsettled = settles ? 0 : listener->unsettled + 1;
    if (figures->blocks <= BLOCKS_MAX && (figures->known || listener->unsettled <= BLOCKS_MAX)) {
        return HS_OK;
    }
    listener->account.sums.overflows++;
    listener->unsettled = 0;
    return state_new(listener, false);
}

static hs_status_t event_take(hs_lab_listener_t *listener, const hs_event_t *event, uint64_t gaps)
{
    hs_lab_listened_t *sums = &listener->account.sums;
    hs_state_figures_t before;
    hs_state_figures_t after;
    hs_account_event(&listener->account, event);
    hs_state_figures(listener->state, &before);
    hs_status_t status = hs_state_events(listener->state, gaps, event, 1);
    hs_state_figures(listener->state, &after);
    status = status == HS_OK ? bound(listener, event, &after) : status;
    status = status == HS_OK ? hs_notices_event(&listener->notices, event, sums) : status;
    if (event->kind == HS_EVENT_SNAPSHOT) {
        sums->snapshot_begun_at = listener->facts;
    } else if (after.snapshots != before.snapshots) {
        sums->snapshot_at = sums->snapshot_begun_at;
    }
    if (after.bytes > sums->live_peak) {
        sums->live_peak = after.bytes;
    }
    return status;
}

static hs_status_t take_events(void *context, uint64_t first, const hs_event_t *events,
                               size_t count)
{
    hs_lab_listener_t *listener = context;
    hs_trace_health_t health;
    hs_decoder_health(listener->decoder, &health);
    if (!listener->decided && decide(listener, first, health.gaps) != HS_OK) {
        return HS_ERR_MEMORY;
    }
    hs_state_shift(listener->state, hs_decoder_shift(listener->decoder));
    hs_status_t status =
        hs_notices_gap(&listener->notices, health.lost_events, listener->account.sums.text_bytes);
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        status = event_take(listener, &events[i], health.gaps);
    }
    return status;
}

/* ---- chunks ---- */

static void note(hs_lab_listener_t *listener, hs_status_t status)
{
    listener->status = status == HS_OK ? listener->status : status;
}

static void keep(hs_lab_listener_t *listener, hs_queue_t *queue, const uint8_t *bytes, size_t count)
{
    note(listener, hs_queue_put(queue, bytes, count));
}

static void pending_clear(hs_lab_listener_t *listener)
{
    hs_queue_free(&listener->pending);
}

static void pending_put(hs_lab_listener_t *listener, const uint8_t *bytes, size_t count)
{
    if (hs_queue_waiting(&listener->pending) + count <= PENDING_MAX) {
        keep(listener, &listener->pending, bytes, count);
    } else {
        pending_clear(listener);
    }
}

static unsigned boot_of(const uint8_t *chunk)
{
    return hs_load16(chunk + HS_CHUNK_FEATURES_AT) >> HS_FEATURES_BOOT_SHIFT;
}

static bool is_first(const uint8_t *chunk)
{
    return chunk[HS_CHUNK_KIND_AT] == HS_CHUNK_METADATA &&
           hs_load32(chunk + HS_CHUNK_SEQUENCE_AT) == 0;
}

/* A network may deliver chunks of the boot before after those of this one. */
static bool is_late(const hs_lab_listener_t *listener, const uint8_t *chunk)
{
    return listener->heard && chunk[HS_CHUNK_KIND_AT] != HS_CHUNK_METADATA &&
           boot_of(chunk) != listener->boot && boot_of(chunk) == listener->before;
}

static void another_begins(hs_lab_listener_t *listener, const uint8_t *chunk, size_t count,
                           bool with_it)
{
    if (with_it) {
        pending_clear(listener);
    }
    keep(listener, &listener->pending, chunk, count);
    listener->account.sums.over = 1;
}

static void chunk_take(hs_lab_listener_t *listener, const uint8_t *chunk, size_t count)
{
    if (is_late(listener, chunk)) {
        listener->account.sums.late_chunks++;
        return;
    }
    hs_trace_health_t before;
    hs_trace_health_t after;
    hs_decoder_health(listener->decoder, &before);
    const bool begins = !listener->heard;
    if (begins) {
        note(listener, hs_notices_begin(&listener->notices, listener->account.sums.text_bytes));
        note(listener, hs_live_replay_restart(&listener->replay));
    }
    listener->facts = listener->metadata ? listener->facts : listener->kept;
    note(listener, hs_decoder_push(listener->decoder, chunk, count, take_events, listener));
    hs_decoder_health(listener->decoder, &after);
    if (begins && hs_fact_begin(listener->decoder, "snapshots") == '0') {
        note(listener,
             hs_notices_late_start(&listener->notices, listener->account.sums.text_bytes));
    }
    note(listener, hs_notices_chunk_end(&listener->notices, after.lost_events,
                                        listener->account.sums.text_bytes));
    if (after.next_trace != UINT64_MAX) {
        another_begins(listener, chunk, count, after.next_trace == before.bytes);
    } else if (after.repeated_chunks != before.repeated_chunks) {
        if (is_first(chunk)) {
            pending_clear(listener);
            pending_put(listener, chunk, count);
        } else if (hs_queue_waiting(&listener->pending) != 0) {
            pending_put(listener, chunk, count);
        }
    } else {
        pending_clear(listener);
        listener->boot = boot_of(chunk);
        listener->heard = true;
        listener->metadata = chunk[HS_CHUNK_KIND_AT] == HS_CHUNK_METADATA;
        memcpy(listener->last, chunk, sizeof listener->last);
        listener->kept += count;
        keep(listener, &listener->chunks, chunk, count);
        note(listener, hs_live_replay_chunk(&listener->replay, chunk, count));
    }
}

/* ---- the stream ---- */

/* Bound: each round consumes a piece. */
static void pump(hs_lab_listener_t *listener, bool last)
{
    while (!listener->account.sums.over && listener->status == HS_OK) {
        const hs_piece_t piece = hs_stream_next(&listener->stream, last);
        if (piece.kind == HS_PIECE_NONE) {
            return;
        }
        if (piece.kind == HS_PIECE_CHUNK) {
            chunk_take(listener, piece.bytes, piece.count);
        } else if (piece.kind == HS_PIECE_TEXT) {
            listener->account.sums.text_bytes += piece.count;
            keep(listener, &listener->text, piece.bytes, piece.count);
        } else {
            listener->account.sums.damaged_bytes += piece.count;
        }
    }
}

int hs_lab_listener_push(hs_lab_listener_t *listener, const uint8_t *bytes, size_t count,
                         size_t *taken)
{
    *taken = 0;
    while (*taken < count && !listener->account.sums.over && listener->status == HS_OK) {
        *taken += hs_stream_push(&listener->stream, bytes + *taken, count - *taken);
        pump(listener, false);
    }
    hs_watched_look(listener);
    return (int)listener->status;
}

int hs_lab_listener_flush(hs_lab_listener_t *listener)
{
    pump(listener, true);
    hs_watched_look(listener);
    return (int)listener->status;
}

/* Chunks that belong to the recording that begins; those behind another begin wait on. */
static void pending_read(hs_lab_listener_t *listener)
{
    hs_queue_t waiting = listener->pending;
    listener->pending = (hs_queue_t){0};
    for (size_t at = waiting.taken; at < waiting.used && listener->status == HS_OK;) {
        const uint8_t *chunk = waiting.bytes + at;
        const size_t count = hs_listener_chunk_size(chunk);
        if (listener->account.sums.over) {
            keep(listener, &listener->pending, chunk, count);
        } else {
            chunk_take(listener, chunk, count);
        }
        at += count;
    }
    hs_queue_free(&waiting);
}

int hs_lab_listener_next(hs_lab_listener_t *listener)
{
    const hs_lab_listened_t of_stream = listener->account.sums;
    listener->account = (hs_account_t){.sums = {.recordings = of_stream.recordings + 1,
                                                .text_bytes = of_stream.text_bytes,
                                                .damaged_bytes = of_stream.damaged_bytes,
                                                .late_chunks = of_stream.late_chunks}};
    listener->before = listener->boot;
    note(listener, recording_begin(listener));
    if (listener->status == HS_OK) {
        pending_read(listener);
        pump(listener, false);
        hs_watched_look(listener);
    }
    return (int)listener->status;
}

size_t hs_lab_listener_text(hs_lab_listener_t *listener, uint8_t *out, size_t capacity)
{
    return hs_queue_take(&listener->text, out, 1, capacity);
}

int hs_lab_listener_log(hs_lab_listener_t *listener, const uint8_t *text, size_t count)
{
    note(listener, count == 0 ? hs_console_quiet(&listener->console)
                              : hs_console_push(&listener->console, text, count));
    return (int)listener->status;
}

size_t hs_lab_listener_lines(hs_lab_listener_t *listener, uint8_t *out, size_t capacity)
{
    return hs_queue_take(&listener->console.lines, out, 1, capacity);
}

size_t hs_lab_listener_chunk(hs_lab_listener_t *listener, uint8_t *out, size_t capacity)
{
    const hs_queue_t *chunks = &listener->chunks;
    const size_t size =
        hs_queue_waiting(chunks) == 0 ? 0 : hs_listener_chunk_size(chunks->bytes + chunks->taken);
    return size > capacity ? 0 : hs_queue_take(&listener->chunks, out, 1, size);
}

size_t hs_lab_listener_end(const hs_lab_listener_t *listener, uint8_t *out, size_t capacity)
{
    uint8_t built[HS_END_CHUNK_MAX];
    const size_t count =
        hs_end_chunk(listener->last, hs_decoder_next_event(listener->decoder), built);
    if (count <= capacity) {
        memcpy(out, built, count);
    }
    return count;
}

size_t hs_lab_listener_notices(hs_lab_listener_t *listener, hs_lab_notice_t *rows, size_t capacity)
{
    return hs_queue_take(&listener->notices.waiting, rows, sizeof *rows, capacity);
}
