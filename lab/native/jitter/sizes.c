#include "jitter/sizes.h"

#include <stdlib.h>

#include "jitter/chance.h"

#define SLOTS_PER_SITE 2u
#define FIRST 256u

void hs_sizes_free(hs_sizes_t *sizes)
{
    free(sizes->sites);
    free(sizes->slots);
    *sizes = (hs_sizes_t){NULL, NULL, 0, 0};
}

static uint64_t size_class(uint64_t size)
{
    uint64_t bits = 0;
    for (; size != 0; size >>= 1) {
        bits++;
    }
    return bits;
}

static uint64_t place_of(const hs_event_t *event)
{
    const uint64_t class = event->site != 0 ? 0 : size_class(event->size);
    return event->site | class << 32 | (uint64_t)event->kind << 40 |
           (uint64_t)event->align_log2 << 44;
}

static uint64_t caller_of(const hs_event_t *event)
{
    return event->task | (uint64_t)event->caps << 32;
}

/* The slot of the site, or the empty one where it would be. */
static size_t slot_of(const hs_sizes_t *sizes, uint64_t place, uint64_t caller)
{
    const size_t mask = sizes->capacity * SLOTS_PER_SITE - 1;
    size_t slot = (size_t)hs_chance_draw(0, place, caller) & mask;
    while (sizes->slots[slot] != 0) { /* ends: at least half are empty */
        const hs_sizes_site_t *site = &sizes->sites[sizes->slots[slot] - 1];
        if (site->place == place && site->caller == caller) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool grow(hs_sizes_t *sizes)
{
    const size_t capacity = sizes->capacity == 0 ? FIRST : sizes->capacity * 2;
    hs_sizes_site_t *sites = realloc(sizes->sites, capacity * sizeof *sites);
    sizes->sites = sites != NULL ? sites : sizes->sites;
    uint32_t *slots = calloc(capacity * SLOTS_PER_SITE, sizeof *slots);
    if (sites == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    free(sizes->slots);
    sizes->slots = slots;
    sizes->capacity = capacity;
    for (size_t i = 0; i < sizes->count; i++) {
        slots[slot_of(sizes, sites[i].place, sites[i].caller)] = (uint32_t)i + 1;
    }
    return true;
}

/* Each of the requests so far is among those kept with the same chance. */
static void keep(hs_sizes_site_t *site, uint32_t size)
{
    const uint64_t draw = hs_chance_draw(site->place, site->caller, site->seen);
    const uint64_t at = site->seen < HS_SIZES_KEPT ? site->seen : draw % (site->seen + 1);
    if (at < HS_SIZES_KEPT) {
        site->kept[at] = size;
    }
    site->least = size < site->least ? size : site->least;
    site->most = size > site->most ? size : site->most;
    site->seen++;
}

bool hs_sizes_note(hs_sizes_t *sizes, const hs_event_t *event)
{
    if (sizes->count == sizes->capacity && sizes->count < HS_SIZES_SITES_MAX && !grow(sizes)) {
        return false;
    }
    const uint64_t place = place_of(event), caller = caller_of(event);
    uint32_t *slot = &sizes->slots[slot_of(sizes, place, caller)];
    if (*slot == 0) {
        if (sizes->count == HS_SIZES_SITES_MAX) {
            return true;
        }
        sizes->sites[sizes->count++] = (hs_sizes_site_t){place, caller, 0, UINT32_MAX, 0, {0}};
        *slot = (uint32_t)sizes->count;
    }
    keep(&sizes->sites[*slot - 1], (uint32_t)event->size);
    return true;
}

const hs_sizes_site_t *hs_sizes_find(const hs_sizes_t *sizes, const hs_event_t *event)
{
    if (sizes->count == 0) {
        return NULL;
    }
    const uint32_t match = sizes->slots[slot_of(sizes, place_of(event), caller_of(event))];
    return match == 0 ? NULL : &sizes->sites[match - 1];
}

size_t hs_sizes_varied(const hs_sizes_t *sizes)
{
    size_t varied = 0;
    for (size_t i = 0; i < sizes->count; i++) {
        varied += sizes->sites[i].least != sizes->sites[i].most;
    }
    return varied;
}
