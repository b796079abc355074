/* Heaps in a given state, without a trace: what each says of itself, and where a request goes. */
#ifndef HEAPSCOPE_ROWS_STATE_H
#define HEAPSCOPE_ROWS_STATE_H

#include <stdint.h>

/* cffi: begin */
/* One region. `reported`: as its release prints it, poisoning taken off; all others are true. */
typedef struct hs_lab_state_row {
    uint32_t start, size, has_heap;
    uint32_t free, used; /* raw payload bytes */
    uint32_t free_blocks, used_blocks;
    uint32_t largest_free;        /* raw payload of the largest hole */
    uint32_t largest_allocatable; /* the largest malloc that it would serve */
    uint32_t around;              /* bytes that poisoning and tracking put around a block */
    uint32_t reported_less;       /* bytes that poisoning takes off a reported size, down to 0 */
    uint32_t counted_free;        /* reported_free before that */
    uint32_t reported_free, reported_minimum_free, largest_reported, reported_allocated;
} hs_lab_state_row_t;

typedef struct hs_lab_served {
    uint32_t region;  /* UINT32_MAX: the request failed */
    uint32_t address; /* that the program gets */
    uint32_t held;    /* raw payload bytes that it took */
} hs_lab_served_t;
/* cffi: end */

#endif
