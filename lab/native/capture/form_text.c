/* The text form (format/SPEC.md): lines (text_line.c) to events. */
#include <stdlib.h>
#include <string.h>

#include "import_form.h"
#include "name_index.h"
#include "text_line.h"

typedef struct text_form {
    uint64_t time; /* of the latest line that has one */
    uint32_t task;
    bool begun;            /* a line was seen */
    bool addresses;        /* blocks are known by their addresses */
    hs_name_index_t sites; /* their index + 1 is the site */
} text_form_t;

static void end(void *state)
{
    text_form_t *form = state;
    if (form != NULL) {
        hs_name_index_clear(&form->sites);
        free(form);
    }
}

static void *begin(void)
{
    text_form_t *form = calloc(1, sizeof *form);
    if (form != NULL && hs_name_index_init(&form->sites) != HS_OK) {
        end(form);
        form = NULL;
    }
    return form;
}

/* ---- blocks: by id, or by address ---------------------------------------------------------------- */

static hs_status_t allocate(text_form_t *form, hs_import_t *import, uint64_t id, hs_event_t *event)
{
    if (form->addresses) {
        event->key = id;
        return hs_import_event(import, event);
    }
    event->key = hs_import_next(import);
    const hs_status_t status = hs_import_called(import, id);
    return status == HS_OK ? hs_import_event(import, event) : status;
}

static hs_status_t release(text_form_t *form, hs_import_t *import, uint64_t id, hs_event_t *event)
{
    event->kind = HS_EVENT_FREE;
    event->key = form->addresses ? id : hs_import_release(import, id);
    return hs_import_event(import, event);
}

static hs_status_t resize(text_form_t *form, hs_import_t *import, const hs_text_line_t *line,
                          hs_event_t *event)
{
    const uint64_t after = line->moved ? line->new_id : line->id;
    if (form->addresses) {
        event->key = line->id;
        event->new_key = after;
        return hs_import_event(import, event);
    }
    hs_status_t status = hs_import_renamed(import, line->id, after, &event->key);
    event->new_key = event->key;
    if (status == HS_OK && event->key == HS_KEY_NONE && after != line->id) {
        /* The block is older than the text: the old one is not known, the new one is. */
        const hs_event_t gone = {
            .kind = HS_EVENT_FREE, .key = HS_KEY_NONE, .task = form->task, .time = form->time};
        status = hs_import_event(import, &gone);
        event->kind = HS_EVENT_MALLOC;
        return status == HS_OK ? allocate(form, import, after, event) : status;
    }
    return status == HS_OK ? hs_import_event(import, event) : status;
}

/* ---- events -------------------------------------------------------------------------------------- */

static const uint8_t kinds[] = {[HS_TEXT_MALLOC] = HS_EVENT_MALLOC,
                                [HS_TEXT_CALLOC] = HS_EVENT_CALLOC,
                                [HS_TEXT_ALIGNED] = HS_EVENT_ALIGNED,
                                [HS_TEXT_REALLOC] = HS_EVENT_REALLOC,
                                [HS_TEXT_FREE] = HS_EVENT_FREE};

static hs_status_t realloc_take(text_form_t *form, hs_import_t *import, const hs_text_line_t *line,
                                bool gone, hs_event_t *event)
{
    if (line->null) { /* realloc(NULL, size) is malloc(size) */
        event->kind = HS_EVENT_MALLOC;
        return gone ? hs_import_fail(import, event) : allocate(form, import, line->new_id, event);
    }
    if (!gone) {
        return resize(form, import, line, event);
    }
    if (line->size == 0) { /* realloc(block, 0) that gives NULL is free(block) */
        return release(form, import, line->id, event);
    }
    event->key = form->addresses ? line->id : hs_import_find(import, line->id);
    return hs_import_fail(import, event);
}

static hs_status_t event_take(text_form_t *form, hs_import_t *import, const hs_text_line_t *line,
                              uint32_t site)
{
    hs_event_t event = {.time = form->time,
                        .task = form->task,
                        .kind = kinds[line->kind],
                        .size = line->size,
                        .caps = line->caps,
                        .site = site};
    const bool null = line->null || (form->addresses && line->id == 0);
    switch (line->kind) {
    case HS_TEXT_FREE:
        return null ? HS_OK : release(form, import, line->id, &event);
    case HS_TEXT_REALLOC:
        return realloc_take(form, import, line,
                            line->new_null || (form->addresses && line->moved && line->new_id == 0),
                            &event);
    default:
        event.align_log2 = line->kind == HS_TEXT_ALIGNED ? line->align_log2 : 0;
        return null ? hs_import_fail(import, &event) : allocate(form, import, line->id, &event);
    }
}

static hs_status_t site_of(text_form_t *form, hs_import_t *import, const hs_text_line_t *line,
                           uint32_t *site)
{
    *site = 0;
    if (line->length == 0 || line->kind == HS_TEXT_FREE) {
        return HS_OK;
    }
    bool added;
    hs_status_t status = hs_import_need(import, HS_TRACE_SITES);
    if (status == HS_OK) {
        status = hs_name_index_get(&form->sites, line->name, line->length, site, &added);
    }
    if (status != HS_OK || *site == HS_NAME_INDEX_MAX) {
        *site = 0;
        return status == HS_ERR_ARGUMENT ? HS_OK : status; /* more than a table holds: unknown */
    }
    ++*site;
    return added ? hs_import_site(import, *site, (const char *)line->name, line->length) : HS_OK;
}

