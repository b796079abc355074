/*
 * The recorder: what a program asks of its heap, on the chip, as a trace that can be sent while the
 * program runs.
 *
 *   hooks --records--> a ring for each core --drain--> chunks of a trace --> your sink
 *
 * A hook puts one record of fixed size into the ring of its core. It never waits, allocates or takes a
 * lock that another core holds; it may run in interrupts, and with the flash cache off where
 * HS_RECORDER_CODE places it (recorder_port.h). The drain is called by one task, or from the idle loop.
 * All memory is the caller's. docs/design/recorder.md says why it is so, docs/guide/recorder.md how it
 * is built into a firmware; the bytes that come out are those of format/SPEC.md.
 *
 * Order. Events stand in the trace in the order in which their hooks took a number. Call
 * hs_recorder_freed before the block is given back, everything else after the heap has answered, or
 * call all inside the heap's lock: then no block has an address that another live one has.
 */
#ifndef HEAPSCOPE_RECORDER_H
#define HEAPSCOPE_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "heapscope/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Return addresses kept of each request, 1 to 4. More than one takes four words more a record. */
#ifndef HS_RECORDER_CALLERS
#define HS_RECORDER_CALLERS 1
#endif

/* Cores, each of which has a ring: 1 to 4. */
#ifndef HS_RECORDER_CORES
#define HS_RECORDER_CORES 1
#endif

/* Tasks and call sites that are known at one time. With more of them the trace gets longer, not wrong:
 * who is forgotten is named again. */
#ifndef HS_RECORDER_TASKS
#define HS_RECORDER_TASKS 8
#endif
#ifndef HS_RECORDER_SITES
#define HS_RECORDER_SITES 32 /* a power of two */
#endif

/* Kinds of pairs (call site and size) that are counted at one time, at HS_LEVEL_PAIRS; 0: that level is
 * as HS_LEVEL_ALL, and its code is left out. */
#ifndef HS_RECORDER_PAIRS
#define HS_RECORDER_PAIRS 4
#endif

/* Parts that a firmware may do without. 0 takes away their functions, their code and their memory: levels
 * and filters; the black box; snapshots of the live blocks; what a program tells of itself, which is
 * marks, the beginnings and ends of tasks, and pools. All files that see this header must agree. */
#ifndef HS_RECORDER_LEVELS
#define HS_RECORDER_LEVELS 1
#endif
#ifndef HS_RECORDER_BLACK_BOX
#define HS_RECORDER_BLACK_BOX 1
#endif
#ifndef HS_RECORDER_SNAPSHOTS
#define HS_RECORDER_SNAPSHOTS 1
#endif
#ifndef HS_RECORDER_PROGRAM
#define HS_RECORDER_PROGRAM 1
#endif

#if HS_RECORDER_PAIRS && !HS_RECORDER_LEVELS
#error "HS_RECORDER_PAIRS is a level: without HS_RECORDER_LEVELS it must be 0"
#endif

/* The size of a record in a ring. */
#define HS_RECORDER_RECORD_WORDS (HS_RECORDER_CALLERS == 1 ? 8u : 12u)
#define HS_RECORDER_RECORD_BYTES (sizeof(uintptr_t) * HS_RECORDER_RECORD_WORDS)

typedef struct hs_recorder hs_recorder_t;

/* The call stack of a request, innermost return address first; 0: there are no more. */
typedef struct hs_callers {
    uintptr_t at[HS_RECORDER_CALLERS];
} hs_callers_t;

/* The stack of one frame that every compiler knows: who called the function that this stands in. */
#define HS_RECORDER_CALLER ((hs_callers_t){{(uintptr_t)__builtin_return_address(0)}})

/* ---- levels ---- */

typedef enum hs_recorder_level {
    HS_LEVEL_ALL = 0,   /* every event */
    HS_LEVEL_PAIRS = 1, /* an allocation that is freed while its record is in the ring is counted by
                             call site and size, with the most that were live at once */
    HS_LEVEL_SAMPLED =
        2, /* of one address in 2^sampling all events; of the others failed requests */
    HS_LEVEL_FAILURES = 3 /* failed requests, marks, tasks and snapshots */
} hs_recorder_level_t;

/* Which allocations are recorded. Frees and reallocations are recorded whatever the filter, as nothing
 * in them tells whose block it is; and failed requests. All zero: everything. */
