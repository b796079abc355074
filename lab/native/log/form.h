/*
 * The forms that a program of an SDK prints, as a table of patterns, and the machine that matches them.
 *
 * A pattern is text in which letters match in either case, a blank matches any number of blanks, and
 *
 *     %dF  a decimal number       %xF  a hexadecimal number, with or without 0x
 *     %vF  a number of any base   %KF, %MF, %GF  a decimal number of 1024, 1024 * 1024 or 16 bytes
 *     %wF  a word: letters, digits and _ . - + : /
 *     %tF  text up to where the pattern goes on, or to the end of the line
 *     %|   the line between two cells of a table, whatever became of it
 *     {..} what may be missing     %%, %{  a percent sign, a brace
 *
 * where F is the field that it goes into: a address, s size, c caps, f free, l largest, m min, t total,
 * u used, p peak, n count, k free_count, e code, N name, T text, and - none. "%<F" at
 * the begin takes the number or the word before the match, "%<L" the words as far as : [ ] or >. A pattern may match at any word of a line, so that no prefix has
 * to be known. Private.
 */
#ifndef HEAPSCOPE_LOG_FORM_H
#define HEAPSCOPE_LOG_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "line.h"
#include "rows/log.h"

typedef struct hs_log_form {
    uint8_t kind;  /* hs_log_kind_t */
    uint8_t flags; /* of the fact, and HS_LOG_FORM_* */
    const char *pattern;
    const char *name; /* the fact's name where the pattern takes none; or NULL */
    const char *text; /* likewise */
} hs_log_form_t;

/* Also a fact, with HS_LOG_CUT, where the line ends within the form. */
#define HS_LOG_FORM_CUTS 64
#define HS_LOG_FORM_FLAGS 15 /* the fact's */

extern const hs_log_form_t hs_log_forms[];
extern const size_t hs_log_form_count;
extern const hs_log_form_t hs_log_pool_forms[]; /* those of pools, behind the others */
extern const size_t hs_log_pool_form_count;
/* The forms of how a program ended, or could not be built; they come behind the others. */
extern const hs_log_form_t hs_log_stops[];
extern const size_t hs_log_stop_count;

#define HS_LOG_FORMS_MAX 512u
#define HS_LOG_BUCKETS 512u

/* The forms by their first word. */
typedef struct hs_log_index {
    uint16_t first[HS_LOG_BUCKETS]; /* 1 + number of a form; 0: none */
    uint16_t next[HS_LOG_FORMS_MAX];
} hs_log_index_t;

void hs_log_index_init(hs_log_index_t *index);

/* Where a form matched. */
typedef struct hs_log_match {
    size_t end;  /* behind it */
    bool is_cut; /* the line ended within the form */
} hs_log_match_t;

/* A fact without any field. */
void hs_log_fact_clear(hs_lab_log_fact_t *fact);

/* A form that begins at `at`, which is where a word begins; the cleared fact has its fields then.
 * The form that is first in the table wins. NULL: none does. */
const hs_log_form_t *hs_log_form_find(const hs_log_index_t *index, const hs_log_line_t *line,
                                      size_t at, hs_lab_log_fact_t *fact, hs_log_match_t *match);

/* Does a word begin here? `text` ends with NUL. */
static inline bool hs_log_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

/* Copies at most `size` - 1 bytes, and never part of a letter of UTF-8. */
void hs_log_copy(char *out, size_t size, const char *text, size_t length);

#endif
