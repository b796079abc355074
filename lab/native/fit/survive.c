/* One replay of a loaded trace on one pool, up to the first request that is refused. */
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"

#define ALIGN_LOG2_MAX 30u /* as hs_sim_aligned knows it */

typedef struct hs_fit_run {
    hs_sim_t *heap;
    uint32_t *offsets; /* of the block in each slot */
    bool refuses;      /* aligned blocks cannot be realloced */
    bool skips;        /* a malloc and its free right behind are not done */
    void (*set_end)(hs_sim_t *heap,
                    bool high); /* NULL: no request asks for it, or one end is all */
} hs_fit_run_t;

static uint32_t align_log2(const hs_fit_step_t *step)
{
    return step->what >> HS_FIT_ALIGN_SHIFT & 31u;
}

static uint32_t slot_of(const hs_fit_step_t *step)
{
    return step->slot & ~HS_FIT_HIGH;
}

/* hs_chip_allocate on one region: a request larger than it is never passed on. */
static bool is_passed_on(const hs_fit_run_t *run, const hs_fit_step_t *step)
{
    return step->size <= run->heap->size && (step->what & HS_FIT_NEVER) == 0;
}

/* The size that an allocation asks the heap for. */
static uint32_t requested_of(const hs_fit_step_t *step)
{
    return step->what & HS_FIT_WORDS ? (step->size + 3u) & ~UINT32_C(3) : step->size;
}

static uint32_t allocate(const hs_fit_run_t *run, const hs_fit_step_t *step)
{
    if (!is_passed_on(run, step)) {
        return HS_NONE;
    }
    const uint32_t size = requested_of(step);
    if (step->what & HS_FIT_ALIGNED) {
        return hs_sim_aligned(run->heap, UINT32_C(1) << align_log2(step), size, 0);
    }
    return hs_sim_malloc(run->heap, size);
}

static bool reallocate(const hs_fit_run_t *run, const hs_fit_step_t *step)
{
    if (run->refuses && (step->what & HS_FIT_ALIGNED)) {
        return true; /* left out, as replay does: no allocation failed */
    }
    if (!is_passed_on(run, step)) {
        return false;
    }
    const uint32_t slot = slot_of(step);
    const uint32_t offset = hs_sim_realloc(run->heap, run->offsets[slot], step->size);
    if (offset == HS_NONE) {
        return false;
    }
    run->offsets[slot] = offset;
    return true;
}

/* A malloc or calloc with nothing to be minded, as nearly all are. */
static inline bool is_plain(const hs_fit_run_t *run, const hs_fit_step_t *step)
{
    const uint32_t kind = step->what & HS_FIT_KIND;
    const uint32_t minded = HS_FIT_ALIGNED | HS_FIT_NEVER | HS_FIT_WORDS;
    return kind - HS_EVENT_MALLOC <= HS_EVENT_CALLOC - HS_EVENT_MALLOC &&
           (step->what & minded) == 0 && run->set_end == NULL && step->size <= run->heap->size;
}

/* False: the step's request was refused. */
static inline bool take(const hs_fit_run_t *run, const hs_fit_step_t *step)
{
    const uint32_t kind = step->what & HS_FIT_KIND;
    if (is_plain(run, step)) {
        const uint32_t offset = hs_sim_malloc(run->heap, step->size);
        run->offsets[slot_of(step)] = offset;
        return offset != HS_NONE;
    }
    if (kind == HS_EVENT_FREE) {
        hs_sim_free(run->heap, run->offsets[slot_of(step)], (step->what & HS_FIT_ALIGNED) != 0);
        return true;
    }
    if (run->set_end != NULL) {
        run->set_end(run->heap, (step->slot & HS_FIT_HIGH) != 0);
    }
    if (kind - 1u <= HS_EVENT_ALIGNED - 1u) {
        run->offsets[slot_of(step)] = allocate(run, step);
        return run->offsets[slot_of(step)] != HS_NONE;
    }
    return kind != HS_EVENT_REALLOC || reallocate(run, step);
}

/* A malloc whose block the next step frees again, where both leave the heap as it was: would it be served?
 * `served`: what is known to be, and so is all that is smaller. */
static inline bool would_take(const hs_fit_run_t *run, const hs_fit_step_t *step, uint32_t *served)
{
    const uint32_t size = requested_of(step);
    if (size <= *served && is_passed_on(run, step)) {
        return true;
    }
    *served = size;
    return is_passed_on(run, step) && hs_sim_fits(run->heap, 0, size, 0);
}

