/*
 * The lab's native library as the lab sees it: coarse calls over plain structs. This file, and
 * lab_tools.h with what goes beyond replay, is both the C header and, between the two marker lines,
 * the declarations that the Python binding parses; keep it to what cffi's C parser takes (no function
 * bodies, no #if).
 *
 * Bytes of a trace are pushed in pieces of any size; nothing here opens a file. Sizes in bytes,
 * event numbers from 0 over heap events, times in the trace's clock ticks. Every *_new returns NULL
 * without host memory. Row calls fill at most `capacity` rows and return how many there are.
 */
#ifndef HEAPSCOPE_NATIVE_LAB_H
#define HEAPSCOPE_NATIVE_LAB_H

#include <stddef.h>
#include <stdint.h>

/* cffi: begin */
#define HS_LAB_ABI 1
#define HS_LAB_REGIONS_MAX 32
#define HS_LAB_KINDS_MAX 16
#define HS_LAB_CAPSETS_MAX 16
#define HS_LAB_NEEDS_MAX 8
#define HS_LAB_RULES_MAX 64
#define HS_LAB_FAILURES_MAX 1000
#define HS_LAB_FAILURE_SPANS 512
#define HS_LAB_MARKS_MAX 4096
#define HS_LAB_ANOMALIES_MAX 100
#define HS_LAB_TASKS_MAX 4096
#define HS_LAB_SERIES_MAX 66
#define HS_LAB_MOMENTS_MAX 1024
#define HS_LAB_NEVER 0xFFFFFFFFFFFFFFFF

int hs_lab_abi(void);                                /* HS_LAB_ABI of the library */
size_t hs_lab_sizeof(const char *struct_name);       /* "hs_lab_task_row_t"; 0: no such struct */
const char *hs_lab_allocator_name(size_t index);     /* the valid ones in turn, then NULL */
const char *hs_lab_allocator_find(const char *name); /* the one meant by a spelling, or NULL */

/* ---- import of other recorders' text ---- */
typedef struct hs_lab_import hs_lab_import_t;
typedef struct hs_lab_import_stats {
    uint64_t lines, events, bad_lines, first_bad, id_reused, first_reused, guessed;
} hs_lab_import_stats_t;

/* `form`: hs_import_form_t. NULL: no memory, or no such form. */
hs_lab_import_t *hs_lab_import_new(int form);
void hs_lab_import_delete(hs_lab_import_t *text);
int hs_lab_import_metadata(hs_lab_import_t *text, const char *key, const char *value);
int hs_lab_import_push(hs_lab_import_t *text, const uint8_t *bytes, size_t count);
int hs_lab_import_finish(hs_lab_import_t *text);
/* Copies up to `capacity` finished .hst bytes out; returns how many; 0: none left for now. */
size_t hs_lab_import_take(hs_lab_import_t *text, uint8_t *out, size_t capacity);
void hs_lab_import_stats(const hs_lab_import_t *text, hs_lab_import_stats_t *out);
size_t hs_lab_import_bad_line(const hs_lab_import_t *text, uint8_t *out, size_t capacity);

/* ---- what every reader of a trace knows (census: no heap; replay: with heaps) ---- */
typedef struct hs_lab_health {
    uint64_t bytes, events, chunks, lost_chunks, lost_events, skipped_bytes, malformed_chunks;
    uint64_t newer_chunks, repeated_chunks, first_damage;
    uint64_t next_trace; /* offset where another recording begins: not read; HS_LAB_NEVER: none */
    uint32_t version, features, ended, truncated;
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
    uint32_t tasks, sites; /* distinct, as used by events */
} hs_lab_census_t;

/* A reader hands on the events before the first loss and no others: what follows a gap happened to
 * blocks that nobody knows. What is true of the whole run all the same is summed up here: of the
 * events after the loss, each unbroken part is a census that begins with nothing live. Counts are
 * sums over these parts, peaks the highest of any; all of them are therefore lower bounds. */
typedef struct hs_lab_loss {
    uint64_t event;  /* heap events before the first loss; HS_LAB_NEVER: nothing is lost */
    uint64_t time;   /* of the last of them; 0: there is none, or no clock */
    uint64_t parts;  /* unbroken parts after it that hold an event */
    uint64_t events; /* heap events in these parts */
    uint64_t mallocs, callocs, aligneds, reallocs, frees, failed, marks, word_excess;
    uint64_t live_peak, live_blocks_peak, largest_request;
    uint64_t last_time;
    uint32_t tasks, sites; /* distinct ones of the part that has most */
} hs_lab_loss_t;

