/*
 * What the lab's native library does beyond replay: single heaps, the way of a request, pools that are
 * tried, pictures, exports. Parsed by the Python binding behind lab.h, whose head says how.
 */
#ifndef HEAPSCOPE_NATIVE_LAB_TOOLS_H
#define HEAPSCOPE_NATIVE_LAB_TOOLS_H

#include "lab/lab.h"

/* cffi: begin */
/* ---- one heap alone, without a trace ---- */
typedef struct hs_lab_filled {
    uint32_t blocks;                       /* that were served */
    uint32_t control, used, headers, free; /* true bytes, together the region's size */
    uint32_t reported_free;                /* what that allocator version says is free */
} hs_lab_filled_t;

/* A new heap on a region, and on it mallocs of `block` bytes until `most` are served (0: it stays
 * empty) or one fails. Status as hs_sim_new's: 1 no such allocator, 2 it refuses the region. */
int hs_lab_fill_heap(const char *allocator, uint32_t base, uint32_t size, uint32_t block,
                     uint32_t most, hs_lab_filled_t *out);

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

/* Fills HS_LAB_DRILL_PHASES rows. Status as above, 2 also without host memory. */
int hs_lab_drill_heap(const char *allocator, uint32_t base, uint32_t size,
                      const hs_lab_drill_t *drill, hs_lab_phase_t *phases);

/* ---- what stands in the way of a request, at one moment ---- */
/* Before the first push: takes no event from `stop` on, so that all rows are as of then. */
int hs_lab_reader_stop(hs_lab_reader_t *reader, uint64_t stop);

typedef struct hs_lab_request {
    uint32_t size, align, caps; /* align 0: none; caps 0: malloc's own rule */
    uint32_t own;               /* address of the block that it would move; UINT32_MAX: none */
    uint32_t regions;           /* that may serve it, by bit; 0: by its capabilities */
} hs_lab_request_t;

/* A region for one request. The hole is the contiguous span that would hold it if the fewest live
 * bytes were gone (lab/native/measure/hole.h); of eligible regions only; size 0: there is none. */
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

/* One row a region. */
size_t hs_lab_holes(hs_lab_reader_t *reader, const hs_lab_request_t *request,
                    hs_lab_hole_row_t *rows, size_t capacity);
/* The pieces of a region that lie, at least in part, between two addresses, in their order. */
size_t hs_lab_pieces(const hs_lab_reader_t *reader, uint32_t region, uint32_t from, uint32_t to,
                     hs_lab_piece_row_t *rows, size_t capacity);

/* The timeline: equal buckets of heap events, each with the least and the most of every series.
 * Series: 0 live payload; 1 largest_allocatable for malloc; 2.. free of each region; then payload of
 * each task in the order of first use (those beyond HS_LAB_SERIES_MAX are not kept). */
typedef struct hs_lab_timeline {
    uint64_t width; /* heap events a bucket */
    uint32_t buckets, series, regions, tasks;
} hs_lab_timeline_t;
void hs_lab_timeline(const hs_lab_reader_t *reader, hs_lab_timeline_t *out);
/* Task index of a task series. */
uint32_t hs_lab_timeline_task(const hs_lab_reader_t *reader, uint32_t position);
/* Each fills buckets x series values, row by row; first_time one value a bucket. */
void hs_lab_timeline_values(const hs_lab_reader_t *reader, uint32_t *least, uint32_t *most,
                            uint64_t *first_time);
/* The three largest figures for malloc at each bucket's last event: largest_free, largest_reported,
 * largest_allocatable; buckets x 3 values. */
void hs_lab_timeline_largest(const hs_lab_reader_t *reader, uint32_t *values);
/* ---- trying pools ---- */
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

/* A trace's heap events, kept to be replayed on many pools, all at the address `base`; 12 bytes an
 * event (lab/native/fit/fit.h). */
