/* One line of the text form, taken apart. Private. */
#ifndef HEAPSCOPE_NATIVE_TEXT_LINE_H
#define HEAPSCOPE_NATIVE_TEXT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "import_form.h"

#define HS_TEXT_CORE_MAX 255u /* format/SPEC.md, section 8 */

typedef enum hs_text_kind {
    HS_TEXT_BAD,
    HS_TEXT_EMPTY, /* blank, or a comment */
    HS_TEXT_MALLOC,
    HS_TEXT_CALLOC,
    HS_TEXT_ALIGNED,
    HS_TEXT_REALLOC,
    HS_TEXT_FREE,
    HS_TEXT_TASK,
    HS_TEXT_MARK,
    HS_TEXT_CORE,
    HS_TEXT_ADDRESSES, /* the ids are addresses */
    HS_TEXT_FACT
} hs_text_kind_t;

typedef struct hs_text_line {
    uint64_t id;
    uint64_t size;       /* CORE: the core */
    uint64_t new_id;     /* REALLOC with `moved` */
    uint64_t time;       /* with `timed` */
    const uint8_t *name; /* TASK, MARK: the name; a request: its call site; FACT: the value */
    size_t length;       /* a request without a call site: 0 */
    char key[16];        /* FACT: its key, with a 0 at its end */
    uint32_t caps;
    hs_text_kind_t kind;
    hs_import_reason_t reason; /* BAD: why */
    uint8_t align_log2;
    bool timed;
    bool null;     /* there is no block `id` */
    bool moved;    /* REALLOC: the block has another id afterwards */
    bool new_null; /* REALLOC: there is no block afterwards */
    bool interrupt;
} hs_text_line_t;

/* Takes a line without its end, of which at most HS_IMPORT_LINE_MAX bytes are given; `length` is its
 * true length. */
void hs_text_line_parse(const uint8_t *text, size_t length, hs_text_line_t *out);

/* The ordinary lines, up to and with their '\n', in text with at least HS_TEXT_QUICK_AHEAD bytes.
 * Sets the kind, the id and the size, and leaves the other fields alone. Returns the bytes of the
 * line; 0: not ordinary, take the other way. */
#define HS_TEXT_QUICK_AHEAD 48u
size_t hs_text_line_quick(const uint8_t *text, hs_text_line_t *out);

#endif
