#include "chip/placement.h"

#include <stdlib.h>
#include <string.h>

#include "heapscope/assert.h"

#define PAGES ((HS_NAME_INDEX_MAX + 1u) / HS_RULE_NAMES_PAGE)

/* The rules of an index, made when it has none of its own. NULL: no host memory. */
static uint64_t *own_rules(hs_rule_names_t *names, uint32_t index)
{
    uint64_t **page = &names->pages[index / HS_RULE_NAMES_PAGE];
    if (*page == NULL) {
        *page = malloc(HS_RULE_NAMES_PAGE * sizeof **page);
        for (uint32_t i = 0; *page != NULL && i < HS_RULE_NAMES_PAGE; i++) {
            (*page)[i] = names->others;
        }
    }
    return *page == NULL ? NULL : &(*page)[index % HS_RULE_NAMES_PAGE];
}

static hs_status_t copy_names(hs_rule_names_t *names, const hs_lab_rule_names_t *config)
{
    names->others = config->others;
    if (config->name_count == 0) {
        return HS_OK;
    }
    names->pages = calloc(PAGES, sizeof *names->pages);
    if (names->pages == NULL) {
        return HS_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < config->name_count; i++) {
        if (config->names[i].index > HS_NAME_INDEX_MAX) {
            return HS_ERR_ARGUMENT;
        }
        uint64_t *rules = own_rules(names, config->names[i].index);
        if (rules == NULL) {
            return HS_ERR_MEMORY;
        }
        *rules = config->names[i].rules;
    }
    return HS_OK;
}

static void names_free(hs_rule_names_t *names)
{
    for (uint32_t i = 0; names->pages != NULL && i < PAGES; i++) {
        free(names->pages[i]);
    }
    free(names->pages);
}

/* Are all regions of the mask in the layout? `own`: private heaps do not count. */
static bool are_regions(const hs_lab_config_t *config, uint32_t mask, bool own)
{
    for (uint32_t i = 0; i < HS_LAB_REGIONS_MAX; i++) {
        if ((mask >> i & 1u) &&
            (i >= config->region_count || (own && config->regions[i].private_heap != 0))) {
            return false;
        }
    }
    return true;
}

