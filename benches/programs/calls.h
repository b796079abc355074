/* The allocator functions that a program is given. Each call goes to the heap and past the shadow. */
#ifndef HEAPSCOPE_PROGRAMS_CALLS_H
#define HEAPSCOPE_PROGRAMS_CALLS_H

#include "heap.h"

/* They are as in C, but a request for 0 bytes gives NULL, and a realloc to 0 bytes frees. A fault ends
 * the program by calls_end. */
void *calls_malloc(size_t size);
void *calls_calloc(size_t count, size_t size);
void *calls_realloc(void *block, size_t size);
void calls_free(void *block);

typedef struct calls_plan {
    uint64_t check_every;   /* calls; then all of the heap's data is checked */
    uint32_t refuse_one_in; /* requests that fail at random, though there is memory; 0: none */
    uint64_t seed;
    void (*end)(const char *fault); /* does not return */
} calls_plan_t;

typedef struct call_counts {
    uint64_t mallocs, callocs, reallocs, frees; /* those that reached the heap */
    uint64_t failed;                            /* requests that the heap could not serve */
    uint64_t refused;                           /* requests that failed at random */
    uint64_t checks;
    uint64_t timed, ticks; /* calls that nothing interrupted, and the time in them */
} call_counts_t;

void calls_start(const calls_plan_t *plan);
call_counts_t call_counts(void);
uint64_t calls_sum(void);

/* A moment, in ticks; 0 where the processor has none that can be read. */
uint64_t calls_ticks(void);

#endif
