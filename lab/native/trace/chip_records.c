/* Records that recorders on chips write: cores, levels, pairs, snapshots, regions. */
#include "../../device/src/trace/format.h"
#include "../../device/src/trace/varint.h"
#include "records.h"

/* Counts the event that was read; none of these is a heap event. */
static bool accept(hs_records_t *records)
{
    records->count++;
    records->others++;
    return true;
}

/* Events are missing from here on: left out, or counted without their order. */
static void note_missing(hs_records_t *records)
{
    if (records->lost_at == UINT64_MAX) {
        records->lost_at = records->number + records->count - records->others;
    }
}

static bool lost_kind_read(hs_records_t *records, hs_cursor_t *body)
{
    hs_event_t *event = hs_records_event(records, HS_EVENT_LOST_KIND);
    uint8_t kind;
    if (!hs_cursor_byte(body, &kind) || !hs_cursor_varint(body, &event->new_key) ||
        !hs_cursor_varint(body, &event->size)) {
        return false;
    }
    event->key = kind;
    uint32_t more, bytes;
    if (event->new_key > UINT32_MAX || event->size > UINT32_MAX) {
        return false;
    }
    if (hs_lost_kinds_take(&records->kinds, event, &more, &bytes)) {
        records->by_kind += kind < HS_LOST_LEFT_OUT ? more : 0;
    }
    if (hs_lost_kinds_whole(event)) {
        const uint32_t unheard = (uint32_t)event->new_key - (uint32_t)records->pairs;
        if (unheard <= UINT32_MAX / 2u) {
            records->pairs += unheard;
            records->pairs_lost += unheard;
        }
        records->untold = false;
    }
    return accept(records);
}

static bool task_on_read(hs_records_t *records, hs_cursor_t *body)
{
    hs_event_t *event = hs_records_event(records, HS_EVENT_TASK_ON);
    uint32_t where;
    if (!hs_cursor_varint(body, &event->key) ||
        !hs_records_use(records, HS_NAMES_TASK, event->key) ||
        !hs_cursor_bounded(body, HS_CORE_MAX << 1 | 1u, &where)) {
        return false;
    }
    event->new_key = where >> 1;
    event->size = where & 1u;
    return accept(records);
}

static bool level_read(hs_records_t *records, hs_cursor_t *body)
{
    hs_event_t *event = hs_records_event(records, HS_EVENT_LEVEL);
    uint32_t reason;
    if (!hs_cursor_varint(body, &event->key) || !hs_cursor_bounded(body, UINT16_MAX, &reason) ||
        !hs_cursor_byte(body, &event->align_log2) || event->align_log2 > HS_ALIGN_LOG2_MAX ||
        !hs_cursor_varint(body, &event->size) || !hs_cursor_varint(body, &event->new_key) ||
        !hs_cursor_bounded(body, HS_NAME_INDEX_MAX + 1u, &event->site) ||
        !hs_cursor_bounded(body, UINT32_MAX, &event->caps) ||
        !hs_record_stamp(records, body, event)) {
        return false;
    }
    event->heap = (uint16_t)reason;
    if (hs_level_leaves_out(event)) {
        note_missing(records);
    }
    return accept(records);
}

static bool pairs_read(hs_records_t *records, hs_cursor_t *body)
{
    hs_event_t *event = hs_records_event(records, HS_EVENT_PAIRS);
    event->caps = records->state.caps;
    if (!hs_cursor_varint(body, &event->size) || !hs_record_site(records, body, event) ||
        !hs_cursor_varint(body, &event->key) || !hs_cursor_varint(body, &event->new_key) ||
        !hs_record_stamp(records, body, event)) {
        return false;
    }
    note_missing(records);
    records->pairs += event->key;
    return accept(records);
}

