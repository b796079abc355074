#include "stream.h"

/* ---- bytes and events ---- */

void stream_bytes_add(stream_bytes_t *bytes, const uint8_t *from, size_t count)
{
    if (bytes->count + count > bytes->size) {
        bytes->size = (bytes->count + count) * 2;
        bytes->at = realloc(bytes->at, bytes->size);
        CHECK(bytes->at != NULL);
    }
    if (count > 0) {
        memcpy(bytes->at + bytes->count, from, count);
    }
    bytes->count += count;
}

void stream_bytes_clear(stream_bytes_t *bytes)
{
    free(bytes->at);
    *bytes = (stream_bytes_t){0};
}

hs_status_t stream_bytes_sink(void *context, const uint8_t *from, size_t count)
{
    stream_bytes_t *bytes = context;
    stream_bytes_add(bytes, from, count);
    if (bytes->chunks < sizeof bytes->ends / sizeof bytes->ends[0]) {
        bytes->ends[bytes->chunks++] = bytes->count;
    }
    return HS_OK;
}

void stream_events_add(stream_events_t *events, const hs_event_t *event, uint64_t number)
{
    if (events->count == events->size) {
        events->size = events->size * 2 + 64;
        events->at = realloc(events->at, events->size * sizeof *events->at);
        events->numbers = realloc(events->numbers, events->size * sizeof *events->numbers);
        CHECK(events->at != NULL && events->numbers != NULL);
    }
    events->numbers[events->count] = number;
    events->at[events->count++] = *event;
}

void stream_events_clear(stream_events_t *events)
{
    free(events->at);
    free(events->numbers);
    *events = (stream_events_t){0};
}

hs_status_t stream_events_sink(void *context, uint64_t first, const hs_event_t *from, size_t count)
{
    CHECK(count > 0 && count <= HS_BATCH_EVENTS);
    for (size_t i = 0; i < count; i++) {
        stream_events_add(context, &from[i], first);
        first += HS_EVENT_IS_HEAP(from[i].kind) ? 1u : 0u;
    }
    return HS_OK;
}

void stream_events_equal(const stream_events_t *wanted, const stream_events_t *match)
{
    for (size_t i = 0; i < wanted->count && i < match->count; i++) {
        const hs_event_t *a = &wanted->at[i];
        const hs_event_t *b = &match->at[i];
        CHECK_EQUAL(wanted->numbers[i], match->numbers[i]);
        CHECK_EQUAL(a->kind, b->kind);
        CHECK_EQUAL(a->key, b->key);
        CHECK_EQUAL(a->new_key, b->new_key);
        CHECK_EQUAL(a->size, b->size);
        CHECK_EQUAL(a->time, b->time);
        CHECK_EQUAL(a->task, b->task);
        CHECK_EQUAL(a->caps, b->caps);
        CHECK_EQUAL(a->site, b->site);
        CHECK_EQUAL(a->heap, b->heap);
        CHECK_EQUAL(a->align_log2, b->align_log2);
    }
    CHECK_EQUAL(wanted->count, match->count);
}

/* ---- random events ---- */

stream_source_t stream_source(check_random_t *random, uint16_t features)
{
    stream_source_t source = {.random = random, .features = features};
    source.shift = (features & HS_TRACE_ADDRESSES) != 0 ? (uint8_t)check_below(random, 16) : 0;
    source.wild = check_below(random, 2) == 0;
    return source;
}

static bool one_in(stream_source_t *source, uint64_t n)
{
    return check_below(source->random, n) == 0;
}

static uint64_t number_of(stream_source_t *source, unsigned bits)
{
    return source->wild && one_in(source, 4) ? check_log(source->random, 64)
                                             : check_log(source->random, bits);
}

static uint32_t index_of(stream_source_t *source)
{
    return (uint32_t)(source->wild && one_in(source, 4)
                          ? check_below(source->random, HS_NAME_INDEX_MAX + 1)
                          : check_below(source->random, 20));
}

