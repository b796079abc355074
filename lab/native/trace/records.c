/*
 * The payload of a chunk of events. Nearly all of a trace is FREE, MALLOC, CALLOC, REALLOC and TASK
 * records with short fields; the loop here takes those without a branch per byte and leaves the
 * rest, and the last bytes of the payload, to record.c.
 *
 * A number is read by loading eight bytes, finding the first one without a continuation bit and
 * squeezing those bits out. FREE and allocations go the same way, told apart by masks: which one
 * comes next is the one thing about a trace that a processor cannot predict.
 */
#include "records.h"

#include "../../device/src/trace/format.h"
#include "../../device/src/trace/varint.h"

/* The loop loads eight bytes at each of at most four fields of at most four bytes each. */
#define AHEAD (3 * 4 + 8)

#define MORE UINT64_C(0x80808080) /* continuation bits of the first four bytes */

#if defined(__GNUC__)
static HS_ALWAYS_INLINE unsigned lowest_bit(uint32_t word)
{
    return (unsigned)__builtin_ctz(word);
}
#else
static HS_ALWAYS_INLINE unsigned lowest_bit(uint32_t word) /* of bits 7, 15, 23 and 31 only */
{
    const unsigned high = (word & 0x8080u) == 0 ? 16u : 0u;
    return high + ((word >> high & 0x80u) == 0 ? 15u : 7u);
}
#endif

/* A field of one to four bytes at the start of a word. */
typedef struct hs_field {
    uint32_t bits; /* its bytes */
    unsigned size; /* in bytes */
} hs_field_t;

/* The first four bytes' bits that end a field; 0: it has more than four. */
static HS_ALWAYS_INLINE uint32_t field_ends(uint64_t word)
{
    return (uint32_t)(~word & MORE);
}

/* `ends` is not 0. */
static HS_ALWAYS_INLINE hs_field_t field_of(uint64_t word, uint32_t ends)
{
    const uint32_t up_to = ends ^ (ends - 1u); /* the lowest bit and those below it */
    const hs_field_t field = {(uint32_t)word & up_to, lowest_bit(ends) / 8u + 1u};
    return field;
}

/* Two bytes' seven bits become fourteen, and two of these twenty-eight. */
static HS_ALWAYS_INLINE uint64_t field_number(hs_field_t field)
{
    const uint32_t pairs =
        (field.bits & UINT32_C(0x7F007F)) | (field.bits >> 1 & UINT32_C(0x3F803F80));
    return (pairs & 0x3FFFu) | (pairs >> 2 & UINT32_C(0xFFFC000));
}

/* Reads the head of a record, of which the first byte has three bits of another meaning below the number's; returns
 * the byte behind it. NULL: it has more than four bytes. */
static HS_ALWAYS_INLINE const uint8_t *head_read(const uint8_t *at, uint64_t word, uint64_t *number)
{
    if ((word & 0x8080u) != 0x8080u) { /* one byte or two, as nearly all are */
        const uint64_t more = word >> 7 & 1u;
        *number = (word >> 3 & 15u) | (word >> 4 & 0x7F0u & (0u - more));
        return at + 1 + more;
    }
    const uint32_t ends = field_ends(word);
    if (ends == 0) {
        return NULL;
    }
    const hs_field_t field = field_of(word, ends);
    *number = field_number(field) >> 3;
    return at + field.size;
}

/* Reads one more field at *at unless `wanted` is 0 (its number then is 0); `wanted` is 0 or all
 * ones. */
static HS_ALWAYS_INLINE bool field_read(const uint8_t **at, uint64_t wanted, uint64_t *number)
{
    const uint64_t word = hs_load64(*at);
    const uint32_t ends = field_ends(word);
    const hs_field_t field = field_of(word, ends | UINT32_C(0x80000000));
    *number = field_number(field) & wanted;
    *at += field.size & (unsigned)wanted;
    return ends != 0 || wanted == 0;
}

