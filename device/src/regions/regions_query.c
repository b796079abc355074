/* Questions about blocks and about the regions. */
#include "route.h"

/* ---- blocks ------------------------------------------------------------------------------------- */

size_t hs_regions_usable_size(hs_regions_t *set, const void *block)
{
    const hs_place_t place = hs_place_open(set, block, true);
    hs_place_close(set, &place);
    return place.size;
}

size_t hs_regions_full_size(hs_regions_t *set, const void *block)
{
    const hs_place_t place = hs_place_open(set, block, false);
    const size_t size =
        place.block != NULL ? hs_guard_full_size(&place.area->guard, place.block) : 0;
    hs_place_close(set, &place);
    return size;
}

void *hs_regions_containing_block(hs_regions_t *set, const void *address)
{
    hs_area_t *area;
    const uintptr_t data = hs_place_data(set, address, &area);
    if (area == NULL) {
        return NULL;
    }
    hs_lock_area(set, area);
    void *const block = hs_guard_containing_block(&area->guard, (const void *)data);
    hs_unlock_area(set, area);
    return block;
}

/* ---- what would succeed ------------------------------------------------------------------------- */

bool hs_regions_fits(hs_regions_t *set, size_t size, size_t alignment, uint32_t caps)
{
    const hs_request_t request = {.size = size, .alignment = alignment, .caps = caps};
    if (!hs_is_possible(&request) || !hs_is_alignment(&request)) {
        return false;
    }
    hs_request_t tried = request;
    uint32_t rule = 0;
    bool fits = false;
    /* bound: rules + 1 */
    while (!fits && hs_route_try(set, &request, &rule, &tried.caps)) {
        fits = hs_route_fits(set, &tried);
    }
    return fits;
}

size_t hs_regions_largest_allocatable(hs_regions_t *set, uint32_t caps)
{
    const uint32_t requested = hs_caps_requested(caps);
    size_t largest = hs_route_largest(set, requested);
    for (uint32_t i = 0; i < set->config->rule_count; i++) { /* bound: rules */
        const hs_size_rule_t *const rule = &set->config->rules[i];
        if ((requested & rule->asked) == rule->asked) {
            size_t most = hs_route_largest(set, hs_route_by(rule, requested));
            most = rule->to != 0 && most > rule->to ? rule->to : most;
            largest = most >= rule->from && most > largest ? most : largest;
        }
    }
    return largest;
}

/* ---- regions ------------------------------------------------------------------------------------ */

/* The next region after `area` that is in use and has all of `caps`; after NULL the first one. */
static hs_area_t *next_with(hs_regions_t *set, hs_area_t *area, uint32_t caps)
{
    do {
        area = area != NULL ? hs_next_area(set, area) : hs_first_area(set);
    } while (area != NULL && (!hs_is_used(area) || !hs_has(area, caps)));
    return area;
}

size_t hs_regions_total(hs_regions_t *set, uint32_t caps)
{
    size_t total = 0;
    for (hs_area_t *at = next_with(set, NULL, caps); at != NULL; at = next_with(set, at, caps)) {
        total += at->size;
    }
    return total;
}

size_t hs_regions_free_size(hs_regions_t *set, uint32_t caps)
{
    size_t free = 0;
    for (hs_area_t *at = next_with(set, NULL, caps); at != NULL; at = next_with(set, at, caps)) {
        hs_lock_area(set, at);
        free += hs_heap_free_size(at->guard.heap);
        hs_unlock_area(set, at);
    }
    return free;
}

size_t hs_regions_minimum_free(hs_regions_t *set, uint32_t caps)
{
    size_t minimum = 0;
    for (hs_area_t *at = next_with(set, NULL, caps); at != NULL; at = next_with(set, at, caps)) {
        if (hs_is_of_table(set, at) || !((const hs_added_t *)at)->late) {
            hs_lock_area(set, at);
            minimum += hs_heap_minimum_free(at->guard.heap);
            hs_unlock_area(set, at);
        }
    }
    return minimum;
}

