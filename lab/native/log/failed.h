/*
 * The requests that failed, by the facts of a log: each way to fail once, with how often and where. A
 * line that only repeats what another said before is counted with it.
 */
#ifndef HEAPSCOPE_LOG_FAILED_H
#define HEAPSCOPE_LOG_FAILED_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/log.h"

#define HS_LOG_FAILED_MAX 1000u /* ways to fail that are kept; all failures are counted */

typedef struct hs_log_failed {
    uint64_t count; /* of failed requests */
    size_t kept;
    size_t last;         /* the way in which the last one failed; HS_LOG_FAILED_MAX: not kept */
    uint64_t asked_line; /* of the last line that only says what it asks for; 0: none */
    int64_t asked_size;
    hs_lab_log_failed_t rows[HS_LOG_FAILED_MAX];
} hs_log_failed_t;

void hs_log_failed_init(hs_log_failed_t *failed);
/* Takes the facts in order. True: it is a failed request that no line told before. O(kept). */
bool hs_log_failed_take(hs_log_failed_t *failed, const hs_lab_log_fact_t *fact);
/* Copies at most `capacity` ways out, without those that another one explains; returns how many. */
size_t hs_log_failed_rows(const hs_log_failed_t *failed, hs_lab_log_failed_t *rows,
                          size_t capacity);

#endif
