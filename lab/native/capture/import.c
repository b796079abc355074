/*
 * Lines of any form to a trace: pieces to lines, the form's events with ids renumbered (id_map.c),
 * tasks and marks indexed (name_index.c), encoded by the chip's own encoder.
 */
#include "import.h"

#include <stdlib.h>
#include <string.h>

#include "heapscope/trace.h"
#include "id_map.h"
#include "import_form.h"
#include "left_out.h"
#include "name_index.h"
#include "queue/queue.h"

#define ENCODER_MEMORY ((size_t)66048) /* makes the largest chunks */
#define VALUE_MAX 200u                 /* bytes of a fact that the text tells */

struct hs_import {
    const hs_import_lines_t *lines;
    void *form; /* its state */
    hs_trace_t *trace;
    hs_id_map_t ids;
    hs_name_index_t tasks;
    hs_name_index_t marks;
    hs_import_stats_t stats;
    uint32_t features;   /* of the trace */
    hs_status_t stopped; /* by memory, or by a feature; nothing is taken any more */
    hs_left_out_t left;
    hs_queue_t out;     /* finished bytes */
    size_t line_length; /* of the line that is not complete yet; its first bytes are in `line` */
    size_t bad_length;
    uint8_t bad[HS_IMPORT_BAD_MAX];
    uint8_t line[HS_IMPORT_LINE_MAX];
    _Alignas(8) uint8_t memory[ENCODER_MEMORY];
};

/* ---- output ---- */

static hs_status_t out_put(void *context, const uint8_t *bytes, size_t count)
{
    hs_import_t *import = context;
    return hs_queue_put(&import->out, bytes, count);
}

size_t hs_import_take(hs_import_t *import, const uint8_t **bytes)
{
    const size_t count = hs_queue_waiting(&import->out);
    *bytes = count == 0 ? NULL : import->out.bytes + import->out.taken;
    import->out.taken = import->out.used;
    return count;
}

/* ---- what forms call ---- */

hs_status_t hs_import_bad(hs_import_t *import, hs_import_reason_t reason, const uint8_t *text,
                          size_t length)
{
    if (import->stats.bad_lines++ == 0) {
        import->stats.first_bad = import->stats.lines;
        import->bad_length = length < HS_IMPORT_BAD_MAX ? length : HS_IMPORT_BAD_MAX;
        memcpy(import->bad, text, import->bad_length);
    }
    return hs_left_out_add(&import->left, import->stats.lines, reason, text, length);
}

hs_status_t hs_import_need(hs_import_t *import, uint32_t features)
{
    import->stats.wanted |= features & ~import->features;
    return import->stats.wanted == 0 ? HS_OK : HS_ERR_VERSION;
}

void hs_import_earlier(hs_import_t *import)
{
    import->stats.earlier++;
}

bool hs_import_has_events(const hs_import_t *import)
{
    return import->stats.events > 0;
}

void hs_import_count_line(hs_import_t *import)
{
    import->stats.lines++;
}

void hs_import_fact(hs_import_t *import, const char *key, const uint8_t *value, size_t length)
{
    char text[VALUE_MAX + 1];
    size_t count = 0;
    for (size_t i = 0; i < length && count < VALUE_MAX && value[i] != 0; i++) {
        text[count++] = (char)value[i];
    }
    text[count] = 0;
    (void)hs_trace_metadata(import->trace, key, text); /* too late: it is dropped */
}

uint64_t hs_import_next(const hs_import_t *import)
{
    return hs_trace_next_id(import->trace);
}

static hs_status_t call(hs_import_t *import, uint64_t id, uint64_t key)
{
    bool reused;
    const hs_status_t status = hs_id_map_take(&import->ids, id, key, &reused);
    if (reused && status == HS_OK && import->stats.id_reused++ == 0) {
        import->stats.first_reused = import->stats.lines;
    }
    return status;
}

hs_status_t hs_import_called(hs_import_t *import, uint64_t id)
{
    return call(import, id, hs_import_next(import));
}

hs_status_t hs_import_renamed(hs_import_t *import, uint64_t id, uint64_t other, uint64_t *key)
{
    if (id == other) {
        *key = hs_id_map_find(&import->ids, id);
        return HS_OK;
    }
    *key = hs_id_map_release(&import->ids, id);
    return *key == HS_KEY_NONE ? HS_OK : call(import, other, *key);
}

uint64_t hs_import_find(const hs_import_t *import, uint64_t id)
{
    return hs_id_map_find(&import->ids, id);
}

uint64_t hs_import_release(hs_import_t *import, uint64_t id)
{
    return hs_id_map_release(&import->ids, id);
}

void hs_import_guessed(hs_import_t *import)
{
    import->stats.guessed++;
}

hs_status_t hs_import_event(hs_import_t *import, const hs_event_t *event)
{
    const bool counts = HS_EVENT_IS_HEAP(event->kind) || (event->kind >= HS_EVENT_POOL_CREATE &&
                                                          event->kind <= HS_EVENT_POOL_RELEASE);
    import->stats.events += counts ? 1u : 0u;
    return hs_trace_event(import->trace, event);
}

hs_status_t hs_import_fail(hs_import_t *import, hs_event_t *event)
{
    event->new_key = event->kind;
    event->kind = HS_EVENT_FAILED;
    import->stats.failed++;
    return hs_import_event(import, event);
}