void hs_regions_info(hs_regions_t *set, uint32_t caps, hs_heap_info_t *info)
{
    *info = (hs_heap_info_t){.total = 0};
    for (hs_area_t *at = next_with(set, NULL, caps); at != NULL; at = next_with(set, at, caps)) {
        hs_heap_info_t one;
        hs_lock_area(set, at);
        hs_heap_info(at->guard.heap, &one);
        hs_unlock_area(set, at);
        info->total += one.total;
        info->control += one.control;
        info->bitmap += one.bitmap;
        info->free += one.free;
        info->used += one.used;
        info->minimum_free += one.minimum_free;
        info->largest_free =
            one.largest_free > info->largest_free ? one.largest_free : info->largest_free;
        info->free_blocks += one.free_blocks;
        info->used_blocks += one.used_blocks;
    }
}

static hs_area_t *area_at(hs_regions_t *set, uint32_t index)
{
    hs_area_t *area = hs_first_area(set);
    while (area != NULL && hs_index_of_area(set, area) != index) {
        area = hs_next_area(set, area);
    }
    return area;
}

bool hs_regions_state(hs_regions_t *set, uint32_t index, hs_region_state_t *state)
{
    hs_area_t *const area = area_at(set, index);
    if (area != NULL) {
        *state = (hs_region_state_t){
            .name = area->memory->name,
            .start = (void *)area->start,
            .size = area->size,
            .caps = hs_caps_all(area->memory->caps),
            .kind = area->memory->kind,
            .index = index,
            .in_use = hs_is_used(area),
            .guard = &area->guard,
        };
    }
    return area != NULL;
}

void hs_regions_lock(hs_regions_t *set, uint32_t index)
{
    HS_ASSERT(index < HS_REGIONS_MAX);
    hs_lock(set, index);
}

void hs_regions_unlock(hs_regions_t *set, uint32_t index)
{
    HS_ASSERT(index < HS_REGIONS_MAX);
    hs_unlock(set, index);
}

/* ---- the blocks of regions ---------------------------------------------------------------------- */

typedef struct hs_tour {
    hs_regions_visit_t visit;
    void *context;
    uint32_t region;
} hs_tour_t;

static bool visit_one(void *context, void *block, size_t size, bool used, hs_tag_t tag)
{
    const hs_tour_t *const tour = context;
    return tour->visit(tour->context, tour->region, block, size, used, tag);
}

void hs_regions_walk(hs_regions_t *set, uint32_t caps, hs_regions_visit_t visit, void *context)
{
    for (hs_area_t *at = next_with(set, NULL, caps); at != NULL; at = next_with(set, at, caps)) {
        hs_tour_t tour = {visit, context, hs_index_of_area(set, at)};
        hs_lock_area(set, at);
        hs_guard_walk(&at->guard, visit_one, &tour);
        hs_unlock_area(set, at);
    }
}

hs_status_t hs_regions_check(hs_regions_t *set, uint32_t caps)
{
    hs_status_t status = HS_OK;
    for (hs_area_t *at = next_with(set, NULL, caps); at != NULL; at = next_with(set, at, caps)) {
        hs_lock_area(set, at);
        if (hs_guard_check(&at->guard) != HS_OK) {
            status = HS_ERR_CORRUPT;
        }
        hs_unlock_area(set, at);
    }
    return status;
}

/* ---- low-water marks since a moment ------------------------------------------------------------- */

hs_status_t hs_regions_monitor_start(hs_regions_t *set)
{
    hs_lock(set, HS_LOCK_SET);
    if (!set->monitored) {
        for (hs_area_t *at = next_with(set, NULL, 0); at != NULL; at = next_with(set, at, 0)) {
            hs_lock_area(set, at);
            at->low = hs_heap_reset_minimum(at->guard.heap);
            hs_unlock_area(set, at);
        }
        set->monitored = true;
    }
    hs_unlock(set, HS_LOCK_SET);
    return HS_OK;
}

hs_status_t hs_regions_monitor_stop(hs_regions_t *set)
{
    hs_lock(set, HS_LOCK_SET);
    const hs_status_t status = set->monitored ? HS_OK : HS_ERR_ARGUMENT;
    if (set->monitored) {
        for (hs_area_t *at = next_with(set, NULL, 0); at != NULL; at = next_with(set, at, 0)) {
            hs_lock_area(set, at);
            hs_heap_restore_minimum(at->guard.heap, at->low);
            hs_unlock_area(set, at);
        }
        set->monitored = false;
    }
    hs_unlock(set, HS_LOCK_SET);
    return status;
}