/* The end of an event, from its task on: all of it is known before its record is read, but for the site. */
typedef struct hs_tail {
    uint32_t task;
    uint32_t caps;
    uint32_t site;
    uint16_t heap;
    uint8_t kind;
    uint8_t align_log2;
} hs_tail_t;

#define TAIL_AT offsetof(hs_event_t, task)

_Static_assert(sizeof(hs_event_t) == TAIL_AT + sizeof(hs_tail_t) &&
                   offsetof(hs_event_t, caps) == TAIL_AT + offsetof(hs_tail_t, caps) &&
                   offsetof(hs_event_t, site) == TAIL_AT + offsetof(hs_tail_t, site) &&
                   offsetof(hs_event_t, heap) == TAIL_AT + offsetof(hs_tail_t, heap) &&
                   offsetof(hs_event_t, kind) == TAIL_AT + offsetof(hs_tail_t, kind) &&
                   offsetof(hs_event_t, align_log2) == TAIL_AT + offsetof(hs_tail_t, align_log2),
               "the tail is the event's end");

/* The ordinary records are the first kinds. */
#define ORDINARY (HS_RECORD_CALLOC + 1)

static const uint8_t event_kinds[ORDINARY] = {
    [HS_RECORD_FREE] = HS_EVENT_FREE,
    [HS_RECORD_MALLOC] = HS_EVENT_MALLOC,
    [HS_RECORD_REALLOC] = HS_EVENT_REALLOC,
    [HS_RECORD_CALLOC] = HS_EVENT_CALLOC,
};

/* All ones for what asks for memory. */
static const uint64_t asking[ORDINARY] = {
    [HS_RECORD_FREE] = 0,
    [HS_RECORD_MALLOC] = ~UINT64_C(0),
    [HS_RECORD_REALLOC] = ~UINT64_C(0),
    [HS_RECORD_CALLOC] = ~UINT64_C(0),
};

static void tails_make(hs_tail_t tails[ORDINARY], const hs_decode_state_t *state)
{
    for (unsigned kind = 0; kind < ORDINARY; kind++) {
        tails[kind] = (hs_tail_t){.task = state->task,
                                  .caps = state->caps & (uint32_t)asking[kind],
                                  .heap = state->heap,
                                  .kind = event_kinds[kind]};
    }
}

/* An ordinary record, taken apart but not yet accepted. */
typedef struct hs_parts {
    const uint8_t *next; /* the byte after what was read */
    uint64_t asks;       /* all ones for what asks for memory, 0 for a FREE */
    uint64_t next_id;    /* after the record */
    uint64_t number;     /* of the head */
    uint64_t key;
    uint64_t new_key;
    uint64_t size;
    uint64_t last; /* address mentioned last */
    uint64_t site;
    uint64_t ticks;
    unsigned kind; /* of the record */
    bool fits;     /* no field is longer than four bytes */
} hs_parts_t;

static HS_ALWAYS_INLINE void realloc_parts(hs_parts_t *parts, const hs_decode_state_t *state,
                                           const unsigned features)
{
    parts->fits = field_read(&parts->next, ~UINT64_C(0), &parts->size);
    if ((features & HS_TRACE_ADDRESSES) != 0) {
        uint64_t moved;
        parts->fits = field_read(&parts->next, ~UINT64_C(0), &moved) && parts->fits;
        parts->last += hs_unzigzag(parts->number);
        parts->key = parts->last << state->shift;
        parts->last += hs_unzigzag(moved);
        parts->new_key = parts->last << state->shift;
    } else {
        parts->key = state->next_id - 1u - parts->number;
        parts->new_key = parts->key;
    }
    parts->next_id = state->next_id;
}

