#include "driver.h"

hs_heap_t *drive_create(void *memory, uint32_t size, uint32_t form, uint32_t alignment)
{
    const hs_heap_config_t config = {.form = (hs_form_t)form, .alignment = alignment};
    return hs_heap_create(memory, size, &config);
}

static uint32_t offset_of(const uint8_t *memory, const void *block)
{
    return block == NULL ? DRIVER_FAILED : (uint32_t)((const uint8_t *)block - memory);
}

/* A failed realloc leaves the block; realloc to nothing frees it. */
static uint32_t resize(hs_heap_t *heap, const uint8_t *memory, const driver_event_t *event,
                       void **slots)
{
    void *before = slots[event->slot];
    if (before == NULL) {
        return DRIVER_SKIPPED;
    }
    void *moved = hs_heap_realloc(heap, before, event->size);
    slots[event->slot] = NULL;
    slots[event->after] = moved == NULL && event->size != 0 ? before : moved;
    return offset_of(memory, moved);
}

static uint32_t release(hs_heap_t *heap, void **slot)
{
    void *block = *slot;
    if (block == NULL) {
        return DRIVER_SKIPPED;
    }
    *slot = NULL;
    return hs_heap_free(heap, block) == HS_OK ? DRIVER_FREED : DRIVER_REFUSED;
}

static uint32_t drive(hs_heap_t *heap, const uint8_t *memory, const driver_event_t *event,
                      void **slots)
{
    switch (event->kind) {
    case DRIVER_MALLOC:
        slots[event->slot] = hs_heap_malloc(heap, event->size);
        break;
    case DRIVER_CALLOC:
        slots[event->slot] = hs_heap_calloc(heap, 1, event->size);
        break;
    case DRIVER_ALIGNED:
        slots[event->slot] = hs_heap_aligned_alloc(heap, (size_t)1 << event->after, event->size, 0);
        break;
    case DRIVER_REALLOC:
        return resize(heap, memory, event, slots);
    case DRIVER_FREE:
        return release(heap, &slots[event->slot]);
    default:
        return DRIVER_SKIPPED;
    }
    return offset_of(memory, slots[event->slot]);
}

void drive_events(hs_heap_t *heap, const uint8_t *memory, const driver_event_t *events,
                  uint32_t count, void **slots, uint32_t *results)
{
    for (uint32_t i = 0; i < count; i++) {
        results[i] = drive(heap, memory, &events[i], slots);
    }
}
