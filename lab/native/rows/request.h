/* The regions as one request meets them: tries, holes and pieces. */
#ifndef HEAPSCOPE_ROWS_REQUEST_H
#define HEAPSCOPE_ROWS_REQUEST_H

#include <stdint.h>

/* cffi: begin */
/* One region that is asked. A region may be asked once at each priority. */
typedef struct hs_lab_attempt {
    uint32_t region, priority;
} hs_lab_attempt_t;

typedef struct hs_lab_request {
    uint32_t size, align, caps; /* align 0: none; caps 0: malloc's own rule */
    uint32_t own;               /* address of the block that it would move; UINT32_MAX: none */
    uint32_t regions;           /* that may serve it, by bit; 0: by its capabilities */
} hs_lab_request_t;

/* A region for one request. The hole is the contiguous span that would hold it if the fewest live
 * bytes were gone (lab/native/measure/hole.h); of eligible regions only; size 0: no hole. */
typedef struct hs_lab_hole_row {
    uint32_t eligible, has_heap, fits; /* eligible: asked at all; fits: capabilities apart */
    uint32_t capacity;                 /* the largest such request if the region were empty */
    uint32_t free, largest_free, largest_allocatable;
    uint32_t used_blocks, free_blocks;
    uint32_t hole_start, hole_size;
    uint32_t hole_free; /* bytes of it that are free already */
    uint32_t hole_live; /* payload bytes of the blocks in it */
    uint32_t hole_blocks;
} hs_lab_hole_row_t;

#define HS_LAB_PIECE_FREE 0
#define HS_LAB_PIECE_BLOCK 1 /* of the trace: key, requested and task are set */
#define HS_LAB_PIECE_OTHER 2 /* start-up's, or the allocator's own */

typedef struct hs_lab_piece_row {
    uint64_t key;
    uint32_t address, size; /* raw payload; headers lie between pieces */
    uint32_t state, requested, task;
} hs_lab_piece_row_t;
/* cffi: end */

#endif
