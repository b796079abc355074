/*
 * The reader of logs: bytes in pieces of any size go in, facts come out (lab/native/rows/log.h says what
 * they mean). It reads once, needs no memory but hs_log_t, and takes time in proportion to the bytes.
 * The facts do not depend on how the bytes were cut into pieces.
 */
#ifndef HEAPSCOPE_LOG_LOG_H
#define HEAPSCOPE_LOG_LOG_H

#include "context.h"
#include "form.h"
#include "line.h"
#include "own_words.h"
#include "pattern.h"
#include "pools.h"
#include "rows/log.h"
#include "scope.h"
#include "table.h"

#define HS_LOG_LINE_FACTS 64u /* that one line can give; what it says beyond is not read */
#define HS_LOG_PATTERNS 4u    /* of the user */
#define HS_LOG_WAITING 256u   /* facts that wait to be taken */

_Static_assert(sizeof(hs_lab_log_fact_t) == 480,
               "a fact has no padding and can be compared as bytes");

typedef struct hs_log {
    hs_log_lines_t lines;
    hs_log_index_t index;
    hs_log_own_words_t own;
    hs_log_context_t context;
    hs_log_scope_t scope;
    hs_log_table_t table;
    hs_log_pools_t pools;
    int64_t uptime;     /* of the last line that tells one, since the last reset; -1: none */
    int64_t wrapped;    /* ms that a clock of 32 bits has left out since then */
    int64_t step;       /* the most between two lines that tell a time */
    bool lists_regions; /* the last fact is of a region that the heap got at the start */
    size_t pattern_count;
    hs_pattern_t patterns[HS_LOG_PATTERNS];
    size_t first, waiting;
    hs_lab_log_fact_t facts[HS_LOG_WAITING];
} hs_log_t;

void hs_log_init(hs_log_t *log);
/* Adds a pattern of the user, before any byte is read. `at`: where its fault is. HS_PATTERN_MANY also
 * means that there are HS_LOG_PATTERNS already. */
hs_pattern_status_t hs_log_pattern_add(hs_log_t *log, const char *text, size_t length, size_t *at);
/* Adds a word of the user likewise, with what it means (own_words.h). */
hs_log_own_status_t hs_log_word_add(hs_log_t *log, const char *word, size_t length,
                                    const char *meaning, size_t meaning_length, size_t *at);
/* Reads bytes until all are read or facts have to be taken first; returns how many were read. */
size_t hs_log_push(hs_log_t *log, const uint8_t *bytes, size_t count);
/* Copies the oldest facts out, at most `capacity` of them; returns how many. */
size_t hs_log_take(hs_log_t *log, hs_lab_log_fact_t *out, size_t capacity);
/*
 * Takes a line that has no end yet for whole: when the input is over, or has been quiet for so long
 * that nothing more is expected of it. Facts have to be taken before, and again after it.
 */
void hs_log_flush(hs_log_t *log);
/* Lines that were begun so far. */
uint64_t hs_log_line_count(const hs_log_t *log);

#endif
