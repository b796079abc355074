/*
 * A program can tell the recorder (heapscope record) about itself with a few calls. None of them
 * needs a library. Where the program is not recorded they do nothing, at the cost of a comparison.
 *
 *     #include <heapscope/record.h>
 *
 *     heapscope_start_here();
 *     heapscope_mark_here("connected");
 *     heapscope_task_here("network");
 *     heapscope_pool_here("session", HEAPSCOPE_POOL_ALLOC, 128, 0);
 *
 * Names are copied, at most 255 bytes. May be called from any thread, also before main; not from a
 * signal handler that may have interrupted one of these calls.
 */
#ifndef HEAPSCOPE_RECORD_H
#define HEAPSCOPE_RECORD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum heapscope_pool_event {
    HEAPSCOPE_POOL_CREATE = 0, /* `bytes` at first, `increment` when it grows; 0: it never does */
    HEAPSCOPE_POOL_GROW = 1,   /* by `bytes` */
    HEAPSCOPE_POOL_ALLOC = 2,  /* `bytes` were taken out of it */
    HEAPSCOPE_POOL_RELEASE = 3 /* it is gone, with all that was in it */
} heapscope_pool_event_t;

/* A named point of the run. */
__attribute__((weak)) void heapscope_mark(const char *name);

/* From now on the events of all threads are in the trace, which begins with the blocks that are live
 * now. So it is from the program's beginning on, unless the recorder has to wait (--paused). */
__attribute__((weak)) void heapscope_start(void);

/* From now on they are not. A later start goes on with the blocks that are live then. */
__attribute__((weak)) void heapscope_stop(void);

/* From now on this thread's events belong to the task `name`; NULL: to the thread again. */
__attribute__((weak)) void heapscope_task(const char *name);

/* An event of a pool: memory that the program hands out itself, out of blocks of the heap. */
__attribute__((weak)) void heapscope_pool(const char *name, heapscope_pool_event_t event,
                                          size_t bytes, size_t increment);

#ifdef __cplusplus
}
#endif

#define heapscope_mark_here(name) ((void)(heapscope_mark ? (heapscope_mark(name), 0) : 0))
#define heapscope_start_here() ((void)(heapscope_start ? (heapscope_start(), 0) : 0))
#define heapscope_stop_here() ((void)(heapscope_stop ? (heapscope_stop(), 0) : 0))
#define heapscope_task_here(name) ((void)(heapscope_task ? (heapscope_task(name), 0) : 0))
#define heapscope_pool_here(name, event, bytes, increment)                                         \
    ((void)(heapscope_pool ? (heapscope_pool(name, event, bytes, increment), 0) : 0))

#endif
