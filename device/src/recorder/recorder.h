/* The recorder's state. Private. */
#ifndef HEAPSCOPE_RECORDER_STATE_H
#define HEAPSCOPE_RECORDER_STATE_H

#include "emit.h"
#include "ring.h"

/* Why a hook must look twice: bits of `gate`. */
#define HS_GATE_SAMPLED 1u
#define HS_GATE_FAILURES 2u
#define HS_GATE_FILTER 4u

/* Reasons of a LEVEL event (format/SPEC.md). */
enum { HS_REASON_START = 0, HS_REASON_COMMAND = 1, HS_REASON_FULL = 2, HS_REASON_EMPTY = 3 };

/* Whoever is known by a word of the chip: a task by its handle, a mark by its name's address. */
typedef struct hs_known {
    uintptr_t handle; /* 0: none */
    uint16_t index;   /* in the trace */
    uint8_t where;    /* tasks: core << 1 | interrupt, as was reported last; 0xFF: not yet */
} hs_known_t;

#define HS_MARKS_KNOWN 4u
#define HS_MARK_NAME_BYTES 31u

typedef struct hs_knowns {
    uint16_t next; /* index of who comes next */
    uint8_t turn;  /* place of who is forgotten next */
    uint8_t last;  /* place of who was asked for last */
} hs_knowns_t;

/* Call sites, in sets of two places. */
typedef struct hs_sites {
    hs_callers_t callers[HS_RECORDER_SITES];
    uint16_t index[HS_RECORDER_SITES];
    uint16_t next;
} hs_sites_t;

/* Pairs of one kind. */
typedef struct hs_pairs {
    hs_callers_t callers;
    uintptr_t task;
    uint32_t size;
    uint32_t caps;
    uint32_t first; /* number of the first allocation that was counted */
    uint16_t count; /* 0: the place is empty */
    uint16_t live;  /* where the drain is */
    uint16_t peak;
    uint8_t where;
} hs_pairs_t;

/* Where a snapshot is. */
enum {
    HS_SNAPSHOT_NONE = 0,
    HS_SNAPSHOT_FACTS, /* metadata */
    HS_SNAPSHOT_TASKS, /* names */
    HS_SNAPSHOT_SITES,
#if HS_RECORDER_PROGRAM
    HS_SNAPSHOT_MARKS,
#endif
    HS_SNAPSHOT_REGIONS,
    HS_SNAPSHOT_BEFORE, /* the events before it are being written */
    HS_SNAPSHOT_BLOCKS, /* the walk */
    HS_SNAPSHOT_AFTER   /* the events until its end are being written */
};

typedef struct hs_snapshot {
    uint32_t number;
    uint32_t blocks;
    uint32_t bytes;
    uintptr_t after;                   /* the walk's place */
    uint32_t last;                     /* time of the last one */
    uint32_t bound[HS_RECORDER_CORES]; /* records that must be written first */
    uint16_t step;                     /* within the phase */
    uint8_t phase;
    uint8_t wanted; /* another one, at once */
} hs_snapshot_t;

/* The chunk that the sink has not taken whole: its bytes are the encoder's. */
typedef struct hs_output {
    uint16_t count;
    uint16_t sent;
    uint8_t broken;
} hs_output_t;

/* The events that are not in the trace, as it has told them so far. */
typedef struct hs_reported {
    uint32_t events[HS_LOST_KINDS];
    uint32_t bytes[HS_MISSING_KINDS];
    uint32_t full; /* of the events, those that found no place */
} hs_reported_t;

/* Figures of hs_recorder_figures() that are counted here. */
typedef struct hs_counts {
    uint32_t events;
    uint32_t snapshots;
    uint32_t chunks;
} hs_counts_t;

/* The drain has this for each ring. */
typedef struct hs_reading {
    uint32_t paired; /* records that were looked at for pairs */
    uint32_t missed; /* of the ring's `missed`, told */
} hs_reading_t;

#define HS_PENDING 32u /* allocations that may yet become pairs: a power of two */

struct hs_recorder {
    /* of the hooks */
    uint32_t gate;
    uint32_t sequence; /* the next number */
    hs_ring_t rings[HS_RECORDER_CORES];
#if HS_RECORDER_LEVELS
    hs_recorder_filter_t filter; /* size_max is never 0 here */
    uint32_t sampled_bits;       /* of the mixed address, which are 0 in samples */
    uint8_t address_shift;
#endif

