/* The recorded program's own calls and blocks, whatever any heap made of them. */
#ifndef HEAPSCOPE_NATIVE_CENSUS_H
#define HEAPSCOPE_NATIVE_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/trace.h"
#include "rows/trace.h"

/* Indices of one name table seen so far, a bit each. */
typedef struct hs_census_set {
    uint8_t *seen;
    size_t size;
    uint32_t last;
    uint32_t count;
} hs_census_set_t;

typedef struct hs_census {
    hs_lab_census_t figures; /* all but counts by kind, tasks, sites; blocks from the replay */
    uint64_t kinds[32];      /* events by hs_event_kind_t */
    hs_census_set_t tasks;
    hs_census_set_t sites;
} hs_census_t;

/* Whether a clock that changed so often separates so many events: few share one of its values, or it has many. */
bool hs_census_separates(uint64_t events, uint64_t ticks);

void hs_census_init(hs_census_t *census);
void hs_census_free(hs_census_t *census);
/* Is the index noted? */
static inline bool hs_census_has(const hs_census_set_t *set, uint32_t index)
{
    return index / 8 < set->size && ((unsigned)set->seen[index / 8] >> index % 8 & 1u) != 0;
}
/* The lowest noted index from `index` on; UINT32_MAX: none. Bound: the set's bytes. */
uint32_t hs_census_next(const hs_census_set_t *set, uint32_t index);
/* A task or site other than the event before came from. */
void hs_census_origin(hs_census_t *census, const hs_event_t *event);
/* Any event: counts it by kind and origin. */
static inline void hs_census_event(hs_census_t *census, const hs_event_t *event)
{
    census->kinds[event->kind & 31u]++;
    if (event->task != census->tasks.last || event->site != census->sites.last) {
        hs_census_origin(census, event);
    }
}
/* A block of `size` bytes comes to life; returns what is counted of it, HS_CENSUS_SIZE_MAX at the
 * most, so that no sum overflows. Later a block ends of which so much was counted. */
#define HS_CENSUS_SIZE_MAX (UINT64_C(1) << 40)
uint64_t hs_census_gain(hs_census_t *census, uint64_t size, uint64_t number);
void hs_census_lose(hs_census_t *census, uint64_t size);
void hs_census_figures(const hs_census_t *census, hs_lab_census_t *out);

#endif
