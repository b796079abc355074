/*
 * The trace encoder: heap events to the bytes of format/SPEC.md. Freestanding C11, no allocation,
 * no libc; usable on a chip. Not reentrant: calls from several tasks need the caller's lock.
 */
#ifndef HEAPSCOPE_TRACE_H
#define HEAPSCOPE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"

#define HS_TRACE_VERSION 1

/* Feature bits of a trace; the low byte must be understood by a reader, the high byte may be
 * ignored. */
#define HS_TRACE_ADDRESSES 0x0001u /* blocks are known by address, otherwise by sequential id */
#define HS_TRACE_CLOCK 0x0002u     /* events carry a time */
#define HS_TRACE_SITES 0x0004u     /* allocations carry a site */
/* The low byte of a boot's identity, in the high byte: it distinguishes the chunks of two boots. */
#define HS_TRACE_BOOT(identity)                                                                    \
    ((uint16_t)((((identity) & 0xFFu) != 0 ? (identity) & 0xFFu : 0x80u) << 8))

/* Bytes of caller memory: at least this; more makes larger chunks (best near 65 000 on a host, 512
 * to 4096 on a chip). Aligned to 8. */
#define HS_TRACE_MEMORY_MIN 512u

#define HS_NAME_MAX 255u         /* bytes of a name; longer ones are cut */
#define HS_SITE_NAME_MAX 0xFFFFu /* bytes of a call site's name, which may come in pieces */

/* The key of a FREE or REALLOC, without addresses, of a block that never existed. */
#define HS_KEY_NONE UINT64_MAX

typedef enum hs_event_kind {
    HS_EVENT_MALLOC = 1,
    HS_EVENT_CALLOC = 2,
    HS_EVENT_ALIGNED = 3,
    HS_EVENT_REALLOC = 4,
    HS_EVENT_FREE = 5,
    HS_EVENT_FAILED = 6, /* a request that the recorded device could not serve */
    HS_EVENT_MARK = 7,
    HS_EVENT_TASK_START = 8,
    HS_EVENT_TASK_END = 9,
    HS_EVENT_LOST = 10, /* the recorder dropped `size` events here */
    HS_EVENT_POOL_CREATE = 11,
    HS_EVENT_POOL_GROW = 12,
    HS_EVENT_POOL_ALLOC = 13,
    HS_EVENT_POOL_RELEASE = 14,
    /* A recorder on a chip tells these besides (format/SPEC.md); the fields are those below. */
    HS_EVENT_LOST_KIND =
        15, /* key the kind; new_key events and size bytes of it that were lost in the
                                   recording so far, modulo 2^32 */
    HS_EVENT_TASK_ON = 16,  /* key task, new_key core, size 1: it is an interrupt */
    HS_EVENT_LEVEL = 17,    /* key level, heap reason, align_log2 sampling; the filter: size the
                                   least, new_key the most, site the task + 1, caps */
    HS_EVENT_PAIRS = 18,    /* key how many, new_key their peak; size, site, task, caps of each */
    HS_EVENT_SNAPSHOT = 19, /* key its number */
    HS_EVENT_LIVE = 20,     /* key address, size, site, new_key the snapshot's number; align_log2 1:
                                   task and caps are known */
    HS_EVENT_SNAPSHOT_END = 21, /* key its number, new_key blocks, size their bytes */
    HS_EVENT_REGION = 22,       /* key index, new_key start, size bytes, caps */
    HS_EVENT_FREE_MEMORY = 23   /* site the region's index, key free, new_key minimum, size largest;
                                   UINT64_MAX: unknown */
} hs_event_kind_t;

/* Kinds 1 to 6 are heap events; event numbers count these alone, from 0. */
#define HS_EVENT_IS_HEAP(kind) ((kind) >= HS_EVENT_MALLOC && (kind) <= HS_EVENT_FAILED)

typedef enum hs_name_table {
    HS_NAMES_TASK = 0,
    HS_NAMES_MARK = 1,
    HS_NAMES_SITE = 2,
    HS_NAMES_HEAP = 3,
    HS_NAMES_POOL = 4,
    HS_NAMES_REGION = 5,
    HS_NAMES_TABLES = 6 /* how many there are */
} hs_name_table_t;

