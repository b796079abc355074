/*
 * One recorded image (what a process runs between two execs) as a trace: the records of its ring in
 * their order, addresses turned into block ids, threads into tasks by their names. Bytes of the
 * finished chunks are taken from a buffer.
 */
#ifndef HEAPSCOPE_RECORD_IMAGE_H
#define HEAPSCOPE_RECORD_IMAGE_H

#include "../shared.h"
#include "blocks.h"
#include "capture/name_index.h"
#include "heapscope/trace.h"
#include "queue/queue.h"

#define HS_REC_CHUNK_MEMORY 65000u
#define HS_REC_TEXT_MAX 1024u

/* A thread of the program. */
typedef struct hs_rec_worker {
    uint32_t task;         /* of its events */
    uint32_t own_task;     /* by the thread's name */
    uint64_t handle;       /* its pthread_t */
    hs_rec_block_t moving; /* between the two records of a realloc */
    uint32_t moves;        /* 1: `moving` holds; 2: but the trace has it as freed */
    uint32_t text_length;
    char *text; /* HS_REC_TEXT_MAX bytes, once there was any */
} hs_rec_worker_t;

/* The threads that had a name. One that has the handle of an earlier one came after its end. */
typedef struct hs_rec_named {
    uint64_t handle;
    uint32_t name, task; /* the task of the first with this name; this one's */
} hs_rec_named_t;

typedef struct hs_rec_counts {
    uint64_t events; /* heap events written */
    uint64_t live, live_blocks;
    uint64_t live_peak; /* before the first loss */
    uint64_t lost;      /* records that the program dropped, or that were never written */
    uint64_t unknown;   /* frees and reallocs of blocks that were not recorded */
    uint64_t whole_events, whole_peak; /* in the chunks that are finished */
    uint64_t implied; /* frees that are not recorded, of blocks whose address was given again */
    uint64_t inherited;
    uint64_t left_out; /* calls of the other heap */
    uint64_t written;  /* bytes of the trace */
} hs_rec_counts_t;

#define HS_REC_STACK_NUMBERS ((size_t)1 << 20) /* that a program gives, in no order */

#define HS_REC_SPAN ((size_t)3)

/* A stack by its places in files, and its site. */
typedef struct hs_rec_stack_key {
    uint64_t key; /* 0: none */
    uint32_t site;
} hs_rec_stack_key_t;

/* Stacks and modules, kept for whoever finds their names. */
typedef struct hs_rec_stacks {
    uint32_t *sites; /* by the program's number: index of the site, from 1; 0: not seen yet */
    uint64_t *frames;
    size_t frame_count, frame_capacity;
    uint32_t *spans; /* by site, HS_REC_SPAN each: where its frames begin, how many they are, and
                        how many modules were known then */
    size_t count, capacity;
    hs_rec_stack_key_t *keys; /* open addressing by key */
    size_t key_count, key_slots;
} hs_rec_stacks_t;

typedef struct hs_rec_module {
    uint64_t start, size, file_offset;
    uint64_t path_key;
    char path[HS_REC_TEXT_MAX];
} hs_rec_module_t;

typedef struct hs_rec_image {
    hs_trace_t *trace;
    hs_status_t status; /* the first that was not HS_OK: host memory */
    hs_rec_blocks_t blocks;
    hs_name_index_t tasks, marks, pools;
    hs_rec_worker_t *workers;
    size_t worker_count;
    hs_rec_named_t *named;
    size_t named_count, named_capacity;
    hs_rec_counts_t counts;
    uint64_t time; /* of what follows, microseconds */
    uint32_t pid, word_size, forked, addresses;
    uint32_t begun_late; /* 1: its heap had blocks that nobody knows */
    uint32_t cut;        /* 1: the recording ended before the process did */
    uint32_t
        overwritten; /* 1: the program wrote over the recorder's memory; its trace ends there */
    bool paused, started;     /* its events are not in the trace now; they were, once */
    uint64_t hidden;          /* the next id of a block that the trace does not have */
    hs_rec_block_t *reported; /* while paused: the trace's live blocks, by id */
    size_t reported_count;
    uint32_t moving; /* threads between the two records of a realloc */
    char program[512], libc[32];
    hs_rec_stacks_t stacks;
    hs_rec_module_t *modules;
    size_t module_count, module_capacity;
    hs_queue_t ready; /* finished bytes */
    /* The encoder's. uint64_t alone may lie on a word of 32 bits. */
    _Alignas(8) uint64_t memory[(HS_REC_CHUNK_MEMORY + 7) / 8];
} hs_rec_image_t;

/* Where the trace came from, for its metadata. */
typedef struct hs_rec_origin {
    const char *recorder; /* program and version */
    const char *program;  /* what was run; NULL: the image's path */
    uint32_t has_sites, has_addresses;
    bool begun_late, paused;
} hs_rec_origin_t;

/* NULL: no host memory. */
hs_rec_image_t *hs_rec_image_new(const hs_rec_ring_t *ring, const hs_rec_origin_t *origin);
void hs_rec_image_delete(hs_rec_image_t *image);

/* The blocks that a fork left to its child, sorted by id: they come first, as task "inherited". */
void hs_rec_image_inherit(hs_rec_image_t *image, const hs_rec_block_t *list, size_t count);

/* The next record. HS_REC_FORK is the caller's affair. */
void hs_rec_image_take_record(hs_rec_image_t *image, const hs_rec_event_t *record);

/* An event as it is, unless the image is paused. */
void hs_rec_image_put(hs_rec_image_t *image, hs_event_t event);
void hs_rec_image_count_peak(hs_rec_image_t *image); /* what is live now */

/* A record that was never written. */
void hs_rec_image_lose(hs_rec_image_t *image, uint64_t count);

/* A fact about the origin; the sooner the better, as it begins a chunk. */
void hs_rec_image_fact(hs_rec_image_t *image, const char *key, const char *value);
/* Names for the sites, then the end chunk. */
void hs_rec_image_site_name(hs_rec_image_t *image, uint32_t site, const char *name, size_t length);
void hs_rec_image_finish(hs_rec_image_t *image);

/* Copies up to `capacity` finished bytes out; returns how many; 0: none left for now. */
size_t hs_rec_image_bytes(hs_rec_image_t *image, uint8_t *out, size_t capacity);

#endif
