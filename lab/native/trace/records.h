/* The payload of a chunk of events to hs_event_t. Private to lab/native/trace. */
#ifndef HEAPSCOPE_NATIVE_RECORDS_H
#define HEAPSCOPE_NATIVE_RECORDS_H

#include "bytes.h"
#include "decoder.h"
#include "lost_kinds.h"
#include "names.h"

/* The state that records refer to; each chunk of events begins with it. */
typedef struct hs_decode_state {
    uint64_t next_id;
    uint64_t last_address; /* shifted */
    uint64_t time;
    uint32_t task;
    uint32_t caps;
    uint16_t heap;
    uint16_t features;
    uint8_t shift;
} hs_decode_state_t;

typedef struct hs_records {
    hs_cursor_t in; /* what is left of the payload */
    hs_decode_state_t state;

    hs_event_t *batch; /* HS_BATCH_EVENTS of them */
    size_t count;      /* in the batch */
    size_t others;     /* of which are no heap events */
    uint64_t number;   /* event number of the batch's first heap event */
    hs_event_sink_t sink;
    void *context;

    hs_status_t stopped;                  /* what the sink said */
    uint32_t used[HS_NAMES_TABLES];       /* one past the highest index seen */
    uint8_t heaps[(UINT16_MAX + 1u) / 8]; /* a bit for each heap that was used */
    uint64_t lost;                        /* by LOST records of all chunks */
    uint64_t by_kind;           /* the same by LOST_KIND, which tells of lost chunks, too */
    uint64_t pairs, pairs_lost; /* of PAIRS records; those in lost chunks */
    hs_lost_kinds_t kinds;
    bool untold;      /* what lost chunks told of is not known yet */
    uint64_t lost_at; /* heap events before the first of them; UINT64_MAX: none */
    hs_names_t names;
} hs_records_t;

/* Reads the base at the payload's start; `first` is its event number. False: malformed. */
bool hs_records_begin(hs_records_t *records, unsigned features, const uint8_t *payload,
                      size_t count, uint64_t *first);

/* Decodes the records up to the payload's end and hands them to the sink. HS_ERR_FORMAT: a record
 * is malformed; those before it were handed over. Else what the sink said. */
hs_status_t hs_records_decode(hs_records_t *records);

/* Hands the batch over, also an unfinished one. */
hs_status_t hs_records_emit(hs_records_t *records);

/* Notes that an index of a table occurs. False: it is above HS_NAME_INDEX_MAX. */
static inline bool hs_records_use(hs_records_t *records, hs_name_table_t table, uint64_t index)
{
    if (index > HS_NAME_INDEX_MAX) {
        return false;
    }
    if (index >= records->used[table]) {
        records->used[table] = (uint32_t)index + 1;
    }
    return true;
}

/* Notes that events are in a heap. */
static inline void hs_records_use_heap(hs_records_t *records, uint16_t heap)
{
    records->heaps[heap / 8] |= (uint8_t)(1u << heap % 8);
    (void)hs_records_use(records, HS_NAMES_HEAP, heap);
}

static inline bool hs_records_has_heap(const hs_records_t *records, uint32_t heap)
{
    return heap <= UINT16_MAX && ((unsigned)records->heaps[heap / 8] >> heap % 8 & 1u) != 0;
}

/* The event at the batch's end, with everything set that does not depend on its kind. */
static inline hs_event_t *hs_records_event(hs_records_t *records, unsigned kind)
{
    hs_event_t *event = &records->batch[records->count];
    *event = (hs_event_t){.task = records->state.task, .kind = (uint8_t)kind};
    return event;
}

/* One record, whatever its kind, checked at every byte; for all that the fast path leaves. It adds
 * at most one event; one of live blocks adds any number, and hands over batches by itself. False:
 * malformed. */
bool hs_record_read(hs_records_t *records);

/* The parts that extension.c shares with it. */
bool hs_record_extension(hs_records_t *records, uint64_t sub_kind);
/* The body of an extension that only recorders on chips write (sub-kinds 13 to 21). */
bool hs_record_of_chip(hs_records_t *records, hs_cursor_t *body, uint64_t sub_kind);
bool hs_record_reference(hs_records_t *records, hs_cursor_t *in, uint64_t *key);
bool hs_record_site(hs_records_t *records, hs_cursor_t *in, hs_event_t *event);
bool hs_record_stamp(hs_records_t *records, hs_cursor_t *in, hs_event_t *event);

#endif
