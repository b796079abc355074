/* The figures of each process that the recorder of Linux programs records. */
#ifndef HEAPSCOPE_ROWS_RECORDER_H
#define HEAPSCOPE_ROWS_RECORDER_H

#include <stdint.h>

/* cffi: begin */
typedef struct hs_lab_record_image {
    uint64_t events, live, live_peak, live_blocks; /* heap events; bytes as asked for */
    uint64_t lost;                                 /* records that were dropped */
    uint64_t unknown;   /* frees and reallocs of blocks that nobody saw made */
    uint64_t implied;   /* frees that nobody saw, of blocks whose address was given again */
    uint64_t inherited; /* blocks that a fork left to it */
    uint64_t left_out;  /* calls of the heap that is not recorded: the C library's, or its own */
    uint64_t written;   /* bytes of its trace */
    uint64_t stacks, modules;
    uint32_t phase; /* 0 it runs, 1 it is over, 2 its trace is finished, 3 it was released */
    uint32_t pid, word_size, forked;
    uint64_t whole_events, whole_peak; /* events and live peak of the bytes of its trace so far */
    uint64_t time;                     /* microseconds, of the last look at it */
    uint32_t begun_late;               /* 1: its heap had blocks that nobody knows */
    uint32_t started;                  /* 1: events of it are in the trace, or may be */
    uint32_t paused;                   /* 1: those that come now are not */
    uint32_t cut;                      /* 1: the recording ended before it did */
    uint32_t overwritten;              /* 1: it wrote over the recorder's memory */
    uint32_t status;                   /* not 0: the host's memory did not suffice for it */
} hs_lab_record_image_t;

typedef struct hs_lab_record_module {
    uint64_t start, size, file_offset;
} hs_lab_record_module_t;
/* cffi: end */

#endif
