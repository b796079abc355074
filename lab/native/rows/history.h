/* The history of every block of a replay: what passes a filter, what is seen of it, and sums. */
#ifndef HEAPSCOPE_ROWS_HISTORY_H
#define HEAPSCOPE_ROWS_HISTORY_H

#include "rows/trace.h"

/* cffi: begin */
#define HS_LAB_HISTORY_PARTS 65536 /* of an event and of a byte, in a view */
#define HS_LAB_HISTORY_TASKS                                                                       \
    65534 /* have a number of their own in a picture; the others share 65535 */

typedef struct hs_lab_history {
    uint64_t events, blocks, failures; /* so far; blocks: served requests */
} hs_lab_history_t;

/* Every condition must hold. A failed request has neither a region nor an age. */
typedef struct hs_lab_filter {
    uint32_t task, region; /* UINT32_MAX: all */
    uint32_t size_min, size_max;
    uint32_t age;                /* events that it was live at least */
    uint32_t stays;              /* not 0: never freed */
    uint32_t failed;             /* not 0: failed requests in place of blocks */
    uint32_t by_site, by_holder; /* not 0: of these sites; never freed, and of these holders */
    const uint8_t *sites;        /* not 0: the site of this number passes */
    size_t site_count;
    const uint64_t *holders; /* task << 32 | site */
    size_t holder_count;
} hs_lab_filter_t;

/* Rows `top` to before `bottom` show the addresses `low` to before `high` of a region, high ones on top. */
typedef struct hs_lab_strip {
    uint64_t low, high; /* in HS_LAB_HISTORY_PARTS of a byte */
    uint32_t region, top, bottom;
    uint32_t unused;
} hs_lab_strip_t;

/* Events `left` to before `right`, as so many columns; rows of pixels belong to strips. */
typedef struct hs_lab_view {
    uint64_t left, right; /* in HS_LAB_HISTORY_PARTS of an event */
    uint32_t width, height;
    const hs_lab_strip_t *strips;
    size_t strip_count;
} hs_lab_view_t;

/* Blocks, or failed requests, of one task at one site. */
typedef struct hs_lab_history_sum {
    int64_t blocks, bytes;
    int64_t stayed, stayed_bytes; /* of them, live at the end of a range */
    uint32_t task, site;
} hs_lab_history_sum_t;

typedef struct hs_lab_life {
    uint64_t born, died, born_time, died_time; /* died: HS_LAB_NEVER: not so far */
    uint32_t block, address, size, task, site; /* block: its number; UINT32_MAX: none */
    uint32_t region;
} hs_lab_life_t;
/* cffi: end */

#endif
