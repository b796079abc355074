/*
 * How far the births and frees of a holder's blocks speak for a leak: docs/design/leaks.md.
 *
 * Blocks that outlive a stretch of time by far are *old*. A leak makes old blocks at a steady rate and
 * frees none; a pool or a cache frees as many as it makes, or makes fewer and fewer. Each test asks
 * for one of these; a leak must pass all of them.
 */
#ifndef HEAPSCOPE_LEAKS_EVIDENCE_H
#define HEAPSCOPE_LEAKS_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "rows/leaks.h"
#include "rows/trace.h"

#define HS_LEAK_OLD_LEAST 8 /* fewer old blocks can show nothing */

/* The blocks of one task and site along one axis. Stretch 0 is before the interval. */
typedef struct hs_leak_holder {
    uint32_t axis; /* hs_lab_axis_t */
    bool kept;     /* most of what it allocated stays */
    bool
        larger; /* its blocks become larger, and each unit of that growth is looked at as a block */
    const hs_lab_life_row_t *rows;
    size_t count;
    size_t stretches;
    double blocks;         /* all that were live in the interval */
    double *alive;         /* of each stretch's births, blocks that are live at the end: n + 1 */
    double *alive_bytes;   /* likewise */
    double *births, *gone; /* n + 1 of each, to calculate with */
} hs_leak_holder_t;

/* The blocks that stayed were born in stretches first..last. */
typedef struct hs_leak_evidence {
    double chance; /* at most so often does a holder without a leak look like this */
    double old, ended;
    double variance; /* of the counts per stretch, as a multiple of Poisson's */
    size_t first, last;
    bool steady, testable;
} hs_leak_evidence_t;

/* Taken at the least age from which hardly a block is freed any more. O(stretches + count). */
hs_leak_evidence_t hs_leak_evidence(const hs_leak_holder_t *holder);

/* The sum of so many counts. */
double hs_leak_sum(const double *counts, size_t count);

/*
 * The variance of the counts of stretches, each divided by `unit`, as a multiple of their mean. It is
 * taken from differences of neighbours, so that a trend does not count, and from neighbours in wider
 * stretches, so that waves do. A Poisson process has 1, a process in batches has more.
 */
double hs_leak_variance_ratio(const double *counts, size_t count, double unit);

/* The number of births of a Poisson process that is as uneven as the births of the holder, at most; `births` is
 * overwritten. Needs 32 stretches. */
double hs_leak_independent(const hs_leak_holder_t *holder);

#endif
