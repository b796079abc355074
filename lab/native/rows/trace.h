/* The facts of a trace itself: its health, its census, its losses, and what was live when. */
#ifndef HEAPSCOPE_ROWS_TRACE_H
#define HEAPSCOPE_ROWS_TRACE_H

#include <stdint.h>

/* cffi: begin */
#define HS_LAB_NEVER 0xFFFFFFFFFFFFFFFF

typedef struct hs_lab_import_stats {
    uint64_t lines, events, bad_lines, first_bad, id_reused, first_reused, guessed;
    uint64_t failed;  /* of the events: requests that were not served */
    uint64_t earlier; /* lines with an earlier time than one before */
    uint32_t wanted;  /* features that a line needs and the trace has not: begin again with them */
} hs_lab_import_stats_t;

/* A name of a table. */
typedef struct hs_lab_name_row {
    uint32_t begin; /* where it begins among the bytes of all */
    uint32_t hash;  /* of its bytes: equal names have equal ones */
    uint32_t index;
    uint32_t length; /* HS_LAB_NO_NAME: the index is used and has none */
} hs_lab_name_row_t;
#define HS_LAB_NO_NAME 0xFFFFFFFFu

/* A line that an import left out. */
#define HS_LAB_LINE_MAX 80
typedef struct hs_lab_left_out {
    uint64_t line;   /* its number, from 1 */
    uint32_t reason; /* hs_lab_import_reason_name() says it */
    uint32_t length; /* of what is kept of its text */
    uint8_t text[HS_LAB_LINE_MAX];
} hs_lab_left_out_t;

typedef struct hs_lab_health {
    uint64_t bytes, events, chunks, lost_chunks, lost_events, skipped_bytes, malformed_chunks;
    uint64_t newer_chunks, repeated_chunks, first_damage;
    uint64_t next_trace; /* offset where another recording begins: not read; HS_LAB_NEVER: none */
    uint32_t version, features, ended, truncated;
    uint32_t stopped; /* it breaks off between two chunks of a chip's recording */
    uint32_t untold;  /* lost chunks may have told of events that are missing besides */
    uint32_t
        facts_lost; /* metadata is lost, or may be: a key that was not read may have been there */
    uint32_t unused;
} hs_lab_health_t;

/* Counts by kind of heap event, and the recorded program's own use, heaps apart. */
typedef struct hs_lab_census {
    uint64_t events; /* heap events */
    uint64_t mallocs, callocs, aligneds, reallocs, frees, failed, marks;
    uint64_t first_time, last_time;
    uint64_t live, live_peak; /* payload bytes as asked for */
    uint64_t live_blocks, live_blocks_peak;
    uint64_t live_peak_event;
    uint64_t largest_request;
    uint64_t word_excess;  /* requests above 2^32-1 bytes: not this chip's */
    uint64_t ticks;        /* changes of the clock */
    uint32_t tasks, sites; /* distinct, as used by events */
    uint32_t by_time;      /* 1: the clock separates them */
    uint32_t unused;
} hs_lab_census_t;

/* A reader hands on the events before the first loss and no others: what follows a gap happened to
 * blocks that nobody knows. The sums here hold for the whole run all the same: in the
 * events after the loss, each unbroken part is a census that begins with nothing live. Counts are
 * sums over these parts, peaks the highest of any; all of them are therefore lower bounds. */
typedef struct hs_lab_loss {
    uint64_t event;  /* heap events before the first loss; HS_LAB_NEVER: nothing is lost */
    uint64_t time;   /* of the last of them; 0: none, or no clock */
    uint64_t parts;  /* unbroken parts after it that hold an event */
    uint64_t events; /* heap events in these parts */
    uint64_t mallocs, callocs, aligneds, reallocs, frees, failed, marks, word_excess;
    uint64_t live_peak, live_blocks_peak, largest_request;
    uint64_t last_time;
    uint32_t tasks, sites; /* distinct ones of the part that has most */
} hs_lab_loss_t;

/* The facts that only a recorder on a chip tells, in all of a trace: events that were lost or left out are those that
 * it told of. Nothing of it is known where `told` is 0. */
