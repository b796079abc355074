/*
 * These calls record an allocator of the program's own (heapscope record). The file that
 * `heapscope record --wrap FOLDER` writes makes them; the program itself need not know them.
 *
 * A free, and the start of a realloc, are told before the block can be given to others; all else is
 * told after the call. The functions are not there where the program is not recorded.
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

/* Around a call, where an allocator may ask another one that is recorded as well: 1 tells that this
 * is the outermost call of the thread, which alone is recorded. */
__attribute__((weak)) int heapscope_own_enter(void);
__attribute__((weak)) void heapscope_own_leave(void);

/* A request; block NULL: it failed. `align`: 0 for none. `caps`: capabilities asked for; 0: none. */
__attribute__((weak)) void heapscope_own_block(heapscope_own_call_t call, const void *block,
                                               size_t size, size_t align, uint32_t caps);
/* A free; not of NULL. */
__attribute__((weak)) void heapscope_own_free(const void *block);
/* Before and after a realloc of a block; `block` NULL afterwards: it failed, or `size` is 0. */
__attribute__((weak)) void heapscope_own_resize(const void *block);
__attribute__((weak)) void heapscope_own_resized(const void *block, size_t size, uint32_t caps);

#ifdef __cplusplus
}
#endif

#endif
