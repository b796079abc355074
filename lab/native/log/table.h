/* Figures in columns: CSV, Markdown and tables in boxes, by their heading. Private. */
#ifndef HEAPSCOPE_LOG_TABLE_H
#define HEAPSCOPE_LOG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "own_words.h"
#include "rows/log.h"

#define HS_LOG_COLUMNS 24u /* of a table that is read */

typedef struct hs_log_column {
    uint32_t field; /* HS_LOG_HAS_*, of a figure; 0: none */
    uint8_t memory; /* hs_log_memory_t */
    uint8_t what;   /* of another column */
    uint32_t unit;
} hs_log_column_t;

typedef struct hs_log_table {
    const hs_log_own_words_t *own; /* what the user added to the vocabulary */
    size_t count;                  /* columns; 0: no table is open */
    char separator;
    uint64_t line; /* the last one of it */
    bool shifted;  /* the last row had other columns */
    hs_log_column_t column[HS_LOG_COLUMNS];
} hs_log_table_t;

/* The facts of a row, or of none where the line is a heading; true: it is a part of a table, of which
 * nothing else has to be read. */
bool hs_log_table_read(hs_log_table_t *table, const char *text, size_t length, uint64_t line,
                       hs_lab_log_fact_t *facts, size_t capacity, size_t *count);

#endif
