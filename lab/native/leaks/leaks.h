/*
 * Leak, plateau, cache or unknown: what each holder's blocks did, judged beside all other holders, and
 * how fast a leak takes memory. docs/design/leaks.md says why.
 */
#ifndef HEAPSCOPE_LEAKS_LEAKS_H
#define HEAPSCOPE_LEAKS_LEAKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "rows/leaks.h"
#include "rows/trace.h"

/* The events before which the live blocks of an interval are looked at, ascending, each once;
 * returns how many. `looks` has room for HS_LAB_LEAK_LOOKS. */
size_t hs_leak_looks(uint64_t first, uint64_t last, uint64_t *looks);

/* The question to the judge. `lives`: blocks by the stretches that they were born and freed in, 0 being before
 * the first look; `live`: those that are live at the last look, one by one; `whole`: no event of the
 * trace is missing. */
typedef struct hs_leak_question {
    const hs_lab_life_row_t *lives;
    size_t life_count;
    const hs_lab_live_row_t *live;
    size_t live_count;
    const uint64_t *looks;
    size_t look_count;
    bool whole;
} hs_leak_question_t;

/* A row a holder, by task and site, of which at most `capacity` are written; `count`: all. O(n log n)
 * time and O(n) memory. HS_ERR_ARGUMENT: a row has a stretch that there is not; HS_ERR_MEMORY. */
hs_status_t hs_leaks(const hs_leak_question_t *question, hs_lab_leak_row_t *rows, size_t capacity,
                     size_t *count);

#endif
