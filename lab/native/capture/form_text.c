/* The text form (format/SPEC.md): lines (text_line.c) to events. */
#include <stdlib.h>
#include <string.h>

#include "import_form.h"
#include "text_line.h"

typedef struct text_form {
    uint32_t task;
    bool begun; /* a line was seen */
} text_form_t;

static void *begin(void)
{
    return calloc(1, sizeof(text_form_t));
}

static hs_status_t event_take(text_form_t *form, hs_import_t *import, const hs_text_line_t *line)
{
    static const uint8_t kinds[] = {[HS_TEXT_MALLOC] = HS_EVENT_MALLOC,
                                    [HS_TEXT_CALLOC] = HS_EVENT_CALLOC,
                                    [HS_TEXT_ALIGNED] = HS_EVENT_ALIGNED,
                                    [HS_TEXT_REALLOC] = HS_EVENT_REALLOC,
                                    [HS_TEXT_FREE] = HS_EVENT_FREE};
    hs_event_t event = {.task = form->task, .kind = kinds[line->kind]};
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
        event.align_log2 = line->kind == HS_TEXT_ALIGNED ? line->align_log2 : 0;
        event.key = hs_import_next(import);
        status = hs_import_called(import, line->id);
        break;
    }
    return status == HS_OK ? hs_import_event(import, &event) : status;
}

static hs_status_t named_take(text_form_t *form, hs_import_t *import, const hs_text_line_t *line,
                              const uint8_t *text, size_t length)
{
    const bool task = line->kind == HS_TEXT_TASK;
    uint32_t index;
    const hs_status_t status = hs_import_named(import, task ? HS_NAMES_TASK : HS_NAMES_MARK,
                                               line->name, line->length, &index);
    if (status == HS_ERR_ARGUMENT) { /* more names than a table holds */
        hs_import_bad(import, text, length);
        return HS_OK;
    }
    if (status != HS_OK) {
        return status;
    }
    if (task) {
        form->task = index;
        return HS_OK;
    }
    const hs_event_t mark = {.kind = HS_EVENT_MARK, .key = index, .task = form->task};
    return hs_import_event(import, &mark);
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
    switch (line.kind) {
    case HS_TEXT_EMPTY:
        return HS_OK;
    case HS_TEXT_BAD:
        hs_import_bad(import, text, length);
        return HS_OK;
    case HS_TEXT_TASK:
    case HS_TEXT_MARK:
        return named_take(form, import, &line, text, length);
    default:
        return event_take(form, import, &line);
    }
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
        *status = event_take(form, import, &line);
        at += size;
    }
    return at;
}

const hs_import_lines_t hs_import_text_lines = {
    .begin = begin, .end = free, .line = line_take, .many = many_take};
