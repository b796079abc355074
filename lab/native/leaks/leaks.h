/*
 * Leak, filling, plateau, cache, start-up or unknown: what each holder's blocks did, judged beside all other holders,
 * and how fast a leak takes memory. docs/design/leaks.md says why.
 */
#ifndef HEAPSCOPE_LEAKS_LEAKS_H
#define HEAPSCOPE_LEAKS_LEAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "rows/leaks.h"
#include "rows/trace.h"

/* The question to the judge, as the second reading of a trace tells it (measure/watch.h). `holders`: by task and site;
 * `live`: the blocks that are live at the end, one by one; `whole`: no event of the trace is missing. */
typedef struct hs_leak_question {
    const hs_lab_holder_row_t *holders;
    size_t holder_count;
    const hs_lab_life_row_t *lives;
    size_t life_count;
    const hs_lab_live_row_t *live;
    size_t live_count;
    bool whole;
} hs_leak_question_t;

/* A row for each holder with a live block, by task and site, of which at most `capacity` are written; `count`: all.
 * O(n log n) time and O(n) memory. HS_ERR_ARGUMENT: a life has a stretch or a holder that
 * there is not, or holders are out of order; HS_ERR_MEMORY. */
hs_status_t hs_leaks(const hs_leak_question_t *question, hs_lab_leak_row_t *rows, size_t capacity,
                     size_t *count);

#endif