hs_status_t hs_import_named(hs_import_t *import, hs_name_table_t table, const uint8_t *name,
                            size_t length, uint32_t *index)
{
    bool added;
    hs_name_index_t *names = table == HS_NAMES_TASK ? &import->tasks : &import->marks;
    const hs_status_t status = hs_name_index_get(names, name, length, index, &added);
    if (status != HS_OK || !added) {
        return status;
    }
    return hs_trace_name(import->trace, table, *index, (const char *)name, length);
}

hs_status_t hs_import_pool(hs_import_t *import, uint32_t index, const char *name)
{
    return hs_trace_name(import->trace, HS_NAMES_POOL, index, name, strlen(name));
}

hs_status_t hs_import_site(hs_import_t *import, uint32_t index, const char *name, size_t length)
{
    return hs_trace_site(import->trace, index, name, length);
}

/* ---- lines ---- */

static hs_status_t line_take(hs_import_t *import, const uint8_t *text, size_t length)
{
    import->stats.lines++;
    return import->lines->line(import->form, import, text, length);
}

/* Adds to the line that is not complete; what goes beyond the buffer is only counted. */
static void line_keep(hs_import_t *import, const uint8_t *text, size_t count)
{
    if (import->line_length < HS_IMPORT_LINE_MAX) {
        const size_t room = HS_IMPORT_LINE_MAX - import->line_length;
        memcpy(import->line + import->line_length, text, count < room ? count : room);
    }
    import->line_length += count;
}

static hs_status_t line_finish(hs_import_t *import)
{
    const size_t length = import->line_length;
    import->line_length = 0;
    return line_take(import, import->line, length);
}

/* Ordinary lines in one go. Returns the bytes taken. */
static size_t quick_take(hs_import_t *import, const uint8_t *text, size_t count)
{
    return import->lines->many == NULL
               ? 0
               : import->lines->many(import->form, import, text, count, &import->stopped);
}

/* The next line, or what there is of it. Returns the bytes taken. */
static size_t one_take(hs_import_t *import, const uint8_t *text, size_t count)
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

hs_status_t hs_import_push(hs_import_t *import, const uint8_t *text, size_t count)
{
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

hs_status_t hs_import_finish(hs_import_t *import)
{
    if (import->stopped == HS_OK && import->line_length > 0) {
        import->stopped = line_finish(import);
    }
    if (import->stopped == HS_OK && import->lines->last != NULL) {
        import->stopped = import->lines->last(import->form, import);
    }
    return import->stopped == HS_OK ? hs_trace_close(import->trace) : import->stopped;
}

/* ---- the import ---- */

/* Events before any `t` belong to the task "main", which thus has the index 0. */
static hs_status_t main_name(hs_import_t *import)
{
    static const uint8_t name[4] = {'m', 'a', 'i', 'n'};
    bool added;
    uint32_t index;
    return hs_name_index_get(&import->tasks, name, sizeof name, &index, &added);
}

hs_import_t *hs_import_new(hs_import_form_t form, uint32_t features)
{
    static const hs_import_lines_t *const forms[] = {
        [HS_IMPORT_TEXT] = &hs_import_text_lines,
        [HS_IMPORT_HEAPTRACK] = &hs_import_heaptrack_lines,
        [HS_IMPORT_MTRACE] = &hs_import_mtrace_lines,
        [HS_IMPORT_PJSIP] = &hs_import_pjsip_lines,
    };
    if ((size_t)form >= sizeof forms / sizeof forms[0] || features > UINT16_MAX) {
        return NULL;
    }
    hs_import_t *import = calloc(1, sizeof *import);
    if (import == NULL) {
        return NULL;
    }
    import->lines = forms[form];
    import->features = import->lines->features | features;
    import->left.most = HS_IMPORT_BAD_KEPT;
    const hs_trace_config_t config = {
        .features = (uint16_t)import->features, .sink = out_put, .context = import};
    import->trace = hs_trace_open(import->memory, sizeof import->memory, &config);
    import->form = import->lines->begin();
    if (import->form == NULL || import->trace == NULL || hs_id_map_init(&import->ids) != HS_OK ||
        hs_name_index_init(&import->tasks) != HS_OK ||
        hs_name_index_init(&import->marks) != HS_OK || main_name(import) != HS_OK) {
        hs_import_delete(import);
        return NULL;
    }
    return import;
}

void hs_import_delete(hs_import_t *import)
{
    if (import != NULL) {
        import->lines->end(import->form);
        hs_id_map_clear(&import->ids);
        hs_name_index_clear(&import->tasks);
        hs_name_index_clear(&import->marks);
        hs_queue_free(&import->out);
        hs_queue_free(&import->left.rows);
        free(import);
    }
}

hs_status_t hs_import_metadata(hs_import_t *import, const char *key, const char *value)
{
    return hs_trace_metadata(import->trace, key, value);
}

void hs_import_stats(const hs_import_t *import, hs_import_stats_t *out)
{
    *out = import->stats;
}

const uint8_t *hs_import_bad_line(const hs_import_t *import, size_t *length)
{
    *length = import->bad_length;
    return import->stats.bad_lines == 0 ? NULL : import->bad;
}

void hs_import_keep(hs_import_t *import, uint64_t most)
{
    import->left.most = most;
}

size_t hs_import_left_out(hs_import_t *import, hs_import_line_t *lines, size_t capacity)
{
    return hs_queue_take(&import->left.rows, lines, sizeof *lines, capacity);
}

uint64_t hs_import_reason_count(const hs_import_t *import, uint32_t reason)
{
    return reason < HS_IMPORT_REASONS ? import->left.by_reason[reason] : 0;
}
