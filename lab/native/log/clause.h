/* A line of figures while it is read: the label, the topic and the figures so far. Private. */
#ifndef HEAPSCOPE_LOG_CLAUSE_H
#define HEAPSCOPE_LOG_CLAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/log.h"
#include "scope.h"
#include "words.h"

#define HS_LOG_SEGMENTS 4u /* of "free/largest/min: 1/2/3" */
#define HS_LOG_NO_MEMORY_NAMED (-1)

typedef struct hs_log_label {
    uint32_t segment[HS_LOG_SEGMENTS]; /* what the words say, between strokes */
    size_t segments;                   /* strokes; the last segment is open */
    uint32_t means;                    /* all of them */
    int memory;                        /* hs_log_memory_t, or HS_LOG_NO_MEMORY_NAMED */
    uint32_t last;                     /* what the last word says */
    uint32_t unit;                     /* "(KB)": of its number; 0: unknown */
    bool of_moment;                    /* "heap after connect": what is free of it then */
    bool leads;               /* the memory stands before the measure: others may follow it */
    bool has_colon, of_value; /* within JSON: a key is over; the memory is its value */
} hs_log_label_t;

typedef struct hs_log_scan {
    const char *text;
    size_t at, length;
    hs_log_scope_t *scope;
    hs_log_label_t label;
    uint32_t seen;        /* what all words of the line say */
    int topic;            /* the memory that the clauses are about, or HS_LOG_NO_MEMORY_NAMED */
    uint32_t topic_means; /* what its words say beside */
    uint32_t spoken;      /* a bit for each memory that a figure was of */
    bool in_labels;       /* within the braces of Prometheus */
    bool bare;            /* the word "heap" alone meant what is free */
    bool of_moments;      /* so it did of a moment: "heap before: 9000 after: 8000" */
    bool has_size;        /* how large a heap is, or how much of it is used */
    bool has_free, has_block, foreign;
    hs_lab_log_fact_t *facts;
    size_t count, capacity;
} hs_log_scan_t;

/* Words since a number or a comma are those of a new label. */
void hs_log_label_begin(hs_log_scan_t *scan);
/* Takes the word that ends at `end` into the label. */
void hs_log_word_take(hs_log_scan_t *scan, size_t end);
/* Takes a word of the user that begins at `scan->at`. */
void hs_log_own_take(hs_log_scan_t *scan, const hs_log_own_word_t *word);
/* Takes a sign: it may end a clause, name a topic, open an object. */
void hs_log_sign_take(hs_log_scan_t *scan, char byte);
/* The memory of a figure whose label is read; HS_LOG_NO_MEMORY_NAMED: several could be meant. */
int hs_log_memory_of(const hs_log_scan_t *scan);
/* The meaning of the label, with the topic that it is listed under. */
uint32_t hs_log_label_means(const hs_log_scan_t *scan);

#endif