#define HS_LAB_DROPPED_KINDS 7
#define HS_LAB_LEVELS_MAX 1024
typedef struct hs_lab_recording {
    uint64_t losses;   /* how often it told of events that are missing */
    uint64_t left_out; /* of the missing events, those that a level or a filter left out */
    uint64_t pairs;    /* allocations that were freed soon, and counted */
    uint64_t pair_bytes;
    uint64_t snapshots, voids; /* whole ones, and others */
    uint64_t corrections;      /* blocks in which a snapshot and the events before it disagreed */
    uint64_t before;           /* heap events in front of what is used */
    uint64_t start_blocks, start_bytes; /* live where what is used begins */
    uint32_t of_chip;                   /* 1: a recorder on a chip wrote the trace */
    uint32_t begun_late;                /* 1: what is used begins with a snapshot */
    uint32_t known;                     /* 1: the live blocks are known at the end */
    uint32_t cores;                     /* one more than the highest that ran a task */
    uint32_t handlers; /* number of records that flag a task as an interrupt handler */
    uint32_t levels;   /* rows of hs_lab_levels, of which the first HS_LAB_LEVELS_MAX are kept */
} hs_lab_recording_t;

/* Events that are missing, by kind: 0 anything else, then hs_event_kind_t. */
typedef struct hs_lab_dropped_row {
    uint64_t events, bytes;
} hs_lab_dropped_row_t;

/* A change of what is written. */
typedef struct hs_lab_level_row {
    uint64_t event, time; /* heap events before it */
    uint64_t least, most; /* bytes; 0: no bound */
    uint32_t level, reason, sampling, caps;
    uint32_t task; /* index + 1; 0: every one */
} hs_lab_level_row_t;

/* The layout of hs_event_t (device/include/heapscope/trace.h), field by field. */
typedef struct hs_lab_event {
    uint64_t key, new_key, size, time;
    uint32_t task, caps, site;
    uint16_t heap;
    uint8_t kind, align_log2;
} hs_lab_event_t;

/* The axes along which the blocks of a holder, a task and site, are looked at. An axis is divided into stretches, from 1
 * on; stretch 0 is before the interval. */
#define HS_LAB_LEAK_STRETCHES 64
typedef enum hs_lab_axis {
    HS_LAB_AXIS_TIME, /* the clock */
    HS_LAB_AXIS_OWN,  /* the holder's own allocations */
    HS_LAB_AXIS_TASK, /* its task's */
    HS_LAB_AXIS_NONE
} hs_lab_axis_t;

/* An interval of the trace. */
typedef struct hs_lab_interval {
    uint64_t first; /* event */
    uint64_t first_time, last_time;
    uint64_t start_bytes, start_blocks; /* live when it begins, as the recorded program held them */
    uint64_t events, ticks; /* allocations and frees; changes of the clock between them */
    uint32_t by_time;       /* 1: the clock separates them */
    uint32_t unused;
} hs_lab_interval_t;

/* The blocks that a holder allocated in the interval, those of them that it freed there, and the stretches of each
 * axis along which they are looked at; 0: not along this one. A realloc frees a block and allocates another. */
typedef struct hs_lab_holder_row {
    uint64_t allocated, freed;
    uint32_t task, site;
    uint8_t by_time, by_own, by_task;
    uint8_t early; /* 1: its task made its last allocation before the others had begun */
    uint8_t over;  /* the stretch of time when its task had made nearly all of its; 0: none */
    uint8_t unused[3];
} hs_lab_holder_row_t;

typedef struct hs_lab_live_row {
    uint64_t key, size, birth; /* birth: event of its (last re)allocation */
    uint32_t task, site;
    uint32_t by_time, by_count; /* the stretch of its birth: of time, of allocations */
} hs_lab_live_row_t;

/* Freed blocks by the stretches of an axis (hs_lab_axis_t) in which they were born and freed. */
typedef struct hs_lab_life_row {
    uint64_t blocks, bytes;
    uint32_t task, site;
    uint32_t born, freed;
    uint32_t axis, unused;
} hs_lab_life_row_t;
/* cffi: end */

#endif