/* FREE and allocations alike. */
static HS_ALWAYS_INLINE void block_parts(hs_parts_t *parts, const hs_decode_state_t *state,
                                         const unsigned features)
{
    const uint64_t back = parts->number & ~parts->asks;
    parts->size = parts->number ^ back;
    if ((features & HS_TRACE_ADDRESSES) != 0) {
        uint64_t given;
        parts->fits = field_read(&parts->next, parts->asks, &given);
        parts->last += hs_unzigzag(given | back);
        parts->key = parts->last << state->shift;
    } else {
        parts->key = state->next_id - back + ~parts->asks;
    }
    parts->next_id = state->next_id - parts->asks; /* one more, or as it was */
}

static HS_ALWAYS_INLINE void stamp_parts(hs_parts_t *parts, const unsigned features)
{
    if ((features & HS_TRACE_SITES) != 0) {
        parts->fits = field_read(&parts->next, parts->asks, &parts->site) &&
                      parts->site <= HS_NAME_INDEX_MAX && parts->fits;
    }
    if ((features & HS_TRACE_CLOCK) != 0) {
        parts->fits = field_read(&parts->next, ~UINT64_C(0), &parts->ticks) && parts->fits;
    }
}

static HS_ALWAYS_INLINE void event_put(hs_event_t *out, const hs_parts_t *parts,
                                       const hs_decode_state_t *state, const hs_tail_t *tail,
                                       const unsigned features)
{
    out->key = parts->key;
    out->new_key = parts->new_key;
    out->size = parts->size;
    out->time = (features & HS_TRACE_CLOCK) != 0 ? state->time : 0;
    memcpy((uint8_t *)out + TAIL_AT, tail, sizeof *tail);
    if ((features & HS_TRACE_SITES) != 0) {
        out->site = (uint32_t)parts->site;
    }
}

/* Records until one is not ordinary, the batch is full, or the payload is nearly over; then nothing
 * of the next record has been kept. `features` is a constant in each copy of it. Bound: each round
 * takes bytes of the payload. */
static HS_ALWAYS_INLINE void run(hs_records_t *records, const unsigned features)
{
    hs_decode_state_t state = records->state;
    const uint8_t *at = records->in.at;
    const size_t left = hs_cursor_left(&records->in);
    const uint8_t *const stop = left < AHEAD ? at : at + (left - AHEAD + 1u);
    hs_event_t *out = records->batch + records->count;
    hs_event_t *const out_end = records->batch + HS_BATCH_EVENTS;
    hs_tail_t tails[ORDINARY];
    uint32_t sites = records->used[HS_NAMES_SITE];
    uint32_t tasks = records->used[HS_NAMES_TASK];

    tails_make(tails, &state);
    while (at < stop && out < out_end) {
        const uint64_t word = hs_load64(at);
        hs_parts_t parts = {.last = state.last_address, .kind = (unsigned)word & 7u, .fits = true};
        parts.next = head_read(at, word, &parts.number);
        if (parts.next == NULL) {
            break;
        }
        if (parts.kind > HS_RECORD_CALLOC) {
            if (parts.kind != HS_RECORD_TASK || parts.number > HS_NAME_INDEX_MAX) {
                break;
            }
            state.task = (uint32_t)parts.number;
            for (unsigned kind = 0; kind < ORDINARY; kind++) {
                tails[kind].task = state.task;
            }
            tasks = state.task >= tasks ? state.task + 1 : tasks;
            at = parts.next;
            continue;
        }
        parts.asks = asking[parts.kind];
        if (parts.kind == HS_RECORD_REALLOC) {
            realloc_parts(&parts, &state, features);
        } else {
            block_parts(&parts, &state, features);
        }
        stamp_parts(&parts, features);
        if (!parts.fits) {
            break;
        }

        at = parts.next;
        state.next_id = parts.next_id;
        state.last_address = parts.last;
        state.time += parts.ticks;
        if ((features & HS_TRACE_SITES) != 0) {
            const uint32_t used = ((uint32_t)parts.site + 1u) & (uint32_t)parts.asks;
            sites = used > sites ? used : sites;
        }
        event_put(out, &parts, &state, &tails[parts.kind], features);
        out++;
    }
    records->state = state;
    records->in.at = at;
    records->count = (size_t)(out - records->batch);
    records->used[HS_NAMES_SITE] = sites;
    records->used[HS_NAMES_TASK] = tasks;
}

