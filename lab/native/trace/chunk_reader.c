#include "chunk_reader.h"

#include "../../device/src/trace/format.h"

#define NUMBER_MAX (UINT64_C(1) << 63) /* of heap events: leaves room to count on */
#define CLAIM_MAX (UINT32_C(1) << 20)  /* chunks that a damaged header alone may call lost */

void hs_chunk_reader_init(hs_chunk_reader_t *reader, hs_event_t *batch)
{
    *reader = (hs_chunk_reader_t){.restart_at = UINT64_MAX, .boot = UINT32_MAX};
    reader->health.first_damage = UINT64_MAX;
    reader->health.next_trace = UINT64_MAX;
    reader->health.lost_at = UINT64_MAX;
    reader->records.batch = batch;
}

void hs_chunk_reader_clear(hs_chunk_reader_t *reader)
{
    hs_names_clear(&reader->records.names);
    hs_metadata_clear(&reader->metadata);
}

void hs_chunk_reader_damage(hs_chunk_reader_t *reader, uint64_t position)
{
    if (position < reader->health.first_damage) {
        reader->health.first_damage = position;
    }
}

static void note_lost(hs_chunk_reader_t *reader, uint64_t number)
{
    if (number < reader->health.lost_at) {
        reader->health.lost_at = number;
    }
}

/* Events are missing from here on, or may be. */
static void lose(hs_chunk_reader_t *reader, uint64_t number)
{
    reader->health.gaps++;
    reader->records.untold = true;
    note_lost(reader, number);
}

static unsigned kind_of(const hs_frame_t *frame)
{
    return frame->bytes[HS_CHUNK_KIND_AT];
}

void hs_chunk_reader_miss(hs_chunk_reader_t *reader, const hs_frame_t *frame)
{
    if (frame->sequence >= reader->claimed && frame->sequence >= reader->next_sequence &&
        frame->sequence - reader->next_sequence < CLAIM_MAX) {
        reader->claimed = frame->sequence + UINT64_C(1);
        reader->damaged += kind_of(frame) != HS_CHUNK_METADATA;
    }
}

/* Whether a recorder on a chip has written it, whose recordings seldom have an end. */
static bool is_of_chip(const hs_chunk_reader_t *reader)
{
    return (reader->health.features & HS_TRACE_BOOT(0xFFu)) != 0;
}

void hs_chunk_reader_finish(hs_chunk_reader_t *reader, bool at_border)
{
    const bool cut = !at_border || reader->claimed > reader->next_sequence;
    if (reader->claimed > reader->next_sequence) {
        reader->health.lost_chunks += reader->claimed - reader->next_sequence;
        reader->claimed = reader->next_sequence;
    }
    reader->health.stopped = !reader->health.ended && !cut && is_of_chip(reader) &&
                             reader->health.next_trace == UINT64_MAX;
    if (!reader->health.ended && !reader->health.stopped) {
        lose(reader, reader->next_event);
    }
    reader->health.untold = reader->records.untold;
    reader->health.facts_lost = !reader->facts_whole;
}

/* ---- facts ----
 *
 * They are whole when every chunk from the first one of the metadata to the first one after it was read,
 * or is known to have held events (format/SPEC.md, "Metadata"). */

/* A metadata chunk with the sequence 0, or with `edition` as its first key, begins them. */
static void facts_begin(hs_chunk_reader_t *reader, const hs_frame_t *frame, const uint8_t *payload,
                        size_t count)
{
    if (frame->sequence == 0 || hs_metadata_begins(payload, count, "edition")) {
        reader->facts_begun = true;
        reader->missing = 0;
    }
}

/* A chunk of events or the end follows, before which the trace has `number` of them. */
static void facts_end(hs_chunk_reader_t *reader, uint64_t number)
{
    const bool one_held_events = number > reader->next_event;
    if (reader->facts_begun && reader->missing <= one_held_events) {
        reader->facts_whole = true;
    }
    reader->facts_begun = false;
    reader->health.facts_lost = !reader->facts_whole;
}

/* Metadata came that cannot be read. */
static void facts_break(hs_chunk_reader_t *reader)
{
    reader->facts_begun = false;
}

/* `lost` chunks are missing in front of the one with this sequence. */
static void facts_miss(hs_chunk_reader_t *reader, uint64_t lost, uint32_t sequence)
{
    if (reader->damaged == 0 ||
        reader->claimed > sequence) { /* else they held the missing events */
        reader->missing += lost;
    } else if (lost > reader->damaged) {
        reader->missing += lost - reader->damaged + 1;
    }
}

