/*
 * Bytes in any pieces to whole chunks.
 *
 * While nothing is held back, chunks are found and read in the caller's own buffer; what does
 * not make a whole chunk there is copied to `hold` and completed from the next pushes, byte for byte
 * up to the end of that chunk. `scan` is the same in both places.
 */
#include "decoder.h"

#include <stdlib.h>

#include "../../device/src/trace/format.h"
#include "chunk_reader.h"
#include "crc32.h"

/* A chunk whose CRC is wrong is searched for others from its second byte on. Input made for it could
 * have each byte checked 4000 times over, so that all this may cost 15 times the input; afterwards
 * failing chunks are stepped over as a whole. */
#define VAIN_PER_BYTE 15u
#define VAIN_FREE (UINT64_C(1) << 20)

struct hs_decoder {
    hs_chunk_reader_t reader;
    hs_crc32_t crc;
    uint64_t position; /* in the input, of the first byte not yet consumed */
    uint64_t border;   /* where the last whole chunk ends */
    uint64_t vain;     /* bytes of failed CRC checks */
    size_t held;       /* bytes in hold */
    size_t need;       /* bytes that hold must reach before it is worth another look */
    hs_status_t stopped;
    hs_event_t batch[HS_BATCH_EVENTS];
    uint8_t hold[HS_CHUNK_MAX];
};

typedef enum hs_look {
    LOOK_NOTHING, /* no chunk begins here */
    LOOK_PART,    /* one may, or does; more bytes are needed */
    LOOK_WHOLE    /* one does, and all its bytes are there */
} hs_look_t;

static const uint8_t sync_bytes[4] = {HS_SYNC_0, HS_SYNC_1, HS_SYNC_2, HS_SYNC_3};

/* Tells what begins at `bytes`; *need is how many bytes it takes to say more. */
static hs_look_t look(const hs_decoder_t *decoder, const uint8_t *bytes, size_t count, size_t *need,
                      uint32_t *sequence)
{
    const size_t compared = count < sizeof sync_bytes ? count : sizeof sync_bytes;
    if (memcmp(bytes, sync_bytes, compared) != 0) {
        return LOOK_NOTHING;
    }
    *need = HS_CHUNK_HEADER;
    if (count < HS_CHUNK_HEADER) {
        return LOOK_PART;
    }
    const uint32_t check =
        hs_crc32_of(&decoder->crc, bytes + HS_CHUNK_KIND_AT, HS_CHUNK_CHECK_AT - HS_CHUNK_KIND_AT);
    if ((check & 0xFFFFu) != hs_load16(bytes + HS_CHUNK_CHECK_AT)) {
        return LOOK_NOTHING;
    }
    *sequence = hs_load32(bytes + HS_CHUNK_SEQUENCE_AT);
    *need = HS_CHUNK_HEADER + hs_load16(bytes + HS_CHUNK_LENGTH_AT) + HS_CHUNK_CRC;
    return count < *need ? LOOK_PART : LOOK_WHOLE;
}

/* Steps over `count` bytes that belong to no chunk. */
static void skip(hs_decoder_t *decoder, size_t count)
{
    hs_chunk_reader_damage(&decoder->reader, decoder->position);
    decoder->reader.health.skipped_bytes += count;
    decoder->position += count;
}

/* Steps to the next byte that could begin a chunk, at least one on. */
static size_t skip_to_sync(hs_decoder_t *decoder, const uint8_t *bytes, size_t count)
{
    const uint8_t *next = count > 1 ? memchr(bytes + 1, HS_SYNC_0, count - 1) : NULL;
    const size_t skipped = next == NULL ? count : (size_t)(next - bytes);
    skip(decoder, skipped);
    return skipped;
}

/* Reads a whole chunk, or searches inside it when it is damaged. Returns the bytes consumed. */
static size_t whole_read(hs_decoder_t *decoder, const hs_frame_t *frame)
{
    hs_chunk_reader_t *reader = &decoder->reader;
    const size_t checked = frame->size - HS_CHUNK_KIND_AT - HS_CHUNK_CRC;
    if (hs_crc32_of(&decoder->crc, frame->bytes + HS_CHUNK_KIND_AT, checked) ==
        hs_load32(frame->bytes + frame->size - HS_CHUNK_CRC)) {
        reader->health.truncated = 0;
        decoder->stopped = hs_chunk_reader_take(reader, frame);
        decoder->position += frame->size;
        decoder->border = decoder->position;
        return frame->size;
    }
    hs_chunk_reader_miss(reader, frame);
    decoder->vain += checked;
    if (decoder->vain <= (decoder->position + frame->size) * VAIN_PER_BYTE + VAIN_FREE) {
        return skip_to_sync(decoder, frame->bytes, frame->size);
    }
    skip(decoder, frame->size);
    return frame->size;
}

/* Whether reading goes on: no sink refused, and this is still the same recording. */
static bool reading(const hs_decoder_t *decoder)
{
    return decoder->stopped == HS_OK && decoder->reader.health.next_trace == UINT64_MAX;
}

/* Reads what is whole in `bytes` and returns how many of them are done with. The rest begins with an
 * unfinished chunk, of which `need` bytes are wanted. `last`: nothing follows, so there is no rest.
 * Bound: each round consumes. */
