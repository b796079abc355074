/* Rows for other programs: what each event did, who allocated what, counters over time. */
#ifndef HEAPSCOPE_ROWS_EXPORT_H
#define HEAPSCOPE_ROWS_EXPORT_H

#include "rows/trace.h"

/* cffi: begin */
#define HS_LAB_PROFILE_MAX 262144
#define HS_LAB_EXPORT_ROWS 1     /* a row for every heap event */
#define HS_LAB_EXPORT_FAILURES 2 /* a row for those that failed */
#define HS_LAB_EXPORT_PROFILE 4
#define HS_LAB_EXPORT_SAMPLES 8
#define HS_LAB_EXPORT_HISTORY 16 /* the life of every block */
#define HS_LAB_OUTCOME_OK 0
#define HS_LAB_OUTCOME_FAILED 1   /* refused by the heaps of this replay */
#define HS_LAB_OUTCOME_RECORDED 2 /* failed where it was recorded: nothing was asked here */
#define HS_LAB_OUTCOME_ZERO 3     /* 0 bytes: NULL by contract */
#define HS_LAB_OUTCOME_SKIPPED 4  /* its block's allocation had failed here */
#define HS_LAB_OUTCOME_UNKNOWN 5  /* free or realloc of what is not live */
#define HS_LAB_OUTCOME_REFUSED 6  /* a realloc that this allocator cannot do */
#define HS_LAB_SAMPLE_LIVE 0
#define HS_LAB_SAMPLE_FAILURES 1 /* so far */
#define HS_LAB_SAMPLE_LARGEST 2  /* allocatable by malloc */
#define HS_LAB_SAMPLE_REGION 3   /* free bytes */
#define HS_LAB_SAMPLE_TASK 4     /* live bytes */

/* A row an event. Blocks are the program's own in a census, and those served in a replay. */
typedef struct hs_lab_export_row {
    uint64_t event, time;
    uint64_t block, new_block; /* keys before and after; UINT64_MAX: none */
    uint64_t size;             /* asked for */
    uint64_t freed;            /* given back by the event: of a free, a realloc, a reused id */
    uint64_t live;             /* after it */
    uint32_t task, site, caps;
    uint32_t align;                   /* 0: none */
    uint32_t region, address, offset; /* of the block got, or else given back; UINT32_MAX: none */
    uint16_t heap;
    uint8_t call, outcome;
} hs_lab_export_row_t;

typedef struct hs_lab_sample {
    uint64_t event, time, value;
    uint32_t kind, index; /* HS_LAB_SAMPLE_*; the region or task; UINT32_MAX: all other tasks */
} hs_lab_sample_t;

/* The allocations of one task at one site; 0xFFFFFFFF: all beyond HS_LAB_PROFILE_MAX - 1 pairs. A
 * realloc that was served ends its block and begins another. Bytes as asked for. */
typedef struct hs_lab_profile_row {
    uint64_t total, total_blocks;
    uint64_t peak, peak_blocks;       /* its own; the blocks are those at its peak of bytes */
    uint64_t at_peak, at_peak_blocks; /* at the peak of all */
    uint64_t live, live_blocks;
    uint64_t life_events, life_time; /* sums over its blocks; until the end for those that stay */
    uint64_t failures;
    uint32_t task, site;
} hs_lab_profile_row_t;

typedef struct hs_lab_profile {
    uint64_t live, blocks, event, time; /* at the peak; event HS_LAB_NEVER: nothing was live */
    uint64_t end_event, end_time;       /* end_event: one past the last */
} hs_lab_profile_t;

/* A cell of a row of text: `before`, then the value of a field: `none_text` where it is `none`, the
 * name of that number below `names`, else the number. width 0: `before` alone. */
typedef struct hs_lab_cell {
    const uint8_t *before, *none_text, *name_text;
    const uint64_t *name_ends; /* where each name ends in name_text */
    uint64_t names, none;
    uint32_t before_size, none_size, has_none;
    uint32_t offset, width; /* of the field in its row: 1, 2, 4 or 8 bytes, unsigned */
} hs_lab_cell_t;
/* cffi: end */

#endif