/* ---- sequence ---- */

static uint32_t print_of(const hs_frame_t *frame)
{
    return hs_load32(frame->bytes + frame->size - HS_CHUNK_CRC);
}

/* A chunk whose place is past. Either the same bytes came twice, or another recording begins: then
 * chunk 0, which is metadata, comes again and is followed by another chunk than it was before. */
static void older_take(hs_chunk_reader_t *reader, const hs_frame_t *frame)
{
    const uint32_t sequence = frame->sequence;
    const bool differs = sequence < HS_PRINTS && (reader->printed >> sequence & 1u) != 0 &&
                         reader->prints[sequence] != print_of(frame);
    if (sequence == 0 && kind_of(frame) == HS_CHUNK_METADATA) {
        reader->restart_at = frame->position;
    }
    if (differs && reader->restart_at != UINT64_MAX) {
        reader->health.next_trace = reader->restart_at;
        return;
    }
    reader->health.repeated_chunks++;
}

static void newer_take(hs_chunk_reader_t *reader, const hs_frame_t *frame)
{
    const uint32_t sequence = frame->sequence;
    if (sequence > reader->next_sequence) {
        reader->health.lost_chunks += sequence - reader->next_sequence;
        facts_miss(reader, sequence - reader->next_sequence, sequence);
        hs_chunk_reader_damage(reader, frame->position);
        if (sequence > 1) { /* chunk 0 has metadata, no events */
            lose(reader, reader->next_event);
        }
    }
    reader->damaged = 0;
    reader->next_sequence = sequence + UINT64_C(1);
    reader->restart_at = UINT64_MAX;
    if (sequence < HS_PRINTS) {
        reader->printed |= UINT64_C(1) << sequence;
        reader->prints[sequence] = print_of(frame);
    }
}

/* ---- contents ---- */

static const uint8_t *payload_of(const hs_frame_t *frame, size_t *count)
{
    *count = frame->size - HS_CHUNK_HEADER - HS_CHUNK_CRC;
    return frame->bytes + HS_CHUNK_HEADER;
}

/* Moves the event number on to what a chunk says; what lies between is lost. False: it goes back. */
static bool number_reach(hs_chunk_reader_t *reader, uint64_t number, uint64_t position)
{
    if (number < reader->next_event || number > NUMBER_MAX) {
        return false;
    }
    if (number > reader->next_event) {
        reader->health.lost_events += number - reader->next_event;
        hs_chunk_reader_damage(reader, position);
        lose(reader, reader->next_event);
    }
    reader->next_event = number;
    return true;
}

/* Whether blocks are known by address is one thing for a whole trace. */
static bool addressing_agrees(hs_chunk_reader_t *reader, unsigned features)
{
    const uint32_t addressed = (features & HS_TRACE_ADDRESSES) != 0 ? 2 : 1;
    if (reader->addressed == 0) {
        reader->addressed = addressed;
    }
    return reader->addressed == addressed;
}

/* Lost events without numbers. A recorder tells each twice, or the second time alone. */
static void unnumbered_count(hs_chunk_reader_t *reader)
{
    const hs_records_t *records = &reader->records;
    const uint64_t reported = records->lost > records->by_kind ? records->lost : records->by_kind;
    const uint64_t unnumbered = reported + 2u * records->pairs_lost;
    reader->health.lost_events += unnumbered - reader->unnumbered;
    reader->unnumbered = unnumbered;
    reader->health.untold = records->untold;
}

static hs_status_t events_read(hs_chunk_reader_t *reader, const hs_frame_t *frame,
                               unsigned features)
{
    size_t count;
    const uint8_t *payload = payload_of(frame, &count);
    hs_records_t *records = &reader->records;
    uint64_t first;
    if (!hs_records_begin(records, features, payload, count, &first)) {
        return HS_ERR_FORMAT;
    }
    facts_end(reader, first);
    if (!number_reach(reader, first, frame->position)) {
        return HS_ERR_FORMAT;
    }
    records->number = first;
    records->lost_at = UINT64_MAX;
    const hs_status_t status = hs_records_decode(records);
    unnumbered_count(reader);
    note_lost(reader, records->lost_at);
    reader->health.events += records->number - first;
    reader->next_event = records->number;
    return status;
}