typedef struct hs_lab_reader hs_lab_reader_t;

/* ---- events themselves, for tools that make or transform traces ---- */
/* The layout of hs_event_t (device/include/heapscope/trace.h), field by field. */
typedef struct hs_lab_event {
    uint64_t key, new_key, size, time;
    uint32_t task, caps, site;
    uint16_t heap;
    uint8_t kind, align_log2;
} hs_lab_event_t;

/* From now on a census also keeps its events; take them after each push and after finish. */
int hs_lab_reader_keep(hs_lab_reader_t *reader);
/* Copies up to `capacity` kept events out; returns how many; 0: none left for now. */
size_t hs_lab_reader_take(hs_lab_reader_t *reader, hs_lab_event_t *out, size_t capacity);

/* For a census, before the first push: from the trace only the clock's ticks at these heap events
 * are taken (ascending, each once); no figure of the census is. */
int hs_lab_reader_times(hs_lab_reader_t *reader, const uint64_t *events, size_t count);
/* One value an event; HS_LAB_NEVER: it is not in the trace, or was lost. */
size_t hs_lab_times(const hs_lab_reader_t *reader, uint64_t *times, size_t capacity);

/* ---- live blocks at chosen moments: what stays, and whether it grows ---- */
typedef struct hs_lab_moment_row {
    uint64_t event, time;
    uint64_t bytes, blocks; /* live then, as the recorded program held them */
    uint64_t holders;       /* rows of hs_lab_moment_holders */
} hs_lab_moment_row_t;

typedef struct hs_lab_holder_row {
    uint64_t bytes, blocks;
    uint32_t task, site;
} hs_lab_holder_row_t;

typedef struct hs_lab_live_row {
    uint64_t key, size, birth; /* birth: event of its (last re)allocation */
    uint32_t task, site;
} hs_lab_live_row_t;

/* Freed blocks by the moments that they lived between: `born` moments were taken before the birth,
 * `freed` before the free. A realloc ends a life and begins another. */
typedef struct hs_lab_life_row {
    uint64_t blocks, bytes;
    uint32_t task, site;
    uint32_t born, freed;
} hs_lab_life_row_t;

/* For a census, before the first push: looks at the live blocks before each of these heap events
 * (ascending, at most HS_LAB_MOMENTS_MAX; those beyond the trace's end look at its end), and takes
 * no event from `stop` on. */
int hs_lab_reader_watch(hs_lab_reader_t *reader, const uint64_t *events, size_t count,
                        uint64_t stop);
size_t hs_lab_moments(const hs_lab_reader_t *reader, hs_lab_moment_row_t *rows, size_t capacity);
/* Who held what at a moment, by task and site. */
size_t hs_lab_moment_holders(const hs_lab_reader_t *reader, size_t moment,
                             hs_lab_holder_row_t *rows, size_t capacity);
/* The lives that ended, in any order. */
size_t hs_lab_lives(const hs_lab_reader_t *reader, hs_lab_life_row_t *rows, size_t capacity);
/* The blocks live as things stand, oldest first. */
size_t hs_lab_live(const hs_lab_reader_t *reader, hs_lab_live_row_t *rows, size_t capacity);

typedef struct hs_lab_writer hs_lab_writer_t;
/* features: HS_TRACE_* of trace.h; address_shift as there. NULL also for unknown features. */
hs_lab_writer_t *hs_lab_writer_new(uint32_t features, uint32_t address_shift);
void hs_lab_writer_delete(hs_lab_writer_t *writer);
int hs_lab_writer_metadata(hs_lab_writer_t *writer, const char *key, const char *value);
int hs_lab_writer_name(hs_lab_writer_t *writer, uint32_t table, uint32_t index, const char *name,
                       size_t length);
/* Appends events; *written tells how many before an error. Without addresses allocations must carry
 * ids in sequence from 0. */
int hs_lab_writer_events(hs_lab_writer_t *writer, const hs_lab_event_t *events, size_t count,
                         size_t *written);
int hs_lab_writer_finish(hs_lab_writer_t *writer);
/* Copies up to `capacity` finished .hst bytes out; returns how many; 0: none left for now. */
size_t hs_lab_writer_take(hs_lab_writer_t *writer, uint8_t *out, size_t capacity);