typedef struct hs_recorder_filter {
    uint32_t size_min;
    uint32_t size_max; /* 0: no bound */
    uintptr_t task;    /* handle; 0: every task */
    uint32_t caps;     /* all of these bits must have been asked for */
} hs_recorder_filter_t;

/* ---- what the recorder asks of its user ---- */

/* Takes up to `count` bytes, returns how many; 0: none now. Called by the drain alone. It must not wait
 * for longer than the drain's task may. HS_SINK_BROKEN: the line is cut; the recorder asks again at
 * each drain, and when bytes are taken once more it begins with what a new listener needs. */
#define HS_SINK_BROKEN SIZE_MAX
typedef size_t (*hs_recorder_write_t)(void *context, const uint8_t *bytes, size_t count);

/* A live block, as a walk of the heap sees it. */
typedef struct hs_recorder_block {
    uintptr_t address;
    uint32_t size;
    uintptr_t task; /* handle of the owner; 0: unknown */
    uint32_t caps;
} hs_recorder_block_t;

/* Fills in the live blocks with the lowest addresses above `after`, ascending, at most `capacity`;
 * returns how many; 0: there are no more. Each call sees a state of the heap that was (it takes the
 * heap's lock); between calls the program runs. */
typedef size_t (*hs_recorder_walk_t)(void *context, uintptr_t after, hs_recorder_block_t *out,
                                     size_t capacity);

#define HS_RECORDER_UNKNOWN UINT32_MAX

/* A region of memory with what the heap says of it; HS_RECORDER_UNKNOWN: it does not say. */
typedef struct hs_recorder_region {
    const char *name;
    uintptr_t start;
    uint32_t size;
    uint32_t caps;
    uint32_t free;
    uint32_t minimum; /* the least that was free */
    uint32_t largest; /* free block */
} hs_recorder_region_t;

/* Fills in region `index`; false: there are no more. */
typedef bool (*hs_recorder_region_of_t)(void *context, unsigned index, hs_recorder_region_t *out);

/* The name of a task by its handle, or NULL. Called by the drain at the task's first event. */
typedef const char *(*hs_recorder_task_name_t)(void *context, uintptr_t task);

typedef struct hs_recorder_config {
    hs_recorder_write_t write;
    hs_recorder_walk_t walk;           /* NULL: snapshots have no blocks, and are not taken */
    hs_recorder_region_of_t region;    /* NULL: snapshots have no regions */
    hs_recorder_task_name_t task_name; /* NULL: tasks are known by number */
    void *context;                     /* of these four */
    const char *chip;                  /* metadata, each may be NULL: "esp32c3" */
    const char *sdk;                   /* "esp-idf v5.5" */
    const char *program;               /* name and release of the firmware */
    uint32_t boot;             /* identity of this boot: a counter or a random number, not 0 */
    const char *reset;         /* why the chip was reset: "power on", "panic" */
    uint32_t clock_hz;         /* of HS_RECORDER_CLOCK(), after clock_shift */
    uint8_t clock_shift;       /* the clock is divided by 2^clock_shift */
    uint8_t address_shift;     /* addresses are multiples of 2^address_shift: 2 */
    uint8_t sampling;          /* 0 to 15, of HS_LEVEL_SAMPLED */
    bool walked_sizes;         /* the walk tells what blocks hold, not what was asked for */
    bool late;                 /* the heap has blocks already, of which only a walk could tell */
    bool automatic;            /* the level follows the fill of the rings, see below */
    bool black_box;            /* the memory survives a reset: see hs_recorder_open */
    hs_recorder_level_t level; /* to begin with, and the lowest that `automatic` chooses */
    uint32_t snapshot_ticks;   /* a snapshot every so often; 0: at the start, after gaps and
                                            when asked for */
} hs_recorder_config_t;

/* ---- life ---- */

/* Bytes that a recorder takes before its rings. */
size_t hs_recorder_overhead(void);

/* Opens a recorder in `memory` (aligned to 8), which must last as long as it, as must `config`: what is left after
 * hs_recorder_overhead() is divided among the cores, each share rounded down to a power of two of
 * records (at least 16). NULL: too small, unaligned, or the configuration is invalid. O(1).
 *
 * With black_box and a memory that the linker keeps out of zeroing (.noinit), a recorder that the last
 * boot left there is found again by its check word: the newest events of its rings, at most half of
 * them, are sent first, as a recording of their own with the identity of their boot. Anything else that the
 * memory holds is not used. */