static size_t scan(hs_decoder_t *decoder, const uint8_t *bytes, size_t count, bool last)
{
    size_t at = 0;
    while (at < count && reading(decoder)) {
        hs_frame_t frame = {.bytes = bytes + at, .position = decoder->position};
        const hs_look_t seen = look(decoder, frame.bytes, count - at, &frame.size, &frame.sequence);
        if (seen == LOOK_WHOLE) {
            at += whole_read(decoder, &frame);
            continue;
        }
        if (seen == LOOK_PART && !last) {
            decoder->need = frame.size;
            break;
        }
        if (seen == LOOK_PART) {
            decoder->reader.health.truncated = 1;
            if (count - at >= HS_CHUNK_HEADER) {
                hs_chunk_reader_miss(&decoder->reader, &frame);
            }
        }
        at += skip_to_sync(decoder, frame.bytes, count - at);
    }
    return at;
}

/* Completes the chunk in hold as far as the bytes go, and reads it. Returns the bytes taken. */
static size_t hold_fill(hs_decoder_t *decoder, const uint8_t *bytes, size_t count)
{
    const size_t wanted = decoder->need - decoder->held;
    const size_t taken = count < wanted ? count : wanted;
    memcpy(decoder->hold + decoder->held, bytes, taken);
    decoder->held += taken;
    if (decoder->held == decoder->need) {
        const size_t done = scan(decoder, decoder->hold, decoder->held, false);
        decoder->held -= done;
        memmove(decoder->hold, decoder->hold + done, decoder->held);
    }
    return taken;
}

static void attach(hs_decoder_t *decoder, hs_event_sink_t sink, void *context)
{
    decoder->reader.records.sink = sink;
    decoder->reader.records.context = context;
}

hs_status_t hs_decoder_push(hs_decoder_t *decoder, const uint8_t *bytes, size_t count,
                            hs_event_sink_t sink, void *context)
{
    attach(decoder, sink, context);
    decoder->reader.health.bytes += count;
    while (count > 0 && reading(decoder)) { /* bound: each round takes bytes */
        size_t taken;
        if (decoder->held > 0) {
            taken = hold_fill(decoder, bytes, count);
        } else {
            taken = scan(decoder, bytes, count, false);
            if (taken < count && reading(decoder)) { /* less than `need`, which fits in hold */
                decoder->held = count - taken;
                memcpy(decoder->hold, bytes + taken, decoder->held);
                taken = count;
            }
        }
        bytes += taken;
        count -= taken;
    }
    return decoder->stopped;
}

hs_status_t hs_decoder_finish(hs_decoder_t *decoder, hs_event_sink_t sink, void *context)
{
    attach(decoder, sink, context);
    (void)scan(decoder, decoder->hold, decoder->held, true);
    decoder->held = 0;
    hs_chunk_reader_finish(&decoder->reader, decoder->border == decoder->position);
    const hs_trace_health_t *health = &decoder->reader.health;
    if (decoder->stopped != HS_OK) {
        return decoder->stopped;
    }
    if (health->chunks == 0) {
        return HS_ERR_FORMAT;
    }
    return health->newer_chunks == health->chunks ? HS_ERR_VERSION : HS_OK;
}

hs_decoder_t *hs_decoder_new(void)
{
    hs_decoder_t *decoder = malloc(sizeof *decoder);
    if (decoder == NULL) {
        return NULL;
    }
    hs_chunk_reader_init(&decoder->reader, decoder->batch);
    hs_crc32_init(&decoder->crc);
    decoder->position = 0;
    decoder->border = 0;
    decoder->vain = 0;
    decoder->held = 0;
    decoder->need = 0;
    decoder->stopped = HS_OK;
    return decoder;
}

void hs_decoder_delete(hs_decoder_t *decoder)
{
    if (decoder != NULL) {
        hs_chunk_reader_clear(&decoder->reader);
        free(decoder);
    }
}

void hs_decoder_health(const hs_decoder_t *decoder, hs_trace_health_t *out)
{
    *out = decoder->reader.health;
}

size_t hs_decoder_metadata_count(const hs_decoder_t *decoder)
{
    return decoder->reader.metadata.count;
}

hs_status_t hs_decoder_metadata(const hs_decoder_t *decoder, size_t index, const char **key,
                                const uint8_t **value, size_t *length)
{
    const hs_metadata_t *metadata = &decoder->reader.metadata;
    if (index >= metadata->count) {
        return HS_ERR_ARGUMENT;
    }
    *key = metadata->facts[index].key;
    *value = metadata->facts[index].value;
    *length = metadata->facts[index].length;
    return HS_OK;
}

uint32_t hs_decoder_name_count(const hs_decoder_t *decoder, hs_name_table_t table)
{
    return (unsigned)table < HS_NAMES_TABLES ? decoder->reader.records.used[table] : 0;
}

uint32_t hs_decoder_name_next(const hs_decoder_t *decoder, hs_name_table_t table, uint32_t index)
{
    const hs_records_t *records = &decoder->reader.records;
    const uint32_t named = hs_names_next(&records->names, table, index);
    if (table != HS_NAMES_HEAP) {
        return named;
    }
    for (uint32_t heap = index; heap < named && heap < records->used[HS_NAMES_HEAP]; heap++) {
        if (hs_records_has_heap(records, heap)) {
            return heap;
        }
    }
    return named;
}

const uint8_t *hs_decoder_name(const hs_decoder_t *decoder, hs_name_table_t table, uint32_t index,
                               size_t *length)
{
    return hs_names_get(&decoder->reader.records.names, table, index, length);
}

uint64_t hs_decoder_next_event(const hs_decoder_t *decoder)
{
    return decoder->reader.next_event;
}

size_t hs_decoder_others(const hs_decoder_t *decoder)
{
    return decoder->reader.records.others;
}

unsigned hs_decoder_shift(const hs_decoder_t *decoder)
{
    return decoder->reader.records.state.shift;
}
