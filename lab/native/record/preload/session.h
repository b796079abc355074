/*
 * This process as a recorded one: its place in the shared memory, and its threads. Everything begins
 * with the first record, in whatever thread, constructor or library that is. A fork's child finds its
 * page wiped, or learns it by pthread_atfork, and takes a place of its own with its first record; so
 * one that execs at once costs nothing.
 */
#ifndef HEAPSCOPE_RECORD_SESSION_H
#define HEAPSCOPE_RECORD_SESSION_H

#include "../ring.h"
#include "libc.h"

/* The state of this process alone, on a page that a fork's child finds zeroed. */
typedef struct hs_rec_own {
    hs_rec_ring_t *ring; /* NULL: not taken yet, or nothing is recorded */
    uint32_t modes;      /* HS_REC_DROP and so on */
    uint32_t frames;
    uint32_t place, life;
    _Atomic uint32_t busy; /* 1: a thread is taking a place */
} hs_rec_own_t;

/* The state of a thread. `ring` is never NULL; the process's ring knows the thread once they are
 * equal. */
typedef struct hs_rec_thread {
    hs_rec_ring_t *ring;
    uint32_t number;
    uint32_t inside;  /* calls of ours on the stack whose inner calls are not the program's */
    uint32_t own;     /* calls of the program's own allocators on the stack */
    uint32_t telling; /* 1: the record is of one of these */
} hs_rec_thread_t;

extern __attribute__((visibility("hidden"))) hs_rec_own_t *hs_rec_own;
extern __attribute__((visibility("hidden"),
                      tls_model("initial-exec"))) _Thread_local hs_rec_thread_t hs_rec_thread;

#if HS_REC_IS_ATTACHED
bool hs_rec_session_is_on(void);
/* Finds the shared memory; nothing is recorded before the join. */
bool hs_rec_session_prepare(const char *path);
bool hs_rec_session_join(void);
void hs_rec_session_leave(void); /* calls of all threads go through unrecorded */
#endif

/* NULL before the first record, and where nothing is recorded. */
hs_rec_control_t *hs_rec_session_control(void);

/* Takes a place for the process and a number for the thread. NULL: this call is not recorded. */
hs_rec_ring_t *hs_rec_enter(void);

/* Calls between the two are parts of one of the program's. Only with a matching end. */
void hs_rec_inside_begin(void);
void hs_rec_inside_end(void);

/* Whether nobody will take what is recorded. */
bool hs_rec_recorder_gone(void);

/* The ring is full: waits until the record has room. False: the recorder is gone, or has given the
 * record up. */
bool hs_rec_wait_for_room(hs_rec_ring_t *ring, uint32_t number);

/* The process's modes decide whether a record of that kind is made; one that is not is counted. */
bool hs_rec_may_claim(hs_rec_ring_t *ring, unsigned kind);

void hs_rec_bell(void);

/* A record of the time. Nothing where the program's C library has no clock_gettime. */
void hs_rec_put_time(void);

/* One record of this thread; its number, or 0 where none was made. O(1), unless the ring is full. */
static inline uint32_t hs_rec_put(unsigned kind, uint64_t a, uint64_t b, uint64_t c, unsigned align)
{
    hs_rec_ring_t *ring = hs_rec_own->ring;
    if (HS_REC_UNLIKELY(hs_rec_thread.ring != ring)) {
        ring = hs_rec_enter();
        if (ring == NULL) {
            return 0;
        }
    }
    if (HS_REC_UNLIKELY(hs_rec_own->modes != 0) && !hs_rec_may_claim(ring, kind)) {
        return 0;
    }
    const uint32_t number = hs_rec_ring_claim(ring);
    if (HS_REC_UNLIKELY(!hs_rec_ring_has_room(ring, number)) &&
        !hs_rec_wait_for_room(ring, number)) {
        return 0;
    }
    hs_rec_ring_write(ring, number, a, b, c, hs_rec_meta(kind, align, hs_rec_thread.number));
    if (HS_REC_UNLIKELY((number & (HS_REC_TIME_EVERY - 1u)) == 0) && kind != HS_REC_TIME) {
        hs_rec_put_time();
    }
    if (HS_REC_UNLIKELY((number & (HS_REC_BELL_EVERY - 1u)) == 0)) {
        hs_rec_bell();
    }
    return number;
}

/* Text of this thread, for the record that follows it. */
void hs_rec_put_text(const char *text, size_t length);

#endif
