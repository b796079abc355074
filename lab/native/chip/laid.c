#include "chip/laid.h"

#include <stdlib.h>

/* Whether a block lies in the region, and where. */
static bool offset_in(const hs_chip_region_t *region, uint64_t address, uint32_t *offset)
{
    const uint64_t away = address - region->start;
    *offset = (uint32_t)away;
    return address >= region->start && away < region->size;
}

/* The blocks of one region; false: some can be of no heap there. */
static bool collect(const hs_chip_region_t *region, const hs_event_t *blocks, size_t count,
                    hs_laid_t *out, size_t *match)
{
    *match = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t offset;
        if (offset_in(region, blocks[i].key, &offset)) {
            if (blocks[i].heap != 0 || blocks[i].size == 0 || blocks[i].size > region->size) {
                return false;
            }
            out[(*match)++] = (hs_laid_t){
                .offset = offset, .size = (uint32_t)blocks[i].size, .held = blocks[i].new_key != 0};
        }
    }
    return true;
}

uint32_t hs_chip_lay(hs_chip_t *chip, const hs_event_t *blocks, size_t count)
{
    uint32_t laid = 0;
    hs_laid_t *match = malloc((count + 1) * sizeof *match);
    for (uint32_t i = 0; match != NULL && i < chip->count; i++) {
        hs_chip_region_t *region = &chip->region[i];
        size_t size;
        if (region->heap != NULL && !region->private_heap &&
            collect(region, blocks, count, match, &size) && size != 0 &&
            hs_sim_lay(region->heap, match, size)) {
            region->startup = 0;
            laid |= UINT32_C(1) << i;
        }
    }
    free(match);
    return laid;
}

bool hs_chip_laid(const hs_chip_t *chip, uint32_t regions, uint64_t address, hs_place_t *place)
{
    for (uint32_t i = 0; i < chip->count; i++) {
        const hs_chip_region_t *region = &chip->region[i];
        uint32_t offset;
        if ((regions >> i & 1u) && offset_in(region, address, &offset)) {
            const uint32_t held =
                hs_sim_usable(region->heap, offset, false) + hs_sim_overhead(region->heap);
            *place = (hs_place_t){.region = i, .offset = offset, .held = held};
            return true;
        }
    }
    return false;
}
