/*
 * Our own regions recorded by the linker: compile this file and recorder_glue.c, link with
 * -Wl,@regions_wrap.opt (beside this file), and name the set and the recorder:
 *
 *   hs_recorder_regions(recorder, set);
 *   config.walk = hs_recorder_regions_walk; config.region = hs_recorder_regions_region;
 *   config.context = set;   (or called from your own functions)
 */
#include "heapscope/regions.h"

#include "recorder_glue.h"

static hs_recorder_t *recorder;
static const hs_regions_t *recorded; /* other sets are not */

void hs_recorder_regions(hs_recorder_t *to, const hs_regions_t *set)
{
    recorder = to;
    recorded = set;
}

#define WRAP HS_RECORDER_WRAP
#define ONE(original, record) HS_RECORDER_ONE(recorder != NULL && set == recorded, original, record)

#define CALLER HS_RECORDER_CALLER

WRAP(void *, hs_regions_malloc, hs_regions_t *set, size_t size, uint32_t caps)
{
    ONE(__real_hs_regions_malloc(set, size, caps),
        hs_recorder_allocated(recorder, HS_EVENT_MALLOC, given, size, caps, CALLER));
}

WRAP(void *, hs_regions_calloc, hs_regions_t *set, size_t count, size_t size, uint32_t caps)
{
    ONE(__real_hs_regions_calloc(set, count, size, caps),
        hs_recorder_allocated(recorder, HS_EVENT_CALLOC, given, hs_recorder_product(count, size),
                              caps, CALLER));
}

WRAP(void *, hs_regions_aligned_alloc, hs_regions_t *set, size_t alignment, size_t size,
     size_t offset, uint32_t caps)
{
    ONE(__real_hs_regions_aligned_alloc(set, alignment, size, offset, caps),
        hs_recorder_aligned(recorder, given, size, hs_recorder_log2(alignment), caps, CALLER));
}

WRAP(void *, hs_regions_aligned_calloc, hs_regions_t *set, size_t alignment, size_t count,
     size_t size, uint32_t caps)
{
    ONE(__real_hs_regions_aligned_calloc(set, alignment, count, size, caps),
        hs_recorder_aligned(recorder, given, hs_recorder_product(count, size),
                            hs_recorder_log2(alignment), caps, CALLER));
}

WRAP(void *, hs_regions_realloc, hs_regions_t *set, void *block, size_t size, uint32_t caps)
{
    ONE(__real_hs_regions_realloc(set, block, size, caps),
        hs_recorder_reallocated(recorder, block, given, size, caps, CALLER));
}

WRAP(hs_status_t, hs_regions_free, hs_regions_t *set, void *block)
{
    if (recorder != NULL && set == recorded && !hs_recorder_is_inside()) {
        hs_recorder_freed(recorder, block);
    }
    return __real_hs_regions_free(set, block);
}

/* ---- for snapshots ---- */

typedef struct slice {
    uintptr_t after;
    hs_recorder_block_t *out;
    size_t capacity;
    size_t count;
} slice_t;

/* Keeps the lowest addresses in their order. */
static bool slice_take(void *context, uint32_t region, void *block, size_t size, bool used,
                       hs_tag_t tag)
{
    slice_t *slice = context;
    (void)region;
    (void)tag;
    const uintptr_t address = (uintptr_t)block;
    if (!used || address <= slice->after) {
        return true;
    }
    size_t at = slice->count;
    if (at == slice->capacity) {
        if (slice->out[at - 1u].address < address) {
            return true;
        }
        at--;
    } else {
        slice->count++;
    }
    for (; at > 0 && slice->out[at - 1u].address > address; at--) {
        slice->out[at] = slice->out[at - 1u];
    }
    slice->out[at] = (hs_recorder_block_t){.address = address, .size = (uint32_t)size};
    return true;
}

size_t hs_recorder_regions_walk(void *context, uintptr_t after, hs_recorder_block_t *out,
                                size_t capacity)
{
    slice_t slice = {.after = after, .out = out, .capacity = capacity};
    hs_regions_walk(context, 0, slice_take, &slice);
    return slice.count;
}

bool hs_recorder_regions_region(void *context, unsigned index, hs_recorder_region_t *out)
{
    hs_region_state_t state;
    if (!hs_regions_state(context, index, &state)) {
        return false;
    }
    *out = (hs_recorder_region_t){.name = state.name,
                                  .start = (uintptr_t)state.start,
                                  .size = (uint32_t)state.size,
                                  .caps = state.caps,
                                  .free = HS_RECORDER_UNKNOWN,
                                  .minimum = HS_RECORDER_UNKNOWN,
                                  .largest = HS_RECORDER_UNKNOWN};
    if (state.in_use) {
        hs_regions_lock(context, index);
        const hs_heap_t *heap = state.guard->heap;
        out->free = (uint32_t)hs_heap_free_size(heap);
        out->minimum = (uint32_t)hs_heap_minimum_free(heap);
        out->largest = (uint32_t)hs_heap_largest(heap);
        hs_regions_unlock(context, index);
    }
    return true;
}
