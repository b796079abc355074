/* How the heaps of esp_heap_caps.h come into being: from the chip's memory layout, and later. */
#include "esp_heap_caps_init.h"

#include "heaps.h"
#include "release.h"

#ifdef ESP_PLATFORM
#include <esp_memory_utils.h>
#include "esp_log.h"
#if ESP_STARTS_ITSELF
#include "esp_private/startup_internal.h"
#endif
#else
#include "host_layout.h"
#endif

/* Heaps that the layout may become; the other places are left to what is added later. The original has
 * no such bound, and no chip's own table comes near it. */
#define LATER 8u
#define BUILT_MAX (HS_REGIONS_MAX > 2 * LATER ? HS_REGIONS_MAX - LATER : HS_REGIONS_MAX)

/* ESP32 alone: its instruction bus sees data memory with the words in reverse order. */
#ifndef HEAPSCOPE_ESP_ALIAS_REVERSED
#if defined(CONFIG_IDF_TARGET_ESP32) && CONFIG_IDF_TARGET_ESP32
#define HEAPSCOPE_ESP_ALIAS_REVERSED 1
#else
#define HEAPSCOPE_ESP_ALIAS_REVERSED 0
#endif
#endif

/* One for each heap, and those of the set and of the owners, which are one. */
#define LOCKS (HS_REGIONS_MAX + 1)
#ifdef ESP_PLATFORM
static portMUX_TYPE locks[LOCKS] = {[0 ... LOCKS - 1] = portMUX_INITIALIZER_UNLOCKED};
#else
static int locks[LOCKS]; /* known by their addresses */
#endif

static hs_regions_t *heaps;
static hs_regions_config_t config;
static bool started; /* a heap that is added now is a late one */

void heapscope_esp_heaps_lock(void *context)
{
    (void)context;
    MULTI_HEAP_LOCK(&locks[HS_REGIONS_MAX]);
}

void heapscope_esp_heaps_unlock(void *context)
{
    (void)context;
    MULTI_HEAP_UNLOCK(&locks[HS_REGIONS_MAX]);
}

void heapscope_esp_heap_lock(void *context, uint32_t lock)
{
    (void)context;
    MULTI_HEAP_LOCK(&locks[lock < HS_REGIONS_MAX ? lock : HS_REGIONS_MAX]);
}

void heapscope_esp_heap_unlock(void *context, uint32_t lock)
{
    (void)context;
    MULTI_HEAP_UNLOCK(&locks[lock < HS_REGIONS_MAX ? lock : HS_REGIONS_MAX]);
}

/* ---- the layout ------------------------------------------------------------------------------- */

static uint32_t caps_of(const soc_memory_type_desc_t *type)
{
    return type->caps[0] | type->caps[1] | type->caps[2];
}

/* The part of the chip's table that an address lies in. */
static const soc_memory_region_t *part_at(intptr_t address)
{
    for (size_t i = 0; i < soc_memory_region_count; i++) {
        const soc_memory_region_t *const part = &soc_memory_regions[i];
        if ((uintptr_t)address - (uintptr_t)part->start < part->size) {
            return part;
        }
    }
    return NULL;
}

static bool holds_stack(const soc_memory_region_t *part)
{
#if ESP_REGION_HAS_STACK
    return part->startup_stack;
#else
    return soc_memory_types[part->type].startup_stack;
#endif
}

/* Where the instruction bus sees a part of the table; 0: nowhere, or by the same address. An ESP32's
 * table does not say it for the memory of the real-time clock. */
static uintptr_t code_address(const soc_memory_region_t *part)
{
#if defined(ESP_PLATFORM) && ESP_RTC_BY_CODE
    void *const start = (void *)part->start;
    if (part->iram_address == 0 && !esp_rtc_dram_match_rtc_iram() &&
        esp_ptr_in_rtc_dram_fast(start)) {
        return (uintptr_t)esp_ptr_rtc_dram_to_iram(start);
    }
#endif
    return part->iram_address == part->start ? 0 : (uintptr_t)part->iram_address;
}

/* A heap is freed of what is reserved in it, its part of the table is not: so the alias follows from
 * that, and only where code may run at all. */
