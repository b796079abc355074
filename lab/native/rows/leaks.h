/* The verdicts about the blocks of each holder, a task and call site: docs/design/leaks.md. */
#ifndef HEAPSCOPE_ROWS_LEAKS_H
#define HEAPSCOPE_ROWS_LEAKS_H

#include <stdint.h>

/* cffi: begin */
#define HS_LAB_STAYS 0xFFFFFFFFu /* hs_lab_life_row_t.freed of blocks that are live at the end */

typedef enum hs_lab_leak_verdict {
    HS_LAB_LEAK_UNKNOWN,
    HS_LAB_LEAK_CACHE,
    HS_LAB_LEAK_PLATEAU,
    HS_LAB_LEAK_FILLING,
    HS_LAB_LEAK_STARTUP,
    HS_LAB_LEAK_LEAK
} hs_lab_leak_verdict_t;

/* Why; hs_lab_leak_reason_text() has a sentence for each but the last, which has figures. The first is of all
 * holders together: the trace can show nothing of any. */
typedef enum hs_lab_leak_reason {
    HS_LAB_LEAK_NOT_WHOLE,
    HS_LAB_LEAK_ONLY_GROWTH,
    HS_LAB_LEAK_SHORT,
    HS_LAB_LEAK_RETURNS,
    HS_LAB_LEAK_STOPPED,
    HS_LAB_LEAK_FADES,
    HS_LAB_LEAK_BEGAN,
    HS_LAB_LEAK_UNEVEN,
    HS_LAB_LEAK_LARGER,
    HS_LAB_LEAK_OPEN,
    HS_LAB_LEAK_GROWS
} hs_lab_leak_reason_t;

typedef struct hs_lab_leak_row {
    double chance;     /* at most so often does a holder without a leak look like this */
    double old, ended; /* blocks that became old: those that stayed, those that were freed */
    double longer;     /* an interval that many times as long would settle it; 0: not known */
    double bound;      /* blocks that a filling one goes up to; 0: not known */
    /* The memory that a leak takes in an interval of this length: the estimate, its 95 % band. */
    double blocks, blocks_low, blocks_high, bytes, bytes_low, bytes_high;
    uint32_t task, site;
    uint32_t verdict, reason;
    uint32_t axis, unused; /* hs_lab_axis_t: the one that it is judged along */
} hs_lab_leak_row_t;
/* cffi: end */

#endif
