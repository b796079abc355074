/* Heaps, pools and long runs that are tried: what is asked for, and how each went. */
#ifndef HEAPSCOPE_ROWS_TRIALS_H
#define HEAPSCOPE_ROWS_TRIALS_H

#include "rows/trace.h"

/* cffi: begin */
typedef struct hs_lab_filled {
    uint32_t blocks;                       /* that were served */
    uint32_t control, used, headers, free; /* true bytes, together the region's size */
    uint32_t reported_free;                /* what that allocator version says is free */
} hs_lab_filled_t;

#define HS_LAB_DRILL_FIRST 0      /* one malloc of `first` bytes on a new heap */
#define HS_LAB_DRILL_SMALL 1      /* then `count` of `small` bytes */
#define HS_LAB_DRILL_FREE 2       /* then every second of these is freed, from the second one on */
#define HS_LAB_DRILL_LAST 3       /* then one malloc of `last` bytes */
#define HS_LAB_DRILL_WORST_FREE 4 /* the one of those frees that took most */
#define HS_LAB_DRILL_PHASES 5

typedef struct hs_lab_drill {
    uint32_t first, small, count, last;
} hs_lab_drill_t;

/* The model's steps in a phase (never its time), and calls that failed or had nothing to free. */
typedef struct hs_lab_phase {
    uint64_t nodes, bins, writes, copied;
    uint32_t calls, failures;
} hs_lab_phase_t;

#define HS_LAB_FIT_SURVIVES 0 /* no request was refused */
#define HS_LAB_FIT_FAILS 1    /* this request was, and the replay ended there */
#define HS_LAB_FIT_NEVER 2    /* this request is refused on a pool of any size */
#define HS_LAB_FIT_NO_HEAP 3  /* the allocator makes no heap of that size */

/* How a trace went on one pool. */
typedef struct hs_lab_fit {
    uint64_t event;                      /* HS_LAB_NEVER: no request was refused */
    uint64_t size;                       /* that it asked for */
    uint32_t outcome, call, task, align; /* call: event kind */
} hs_lab_fit_t;

#define HS_LAB_POOL_SIZES_MAX 32

/* How pools are laid out, and the sizes of their first blocks. */
typedef struct hs_lab_pool_rule {
    uint32_t follow; /* 1: nothing is known of how these pools grow, they grow as recorded */
    uint32_t pool, block, align; /* bytes of a pool's and of a block's header; a power of two */
    uint32_t sizes;    /* of first blocks, to which smaller ones are rounded up; 0: none */
    uint32_t size[32]; /* ascending */
} hs_lab_pool_rule_t;

/* What a replay of pools counted. */
typedef struct hs_lab_pool_totals {
    uint64_t pools; /* created; emptied ones are not created again */
    uint64_t resets;
    uint64_t requests; /* to the pools */
    uint64_t calls;    /* blocks asked of the heap */
    uint64_t growths;  /* recorded */
    uint64_t unlike;   /* requests that made a pool grow otherwise than recorded */
    uint64_t failed;   /* requests that a pool which must not grow could not serve */
    uint64_t stray;    /* events of a pool that is not there */
} hs_lab_pool_totals_t;

#define HS_LAB_WEEK_HEAPS 2

/* Tasks of a trace by bit, below 32: which are played at all, which are on the second heap, and whose
 * work the rows tell. */
typedef struct hs_lab_actor {
    uint32_t played, apart, watched;
} hs_lab_actor_t;

typedef struct hs_lab_week_heap {
    uint32_t base, size;
    char allocator[32];
} hs_lab_week_heap_t;

typedef struct hs_lab_turn {
    uint64_t first, count; /* steps of the actor's trace */
    uint32_t actor;
    uint32_t look; /* 1: its row has what the heaps are like after it */
} hs_lab_turn_t;

/* Of the watched tasks, but for failures, which are all. The model's steps, never its time. */
typedef struct hs_lab_turn_row {
    uint64_t nodes, bins, writes, copied;
    uint64_t free_nodes; /* of the nodes, those of frees */
    uint32_t mallocs, frees, reallocs, failures;
    uint32_t free[2], largest[2]; /* each heap's; largest: allocatable */
    uint32_t free_blocks[2], used_blocks[2];
} hs_lab_turn_row_t;

typedef struct hs_lab_week_totals {
    uint64_t steps;
    uint64_t left_out; /* of a block that is not there */
    uint64_t replaced; /* blocks freed because their slot is used again */
} hs_lab_week_totals_t;
/* cffi: end */

#endif