static uint64_t block_of(stream_source_t *source, uint64_t next_id)
{
    if ((source->features & HS_TRACE_ADDRESSES) != 0) {
        const uint64_t address = source->wild && one_in(source, 4)
                                     ? check_next(source->random)
                                     : UINT64_C(0x3FFB0000) + check_below(source->random, 1u << 18);
        return address >> source->shift << source->shift;
    }
    if (one_in(source, 20)) {
        return HS_KEY_NONE;
    }
    return source->wild && one_in(source, 8) ? check_next(source->random)
                                             : next_id - 1 - check_log(source->random, 12);
}

static void heap_event(stream_source_t *source, hs_event_t *event, uint64_t next_id)
{
    const bool addresses = (source->features & HS_TRACE_ADDRESSES) != 0;
    static const uint8_t kinds[] = {HS_EVENT_MALLOC,  HS_EVENT_MALLOC, HS_EVENT_MALLOC,
                                    HS_EVENT_MALLOC,  HS_EVENT_FREE,   HS_EVENT_FREE,
                                    HS_EVENT_FREE,    HS_EVENT_CALLOC, HS_EVENT_ALIGNED,
                                    HS_EVENT_REALLOC, HS_EVENT_FAILED};
    event->kind = kinds[check_below(source->random, sizeof kinds)];
    event->heap = source->context.heap;
    event->key = block_of(source, next_id);
    if (event->kind == HS_EVENT_FREE) {
        return;
    }
    event->size = number_of(source, 14);
    event->caps = source->context.caps;
    event->site = (source->features & HS_TRACE_SITES) != 0 ? index_of(source) : 0;
    if (event->kind == HS_EVENT_REALLOC) {
        event->new_key = addresses ? block_of(source, next_id) : event->key;
    } else if (event->kind == HS_EVENT_FAILED) {
        event->new_key = HS_EVENT_MALLOC + check_below(source->random, 4);
        event->key = event->new_key == HS_EVENT_REALLOC ? event->key : 0;
        event->align_log2 = (uint8_t)check_below(source->random, 32);
    } else {
        event->key = addresses ? event->key : next_id;
        event->align_log2 =
            event->kind == HS_EVENT_ALIGNED ? (uint8_t)check_below(source->random, 32) : 0;
    }
}

static void other_event(stream_source_t *source, hs_event_t *event)
{
    event->kind = (uint8_t)(HS_EVENT_MARK + check_below(source->random, 8));
    event->key = event->kind == HS_EVENT_LOST ? 0 : index_of(source);
    if (event->kind == HS_EVENT_LOST || event->kind == HS_EVENT_POOL_CREATE ||
        event->kind == HS_EVENT_POOL_GROW || event->kind == HS_EVENT_POOL_ALLOC) {
        event->size = number_of(source, 14);
    }
    event->new_key = event->kind == HS_EVENT_POOL_CREATE ? number_of(source, 14) : 0;
}

/* One of those that recorders on chips write. */
static void chip_event(stream_source_t *source, hs_event_t *event)
{
    const uint64_t address = block_of(source, 0);
    event->kind = (uint8_t)(HS_EVENT_LOST_KIND + check_below(source->random, 9));
    if (event->kind == HS_EVENT_LIVE && (source->features & HS_TRACE_ADDRESSES) == 0) {
        event->kind = HS_EVENT_SNAPSHOT;
    }
    event->key = number_of(source, 14);
    if (event->kind != HS_EVENT_SNAPSHOT) {
        event->new_key = number_of(source, 14);
        event->size = number_of(source, 14);
    }
    switch (event->kind) {
    case HS_EVENT_LOST_KIND:
        /* The other kinds count as lost: what they tell has to go with LOST. */
        event->key = 7;
        event->new_key &= UINT32_MAX;
        event->size &= UINT32_MAX;
        break;
    case HS_EVENT_TASK_ON:
        event->key = index_of(source);
        event->new_key = check_below(source->random, 256);
        event->size = check_below(source->random, 2);
        break;
    case HS_EVENT_LEVEL:
        event->heap = (uint16_t)check_log(source->random, 16);
        event->align_log2 = (uint8_t)check_below(source->random, 32);
        event->site = index_of(source);
        event->caps = (uint32_t)check_log(source->random, 32);
        break;
    case HS_EVENT_LIVE:
        event->key = address;
        event->align_log2 = (uint8_t)check_below(source->random, 2);
        break;
    case HS_EVENT_REGION:
        event->key = index_of(source);
        event->caps = (uint32_t)check_log(source->random, 32);
        break;
    case HS_EVENT_FREE_MEMORY:
        event->site = index_of(source);
        break;
    default:
        break;
    }
    if (event->kind == HS_EVENT_PAIRS || event->kind == HS_EVENT_LIVE) {
        event->site = (source->features & HS_TRACE_SITES) != 0 ? index_of(source) : 0;
    }
    const bool owned =
        event->kind == HS_EVENT_PAIRS || (event->kind == HS_EVENT_LIVE && event->align_log2 != 0);
    event->caps = owned ? source->context.caps : event->caps;
    if (event->kind == HS_EVENT_LIVE && !owned) {
        event->task = 0;
    } else if (!owned) {
        event->task = source->written_task;
    }
}

