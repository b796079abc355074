#include "chip/own_set.h"

#include <string.h>

#include "../../device/src/regions/set.h"
#include "allocators/allocators.h"
#include "allocators/heapscope.h"

enum { IN_TABLE = 1, STARTUP_STACK, ADDED }; /* hs_lab_region_t.in_set */

/* Bytes of the set's structs where a pointer has `pointer` bytes. On this machine they have to be
 * those of the structs themselves; on a chip a pointer has 4. */
#define HEAD(pointer) (3u * (pointer))
#define AREA(pointer) (7u * (pointer))
#define RECORD(pointer) (11u * (pointer) + 16u)
#define POINTER 4u

_Static_assert(HEAD(sizeof(void *)) == sizeof(struct hs_regions), "the head of a set");
_Static_assert(AREA(sizeof(void *)) == sizeof(hs_area_t), "a region of the table");
_Static_assert(RECORD(sizeof(void *)) == sizeof(hs_added_t), "a region that was added");

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
    return hs_own_set_has(config) && config->in_set == IN_TABLE &&
           (hs_caps_all(config->caps) & HS_CAP_8BIT) != 0 &&
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
    const uint32_t control = HEAD(POINTER) + count * AREA(POINTER);
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
    const hs_request_t request = {.size = RECORD(POINTER), .caps = caps};
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