typedef struct hs_lab_steps hs_lab_steps_t;
hs_lab_steps_t *hs_lab_steps_new(uint32_t base);
void hs_lab_steps_delete(hs_lab_steps_t *steps);
/* For a census, before the first push: its events go into `steps` too, which has to outlive the last
 * push. */
int hs_lab_reader_load(hs_lab_reader_t *reader, hs_lab_steps_t *steps);
/* Before the first push: only blocks that this task asks for are kept, whoever frees them. */
void hs_lab_steps_only(hs_lab_steps_t *steps, uint32_t task);
/* The most bytes, as asked for, that were live at once. */
uint64_t hs_lab_steps_peak(const hs_lab_steps_t *steps);
/* A size in bytes below which no pool can serve the trace, whatever the allocator. */
uint64_t hs_lab_steps_floor(const hs_lab_steps_t *steps);
/* One replay on a fresh pool. May be called from several threads at once, when all is loaded. */
int hs_lab_steps_try(const hs_lab_steps_t *steps, const char *allocator, uint32_t size,
                     hs_lab_fit_t *out);
/* Does the allocator make a heap of this size? 1 or 0. */
int hs_lab_has_heap(const char *allocator, uint32_t base, uint32_t size);
/* ---- what the pictures of a report are drawn from: two replays of one trace ---- */
#define HS_LAB_PICTURE_COLUMNS 4096
#define HS_LAB_PICTURE_ROWS 1024
#define HS_LAB_PICTURE_TASKS 250
#define HS_LAB_PICTURE_BLOCKS 20000
/* What a cell's owner is; a task is HS_LAB_OWNER_TASK and its position. */
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

/* Before the first push of a replay: keeps at most so many columns (even, at least 2). */
int hs_lab_reader_survey(hs_lab_reader_t *reader, uint32_t columns);
size_t hs_lab_columns(const hs_lab_reader_t *reader, hs_lab_column_row_t *rows, size_t capacity);
/* The closest served request of each kind that served it. */
size_t hs_lab_closest(const hs_lab_reader_t *reader, hs_lab_closest_row_t *rows, size_t capacity);

/* Before the first push of a replay: draws the heap after each of these heap events (ascending),
 * with so many rows for each region, and notes who holds what after event `peak`. */
int hs_lab_reader_draw(hs_lab_reader_t *reader, const uint64_t *events, size_t columns,
                       const uint32_t *rows, uint64_t peak);

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

void hs_lab_picture(const hs_lab_reader_t *reader, hs_lab_picture_t *out);
/* Each fills columns x rows cells, column by column. used: 0 free, 255 full; size and age (events)
 * are logarithmic, 1 + 8 log2; block: number of its row plus 1, 0: none or not kept. */
void hs_lab_picture_cells(const hs_lab_reader_t *reader, uint8_t *owner, uint8_t *used,
                          uint8_t *size, uint8_t *age, uint32_t *block);
size_t hs_lab_picture_moments(const hs_lab_reader_t *reader, hs_lab_picture_moment_t *rows,
                              size_t capacity);
/* Fills columns x tasks bytes of payload. */
void hs_lab_picture_payload(const hs_lab_reader_t *reader, uint32_t *bytes);
/* Task index of a position. */
uint32_t hs_lab_picture_task(const hs_lab_reader_t *reader, uint32_t position);
size_t hs_lab_picture_blocks(const hs_lab_reader_t *reader, hs_lab_block_row_t *rows,
                             size_t capacity);
size_t hs_lab_sites(const hs_lab_reader_t *reader, hs_lab_holding_row_t *rows, size_t capacity);
size_t hs_lab_size_classes(const hs_lab_reader_t *reader, hs_lab_holding_row_t *rows,
                           size_t capacity);
/* ---- for other programs: what each event did, who allocated what, counters over time ---- */
#define HS_LAB_PROFILE_MAX 262144
#define HS_LAB_EXPORT_ROWS 1     /* a row for every heap event */
#define HS_LAB_EXPORT_FAILURES 2 /* a row for those that failed */
#define HS_LAB_EXPORT_PROFILE 4
#define HS_LAB_EXPORT_SAMPLES 8
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

