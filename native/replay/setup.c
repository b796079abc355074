#include "replay/setup.h"

#include <string.h>

static hs_status_t create_region(hs_region_t *region, const hs_lab_region_t *config)
{
    region->start = config->start;
    region->size = config->size;
    memcpy(region->caps, config->caps, sizeof region->caps);
    region->kind = config->kind;
    region->iram_alias = config->iram_alias != 0;
    hs_allocator_t allocator;
    if (memchr(config->allocator, 0, sizeof config->allocator) == NULL ||
        hs_allocator_parse(config->allocator, &allocator) != HS_OK ||
        config->kind >= HS_LAB_KINDS_MAX) {
        return HS_ERR_ARGUMENT;
    }
    hs_status_t why = HS_OK;
    region->heap = hs_sim_new(allocator, config->start, config->size, &why);
    return region->heap != NULL || config->optional ? HS_OK : why;
}

/* One block a region; what a region cannot take is left to the next one with start-up use, as the
 * real start-up's many small blocks would find their way. */
static uint64_t take_startup(hs_regions_t *regions, const hs_lab_config_t *config)
{
    uint64_t left = 0;
    for (uint32_t i = 0; i < regions->count; i++) {
        hs_region_t *region = &regions->region[i];
        if (config->regions[i].startup_use == 0) {
            continue;
        }
        left += config->regions[i].startup_use;
        if (region->heap == NULL) {
            continue;
        }
        const uint32_t most = hs_sim_largest_allocatable(region->heap);
        const uint32_t size = left < most ? (uint32_t)left : most;
        const uint32_t offset = hs_sim_malloc(region->heap, size);
        if (offset != HS_NONE) {
            region->startup = hs_sim_usable(region->heap, offset, false);
            left -= size;
        }
    }
    return left;
}

hs_status_t hs_regions_init(hs_regions_t *regions, const hs_lab_config_t *config, uint32_t *where,
                            uint32_t *kinds, uint64_t *unplaced)
{
    memset(regions, 0, sizeof *regions);
    *where = UINT32_MAX;
    *kinds = 0;
    if (config->region_count == 0 || config->region_count > HS_REGIONS_MAX) {
        return HS_ERR_ARGUMENT;
    }
    regions->request_max = config->request_max;
    regions->malloc_rule.threshold = config->malloc_threshold;
    regions->malloc_rule.small = config->malloc_small_caps;
    regions->malloc_rule.large = config->malloc_large_caps;
    regions->malloc_rule.fallback = config->malloc_fallback_caps;
    for (uint32_t i = 0; i < config->region_count; i++) {
        regions->count = i + 1;
        const hs_status_t status = create_region(&regions->region[i], &config->regions[i]);
        if (status != HS_OK) {
            *where = i;
            return status;
        }
        if (config->regions[i].kind >= *kinds) {
            *kinds = config->regions[i].kind + 1;
        }
    }
    hs_regions_plan(regions);
    *unplaced = take_startup(regions, config);
    return HS_OK;
}
