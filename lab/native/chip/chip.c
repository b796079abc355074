#include "chip/chip.h"

#include <string.h>

#include "../../device/src/regions/caps.h"
#include "chip/route.h"
#include "chip/task_lists.h"
#include "heapscope/assert.h"

#define WORD 4u       /* the alignment of every block */
#define EXEC_EXTRA 4u /* the data-side address kept in front of an executable D/IRAM block */

void hs_chip_free(hs_chip_t *chip)
{
    hs_lists_free(chip);
    for (uint32_t i = 0; i < chip->count; i++) {
        hs_sim_delete(chip->region[i].heap);
    }
    memset(chip, 0, sizeof *chip);
}

static void plan(const hs_chip_t *chip, uint32_t caps, hs_route_t *route)
{
    uint32_t has[HS_LAB_REGIONS_MAX][3] = {{0}}; /* a region without heap has no capability */
    hs_lab_attempt_t tries[3 * HS_LAB_REGIONS_MAX];
    for (uint32_t i = 0; i < chip->count; i++) {
        if (chip->region[i].heap != NULL) {
            memcpy(has[i], chip->region[i].caps, sizeof has[i]);
        }
    }
    route->caps = caps;
    route->mask = 0;
    route->count = (uint8_t)hs_route_attempts((const uint32_t (*)[3])has, chip->count, caps, tries,
                                              3 * HS_LAB_REGIONS_MAX);
    for (uint32_t i = 0; i < route->count; i++) {
        route->tries[i] = (uint8_t)tries[i].region;
        route->mask |= UINT32_C(1) << tries[i].region;
    }
}

static uint32_t find_route(hs_chip_t *chip, uint32_t caps)
{
    for (uint32_t i = 0; i < chip->route_count; i++) {
        if (chip->routes[i].caps == caps) {
            return i;
        }
    }
    const uint32_t i = chip->route_next;
    chip->route_next = (i + 1) % HS_ROUTES_KEPT;
    if (chip->route_count < HS_ROUTES_KEPT) {
        chip->route_count++;
    }
    plan(chip, caps, &chip->routes[i]);
    return i;
}

const hs_route_t *hs_chip_route(hs_chip_t *chip, uint32_t caps)
{
    const hs_route_t *last = &chip->routes[chip->route_last];
    if (last->caps == caps && chip->route_count != 0) {
        return last;
    }
    chip->route_last = find_route(chip, caps);
    return &chip->routes[chip->route_last];
}

static bool refused_by_size(const hs_chip_t *chip, uint32_t size)
{
    return chip->request_max != 0 && size > chip->request_max;
}

/* The request that the heaps see. */
static hs_request_t by_hardware(const hs_chip_t *chip, const hs_request_t *request)
{
    hs_request_t result = *request;
    uint32_t align = request->align < WORD ? WORD : request->align;
    hs_hardware_adjust(&chip->hardware, &align, &result.size, &result.caps);
    result.align = align > WORD ? align : request->align;
    return result;
}

/* The capability sets that a request tries in turn; returns how many. */
static uint32_t alternatives(const hs_chip_t *chip, const hs_request_t *request, uint32_t caps[2])
{
    const hs_malloc_rule_t *rule = &chip->malloc_rule;
    if (request->caps != 0) {
        caps[0] = request->caps;
        return 1;
    }
    caps[0] = request->size <= rule->threshold ? rule->small : rule->large;
    caps[1] = rule->fallback;
    return rule->fallback != 0 ? 2 : 1;
}

uint32_t hs_chip_mask(hs_chip_t *chip, uint32_t caps)
{
    if (caps != 0) {
        return hs_chip_route(chip, caps)->mask;
    }
    const hs_malloc_rule_t *rule = &chip->malloc_rule;
    uint32_t mask = hs_chip_route(chip, rule->small)->mask;
    if (rule->threshold != UINT32_MAX && rule->large != 0) {
        mask |= hs_chip_route(chip, rule->large)->mask;
    }
    if (rule->fallback != 0) {
        mask |= hs_chip_route(chip, rule->fallback)->mask;
    }
    return mask;
}

