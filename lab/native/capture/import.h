/*
 * Other recorders' text to a trace: lines in, .hst bytes out. Bytes in any pieces; the .hst bytes
 * are taken from an internal buffer. Memory: the ids in use, what the form must remember of names
 * and stacks, and a line.
 *
 * Block ids and addresses become the sequential ids of the format. An event that names no block
 * (free or realloc of an id never seen, or one already freed) is kept as such: the replay counts
 * and reports it.
 */
#ifndef HEAPSCOPE_NATIVE_IMPORT_H
#define HEAPSCOPE_NATIVE_IMPORT_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"

typedef enum hs_import_form {
    HS_IMPORT_TEXT = 0,      /* format/SPEC.md, "Text form" */
    HS_IMPORT_HEAPTRACK = 1, /* heaptrack's data, interpreted or raw, decompressed */
    HS_IMPORT_MTRACE = 2,    /* the log of glibc's mtrace(3) */
    HS_IMPORT_PJSIP = 3      /* dumps of PJLIB's caching pool in a log */
} hs_import_form_t;

typedef struct hs_import hs_import_t;

typedef struct hs_import_stats {
    uint64_t lines;
    uint64_t events;    /* heap events and pool events written */
    uint64_t bad_lines; /* neither event nor comment; skipped */
    uint64_t first_bad; /* line number from 1; 0: none */
    uint64_t id_reused; /* allocations under an id that was still live; the old block stays live */
    uint64_t first_reused; /* line number from 1; 0: none */
    uint64_t guessed; /* frees that could be of any of several blocks, all of one size and stack */
} hs_import_stats_t;

#define HS_IMPORT_BAD_MAX 80u /* bytes kept of the first bad line */

hs_import_t *hs_import_new(hs_import_form_t form); /* NULL: no host memory, or no such form */
void hs_import_delete(hs_import_t *import);
/* A fact about the trace's origin; before the first push. */
hs_status_t hs_import_metadata(hs_import_t *import, const char *key, const char *value);
hs_status_t hs_import_push(hs_import_t *import, const uint8_t *text, size_t count);
/* The input is over: takes a last line without newline, writes the end chunk. */
hs_status_t hs_import_finish(hs_import_t *import);
/* Bytes of the trace finished so far and not yet taken; valid until the next call. */
size_t hs_import_take(hs_import_t *import, const uint8_t **bytes);
void hs_import_stats(const hs_import_t *import, hs_import_stats_t *out);
/* The first bad line, at most HS_IMPORT_BAD_MAX bytes as they came; NULL: none. */
const uint8_t *hs_import_bad_line(const hs_import_t *import, size_t *length);

#endif