static bool is_valid(const hs_lab_config_t *config)
{
    if (config->rule_count > HS_LAB_RULES_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < config->region_count; i++) {
        if (!are_regions(config, config->regions[i].taken_from, true)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < config->rule_count; i++) {
        const uint32_t mask = config->rules[i].regions;
        if ((mask == 0 && config->rules[i].high == 0) || !are_regions(config, mask, false)) {
            return false;
        }
    }
    return true;
}

hs_status_t hs_placement_init(hs_placement_t *placement, const hs_lab_config_t *config)
{
    memset(placement, 0, sizeof *placement);
    if (!is_valid(config)) {
        return HS_ERR_ARGUMENT;
    }
    if (config->rule_count == 0) {
        return HS_OK;
    }
    memcpy(placement->rule, config->rules, config->rule_count * sizeof *config->rules);
    for (uint32_t i = 0; i <= config->rule_count; i++) {
        placement->row[i].peak_event = HS_LAB_NEVER;
    }
    placement->count = config->rule_count;
    for (uint32_t i = 0; i < config->rule_count; i++) {
        placement->highs += config->rules[i].high != 0;
    }
    hs_status_t status = copy_names(&placement->tasks, &config->rule_tasks);
    status = status == HS_OK ? copy_names(&placement->sites, &config->rule_sites) : status;
    return status == HS_OK ? copy_names(&placement->heaps, &config->rule_heaps) : status;
}

void hs_placement_free(hs_placement_t *placement)
{
    names_free(&placement->tasks);
    names_free(&placement->sites);
    names_free(&placement->heaps);
    memset(placement, 0, sizeof *placement);
}

/* ---- which rule ------------------------------------------------------------------------------- */

static inline uint64_t rules_of(const hs_rule_names_t *names, uint32_t index)
{
    const uint64_t *page = NULL;
    if (names->pages != NULL && index <= HS_NAME_INDEX_MAX) {
        page = names->pages[index / HS_RULE_NAMES_PAGE];
    }
    return page == NULL ? names->others : page[index % HS_RULE_NAMES_PAGE];
}

static uint32_t match(const hs_placement_t *placement, const hs_event_t *event, uint32_t size)
{
    uint64_t left = rules_of(&placement->tasks, event->task) &
                    rules_of(&placement->sites, event->site) &
                    rules_of(&placement->heaps, event->heap);
    for (uint32_t i = 0; left != 0 && i < placement->count; i++, left >>= 1) {
        const hs_lab_rule_t *rule = &placement->rule[i];
        if ((left & 1u) && size >= rule->size_min && size <= rule->size_max) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* The regions of the rule that have the capabilities asked for; malloc's request suits all. */
static uint32_t fit_regions(const hs_chip_t *chip, const hs_lab_rule_t *rule, uint32_t caps)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < chip->count; i++) {
        if ((rule->regions >> i & 1u) && hs_region_serves(&chip->region[i], caps)) {
            mask |= UINT32_C(1) << i;
        }
    }
    return mask;
}

uint32_t hs_placement_find(const hs_placement_t *placement, const hs_chip_t *chip,
                           const hs_event_t *event, const hs_request_t *request, bool *unfit)
{
    *unfit = false;
    if (placement->count == 0 || hs_chip_refuse(chip, request)) {
        return UINT32_MAX;
    }
    const uint32_t index = match(placement, event, request->size);
    if (index != UINT32_MAX) {
        *unfit = placement->rule[index].regions != 0 &&
                 fit_regions(chip, &placement->rule[index], request->caps) == 0;
    }
    return index;
}

/* ---- requests --------------------------------------------------------------------------------- */

static bool allocate_by(hs_placement_t *placement, hs_chip_t *chip, uint32_t index, uint32_t mask,
                        const hs_request_t *request, hs_place_t *place)
{
    for (uint32_t i = 0; i < chip->count; i++) {
        if ((mask >> i & 1u) && hs_chip_allocate_in(chip, i, request, place)) {
            place->rule = (uint8_t)index;
            return true;
        }
    }
    placement->row[index].refused++;
    return false;
}

static bool allocate_freely(hs_placement_t *placement, hs_chip_t *chip, const hs_request_t *request,
                            hs_place_t *place)
{
    if (!hs_chip_allocate(chip, request, place)) {
        return false;
    }
    place->rule = (uint8_t)placement->count;
    return true;
}

/* Asks the regions in the order of the capabilities: the rule names no region. */
static bool allocate_unmoved(hs_placement_t *placement, hs_chip_t *chip, uint32_t index,
                             const hs_request_t *request, hs_place_t *place)
{
    if (!hs_chip_allocate(chip, request, place)) {
        placement->row[index].refused++;
        return false;
    }
    place->rule = (uint8_t)index;
    return true;
}

/* `tried`: the region that has refused already, by bit. */
static bool allocate(hs_placement_t *placement, hs_chip_t *chip, const hs_event_t *event,
                     const hs_request_t *request, uint32_t tried, hs_place_t *place)
{
    if (hs_chip_refuse(chip, request)) {
        return false;
    }
    bool unfit;
    const uint32_t index = hs_placement_find(placement, chip, event, request, &unfit);
    if (index == UINT32_MAX) {
        placement->row[placement->count].requests++;
        return allocate_freely(placement, chip, request, place);
    }
    const hs_lab_rule_t *rule = &placement->rule[index];
    hs_lab_rule_row_t *row = &placement->row[index];
    row->requests++;
    if (unfit) {
        row->unfit++;
        return allocate_freely(placement, chip, request, place);
    }
    if (rule->regions == 0) {
        return allocate_unmoved(placement, chip, index, request, place);
    }
    const uint32_t mask = fit_regions(chip, rule, request->caps) & ~tried;
    if (allocate_by(placement, chip, index, mask, request, place)) {
        return true;
    }
    if (!rule->fallback || !allocate_freely(placement, chip, request, place)) {
        return false;
    }
    row->elsewhere++;
    return true;
}

bool hs_placement_is_high(const hs_placement_t *placement, const hs_event_t *event, uint32_t size)
{
    const uint32_t index = placement->highs != 0 ? match(placement, event, size) : UINT32_MAX;
    return index != UINT32_MAX && placement->rule[index].high != 0;
}

bool hs_placement_allocate(hs_placement_t *placement, hs_chip_t *chip, const hs_event_t *event,
                           const hs_request_t *request, hs_place_t *place)
{
    const bool high = hs_placement_is_high(placement, event, request->size);
    if (high) {
        hs_chip_set_end(chip, true);
    }
    const bool served = allocate(placement, chip, event, request, 0, place);
    if (high) {
        hs_chip_set_end(chip, false);
    }
    return served;
}

/* realloc in the block's own heap: where a rule would place it now; in a private heap, which has no
 * capabilities to lack; else if the heap has those asked for. */
static bool stays(const hs_placement_t *placement, hs_chip_t *chip, const hs_event_t *event,
                  const hs_request_t *request, hs_place_t *place)
{
    bool unfit;
    const uint32_t index = hs_placement_find(placement, chip, event, request, &unfit);
    const bool wanted =
        index != UINT32_MAX && !unfit && (placement->rule[index].regions >> place->region & 1u);
    return hs_chip_resize(chip, request, !wanted, place);
}

static bool reallocate(hs_placement_t *placement, hs_chip_t *chip, const hs_event_t *event,
                       const hs_request_t *request, hs_place_t *place)
{
    const uint64_t refusals = chip->refusals[place->region];
    if (hs_chip_refuse(chip, request)) {
        return false;
    }
    if (stays(placement, chip, event, request, place)) {
        return true;
    }
    const bool requested = chip->refusals[place->region] != refusals;
    const uint32_t tried = requested ? UINT32_C(1) << place->region : 0;
    hs_place_t moved;
    if (!allocate(placement, chip, event, request, tried, &moved)) {
        return false;
    }
    hs_chip_move(chip, request, &moved, place);
    return true;
}

bool hs_placement_reallocate(hs_placement_t *placement, hs_chip_t *chip, const hs_event_t *event,
                             const hs_request_t *request, hs_place_t *place)
{
    const bool high = hs_placement_is_high(placement, event, request->size);
    if (high) {
        hs_chip_set_end(chip, true);
    }
    const bool served = reallocate(placement, chip, event, request, place);
    if (high) {
        hs_chip_set_end(chip, false);
    }
    return served;
}

bool hs_placement_fits(const hs_placement_t *placement, hs_chip_t *chip, const hs_event_t *event,
                       const hs_request_t *request)
{
    bool unfit;
    const uint32_t index = hs_placement_find(placement, chip, event, request, &unfit);
    if (index == UINT32_MAX || unfit || placement->rule[index].regions == 0) {
        return hs_chip_fits(chip, request);
    }
    const hs_lab_rule_t *rule = &placement->rule[index];
    const uint32_t mask = fit_regions(chip, rule, request->caps);
    for (uint32_t i = 0; i < chip->count; i++) {
        if ((mask >> i & 1u) && hs_chip_fits_in(chip, i, request)) {
            return true;
        }
    }
    return rule->fallback && hs_chip_fits(chip, request);
}

uint32_t hs_placement_mask(const hs_placement_t *placement, hs_chip_t *chip,
                           const hs_event_t *event, const hs_request_t *request,
                           const hs_place_t *old)
{
    bool unfit;
    const uint32_t index = hs_placement_find(placement, chip, event, request, &unfit);
    const bool own = old != NULL && chip->region[old->region].private_heap;
    uint32_t mask = own ? UINT32_C(1) << old->region : 0;
    if (index == UINT32_MAX || unfit || placement->rule[index].regions == 0 ||
        placement->rule[index].fallback) {
        mask |= hs_chip_mask_for(chip, request->caps, request->size);
    }
    if (index != UINT32_MAX && !unfit) {
        mask |= fit_regions(chip, &placement->rule[index], request->caps);
    }
    return mask;
}

/* ---- what the rules placed -------------------------------------------------------------------- */

void hs_placement_gain(hs_placement_t *placement, const hs_place_t *place, uint32_t payload,
                       uint64_t event)
{
    hs_lab_rule_row_t *row = &placement->row[place->rule];
    row->payload += payload;
    row->blocks++;
    if (row->payload > row->payload_peak) {
        row->payload_peak = row->payload;
        row->peak_event = event;
    }
    if (row->blocks > row->blocks_peak) {
        row->blocks_peak = row->blocks;
    }
}

void hs_placement_lose(hs_placement_t *placement, const hs_place_t *place, uint32_t payload)
{
    hs_lab_rule_row_t *row = &placement->row[place->rule];
    HS_ASSERT(row->payload >= payload && row->blocks != 0);
    row->payload -= payload;
    row->blocks--;
}