/* ---- lines --------------------------------------------------------------------------------------- */

static hs_status_t named_take(text_form_t *form, hs_import_t *import, const hs_text_line_t *line,
                              const uint8_t *text, size_t length)
{
    const bool task = line->kind == HS_TEXT_TASK;
    uint32_t index;
    const hs_status_t status = hs_import_named(import, task ? HS_NAMES_TASK : HS_NAMES_MARK,
                                               line->name, line->length, &index);
    if (status == HS_ERR_ARGUMENT) {
        return hs_import_bad(import, HS_IMPORT_NAMES, text, length);
    }
    if (status != HS_OK) {
        return status;
    }
    if (task) {
        form->task = index;
        return HS_OK;
    }
    const hs_event_t mark = {
        .kind = HS_EVENT_MARK, .key = index, .task = form->task, .time = form->time};
    return hs_import_event(import, &mark);
}

static hs_status_t fact_take(hs_import_t *import, const hs_text_line_t *line, const uint8_t *text,
                             size_t length)
{
    if (hs_import_has_events(import)) {
        return hs_import_bad(import, HS_IMPORT_LATE_FACT, text, length);
    }
    hs_import_fact(import, line->key, line->name, line->length);
    return HS_OK;
}

static hs_status_t time_take(text_form_t *form, hs_import_t *import, const hs_text_line_t *line)
{
    const hs_status_t status = hs_import_need(import, HS_TRACE_CLOCK);
    if (line->time < form->time) {
        hs_import_earlier(import);
    } else {
        form->time = line->time;
    }
    return status;
}

static hs_status_t meaning_take(text_form_t *form, hs_import_t *import, const hs_text_line_t *line,
                                const uint8_t *text, size_t length)
{
    switch (line->kind) {
    case HS_TEXT_EMPTY:
        return HS_OK;
    case HS_TEXT_TASK:
    case HS_TEXT_MARK:
        return named_take(form, import, line, text, length);
    case HS_TEXT_CORE: {
        const hs_event_t on = {.kind = HS_EVENT_TASK_ON,
                               .key = form->task,
                               .new_key = line->size,
                               .size = line->interrupt};
        return hs_import_event(import, &on);
    }
    case HS_TEXT_ADDRESSES:
        form->addresses = true;
        return hs_import_need(import, HS_TRACE_ADDRESSES);
    case HS_TEXT_FACT:
        return fact_take(import, line, text, length);
    default: {
        uint32_t site;
        const hs_status_t status = site_of(form, import, line, &site);
        return status == HS_OK ? event_take(form, import, line, site) : status;
    }
    }
}

static hs_status_t line_take(void *state, hs_import_t *import, const uint8_t *text, size_t length)
{
    static const uint8_t byte_order_mark[3] = {0xEF, 0xBB, 0xBF}; /* some editors put one first */
    text_form_t *form = state;
    if (!form->begun && length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    form->begun = true;
    hs_text_line_t line;
    hs_text_line_parse(text, length, &line);
    if (line.kind == HS_TEXT_BAD) {
        return hs_import_bad(import, line.reason, text, length);
    }
    const hs_status_t timed = line.timed ? time_take(form, import, &line) : HS_OK;
    const hs_status_t status = meaning_take(form, import, &line, text, length);
    return timed == HS_OK ? status : timed;
}

/* The event of a line that hs_text_line_quick() took. */
static inline hs_status_t quick_event(text_form_t *form, hs_import_t *import,
                                      const hs_text_line_t *line)
{
    if (form->addresses) {
        return event_take(form, import, line, 0);
    }
    hs_event_t event = {.time = form->time, .task = form->task, .kind = kinds[line->kind]};
    hs_status_t status = HS_OK;
    switch (line->kind) {
    case HS_TEXT_FREE:
        event.key = hs_import_release(import, line->id);
        break;
    case HS_TEXT_REALLOC:
        event.key = hs_import_find(import, line->id);
        event.new_key = event.key;
        event.size = line->size;
        break;
    default:
        event.size = line->size;
        event.key = hs_import_next(import);
        status = hs_import_called(import, line->id);
        break;
    }
    return status == HS_OK ? hs_import_event(import, &event) : status;
}

static size_t many_take(void *state, hs_import_t *import, const uint8_t *text, size_t count,
                        hs_status_t *status)
{
    text_form_t *form = state;
    size_t at = 0;
    hs_text_line_t line = {0};
    while (count - at >= HS_TEXT_QUICK_AHEAD && *status == HS_OK) {
        const size_t size = hs_text_line_quick(text + at, &line);
        if (size == 0) {
            break;
        }
        form->begun = true;
        hs_import_count_line(import);
        *status = quick_event(form, import, &line);
        at += size;
    }
    return at;
}

const hs_import_lines_t hs_import_text_lines = {
    .begin = begin, .end = end, .line = line_take, .many = many_take};