static inline bool is_undone(const hs_fit_step_t *step)
{
    return (step->what & HS_FIT_UNDONE) != 0 && (step->what & HS_FIT_KIND) < HS_EVENT_ALIGNED;
}

static uint64_t replay(const hs_fit_t *fit, const hs_fit_run_t *run)
{
    uint64_t done = 0;
    uint32_t served = 0; /* as the heap is now */
    for (size_t c = 0; c < fit->chunk_count; c++) {
        const hs_fit_step_t *steps = fit->chunks[c];
        const uint64_t left = fit->steps - done;
        const size_t count = left < HS_FIT_CHUNK ? (size_t)left : HS_FIT_CHUNK;
        for (size_t i = 0; i < count; i++) {
            if (run->skips && is_undone(&steps[i])) {
                if (!would_take(run, &steps[i], &served)) {
                    return done + i;
                }
                i++; /* its free */
                continue;
            }
            if (!take(run, &steps[i])) {
                return done + i;
            }
            served = 0;
        }
        done += count;
    }
    return done;
}

static const hs_fit_step_t *step_at(const hs_fit_t *fit, uint64_t index)
{
    return &fit->chunks[index / HS_FIT_CHUNK][index % HS_FIT_CHUNK];
}

/* The number of the event that the step stands for. */
static uint64_t event_of(const hs_fit_t *fit, uint64_t index)
{
    uint64_t number = 0;
    for (uint64_t i = 0; i < index; i++) {
        number += (step_at(fit, i)->what & HS_FIT_EXTRA) == 0;
    }
    return number;
}

static void report(const hs_fit_t *fit, const hs_model_t *model, uint64_t index, hs_lab_fit_t *out)
{
    const hs_fit_step_t *step = step_at(fit, index);
    const bool aligned = (step->what & HS_FIT_KIND) == HS_EVENT_ALIGNED;
    out->outcome = HS_LAB_FIT_FAILS;
    if ((step->what & HS_FIT_NEVER) ||
        (aligned && (!model->has_aligned || align_log2(step) > ALIGN_LOG2_MAX))) {
        out->outcome = HS_LAB_FIT_NEVER;
    }
    out->event = event_of(fit, index);
    out->size = fit->huge != 0 && index == fit->huge_at ? fit->huge : step->size;
    out->call = step->what & HS_FIT_KIND;
    out->task = step->what >> HS_FIT_TASK_SHIFT;
    out->align = aligned ? UINT32_C(1) << align_log2(step) : 0;
}

/* Why there is no heap: the allocator's own limits, or the host's memory? */
static hs_status_t no_heap(uint32_t size, hs_lab_fit_t *out)
{
    void *probe = malloc(size);
    if (probe == NULL) {
        return HS_ERR_MEMORY;
    }
    free(probe);
    out->outcome = HS_LAB_FIT_NO_HEAP;
    return HS_OK;
}

hs_status_t hs_fit_try(const hs_fit_t *fit, hs_allocator_t allocator, uint32_t size,
                       hs_lab_fit_t *out)
{
    memset(out, 0, sizeof *out);
    out->event = HS_LAB_NEVER;
    out->outcome = HS_LAB_FIT_SURVIVES;
    const hs_model_t *model = allocator.model;
    hs_fit_run_t run = {.refuses = model->aligned_is_own,
                        .skips = model->undoes_malloc && model->serves_up_to_largest};
    run.set_end = fit->rules.highs != 0 ? allocator.model->set_end : NULL;
    run.heap = hs_sim_new(allocator, fit->base, size, NULL);
    if (run.heap == NULL) {
        return no_heap(size, out);
    }
    run.heap->places_alone = true;
    run.offsets = malloc((fit->blocks.used + 1) * sizeof *run.offsets);
    if (run.offsets != NULL) {
        const uint64_t done = replay(fit, &run);
        if (done < fit->steps) {
            report(fit, allocator.model, done, out);
        }
    }
    const hs_status_t status = run.offsets == NULL ? HS_ERR_MEMORY : HS_OK;
    hs_sim_delete(run.heap);
    free(run.offsets);
    return status;
}

uint32_t hs_fit_likeness(const hs_fit_t *fit, hs_allocator_t allocator, uint32_t size)
{
    const bool flavoured = allocator.light || allocator.track || allocator.guard != 0;
    if (fit->aligned || flavoured || allocator.model->likeness == NULL) {
        return 0;
    }
    hs_sim_t *heap = hs_sim_new(allocator, fit->base, size, NULL);
    const uint32_t likeness = heap == NULL ? 0 : allocator.model->likeness(heap);
    hs_sim_delete(heap);
    return likeness;
}