/* ---- replay ---- */
typedef struct hs_lab_region {
    uint32_t start;       /* address */
    uint32_t size;        /* bytes */
    uint32_t caps[3];     /* by priority */
    uint32_t kind;        /* index below HS_LAB_KINDS_MAX */
    uint32_t iram_alias;  /* 1: EXEC requests take 4 bytes more (ESP32 D/IRAM) */
    uint32_t startup_use; /* payload bytes taken by start-up, as one block */
    uint32_t optional;    /* 1: a region too small for its allocator is left without heap */
    /* 1: a private heap: no request finds it but by a rule. Its memory is one block, taken when
     * start-up is over from the first of `taken_from` (regions by bit; 0: those malloc would ask)
     * that can give it, and `start` is then that block's. 2: the same, on memory of its own. */
    uint32_t private_heap;
    uint32_t taken_from;
    /* Of our own allocator, on a chip (device/include/heapscope/regions.h): 1: in the table of its set
     * of regions; 2: there, a start-up stack; 3: added later, the last one first in the list. 0: a
     * heap alone, without a set. */
    uint32_t in_set;
    char allocator[32];
} hs_lab_region_t;

typedef struct hs_lab_need {
    uint32_t size;
    uint32_t caps; /* 0: malloc's own rule */
} hs_lab_need_t;

/* Where requests go for which a set of conditions holds. The first rule that matches counts, for an
 * allocation and for a realloc that has to move; a block that can stay in its heap stays. */
typedef struct hs_lab_rule {
    uint32_t size_min, size_max; /* bytes, both included */
    uint32_t regions;            /* by bit; asked in list order */
    uint32_t fallback; /* 1: when they have no room, the capabilities decide; 0: it fails */
} hs_lab_rule_t;

/* For which tasks, sites or heaps of the trace each rule holds: rules by bit, for each index. */
typedef struct hs_lab_rule_names {
    const uint64_t *rules;
    uint32_t count;
    uint64_t others; /* of all indices from `count` on */
} hs_lab_rule_names_t;

typedef struct hs_lab_config {
    const hs_lab_region_t *regions; /* in the order in which the allocator tries them */
    uint32_t region_count;
    /* malloc(n): n <= threshold asks small_caps, above it large_caps; then fallback_caps (0: none) */
    uint32_t malloc_threshold, malloc_small_caps, malloc_large_caps, malloc_fallback_caps;
    uint32_t request_max;    /* larger requests fail before any heap is asked; 0: no such rule */
    const uint32_t *capsets; /* capability sets to keep low-water marks for; malloc's own set
                                     always comes first in the rows, a 0 here adds nothing */
    uint32_t capset_count;
    const hs_lab_need_t *needs;
    uint32_t need_count;
    uint32_t timeline_buckets; /* 2 to 65536, even; 0: no timeline */
    uint32_t explains;         /* 1: the event below is to be explained */
    uint64_t explain_event;
    const hs_lab_rule_t *rules;
    uint32_t rule_count;
    hs_lab_rule_names_t rule_tasks, rule_sites, rule_heaps;
} hs_lab_config_t;

/* Why the request of one event went where it went: what it asked, what each region had before it, and
 * where the block is afterwards. */
typedef struct hs_lab_explanation {
    uint64_t event, time, size;
    uint32_t found; /* 1: the event came and is a request; 0: nothing below holds */
    uint32_t task, caps, site, call, align;     /* call: event kind */
    uint32_t old_region, old_address, old_size; /* realloc: the block before; UINT32_MAX: none */
    uint32_t region, address;                   /* UINT32_MAX: it failed */
    uint32_t skipped;    /* 1: its block's allocation had failed, nothing was asked */
    uint32_t rule;       /* that matched; UINT32_MAX: none */
    uint32_t rule_unfit; /* 1: but its regions lack a capability, so the capabilities decide */
} hs_lab_explanation_t;

typedef struct hs_lab_explanation_region {
    uint32_t has_heap, fits; /* fits: would serve the size, its capabilities apart */
    uint32_t free, largest_free, largest_allocatable;
} hs_lab_explanation_region_t;

/* A census alone (config NULL), or a replay. NULL: *status is an hs_status_t; *where the index of
 * the offending region, or UINT32_MAX. */
hs_lab_reader_t *hs_lab_reader_new(const hs_lab_config_t *config, int *status, uint32_t *where);
void hs_lab_reader_delete(hs_lab_reader_t *reader);
int hs_lab_reader_push(hs_lab_reader_t *reader, const uint8_t *bytes, size_t count);
int hs_lab_reader_finish(hs_lab_reader_t *reader);

