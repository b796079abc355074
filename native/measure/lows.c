#include "measure/lows.h"

#include <string.h>

static uint32_t set_largest(const hs_lows_t *lows, const hs_regions_t *regions,
                            const hs_low_set_t *set)
{
    uint32_t largest = 0;
    uint32_t mask = set->mask;
    for (uint32_t i = 0; mask != 0; i++, mask >>= 1) {
        if (mask & 1u) {
            const uint32_t here =
                set->exec ? hs_region_largest_allocatable(&regions->region[i], HS_CAP_EXEC)
                          : lows->region[i].low.largest;
            largest = here > largest ? here : largest;
        }
    }
    return largest;
}

static void begin(hs_low_t *low, uint32_t free, uint32_t largest)
{
    low->free = low->minimum_free = free;
    low->largest = low->minimum_largest = largest;
    low->minimum_free_event = HS_LAB_NEVER;
    low->minimum_largest_event = HS_LAB_NEVER;
}

void hs_lows_init(hs_lows_t *lows, const hs_regions_t *regions)
{
    memset(lows, 0, sizeof *lows);
    for (uint32_t i = 0; i < regions->count; i++) {
        hs_low_region_t *region = &lows->region[i];
        hs_heap_t *heap = regions->region[i].heap;
        begin(&region->low, 0, 0);
        if (heap != NULL) {
            heap->tally.lowest_free = heap->tally.free;
            begin(&region->low, heap->tally.free, hs_heap_largest_allocatable(heap));
        }
        region->least_free = region->most_free = region->low.free;
    }
}

static bool pays_for_alias(const hs_regions_t *regions, uint32_t mask, uint32_t caps)
{
    bool aliased = false;
    for (uint32_t i = 0; i < regions->count; i++) {
        aliased |= (mask >> i & 1u) && regions->region[i].iram_alias;
    }
    return aliased && (caps & HS_CAP_EXEC);
}

/* The one region of a mask, if there is just one. */
static uint32_t only_region(uint32_t mask)
{
    if (mask == 0 || (mask & (mask - 1)) != 0) {
        return UINT32_MAX;
    }
    uint32_t index = 0;
    while (!(mask >> index & 1u)) {
        index++;
    }
    return index;
}

static void add_set(hs_lows_t *lows, const hs_regions_t *regions, uint32_t mask, bool exec)
{
    const uint32_t index = lows->set_count++;
    hs_low_set_t *set = &lows->set[index];
    uint32_t free = 0;
    set->mask = mask;
    set->exec = exec;
    set->only = exec ? UINT32_MAX : only_region(mask);
    for (uint32_t i = 0; i < regions->count; i++) {
        hs_low_region_t *region = &lows->region[i];
        if ((mask >> i & 1u) && set->only == UINT32_MAX) {
            free += region->low.free;
            region->sets[region->set_count++] = (uint8_t)index;
        }
    }
    begin(&set->low, free, set_largest(lows, regions, set));
}

uint32_t hs_lows_set(hs_lows_t *lows, const hs_regions_t *regions, uint32_t mask, uint32_t caps)
{
    const bool exec = pays_for_alias(regions, mask, caps);
    for (uint32_t s = 0; s < lows->set_count; s++) {
        if (lows->set[s].mask == mask && lows->set[s].exec == exec) {
            return s;
        }
    }
    add_set(lows, regions, mask, exec);
    return lows->set_count - 1;
}

typedef struct change {
    uint32_t free;    /* difference, modulo 2^32 */
    uint32_t dip;     /* how far below the final state the event went on its way */
    uint32_t payload; /* difference, modulo 2^32 */
    bool largest;
} change_t;

static inline void note_free(hs_low_t *low, uint32_t lowest, uint64_t event)
{
    if (lowest < low->minimum_free) {
        low->minimum_free = lowest;
        low->minimum_free_event = event;
    }
}

static inline void note_payload(hs_low_t *low, uint32_t payload)
{
    low->payload = payload;
    if (payload > low->peak_payload) {
        low->peak_payload = payload;
    }
}

static inline void note_largest(hs_low_t *low, uint32_t largest, uint64_t event)
{
    low->largest = largest;
    if (largest < low->minimum_largest) {
        low->minimum_largest = largest;
        low->minimum_largest_event = event;
    }
}

static inline change_t settle_region(hs_low_region_t *region, hs_heap_t *heap, uint64_t event)
{
    hs_low_t *low = &region->low;
    const uint32_t free = heap->tally.free, lowest = heap->tally.lowest_free;
    const uint32_t largest = hs_heap_largest_allocatable(heap);
    const change_t change = {free - low->free, free - lowest, region->payload - low->payload,
                             largest != low->largest};
    if (free < region->least_free) {
        region->least_free = free;
    } else if (free > region->most_free) {
        region->most_free = free;
    }
    low->free = free;
    heap->tally.lowest_free = free;
    note_free(low, lowest, event);
    note_payload(low, region->payload);
    if (change.largest) {
        note_largest(low, largest, event);
    }
    return change;
}

/* Largest and peak wait for the event's end: a block that moves changes two regions. */
static void settle_sets(hs_lows_t *lows, const hs_low_region_t *region, const change_t *change,
                        uint64_t event)
{
    for (uint32_t i = 0; i < region->set_count; i++) {
        hs_low_t *low = &lows->set[region->sets[i]].low;
        low->free += change->free;
        low->payload += change->payload;
        note_free(low, low->free - change->dip, event);
    }
}

static void settle_end(hs_lows_t *lows, const hs_regions_t *regions, const hs_low_region_t *region,
                       bool changed, uint64_t event)
{
    for (uint32_t i = 0; i < region->set_count; i++) {
        hs_low_set_t *set = &lows->set[region->sets[i]];
        note_payload(&set->low, set->low.payload);
        if (changed) {
            note_largest(&set->low, set_largest(lows, regions, set), event);
        }
    }
}

bool hs_lows_settle(hs_lows_t *lows, const hs_regions_t *regions, uint32_t index, uint64_t event)
{
    hs_low_region_t *region = &lows->region[index];
    const change_t change = settle_region(region, regions->region[index].heap, event);
    if (region->set_count != 0) {
        settle_sets(lows, region, &change, event);
        settle_end(lows, regions, region, change.largest, event);
    }
    return change.largest;
}

bool hs_lows_settle_move(hs_lows_t *lows, const hs_regions_t *regions, uint32_t to, uint32_t from,
                         uint64_t event)
{
    hs_low_region_t *new_region = &lows->region[to], *old_region = &lows->region[from];
    const change_t gain = settle_region(new_region, regions->region[to].heap, event);
    settle_sets(lows, new_region, &gain, event);
    const change_t loss = settle_region(old_region, regions->region[from].heap, event);
    settle_sets(lows, old_region, &loss, event);
    settle_end(lows, regions, new_region, gain.largest || loss.largest, event);
    settle_end(lows, regions, old_region, gain.largest || loss.largest, event);
    return gain.largest || loss.largest;
}