static bool snapshot_read(hs_records_t *records, hs_cursor_t *body, unsigned kind)
{
    hs_event_t *event = hs_records_event(records, kind);
    if (!hs_cursor_varint(body, &event->key) ||
        (kind == HS_EVENT_SNAPSHOT_END &&
         (!hs_cursor_varint(body, &event->new_key) || !hs_cursor_varint(body, &event->size))) ||
        !hs_record_stamp(records, body, event)) {
        return false;
    }
    return accept(records);
}

/* The blocks of one record. Bound: each takes bytes of the body. */
static bool live_read(hs_records_t *records, hs_cursor_t *body)
{
    uint64_t snapshot;
    uint8_t flags;
    if (!hs_cursor_varint(body, &snapshot) || !hs_cursor_byte(body, &flags)) {
        return false;
    }
    if ((records->state.features & HS_TRACE_ADDRESSES) == 0) {
        return true;
    }
    uint64_t address = 0;
    for (bool first = true; body->at < body->end; first = false) {
        if (records->count == HS_BATCH_EVENTS) {
            (void)hs_records_emit(records);
        }
        hs_event_t *event = hs_records_event(records, HS_EVENT_LIVE);
        uint64_t number;
        if (!hs_cursor_varint(body, &number) || !hs_cursor_varint(body, &event->size) ||
            ((flags & HS_LIVE_SITES) != 0 &&
             (!hs_cursor_bounded(body, HS_NAME_INDEX_MAX, &event->site) ||
              !hs_records_use(records, HS_NAMES_SITE, event->site)))) {
            return false;
        }
        address = first ? number : address + hs_unzigzag(number);
        event->key = address << records->state.shift;
        event->new_key = snapshot;
        event->align_log2 = flags & HS_LIVE_OWNED;
        event->caps = event->align_log2 != 0 ? records->state.caps : 0;
        event->task = event->align_log2 != 0 ? records->state.task : 0;
        (void)accept(records);
    }
    return true;
}

static bool region_read(hs_records_t *records, hs_cursor_t *body)
{
    hs_event_t *event = hs_records_event(records, HS_EVENT_REGION);
    if (!hs_cursor_varint(body, &event->key) ||
        !hs_records_use(records, HS_NAMES_REGION, event->key) ||
        !hs_cursor_varint(body, &event->new_key) || !hs_cursor_varint(body, &event->size) ||
        !hs_cursor_bounded(body, UINT32_MAX, &event->caps)) {
        return false;
    }
    return accept(records);
}

static bool free_memory_read(hs_records_t *records, hs_cursor_t *body)
{
    hs_event_t *event = hs_records_event(records, HS_EVENT_FREE_MEMORY);
    if (!hs_cursor_bounded(body, HS_NAME_INDEX_MAX, &event->site) ||
        !hs_records_use(records, HS_NAMES_REGION, event->site) ||
        !hs_cursor_varint(body, &event->key) || !hs_cursor_varint(body, &event->new_key) ||
        !hs_cursor_varint(body, &event->size) || !hs_record_stamp(records, body, event)) {
        return false;
    }
    event->key--; /* 0 is unknown */
    event->new_key--;
    event->size--;
    return accept(records);
}

bool hs_record_of_chip(hs_records_t *records, hs_cursor_t *body, uint64_t sub_kind)
{
    switch (sub_kind) {
    case HS_EXTENSION_TASK_ON:
        return task_on_read(records, body);
    case HS_EXTENSION_LEVEL:
        return level_read(records, body);
    case HS_EXTENSION_PAIRS:
        return pairs_read(records, body);
    case HS_EXTENSION_SNAPSHOT:
        return snapshot_read(records, body, HS_EVENT_SNAPSHOT);
    case HS_EXTENSION_LIVE:
        return live_read(records, body);
    case HS_EXTENSION_SNAPSHOT_END:
        return snapshot_read(records, body, HS_EVENT_SNAPSHOT_END);
    case HS_EXTENSION_REGION:
        return region_read(records, body);
    case HS_EXTENSION_LOST_KIND:
        return lost_kind_read(records, body);
    default:
        return free_memory_read(records, body);
    }
}
