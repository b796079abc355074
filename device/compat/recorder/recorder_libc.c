/*
 * malloc and its family recorded by the linker, with newlib, picolibc or any other library: compile this
 * file and recorder_glue.c, link with
 *
 *   -Wl,@libc_wrap.opt
 *
 * (beside this file), open a recorder, and give it to hs_recorder_libc(). Requests of the library
 * by other names, as newlib's printf of floating point makes by _malloc_r, are not seen.
 */
#include <stddef.h>

#include "recorder_glue.h"

#define NO_MEMORY 12 /* ENOMEM of newlib, picolibc and hosts */

static hs_recorder_t *recorder;

void hs_recorder_libc(hs_recorder_t *to)
{
    recorder = to;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_memalign(size_t alignment, size_t size);
int __real_posix_memalign(void **block, size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_memalign(size_t alignment, size_t size);
int __wrap_posix_memalign(void **block, size_t alignment, size_t size);
void __wrap_free(void *block);

HS_RECORDER_CODE static bool is_recorded(void)
{
    return recorder != NULL && !hs_recorder_is_inside();
}

HS_RECORDER_CODE void *__wrap_malloc(size_t size)
{
    void *block = __real_malloc(size);
    if (is_recorded()) {
        hs_recorder_allocated(recorder, HS_EVENT_MALLOC, block, size, 0, HS_RECORDER_CALLER);
    }
    return block;
}

HS_RECORDER_CODE void *__wrap_calloc(size_t count, size_t size)
{
    if (recorder == NULL || !hs_recorder_enter()) {
        return __real_calloc(count, size);
    }
    void *block = __real_calloc(count, size);
    hs_recorder_leave();
    hs_recorder_allocated(recorder, HS_EVENT_CALLOC, block, hs_recorder_product(count, size), 0,
                          HS_RECORDER_CALLER);
    return block;
}

HS_RECORDER_CODE void *__wrap_realloc(void *block, size_t size)
{
    if (recorder == NULL || !hs_recorder_enter()) {
        return __real_realloc(block, size);
    }
    void *moved = __real_realloc(block, size);
    hs_recorder_leave();
    hs_recorder_reallocated(recorder, block, moved, size, 0, HS_RECORDER_CALLER);
    return moved;
}

/* The aligned calls are one event by three names. */
HS_RECORDER_CODE static void aligned(const void *block, size_t alignment, size_t size,
                                     hs_callers_t callers)
{
    hs_recorder_leave();
    hs_recorder_aligned(recorder, block, size, hs_recorder_log2(alignment), 0, callers);
}

HS_RECORDER_CODE void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    if (recorder == NULL || !hs_recorder_enter()) {
        return __real_aligned_alloc(alignment, size);
    }
    void *block = __real_aligned_alloc(alignment, size);
    aligned(block, alignment, size, HS_RECORDER_CALLER);
    return block;
}

HS_RECORDER_CODE void *__wrap_memalign(size_t alignment, size_t size)
{
    if (recorder == NULL || !hs_recorder_enter()) {
        return __real_memalign(alignment, size);
    }
    void *block = __real_memalign(alignment, size);
    aligned(block, alignment, size, HS_RECORDER_CALLER);
    return block;
}

/* A call that is refused for its alignment (EINVAL) has not asked for memory. */
HS_RECORDER_CODE int __wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
    if (recorder == NULL || !hs_recorder_enter()) {
        return __real_posix_memalign(block, alignment, size);
    }
    const int refused = __real_posix_memalign(block, alignment, size);
    if (refused == 0 || refused == NO_MEMORY) {
        aligned(refused == 0 ? *block : NULL, alignment, size, HS_RECORDER_CALLER);
    } else {
        hs_recorder_leave();
    }
    return refused;
}

HS_RECORDER_CODE void __wrap_free(void *block)
{
    if (is_recorded()) {
        hs_recorder_freed(recorder, block);
    }
    __real_free(block);
}
