/* Records of kind EXTENSION: a length, so that a reader steps over those it does not know, and over
 * fields that a later writer added at the end of those it does. */
#include "records.h"

#include "../../device/src/trace/format.h"

static bool name_read(hs_records_t *records, hs_cursor_t *body)
{
    uint8_t table;
    uint64_t index;
    if (!hs_cursor_byte(body, &table) || !hs_cursor_varint(body, &index) ||
        index > HS_NAME_INDEX_MAX) {
        return false;
    }
    if (table >= HS_NAMES_TABLES) {
        return true; /* a table of a later writer */
    }
    (void)hs_records_use(records, (hs_name_table_t)table, index);
    /* Events are not lost because there is no memory for names. */
    (void)hs_names_set(&records->names, (hs_name_table_t)table, (uint32_t)index, body->at,
                       hs_cursor_left(body));
    return true;
}

static bool callers_read(hs_records_t *records, hs_cursor_t *body)
{
    uint64_t index, after;
    if (!hs_cursor_varint(body, &index) || index > HS_NAME_INDEX_MAX ||
        !hs_cursor_varint(body, &after)) {
        return false;
    }
    (void)hs_records_use(records, HS_NAMES_SITE, index);
    hs_names_callers(&records->names, (uint32_t)index, after, body->at, hs_cursor_left(body));
    return true;
}

static bool heap_read(hs_records_t *records, hs_cursor_t *body)
{
    uint32_t heap;
    if (!hs_cursor_bounded(body, UINT16_MAX, &heap)) {
        return false;
    }
    records->state.heap = (uint16_t)heap;
    hs_records_use_heap(records, records->state.heap);
    return true;
}

static bool failed_read(hs_records_t *records, hs_cursor_t *body)
{
    hs_event_t *event = hs_records_event(records, HS_EVENT_FAILED);
    uint8_t call;
    if (!hs_cursor_byte(body, &call) || call < HS_EVENT_MALLOC || call > HS_EVENT_REALLOC ||
        !hs_cursor_varint(body, &event->size) || !hs_cursor_byte(body, &event->align_log2) ||
        event->align_log2 > HS_ALIGN_LOG2_MAX) {
        return false;
    }
    event->new_key = call;
    event->heap = records->state.heap;
    event->caps = records->state.caps;
    if (call == HS_EVENT_REALLOC && !hs_record_reference(records, body, &event->key)) {
        return false;
    }
    if (!hs_record_site(records, body, event) || !hs_record_stamp(records, body, event)) {
        return false;
    }
    records->count++;
    return true;
}

static bool lost_read(hs_records_t *records, hs_cursor_t *body)
{
    hs_event_t *event = hs_records_event(records, HS_EVENT_LOST);
    if (!hs_cursor_varint(body, &event->size) || !hs_record_stamp(records, body, event)) {
        return false;
    }
    if (event->size != 0 && records->lost_at == UINT64_MAX) {
        records->lost_at = records->number + records->count - records->others;
    }
    records->lost += event->size;
    records->count++;
    records->others++;
    return true;
}

/* Events about an index of a table, with `numbers` (0 to 2) more after it. */
static bool indexed_read(hs_records_t *records, hs_cursor_t *body, unsigned kind,
                         hs_name_table_t table, unsigned numbers)
{
    hs_event_t *event = hs_records_event(records, kind);
    if (!hs_cursor_varint(body, &event->key) || !hs_records_use(records, table, event->key) ||
        (numbers > 0 && !hs_cursor_varint(body, &event->size)) ||
        (numbers > 1 && !hs_cursor_varint(body, &event->new_key)) ||
        !hs_record_stamp(records, body, event)) {
        return false;
    }
    records->count++;
    records->others++;
    return true;
}

static bool body_read(hs_records_t *records, hs_cursor_t *body, uint64_t sub_kind)
{
    if (sub_kind >= HS_EXTENSION_TASK_ON && sub_kind <= HS_EXTENSION_FREE_MEMORY) {
        return hs_record_of_chip(records, body, sub_kind);
    }
    switch (sub_kind) {
    case HS_EXTENSION_MARK:
        return indexed_read(records, body, HS_EVENT_MARK, HS_NAMES_MARK, 0);
    case HS_EXTENSION_NAME:
        return name_read(records, body);
    case HS_EXTENSION_FAILED:
        return failed_read(records, body);
    case HS_EXTENSION_TASK_START:
        return indexed_read(records, body, HS_EVENT_TASK_START, HS_NAMES_TASK, 0);
    case HS_EXTENSION_TASK_END:
        return indexed_read(records, body, HS_EVENT_TASK_END, HS_NAMES_TASK, 0);
    case HS_EXTENSION_LOST:
        return lost_read(records, body);
    case HS_EXTENSION_HEAP:
        return heap_read(records, body);
    case HS_EXTENSION_POOL_CREATE:
        return indexed_read(records, body, HS_EVENT_POOL_CREATE, HS_NAMES_POOL, 2);
    case HS_EXTENSION_POOL_GROW:
        return indexed_read(records, body, HS_EVENT_POOL_GROW, HS_NAMES_POOL, 1);
    case HS_EXTENSION_POOL_ALLOC:
        return indexed_read(records, body, HS_EVENT_POOL_ALLOC, HS_NAMES_POOL, 1);
    case HS_EXTENSION_POOL_RELEASE:
        return indexed_read(records, body, HS_EVENT_POOL_RELEASE, HS_NAMES_POOL, 0);
    case HS_EXTENSION_SITE_CALLERS:
        return callers_read(records, body);
    default:
        return true; /* a later writer's; its length is all that is needed */
    }
}

bool hs_record_extension(hs_records_t *records, uint64_t sub_kind)
{
    hs_cursor_t *in = &records->in;
    uint64_t length;
    if (!hs_cursor_varint(in, &length) || length > hs_cursor_left(in)) {
        return false;
    }
    hs_cursor_t body = {in->at, in->at + length};
    in->at = body.end;
    return body_read(records, &body, sub_kind);
}
