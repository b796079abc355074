#include "measure/census.h"

#include <stdlib.h>
#include <string.h>

#include "heapscope/assert.h"

void hs_census_init(hs_census_t *census)
{
    memset(census, 0, sizeof *census);
    census->figures.live_peak_event = HS_LAB_NEVER;
    census->tasks.last = UINT32_MAX;
    census->sites.last = UINT32_MAX;
}

void hs_census_free(hs_census_t *census)
{
    free(census->tasks.seen);
    free(census->sites.seen);
    memset(census, 0, sizeof *census);
}

#define TICKS_MANY 64
#define EVENTS_A_TICK 32

bool hs_census_separates(uint64_t events, uint64_t ticks)
{
    return ticks >= TICKS_MANY || events <= EVENTS_A_TICK * ticks;
}

/* Counts an index once; the set grows to the highest one used (bounded by HS_NAME_INDEX_MAX). */
static void note_new(hs_census_set_t *set, uint32_t index)
{
    const size_t byte = index / 8;
    set->last = index;
    if (byte >= set->size) {
        const size_t grown = byte * 2 + 64;
        uint8_t *moved = realloc(set->seen, grown);
        if (moved == NULL) {
            return;
        }
        memset(moved + set->size, 0, grown - set->size);
        set->seen = moved;
        set->size = grown;
    }
    const uint8_t bit = (uint8_t)(1u << (index % 8));
    set->count += !(set->seen[byte] & bit);
    set->seen[byte] |= bit;
}

uint32_t hs_census_next(const hs_census_set_t *set, uint32_t index)
{
    while (index / 8 < set->size) {
        if (hs_census_has(set, index)) {
            return index;
        }
        index = set->seen[index / 8] != 0 ? index + 1 : (index / 8 + 1) * 8;
    }
    return UINT32_MAX;
}

void hs_census_origin(hs_census_t *census, const hs_event_t *event)
{
    if (!HS_EVENT_IS_HEAP(event->kind)) {
        return;
    }
    if (event->task != census->tasks.last) {
        note_new(&census->tasks, event->task);
    }
    if (event->site != census->sites.last) {
        if (event->site != 0) {
            note_new(&census->sites, event->site);
        }
        census->sites.last = event->site;
    }
}

uint64_t hs_census_gain(hs_census_t *census, uint64_t size, uint64_t number)
{
    hs_lab_census_t *figures = &census->figures;
    uint64_t counted = size;
    if (size > UINT32_MAX) {
        figures->word_excess++;
        counted = size < HS_CENSUS_SIZE_MAX ? size : HS_CENSUS_SIZE_MAX;
    }
    figures->live += counted;
    if (figures->live > figures->live_peak) {
        figures->live_peak = figures->live;
        figures->live_peak_event = number;
    }
    if (size > figures->largest_request) {
        figures->largest_request = size;
    }
    return counted;
}

void hs_census_lose(hs_census_t *census, uint64_t size)
{
    HS_ASSERT(census->figures.live >= size);
    census->figures.live -= size;
}

void hs_census_figures(const hs_census_t *census, hs_lab_census_t *out)
{
    *out = census->figures;
    out->mallocs = census->kinds[HS_EVENT_MALLOC];
    out->callocs = census->kinds[HS_EVENT_CALLOC];
    out->aligneds = census->kinds[HS_EVENT_ALIGNED];
    out->reallocs = census->kinds[HS_EVENT_REALLOC];
    out->frees = census->kinds[HS_EVENT_FREE];
    out->failed = census->kinds[HS_EVENT_FAILED];
    out->marks = census->kinds[HS_EVENT_MARK];
    out->events =
        out->mallocs + out->callocs + out->aligneds + out->reallocs + out->frees + out->failed;
    out->by_time = hs_census_separates(out->events, out->ticks);
    out->tasks = census->tasks.count;
    out->sites = census->sites.count;
}
