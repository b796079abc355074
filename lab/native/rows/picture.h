/* The rows that the pictures of a report are drawn from. */
#ifndef HEAPSCOPE_ROWS_PICTURE_H
#define HEAPSCOPE_ROWS_PICTURE_H

#include "rows/trace.h"

/* cffi: begin */
#define HS_LAB_PICTURE_COLUMNS 4096
#define HS_LAB_PICTURE_ROWS 1024
#define HS_LAB_PICTURE_TASKS 250
#define HS_LAB_PICTURE_BLOCKS 20000
/* The owner of a cell; a task is HS_LAB_OWNER_TASK and its position. */
#define HS_LAB_OWNER_FREE 0
#define HS_LAB_OWNER_ALLOCATOR 1
#define HS_LAB_OWNER_STARTUP 2
#define HS_LAB_OWNER_TASK 3
#define HS_LAB_OWNER_OTHERS 255 /* tasks from HS_LAB_PICTURE_TASKS on */

/* A request that was served, and the largest that would have been in its place. */
typedef struct hs_lab_closest_row {
    uint64_t event, time; /* event HS_LAB_NEVER: none */
    uint32_t size, largest, task, site, caps, region;
} hs_lab_closest_row_t;

/* Equal spans of heap events with their extremes; free and largest are malloc's. */
typedef struct hs_lab_column_row {
    uint64_t first_event, first_time, events;
    uint64_t least_live, most_live, most_live_event;
    uint64_t least_free_event, least_largest_event;
    uint32_t least_free, least_largest;
    hs_lab_closest_row_t closest; /* the request with the least to spare */
} hs_lab_column_row_t;

/* The heap at one moment. Fragmentation is what part of `free` is not in one piece. */
typedef struct hs_lab_picture_moment {
    uint64_t event, time, live, live_blocks;
    uint32_t free, largest_free, largest_allocatable; /* malloc's */
    uint32_t free_blocks;                             /* of all regions */
} hs_lab_picture_moment_t;

typedef struct hs_lab_block_row {
    uint64_t born, born_time, died, died_time; /* died: HS_LAB_NEVER: live at the end */
    uint32_t address, size, held, region, task, site;
    uint32_t cells; /* that show it */
} hs_lab_block_row_t;

#define HS_LAB_SITES_MAX 262144

typedef struct hs_lab_holding_row {
    uint32_t index;  /* the site, 0xFFFFFFFF: all beyond the maximum; or the class k: n <= 1 << k */
    uint32_t others; /* how many sites are in that last one; 0: a row of its own */
    uint32_t payload, payload_peak, payload_at_peak; /* at_peak: after event `peak` */
    uint32_t held, held_peak, blocks, blocks_peak, padding;
    uint64_t payload_peak_event, allocations, failures;
} hs_lab_holding_row_t;

typedef struct hs_lab_picture {
    uint64_t columns, rows, blocks;
    uint32_t tasks; /* positions in use */
} hs_lab_picture_t;
/* cffi: end */

#endif
