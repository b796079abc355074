#include "chip/setup.h"

#include <string.h>

#include "../../device/src/regions/caps.h"
#include "allocators/allocators.h"
#include "chip/held.h"
#include "chip/own_set.h"
#include "chip/task_lists.h"

static bool parse(const hs_lab_region_t *config, hs_allocator_t *out)
{
    return memchr(config->allocator, 0, sizeof config->allocator) != NULL &&
           hs_allocator_parse(config->allocator, out) == HS_OK;
}

/* `front`: bytes before the heap. */
static hs_status_t create_heap(hs_chip_region_t *region, const hs_lab_region_t *config,
                               bool word_only, uint32_t front)
{
    hs_allocator_t allocator;
    if (!parse(config, &allocator)) {
        return HS_ERR_ARGUMENT;
    }
    allocator.word_only = word_only;
    allocator.front = front;
    hs_status_t why = HS_OK;
    region->heap = hs_sim_new(allocator, region->start, region->size, &why);
    return region->heap != NULL || config->optional ? HS_OK : why;
}

/* A private heap that is taken from a region gets its place later. */
static hs_status_t create_region(hs_chip_region_t *region, const hs_lab_region_t *config,
                                 uint32_t front)
{
    region->start = config->start;
    region->size = config->size;
    memcpy(region->caps, config->caps, sizeof region->caps);
    region->kind = config->kind;
    region->iram_alias = config->iram_alias != 0;
    region->private_heap = config->private_heap != 0;
    if (config->kind >= HS_LAB_KINDS_MAX) {
        return HS_ERR_ARGUMENT;
    }
    if (region->private_heap) {
        memset(region->caps, 0, sizeof region->caps);
        region->serves = ~HS_CAP_EXEC;
        return config->private_heap == 1 ? HS_OK : create_heap(region, config, false, 0);
    }
    region->serves = hs_caps_all(region->caps);
    const bool words = (region->serves & HS_CAP_8BIT) == 0;
    region->own = hs_own_set_has(config);
    region->words = region->own && words;
    return create_heap(region, config, words, front);
}

/* One block a region; what a region cannot take is left to the next one with start-up use, as the
 * real start-up's many small blocks would find their way. */
static uint64_t take_startup(hs_chip_t *chip, const hs_lab_config_t *config)
{
    uint64_t left = 0;
    for (uint32_t i = 0; i < chip->count; i++) {
        hs_chip_region_t *region = &chip->region[i];
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

/* The block of a private heap, as the program takes it when it begins. */
static hs_status_t take_private(hs_chip_t *chip, uint32_t index, const hs_lab_region_t *config)
{
    const hs_request_t request = {.size = config->size};
    hs_place_t place;
    bool taken = config->taken_from == 0 && hs_chip_allocate(chip, &request, &place);
    for (uint32_t i = 0; !taken && i < chip->count; i++) {
        taken = (config->taken_from >> i & 1u) && chip->region[i].heap != NULL &&
                hs_chip_allocate_in(chip, i, &request, &place);
    }
    if (!taken) {
        return HS_ERR_MEMORY;
    }
    hs_chip_region_t *from = &chip->region[place.region];
    hs_chip_region_t *region = &chip->region[index];
    from->startup += hs_sim_usable(from->heap, place.offset, false);
    region->start = from->start + place.offset;
    region->serves = from->serves & ~HS_CAP_EXEC;
    return create_heap(region, config, (from->serves & HS_CAP_8BIT) == 0, 0);
}

static hs_status_t take_privates(hs_chip_t *chip, const hs_lab_config_t *config, uint32_t *where)
{
    for (uint32_t i = 0; i < chip->count; i++) {
        const hs_lab_region_t *region = &config->regions[i];
        const hs_status_t status =
            region->private_heap == 1 ? take_private(chip, i, region) : HS_OK;
        if (status != HS_OK) {
            *where = i;
            return status;
        }
    }
    /* The program made none of the tries before the first event. */
    memset(chip->refusals, 0, sizeof chip->refusals);
    return HS_OK;
}

hs_status_t hs_chip_init(hs_chip_t *chip, const hs_lab_config_t *config, uint32_t *where,
                         uint32_t *kinds, uint64_t *unplaced)
{
    memset(chip, 0, sizeof *chip);
    *where = UINT32_MAX;
    *kinds = 0;
    if (config->region_count == 0 || config->region_count > HS_LAB_REGIONS_MAX) {
        return HS_ERR_ARGUMENT;
    }
    chip->request_max = config->request_max;
    chip->hardware =
        (hs_hardware_t){config->hardware.internal, config->hardware.external, config->hardware.axi,
                        config->hardware.simd, config->hardware.encrypted};
    chip->malloc_rule.threshold = config->malloc_threshold;
    chip->malloc_rule.small = config->malloc_small_caps;
    chip->malloc_rule.large = config->malloc_large_caps;
    chip->malloc_rule.fallback = config->malloc_fallback_caps;
    const hs_own_set_t own = hs_own_set(config);
    for (uint32_t i = 0; i < config->region_count; i++) {
        const uint32_t front = i == own.host ? own.front : 0;
        chip->count = i + 1;
        const hs_status_t status = create_region(&chip->region[i], &config->regions[i], front);
        if (status != HS_OK) {
            *where = i;
            return status;
        }
        if (config->regions[i].kind >= *kinds) {
            *kinds = config->regions[i].kind + 1;
        }
    }
    if (own.whole) {
        chip->request_max = 0; /* nothing but the regions' sizes bounds it */
    }
    hs_status_t status = hs_lists_init(chip);
    if (status != HS_OK) {
        return status;
    }
    hs_chip_plan(chip);
    hs_own_set_add(chip, config);
    for (uint32_t i = 0; i < chip->count; i++) {
        status = hs_held_load(&chip->region[i], &config->regions[i]);
        if (status != HS_OK) {
            *where = i;
            return status;
        }
    }
    *unplaced = take_startup(chip, config);
    hs_lists_begin(chip);
    return take_privates(chip, config, where);
}
