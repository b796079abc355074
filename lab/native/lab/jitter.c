/* Perturbed runs of a trace, for the binding. */
#include <stdlib.h>

#include "jitter/shown.h"
#include "lab/reader.h"

struct hs_lab_shown {
    hs_shown_t shown;
};

hs_lab_shown_t *hs_lab_shown_new(void)
{
    hs_lab_shown_t *shown = malloc(sizeof *shown);
    if (shown != NULL && hs_shown_init(&shown->shown) != HS_OK) {
        free(shown);
        return NULL;
    }
    return shown;
}

void hs_lab_shown_delete(hs_lab_shown_t *shown)
{
    if (shown != NULL) {
        hs_shown_free(&shown->shown);
        free(shown);
    }
}

void hs_lab_shown_figures(const hs_lab_shown_t *shown, hs_lab_variety_t *out)
{
    out->allocations = shown->shown.allocations;
    out->sites = shown->shown.sizes.count;
    out->varied_sites = hs_sizes_varied(&shown->shown.sizes);
    out->visits = hs_shown_visits(&shown->shown);
    out->present_most = shown->shown.present_most;
}

int hs_lab_reader_learn(hs_lab_reader_t *reader, hs_lab_shown_t *shown)
{
    if (!reader->replay.census_only || reader->replay.begun || reader->jitter != NULL) {
        return (int)HS_ERR_ARGUMENT;
    }
    reader->shown = &shown->shown;
    return (int)HS_OK;
}

int hs_lab_reader_jitter(hs_lab_reader_t *reader, const hs_lab_shown_t *shown, uint64_t seed,
                         double strength, uint64_t reach)
{
    if (reader->replay.begun || reader->jitter != NULL || reader->shown != NULL) {
        return (int)HS_ERR_ARGUMENT;
    }
    hs_jitter_t *run = malloc(sizeof *run);
    if (run == NULL) {
        return (int)HS_ERR_MEMORY;
    }
    const hs_status_t status =
        hs_jitter_init(run, &shown->shown, seed, strength, reach, hs_reader_hand_on, reader);
    if (status != HS_OK) {
        hs_jitter_free(run);
        free(run);
        return (int)status;
    }
    reader->jitter = run;
    return (int)HS_OK;
}
