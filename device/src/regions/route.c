/* The choice of a region, and what a request becomes in it. */
#include "route.h"

bool hs_route_try(const hs_regions_t *set, const hs_request_t *request, uint32_t *index,
                  uint32_t *caps)
{
    const uint32_t requested = hs_caps_requested(request->caps);
    for (uint32_t i = *index; i < set->config->rule_count; i++) { /* bound: rules */
        const hs_size_rule_t *const rule = &set->config->rules[i];
        if ((requested & rule->asked) == rule->asked && request->size >= rule->from &&
            (rule->to == 0 || request->size <= rule->to)) {
            *caps = hs_route_by(rule, requested);
            *index = i + 1;
            return true;
        }
    }
    *caps = requested;
    const bool first = *index <= set->config->rule_count;
    *index = set->config->rule_count + 1;
    return first;
}

/* ---- in one region ------------------------------------------------------------------------------ */

/* The size to ask the region's heap for; false: the region cannot serve the request at all. */
static bool shape(const hs_area_t *area, const hs_request_t *request, hs_bus_t *bus, size_t *size)
{
    *bus = hs_place_bus(area, request->caps);
    *size = request->size;
    if (*bus == HS_DATA) {
        if (hs_is_words(area) || (request->caps & HS_CAP_32BIT) != 0) {
            *size = hs_words_up(*size);
        }
        return true;
    }
    if (hs_caps_contradict(request->caps)) {
        return false;
    }
    *size = hs_words_up(*size) + (*bus == HS_REVERSED ? 4 : 0);
    return request->alignment <= 4 ||
           (*bus == HS_ALIAS && (area->memory->alias & (request->alignment - 1)) == 0);
}

/* Is this region on the request's route at this priority? It is at the highest priority that has one
 * of the capabilities; a second attempt at a lower one would be in vain. */
static bool serves(const hs_area_t *area, uint32_t caps, uint32_t priority)
{
    HS_ASSERT(priority < HS_PRIORITIES);
    const uint32_t *const has = area->memory->caps;
    if (!hs_is_used(area) || !hs_caps_lead_to(has, hs_caps_of_memory(caps), priority)) {
        return false;
    }
    for (uint32_t higher = 0; higher < priority; higher++) { /* bound: HS_PRIORITIES - 1 */
        if ((has[higher] & caps) != 0) {
            return false;
        }
    }
    return true;
}

static void clear(const hs_area_t *area, void *block, size_t size)
{
    volatile hs_payload_t *const words = block;
    for (size_t i = 0; i < size / 4; i++) { /* bound: filled */
        words[i] = 0;
    }
    if (!hs_is_words(area)) {
        for (size_t i = size & ~(size_t)3; i < size; i++) { /* bound: 3 */
            ((volatile uint8_t *)block)[i] = 0;
        }
    }
}

uint32_t hs_route_owner(const hs_regions_t *set)
{
#if HS_OWNERS
    const hs_regions_config_t *const config = set->config;
    if (config->owners != NULL) {
        hs_lock(set, HS_LOCK_OWNERS);
        void *const task = config->task != NULL ? config->task(config->context) : NULL;
        const uint32_t row = hs_owners_row(config->owners, task);
        hs_unlock(set, HS_LOCK_OWNERS);
        return row;
    }
#else
    (void)set;
#endif
    return HS_OWNER_NONE;
}

hs_tag_t hs_route_tag(const hs_regions_t *set, const hs_area_t *area, uint32_t owner)
{
    const hs_regions_config_t *const config = set->config;
    hs_tag_t tag = {HS_OWNER_NONE, NULL};
    if (!area->memory->bare) {
        tag.owner = owner;
        tag.site = config->site != NULL ? config->site(config->context) : NULL;
    }
    return tag;
}

