/*
 * The emulation's event loop (emulation/driver.c) over a guarded heap. The choice comes in the place of the alignment: bits 0-7 the alignment, 8-15 the level and one, 16 owners, 17 sites.
 */
#include "driver.h"
#include "heapscope/guard.h"

void drive_overhead(void *guard, const driver_event_t *events, uint32_t count, void **slots,
                    uint64_t *sums);

static hs_guard_config_t config;
static hs_guard_t guarded;
static const hs_tag_t tag = {1, &config};

/* Gives the guard where the plain driver gives the heap. */
hs_heap_t *drive_create(void *memory, uint32_t size, uint32_t form, uint32_t chosen)
{
    const hs_heap_config_t shape = {(hs_form_t)form, chosen & 0xFFu};
    config = (hs_guard_config_t){.level = (hs_guard_level_t)((int)(chosen >> 8 & 0xFFu) - 1),
                                 .owners = (chosen >> 16 & 1u) != 0,
                                 .sites = (chosen >> 17 & 1u) != 0,
                                 .alignment = chosen & 0xFFu,
                                 .walk_every = 1024};
    hs_heap_t *heap = hs_heap_create(memory, size, &shape);
    return heap != NULL && hs_guard_init(&guarded, heap, &config) == HS_OK ? (hs_heap_t *)&guarded
                                                                           : NULL;
}

static uint32_t drive(hs_guard_t *guard, const uint8_t *memory, const driver_event_t *event,
                      void **slots)
{
    void **slot = &slots[event->slot];
    switch (event->kind) {
    case DRIVER_MALLOC:
        *slot = hs_guard_malloc(guard, event->size, tag);
        break;
    case DRIVER_CALLOC:
        *slot = hs_guard_calloc(guard, 1, event->size, tag);
        break;
    case DRIVER_ALIGNED:
        *slot = hs_guard_aligned_alloc(guard, (size_t)1 << event->after, event->size, 0, tag);
        break;
    case DRIVER_REALLOC: {
        void *before = *slot;
        if (before == NULL) {
            return DRIVER_SKIPPED;
        }
        void *moved = hs_guard_realloc(guard, before, event->size, tag);
        *slot = NULL;
        slot = &slots[event->after];
        *slot = moved == NULL && event->size != 0 ? before : moved;
        return moved == NULL ? DRIVER_FAILED : (uint32_t)((const uint8_t *)moved - memory);
    }
    case DRIVER_FREE: {
        void *block = *slot;
        *slot = NULL;
        if (block == NULL) {
            return DRIVER_SKIPPED;
        }
        return hs_guard_free(guard, block) == HS_OK ? DRIVER_FREED : DRIVER_REFUSED;
    }
    default:
        return DRIVER_SKIPPED;
    }
    return *slot == NULL ? DRIVER_FAILED : (uint32_t)((const uint8_t *)*slot - memory);
}

void drive_events(hs_heap_t *heap, const uint8_t *memory, const driver_event_t *events,
                  uint32_t count, void **slots, uint32_t *results)
{
    for (uint32_t i = 0; i < count; i++) {
        results[i] = drive((hs_guard_t *)heap, memory, &events[i], slots);
    }
}

/* Visits each block that was handed out: sums[0] counts them, sums[1] adds up the bytes that they take
 * beyond the request, metadata included. */
void drive_overhead(void *guard, const driver_event_t *events, uint32_t count, void **slots,
                    uint64_t *sums)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t result = drive(guard, NULL, &events[i], slots);
        if (events[i].kind != DRIVER_FREE && result < DRIVER_REFUSED) {
            const uint32_t slot =
                events[i].kind == DRIVER_REALLOC ? events[i].after : events[i].slot;
            sums[0]++;
            sums[1] += hs_guard_full_size(guard, slots[slot]) - events[i].size;
        }
    }
}
