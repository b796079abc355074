/* Composed runs, for the binding. */
#include "week/week.h"

#include <stdlib.h>

#include "lab/steps.h"

struct hs_lab_week {
    hs_week_t week;
};

uint64_t hs_lab_steps_count(const hs_lab_steps_t *steps)
{
    return steps->fit.steps;
}

hs_lab_week_t *hs_lab_week_new(hs_lab_steps_t *const *traces, const hs_lab_actor_t *actors,
                               size_t count, const hs_lab_week_heap_t *heaps, size_t heap_count,
                               int *status)
{
    hs_lab_week_t *made = malloc(sizeof *made);
    const hs_fit_t **fits = calloc(count + 1, sizeof *fits);
    hs_status_t result = HS_ERR_MEMORY;
    if (made != NULL && fits != NULL) {
        for (size_t i = 0; i < count; i++) {
            fits[i] = &traces[i]->fit;
        }
        result = hs_week_init(&made->week, fits, actors, count, heaps, heap_count);
    }
    free(fits);
    *status = (int)result;
    if (result != HS_OK) {
        free(made);
        return NULL;
    }
    return made;
}

void hs_lab_week_delete(hs_lab_week_t *week)
{
    if (week != NULL) {
        hs_week_free(&week->week);
        free(week);
    }
}

int hs_lab_week_play(hs_lab_week_t *week, const hs_lab_turn_t *turns, size_t count,
                     hs_lab_turn_row_t *rows)
{
    return (int)hs_week_play(&week->week, turns, count, rows);
}

void hs_lab_week_totals(const hs_lab_week_t *week, hs_lab_week_totals_t *out)
{
    *out = week->week.totals;
}
