/* Named pools, stacks and the heaps of other systems, in the forms that these print. Private. */
#ifndef HEAPSCOPE_LOG_POOLS_H
#define HEAPSCOPE_LOG_POOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows/log.h"

#define HS_POOL_COLUMNS 24u

/* The report that is open, and what its next lines mean. */
typedef struct hs_log_pools {
    bool is_open;
    bool is_heap;    /* its figures are those of the system's heap */
    uint8_t foreign; /* other lines since its last one */
    uint8_t columns; /* of its table; 0: it has lines of its own for each figure */
    bool has_cells;  /* lines between them */
    bool has_commas;
    int64_t total, used; /* of a heap; -1: unknown */
    int64_t free;        /* of Espruino, in variables, whose size is on a line below; -1: none */
    uint64_t line;       /* of that */
    int64_t refused;     /* by XS, which says it in two lines; -1: unknown */
    uint64_t refused_at; /* 0: none */
    uint32_t column[HS_POOL_COLUMNS]; /* as of hs_log_pool_key */
    uint8_t of[HS_POOL_COLUMNS];      /* which pool of XS; 0: none */
    char name[64], text[64];
} hs_log_pools_t;

void hs_log_pools_init(hs_log_pools_t *pools);

/* Completes the facts that forms found in a line, and takes those away that mean nothing; or finds what
 * the line tells by the report that is open. Returns how many facts there are then. */
size_t hs_log_pools_read(hs_log_pools_t *pools, uint64_t number, const char *text, size_t length,
                         hs_lab_log_fact_t *facts, size_t count, size_t capacity);

/* A pool in one line of a program's own words: "packet pool: total 20, free 0". Returns whether it is. */
bool hs_log_pool_words(const char *text, size_t length, hs_lab_log_fact_t *fact);
/* A request that ThreadX or NetX refused, by the name of its call. */
bool hs_log_pool_refused(const char *text, size_t length, hs_lab_log_fact_t *fact);

/* ---- tables ----------------------------------------------------------------------------------- */

/* Is the line the head of a table of pools? It is open then. */
bool hs_log_pool_columns(hs_log_pools_t *pools, const char *text, size_t length);
/* A line of vTaskList() below no head: "IDLE  R  0  92  2". */
bool hs_log_pool_task(const char *text, size_t length, hs_lab_log_fact_t *fact);
/* The facts of a line of the table; 0: it is another line. */
size_t hs_log_pool_row(const hs_log_pools_t *pools, const char *text, size_t length,
                       hs_lab_log_fact_t *facts, size_t capacity);

#endif
