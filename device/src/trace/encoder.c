/*
 * The trace encoder: one open chunk in the caller's memory, and the state that its records refer
 * to. Memory: | hs_trace | header | payload ... | CRC |.
 */
#include "chunk.h"
#include "records.h"
#include "varint.h"

/* The most that opening a chunk of events and one event (with the changes of task, capabilities and heap
 * in front of it) take; a name is the longest of all. */
#define BASE_MAX (6u * HS_VARINT_MAX + 1u)
#define NAME_MAX (1u + 2u + 1u + 5u + HS_NAME_MAX)
#define CALLERS_MAX (1u + 2u + 3u + 3u + HS_NAME_MAX)
#define CUT '.' /* three of them stand for the text of a later piece */
#define PIECE_MAX (HS_NAME_MAX - 3u)
#define METADATA_PAIRS_MAX 127u /* the count is one varint byte, filled in at the end */

struct hs_trace {
    hs_chunk_t chunk;
    hs_record_state_t state;
    uint64_t heap_events;
    uint8_t pairs;  /* of the open metadata chunk */
    uint8_t closed; /* 1: the end chunk is written */
};

_Static_assert(sizeof(struct hs_trace) + HS_CHUNK_HEADER + BASE_MAX + NAME_MAX + HS_CHUNK_CRC <=
                   HS_TRACE_MEMORY_MIN,
               "a name must fit in the smallest buffer");
_Static_assert(CALLERS_MAX <= NAME_MAX, "a piece of a name takes no more than a name");
_Static_assert(HS_RECORD_MAX < NAME_MAX, "an event must fit in the smallest buffer");

static bool config_valid(const hs_trace_config_t *config)
{
    return config->sink != NULL &&
           (config->features & HS_FEATURES_REQUIRED & ~HS_FEATURES_KNOWN) == 0 &&
           config->address_shift <= HS_ADDRESS_SHIFT_MAX;
}

static void metadata_open(hs_trace_t *trace)
{
    hs_chunk_open(&trace->chunk, HS_CHUNK_METADATA);
    trace->chunk.used++; /* the count */
    trace->pairs = 0;
}

hs_trace_t *hs_trace_open(void *memory, size_t size, const hs_trace_config_t *config)
{
    if (memory == NULL || size < HS_TRACE_MEMORY_MIN || ((uintptr_t)memory & 7u) != 0 ||
        config == NULL || !config_valid(config)) {
        return NULL;
    }
    hs_trace_t *trace = memory;
    *trace = (hs_trace_t){0};
    const size_t room = size - sizeof *trace;
    trace->chunk.sink = config->sink;
    trace->chunk.context = config->context;
    trace->chunk.features = config->features;
    trace->chunk.bytes = (uint8_t *)memory + sizeof *trace;
    trace->chunk.limit = (room < HS_CHUNK_MAX ? room : HS_CHUNK_MAX) - HS_CHUNK_CRC;
    trace->state.features = config->features;
    trace->state.shift = (config->features & HS_TRACE_ADDRESSES) != 0 ? config->address_shift : 0;
    metadata_open(trace);
    return trace;
}

static hs_status_t metadata_seal(hs_trace_t *trace)
{
    trace->chunk.bytes[HS_CHUNK_HEADER] = trace->pairs;
    return hs_chunk_seal(&trace->chunk);
}

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (length <= HS_CHUNK_PAYLOAD_MAX && text[length] != '\0') { /* bound: a chunk */
        length++;
    }
    return length;
}

static uint8_t *bytes_put(uint8_t *at, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *at++ = (uint8_t)bytes[i];
    }
    return at;
}

hs_status_t hs_trace_metadata(hs_trace_t *trace, const char *key, const char *value)
{
    const size_t key_length = length_of(key);
    const size_t value_length = length_of(value);
    const size_t need = 3u + key_length + 3u + value_length;
    if (trace->closed != 0 || key_length == 0 || key_length > HS_NAME_MAX ||
        need > trace->chunk.limit - HS_CHUNK_HEADER - 1u) {
        return HS_ERR_ARGUMENT;
    }
    if (trace->chunk.kind != HS_CHUNK_METADATA || need > hs_chunk_room(&trace->chunk) ||
        trace->pairs == METADATA_PAIRS_MAX) {
        const hs_status_t status = hs_trace_flush(trace);
        if (status != HS_OK) {
            return status;
        }
        metadata_open(trace);
    }
    uint8_t *at = hs_chunk_at(&trace->chunk);
    at = hs_varint_put(at, key_length);
    at = bytes_put(at, key, key_length);
    at = hs_varint_put(at, value_length);
    at = bytes_put(at, value, value_length);
    hs_chunk_advance(&trace->chunk, at);
    trace->pairs++;
    return HS_OK;
}

hs_status_t hs_trace_flush(hs_trace_t *trace)
{
    if (trace->chunk.refused != HS_OK || trace->chunk.kind == 0) {
        return trace->chunk.refused;
    }
    return trace->chunk.kind == HS_CHUNK_METADATA ? metadata_seal(trace)
                                                  : hs_chunk_seal(&trace->chunk);
}

