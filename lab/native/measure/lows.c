#include "measure/lows.h"

#include <string.h>

static uint32_t set_largest(const hs_lows_t *lows, const hs_chip_t *chip, const hs_low_set_t *set)
{
    uint32_t largest = 0;
    uint32_t mask = set->mask;
    for (uint32_t i = 0; mask != 0; i++, mask >>= 1) {
        if (mask & 1u) {
            const uint32_t here = set->exec
                                      ? hs_region_largest_allocatable(&chip->region[i], HS_CAP_EXEC)
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

void hs_lows_init(hs_lows_t *lows, const hs_chip_t *chip)
{
    memset(lows, 0, sizeof *lows);
    for (uint32_t i = 0; i < chip->count; i++) {
        hs_low_region_t *region = &lows->region[i];
        hs_sim_t *heap = chip->region[i].heap;
        begin(&region->low, 0, 0);
        region->raw_largest = HS_LOWS_UNKNOWN;
        if (heap != NULL) {
            heap->tally.lowest_free = heap->tally.free;
            begin(&region->low, heap->tally.free, hs_sim_largest_allocatable(heap));
        }
        region->least_free = region->most_free = region->low.free;
    }
}

static bool pays_for_alias(const hs_chip_t *chip, uint32_t mask, uint32_t caps)
{
    bool aliased = false;
    for (uint32_t i = 0; i < chip->count; i++) {
        aliased |= (mask >> i & 1u) && chip->region[i].iram_alias;
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

static void add_set(hs_lows_t *lows, const hs_chip_t *chip, uint32_t mask, bool exec)
{
    const uint32_t index = lows->set_count++;
    hs_low_set_t *set = &lows->set[index];
    uint32_t free = 0;
    set->mask = mask;
    set->exec = exec;
    set->only = exec ? UINT32_MAX : only_region(mask);
    for (uint32_t i = 0; i < chip->count; i++) {
        hs_low_region_t *region = &lows->region[i];
        if ((mask >> i & 1u) && set->only == UINT32_MAX) {
            free += region->low.free;
            region->sets[region->set_count++] = (uint8_t)index;
        }
    }
    begin(&set->low, free, set_largest(lows, chip, set));
}

uint32_t hs_lows_set(hs_lows_t *lows, const hs_chip_t *chip, uint32_t mask, uint32_t caps)
{
    const bool exec = pays_for_alias(chip, mask, caps);
    for (uint32_t s = 0; s < lows->set_count; s++) {
        if (lows->set[s].mask == mask && lows->set[s].exec == exec) {
            return s;
        }
    }
    add_set(lows, chip, mask, exec);
    return lows->set_count - 1;
}

/* Largest and peak wait for the event's end: a block that moves changes two regions. */
static unsigned settle_sets(hs_lows_t *lows, const hs_low_region_t *region,
                            const hs_low_change_t *change, uint64_t event)
{
    unsigned what = 0;
    for (uint32_t i = 0; i < region->set_count; i++) {
        hs_low_t *low = &lows->set[region->sets[i]].low;
        low->free += change->free;
        low->payload += change->payload;
        what |= hs_lows_note_free(low, low->free - change->dip, event);
    }
    return what;
}

static void settle_end(hs_lows_t *lows, const hs_chip_t *chip, const hs_low_region_t *region,
                       unsigned what, uint64_t event)
{
    for (uint32_t i = 0; i < region->set_count; i++) {
        hs_low_set_t *set = &lows->set[region->sets[i]];
        hs_lows_note_payload(&set->low, set->low.payload);
        if (what & HS_LOWS_LARGEST) {
            hs_lows_note_largest(&set->low, set_largest(lows, chip, set), event);
        }
    }
}

unsigned hs_lows_settle_several(hs_lows_t *lows, const hs_chip_t *chip,
                                const hs_low_region_t *region, hs_low_change_t change,
                                uint64_t event)
{
    const unsigned what = change.what | settle_sets(lows, region, &change, event);
    settle_end(lows, chip, region, what, event);
    return what;
}

unsigned hs_lows_settle_many(hs_lows_t *lows, const hs_chip_t *chip, const uint32_t *regions,
                             uint32_t count, uint64_t event)
{
    unsigned what = 0;
    for (uint32_t i = 0; i < count; i++) {
        hs_low_region_t *region = &lows->region[regions[i]];
        const hs_low_change_t change =
            hs_lows_settle_region(region, chip->region[regions[i]].heap, event);
        what |= change.what | settle_sets(lows, region, &change, event);
    }
    for (uint32_t i = 0; i < count; i++) {
        settle_end(lows, chip, &lows->region[regions[i]], what, event);
    }
    return what;
}
