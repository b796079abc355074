/*
 * These calls record an allocator of the program's own (heapscope record). The file that
 * `heapscope record --wrap FOLDER` writes makes them; the program itself need not know them.
 *
 * The file defines heapscope_wrapped_calls, which the linker exports. The recorder sets its first
 * field before the program's constructors run; where the program is not recorded it stays NULL. A
 * variable is found also in a program that has fixed addresses, and whose weak references to
 * functions the linker has therefore set to NULL.
 *
 * A free, and the start of a realloc, are reported before the block can be given to others; all else is
 * reported after the call.
 */
#ifndef HEAPSCOPE_RECORD_OWN_H
#define HEAPSCOPE_RECORD_OWN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum heapscope_own_call {
    HEAPSCOPE_OWN_MALLOC = 1,
    HEAPSCOPE_OWN_CALLOC = 2,
    HEAPSCOPE_OWN_ALIGNED = 3
} heapscope_own_call_t;

typedef struct heapscope_own_calls {
    /* Around a call, where an allocator may ask another one that is recorded as well: 1 tells that
     * this is the outermost call of the thread, which alone is recorded. */
    int (*enter)(void);
    void (*leave)(void);
    /* A request; block NULL: it failed. `align`: 0 for none. `caps`: capabilities asked for; 0:
     * none. */
    void (*block)(heapscope_own_call_t call, const void *block, size_t size, size_t align,
                  uint32_t caps);
    /* A free; not of NULL. */
    void (*freed)(const void *block);
    /* Before and after a realloc of a block; `block` NULL afterwards: it failed, or `size` is 0. */
    void (*resize)(const void *block);
    void (*resized)(const void *block, size_t size, uint32_t caps);
    /* From now on this thread's events belong to the task `name`. */
    void (*task)(const char *name);
} heapscope_own_calls_t;

typedef struct heapscope_wrapped {
    const heapscope_own_calls_t *volatile calls;
    const char *functions; /* that are wrapped and give memory, each with a zero behind it */
} heapscope_wrapped_t;

#ifdef __cplusplus
}
#endif

#endif