static hs_status_t end_read(hs_chunk_reader_t *reader, const hs_frame_t *frame)
{
    size_t count;
    hs_cursor_t in;
    in.at = payload_of(frame, &count);
    in.end = in.at + count;
    uint64_t total;
    if (!hs_cursor_varint(&in, &total)) {
        return HS_ERR_FORMAT;
    }
    facts_end(reader, total);
    if (!number_reach(reader, total, frame->position)) {
        return HS_ERR_FORMAT;
    }
    reader->health.ended = 1;
    return HS_OK;
}

static hs_status_t metadata_read(hs_chunk_reader_t *reader, const hs_frame_t *frame)
{
    size_t count;
    const uint8_t *payload = payload_of(frame, &count);
    facts_begin(reader, frame, payload, count);
    const hs_status_t status = hs_metadata_read(&reader->metadata, payload, count);
    if (status == HS_ERR_MEMORY) { /* facts beyond the bound are left out */
        facts_break(reader);
        return HS_OK;
    }
    return status;
}

/* Whether this version of the reader understands the chunk. */
static bool understood(hs_chunk_reader_t *reader, uint32_t version, uint32_t features)
{
    if (version <= HS_TRACE_VERSION &&
        (features & HS_FEATURES_REQUIRED & ~HS_FEATURES_KNOWN) == 0) {
        return true;
    }
    /* How it knows its blocks says nothing about those that are read. */
    reader->health.features |= features & ~HS_TRACE_ADDRESSES;
    reader->health.newer_chunks++;
    lose(reader, reader->next_event);
    return false;
}

static hs_status_t content_read(hs_chunk_reader_t *reader, const hs_frame_t *frame)
{
    const uint32_t version = frame->bytes[HS_CHUNK_VERSION_AT];
    const uint32_t features = hs_load16(frame->bytes + HS_CHUNK_FEATURES_AT);
    if (version > reader->health.version) {
        reader->health.version = version;
    }
    if (!understood(reader, version, features)) {
        if (kind_of(frame) == HS_CHUNK_METADATA) {
            facts_break(reader);
        } else if (kind_of(frame) == HS_CHUNK_EVENTS) {
            facts_end(reader, reader->next_event);
        }
        return HS_OK;
    }
    if (version == 0 || !addressing_agrees(reader, features)) {
        return HS_ERR_FORMAT;
    }
    reader->health.features |= features;
    switch (kind_of(frame)) {
    case HS_CHUNK_METADATA:
        return metadata_read(reader, frame);
    case HS_CHUNK_EVENTS:
        return events_read(reader, frame, features);
    case HS_CHUNK_END:
        return end_read(reader, frame);
    default: /* a later writer's */
        return HS_OK;
    }
}

/* Whether the chunk is of the boot that is read. Chunks of later versions say nothing of it. */
static bool boot_agrees(hs_chunk_reader_t *reader, const hs_frame_t *frame)
{
    if (frame->bytes[HS_CHUNK_VERSION_AT] != HS_TRACE_VERSION) {
        return true;
    }
    const uint32_t features = hs_load16(frame->bytes + HS_CHUNK_FEATURES_AT);
    const uint32_t boot = features >> HS_FEATURES_BOOT_SHIFT;
    if (reader->boot == UINT32_MAX) {
        reader->boot = boot;
    }
    if (reader->boot != boot) {
        return false;
    }
    size_t count;
    const uint8_t *payload = payload_of(frame, &count);
    return kind_of(frame) != HS_CHUNK_METADATA ||
           hs_metadata_agrees(&reader->metadata, "boot", payload, count);
}

hs_status_t hs_chunk_reader_take(hs_chunk_reader_t *reader, const hs_frame_t *frame)
{
    if (!boot_agrees(reader, frame)) {
        reader->health.next_trace = frame->position;
        return HS_OK;
    }
    if (frame->sequence < reader->next_sequence) {
        older_take(reader, frame);
        return HS_OK;
    }
    newer_take(reader, frame);
    reader->health.chunks++;
    const hs_status_t status = content_read(reader, frame);
    if (status == HS_ERR_FORMAT) {
        reader->health.malformed_chunks++;
        facts_break(reader);
        hs_chunk_reader_damage(reader, frame->position);
        if (kind_of(frame) != HS_CHUNK_METADATA) {
            lose(reader, reader->next_event);
        }
        return HS_OK;
    }
    return status;
}
