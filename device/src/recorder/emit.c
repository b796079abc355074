#include "emit.h"

#include "ring.h"

static HS_ONE_COPY uint8_t *number_put(uint8_t *at, hs_number_t number)
{
    while (number > 0x7Fu) { /* bound: ten rounds of 7 bits */
        *at++ = (uint8_t)(number | 0x80u);
        number >>= 7;
    }
    *at++ = (uint8_t)number;
    return at;
}

static HS_ONE_COPY uint8_t *head_put(uint8_t *at, unsigned kind, hs_number_t number)
{
    const unsigned low = kind | (unsigned)(number & 15u) << 3;
    number >>= 4;
    *at++ = (uint8_t)(number == 0 ? low : low | 0x80u);
    return number == 0 ? at : number_put(at, number);
}

void hs_emit_open(hs_emit_t *emit, uint8_t *bytes, size_t size, uint16_t features)
{
    const hs_trace_sink_t sink = emit->chunk.sink;
    void *const context = emit->chunk.context;
    const uint8_t address_shift = emit->address_shift;
    const uint8_t clock_shift = emit->clock_shift;
    *emit = (hs_emit_t){.chunk = {.sink = sink,
                                  .context = context,
                                  .bytes = bytes,
                                  .limit = size - HS_CHUNK_CRC,
                                  .features = features},
                        .address_shift = address_shift,
                        .clock_shift = clock_shift};
}

void hs_emit_seal(hs_emit_t *emit)
{
    if (emit->chunk.kind != 0) {
        (void)hs_chunk_seal(&emit->chunk);
    }
}

/* ---- chunks ---- */

static HS_ONE_COPY uint8_t *text_put(uint8_t *at, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        *at++ = (uint8_t)text[i];
    }
    return at;
}

/* A text behind its length. */
static HS_ONE_COPY uint8_t *counted_put(uint8_t *at, const char *text)
{
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    return text_put(number_put(at, length), text, length);
}

void hs_emit_fact(hs_emit_t *emit, const char *key, const char *value)
{
    hs_chunk_t *const chunk = &emit->chunk;
    if (chunk->kind == 0) {
        hs_chunk_open(chunk, HS_CHUNK_METADATA);
        chunk->bytes[chunk->used++] = 0; /* how many; fewer than 128 fit */
    }
    chunk->bytes[HS_CHUNK_HEADER]++;
    hs_chunk_advance(chunk, counted_put(counted_put(hs_chunk_at(chunk), key), value));
}

/* Where the next record goes. */
static uint8_t *records_at(hs_emit_t *emit)
{
    hs_chunk_t *const chunk = &emit->chunk;
    if (chunk->kind == HS_CHUNK_EVENTS) {
        return hs_chunk_at(chunk);
    }
    hs_chunk_open(chunk, HS_CHUNK_EVENTS);
    uint8_t *at = number_put(hs_chunk_at(chunk), emit->heap_events);
    at = number_put(at, emit->task);
    at = number_put(at, emit->caps);
    *at++ = 0; /* private heap */
    *at++ = emit->address_shift;
    at = number_put(at, emit->address);
    uint64_t time = emit->time;
    while (time > 0x7Fu) { /* bound: ten rounds of 7 bits */
        *at++ = (uint8_t)(time | 0x80u);
        time >>= 7;
    }
    *at++ = (uint8_t)time;
    return at;
}

void hs_emit_end(hs_emit_t *emit)
{
    hs_chunk_open(&emit->chunk, HS_CHUNK_END);
    hs_chunk_advance(&emit->chunk, number_put(hs_chunk_at(&emit->chunk), emit->heap_events));
    hs_emit_seal(emit);
}

/* ---- records ---- */

void hs_emit_clock(hs_emit_t *emit, uint32_t clock)
{
    const uint32_t ticks = clock - emit->clock;
    if (ticks <= UINT32_MAX / 2u) {
        const uint32_t whole = ticks >> emit->clock_shift;
        emit->clock += whole << emit->clock_shift;
        emit->ticks += whole;
    }
}