static void describe(hs_memory_t *memory, const char *name, const uint32_t caps[], intptr_t start,
                     uint32_t index)
{
    const soc_memory_region_t *const part = part_at(start);
    *memory = (hs_memory_t){.name = name, .kind = (uint8_t)index};
    for (size_t i = 0; i < HS_PRIORITIES; i++) {
        memory->caps[i] = caps[i];
    }
    if (index >= HS_KINDS_MAX) {
        memory->kind = HS_KINDS_MAX - 1; /* tasks' peaks are counted for them together */
    }
    if (part == NULL || ((caps[0] | caps[1] | caps[2]) & HS_CAP_EXEC) == 0) {
        return;
    }
    const uintptr_t data = (uintptr_t)part->start;
    const uintptr_t code = code_address(part);
    if (code != 0) {
        /* The words of the clock's memory come in their own order, the table's alias or not. */
        memory->alias_reversed = HEAPSCOPE_ESP_ALIAS_REVERSED != 0 && part->iram_address != 0;
        memory->alias = memory->alias_reversed ? data + code + part->size - 4 : code - data;
    }
}

/* Neighbours of one type become one region; their number. */
static size_t join(soc_memory_region_t *pieces, size_t count)
{
    size_t joined = 0;
    for (size_t i = 0; i < count; i++) {
        soc_memory_region_t *const last = joined != 0 ? &pieces[joined - 1] : NULL;
        if (last != NULL && last->start + (intptr_t)last->size == pieces[i].start &&
            last->type == pieces[i].type && holds_stack(last) == holds_stack(&pieces[i])) {
            last->size += pieces[i].size;
        } else {
            pieces[joined++] = pieces[i];
        }
    }
    return joined;
}

/* The smallest first, so that of equal ones it is used first; equal sizes stay in their order. */
static void sort(soc_memory_region_t *pieces, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const soc_memory_region_t piece = pieces[i];
        size_t at = i;
        for (; at > 0 && pieces[at - 1].size > piece.size; at--) {
            pieces[at] = pieces[at - 1];
        }
        pieces[at] = piece;
    }
}

/* The descriptions stay at the end of the first internal region of bytes that has room for them. */
static hs_memory_t *reserve(soc_memory_region_t *pieces, size_t count)
{
    const uint32_t wanted = MALLOC_CAP_8BIT | MALLOC_CAP_INTERNAL;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = count * sizeof(hs_memory_t) + sizeof(uint64_t);
        if (!holds_stack(&pieces[i]) && pieces[i].size > 2 * bytes &&
            (caps_of(&soc_memory_types[pieces[i].type]) & wanted) == wanted) {
            pieces[i].size -= bytes;
            const uintptr_t end = (uintptr_t)pieces[i].start + pieces[i].size;
            return (hs_memory_t *)((end + sizeof(uint64_t) - 1) &
                                   ~(uintptr_t)(sizeof(uint64_t) - 1));
        }
    }
    return NULL;
}

/* The smallest ones beyond BUILT_MAX stay unused, and are reported; the number of these. */
static size_t leave_out(const soc_memory_region_t *pieces, size_t count)
{
    const size_t left = count > BUILT_MAX ? count - BUILT_MAX : 0;
    for (size_t i = 0; i < left; i++) {
#ifdef ESP_PLATFORM
        ESP_EARLY_LOGW("heap_init", "Unused, as there are too many parts: at %08X len %08X",
                       (unsigned)pieces[i].start, (unsigned)pieces[i].size);
#else
        HEAPSCOPE_ESP_ERROR("heap_init: unused, as there are too many parts: %u bytes\n",
                            (unsigned)pieces[i].size);
#endif
    }
    return left;
}

static void tell(const soc_memory_region_t *piece)
{
#ifdef ESP_PLATFORM
    ESP_EARLY_LOGI("heap_init", "At %08X len %08X (%d KiB): %s", (unsigned)piece->start,
                   (unsigned)piece->size, (int)(piece->size / 1024),
                   soc_memory_types[piece->type].name);
#else
    (void)piece;
#endif
}

void heap_caps_init(void)
{
    if (heaps != NULL) {
        return;
    }
    soc_memory_region_t match[soc_get_available_memory_region_max_count()];
    hs_region_t table[HS_REGIONS_MAX];
    size_t count = join(match, soc_get_available_memory_regions(match));
    sort(match, count);
    const size_t left = leave_out(match, count);
    soc_memory_region_t *const pieces = match + left;
    count -= left;
    hs_memory_t *const memories = reserve(pieces, count);
    if (memories == NULL) {
        HEAPSCOPE_ESP_ERROR("heap_init: no memory for heaps\n");
        abort();
    }
    for (size_t i = 0; i < count; i++) {
        const soc_memory_type_desc_t *const type = &soc_memory_types[pieces[i].type];
        describe(&memories[i], type->name, type->caps, pieces[i].start, (uint32_t)i);
        table[i] = (hs_region_t){
            .memory = &memories[i],
            .start = (void *)pieces[i].start,
            .size = pieces[i].size,
            .startup_stack = holds_stack(&pieces[i]),
        };
        tell(&pieces[i]);
    }
    config = (hs_regions_config_t){
        .guard = &heapscope_esp_owned,
        .owners = heapscope_esp_tasks_create(),
        .task = heapscope_esp_task_now,
        .lock = heapscope_esp_heap_lock,
        .unlock = heapscope_esp_heap_unlock,
        .alignment = HEAPSCOPE_ESP_LEVEL == HS_GUARD_LINKS ? 4 : 8,
    };
    heaps = hs_regions_create(table, (uint32_t)count, &config, NULL, 0);
    if (heaps == NULL) {
        HEAPSCOPE_ESP_ERROR("heap_init: the memory layout contradicts itself\n");
        abort();
    }
#ifndef ESP_PLATFORM
    heapscope_esp_host_start();
#endif
}