    /* of the drain */
    uint8_t level;  /* that holds */
    uint8_t lowest; /* that was asked for */
    bool level_due; /* the change did not find a place in the ring yet */
    uint8_t reason;
    uint8_t calm;    /* drains in a row that found the rings nearly empty */
    uint8_t partial; /* 1: events are left out here, which a LOST has said */
    uint32_t next;   /* number of the record that comes next */
    uint32_t boot;   /* whose records are being written */
    const hs_recorder_config_t *config;
    hs_emit_t emit;
    hs_reading_t reading[HS_RECORDER_CORES];
    hs_reported_t reported;
    hs_output_t output;
    hs_snapshot_t snapshot;
    hs_counts_t counts;
    hs_knowns_t task_state;
    hs_known_t tasks[HS_RECORDER_TASKS];
    hs_sites_t sites;
#if HS_RECORDER_PROGRAM
    hs_knowns_t mark_state;
    hs_known_t marks[HS_MARKS_KNOWN];
#endif
#if HS_RECORDER_PAIRS
    uint32_t last_heads;  /* of all rings together, at the drain before */
    uint32_t paired_next; /* number of the record that is to be looked at for pairs */
    hs_pairs_t pairs[HS_RECORDER_PAIRS];
    uint16_t pending[HS_PENDING]; /* low bits of a position + 1; 0: none */
#endif
#if HS_RECORDER_BLACK_BOX
    uint8_t old; /* HS_OLD_*: the records in front of `boundary` are the last boot's; 0: none are */
    uint32_t boundary;
    uint32_t old_before; /* events in front of them */
    uint32_t check[4];
#endif
};

/* Whether records of the last boot are being written. */
static inline bool hs_recorder_is_old(const hs_recorder_t *recorder)
{
#if HS_RECORDER_BLACK_BOX
    return recorder->old != 0;
#else
    (void)recorder;
    return false;
#endif
}

#if HS_RECORDER_LEVELS
/* Whether an address is one of those of HS_LEVEL_SAMPLED. `address` is shifted inside. */
static inline bool hs_recorder_sampled(const hs_recorder_t *recorder, uintptr_t address)
{
    const uint32_t mixed = (uint32_t)(address >> recorder->address_shift) * UINT32_C(2654435761);
    return (mixed & recorder->sampled_bits) == 0;
}

/* hook.c: puts a LEVEL record, and closes or opens the gate. False: the ring is full. */
bool hs_recorder_level_put(hs_recorder_t *recorder, uint32_t gate);
#endif

/* Writes an extension, with its time where it has one. */
static inline void hs_recorder_say(hs_recorder_t *recorder, unsigned sub_kind,
                                   const hs_number_t *numbers, unsigned count)
{
    const bool stamped = sub_kind != HS_EXTENSION_TASK_ON && sub_kind != HS_EXTENSION_REGION &&
                         sub_kind != HS_EXTENSION_LOST_KIND && sub_kind != HS_EXTENSION_LIVE;
    hs_emit_extension(&recorder->emit, sub_kind, stamped, numbers, count);
}

/* output.c: true when nothing of a chunk is left to be sent; tries it before it answers. */
bool hs_recorder_sent(hs_recorder_t *recorder);
/* True when `need` bytes fit in the open chunk, of that kind, or none is open; ends it otherwise. */
bool hs_recorder_ready(hs_recorder_t *recorder, unsigned kind, size_t need);
/* The encoder's sink. */
hs_status_t hs_recorder_take_chunk(void *recorder, const uint8_t *bytes, size_t count);

/* names.c: what a name of a task or a call site takes in a chunk, with TASK_ON. */
#define HS_NAMES_NEED                                                                              \
    (HS_EMIT_EXTENSION_MAX(2) + 2u * 9u + HS_MARK_NAME_BYTES +                                     \
     HS_RECORDER_CALLERS * (3u + 2u * sizeof(uintptr_t))) /* more than a mark's name takes */
/* The index of the task or site. Who is new is named in the trace; HS_NO_ROOM: none for it yet. */
#define HS_NO_ROOM UINT32_MAX
uint32_t hs_recorder_task(hs_recorder_t *recorder, uintptr_t handle, unsigned where);
uint32_t hs_recorder_site(hs_recorder_t *recorder, const uintptr_t *callers);
#if HS_RECORDER_PROGRAM
/* The index of a mark, for whose name HS_NAMES_NEED bytes are there. */
uint32_t hs_recorder_mark_index(hs_recorder_t *recorder, uintptr_t name);
#endif
/* The place of a handle; NULL: it is not known. */
hs_known_t *hs_recorder_known(hs_known_t *from, unsigned count, uintptr_t handle);
/* Begins and ends a task. */
uint32_t hs_recorder_task_begin(hs_recorder_t *recorder, uintptr_t handle, const char *name);
uint32_t hs_recorder_task_end(hs_recorder_t *recorder, uintptr_t handle);
/* Writes a name of at most `limit` bytes, for which there is room; NULL: the empty one. */
void hs_recorder_name(hs_recorder_t *recorder, unsigned table, uint32_t index, const char *name,
                      size_t limit);