/* Of a census the program's own blocks, of a replay those that were served. */
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

/* What one task allocated at one site; 0xFFFFFFFF: all beyond HS_LAB_PROFILE_MAX - 1 pairs. A realloc
 * that was served ends its block and begins another. Bytes as asked for. */
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

/* Before the first push, of a census or a replay: keeps what is asked for. A span of events gives at
 * most three samples of a counter, its least, most and last; span 1: every change. */
int hs_lab_reader_export(hs_lab_reader_t *reader, uint32_t what, uint64_t span);
/* Take these two after each push and after finish. Samples come by span, within it by counter. */
size_t hs_lab_export_rows(hs_lab_reader_t *reader, hs_lab_export_row_t *rows, size_t capacity);
size_t hs_lab_export_samples(hs_lab_reader_t *reader, hs_lab_sample_t *rows, size_t capacity);
size_t hs_lab_export_profile(const hs_lab_reader_t *reader, hs_lab_profile_row_t *rows,
                             size_t capacity);
void hs_lab_export_peak(const hs_lab_reader_t *reader, hs_lab_profile_t *out);

/* A cell of a row of text: `before`, then the value of a field: `none_text` where it is `none`, the
 * name of that number below `names`, else the number. width 0: `before` alone. */
typedef struct hs_lab_cell {
    const uint8_t *before, *none_text, *name_text;
    const uint64_t *name_ends; /* where each name ends in name_text */
    uint64_t names, none;
    uint32_t before_size, none_size, has_none;
    uint32_t offset, width; /* of the field in its row: 1, 2, 4 or 8 bytes, unsigned */
} hs_lab_cell_t;

/* Writes whole rows as long as they fit, returns how many, *written: bytes. Names are not looked into:
 * the caller has quoted them. */
size_t hs_lab_rows_text(const hs_lab_cell_t *cells, size_t cell_count, const uint8_t *rows,
                        size_t row_size, size_t row_count, uint8_t *out, size_t capacity,
                        size_t *written);
/* ---- a program of this machine, recorded as it runs; Linux only ---- */
typedef struct hs_lab_record hs_lab_record_t;

typedef struct hs_lab_record_image {
    uint64_t events, live, live_peak, live_blocks; /* heap events; bytes as asked for */
    uint64_t lost;                                 /* records that were dropped */
    uint64_t unknown;   /* frees and reallocs of blocks that nobody saw made */
    uint64_t implied;   /* frees that nobody saw, of blocks whose address was given again */
    uint64_t inherited; /* blocks that a fork left to it */
    uint64_t written;   /* bytes of its trace */
    uint64_t stacks, modules;
    uint32_t phase; /* 0 it runs, 1 it is over, 2 its trace is finished, 3 it was released */
    uint32_t pid, word_size, forked;
    uint32_t status; /* not 0: the host's memory did not suffice for it */
} hs_lab_record_image_t;

typedef struct hs_lab_record_module {
    uint64_t start, size, file_offset;
} hs_lab_record_module_t;

/* The objects to preload ("": none), the recorder's name and what is recorded, as metadata. `drop`:
 * a full ring drops events. `addresses`: blocks are known by these. `frames`: of a stack; 0: none.
 * NULL without shared memory. */
hs_lab_record_t *hs_lab_record_new(const char *preload64, const char *preload32,
                                   const char *version, const char *program, uint32_t drop,
                                   uint32_t addresses, uint32_t frames);