void hs_lab_reader_health(const hs_lab_reader_t *reader, hs_lab_health_t *out);
void hs_lab_reader_census(const hs_lab_reader_t *reader, hs_lab_census_t *out);
/* Known when the reader is finished. */
void hs_lab_reader_loss(const hs_lab_reader_t *reader, hs_lab_loss_t *out);
size_t hs_lab_reader_metadata_count(const hs_lab_reader_t *reader);
/* Key (NUL-terminated) and value; returns the value's length. Both are untrusted bytes. */
size_t hs_lab_reader_metadata(const hs_lab_reader_t *reader, size_t index, const char **key,
                              const uint8_t **value);
/* tables: 0 task, 1 mark, 2 site, 3 heap, 4 pool */
uint32_t hs_lab_reader_name_count(const hs_lab_reader_t *reader, uint32_t table);
/* Bytes of a name; *bytes is NULL where none was given. */
size_t hs_lab_reader_name(const hs_lab_reader_t *reader, uint32_t table, uint32_t index,
                          const uint8_t **bytes);

/* How a replay ended. *_event: the event number of the first; HS_LAB_NEVER: none. */
typedef struct hs_lab_summary {
    uint64_t digest, results, failures, first_failure_event;
    uint64_t zero_requests;         /* size 0: NULL by contract, no failure counted */
    uint64_t skipped;               /* events on a block whose allocation failed here */
    uint64_t recorded_failures;     /* FAILED events of the trace */
    uint64_t recorded_failures_fit; /* of them, requests that would have fitted here */
    uint64_t unknown_frees, double_frees, dead_reallocs, refused_reallocs, reused_ids;
    uint64_t address_compared, address_matched; /* traces with addresses only */
    uint64_t live, live_peak, live_peak_event, live_blocks;
    /* Live in the recorded program at the end, and on no heap here: their requests failed. */
    uint64_t not_placed, not_placed_blocks;
    uint64_t startup_unplaced; /* start-up bytes that no region could take */
    uint64_t event_count;      /* heap events replayed, lost ones not counted */
    /* The regions that malloc can use, together, at the moment of least free: where the bytes were. */
    uint64_t tightest_event, tightest_payload, tightest_rounding, tightest_header;
    uint64_t tightest_control, tightest_startup;
    uint64_t tightest_moving; /* the old block of a realloc that was being moved */
    uint64_t tightest_free;   /* malloc's minimum free */
} hs_lab_summary_t;

/* size = control + header + startup + payload + rounding + free, always. header holds block headers,
 * poisoning, sentinels and region ends lost to rounding. */
typedef struct hs_lab_region_row {
    uint32_t start, size, kind, has_heap;
    uint32_t control, header, startup, payload, rounding, free;
    uint32_t used_blocks, free_blocks;
    uint32_t minimum_free, peak_payload;
    uint32_t largest_free, largest_reported, largest_allocatable;
    uint32_t minimum_largest_allocatable;
    uint32_t reported_free, reported_minimum_free;
    uint64_t minimum_free_event, minimum_largest_event;
    uint64_t allocations, frees,
        failures; /* failures: tries refused here, served elsewhere or not */
    uint64_t step_nodes, step_bins, step_writes, step_copied;
} hs_lab_region_row_t;

typedef struct hs_lab_task_row {
    uint32_t task, kind;            /* task 0xFFFFFFFF: all beyond HS_LAB_TASKS_MAX - 1 */
    uint32_t payload, payload_peak; /* bytes asked for */
    uint32_t held, held_peak;       /* bytes of the blocks given, rounding and poisoning included */
    uint32_t blocks, blocks_peak;
    uint64_t payload_peak_event, allocations, failures; /* failures: on the task's first kind row */
} hs_lab_task_row_t;

/* For one capability set, or (kinds) for all regions of one kind. minimum_free_reported sums the
 * regions' own minima, as heap_caps_get_minimum_free_size does. */
typedef struct hs_lab_set_row {
    uint32_t caps; /* kinds: the kind's index */
    uint32_t size, free, minimum_free, free_reported, minimum_free_reported;
    uint32_t largest_free, largest_reported, largest_allocatable, minimum_largest_allocatable;
    uint32_t peak_payload;
    uint64_t minimum_free_event, minimum_largest_event;
} hs_lab_set_row_t;

typedef struct hs_lab_need_row {
    uint32_t size, caps;
    uint64_t short_events; /* heap events after which it would not have been served */
    uint64_t spells;       /* runs of such events */
    uint64_t first_event, first_time, last_event;
    int64_t minimum_margin; /* smallest largest_allocatable minus size */
    uint64_t minimum_margin_event;
} hs_lab_need_row_t;

