/* Trying pools, for the binding. */
#include <stdlib.h>

#include "allocators/allocators.h"
#include "fit/bound.h"
#include "fit/fit.h"
#include "lab/reader.h"
#include "lab/steps.h"
#include "offline/offline.h"

hs_lab_steps_t *hs_lab_steps_new(uint32_t base)
{
    hs_lab_steps_t *steps = malloc(sizeof *steps);
    if (steps != NULL && hs_fit_init(&steps->fit, base) != HS_OK) {
        free(steps);
        return NULL;
    }
    return steps;
}

void hs_lab_steps_delete(hs_lab_steps_t *steps)
{
    if (steps != NULL) {
        hs_fit_free(&steps->fit);
        free(steps);
    }
}

int hs_lab_reader_load(hs_lab_reader_t *reader, hs_lab_steps_t *steps)
{
    if (!reader->replay.census_only || reader->replay.begun) {
        return (int)HS_ERR_ARGUMENT;
    }
    reader->fit = &steps->fit;
    return (int)HS_OK;
}

void hs_lab_steps_only(hs_lab_steps_t *steps, uint32_t task)
{
    steps->fit.only = task;
}

int hs_lab_steps_ends(hs_lab_steps_t *steps, const hs_lab_config_t *config)
{
    return (int)hs_fit_ends(&steps->fit, config);
}

uint64_t hs_lab_steps_peak(const hs_lab_steps_t *steps)
{
    return steps->fit.requested_peak;
}

uint64_t hs_lab_steps_floor(const hs_lab_steps_t *steps)
{
    return steps->fit.floor;
}

int hs_lab_steps_offline(const hs_lab_steps_t *steps, hs_lab_offline_t *out)
{
    return (int)hs_offline(&steps->fit, out);
}

int hs_lab_steps_bound(const hs_lab_steps_t *steps, const char *allocator, hs_lab_bound_t *out)
{
    hs_allocator_t parsed;
    if (hs_allocator_parse(allocator, &parsed) != HS_OK) {
        return (int)HS_ERR_ARGUMENT;
    }
    return (int)hs_fit_bound(&steps->fit, parsed, out);
}

int hs_lab_steps_try(const hs_lab_steps_t *steps, const char *allocator, uint32_t size,
                     hs_lab_fit_t *out)
{
    hs_allocator_t parsed;
    if (size == 0 || hs_allocator_parse(allocator, &parsed) != HS_OK) {
        return (int)HS_ERR_ARGUMENT;
    }
    return (int)hs_fit_try(&steps->fit, parsed, size, out);
}

uint32_t hs_lab_steps_likeness(const hs_lab_steps_t *steps, const char *allocator, uint32_t size)
{
    hs_allocator_t parsed;
    if (size == 0 || hs_allocator_parse(allocator, &parsed) != HS_OK) {
        return 0;
    }
    return hs_fit_likeness(&steps->fit, parsed, size);
}

int hs_lab_keeps_places(const char *allocator)
{
    hs_allocator_t parsed;
    return hs_allocator_parse(allocator, &parsed) == HS_OK && parsed.model->keeps_places;
}

int hs_lab_has_heap(const char *allocator, uint32_t base, uint32_t size)
{
    hs_allocator_t parsed;
    if (hs_allocator_parse(allocator, &parsed) != HS_OK) {
        return 0;
    }
    hs_sim_t *heap = hs_sim_new(parsed, base, size, NULL);
    const int has = heap != NULL;
    hs_sim_delete(heap);
    return has;
}
