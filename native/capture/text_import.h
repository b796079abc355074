/*
 * The text form of a trace (format/SPEC.md, "Text form") to the binary one. Bytes in any pieces;
 * the .hst bytes are taken from an internal buffer. Memory: the ids in use, and a line.
 *
 * Block ids of the text are any unsigned numbers; in the trace they become the sequential ids of
 * the format. An event that names no block (free or realloc of an id never seen, or one already
 * freed) is kept as such: the replay counts and reports it.
 */
#ifndef HEAPSCOPE_NATIVE_TEXT_IMPORT_H
#define HEAPSCOPE_NATIVE_TEXT_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"

typedef struct hs_text_import hs_text_import_t;

typedef struct hs_text_import_stats {
    uint64_t lines;
    uint64_t events;    /* heap events written */
    uint64_t bad_lines; /* neither event nor comment; skipped */
    uint64_t first_bad; /* line number from 1; 0: none */
    uint64_t id_reused; /* allocations under an id that was still live; the old block stays live */
    uint64_t first_reused; /* line number from 1; 0: none */
} hs_text_import_stats_t;

#define HS_TEXT_BAD_MAX 80u /* bytes kept of the first bad line */

hs_text_import_t *hs_text_import_new(void); /* NULL: no host memory */
void hs_text_import_delete(hs_text_import_t *import);
/* A fact about the trace's origin; before the first push. */
hs_status_t hs_text_import_metadata(hs_text_import_t *import, const char *key, const char *value);
hs_status_t hs_text_import_push(hs_text_import_t *import, const uint8_t *text, size_t count);
/* The input is over: takes a last line without newline, writes the end chunk. */
hs_status_t hs_text_import_finish(hs_text_import_t *import);
/* Bytes of the trace finished so far and not yet taken; valid until the next call. */
size_t hs_text_import_take(hs_text_import_t *import, const uint8_t **bytes);
void hs_text_import_stats(const hs_text_import_t *import, hs_text_import_stats_t *out);
/* The first bad line, at most HS_TEXT_BAD_MAX bytes as they came; NULL: none. */
const uint8_t *hs_text_import_bad_line(const hs_text_import_t *import, size_t *length);

#endif
