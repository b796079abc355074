/*
 * The surroundings of a line, which say whose its figures are: the objects of JSON that are open, and the
 * heading above. Private.
 */
#ifndef HEAPSCOPE_LOG_SCOPE_H
#define HEAPSCOPE_LOG_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "own_words.h"

#define HS_LOG_OBJECTS 8u /* objects in objects that are known; deeper ones have no key */

/* The words before a brace, or those of a heading. */
typedef struct hs_log_heading {
    int memory;     /* hs_log_memory_t; -1: none */
    uint32_t means; /* HS_WORD_* */
} hs_log_heading_t;

typedef struct hs_log_scope {
    const hs_log_own_words_t *own; /* what the user added to the vocabulary */
    size_t depth;                  /* open objects */
    hs_log_heading_t object[HS_LOG_OBJECTS];
    bool goes_on; /* the line ended within an object */
    bool headed;  /* `heading` holds */
    hs_log_heading_t heading;
    uint64_t line; /* the last one of its block */
} hs_log_scope_t;

/* A line begins: objects and headings that ended before it are forgotten. */
void hs_log_scope_begin(hs_log_scope_t *scope, uint64_t line);
/* It is over: `has_figures`: of a heap. A line that heads those below it is noted. */
void hs_log_scope_end(hs_log_scope_t *scope, const char *text, size_t length, bool has_figures);

void hs_log_scope_open(hs_log_scope_t *scope, hs_log_heading_t key);
void hs_log_scope_close(hs_log_scope_t *scope);
/* The memory that the open objects name, the inmost first; -1: none does. */
int hs_log_scope_memory(const hs_log_scope_t *scope);
/* All that their keys say. */
uint32_t hs_log_scope_means(const hs_log_scope_t *scope);

#endif