static void *take_in(hs_regions_t *set, hs_area_t *area, const hs_request_t *request,
                     uint32_t owner, hs_place_t *place)
{
    hs_bus_t bus;
    size_t size;
    if (!shape(area, request, &bus, &size)) {
        return NULL;
    }
    const hs_tag_t tag = hs_route_tag(set, area, owner);
    hs_lock_area(set, area);
    hs_route_turn(area, request->caps, true);
    void *const block =
        request->alignment > 1
            ? hs_guard_aligned_alloc(&area->guard, request->alignment, size, request->offset, tag)
            : hs_guard_malloc(&area->guard, size, tag);
    hs_route_turn(area, request->caps, false);
    /* Most requests are served without the usable size. */
    const bool needed = place != NULL || bus != HS_DATA || tag.owner != HS_OWNER_NONE;
    const size_t usable = needed && block != NULL ? hs_guard_usable_size(&area->guard, block) : 0;
    hs_unlock_area(set, area);
    if (block == NULL) {
        return NULL;
    }
    HS_ASSERT(hs_is_used(area) && size >= request->size);
    if (request->clear) { /* in reverse order the user's first bytes are the block's last */
        clear(area, block, bus == HS_REVERSED ? usable & ~(size_t)3 : size);
    }
#if HS_OWNERS
    if (tag.owner != HS_OWNER_NONE) {
        hs_lock(set, HS_LOCK_OWNERS);
        hs_owners_took(set->config->owners, tag.owner, area->memory->kind, usable);
        hs_unlock(set, HS_LOCK_OWNERS);
    }
#endif
    void *const address = hs_place_address(area, bus, block, usable & ~(size_t)3);
    if (place != NULL) {
        const uintptr_t last = (uintptr_t)block + (usable & ~(size_t)3) - 8;
        *place = (hs_place_t){area, block, block, 1, usable};
        if (bus == HS_REVERSED) {
            place->words = (hs_payload_t *)last;
            place->step = -1;
            place->size = last + 4 - (uintptr_t)block;
        }
    }
    return address;
}

/* ---- in the order of the priorities ------------------------------------------------------------- */

static void *take(hs_regions_t *set, const hs_request_t *request, uint32_t owner, hs_place_t *place)
{
    /* bound: HS_PRIORITIES */
    for (uint32_t priority = 0; priority < HS_PRIORITIES; priority++) {
        /* bound: regions */
        for (hs_area_t *at = hs_first_area(set); at != NULL; at = hs_next_area(set, at)) {
            if (serves(at, request->caps, priority)) {
                /* A region serves at one priority only. calls: regions */
                void *const block = take_in(set, at, request, owner, place);
                if (block != NULL) {
                    return block;
                }
            }
        }
    }
    return NULL;
}

void *hs_route_take(hs_regions_t *set, const hs_request_t *request, hs_place_t *place)
{
    return take(set, request, hs_route_owner(set), place);
}

void *hs_route_take_unowned(hs_regions_t *set, const hs_request_t *request)
{
    return take(set, request, HS_OWNER_NONE, NULL);
}

/* The order is irrelevant to the two below: one region that serves the request is enough. */
static bool may_serve(const hs_area_t *area, uint32_t caps)
{
    return hs_is_used(area) && hs_caps_of_memory(caps) != 0 && hs_has(area, caps);
}

bool hs_route_fits(hs_regions_t *set, const hs_request_t *request)
{
    /* bound: regions */
    for (hs_area_t *at = hs_first_area(set); at != NULL; at = hs_next_area(set, at)) {
        hs_bus_t bus;
        size_t size;
        if (may_serve(at, request->caps) && shape(at, request, &bus, &size)) {
            hs_lock_area(set, at);
            const bool fits = hs_guard_fits(&at->guard, request->alignment, size, request->offset);
            hs_unlock_area(set, at);
            if (fits) {
                return true;
            }
        }
    }
    return false;
}

size_t hs_route_largest(hs_regions_t *set, uint32_t caps)
{
    const hs_request_t request = {.size = 1, .alignment = 1, .caps = caps};
    size_t largest = 0;
    /* bound: regions */
    for (hs_area_t *at = hs_first_area(set); at != NULL; at = hs_next_area(set, at)) {
        hs_bus_t bus;
        size_t size;
        if (!may_serve(at, caps) || !shape(at, &request, &bus, &size)) {
            continue;
        }
        hs_lock_area(set, at);
        size_t most = hs_guard_largest(&at->guard);
        hs_unlock_area(set, at);
        if (size != 1) { /* whole words, and what a request of a byte has beyond the first */
            most = most >= size ? (most & ~(size_t)3) - (size - 4) : 0;
        }
        largest = most > largest ? most : largest;
    }
    return largest;
}
