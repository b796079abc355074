/* Sets of regions: made of a table, and regions that come later. */
#include "route.h"

static const hs_regions_config_t no_config;
static const hs_guard_config_t bare_guard = {.level = HS_GUARD_OFF};
#if HS_OWNERS
static const hs_guard_config_t owners_guard = {.level = HS_GUARD_OFF, .owners = true};
#endif

static const hs_guard_config_t *guard_config(const hs_regions_t *set, const hs_memory_t *memory)
{
    const hs_regions_config_t *const config = set->config;
    if (memory->bare) {
        return &bare_guard;
    }
    if (config->guard != NULL) {
        return config->guard;
    }
#if HS_OWNERS
    if (config->owners != NULL) {
        return &owners_guard;
    }
#endif
    return &bare_guard;
}

/* Makes the heap of a region, `front` bytes of which are taken. HS_ERR_MEMORY: it has no room. */
static hs_status_t open_area(const hs_regions_t *set, hs_area_t *area, size_t front)
{
    const hs_heap_config_t config = {
        .form = hs_is_words(area) ? HS_FORM_WORD : HS_FORM_AUTO,
        .alignment = set->config->alignment,
    };
    hs_heap_t *const heap =
        hs_heap_create((void *)(area->start + front), area->size - front, &config);
    if (heap == NULL) {
        return HS_ERR_MEMORY;
    }
    hs_guard_t guard;
    const hs_status_t status = hs_guard_init(&guard, heap, guard_config(set, area->memory));
    if (status == HS_OK) { /* other tasks see the heap last, when all else is there */
#if HS_GUARD || HS_OWNERS
        area->guard.config = guard.config;
        area->guard.until_walk = guard.until_walk;
#endif
        area->low = hs_heap_free_size(heap);
        HS_PUBLISH(area->guard.heap, heap);
    }
    return status;
}

static void describe(hs_area_t *area, const hs_region_t *region)
{
    *area = (hs_area_t){
        .memory = region->memory,
        .start = (uintptr_t)region->start,
        .size = region->size,
    };
}

/* ---- the table ---------------------------------------------------------------------------------- */

static bool is_region(const hs_region_t *region)
{
    return region->memory != NULL && region->memory->kind < HS_KINDS_MAX && region->start != NULL &&
           region->size != 0 && region->size <= UINTPTR_MAX - (uintptr_t)region->start;
}

static bool overlap(const hs_region_t *one, const hs_region_t *other)
{
    return (uintptr_t)one->start < (uintptr_t)other->start + other->size &&
           (uintptr_t)other->start < (uintptr_t)one->start + one->size;
}

static bool is_table(const hs_region_t *table, uint32_t count)
{
    if (table == NULL || count == 0 || count > HS_REGIONS_MAX) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!is_region(&table[i])) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (overlap(&table[i], &table[j])) {
                return false;
            }
        }
    }
    return true;
}

static bool is_config(const hs_regions_config_t *config)
{
    const uint32_t alignment = config->alignment;
    return (alignment == 0 || alignment == 4 || alignment == 8 || alignment == 16) &&
           (config->rules != NULL || config->rule_count == 0) &&
           (config->lock == NULL) == (config->unlock == NULL) &&
           (HS_LOCKS || config->lock == NULL) &&
           (config->owners == NULL || config->guard == NULL || config->guard->owners);
}

size_t hs_regions_control(uint32_t count)
{
    return sizeof(hs_regions_t) + count * sizeof(hs_area_t);
}

static size_t skew_of(const void *memory)
{
    const size_t unit = sizeof(void *);
    return (unit - (uintptr_t)memory % unit) % unit;
}

/* Room for the control data in front of a region: its number, or `count`. */
static uint32_t host_of(const hs_region_t *table, uint32_t count)
{
    uint32_t i = 0;
    while (i < count &&
           (table[i].startup_stack || (hs_caps_all(table[i].memory->caps) & HS_CAP_8BIT) == 0 ||
            table[i].size < skew_of(table[i].start) + hs_regions_control(count))) {
        i++;
    }
    return i;
}

hs_regions_t *hs_regions_create(const hs_region_t *table, uint32_t count,
                                const hs_regions_config_t *config, void *memory, size_t memory_size)
{
    config = config != NULL ? config : &no_config;
    if (!is_table(table, count) || !is_config(config)) {
        return NULL;
    }
    const uint32_t host = memory != NULL ? count : host_of(table, count);
    if (memory == NULL && host == count) {
        return NULL;
    }
    uint8_t *const place = memory != NULL ? memory : table[host].start;
    const size_t front = skew_of(place) + hs_regions_control(count);
    if (memory != NULL && memory_size < front) {
        return NULL;
    }
    hs_regions_t *const set = (hs_regions_t *)(place + skew_of(place));
    *set = (hs_regions_t){.config = config, .count = (uint8_t)count, .total = (uint8_t)count};
    for (uint32_t i = 0; i < count; i++) {
        describe(&set->area[i], &table[i]);
        if (!table[i].startup_stack) {
            (void)open_area(set, &set->area[i], i == host ? front : 0);
        } else {
            set->area[i].low = HS_WAITING;
        }
    }
    return set;
}

