/* One line of the text form, taken apart. Private. */
#ifndef HEAPSCOPE_NATIVE_TEXT_LINE_H
#define HEAPSCOPE_NATIVE_TEXT_LINE_H

#include <stddef.h>
#include <stdint.h>

#include "import_form.h"

#define HS_TEXT_LINE_MAX 1024u /* bytes looked at; a longer line is an event only if it is a name */

typedef enum hs_text_kind {
    HS_TEXT_BAD,
    HS_TEXT_EMPTY, /* blank, or a comment */
    HS_TEXT_MALLOC,
    HS_TEXT_CALLOC,
    HS_TEXT_ALIGNED,
    HS_TEXT_REALLOC,
    HS_TEXT_FREE,
    HS_TEXT_TASK,
    HS_TEXT_MARK
} hs_text_kind_t;

typedef struct hs_text_line {
    uint64_t id;
    uint64_t size;
    const uint8_t *name; /* TASK, MARK: within the line */
    size_t length;
    hs_text_kind_t kind;
    uint8_t align_log2;
} hs_text_line_t;

/* Takes a line without its end, of which at most HS_TEXT_LINE_MAX bytes are given; `length` is its
 * true length. */
void hs_text_line_parse(const uint8_t *text, size_t length, hs_text_line_t *out);

/* The ordinary lines, up to and with their '\n', in text with at least HS_TEXT_QUICK_AHEAD bytes.
 * Returns the bytes of the line; 0: not ordinary, take the other way. */
#define HS_TEXT_QUICK_AHEAD 48u
size_t hs_text_line_quick(const uint8_t *text, hs_text_line_t *out);

#endif