/* The loop, made for each set of features. */
static void run_as(hs_records_t *records)
{
    switch (records->state.features & HS_FEATURES_KNOWN) {
    case 0:
        run(records, 0);
        break;
    case HS_TRACE_ADDRESSES:
        run(records, HS_TRACE_ADDRESSES);
        break;
    case HS_TRACE_CLOCK:
        run(records, HS_TRACE_CLOCK);
        break;
    case HS_TRACE_ADDRESSES | HS_TRACE_CLOCK:
        run(records, HS_TRACE_ADDRESSES | HS_TRACE_CLOCK);
        break;
    case HS_TRACE_SITES:
        run(records, HS_TRACE_SITES);
        break;
    case HS_TRACE_ADDRESSES | HS_TRACE_SITES:
        run(records, HS_TRACE_ADDRESSES | HS_TRACE_SITES);
        break;
    case HS_TRACE_CLOCK | HS_TRACE_SITES:
        run(records, HS_TRACE_CLOCK | HS_TRACE_SITES);
        break;
    default:
        run(records, HS_TRACE_ADDRESSES | HS_TRACE_CLOCK | HS_TRACE_SITES);
        break;
    }
}

hs_status_t hs_records_emit(hs_records_t *records)
{
    if (records->count == 0) {
        return records->stopped;
    }
    if (records->stopped == HS_OK) {
        records->stopped =
            records->sink(records->context, records->number, records->batch, records->count);
    }
    records->number += records->count - records->others;
    records->count = 0;
    records->others = 0;
    return records->stopped;
}

hs_status_t hs_records_decode(hs_records_t *records)
{
    while (records->in.at < records->in.end) { /* bound: each round takes a record or a batch */
        run_as(records);
        if (records->count == HS_BATCH_EVENTS) {
            const hs_status_t status = hs_records_emit(records);
            if (status != HS_OK) {
                return status;
            }
        } else if (records->in.at < records->in.end && !hs_record_read(records)) {
            const hs_status_t status = hs_records_emit(records);
            return status == HS_OK ? HS_ERR_FORMAT : status;
        }
    }
    return hs_records_emit(records);
}

static bool blocks_begin(hs_decode_state_t *state, hs_cursor_t *in)
{
    if ((state->features & HS_TRACE_ADDRESSES) == 0) {
        return hs_cursor_varint(in, &state->next_id);
    }
    return hs_cursor_byte(in, &state->shift) && state->shift <= HS_ADDRESS_SHIFT_MAX &&
           hs_cursor_varint(in, &state->last_address);
}

bool hs_records_begin(hs_records_t *records, unsigned features, const uint8_t *payload,
                      size_t count, uint64_t *first)
{
    hs_cursor_t *in = &records->in;
    *in = (hs_cursor_t){payload, payload + count};
    hs_decode_state_t *state = &records->state;
    *state = (hs_decode_state_t){.features = (uint16_t)features};
    uint32_t heap;
    if (!hs_cursor_varint(in, first) || !hs_cursor_bounded(in, HS_NAME_INDEX_MAX, &state->task) ||
        !hs_cursor_bounded(in, UINT32_MAX, &state->caps) ||
        !hs_cursor_bounded(in, UINT16_MAX, &heap) || !blocks_begin(state, in) ||
        ((features & HS_TRACE_CLOCK) != 0 && !hs_cursor_varint(in, &state->time))) {
        return false;
    }
    state->heap = (uint16_t)heap;
    hs_records_use_heap(records, state->heap);
    return hs_records_use(records, HS_NAMES_TASK, state->task);
}
