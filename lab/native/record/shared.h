/*
 * The memory that a recorded program and the recorder share: one memory file (memfd), made by the
 * recorder.
 *
 *   | control | process 0: ring header, events | process 1 | ... | process 1023 |
 *
 * Programs of 32 and 64 bit map it, so every field has a fixed width and place, and atomics are
 * 32 bits wide. A program finds the file by its path in /proc and keeps no descriptor of it.
 */
#ifndef HEAPSCOPE_RECORD_SHARED_H
#define HEAPSCOPE_RECORD_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#define HS_REC_VERSION 4u
#define HS_REC_MAGIC (0x43525348u + HS_REC_VERSION) /* in memory: a layout that both sides know */
#define HS_REC_PROCESSES 1024u                      /* images recorded at one time */
#define HS_REC_EVENTS 65536u /* of a ring: 2 MB, which stay in a processor's cache */
#define HS_REC_PATH_MAX 1024u
#define HS_REC_FRAME_CUT 0u /* stands for the frames beyond those that were asked for */
#define HS_REC_FRAMES_MAX 64u

/* The environment of a recorded program: where the memory file is. */
#define HS_REC_VARIABLE "HEAPSCOPE_RECORD"

/* How a process is recorded. */
#define HS_REC_DROP 1u    /* a full ring drops, it does not block */
#define HS_REC_NO_LIBC 2u /* calls of the C library's heap are left out */
#define HS_REC_NO_OWN 4u  /* calls of the program's own allocators are left out */
#define HS_REC_PAUSED 8u  /* of an image: it tells by a START record when its trace begins */

typedef _Atomic uint32_t hs_rec_word_t;

_Static_assert(sizeof(hs_rec_word_t) == 4, "32-bit atomics are plain words");

/* The kinds of records in a ring. Blocks are identified by address. */
typedef enum hs_rec_kind {
    HS_REC_VOID = 0,
    HS_REC_MALLOC = 1,        /* a block, b size, c stack | capabilities << 32; after the call */
    HS_REC_CALLOC = 2,        /* the same */
    HS_REC_ALIGNED = 3,       /* the same; align */
    HS_REC_FREE = 4,          /* a block; before the call */
    HS_REC_REALLOC_BEGIN = 5, /* a block; before the call */
    HS_REC_REALLOC_END = 6,   /* a new block, or 0: failed; b size, c stack; after the call */
    HS_REC_FAILED = 7,        /* b size, c stack, a: kind of the call (MALLOC to ALIGNED) */
    HS_REC_THREAD = 8,        /* the thread's first: a, b its name, c its pthread_t; align 1: the
                                 process's main thread */
    HS_REC_RENAMED = 9, /* a, b the new name of the thread whose pthread_t is c, 0: this one */
    HS_REC_TEXT = 10,   /* a, b, c: 24 bytes more of this thread's text, zeros after its end */
    HS_REC_MARK = 11,   /* a point of the run, named by the text */
    HS_REC_TASK = 12,   /* what this thread does from now on is of the task named by the text;
                                 without text: of the thread */
    HS_REC_POOL = 13,   /* the pool named by the text: align is hs_rec_pool_t, a bytes, b
                                 increment */
    HS_REC_FORK = 14,   /* this process is about to make another */
    HS_REC_LOST = 15,   /* a: records that found no room */
    HS_REC_STACK = 16,  /* the stack of number a is the addresses in the text, innermost first */
    HS_REC_MODULE = 17, /* the file whose path is the text lies at a, b bytes, first at c of it */
    HS_REC_START = 18,  /* from here on events are in the trace */
    HS_REC_STOP = 19,   /* from here on they are not; blocks are followed all the same */
    HS_REC_TIME = 20    /* a: microseconds of CLOCK_MONOTONIC; what follows is not older */
} hs_rec_kind_t;

typedef enum hs_rec_pool {
    HS_REC_POOL_CREATE = 0,
    HS_REC_POOL_GROW = 1,
    HS_REC_POOL_ALLOC = 2,
    HS_REC_POOL_RELEASE = 3
} hs_rec_pool_t;

/* One record. `turn` is the record's number plus 1, modulo 2^32, and is written last. */
typedef struct hs_rec_event {
    _Alignas(8) uint64_t a;
    _Alignas(8) uint64_t b;
    _Alignas(8) uint64_t c;
    hs_rec_word_t turn;
    uint32_t meta; /* kind, align_log2 << 5, thread << 10 */
} hs_rec_event_t;

