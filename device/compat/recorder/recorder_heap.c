/*
 * One heap of our own recorded by the linker: compile this file and recorder_glue.c, link with
 * -Wl,@heap_wrap.opt (beside this file), and name the heap and the recorder by hs_recorder_heap(). Its
 * calls stand inside your lock, so that events stand in the order of the heap's changes.
 */
#include "heapscope/heap.h"

#include "recorder_glue.h"

static hs_recorder_t *recorder;
static const hs_heap_t *recorded; /* other heaps are not */

void hs_recorder_heap(hs_recorder_t *to, const hs_heap_t *heap)
{
    recorder = to;
    recorded = heap;
}

#define WRAP HS_RECORDER_WRAP
#define ONE(original, record)                                                                      \
    HS_RECORDER_ONE(recorder != NULL && heap == recorded, original, record)

#define CALLER HS_RECORDER_CALLER

WRAP(void *, hs_heap_malloc, hs_heap_t *heap, size_t size)
{
    ONE(__real_hs_heap_malloc(heap, size),
        hs_recorder_allocated(recorder, HS_EVENT_MALLOC, given, size, 0, CALLER));
}

WRAP(void *, hs_heap_calloc, hs_heap_t *heap, size_t count, size_t size)
{
    ONE(__real_hs_heap_calloc(heap, count, size),
        hs_recorder_allocated(recorder, HS_EVENT_CALLOC, given, hs_recorder_product(count, size), 0,
                              CALLER));
}

WRAP(void *, hs_heap_aligned_alloc, hs_heap_t *heap, size_t alignment, size_t size, size_t offset)
{
    ONE(__real_hs_heap_aligned_alloc(heap, alignment, size, offset),
        hs_recorder_aligned(recorder, given, size, hs_recorder_log2(alignment), 0, CALLER));
}

WRAP(void *, hs_heap_realloc, hs_heap_t *heap, void *block, size_t size)
{
    ONE(__real_hs_heap_realloc(heap, block, size),
        hs_recorder_reallocated(recorder, block, given, size, 0, CALLER));
}

WRAP(hs_status_t, hs_heap_free, hs_heap_t *heap, void *block)
{
    if (recorder != NULL && heap == recorded && !hs_recorder_is_inside()) {
        hs_recorder_freed(recorder, block);
    }
    return __real_hs_heap_free(heap, block);
}
