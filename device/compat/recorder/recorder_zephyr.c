/* Zephyr's heap listeners, and its realloc by the linker: a listener hears a realloc in place as an
 * allocation and a free of the same address, which would end the block. */
#include <zephyr/sys/sys_heap.h>

#include "recorder_zephyr.h"

#include "heapscope/recorder_port.h"

static hs_recorder_t *recorder;
static uintptr_t
    resizing[HS_RECORDER_CORES]; /* the heap that a core is in a realloc of, under its lock */

void hs_recorder_zephyr(hs_recorder_t *to)
{
    recorder = to;
}

void hs_recorder_zephyr_heap(hs_recorder_zephyr_heap_t *heap)
{
    heap_listener_register(&heap->allocated);
    heap_listener_register(&heap->freed);
}

HS_RECORDER_CODE static bool is_recorded(uintptr_t heap)
{
    return recorder != NULL && resizing[HS_RECORDER_CORE()] != heap;
}

HS_RECORDER_CODE void hs_recorder_zephyr_allocated(uintptr_t heap, void *block, size_t bytes)
{
    if (is_recorded(heap)) {
        hs_recorder_allocated(recorder, HS_EVENT_MALLOC, block, bytes, 0, (hs_callers_t){{0}});
    }
}

HS_RECORDER_CODE void hs_recorder_zephyr_freed(uintptr_t heap, void *block, size_t bytes)
{
    (void)bytes;
    if (is_recorded(heap)) {
        hs_recorder_freed(recorder, block);
    }
}

HS_RECORDER_CODE static void resized(struct sys_heap *heap, const void *before, void *after,
                                     size_t bytes, hs_callers_t callers)
{
    const size_t holds = after != NULL ? sys_heap_usable_size(heap, after) : bytes;
    hs_recorder_reallocated(recorder, before, after, holds, 0, callers);
}

#define RESIZE(original)                                                                           \
    do {                                                                                           \
        if (recorder == NULL) {                                                                    \
            return original;                                                                       \
        }                                                                                          \
        resizing[HS_RECORDER_CORE()] = (uintptr_t)heap;                                            \
        void *const after = original;                                                              \
        resizing[HS_RECORDER_CORE()] = 0;                                                          \
        resized(heap, block, after, bytes, HS_RECORDER_CALLER);                                    \
        return after;                                                                              \
    } while (0)

/* A macro of the other one until 4.0: then there is no such function. */
#if !defined(sys_heap_realloc)
void *__real_sys_heap_realloc(struct sys_heap *heap, void *block, size_t bytes);
void *__wrap_sys_heap_realloc(struct sys_heap *heap, void *block, size_t bytes);
HS_RECORDER_CODE void *__wrap_sys_heap_realloc(struct sys_heap *heap, void *block, size_t bytes)
{
    RESIZE(__real_sys_heap_realloc(heap, block, bytes));
}
#endif

void *__real_sys_heap_aligned_realloc(struct sys_heap *heap, void *block, size_t align,
                                      size_t bytes);
void *__wrap_sys_heap_aligned_realloc(struct sys_heap *heap, void *block, size_t align,
                                      size_t bytes);

HS_RECORDER_CODE void *__wrap_sys_heap_aligned_realloc(struct sys_heap *heap, void *block,
                                                       size_t align, size_t bytes)
{
    RESIZE(__real_sys_heap_aligned_realloc(heap, block, align, bytes));
}
