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
                          : lows->region[i].largest;
            largest = here > largest ? here : largest;
        }
    }
    return largest;
}

void hs_lows_init(hs_lows_t *lows, const hs_regions_t *regions)
{
    memset(lows, 0, sizeof *lows);
    for (uint32_t i = 0; i < regions->count; i++) {
        hs_low_region_t *low = &lows->region[i];
        hs_heap_t *heap = regions->region[i].heap;
        low->minimum_free_event = HS_LAB_NEVER;
        low->minimum_largest_event = HS_LAB_NEVER;
        if (heap != NULL) {
            heap->tally.lowest_free = heap->tally.free;
            low->free = low->minimum_free = heap->tally.free;
            low->largest = low->minimum_largest = hs_heap_largest_allocatable(heap);
        }
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

static void add_set(hs_lows_t *lows, const hs_regions_t *regions, uint32_t mask, bool exec)
{
    const uint32_t index = lows->set_count++;
    hs_low_set_t *set = &lows->set[index];
    set->mask = mask;
    set->exec = exec;
    for (uint32_t i = 0; i < regions->count; i++) {
        if (mask >> i & 1u) {
            set->free += lows->region[i].free;
            lows->region[i].sets |= UINT32_C(1) << index;
        }
    }
    set->minimum_free = set->free;
    set->largest = set->minimum_largest = set_largest(lows, regions, set);
    set->minimum_free_event = HS_LAB_NEVER;
    set->minimum_largest_event = HS_LAB_NEVER;
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

static void settle_set(hs_low_set_t *set, const change_t *change, uint64_t event)
{
    set->free += change->free;
    set->payload += change->payload;
    if (set->free - change->dip < set->minimum_free) {
        set->minimum_free = set->free - change->dip;
        set->minimum_free_event = event;
    }
}

static change_t settle_region(hs_low_region_t *low, hs_heap_t *heap, uint64_t event)
{
    hs_tally_t *tally = &heap->tally;
    const uint32_t largest = hs_heap_largest_allocatable(heap);
    const change_t change = {tally->free - low->free, tally->free - tally->lowest_free,
                             low->payload - low->seen_payload, largest != low->largest};
    if (tally->lowest_free < low->minimum_free) {
        low->minimum_free = tally->lowest_free;
        low->minimum_free_event = event;
    }
    if (largest < low->minimum_largest) {
        low->minimum_largest = largest;
        low->minimum_largest_event = event;
    }
    if (low->payload > low->peak_payload) {
        low->peak_payload = low->payload;
    }
    low->free = tally->free;
    low->largest = largest;
    low->seen_payload = low->payload;
    tally->lowest_free = tally->free;
    return change;
}

/* When the event is over, since a block that moves between regions changes two of them: the sets it
 * touched, and among them those whose largest may be another. */
static void settle_end(hs_lows_t *lows, const hs_regions_t *regions, uint32_t sets,
                       uint32_t changed, uint64_t event)
{
    for (hs_low_set_t *set = lows->set; sets != 0; set++, sets >>= 1, changed >>= 1) {
        if ((sets & 1u) && set->payload > set->peak_payload) {
            set->peak_payload = set->payload;
        }
        if (changed & 1u) {
            set->largest = set_largest(lows, regions, set);
            if (set->largest < set->minimum_largest) {
                set->minimum_largest = set->largest;
                set->minimum_largest_event = event;
            }
        }
    }
}

bool hs_lows_settle(hs_lows_t *lows, const hs_regions_t *regions, const uint32_t *touched,
                    uint32_t count, uint64_t event)
{
    uint32_t all = 0, changed = 0; /* sets with a region that, or whose largest, changed */
    for (uint32_t i = 0; i < count; i++) {
        hs_low_region_t *low = &lows->region[touched[i]];
        const change_t change = settle_region(low, regions->region[touched[i]].heap, event);
        uint32_t sets = low->sets;
        all |= sets;
        changed |= change.largest ? sets : 0;
        for (uint32_t s = 0; sets != 0; s++, sets >>= 1) {
            if (sets & 1u) {
                settle_set(&lows->set[s], &change, event);
            }
        }
    }
    settle_end(lows, regions, all, changed, event);
    return changed != 0;
}
