/* Heaps and pools that are tried: what is asked for, and how each went. */
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

/* The gain of knowing the future, in bytes of whole granules without headers. */
typedef struct hs_lab_offline {
    uint64_t live;   /* live at once, at most: no heap takes less, even if it moves blocks */
    uint64_t placed; /* taken by a placement that knew all lifetimes; 0: none was found */
} hs_lab_offline_t;

#define HS_LAB_BOUND_PROVEN 0
#define HS_LAB_BOUND_SEARCH 1  /* it is not known when this allocator is sure to serve a request */
#define HS_LAB_BOUND_ALIGNED 2 /* the trace has requests with an alignment */
#define HS_LAB_BOUND_NEVER 3   /* no pool serves one of the requests */
#define HS_LAB_BOUND_LARGE 4   /* the allocator makes no heap of that size */

/* The pool on which no program is refused that asks for sizes of the trace and never has more live. */
typedef struct hs_lab_bound {
    uint64_t pool; /* bytes; 0: not proven */
    uint64_t live; /* bytes of blocks, with all that each may take, that are live at once at most */
    uint32_t smallest, largest; /* requests */
    uint32_t strata;  /* classes of sizes, each above the ones before; 1: all lie anywhere */
    uint32_t outcome; /* HS_LAB_BOUND_* */
} hs_lab_bound_t;

/* The variety of runs that a recording shows. */
typedef struct hs_lab_variety {
    uint64_t allocations;
    uint64_t sites, varied_sites; /* call sites, and those that asked for more than one size */
    uint64_t visits;       /* of tasks that come and go, from holding nothing to holding nothing */
    uint64_t present_most; /* tasks that held a block at once, at most */
} hs_lab_variety_t;

#define HS_LAB_ROUND_KEY                                                                           \
    0x4000000000000000 /* no recording has such keys; those of jitter.c are above 2^63 */

/* A block that each round of a stretch leaves over. */
typedef struct hs_lab_growth_row {
    uint64_t size; /* bytes */
    uint32_t task, site;
} hs_lab_growth_row_t;

/* Rounds of a stretch that were played after the recording. */
typedef struct hs_lab_rounds {
    uint64_t played;
    uint64_t events; /* heap events, the recording's included */
    uint64_t period; /* ticks from one to the next; 0: the trace has no clock */
    uint32_t failed; /* 1: a request failed in the last one */
    int32_t need;    /* the first need that fitted at no moment of the last one; -1: none */
} hs_lab_rounds_t;

#define HS_LAB_POOL_SIZES_MAX 32

/* How pools are laid out, and the sizes of their first blocks. */
typedef struct hs_lab_pool_rule {
    uint32_t follow; /* 1: nothing is known of how these pools grow, they grow as recorded */
    uint32_t pool, block, align; /* bytes of a pool's and of a block's header; a power of two */
    uint32_t sizes;    /* of first blocks, to which smaller ones are rounded up; 0: none */
    uint32_t size[32]; /* ascending */
} hs_lab_pool_rule_t;

/* The counts of a replay of pools. */
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

/* The model's steps since its heap was created (hs_steps_t), never its time. */
typedef struct hs_lab_work {
    uint64_t nodes, bins, writes, copied;
} hs_lab_work_t;

typedef struct hs_lab_heap_state {
    uint32_t free, largest; /* bytes; largest: allocatable */
    uint32_t free_blocks, used_blocks;
} hs_lab_heap_state_t;

/* One heap event of a loaded trace. */
typedef struct hs_lab_step {
    uint32_t kind;  /* hs_event_kind_t, 1 to 5; 0: it changes no heap */
    uint32_t slot;  /* of its block */
    uint32_t size;  /* bytes to ask for */
    uint32_t align; /* 0: the block is not one of aligned allocation */
    uint32_t task;  /* index */
    uint32_t never; /* 1: no heap serves the request */
} hs_lab_step_t;
/* cffi: end */

#endif