hs_recorder_t *hs_recorder_open(void *memory, size_t size, const hs_recorder_config_t *config);

/* ---- hooks: from any task, core or interrupt. Each is O(1) ---- */

/* A request was served; block NULL: it failed. `kind`: HS_EVENT_MALLOC or HS_EVENT_CALLOC. */
void hs_recorder_allocated(hs_recorder_t *recorder, hs_event_kind_t kind, const void *block,
                           size_t size, uint32_t caps, hs_callers_t callers);
void hs_recorder_aligned(hs_recorder_t *recorder, const void *block, size_t size,
                         unsigned align_log2, uint32_t caps, hs_callers_t callers);

/* realloc(before, size) gave `after`: one event, of the kind that it was: with `before` NULL a malloc,
 * with `size` 0 a free, with `after` NULL a failed request. */
void hs_recorder_reallocated(hs_recorder_t *recorder, const void *before, const void *after,
                             size_t size, uint32_t caps, hs_callers_t callers);

/* The block is about to be given back. NULL: nothing happens. */
void hs_recorder_freed(hs_recorder_t *recorder, const void *block);

/* A request that the heap could not serve, where only a callback tells. `call`: HS_EVENT_MALLOC to
 * HS_EVENT_REALLOC. */
void hs_recorder_failed(hs_recorder_t *recorder, hs_event_kind_t call, size_t size, uint32_t caps,
                        hs_callers_t callers);

#if HS_RECORDER_PROGRAM
/* A named point. `name` is not copied: a literal. */
void hs_recorder_mark(hs_recorder_t *recorder, const char *name);

/* A task began or ended; `name` is copied, 15 bytes of it. */
void hs_recorder_task_started(hs_recorder_t *recorder, const void *task, const char *name);
void hs_recorder_task_ended(hs_recorder_t *recorder, const void *task);

/* Pools, by number (0 to 65535): made of `size` bytes, growing by `increment`; grown; asked for
 * `size`; given back. `kind`: HS_EVENT_POOL_CREATE to HS_EVENT_POOL_RELEASE. */
void hs_recorder_pool(hs_recorder_t *recorder, hs_event_kind_t kind, unsigned pool, size_t size,
                      size_t increment);
#endif

/* ---- drain: one task at a time ---- */

/* Takes at most `events` records out of the rings, in their order, and hands finished chunks to the
 * sink. Returns how many it took; 0: no more, or the sink takes nothing. Never waits. */
size_t hs_recorder_drain(hs_recorder_t *recorder, size_t events);

/* Finishes the open chunk, so that a listener sees now what was taken. */
hs_status_t hs_recorder_flush(hs_recorder_t *recorder);

/* ---- commands, from the drain's task ---- */

#if HS_RECORDER_LEVELS
/* From the next event on. Each switch is an event of the trace. With `automatic`, full rings still
 * raise the level, never below this one. */
void hs_recorder_level_set(hs_recorder_t *recorder, hs_recorder_level_t level);
void hs_recorder_filter_set(hs_recorder_t *recorder, const hs_recorder_filter_t *filter);
#endif

/* Asks for a snapshot; the next drains take it. */
void hs_recorder_snapshot(hs_recorder_t *recorder);

/* Someone listens from now on who may have heard nothing so far: sends again the metadata, the names,
 * and a snapshot. */
void hs_recorder_joined(hs_recorder_t *recorder);

/* Events and bytes that were left out since the start because a ring was full. */
typedef struct hs_recorder_figures {
    uint32_t events;    /* taken out of the rings */
    uint32_t lost;      /* found a ring full */
    uint32_t left_out;  /* by level or filter */
    uint32_t cancelled; /* pairs */
    uint32_t snapshots; /* finished */
    uint32_t chunks;    /* taken by the sink */
    hs_recorder_level_t level;
} hs_recorder_figures_t;

void hs_recorder_figures(const hs_recorder_t *recorder, hs_recorder_figures_t *out);

#ifdef __cplusplus
}
#endif

#endif
