#include "chip/own_set.h"

#include <string.h>

#include "allocators/allocators.h"
#include "allocators/heapscope.h"

enum { IN_TABLE = 1, STARTUP_STACK, ADDED }; /* hs_lab_region_t.in_set */

/* Bytes with 32-bit pointers, as the chip has them. */
#define HEAD 12u   /* struct hs_regions */
#define AREA 28u   /* hs_area_t */
#define RECORD 60u /* hs_added_t */
#define POINTER 4u

static bool is_own(const hs_model_t *model)
{
#define HS_OWN_IS(name, object) model == &(object) ||
    return HS_OWN_LIST(HS_OWN_IS, HS_OWN_IS, HS_OWN_IS) false;
#undef HS_OWN_IS
}

bool hs_own_set_has(const hs_lab_region_t *config)
{
    hs_allocator_t allocator;
    return config->in_set != 0 && config->private_heap == 0 &&
           memchr(config->allocator, 0, sizeof config->allocator) != NULL &&
           hs_allocator_parse(config->allocator, &allocator) == HS_OK && is_own(allocator.model);
}

static uint32_t front_of(const hs_lab_region_t *config, uint32_t control)
{
    return ((0u - config->start) & (POINTER - 1)) + control;
}

static bool can_hold(const hs_lab_region_t *config, uint32_t control)
{
    const uint32_t caps = config->caps[0] | config->caps[1] | config->caps[2];
    return hs_own_set_has(config) && config->in_set == IN_TABLE && (caps & HS_CAP_8BIT) != 0 &&
           config->size >= front_of(config, control);
}

hs_own_set_t hs_own_set(const hs_lab_config_t *config)
{
    hs_own_set_t set = {.host = UINT32_MAX, .whole = true};
    uint32_t count = 0;
    for (uint32_t i = 0; i < config->region_count; i++) {
        const hs_lab_region_t *region = &config->regions[i];
        const bool own = hs_own_set_has(region);
        count += own && region->in_set != ADDED;
        set.whole &= own || region->private_heap != 0;
    }
    const uint32_t control = HEAD + count * AREA;
    for (uint32_t i = config->region_count; i-- > 0;) {
        if (can_hold(&config->regions[i], control)) {
            set.host = i;
            set.front = front_of(&config->regions[i], control);
        }
    }
    return set;
}

/* From the regions behind the added one: those before it come later. */
static bool take_record(hs_chip_t *chip, uint32_t added, uint32_t caps)
{
    const hs_route_t route = *hs_chip_route(chip, caps);
    const hs_request_t request = {.size = RECORD, .caps = caps};
    hs_place_t place;
    for (uint32_t i = 0; i < route.count; i++) {
        hs_chip_region_t *region = &chip->region[route.tries[i]];
        if (route.tries[i] > added && region->own &&
            hs_chip_allocate_in(chip, route.tries[i], &request, &place)) {
            region->startup += hs_sim_usable(region->heap, place.offset, false);
            return true;
        }
    }
    return false;
}

void hs_own_set_add(hs_chip_t *chip, const hs_lab_config_t *config)
{
    for (uint32_t i = chip->count; i-- > 0;) {
        hs_chip_region_t *region = &chip->region[i];
        if (region->own && region->heap != NULL && config->regions[i].in_set == ADDED &&
            !take_record(chip, i, HS_CAP_8BIT | HS_CAP_INTERNAL)) {
            (void)take_record(chip, i, HS_CAP_8BIT);
        }
    }
}