/* Makes sure that a chunk of events is open with `need` bytes of room. */
static hs_status_t events_reserve(hs_trace_t *trace, size_t need)
{
    if (trace->chunk.refused != HS_OK) {
        return trace->chunk.refused;
    }
    if (trace->chunk.kind == HS_CHUNK_EVENTS && hs_chunk_room(&trace->chunk) >= need) {
        return HS_OK;
    }
    const hs_status_t status = hs_trace_flush(trace);
    if (status != HS_OK) {
        return status;
    }
    hs_chunk_open(&trace->chunk, HS_CHUNK_EVENTS);
    uint8_t *at = hs_varint_put(hs_chunk_at(&trace->chunk), trace->heap_events);
    at = hs_record_base_put(at, &trace->state);
    hs_chunk_advance(&trace->chunk, at);
    return HS_OK;
}

hs_status_t hs_trace_name(hs_trace_t *trace, hs_name_table_t table, uint32_t index,
                          const char *name, size_t length)
{
    if (trace->closed != 0 || (unsigned)table >= HS_NAMES_TABLES || index > HS_NAME_INDEX_MAX) {
        return HS_ERR_ARGUMENT;
    }
    if (length > HS_NAME_MAX) {
        length = HS_NAME_MAX;
    }
    const hs_status_t status = events_reserve(trace, NAME_MAX);
    if (status != HS_OK) {
        return status;
    }
    uint8_t number[HS_VARINT_MAX];
    const size_t digits = (size_t)(hs_varint_put(number, index) - number);
    uint8_t *at = hs_head_put(hs_chunk_at(&trace->chunk), HS_RECORD_EXTENSION, HS_EXTENSION_NAME);
    at = hs_varint_put(at, 1u + digits + length);
    *at++ = (uint8_t)table;
    at = hs_varint_put(at, index);
    hs_chunk_advance(&trace->chunk, bytes_put(at, name, length));
    return HS_OK;
}

/* One piece of a site's name, to stand before the `after` bytes that are known. */
static hs_status_t callers_put(hs_trace_t *trace, uint32_t index, size_t after, const char *bytes,
                               size_t length)
{
    const hs_status_t status = events_reserve(trace, CALLERS_MAX);
    if (status != HS_OK) {
        return status;
    }
    uint8_t numbers[2 * HS_VARINT_MAX];
    const size_t digits = (size_t)(hs_varint_put(hs_varint_put(numbers, index), after) - numbers);
    uint8_t *at =
        hs_head_put(hs_chunk_at(&trace->chunk), HS_RECORD_EXTENSION, HS_EXTENSION_SITE_CALLERS);
    at = hs_varint_put(at, digits + length);
    at = hs_varint_put(hs_varint_put(at, index), after);
    hs_chunk_advance(&trace->chunk, bytes_put(at, bytes, length));
    return HS_OK;
}

/* How many bytes of a piece that ends at `end` fit, less to begin with a whole frame if it has one. */
static size_t piece_of(const char *name, size_t end)
{
    if (end <= PIECE_MAX) {
        return end;
    }
    size_t length = PIECE_MAX;
    while (length > 0 && name[end - length] != ';') {
        length--;
    }
    return length > 0 ? length : PIECE_MAX;
}

hs_status_t hs_trace_site(hs_trace_t *trace, uint32_t index, const char *name, size_t length)
{
    if (length <= HS_NAME_MAX) {
        return hs_trace_name(trace, HS_NAMES_SITE, index, name, length);
    }
    char first[HS_NAME_MAX] = {CUT, CUT, CUT};
    size_t left = length - piece_of(name, length);
    size_t known = 3 + length - left;
    (void)bytes_put((uint8_t *)first + 3, name + left, length - left);
    hs_status_t status = hs_trace_name(trace, HS_NAMES_SITE, index, first, known);
    while (status == HS_OK && left > 0 && known <= HS_SITE_NAME_MAX - PIECE_MAX) {
        char piece[HS_NAME_MAX] = {CUT, CUT, CUT};
        const size_t count = piece_of(name, left);
        const size_t dots = count < left ? 3 : 0;
        left -= count;
        (void)bytes_put((uint8_t *)piece + dots, name + left, count);
        status = callers_put(trace, index, known, piece, dots + count);
        known += dots + count - 3;
    }
    return status;
}

uint64_t hs_trace_next_id(const hs_trace_t *trace)
{
    return trace->state.next_id;
}

hs_status_t hs_trace_event(hs_trace_t *trace, const hs_event_t *event)
{
    if (trace->closed != 0 || !hs_record_valid(&trace->state, event)) {
        return HS_ERR_ARGUMENT;
    }
    const hs_status_t status = events_reserve(trace, HS_RECORD_MAX);
    if (status != HS_OK) {
        return status;
    }
    uint8_t *at = hs_chunk_at(&trace->chunk);
    hs_chunk_advance(&trace->chunk, hs_record_put(at, &trace->state, event));
    trace->heap_events += HS_EVENT_IS_HEAP(event->kind) ? 1u : 0u;
    return HS_OK;
}

hs_status_t hs_trace_close(hs_trace_t *trace)
{
    if (trace->closed != 0) {
        return HS_ERR_ARGUMENT;
    }
    const hs_status_t status = hs_trace_flush(trace);
    if (status != HS_OK) {
        return status;
    }
    trace->closed = 1;
    hs_chunk_open(&trace->chunk, HS_CHUNK_END);
    hs_chunk_advance(&trace->chunk, hs_varint_put(hs_chunk_at(&trace->chunk), trace->heap_events));
    return hs_chunk_seal(&trace->chunk);
}
