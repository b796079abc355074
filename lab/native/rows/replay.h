/* The configuration of a replay, and the rows that it gives. */
#ifndef HEAPSCOPE_ROWS_REPLAY_H
#define HEAPSCOPE_ROWS_REPLAY_H

#include "rows/trace.h"

/* cffi: begin */
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

/* A block of a heap as it stands. */
typedef struct hs_lab_held {
    uint32_t address, size; /* raw payload: what poisoning puts around it is counted in */
    uint32_t used;          /* 1: it is used; 0: it is a hole */
} hs_lab_held_t;

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
    /* A region with our own allocator on a chip (device/include/heapscope/regions.h). 1: in the
     * table of its set of regions; 2: there, a start-up stack; 3: added later, the last one first in
     * the list. 0: a heap alone, without a set. */
    uint32_t in_set;
    /* All blocks of a heap of ESP-IDF that is not new, by address; 0: it is new. Its used ones count
     * as start-up use. `holes`: addresses of the holes that TLSF takes first, those of one size class in
     * this order; of the others it takes the highest first. */
    const hs_lab_held_t *blocks;
    uint32_t block_count;
    const uint32_t *holes;
    uint32_t hole_count;
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
    uint32_t regions;            /* by bit; asked in list order; 0: the capabilities decide */
    uint32_t fallback; /* 1: when they have no room, the capabilities decide; 0: it fails */
    uint32_t high;     /* 1: from the high end of a free block, where a heap has two ends */
} hs_lab_rule_t;

/* The rules, by bit, that hold for one task, site or heap of the trace. */
typedef struct hs_lab_rule_name {
    uint64_t rules;
    uint32_t index; /* at most HS_NAME_INDEX_MAX */
} hs_lab_rule_name_t;

typedef struct hs_lab_rule_names {
    const hs_lab_rule_name_t *names;
    uint32_t name_count;
    uint64_t others; /* the rules of every other index */
} hs_lab_rule_names_t;

/* Blocks of the system itself, `count` of `size` bytes each. The heaps hold them when the first event
 * comes, and to the end. */
typedef struct hs_lab_tenant {
    uint32_t size, count;
    uint32_t caps; /* 0: malloc's own rule */
    uint32_t task; /* index; no task of the trace has it, but where it is the same one */
    char name[32]; /* of the task */
} hs_lab_tenant_t;

/* Alignments that the hardware wants of some requests (device/src/regions/hardware.h); all 0: none. */
typedef struct hs_lab_hardware {
    uint32_t internal, external, axi, simd, encrypted;
} hs_lab_hardware_t;

typedef struct hs_lab_config {
    const hs_lab_region_t *regions; /* in the order in which the allocator tries them */
    uint32_t region_count;
    /* malloc(n): n <= threshold asks small_caps, above it large_caps; then fallback_caps (0: none) */
    uint32_t malloc_threshold, malloc_small_caps, malloc_large_caps, malloc_fallback_caps;
    uint32_t request_max; /* larger requests fail before any heap is asked; 0: no such rule */
    hs_lab_hardware_t hardware;
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
    const hs_lab_tenant_t *tenants; /* in the order of their requests */
    uint32_t tenant_count;
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

/* How a replay ended. *_event: the event number of the first; HS_LAB_NEVER: none. */
typedef struct hs_lab_summary {
    uint64_t digest, results, failures, first_failure_event;
    uint64_t zero_requests;         /* size 0: NULL by contract, no failure counted */
    uint64_t skipped;               /* events on a block whose allocation failed here */
    uint64_t recorded_failures;     /* FAILED events of the trace */
    uint64_t recorded_failures_fit; /* of them, requests that would have fitted here */
    uint64_t unknown_frees, double_frees, dead_reallocs, refused_reallocs, reused_ids;
    uint64_t address_compared, address_matched; /* traces with addresses only */
    uint64_t begun_blocks;                      /* of the snapshot that it begins with */
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

/* The decisions of one rule; the last row: of no rule. Bytes are payload as asked for. */
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

#define HS_LAB_ANOMALY_UNKNOWN_FREE 1
#define HS_LAB_ANOMALY_DOUBLE_FREE 2
#define HS_LAB_ANOMALY_DEAD_REALLOC 3
#define HS_LAB_ANOMALY_REFUSED_REALLOC 4 /* this allocator cannot move the block */
#define HS_LAB_ANOMALY_REUSED_ID 5       /* a live block's identity is given to a new one */

typedef struct hs_lab_anomaly_row {
    uint64_t event, key;
    uint32_t what; /* HS_LAB_ANOMALY_* */
    uint32_t task;
} hs_lab_anomaly_row_t;

/* The timeline: equal buckets of heap events, each with the least and the most of every series.
 * Series: 0 live payload; 1 largest_allocatable for malloc; 2.. free of each region; then payload of
 * each task in the order of first use (those beyond HS_LAB_SERIES_MAX are not kept). */
typedef struct hs_lab_timeline {
    uint64_t width; /* heap events a bucket */
    uint32_t buckets, series, regions, tasks;
} hs_lab_timeline_t;
/* cffi: end */

#endif
