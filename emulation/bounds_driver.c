/*
 * Events on a heap behind a guard, a set of regions, or neither: one call of the library for each, whose
 * instructions are held against their bound.
 */
#include "bounds_hooks.h"
#include "driver.h"
#include "heapscope/port.h"
#include "heapscope/regions.h"

enum { BOUNDS_LARGEST = DRIVER_FREE + 1, BOUNDS_USABLE };

/* Numbered as bounds_ways.WAYS. */
enum { WAY_HEAP, WAY_LINKS, WAY_CANARIES, WAY_FILL, WAY_REGION, WAY_FIFTH, WAY_OWNED };

#define CAPS HS_CAP_8BIT

static uint32_t way;
static hs_heap_t *heap;
static hs_guard_t guard;
static hs_guard_config_t guard_config;
static hs_regions_t *set;
static hs_regions_config_t set_config;
static uint64_t control[512];
static const hs_memory_t ram = {.name = "ram", .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT}};
static const hs_memory_t iram = {.name = "iram", .caps = {HS_CAP_32BIT}};
static uint64_t others[4][512];
static const hs_tag_t tag = {1, NULL};

uint32_t bounds_open(uint32_t as, void *memory, uint32_t size);
void bounds_run(const driver_event_t *events, uint32_t count, void **slots, uint32_t *results);

static void open_regions(void *memory, uint32_t size)
{
    const uint32_t count = way == WAY_REGION ? 1 : 5;
    hs_region_t table[5];
    for (uint32_t i = 0; i < 4; i++) { /* four that cannot serve, before the one that does */
        table[i] = (hs_region_t){.memory = &iram, .start = others[i], .size = sizeof others[i]};
    }
    table[count - 1] = (hs_region_t){.memory = &ram, .start = memory, .size = size};
    set_config = (hs_regions_config_t){.lock = LOCK, .unlock = UNLOCK};
    if (way == WAY_OWNED) {
        guard_config = (hs_guard_config_t){.level = HS_GUARD_LINKS, .owners = true};
        set_config.guard = &guard_config;
        set_config.owners = hs_owners_create(control, sizeof control, OWNERS);
        set_config.task = bounds_task;
    }
    set = hs_regions_create(table, count, &set_config, NULL, 0);
}

/* 0: refused. */
uint32_t bounds_open(uint32_t as, void *memory, uint32_t size)
{
    static const hs_heap_config_t small = {.form = HS_FORM_SMALL};
    way = as;
    if (way >= WAY_REGION) {
        open_regions(memory, size);
        return set != NULL;
    }
    heap = hs_heap_create(memory, size, &small);
    if (heap == NULL || way == WAY_HEAP) {
        return heap != NULL;
    }
    guard_config = (hs_guard_config_t){.level = (hs_guard_level_t)(way - WAY_LINKS)};
    guard_config.owners = way != WAY_LINKS;
    return hs_guard_init(&guard, heap, &guard_config) == HS_OK;
}

static void *take(const driver_event_t *event)
{
    const size_t alignment = (size_t)1 << (event->after & 15u);
    if (way == WAY_HEAP) {
        return event->kind == DRIVER_MALLOC ? hs_heap_malloc(heap, event->size)
               : event->kind == DRIVER_CALLOC
                   ? hs_heap_calloc(heap, 1, event->size)
                   : hs_heap_aligned_alloc(heap, alignment, event->size, 0);
    }
    if (way < WAY_REGION) {
        return event->kind == DRIVER_MALLOC ? hs_guard_malloc(&guard, event->size, tag)
               : event->kind == DRIVER_CALLOC
                   ? hs_guard_calloc(&guard, 1, event->size, tag)
                   : hs_guard_aligned_alloc(&guard, alignment, event->size, 0, tag);
    }
    return event->kind == DRIVER_MALLOC ? hs_regions_malloc(set, event->size, CAPS)
           : event->kind == DRIVER_CALLOC
               ? hs_regions_calloc(set, 1, event->size, CAPS)
               : hs_regions_aligned_alloc(set, alignment, event->size, 0, CAPS);
}

static void *resize(void *block, size_t size)
{
    return way == WAY_HEAP    ? hs_heap_realloc(heap, block, size)
           : way < WAY_REGION ? hs_guard_realloc(&guard, block, size, tag)
                              : hs_regions_realloc(set, block, size, CAPS);
}

static hs_status_t give(void *block)
{
    return way == WAY_HEAP    ? hs_heap_free(heap, block)
           : way < WAY_REGION ? hs_guard_free(&guard, block)
                              : hs_regions_free(set, block);
}

static size_t ask(uint32_t kind, const void *block)
{
    if (kind == BOUNDS_LARGEST) {
        return way == WAY_HEAP    ? hs_heap_largest(heap)
               : way < WAY_REGION ? hs_guard_largest(&guard)
                                  : hs_regions_largest_allocatable(set, CAPS);
    }
    return way == WAY_HEAP    ? hs_heap_usable_size(heap, block)
           : way < WAY_REGION ? hs_guard_usable_size(&guard, block)
                              : hs_regions_usable_size(set, block);
}

static uint32_t run(const driver_event_t *event, void **slots)
{
    void **const slot = &slots[event->slot];
    switch (event->kind) {
    case DRIVER_MALLOC:
    case DRIVER_CALLOC:
    case DRIVER_ALIGNED:
        if (*slot != NULL) {
            return DRIVER_SKIPPED;
        }
        *slot = take(event);
        return *slot != NULL ? (uint32_t)(uintptr_t)*slot : DRIVER_FAILED;
    case BOUNDS_LARGEST:
        return (uint32_t)ask(event->kind, NULL);
    default:
        break;
    }
    if (*slot == NULL) {
        return DRIVER_SKIPPED;
    }
    if (event->kind == DRIVER_REALLOC) {
        void *const moved = resize(*slot, event->size);
        *slot = moved != NULL || event->size == 0 ? moved : *slot;
        return moved != NULL ? (uint32_t)(uintptr_t)moved : DRIVER_FAILED;
    }
    if (event->kind == BOUNDS_USABLE) {
        return (uint32_t)ask(event->kind, *slot);
    }
    void *const block = *slot;
    *slot = NULL;
    return give(block) == HS_OK ? DRIVER_FREED : DRIVER_REFUSED;
}

void bounds_run(const driver_event_t *events, uint32_t count, void **slots, uint32_t *results)
{
    for (uint32_t i = 0; i < count; i++) {
        results[i] = run(&events[i], slots);
    }
}

int main(void)
{
    return 0;
}
