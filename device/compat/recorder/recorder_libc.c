/*
 * malloc and its family recorded by the linker, with newlib, picolibc or any other library:
 *
 *   -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
 *
 * Compile this file with them, open a recorder, and give it to hs_recorder_libc(). A newlib that calls
 * _malloc_r itself (printf of floating point) is recorded with --wrap=_malloc_r and so on as well.
 */
#include <stddef.h>

#include "recorder_glue.h"

static hs_recorder_t *recorder;

void hs_recorder_libc(hs_recorder_t *to)
{
    recorder = to;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

HS_RECORDER_CODE void *__wrap_malloc(size_t size)
{
    void *block = __real_malloc(size);
    if (recorder != NULL) {
        hs_recorder_allocated(recorder, HS_EVENT_MALLOC, block, size, 0, HS_RECORDER_CALLER);
    }
    return block;
}

HS_RECORDER_CODE void *__wrap_calloc(size_t count, size_t size)
{
    void *block = __real_calloc(count, size);
    if (recorder != NULL) {
        hs_recorder_allocated(recorder, HS_EVENT_CALLOC, block, count * size, 0,
                              HS_RECORDER_CALLER);
    }
    return block;
}

HS_RECORDER_CODE void *__wrap_realloc(void *block, size_t size)
{
    void *moved = __real_realloc(block, size);
    if (recorder != NULL) {
        hs_recorder_reallocated(recorder, block, moved, size, 0, HS_RECORDER_CALLER);
    }
    return moved;
}

HS_RECORDER_CODE void __wrap_free(void *block)
{
    if (recorder != NULL) {
        hs_recorder_freed(recorder, block);
    }
    __real_free(block);
}