uint32_t hs_chip_mask_for(hs_chip_t *chip, uint32_t caps, uint32_t size)
{
    if (caps == 0 && size - 1 < chip->plain_limit) {
        return chip->plain_mask;
    }
    if (refused_by_size(chip, size)) {
        return 0;
    }
    const hs_request_t asked = {.size = size, .caps = caps};
    const hs_request_t request = by_hardware(chip, &asked);
    uint32_t requested[2];
    const uint32_t count = alternatives(chip, &request, requested);
    uint32_t mask = 0;
    for (uint32_t i = 0; i < count; i++) {
        mask |= hs_chip_route(chip, requested[i])->mask;
    }
    return mask;
}

static bool by_alias(const hs_chip_region_t *region, uint32_t caps)
{
    return (caps & HS_CAP_EXEC) && region->iram_alias;
}

/* Round up to whole words unless the memory and the request allow byte access. */
static uint32_t payload_size(const hs_chip_region_t *region, uint32_t size, uint32_t caps)
{
    return (hs_caps_requested(caps) & HS_CAP_32BIT) || region->words ? (size + 3u) & ~UINT32_C(3)
                                                                     : size;
}

/* The bytes that the heap is asked for. */
static uint32_t heap_size(const hs_chip_region_t *region, uint32_t size, uint32_t caps)
{
    return payload_size(region, size, caps) + (by_alias(region, caps) ? EXEC_EXTRA : 0);
}

/* Sizes so large that rounding them would wrap around never reach an allocator: heap_caps_malloc
 * refuses them, and so does a region that is smaller. */
static bool beyond(const hs_chip_region_t *region, uint32_t size)
{
    return size > region->size;
}

/* Where words come in reverse order our own regions align nothing beyond a word. */
static bool misaligned(const hs_chip_region_t *region, const hs_request_t *request, uint32_t caps)
{
    return region->own && request->align > 4 && by_alias(region, caps);
}

static uint32_t take(const hs_chip_region_t *region, const hs_request_t *request, uint32_t caps)
{
    if (beyond(region, request->size) || misaligned(region, request, caps)) {
        return HS_NONE;
    }
    const uint32_t size = heap_size(region, request->size, caps);
    if (request->align != 0) {
        return hs_sim_aligned(region->heap, request->align, size, 0);
    }
    return request->zeroed ? hs_sim_calloc(region->heap, size) : hs_sim_malloc(region->heap, size);
}

/* Does the same as take(), and notes what has to be known of the block. */
static bool place_in(hs_chip_t *chip, uint32_t index, const hs_request_t *request, uint32_t caps,
                     hs_place_t *place)
{
    const hs_chip_region_t *region = &chip->region[index];
    const uint32_t used = region->heap->tally.used;
    const uint32_t offset = take(region, request, caps);
    if (offset == HS_NONE) {
        chip->refusals[index]++;
        return false;
    }
    place->region = index;
    place->offset = offset;
    place->held = region->heap->tally.used - used;
    place->exec = by_alias(region, caps);
    place->aligned = request->align != 0;
    if (chip->lists != NULL) {
        hs_lists_allocated(chip, place);
    }
    return true;
}

/* Tries the regions of the route, the first of them at number `first`. */
static bool allocate_from(hs_chip_t *chip, const hs_request_t *request, const hs_route_t *route,
                          uint32_t first, hs_place_t *place)
{
    for (uint32_t i = first; i < route->count; i++) {
        if (place_in(chip, route->tries[i], request, route->caps, place)) {
            return true;
        }
    }
    return false;
}

static bool allocate_by(hs_chip_t *chip, const hs_request_t *request, uint32_t caps,
                        hs_place_t *place)
{
    return allocate_from(chip, request, hs_chip_route(chip, caps), 0, place);
}

void hs_chip_plan(hs_chip_t *chip)
{
    const hs_malloc_rule_t *rule = &chip->malloc_rule;
    chip->route_count = 0;
    plan(chip, rule->small, &chip->plain);
    chip->plain_limit = 0;
    const hs_chip_region_t *first = &chip->region[chip->plain.tries[0]];
    if (chip->plain.count != 0 && !(hs_caps_requested(rule->small) & HS_CAP_32BIT) &&
        !first->words && chip->lists == NULL) {
        chip->plain_heap = first->heap;
        const uint32_t limit = rule->threshold < first->size ? rule->threshold : first->size;
        chip->plain_limit = hs_chip_allowed(chip, limit);
    }
    chip->plain_mask = chip->plain.mask;
    if (rule->fallback != 0) {
        chip->plain_mask |= hs_chip_route(chip, rule->fallback)->mask;
    }
}