_Static_assert(sizeof(hs_rec_event_t) == 32, "two records a cache line, under 32 bit too");

#define HS_REC_THREAD_MAX ((1u << 22) - 1u) /* all threads beyond are one */

#define HS_REC_TIME_EVERY 16u /* records after which a time follows; a power of two */

/* The life of a process's place. */
typedef enum hs_rec_state {
    HS_REC_FREE_PLACE = 0,
    HS_REC_TAKEN = 1, /* being filled in */
    HS_REC_LIVE = 2,
    HS_REC_REPLACED = 3 /* exec: another image of the same process is in another place */
} hs_rec_state_t;

/* How an image of a process came to be. */
typedef enum hs_rec_origin_kind {
    HS_REC_FRESH = 0,      /* a program was loaded: its heap was empty */
    HS_REC_FORKED = 1,     /* a copy of the process below, as it was at record `fork_number` */
    HS_REC_BEGUN_LATE = 2, /* a copy of a process, with blocks that nobody knows */
    HS_REC_ATTACHED = 3    /* a program that ran already, with such blocks */
} hs_rec_origin_kind_t;

/* In front of a process's events. */
typedef struct hs_rec_ring {
    _Alignas(64) hs_rec_word_t head; /* number of the next record; program */
    hs_rec_word_t lost;              /* records dropped since the last LOST; program */
    hs_rec_word_t
        left_out; /* calls of the other heap, by HS_REC_NO_LIBC and HS_REC_NO_OWN; program */
    _Alignas(64) hs_rec_word_t tail; /* records that the recorder has taken */
    hs_rec_word_t waiting;           /* 1: a thread waits for room */
    _Alignas(64) hs_rec_word_t threads;
    uint32_t pid;
    uint32_t word_size; /* bytes of a pointer */
    uint32_t forked;    /* hs_rec_origin_kind_t */
    uint32_t parent_place, parent_life, fork_number;
    char libc[32];
    char program[512]; /* of the image: its path */
} hs_rec_ring_t;

#define HS_REC_RING_HEADER 4096u
#define HS_REC_RING_BYTES (HS_REC_RING_HEADER + HS_REC_EVENTS * 32u)

_Static_assert(sizeof(hs_rec_ring_t) <= HS_REC_RING_HEADER, "the header has a page");

/* Whether the object for the other word size is there: built when first wanted. */
typedef enum hs_rec_object {
    HS_REC_OBJECT_UNKNOWN = 0,
    HS_REC_OBJECT_WANTED = 1,
    HS_REC_OBJECT_READY = 2,
    HS_REC_OBJECT_NONE = 3
} hs_rec_object_t;

typedef struct hs_rec_control {
    uint32_t magic;
    uint32_t recorder;      /* its process */
    uint32_t modes;         /* HS_REC_DROP, HS_REC_NO_OWN */
    uint32_t frames;        /* of a stack; 0: none */
    hs_rec_word_t closed;   /* 1: nothing is taken any more */
    hs_rec_word_t bell;     /* rung when there is something to take */
    hs_rec_word_t missed;   /* processes for which there was no place */
    hs_rec_word_t object32; /* hs_rec_object_t */
    hs_rec_word_t begun;    /* images so far */
    char preload64[HS_REC_PATH_MAX];
    char preload32[HS_REC_PATH_MAX];
    char variable[HS_REC_PATH_MAX];         /* value of HS_REC_VARIABLE */
    hs_rec_word_t states[HS_REC_PROCESSES]; /* hs_rec_state_t */
    hs_rec_word_t pids[HS_REC_PROCESSES];
    hs_rec_word_t lives[HS_REC_PROCESSES];  /* how often the place was taken */
    hs_rec_word_t orders[HS_REC_PROCESSES]; /* the number of its image, from 1 */
} hs_rec_control_t;

#define HS_REC_CONTROL_BYTES 65536u /* a multiple of every page size */

_Static_assert(sizeof(hs_rec_control_t) <= HS_REC_CONTROL_BYTES, "rings come after it");
_Static_assert(HS_REC_RING_BYTES % 4096u == 0, "rings begin with a page");

/* Where a place's ring begins in the memory file. */
static inline uint64_t hs_rec_ring_offset(uint32_t place)
{
    return HS_REC_CONTROL_BYTES + (uint64_t)place * HS_REC_RING_BYTES;
}

static inline hs_rec_event_t *hs_rec_ring_events(hs_rec_ring_t *ring)
{
    return (hs_rec_event_t *)(void *)((char *)ring + HS_REC_RING_HEADER);
}

#endif