hs_status_t hs_regions_enable_startup_stacks(hs_regions_t *set)
{
    hs_lock(set, HS_LOCK_SET);
    const hs_status_t status = set->started ? HS_ERR_ARGUMENT : HS_OK;
    for (uint32_t i = 0; i < set->count && status == HS_OK; i++) {
        if (!hs_is_used(&set->area[i]) && set->area[i].low == HS_WAITING) {
            (void)open_area(set, &set->area[i], 0);
        }
    }
    set->started = true;
    hs_unlock(set, HS_LOCK_SET);
    return status;
}

/* ---- later -------------------------------------------------------------------------------------- */

bool hs_regions_may_add(uintptr_t other_start, uintptr_t other_end, uintptr_t start, uintptr_t end)
{
    const bool over_start = start < other_start && end > other_start;
    const bool over_end = start < other_end && end > other_end;
    return !over_start && !over_end && (start != other_start || end != other_end);
}

/* Beside all others; or in a used block of the region that it lies in. */
static bool may_add(hs_regions_t *set, const hs_region_t *region)
{
    const uintptr_t start = (uintptr_t)region->start;
    const uintptr_t end = start + region->size;
    hs_area_t *around = NULL;
    for (hs_area_t *at = hs_first_area(set); at != NULL; at = hs_next_area(set, at)) {
        if (!hs_regions_may_add(at->start, at->start + at->size, start, end)) {
            return false;
        }
        if (around == NULL && start - at->start < at->size) {
            around = at; /* the innermost one comes first */
        }
    }
    if (around == NULL) {
        return true;
    }
    if (!hs_is_used(around)) {
        return false;
    }
    hs_lock_area(set, around);
    uint8_t *const block = hs_guard_containing_block(&around->guard, region->start);
    const bool may = block != NULL && start >= (uintptr_t)block &&
                     end - (uintptr_t)block <= hs_guard_usable_size(&around->guard, block);
    hs_unlock_area(set, around);
    return may;
}

static hs_added_t *added_record(hs_regions_t *set)
{
    static const uint32_t caps[] = {HS_CAP_8BIT | HS_CAP_INTERNAL, HS_CAP_8BIT};
    /* A guard may align payloads to 4 bytes. */
    hs_request_t request = {.size = sizeof(hs_added_t), .alignment = sizeof(void *)};
    hs_added_t *record = NULL;
    for (uint32_t i = 0; i < 2 && record == NULL; i++) {
        request.caps = caps[i];
        record = hs_route_take_unowned(set, &request);
    }
    return record;
}

/* With the set's lock held, so that there is one at a time. Others walk the list meanwhile: they find
 * the new region when it is whole, and nothing ever leaves the list. */
static hs_status_t add(hs_regions_t *set, const hs_region_t *region)
{
    if (!may_add(set, region)) {
        return HS_ERR_ARGUMENT;
    }
    hs_added_t *const record = set->total < HS_REGIONS_MAX ? added_record(set) : NULL;
    if (record == NULL) {
        return HS_ERR_MEMORY;
    }
    describe(&record->area, region);
    record->memory = *region->memory;
    record->area.memory = &record->memory;
    record->late = region->late;
    record->index = set->total;
    const hs_status_t status = open_area(set, &record->area, 0);
    if (status != HS_OK) {
        hs_area_t *area;
        (void)hs_place_data(set, record, &area);
        hs_lock_area(set, area);
        (void)hs_guard_free(&area->guard, record);
        hs_unlock_area(set, area);
        return status;
    }
    HS_ASSERT(record->index < HS_REGIONS_MAX && hs_is_used(&record->area));
    record->older = set->added;
    HS_PUBLISH(set->added, record);
    set->total++;
    return HS_OK;
}

hs_status_t hs_regions_add(hs_regions_t *set, const hs_region_t *region)
{
    if (!is_region(region)) {
        return HS_ERR_ARGUMENT;
    }
    hs_lock(set, HS_LOCK_SET);
    const hs_status_t status = add(set, region);
    hs_unlock(set, HS_LOCK_SET);
    return status;
}
