/* One heap alone, without a trace: what an allocator makes of a region, and what it does for the
 * requests of a published experiment. */
#include <stdlib.h>

#include "allocators/allocators.h"
#include "lab/lab.h"

static hs_status_t open_heap(const char *allocator, uint32_t base, uint32_t size, hs_sim_t **out)
{
    hs_allocator_t parsed;
    hs_status_t status = hs_allocator_parse(allocator, &parsed);
    if (status != HS_OK) {
        return status;
    }
    *out = hs_sim_new(parsed, base, size, &status);
    return status;
}

static void describe(const hs_sim_t *heap, uint32_t blocks, hs_lab_filled_t *out)
{
    const hs_tally_t *tally = &heap->tally;
    hs_reported_t reported;
    hs_sim_reported(heap, &reported);
    *out = (hs_lab_filled_t){
        .blocks = blocks,
        .control = tally->control,
        .used = tally->used,
        .headers = heap->size - tally->control - tally->used - tally->free,
        .free = tally->free,
        .reported_free = reported.free,
    };
}

int hs_lab_fill_heap(const char *allocator, uint32_t base, uint32_t size, uint32_t block,
                     uint32_t most, hs_lab_filled_t *out)
{
    hs_sim_t *heap;
    hs_status_t status = open_heap(allocator, base, size, &heap);
    if (status != HS_OK) {
        return (int)status;
    }
    uint32_t blocks = 0;
    while (blocks < most && hs_sim_malloc(heap, block) != HS_NONE) {
        blocks++;
    }
    describe(heap, blocks, out);
    hs_sim_delete(heap);
    return (int)HS_OK;
}

/* ---- the drill -------------------------------------------------------------------------------- */

/* A phase is the difference between the steps at its end and at its beginning. */
static void begin(hs_lab_phase_t *phase, const hs_sim_t *heap)
{
    const hs_steps_t *steps = &heap->steps;
    *phase = (hs_lab_phase_t){
        .nodes = 0 - steps->nodes,
        .bins = 0 - steps->bins,
        .writes = 0 - steps->writes,
        .copied = 0 - steps->copied,
    };
}

static void end(hs_lab_phase_t *phase, const hs_sim_t *heap)
{
    const hs_steps_t *steps = &heap->steps;
    phase->nodes += steps->nodes;
    phase->bins += steps->bins;
    phase->writes += steps->writes;
    phase->copied += steps->copied;
}

static uint64_t steps_of(const hs_lab_phase_t *phase)
{
    return phase->nodes + phase->bins + phase->writes;
}

static void allocate(hs_sim_t *heap, uint32_t size, uint32_t count, uint32_t *blocks,
                     hs_lab_phase_t *phase)
{
    begin(phase, heap);
    phase->calls = count;
    for (uint32_t i = 0; i < count; i++) {
        blocks[i] = hs_sim_malloc(heap, size);
        phase->failures += blocks[i] == HS_NONE;
    }
    end(phase, heap);
}

/* Every second block, from the second one on. *worst: the one free with the most steps. */
static void free_odd(hs_sim_t *heap, const uint32_t *blocks, uint32_t count, hs_lab_phase_t *phase,
                     hs_lab_phase_t *worst)
{
    begin(phase, heap);
    *worst = (hs_lab_phase_t){0};
    for (uint32_t i = 1; i < count; i += 2) {
        if (blocks[i] == HS_NONE) {
            phase->failures++;
        } else {
            hs_lab_phase_t one;
            begin(&one, heap);
            one.calls = 1;
            hs_sim_free(heap, blocks[i], false);
            end(&one, heap);
            *worst = worst->calls == 0 || steps_of(&one) > steps_of(worst) ? one : *worst;
        }
        phase->calls++;
    }
    end(phase, heap);
}

int hs_lab_drill_heap(const char *allocator, uint32_t base, uint32_t size,
                      const hs_lab_drill_t *drill, hs_lab_phase_t *phases)
{
    hs_sim_t *heap;
    hs_status_t status = open_heap(allocator, base, size, &heap);
    if (status != HS_OK) {
        return (int)status;
    }
    uint32_t *blocks = calloc((size_t)drill->count + 1, sizeof *blocks);
    if (blocks != NULL) {
        allocate(heap, drill->first, 1, blocks, &phases[HS_LAB_DRILL_FIRST]);
        allocate(heap, drill->small, drill->count, blocks, &phases[HS_LAB_DRILL_SMALL]);
        free_odd(heap, blocks, drill->count, &phases[HS_LAB_DRILL_FREE],
                 &phases[HS_LAB_DRILL_WORST_FREE]);
        allocate(heap, drill->last, 1, blocks, &phases[HS_LAB_DRILL_LAST]);
    } else {
        status = HS_ERR_MEMORY;
    }
    free(blocks);
    hs_sim_delete(heap);
    return (int)status;
}
