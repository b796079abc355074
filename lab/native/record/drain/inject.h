/*
 * A call that a thread of another process makes for the recorder, at a moment at which it holds no lock
 * of the allocator or of the loader. Only the one thread is stopped, and goes on afterwards as if
 * nothing had been: its registers and its system call are as they were. x86 of 64 bit.
 */
#ifndef HEAPSCOPE_RECORD_INJECT_H
#define HEAPSCOPE_RECORD_INJECT_H

#include <stddef.h>
#include <stdint.h>

typedef struct hs_rec_range {
    uint64_t start, end;
} hs_rec_range_t;

typedef struct hs_rec_call {
    uint32_t pid;
    uint64_t function;
    const char *text; /* the first argument: a copy of it; NULL: `number` is the first */
    uint64_t number;  /* the second argument */
    /* Code in which a thread may hold a lock: it is left alone while it runs there. */
    const hs_rec_range_t *avoided;
    size_t avoided_count;
    hs_rec_range_t
        library; /* the C library: a thread that waits in a system call of it holds none */
    uint64_t signal_return; /* where its signal handlers return to; 0: not known */
} hs_rec_call_t;

typedef enum hs_rec_injected {
    HS_REC_INJECT_DONE = 0,
    HS_REC_INJECT_REFUSED = 1,   /* the system does not allow it */
    HS_REC_INJECT_ENDED = 2,     /* the process is over */
    HS_REC_INJECT_NO_MOMENT = 3, /* no thread came to such a moment in time */
    HS_REC_INJECT_FAILED = 4,    /* the call ended by a fault; the thread goes on where it was */
    HS_REC_INJECT_LATE = 5,      /* the call did not end in time; as before */
    HS_REC_INJECT_UNKNOWN = 6    /* not on this processor */
} hs_rec_injected_t;

/* Tries for `seconds`. `result`: what the function returned. `error`: of the system, or 0. */
hs_rec_injected_t hs_rec_inject(const hs_rec_call_t *call, double seconds, uint64_t *result,
                                int *error);

#endif
