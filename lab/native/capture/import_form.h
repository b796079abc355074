/* A form of text: what it makes of its lines, and the functions it has for that. Private.
 *
 * Functions return HS_ERR_MEMORY when the host has none left, which ends the import. */
#ifndef HEAPSCOPE_NATIVE_IMPORT_FORM_H
#define HEAPSCOPE_NATIVE_IMPORT_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/trace.h"
#include "import.h"

#define HS_IMPORT_LINE_MAX 16384u /* bytes of a line that a form is given, at most */

typedef struct hs_import_lines {
    uint16_t features; /* of the trace: HS_TRACE_SITES, HS_TRACE_CLOCK */
    /* The form's own state; NULL: no memory. */
    void *(*begin)(void);
    void (*end)(void *state); /* NULL is fine */
    /* A line without its '\n': at most HS_IMPORT_LINE_MAX bytes are there, `length` is the true one. */
    hs_status_t (*line)(void *state, hs_import_t *import, const uint8_t *text, size_t length);
    /* Ordinary lines in one go, for speed; NULL: none. Returns the bytes taken, whole lines. */
    size_t (*many)(void *state, hs_import_t *import, const uint8_t *text, size_t count,
                   hs_status_t *status);
    hs_status_t (*last)(void *state,
                        hs_import_t *import); /* the input is over; NULL: nothing to do */
} hs_import_lines_t;

extern const hs_import_lines_t hs_import_text_lines, hs_import_heaptrack_lines,
    hs_import_mtrace_lines, hs_import_pjsip_lines;

/* The line is left out, for that reason. */
hs_status_t hs_import_bad(hs_import_t *import, hs_import_reason_t reason, const uint8_t *text,
                          size_t length);
/* A line needs these features of the trace. HS_ERR_VERSION: it has not all of them, which ends the
 * import. */
hs_status_t hs_import_need(hs_import_t *import, uint32_t features);
/* A line had an earlier time than one before. */
void hs_import_earlier(hs_import_t *import);
bool hs_import_has_events(const hs_import_t *import);
void hs_import_count_line(hs_import_t *import);
/* A fact that the text tells; dropped after the first event or name. */
void hs_import_fact(hs_import_t *import, const char *key, const uint8_t *value, size_t length);

/* The next new block's key, which it will have in the trace. */
uint64_t hs_import_next(const hs_import_t *import);
/* That block is now called `id`. */
hs_status_t hs_import_called(hs_import_t *import, uint64_t id);
/* The block of that name has another one from now on; its key, HS_KEY_NONE: no block. */
hs_status_t hs_import_renamed(hs_import_t *import, uint64_t id, uint64_t other, uint64_t *key);
/* The key of the block that is, or was last, called so; HS_KEY_NONE: none. */
uint64_t hs_import_find(const hs_import_t *import, uint64_t id);
uint64_t hs_import_release(hs_import_t *import, uint64_t id); /* and it is dead */
void hs_import_guessed(hs_import_t *import);

hs_status_t hs_import_event(hs_import_t *import, const hs_event_t *event);
/* The request as one that was not served. */
hs_status_t hs_import_fail(hs_import_t *import, hs_event_t *event);
/* The index of a task's or mark's name, which the trace learns. HS_ERR_ARGUMENT: too many. */
hs_status_t hs_import_named(hs_import_t *import, hs_name_table_t table, const uint8_t *name,
                            size_t length, uint32_t *index);
/* The name of a pool of an index of the form's own; several may have one name. */
hs_status_t hs_import_pool(hs_import_t *import, uint32_t index, const char *name);
/* The name of a site of an index of the form's own. */
hs_status_t hs_import_site(hs_import_t *import, uint32_t index, const char *name, size_t length);

#endif
