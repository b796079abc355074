/*
 * ESP-IDF's heap recorded by the linker, 4.x and 5.x alike:
 *
 *   target_link_options(${COMPONENT_LIB} INTERFACE "-Wl,@recorder_wrap.opt")
 *
 * with recorder_wrap.opt beside this file. ESP-IDF has hooks of its own (CONFIG_HEAP_USE_HOOKS, from 5.1
 * on), but calls that for a free after the block was given back: until then another task may have been
 * given it, and the events would stand in the wrong order. A wrapper comes first.
 */
#include <stddef.h>
#include <stdint.h>

#include "recorder_glue.h"

static hs_recorder_t *recorder;

void hs_recorder_esp_idf(hs_recorder_t *to)
{
    recorder = to;
}

#define RECORD(call)                                                                               \
    do {                                                                                           \
        if (recorder != NULL) {                                                                    \
            call;                                                                                  \
        }                                                                                          \
    } while (0)

#define DEFAULT 0x1000u /* MALLOC_CAP_DEFAULT, what malloc asks for */

void *__real_heap_caps_malloc(size_t size, uint32_t caps);
void *__real_heap_caps_malloc_default(size_t size);
void *__real_heap_caps_calloc(size_t count, size_t size, uint32_t caps);
void *__real_heap_caps_realloc(void *block, size_t size, uint32_t caps);
void *__real_heap_caps_realloc_default(void *block, size_t size);
void *__real_heap_caps_aligned_alloc(size_t alignment, size_t size, uint32_t caps);
void __real_heap_caps_free(void *block);
void *__wrap_heap_caps_malloc(size_t size, uint32_t caps);
void *__wrap_heap_caps_malloc_default(size_t size);
void *__wrap_heap_caps_calloc(size_t count, size_t size, uint32_t caps);
void *__wrap_heap_caps_realloc(void *block, size_t size, uint32_t caps);
void *__wrap_heap_caps_realloc_default(void *block, size_t size);
void *__wrap_heap_caps_aligned_alloc(size_t alignment, size_t size, uint32_t caps);
void __wrap_heap_caps_free(void *block);

HS_RECORDER_CODE void *__wrap_heap_caps_malloc(size_t size, uint32_t caps)
{
    void *block = __real_heap_caps_malloc(size, caps);
    RECORD(hs_recorder_allocated(recorder, HS_EVENT_MALLOC, block, size, caps, HS_RECORDER_CALLER));
    return block;
}

HS_RECORDER_CODE void *__wrap_heap_caps_malloc_default(size_t size)
{
    void *block = __real_heap_caps_malloc_default(size);
    RECORD(
        hs_recorder_allocated(recorder, HS_EVENT_MALLOC, block, size, DEFAULT, HS_RECORDER_CALLER));
    return block;
}

HS_RECORDER_CODE void *__wrap_heap_caps_calloc(size_t count, size_t size, uint32_t caps)
{
    void *block = __real_heap_caps_calloc(count, size, caps);
    RECORD(hs_recorder_allocated(recorder, HS_EVENT_CALLOC, block, count * size, caps,
                                 HS_RECORDER_CALLER));
    return block;
}

HS_RECORDER_CODE void *__wrap_heap_caps_realloc(void *block, size_t size, uint32_t caps)
{
    void *moved = __real_heap_caps_realloc(block, size, caps);
    RECORD(hs_recorder_reallocated(recorder, block, moved, size, caps, HS_RECORDER_CALLER));
    return moved;
}

HS_RECORDER_CODE void *__wrap_heap_caps_realloc_default(void *block, size_t size)
{
    void *moved = __real_heap_caps_realloc_default(block, size);
    RECORD(hs_recorder_reallocated(recorder, block, moved, size, DEFAULT, HS_RECORDER_CALLER));
    return moved;
}

HS_RECORDER_CODE void *__wrap_heap_caps_aligned_alloc(size_t alignment, size_t size, uint32_t caps)
{
    void *block = __real_heap_caps_aligned_alloc(alignment, size, caps);
    unsigned log2 = 0;
    while (log2 < 31u && (size_t)1 << log2 < alignment) { /* bound: the bits of a size */
        log2++;
    }
    RECORD(hs_recorder_aligned(recorder, block, size, log2, caps, HS_RECORDER_CALLER));
    return block;
}

HS_RECORDER_CODE void __wrap_heap_caps_free(void *block)
{
    RECORD(hs_recorder_freed(recorder, block));
    __real_heap_caps_free(block);
}