bool hs_chip_allocate_further(hs_chip_t *chip, const hs_request_t *request, hs_place_t *place)
{
    const uint32_t fallback = chip->malloc_rule.fallback;
    chip->refusals[chip->plain.tries[0]]++;
    return allocate_from(chip, request, &chip->plain, 1, place) ||
           (fallback != 0 && allocate_by(chip, request, fallback, place));
}

bool hs_chip_allocate_requested(hs_chip_t *chip, const hs_request_t *asked, hs_place_t *place)
{
    const hs_request_t request = by_hardware(chip, asked);
    if (request.size == 0 || refused_by_size(chip, request.size)) {
        return false;
    }
    uint32_t caps[2];
    const uint32_t count = alternatives(chip, &request, caps);
    for (uint32_t i = 0; i < count; i++) {
        if (allocate_by(chip, &request, caps[i], place)) {
            return true;
        }
    }
    return false;
}

/* The capabilities by which one region is asked for a request: a private heap has none. */
static uint32_t caps_in(const hs_chip_t *chip, uint32_t index, const hs_request_t *request)
{
    uint32_t caps[2];
    alternatives(chip, request, caps);
    return chip->region[index].private_heap ? 0 : caps[0];
}

bool hs_region_serves(const hs_chip_region_t *region, uint32_t caps)
{
    const uint32_t wanted = hs_caps_requested(caps);
    return region->heap != NULL &&
           (caps == 0 || (!hs_caps_contradict(caps) && (region->serves & wanted) == wanted));
}

bool hs_chip_allocate_in(hs_chip_t *chip, uint32_t index, const hs_request_t *asked,
                         hs_place_t *place)
{
    const hs_request_t request = by_hardware(chip, asked);
    return place_in(chip, index, &request, caps_in(chip, index, &request), place);
}

/* realloc in the block's own heap; false: it was not asked, or *refused it. ESP-IDF does neither round
 * nor look whether data is to become code. */
static HS_INLINE_FOR_CALLER bool resize(hs_chip_t *chip, const hs_request_t *request, uint32_t caps,
                                        hs_place_t *place, bool *refused)
{
    const hs_chip_region_t *region = &chip->region[place->region];
    *refused = false;
    if (place->exec || beyond(region, request->size) || (region->own && by_alias(region, caps))) {
        return false;
    }
    const uint32_t used = region->heap->tally.used;
    const uint32_t size = region->own ? payload_size(region, request->size, caps) : request->size;
    const uint32_t offset = hs_sim_realloc(region->heap, place->offset, size);
    if (offset == HS_NONE) {
        chip->refusals[place->region]++;
        *refused = true;
        return false;
    }
    const hs_place_t before = *place;
    place->offset = offset;
    place->held += region->heap->tally.used - used;
    if (chip->lists != NULL) {
        hs_lists_resized(chip, &before, place);
    }
    return true;
}

bool hs_chip_resize(hs_chip_t *chip, const hs_request_t *asked, bool requested, hs_place_t *place)
{
    const hs_request_t adjusted = by_hardware(chip, asked);
    const hs_request_t *request = &adjusted;
    const uint32_t caps = caps_in(chip, place->region, request);
    bool refused;
    return request->align == asked->align &&
           (!requested || (hs_caps_all(chip->region[place->region].caps) & caps) == caps) &&
           resize(chip, request, caps, place, &refused);
}

void hs_chip_set_end(hs_chip_t *chip, bool high)
{
    for (uint32_t i = 0; i < chip->count; i++) {
        hs_sim_t *heap = chip->region[i].heap;
        if (heap != NULL && heap->model->set_end != NULL) {
            heap->model->set_end(heap, high);
        }
    }
}