#if ESP_STARTS_ITSELF
/* Before external memory joins, at 103. */
ESP_SYSTEM_INIT_FN(init_heap, CORE, BIT(0), 100)
{
    heap_caps_init();
    return ESP_OK;
}
#endif

void heap_caps_enable_nonos_stack_heaps(void)
{
    (void)hs_regions_enable_startup_stacks(heapscope_esp_heaps());
    started = true;
}

hs_regions_t *heapscope_esp_heaps(void)
{
#ifndef ESP_PLATFORM
    if (heaps == NULL) { /* what the start-up code does on a chip */
        heap_caps_init();
        heap_caps_enable_nonos_stack_heaps();
    }
#endif
    return heaps;
}

/* ---- later ------------------------------------------------------------------------------------ */

bool heap_caps_check_add_region_allowed(intptr_t heap_start, intptr_t heap_end, intptr_t start,
                                        intptr_t end);

/* For tests, which declare it themselves. */
bool heap_caps_check_add_region_allowed(intptr_t heap_start, intptr_t heap_end, intptr_t start,
                                        intptr_t end)
{
    return hs_regions_may_add((uintptr_t)heap_start, (uintptr_t)heap_end, (uintptr_t)start,
                              (uintptr_t)end);
}

/* Was a region refused only because it is too small? It overlaps no other one. */
static bool is_too_small(const hs_region_t *region)
{
    const uint32_t *const caps = region->memory->caps;
    const hs_heap_config_t form = {
        .form =
            ((caps[0] | caps[1] | caps[2]) & MALLOC_CAP_8BIT) != 0 ? HS_FORM_AUTO : HS_FORM_WORD,
        .alignment = config.alignment,
    };
    return hs_heap_create(region->start, region->size, &form) == NULL;
}

static esp_err_t add(const char *name, const uint32_t caps[], intptr_t start, intptr_t end)
{
    hs_region_state_t state;
    uint32_t index = 0;
    while (hs_regions_state(heapscope_esp_heaps(), index, &state)) {
        if (!hs_regions_may_add((uintptr_t)state.start, (uintptr_t)state.start + state.size,
                                (uintptr_t)start, (uintptr_t)end)) {
            return ESP_FAIL;
        }
        index++;
    }
    hs_memory_t memory;
    describe(&memory, name, caps, start, index);
    const hs_region_t region = {
        .memory = &memory,
        .start = (void *)start,
        .size = (size_t)(end - start),
        .late = started,
    };
    switch (hs_regions_add(heaps, &region)) {
    case HS_OK:
        return ESP_OK;
    case HS_ERR_MEMORY:
        return is_too_small(&region) ? ESP_ERR_INVALID_SIZE : ESP_ERR_NO_MEM;
    default:
        return ESP_FAIL;
    }
}

esp_err_t heap_caps_add_region_with_caps(const uint32_t caps[], intptr_t start, intptr_t end)
{
    if (caps == NULL || start == 0 || end == 0 || end <= start) {
        return ESP_ERR_INVALID_ARG;
    }
    const soc_memory_region_t *const part = part_at(start);
    return add(part != NULL ? soc_memory_types[part->type].name : "added", caps, start, end);
}

esp_err_t heap_caps_add_region(intptr_t start, intptr_t end)
{
    if (start == 0) {
        return ESP_ERR_INVALID_ARG;
    }
    const soc_memory_region_t *const part = part_at(start);
#ifdef ESP_PLATFORM
    const soc_memory_type_desc_t *const type = part != NULL ? &soc_memory_types[part->type] : NULL;
#else /* the program's own variables lie in no part of a host's table */
    const soc_memory_type_desc_t *const type =
        part != NULL ? &soc_memory_types[part->type] : heapscope_esp_host_data(start);
#endif
    return type != NULL ? heap_caps_add_region_with_caps(type->caps, start, end)
                        : ESP_ERR_NOT_FOUND;
}