static uint8_t *stamp_put(hs_emit_t *emit, uint8_t *at)
{
    at = number_put(at, emit->ticks);
    emit->time += emit->ticks;
    emit->ticks = 0;
    return at;
}

hs_number_t hs_emit_address(hs_emit_t *emit, hs_number_t address)
{
    address >>= emit->address_shift;
    const hs_number_t difference = address - emit->address;
    emit->address = address;
    return difference << 1 ^ (0u - (difference >> (8u * sizeof difference - 1u)));
}

static uint8_t *context_put(hs_emit_t *emit, uint8_t *at, uint32_t task, const uint32_t *caps)
{
    if (task != emit->task) {
        emit->task = (uint16_t)task;
        at = head_put(at, HS_RECORD_TASK, task);
    }
    if (caps != NULL && *caps != emit->caps) {
        emit->caps = *caps;
        at = head_put(at, HS_RECORD_CAPS, *caps);
    }
    return at;
}

void hs_emit_context(hs_emit_t *emit, uint32_t task, const uint32_t *caps)
{
    hs_chunk_advance(&emit->chunk, context_put(emit, records_at(emit), task, caps));
}

void hs_emit_event(hs_emit_t *emit, unsigned kind, const hs_number_t *record, uint32_t task,
                   uint32_t site)
{
    uint8_t *at = records_at(emit);
    const hs_number_t address = record[HS_RAW_ADDRESS];
    emit->heap_events++;
    if (kind == HS_EVENT_FREE) {
        at = context_put(emit, at, task, NULL);
        at = head_put(at, HS_RECORD_FREE, hs_emit_address(emit, address));
    } else {
        const uint32_t caps = (uint32_t)record[HS_RAW_CAPS];
        const hs_number_t size = (uint32_t)record[HS_RAW_SIZE];
        at = context_put(emit, at, task, &caps);
        if (kind == HS_EVENT_REALLOC) {
            at = head_put(at, HS_RECORD_REALLOC, hs_emit_address(emit, record[HS_RAW_OTHER]));
            at = number_put(at, size);
        } else if (kind == HS_EVENT_ALIGNED) {
            at = head_put(at, HS_RECORD_ALIGNED, size);
            *at++ = (uint8_t)record[HS_RAW_OTHER];
        } else {
            at = head_put(at, kind == HS_EVENT_MALLOC ? HS_RECORD_MALLOC : HS_RECORD_CALLOC, size);
        }
        at = number_put(at, hs_emit_address(emit, address));
        at = number_put(at, site);
    }
    hs_chunk_advance(&emit->chunk, stamp_put(emit, at));
}

void hs_emit_extension(hs_emit_t *emit, unsigned sub_kind, bool stamped, const hs_number_t *numbers,
                       unsigned count)
{
    uint8_t *at = head_put(records_at(emit), HS_RECORD_EXTENSION, sub_kind);
    uint8_t *const length = at++; /* bodies are below 128 bytes */
    for (unsigned i = 0; i < count; i++) {
        at = number_put(at, numbers[i]);
    }
    at = stamped ? stamp_put(emit, at) : at;
    *length = (uint8_t)(at - length - 1);
    hs_chunk_advance(&emit->chunk, at);
}

void hs_emit_name(hs_emit_t *emit, unsigned table, uint32_t index, const char *name, size_t length)
{
    uint8_t *at = head_put(records_at(emit), HS_RECORD_EXTENSION, HS_EXTENSION_NAME);
    uint8_t *const bytes = at++; /* names are below 120 bytes */
    *at++ = (uint8_t)table;
    at = text_put(number_put(at, index), name, length);
    *bytes = (uint8_t)(at - bytes - 1);
    hs_chunk_advance(&emit->chunk, at);
}