#define HS_NAME_INDEX_MAX 0xFFFFFu /* largest index in a table */

/* One event, as the encoder takes it and the decoder gives it. */
typedef struct hs_event {
    uint64_t key;     /* heap events: the block (id, or address; FAILED: only of a realloc, else 0);
                         MARK: index of its name; TASK_*: the task; POOL_*: the pool */
    uint64_t new_key; /* REALLOC: the block afterwards (= key in traces without addresses);
                         FAILED: hs_event_kind_t of the call that failed;
                         POOL_CREATE: the increment, bytes */
    uint64_t size;    /* bytes asked for; FREE: 0; LOST: events; POOL_*: bytes */
    uint64_t time;    /* clock ticks since the trace's start; 0 without HS_TRACE_CLOCK */
    uint32_t task;    /* index of the task that called; 0 is "main" until named otherwise */
    uint32_t caps;    /* capabilities asked for; 0: malloc's own; FREE and no heap events: 0 */
    uint32_t site;    /* index of the call site; 0: unknown; FREE and no heap events: 0 */
    uint16_t heap;    /* index of the private heap; 0: the system's; no heap events: 0 */
    uint8_t kind;     /* hs_event_kind_t */
    uint8_t align_log2; /* ALIGNED, FAILED: at most 31; others: 0 */
} hs_event_t;

/* Takes one finished chunk; anything but HS_OK stops the encoder: every later call returns it. */
typedef hs_status_t (*hs_trace_sink_t)(void *context, const uint8_t *bytes, size_t count);

typedef struct hs_trace_config {
    uint16_t features;
    uint8_t address_shift; /* addresses are multiples of 1 << shift, 0 to 15; chips: 2 */
    hs_trace_sink_t sink;
    void *context;
} hs_trace_config_t;

typedef struct hs_trace hs_trace_t;

/* Opens an encoder inside `memory`, which stays the caller's and must last as long as the encoder is
 * used. NULL: memory too small or unaligned, or config invalid. O(1). */
hs_trace_t *hs_trace_open(void *memory, size_t size, const hs_trace_config_t *config);

/* Adds one fact about the trace's origin (keys: format/SPEC.md). After the first event it comes in a
 * chunk of its own, which ends the one before. HS_ERR_ARGUMENT: longer than a chunk, or a key of 0 or
 * over 255 bytes. */
hs_status_t hs_trace_metadata(hs_trace_t *trace, const char *key, const char *value);

/* Gives an index of a table its name (`length` bytes of UTF-8, cut at HS_NAME_MAX). May be repeated
 * at any time; the last one holds. */
hs_status_t hs_trace_name(hs_trace_t *trace, hs_name_table_t table, uint32_t index,
                          const char *name, size_t length);

/* Names a call site: a stack, the outermost caller first, ';' between its frames. A name longer than
 * HS_NAME_MAX is written in pieces, the allocating function's first; of one longer than
 * HS_SITE_NAME_MAX the frames nearest the root are left out. O(length). */
hs_status_t hs_trace_site(hs_trace_t *trace, uint32_t index, const char *name, size_t length);

/* The id that the next allocation of a trace without addresses must carry as its key. */
uint64_t hs_trace_next_id(const hs_trace_t *trace);

/* Appends one event. O(1); when the buffer is full also writes a chunk to the sink, O(buffer) for its
 * CRC (about 10 cycles a byte). Fields that the kind does not have are ignored. Time going backwards
 * is taken as standing still. A FAILED request takes no id. HS_ERR_ARGUMENT: the event does not fit the trace's features (wrong
 * id, address off the shift, unknown kind); it is not written and the encoder goes on. */
hs_status_t hs_trace_event(hs_trace_t *trace, const hs_event_t *event);

/* Writes the buffered events as a chunk now (a live view wants them early). */
hs_status_t hs_trace_flush(hs_trace_t *trace);

/* Flushes and writes the end chunk, by which a reader knows that nothing was cut off. */
hs_status_t hs_trace_close(hs_trace_t *trace);

#endif
