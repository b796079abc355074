/* One record at a time, checked at every byte. */
#include "records.h"

#include "../../device/src/trace/format.h"
#include "../../device/src/trace/varint.h"

/* The block that a reference number names. */
static uint64_t referenced(hs_decode_state_t *state, uint64_t number)
{
    if ((state->features & HS_TRACE_ADDRESSES) == 0) {
        return state->next_id - 1u - number;
    }
    state->last_address += hs_unzigzag(number);
    return state->last_address << state->shift;
}

bool hs_record_reference(hs_records_t *records, hs_cursor_t *in, uint64_t *key)
{
    uint64_t number;
    if (!hs_cursor_varint(in, &number)) {
        return false;
    }
    *key = referenced(&records->state, number);
    return true;
}

/* The block that an allocation gave. */
static bool new_block_read(hs_records_t *records, uint64_t *key)
{
    if ((records->state.features & HS_TRACE_ADDRESSES) != 0) {
        return hs_record_reference(records, &records->in, key);
    }
    *key = records->state.next_id++;
    return true;
}

bool hs_record_site(hs_records_t *records, hs_cursor_t *in, hs_event_t *event)
{
    if ((records->state.features & HS_TRACE_SITES) == 0) {
        return true;
    }
    return hs_cursor_bounded(in, HS_NAME_INDEX_MAX, &event->site) &&
           hs_records_use(records, HS_NAMES_SITE, event->site);
}

bool hs_record_stamp(hs_records_t *records, hs_cursor_t *in, hs_event_t *event)
{
    if ((records->state.features & HS_TRACE_CLOCK) == 0) {
        return true;
    }
    uint64_t ticks;
    if (!hs_cursor_varint(in, &ticks)) {
        return false;
    }
    records->state.time += ticks;
    event->time = records->state.time;
    return true;
}

static bool accepted(hs_records_t *records, bool valid)
{
    records->count += valid ? 1u : 0u;
    return valid;
}

static hs_event_t *heap_event(hs_records_t *records, unsigned kind)
{
    hs_event_t *event = hs_records_event(records, kind);
    event->heap = records->state.heap;
    event->caps = kind == HS_EVENT_FREE ? 0 : records->state.caps;
    return event;
}

static bool free_read(hs_records_t *records, uint64_t number)
{
    hs_event_t *event = heap_event(records, HS_EVENT_FREE);
    event->key = referenced(&records->state, number);
    return accepted(records, hs_record_stamp(records, &records->in, event));
}

static bool block_read(hs_records_t *records, unsigned kind, uint64_t size)
{
    hs_event_t *event = heap_event(records, kind);
    event->size = size;
    if (kind == HS_EVENT_ALIGNED && (!hs_cursor_byte(&records->in, &event->align_log2) ||
                                     event->align_log2 > HS_ALIGN_LOG2_MAX)) {
        return false;
    }
    return accepted(records, new_block_read(records, &event->key) &&
                                 hs_record_site(records, &records->in, event) &&
                                 hs_record_stamp(records, &records->in, event));
}

static bool realloc_read(hs_records_t *records, uint64_t number)
{
    hs_event_t *event = heap_event(records, HS_EVENT_REALLOC);
    event->key = referenced(&records->state, number);
    event->new_key = event->key;
    if (!hs_cursor_varint(&records->in, &event->size) ||
        ((records->state.features & HS_TRACE_ADDRESSES) != 0 &&
         !hs_record_reference(records, &records->in, &event->new_key))) {
        return false;
    }
    return accepted(records, hs_record_site(records, &records->in, event) &&
                                 hs_record_stamp(records, &records->in, event));
}

static bool task_read(hs_records_t *records, uint64_t number)
{
    if (!hs_records_use(records, HS_NAMES_TASK, number)) {
        return false;
    }
    records->state.task = (uint32_t)number;
    return true;
}

static bool caps_read(hs_records_t *records, uint64_t number)
{
    records->state.caps = (uint32_t)number;
    return number <= UINT32_MAX;
}

bool hs_record_read(hs_records_t *records)
{
    uint8_t head;
    if (!hs_cursor_byte(&records->in, &head)) {
        return false;
    }
    uint64_t number = (head >> 3) & 15u;
    if (head >= 0x80u && !hs_cursor_continue(&records->in, 4, &number)) {
        return false;
    }
    switch (head & 7u) {
    case HS_RECORD_FREE:
        return free_read(records, number);
    case HS_RECORD_MALLOC:
        return block_read(records, HS_EVENT_MALLOC, number);
    case HS_RECORD_REALLOC:
        return realloc_read(records, number);
    case HS_RECORD_CALLOC:
        return block_read(records, HS_EVENT_CALLOC, number);
    case HS_RECORD_ALIGNED:
        return block_read(records, HS_EVENT_ALIGNED, number);
    case HS_RECORD_TASK:
        return task_read(records, number);
    case HS_RECORD_CAPS:
        return caps_read(records, number);
    default:
        return hs_record_extension(records, number);
    }
}
