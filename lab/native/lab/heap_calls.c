/* Heaps and loaded traces as a table of calls, for a library beside this one. */
#include "allocators/allocators.h"
#include "lab/lab.h"
#include "lab/steps.h"

static hs_sim_t *create(const char *allocator, uint32_t base, uint32_t size, int *status)
{
    hs_allocator_t parsed;
    hs_status_t result = hs_allocator_parse(allocator, &parsed);
    hs_sim_t *heap = result == HS_OK ? hs_sim_new(parsed, base, size, &result) : NULL;
    *status = (int)result;
    return heap;
}

/* A model need not look at a size that is larger than its heap. */
static uint32_t allocate(hs_sim_t *heap, uint32_t size)
{
    return size <= heap->size ? hs_sim_malloc(heap, size) : HS_NONE;
}

static uint32_t allocate_aligned(hs_sim_t *heap, uint32_t align, uint32_t size)
{
    return size <= heap->size ? hs_sim_aligned(heap, align, size, 0) : HS_NONE;
}

static uint32_t resize(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    return size <= heap->size ? hs_sim_realloc(heap, offset, size) : HS_NONE;
}

static void release(hs_sim_t *heap, uint32_t offset, uint32_t aligned)
{
    hs_sim_free(heap, offset, aligned != 0);
}

static void work(const hs_sim_t *heap, hs_lab_work_t *out)
{
    const hs_steps_t *steps = &heap->steps;
    *out = (hs_lab_work_t){
        .nodes = steps->nodes,
        .bins = steps->bins,
        .writes = steps->writes,
        .copied = steps->copied,
    };
}

static void state(hs_sim_t *heap, hs_lab_heap_state_t *out)
{
    *out = (hs_lab_heap_state_t){
        .free = heap->tally.free,
        .largest = hs_sim_largest_allocatable(heap),
        .free_blocks = hs_sim_free_blocks(heap),
        .used_blocks = heap->tally.used_blocks,
    };
}

static uint64_t slots(const hs_lab_steps_t *trace)
{
    return trace->fit.blocks.used;
}

static void step(const hs_lab_steps_t *trace, uint64_t index, hs_lab_step_t *out)
{
    const hs_fit_step_t *kept = &trace->fit.chunks[index / HS_FIT_CHUNK][index % HS_FIT_CHUNK];
    const uint32_t kind = kept->what & HS_FIT_KIND;
    const bool allocates = kind <= HS_EVENT_ALIGNED;
    *out = (hs_lab_step_t){
        .kind = kind,
        .slot = kept->slot,
        .size =
            allocates && kept->what & HS_FIT_WORDS ? (kept->size + 3u) & ~UINT32_C(3) : kept->size,
        .align = kept->what & HS_FIT_ALIGNED
                     ? UINT32_C(1) << (kept->what >> HS_FIT_ALIGN_SHIFT & 31u)
                     : 0,
        .task = kept->what >> HS_FIT_TASK_SHIFT,
        .never = (kept->what & HS_FIT_NEVER) != 0,
    };
}

uint64_t hs_lab_steps_count(const hs_lab_steps_t *steps)
{
    return steps->fit.steps;
}

const hs_lab_heap_calls_t *hs_lab_heap_calls(void)
{
    static const hs_lab_heap_calls_t calls = {
        .create = create,
        .destroy = hs_sim_delete,
        .malloc = allocate,
        .aligned = allocate_aligned,
        .realloc = resize,
        .free = release,
        .work = work,
        .state = state,
        .steps = hs_lab_steps_count,
        .slots = slots,
        .step = step,
    };
    return &calls;
}