/* Whether the decoder gives it a time. */
static bool stamped(unsigned kind)
{
    return kind != HS_EVENT_LOST_KIND && kind != HS_EVENT_TASK_ON && kind != HS_EVENT_LIVE &&
           kind != HS_EVENT_REGION;
}

static void context_change(stream_source_t *source)
{
    if (one_in(source, 8)) {
        source->context.task = index_of(source);
    }
    if (one_in(source, 16)) {
        source->context.caps = (uint32_t)check_log(source->random, 32);
    }
    if (one_in(source, 32)) {
        source->context.heap = (uint16_t)check_log(source->random, 16);
    }
}

hs_event_t stream_next(stream_source_t *source, uint64_t next_id)
{
    context_change(source);
    hs_event_t event = {.task = source->context.task};
    if (one_in(source, 24)) {
        other_event(source, &event);
    } else if (one_in(source, 24)) {
        chip_event(source, &event);
    } else {
        heap_event(source, &event, next_id);
    }
    if (event.kind <= HS_EVENT_POOL_RELEASE || event.kind == HS_EVENT_PAIRS ||
        (event.kind == HS_EVENT_LIVE && event.align_log2 != 0)) {
        source->written_task = event.task;
    }
    if ((source->features & HS_TRACE_CLOCK) != 0 && stamped(event.kind)) {
        source->time += number_of(source, 8) & UINT64_C(0xFFFFFFFFFFFF);
        event.time = source->time;
    }
    return event;
}

/* ---- streams ---- */

void stream_write(stream_source_t *source, size_t count, size_t memory, stream_bytes_t *bytes,
                  stream_events_t *events)
{
    const hs_trace_config_t config = {source->features, source->shift, stream_bytes_sink, bytes};
    void *place = malloc(memory); /* malloc aligns to 8 at least */
    hs_trace_t *trace = hs_trace_open(place, memory, &config);
    CHECK(trace != NULL);
    CHECK_EQUAL(HS_OK, hs_trace_metadata(trace, "source", "test"));
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++) {
        const hs_event_t event = stream_next(source, hs_trace_next_id(trace));
        CHECK_EQUAL(HS_OK, hs_trace_event(trace, &event));
        stream_events_add(events, &event, number);
        number += HS_EVENT_IS_HEAP(event.kind) ? 1u : 0u;
        if (one_in(source, 200)) {
            CHECK_EQUAL(HS_OK, hs_trace_flush(trace));
        }
    }
    CHECK_EQUAL(HS_OK, hs_trace_close(trace));
    free(place);
}

hs_status_t stream_read(const uint8_t *bytes, size_t count, size_t piece, stream_events_t *events,
                        hs_trace_health_t *health)
{
    hs_decoder_t *decoder = hs_decoder_new();
    CHECK(decoder != NULL);
    for (size_t at = 0; at < count;) {
        const size_t part = piece == 0 || piece > count - at ? count - at : piece;
        /* A copy of the exact size: a read beyond it is then seen by the sanitizer. */
        uint8_t *exact = malloc(part);
        CHECK(exact != NULL);
        memcpy(exact, bytes + at, part);
        CHECK_EQUAL(HS_OK, hs_decoder_push(decoder, exact, part, stream_events_sink, events));
        free(exact);
        at += part;
    }
    const hs_status_t status = hs_decoder_finish(decoder, stream_events_sink, events);
    hs_decoder_health(decoder, health);
    hs_decoder_delete(decoder);
    return status;
}
