/*
 * The regions of a layout, as the lab has them, at the chip's own addresses, and the events of a trace
 * on them: what the lab's replay is compared with.
 */
#include "driver.h"

#include "heapscope/regions.h"

typedef struct lab_region {
    uint32_t start, size;
    uint32_t caps[HS_PRIORITIES];
    uint32_t alias;  /* in reverse; 0: none */
    uint32_t in_set; /* hs_lab_region_t */
} lab_region_t;

typedef struct lab_setting {
    uint32_t guard;  /* 0: none is configured; else 1 + its level */
    uint32_t owners; /* rows; 0: none */
    uint32_t plain;  /* capabilities of what asks for none */
    uint32_t region_count, rule_count;
    lab_region_t regions[8]; /* in list order */
    hs_size_rule_t rules[4];
} lab_setting_t;

typedef struct lab_event {
    driver_event_t call;
    uint32_t caps;
    uint32_t task;
} lab_event_t;

uint32_t lab_open(const lab_setting_t *setting);
void lab_run(const lab_event_t *events, uint32_t count, void **slots, uint32_t *results);
uint32_t lab_check(void);

#define ADDED 3u
#define STARTUP_STACK 2u
#define ROWS_MAX 16u

static hs_memory_t memories[8];
static hs_guard_config_t guard;
static hs_regions_config_t config;
static hs_regions_t *set;
static uint32_t plain;
static uint32_t owners_memory[ROWS_MAX * 40];
static uint32_t running;

static void *running_task(void *context)
{
    (void)context;
    return (void *)(4 * (running + 1));
}

static hs_region_t described(const lab_region_t *region, hs_memory_t *memory)
{
    *memory = (hs_memory_t){.name = "", .alias_reversed = true, .alias = region->alias};
    for (uint32_t i = 0; i < HS_PRIORITIES; i++) {
        memory->caps[i] = region->caps[i];
    }
    return (hs_region_t){memory, (void *)region->start, region->size,
                         region->in_set == STARTUP_STACK, false};
}

/* Does the work of a chip's start-up: the table, the added regions, and at the end the start-up stacks. */
uint32_t lab_open(const lab_setting_t *setting)
{
    hs_region_t table[8];
    uint32_t count = 0;
    plain = setting->plain;
    guard = (hs_guard_config_t){.level = (hs_guard_level_t)(setting->guard - 1),
                                .owners = setting->owners != 0};
    config = (hs_regions_config_t){.guard = setting->guard != 0 ? &guard : NULL,
                                   .rules = setting->rules,
                                   .rule_count = setting->rule_count};
    if (setting->owners != 0) {
        config.owners = hs_owners_create(owners_memory, sizeof owners_memory, setting->owners);
        config.task = running_task;
    }
    for (uint32_t i = 0; i < setting->region_count; i++) {
        if (setting->regions[i].in_set != ADDED) {
            table[count] = described(&setting->regions[i], &memories[i]);
            count++;
        }
    }
    set = hs_regions_create(table, count, &config, NULL, 0);
    for (uint32_t i = setting->region_count; set != NULL && i-- > 0;) {
        const hs_region_t added = described(&setting->regions[i], &memories[i]);
        if (setting->regions[i].in_set == ADDED && hs_regions_add(set, &added) != HS_OK) {
            return 0;
        }
    }
    return set != NULL && hs_regions_enable_startup_stacks(set) == HS_OK;
}

/* By the data bus, as the lab tells it. */
static uint32_t address_of(void *block)
{
    return block == NULL ? DRIVER_FAILED : (uint32_t)hs_regions_containing_block(set, block);
}

static bool is_by_data(void *block)
{
    return (uint32_t)block < 0x400A0000;
}

static uint32_t told(void *block)
{
    return block != NULL && is_by_data(block) ? (uint32_t)block : address_of(block);
}

static uint32_t resize(const driver_event_t *event, uint32_t caps, void **slots)
{
    void *const before = slots[event->slot];
    if (before == NULL) {
        return DRIVER_SKIPPED;
    }
    void *const moved = hs_regions_realloc(set, before, event->size, caps);
    slots[event->slot] = NULL;
    slots[event->after] = moved == NULL && event->size != 0 ? before : moved;
    return told(moved);
}

static uint32_t release(void **slot)
{
    void *const block = *slot;
    *slot = NULL;
    return block == NULL                          ? DRIVER_SKIPPED
           : hs_regions_free(set, block) == HS_OK ? DRIVER_FREED
                                                  : DRIVER_REFUSED;
}

static uint32_t run_one(const lab_event_t *event, void **slots)
{
    const driver_event_t *const call = &event->call;
    const uint32_t caps = event->caps != 0 ? event->caps : plain;
    void **const slot = &slots[call->slot];
    running = event->task;
    switch (call->kind) {
    case DRIVER_MALLOC:
        *slot = hs_regions_malloc(set, call->size, caps);
        return told(*slot);
    case DRIVER_CALLOC:
        *slot = hs_regions_calloc(set, 1, call->size, caps);
        return told(*slot);
    case DRIVER_ALIGNED:
        *slot = hs_regions_aligned_alloc(set, (size_t)1 << call->after, call->size, 0, caps);
        return told(*slot);
    case DRIVER_REALLOC:
        return resize(call, caps, slots);
    default:
        return release(slot);
    }
}

void lab_run(const lab_event_t *events, uint32_t count, void **slots, uint32_t *results)
{
    for (uint32_t i = 0; i < count; i++) {
        results[i] = run_one(&events[i], slots);
    }
}

uint32_t lab_check(void)
{
    return hs_regions_check(set, 0) == HS_OK;
}