void hs_lab_record_delete(hs_lab_record_t *record);
/* Value of the environment variable HEAPSCOPE_RECORD for the program. */
const char *hs_lab_record_variable(hs_lab_record_t *record);
/* Takes records for so long, or until something is ready or wanted; returns how many. */
uint64_t hs_lab_record_pump(hs_lab_record_t *record, uint32_t milliseconds);
void hs_lab_record_close(hs_lab_record_t *record); /* nothing is recorded from now on */
size_t hs_lab_record_images(const hs_lab_record_t *record);
size_t hs_lab_record_running(const hs_lab_record_t *record);
uint32_t hs_lab_record_missed(hs_lab_record_t *record); /* processes without a place */
/* 1: a program waits for the object of 32 bit. Answer with 1, it is there, or 0. */
int hs_lab_record_object_wanted(hs_lab_record_t *record);
void hs_lab_record_object(hs_lab_record_t *record, int there);
/* The first image from `index` on with bytes to take, or over; SIZE_MAX: none. */
size_t hs_lab_record_ready(const hs_lab_record_t *record, size_t index);
void hs_lab_record_image(hs_lab_record_t *record, size_t index, hs_lab_record_image_t *out);
const char *hs_lab_record_program(hs_lab_record_t *record, size_t index); /* path; untrusted */
size_t hs_lab_record_take(hs_lab_record_t *record, size_t index, uint8_t *out, size_t capacity);
/* Frames of a stack (from 1), innermost first; files and where they lay. */
size_t hs_lab_record_stack(hs_lab_record_t *record, size_t index, size_t stack, uint64_t *out,
                           size_t capacity);
/* How many modules were known when the stack was: later ones may lie where they had lain. */
size_t hs_lab_record_stack_modules(hs_lab_record_t *record, size_t index, size_t stack);
const char *hs_lab_record_module(hs_lab_record_t *record, size_t index, size_t module,
                                 hs_lab_record_module_t *out);
void hs_lab_record_site(hs_lab_record_t *record, size_t index, uint32_t site, const char *name,
                        size_t length);
void hs_lab_record_finish(hs_lab_record_t *record, size_t index);  /* its end chunk */
void hs_lab_record_release(hs_lab_record_t *record, size_t index); /* its memory */
/* ---- pools of a trace, with their sizes or others ---- */
#define HS_LAB_POOL_SIZES_MAX 32

/* hs_pool_rule_t and hs_pool_totals_t (lab/native/pools/pools.h), field by field. */
typedef struct hs_lab_pool_rule {
    uint32_t follow, pool, block, align, sizes;
    uint32_t size[32];
} hs_lab_pool_rule_t;

typedef struct hs_lab_pool_totals {
    uint64_t pools, resets, requests, calls, growths, unlike, failed, stray;
} hs_lab_pool_totals_t;

/* As hs_pools_replay; initial 0: sizes as recorded. */
int hs_lab_pools_replay(const hs_lab_event_t *events, size_t count, const uint8_t *chosen,
                        uint32_t pools, uint32_t initial, uint32_t increment,
                        const hs_lab_pool_rule_t *rule, uint64_t *allocated, uint64_t *used,
                        hs_lab_pool_totals_t *out);
/* ---- long runs, composed of parts of loaded traces (lab/native/week/week.h) ---- */
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

typedef struct hs_lab_week hs_lab_week_t;
uint64_t hs_lab_steps_count(const hs_lab_steps_t *steps);
/* One trace for each actor; they have to outlive the week. NULL: *status tells why: 1 no such
 * allocator or heap, 2 it refuses the size, or no host memory. */
hs_lab_week_t *hs_lab_week_new(hs_lab_steps_t *const *traces, const hs_lab_actor_t *actors,
                               size_t count, const hs_lab_week_heap_t *heaps, size_t heap_count,
                               int *status);
void hs_lab_week_delete(hs_lab_week_t *week);
/* Goes on with these turns, a row for each. 1, and nothing is played: a turn beyond its trace. */
int hs_lab_week_play(hs_lab_week_t *week, const hs_lab_turn_t *turns, size_t count,
                     hs_lab_turn_row_t *rows);
void hs_lab_week_totals(const hs_lab_week_t *week, hs_lab_week_totals_t *out);
/* cffi: end */

#endif