typedef struct hs_lab_failure_row {
    uint64_t event, time, size;
    uint64_t number;                 /* among all failures, from 1 */
    uint32_t task, caps, site, call; /* call: event kind; caps as asked (0: malloc) */
    uint32_t align, old_size;        /* old_size: realloc */
} hs_lab_failure_row_t;

typedef struct hs_lab_failure_region {
    uint32_t eligible, free, largest_free, largest_allocatable;
} hs_lab_failure_region_t;

/* How many requests failed in a span of heap events; `bytes` they asked for, `largest` of them. */
typedef struct hs_lab_failure_span {
    uint64_t first_event, events, failures, bytes, largest;
} hs_lab_failure_span_t;

/* What one rule decided; the last row: what no rule did. Bytes are payload as asked for. */
typedef struct hs_lab_rule_row {
    uint64_t requests;  /* that it matched: allocations, and reallocs that had to move */
    uint64_t refused;   /* of them, those its regions had no room for */
    uint64_t elsewhere; /* of the refused, those served by capabilities instead */
    uint64_t unfit;     /* that ask for a capability its regions lack: by capabilities too */
    uint64_t peak_event;
    uint32_t payload, payload_peak; /* of the blocks that it placed */
    uint32_t blocks, blocks_peak;
} hs_lab_rule_row_t;

typedef struct hs_lab_mark_row {
    uint64_t event, time; /* event: heap events before it */
    uint64_t live, live_peak, live_blocks, failures;
    uint32_t name, task_rows; /* rows of hs_lab_mark_tasks */
} hs_lab_mark_row_t;

typedef struct hs_lab_anomaly_row {
    uint64_t event, key;
    uint32_t what; /* 1 unknown free, 2 double free, 3 dead realloc, 4 refused
                                       realloc, 5 id reused */
    uint32_t task;
} hs_lab_anomaly_row_t;

void hs_lab_summary(const hs_lab_reader_t *reader, hs_lab_summary_t *out);
size_t hs_lab_regions(const hs_lab_reader_t *reader, hs_lab_region_row_t *rows, size_t capacity);
size_t hs_lab_tasks(const hs_lab_reader_t *reader, hs_lab_task_row_t *rows, size_t capacity);
size_t hs_lab_capsets(const hs_lab_reader_t *reader, hs_lab_set_row_t *rows, size_t capacity);
size_t hs_lab_kinds(const hs_lab_reader_t *reader, hs_lab_set_row_t *rows, size_t capacity);
size_t hs_lab_needs(const hs_lab_reader_t *reader, hs_lab_need_row_t *rows, size_t capacity);
/* All failures up to HS_LAB_FAILURES_MAX, else a sample spread over the run, by event. */
size_t hs_lab_failures(const hs_lab_reader_t *reader, hs_lab_failure_row_t *rows, size_t capacity);
size_t hs_lab_failure_regions(const hs_lab_reader_t *reader, size_t failure,
                              hs_lab_failure_region_t *rows, size_t capacity);
/* Equal spans over the whole run, at most HS_LAB_FAILURE_SPANS; none where nothing failed. */
size_t hs_lab_failure_spans(const hs_lab_reader_t *reader, hs_lab_failure_span_t *rows,
                            size_t capacity);
/* One row a rule, and one more; none without rules. */
size_t hs_lab_rules(const hs_lab_reader_t *reader, hs_lab_rule_row_t *rows, size_t capacity);
size_t hs_lab_anomalies(const hs_lab_reader_t *reader, hs_lab_anomaly_row_t *rows, size_t capacity);
void hs_lab_explain(const hs_lab_reader_t *reader, hs_lab_explanation_t *out);
size_t hs_lab_explain_regions(const hs_lab_reader_t *reader, hs_lab_explanation_region_t *rows,
                              size_t capacity);
/* Marks, and every figure as it stood at one. */
size_t hs_lab_marks(const hs_lab_reader_t *reader, hs_lab_mark_row_t *rows, size_t capacity);
uint64_t hs_lab_marks_seen(const hs_lab_reader_t *reader); /* those beyond the maximum included */
size_t hs_lab_mark_regions(const hs_lab_reader_t *reader, size_t mark, hs_lab_region_row_t *rows,
                           size_t capacity);
size_t hs_lab_mark_tasks(const hs_lab_reader_t *reader, size_t mark, hs_lab_task_row_t *rows,
                         size_t capacity);
size_t hs_lab_mark_capsets(const hs_lab_reader_t *reader, size_t mark, hs_lab_set_row_t *rows,
                           size_t capacity);
/* cffi: end */

#endif
