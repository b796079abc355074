/*
 * The text form to the binary one: lines (text_line.c) to events, ids renumbered (id_map.c), tasks
 * and marks indexed (name_index.c), events encoded by the chip's own encoder.
 */
#include "text_import.h"

#include <stdlib.h>
#include <string.h>

#include "heapscope/trace.h"
#include "id_map.h"
#include "name_index.h"
#include "text_line.h"

#define ENCODER_MEMORY ((size_t)66048) /* makes the largest chunks */

struct hs_text_import {
    hs_trace_t *trace;
    hs_id_map_t ids;
    hs_name_index_t tasks;
    hs_name_index_t marks;
    hs_text_import_stats_t stats;
    uint32_t task;
    hs_status_t stopped; /* by memory; nothing is taken any more */
    uint8_t *out;        /* finished bytes */
    size_t out_used;
    size_t out_size;
    size_t out_taken;   /* of which were handed out by the last take */
    size_t line_length; /* of the line that is not complete yet; its first bytes are in `line` */
    size_t bad_length;
    uint8_t bad[HS_TEXT_BAD_MAX];
    uint8_t line[HS_TEXT_LINE_MAX];
    _Alignas(8) uint8_t memory[ENCODER_MEMORY];
};

/* ---- output ---- */

static hs_status_t out_grow(hs_text_import_t *import, size_t count)
{
    if (count > SIZE_MAX / 2 - import->out_used) {
        return HS_ERR_MEMORY;
    }
    const size_t size = (import->out_used + count) * 2;
    uint8_t *out = realloc(import->out, size);
    if (out == NULL) {
        return HS_ERR_MEMORY;
    }
    import->out = out;
    import->out_size = size;
    return HS_OK;
}

static hs_status_t out_put(void *context, const uint8_t *bytes, size_t count)
{
    hs_text_import_t *import = context;
    if (count > import->out_size - import->out_used) {
        const hs_status_t status = out_grow(import, count);
        if (status != HS_OK) {
            return status;
        }
    }
    memcpy(import->out + import->out_used, bytes, count);
    import->out_used += count;
    return HS_OK;
}

/* Drops what the last take handed out. */
static void out_drop(hs_text_import_t *import)
{
    import->out_used -= import->out_taken;
    if (import->out_taken > 0 && import->out_used > 0) {
        memmove(import->out, import->out + import->out_taken, import->out_used);
    }
    import->out_taken = 0;
}

size_t hs_text_import_take(hs_text_import_t *import, const uint8_t **bytes)
{
    out_drop(import);
    import->out_taken = import->out_used;
    *bytes = import->out;
    return import->out_used;
}

/* ---- events ---- */

static void bad_note(hs_text_import_t *import, const uint8_t *text, size_t length)
{
    if (import->stats.bad_lines++ == 0) {
        import->stats.first_bad = import->stats.lines;
        import->bad_length = length < HS_TEXT_BAD_MAX ? length : HS_TEXT_BAD_MAX;
        memcpy(import->bad, text, import->bad_length);
    }
}

static hs_status_t block_name(hs_text_import_t *import, const hs_text_line_t *line,
                              hs_event_t *event)
{
    bool reused;
    event->key = hs_trace_next_id(import->trace);
    const hs_status_t status = hs_id_map_take(&import->ids, line->id, event->key, &reused);
    if (reused && status == HS_OK && import->stats.id_reused++ == 0) {
        import->stats.first_reused = import->stats.lines;
    }
    return status;
}

static hs_status_t event_take(hs_text_import_t *import, const hs_text_line_t *line)
{
    static const uint8_t kinds[] = {[HS_TEXT_MALLOC] = HS_EVENT_MALLOC,
                                    [HS_TEXT_CALLOC] = HS_EVENT_CALLOC,
                                    [HS_TEXT_ALIGNED] = HS_EVENT_ALIGNED,
                                    [HS_TEXT_REALLOC] = HS_EVENT_REALLOC,
                                    [HS_TEXT_FREE] = HS_EVENT_FREE};
    hs_event_t event = {.task = import->task, .kind = kinds[line->kind]};
    hs_status_t status = HS_OK;
    switch (line->kind) {
    case HS_TEXT_FREE:
        event.key = hs_id_map_release(&import->ids, line->id);
        break;
    case HS_TEXT_REALLOC:
        event.key = hs_id_map_find(&import->ids, line->id);
        event.new_key = event.key;
        event.size = line->size;
        break;
    default:
        event.size = line->size;
        event.align_log2 = line->kind == HS_TEXT_ALIGNED ? line->align_log2 : 0;
        status = block_name(import, line, &event);
        break;
    }
    import->stats.events++;
    return status == HS_OK ? hs_trace_event(import->trace, &event) : status;
}

/* The index of a name, which the trace learns when it is new. */
static hs_status_t name_take(hs_text_import_t *import, const hs_text_line_t *line, uint32_t *index)
{
    const bool task = line->kind == HS_TEXT_TASK;
    bool added;
    const hs_status_t status = hs_name_index_get(task ? &import->tasks : &import->marks, line->name,
                                                 line->length, index, &added);
    if (status != HS_OK || !added) {
        return status;
    }
    return hs_trace_name(import->trace, task ? HS_NAMES_TASK : HS_NAMES_MARK, *index,
                         (const char *)line->name, line->length);
}

