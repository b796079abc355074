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
    uint64_t failed;  /* requests that the recorded system could not serve, of the events */
    uint64_t earlier; /* lines with an earlier time than one before; their time stands still */
    uint32_t wanted;  /* features of a trace that a line needs and this one has not */
} hs_import_stats_t;

/* Why a line is left out; hs_import_reason_name() says it in words. */
typedef enum hs_import_reason {
    HS_IMPORT_TAKEN, /* it is not */
    HS_IMPORT_NO_LINE,
    HS_IMPORT_FIELD_MISSING,
    HS_IMPORT_NO_NUMBER,
    HS_IMPORT_LARGE_NUMBER,
    HS_IMPORT_ALIGNMENT,
    HS_IMPORT_CAPABILITY,
    HS_IMPORT_FIELDS,
    HS_IMPORT_NAME_MISSING,
    HS_IMPORT_NAMES,
    HS_IMPORT_TIME,
    HS_IMPORT_FACT,
    HS_IMPORT_LATE_FACT,
    HS_IMPORT_LONG,
    HS_IMPORT_REASONS /* how many there are */
} hs_import_reason_t;

#define HS_IMPORT_BAD_MAX 80u   /* bytes kept of a line that is left out */
#define HS_IMPORT_BAD_KEPT 100u /* such lines kept, unless hs_import_keep() says another number */

typedef struct hs_import_line {
    uint64_t line;   /* its number, from 1 */
    uint32_t reason; /* hs_import_reason_t */
    uint32_t length; /* of its text here */
    uint8_t text[HS_IMPORT_BAD_MAX];
} hs_import_line_t;

/* `features`: HS_TRACE_*, those of the trace besides the form's own. NULL: no host memory, or no such
 * form. */
hs_import_t *hs_import_new(hs_import_form_t form, uint32_t features);
void hs_import_delete(hs_import_t *import);
/* A fact about the trace's origin; before the first push. */
hs_status_t hs_import_metadata(hs_import_t *import, const char *key, const char *value);
/* HS_ERR_VERSION: a line needs a feature that the trace has not; nothing more is taken. The stats say
 * which features are wanted: begin again with them. HS_ERR_MEMORY: the host has none left. */
hs_status_t hs_import_push(hs_import_t *import, const uint8_t *text, size_t count);
/* The input is over: takes a last line without newline, writes the end chunk. */
hs_status_t hs_import_finish(hs_import_t *import);
/* Bytes of the trace finished so far and not yet taken; valid until the next call. */
size_t hs_import_take(hs_import_t *import, const uint8_t **bytes);
void hs_import_stats(const hs_import_t *import, hs_import_stats_t *out);
/* The first bad line, at most HS_IMPORT_BAD_MAX bytes as they came; NULL: none. */
const uint8_t *hs_import_bad_line(const hs_import_t *import, size_t *length);
/* The first `most` lines that are left out are kept until they are taken. */
void hs_import_keep(hs_import_t *import, uint64_t most);
/* Takes the oldest kept lines, at most `capacity`; returns how many. */
size_t hs_import_left_out(hs_import_t *import, hs_import_line_t *lines, size_t capacity);
/* Lines that were left out for that reason. */
uint64_t hs_import_reason_count(const hs_import_t *import, uint32_t reason);
/* A sentence without its point; NULL: no such reason. */
const char *hs_import_reason_name(uint32_t reason);

#endif