void hs_chip_move(hs_chip_t *chip, const hs_request_t *request, const hs_place_t *moved,
                  hs_place_t *place)
{
    hs_sim_t *heap = chip->region[place->region].heap;
    const uint32_t old = hs_sim_usable(heap, place->offset, place->aligned);
    chip->region[moved->region].heap->steps.copied += old < request->size ? old : request->size;
    hs_chip_release(chip, place);
    *place = *moved;
}

/* `in_place`: the hardware wants no more of the block than every block has. */
static bool reallocate_with(hs_chip_t *chip, const hs_request_t *request, uint32_t caps,
                            bool in_place, hs_place_t *place)
{
    bool refused = false;
    if (in_place && (hs_caps_all(chip->region[place->region].caps) & caps) == caps) {
        if (resize(chip, request, caps, place, &refused)) {
            return true;
        }
        /* Nowhere else to go: asking once more would only change lists that a search rotates. In
         * our own heap a new block may need less than the old one grown, which keeps its head. */
        if (refused && !chip->region[place->region].own &&
            hs_chip_route(chip, caps)->mask == UINT32_C(1) << place->region) {
            return false;
        }
    }
    hs_place_t moved;
    if (!allocate_by(chip, request, caps, &moved)) {
        return false;
    }
    hs_chip_move(chip, request, &moved, place);
    return true;
}

bool hs_chip_reallocate(hs_chip_t *chip, const hs_request_t *asked, hs_place_t *place)
{
    const hs_request_t request = by_hardware(chip, asked);
    uint32_t caps[2];
    const uint32_t count = alternatives(chip, &request, caps);
    if (refused_by_size(chip, request.size)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (reallocate_with(chip, &request, caps[i], request.align == asked->align, place)) {
            return true;
        }
    }
    return false;
}

void hs_chip_release(hs_chip_t *chip, const hs_place_t *place)
{
    HS_ASSERT(place->region < chip->count && place->offset < chip->region[place->region].size);
    if (chip->lists != NULL) {
        hs_lists_frees(chip, place);
    }
    hs_sim_free(chip->region[place->region].heap, place->offset, place->aligned);
}

bool hs_region_fits(const hs_chip_region_t *region, const hs_request_t *request)
{
    const uint32_t size = heap_size(region, request->size, request->caps);
    return region->heap != NULL && request->size != 0 && !beyond(region, request->size) &&
           !misaligned(region, request, request->caps) &&
           hs_sim_fits(region->heap, request->align, size, 0);
}

bool hs_chip_refuse(const hs_chip_t *chip, const hs_request_t *request)
{
    return request->size == 0 || refused_by_size(chip, request->size);
}

bool hs_chip_fits_in(const hs_chip_t *chip, uint32_t index, const hs_request_t *request)
{
    hs_request_t requested = by_hardware(chip, request);
    requested.caps = caps_in(chip, index, &requested);
    return hs_region_fits(&chip->region[index], &requested);
}

bool hs_chip_fits(hs_chip_t *chip, const hs_request_t *asked)
{
    const hs_request_t adjusted = by_hardware(chip, asked);
    const hs_request_t *request = &adjusted;
    uint32_t caps[2];
    const uint32_t count = alternatives(chip, request, caps);
    if (request->size == 0 || refused_by_size(chip, request->size)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t mask = hs_chip_route(chip, caps[i])->mask;
        const hs_request_t requested = {request->size, request->align, caps[i], request->zeroed};
        for (uint32_t r = 0; r < chip->count; r++) {
            if ((mask >> r & 1u) && hs_region_fits(&chip->region[r], &requested)) {
                return true;
            }
        }
    }
    return false;
}

uint32_t hs_region_largest_allocatable(const hs_chip_region_t *region, uint32_t caps)
{
    if (region->heap == NULL) {
        return 0;
    }
    uint32_t largest = hs_sim_largest_allocatable(region->heap);
    if (by_alias(region, caps)) {
        largest = largest > EXEC_EXTRA ? largest - EXEC_EXTRA : 0;
    }
    return (hs_caps_requested(caps) & HS_CAP_32BIT) || region->words ? largest & ~UINT32_C(3)
                                                                     : largest;
}