static hs_status_t named_take(hs_text_import_t *import, const hs_text_line_t *line,
                              const uint8_t *text, size_t length)
{
    uint32_t index;
    const hs_status_t status = name_take(import, line, &index);
    if (status == HS_ERR_ARGUMENT) { /* more names than a table holds */
        bad_note(import, text, length);
        return HS_OK;
    }
    if (status != HS_OK) {
        return status;
    }
    if (line->kind == HS_TEXT_TASK) {
        import->task = index;
        return HS_OK;
    }
    const hs_event_t mark = {.kind = HS_EVENT_MARK, .key = index, .task = import->task};
    return hs_trace_event(import->trace, &mark);
}

/* ---- lines ---- */

/* A line without its '\n'; of a long one, at least HS_TEXT_LINE_MAX bytes are there. */
static hs_status_t line_take(hs_text_import_t *import, const uint8_t *text, size_t length)
{
    static const uint8_t byte_order_mark[3] = {0xEF, 0xBB, 0xBF}; /* some editors put one first */
    if (import->stats.lines++ == 0 && length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    hs_text_line_t line;
    hs_text_line_parse(text, length, &line);
    switch (line.kind) {
    case HS_TEXT_EMPTY:
        return HS_OK;
    case HS_TEXT_BAD:
        bad_note(import, text, length);
        return HS_OK;
    case HS_TEXT_TASK:
    case HS_TEXT_MARK:
        return named_take(import, &line, text, length);
    default:
        return event_take(import, &line);
    }
}

/* Adds to the line that is not complete; what goes beyond the buffer is only counted. */
static void line_keep(hs_text_import_t *import, const uint8_t *text, size_t count)
{
    if (import->line_length < HS_TEXT_LINE_MAX) {
        const size_t room = HS_TEXT_LINE_MAX - import->line_length;
        memcpy(import->line + import->line_length, text, count < room ? count : room);
    }
    import->line_length += count;
}

static hs_status_t line_finish(hs_text_import_t *import)
{
    const size_t length = import->line_length;
    import->line_length = 0;
    return line_take(import, import->line, length);
}

/* Ordinary lines in one go. Returns the bytes taken. */
static size_t quick_take(hs_text_import_t *import, const uint8_t *text, size_t count)
{
    size_t at = 0;
    hs_text_line_t line = {0};
    while (count - at >= HS_TEXT_QUICK_AHEAD && import->stopped == HS_OK) {
        const size_t size = hs_text_line_quick(text + at, &line);
        if (size == 0) {
            break;
        }
        import->stats.lines++;
        import->stopped = event_take(import, &line);
        at += size;
    }
    return at;
}

/* The next line, or what there is of it. Returns the bytes taken. */
static size_t one_take(hs_text_import_t *import, const uint8_t *text, size_t count)
{
    const uint8_t *newline = memchr(text, '\n', count);
    const size_t length = newline == NULL ? count : (size_t)(newline - text);
    if (newline == NULL || import->line_length > 0) {
        line_keep(import, text, length);
        if (newline != NULL) {
            import->stopped = line_finish(import);
        }
    } else {
        import->stopped = line_take(import, text, length);
    }
    return newline == NULL ? length : length + 1;
}

hs_status_t hs_text_import_push(hs_text_import_t *import, const uint8_t *text, size_t count)
{
    out_drop(import);
    while (count > 0 && import->stopped == HS_OK) { /* bound: each round takes bytes */
        size_t taken = import->line_length == 0 ? quick_take(import, text, count) : 0;
        if (taken == 0) {
            taken = one_take(import, text, count);
        }
        text += taken;
        count -= taken;
    }
    return import->stopped;
}

hs_status_t hs_text_import_finish(hs_text_import_t *import)
{
    out_drop(import);
    if (import->stopped == HS_OK && import->line_length > 0) {
        import->stopped = line_finish(import);
    }
    return import->stopped == HS_OK ? hs_trace_close(import->trace) : import->stopped;
}

/* ---- the import ---- */

/* Events before any `t` belong to the task "main", which thus has the index 0. */
static hs_status_t main_name(hs_text_import_t *import)
{
    static const uint8_t name[4] = {'m', 'a', 'i', 'n'};
    bool added;
    return hs_name_index_get(&import->tasks, name, sizeof name, &import->task, &added);
}

hs_text_import_t *hs_text_import_new(void)
{
    hs_text_import_t *import = calloc(1, sizeof *import);
    if (import == NULL) {
        return NULL;
    }
    const hs_trace_config_t config = {.sink = out_put, .context = import};
    import->trace = hs_trace_open(import->memory, sizeof import->memory, &config);
    if (import->trace == NULL || hs_id_map_init(&import->ids) != HS_OK ||
        hs_name_index_init(&import->tasks) != HS_OK ||
        hs_name_index_init(&import->marks) != HS_OK || main_name(import) != HS_OK) {
        hs_text_import_delete(import);
        return NULL;
    }
    return import;
}

void hs_text_import_delete(hs_text_import_t *import)
{
    if (import != NULL) {
        hs_id_map_clear(&import->ids);
        hs_name_index_clear(&import->tasks);
        hs_name_index_clear(&import->marks);
        free(import->out);
        free(import);
    }
}

hs_status_t hs_text_import_metadata(hs_text_import_t *import, const char *key, const char *value)
{
    out_drop(import);
    return hs_trace_metadata(import->trace, key, value);
}

void hs_text_import_stats(const hs_text_import_t *import, hs_text_import_stats_t *out)
{
    *out = import->stats;
}

const uint8_t *hs_text_import_bad_line(const hs_text_import_t *import, size_t *length)
{
    *length = import->bad_length;
    return import->stats.bad_lines == 0 ? NULL : import->bad;
}