/* Names a place of a table again, for a listener who comes late. */
void hs_recorder_task_again(hs_recorder_t *recorder, unsigned place);
void hs_recorder_site_again(hs_recorder_t *recorder, unsigned place);
void hs_recorder_mark_again(hs_recorder_t *recorder, unsigned place);

#if HS_RECORDER_PAIRS
/* pairs.c: cancels what was allocated and freed within the rings. */
void hs_recorder_pairs_find(hs_recorder_t *recorder);
/* Counts a record that was cancelled. False: there is no room for it yet. */
bool hs_recorder_pairs_count(hs_recorder_t *recorder, const uintptr_t *record, unsigned where);
/* Writes what was counted. False: not all of it. */
bool hs_recorder_pairs_write(hs_recorder_t *recorder);
#endif

/* snapshot.c: begins a snapshot when it is due, and goes on with the one that is under way. False: there
 * is no room yet. */
bool hs_recorder_snapshot_go(hs_recorder_t *recorder);
/* The events before SNAPSHOT, or before SNAPSHOT_END, may all be written now. False: no room yet. */
bool hs_recorder_snapshot_pass(hs_recorder_t *recorder);
/* The snapshot under way is void: it begins anew. */
void hs_recorder_snapshot_void(hs_recorder_t *recorder);
/* facts.c: metadata by number; false: there are no more. */
#define HS_FACT_KEY_BYTES 13u /* with the zero */
typedef struct hs_fact_text {
    const char *key;
    const char *text; /* NULL: there is nothing to say */
    char digits[12];
} hs_fact_text_t;
bool hs_recorder_fact(const hs_recorder_t *recorder, unsigned number, hs_fact_text_t *out);

/* drain.c: the ring whose record at `positions` has that number; HS_RECORDER_CORES: none has it yet. */
unsigned hs_recorder_ring_of(const hs_recorder_t *recorder, const uint32_t *positions,
                             uint32_t number);

/* losses.c: writes what is missing and was not reported. False: there is no room yet. */
bool hs_recorder_losses_tell(hs_recorder_t *recorder, bool all);
#define HS_KINDS_NEED (HS_LOST_KINDS * (3u + 1u + 2u * 5u)) /* most take a few bytes */
/* Repeats all that was reported, for a receiver that has lost some of it. There is room. */
void hs_recorder_kinds_tell(hs_recorder_t *recorder);

/* recorder.c: opens the encoder for the boot that `recorder` says. */
void hs_recorder_trace_open(hs_recorder_t *recorder);

/* black_box.c: what the last boot left. */
typedef struct hs_old {
    uint32_t head[HS_RECORDER_CORES];
    uint32_t tail[HS_RECORDER_CORES];
    uint32_t boundary; /* the number after its last record */
    uint32_t next;     /* the number of the first that is sent */
    uint32_t before;   /* how many there were in front of that */
    uint32_t clock;    /* of that */
    uint32_t boot;     /* 0: nothing was left */
} hs_old_t;

enum { HS_OLD_OPEN = 1, HS_OLD_CLOSED = 2 };

#if HS_RECORDER_BLACK_BOX
/* Looks for records of the last boot in a memory of that layout. O(places). */
void hs_recorder_old_find(const hs_recorder_t *recorder, uint32_t places, uintptr_t *rings,
                          const hs_recorder_config_t *config, hs_old_t *out);
/* Signs the memory, so that the next boot finds it. */
void hs_recorder_old_leave(hs_recorder_t *recorder, const hs_recorder_config_t *config);
/* How many records the drain may take: the old ones alone, until their recording is ended. */
size_t hs_recorder_old_left(hs_recorder_t *recorder, size_t events);
/* Says how many events came in front of the old records. False: no room yet. */
bool hs_recorder_old_begin(hs_recorder_t *recorder);
#endif

#if HS_RECORDER_LEVELS
/* levels.c: the gate that a level and a filter need; chooses the level by the rings' fill. */
uint32_t hs_recorder_gate_of(const hs_recorder_t *recorder);
void hs_recorder_level_follow(hs_recorder_t *recorder);
#endif

#endif
