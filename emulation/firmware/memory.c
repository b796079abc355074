#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "board.h"
#include "heapscope/port.h"
#include "recording.h"
#include "small_kernel.h"

#define CAPS_MALLOC (HS_CAP_8BIT | HS_CAP_DEFAULT)

static hs_regions_t *set;

static const struct {
    const char *name;
    uint32_t caps;
} SETS[] = {
    {"malloc", CAPS_MALLOC},
    {"DMA|8BIT", HS_CAP_DMA | HS_CAP_8BIT},
    {"INTERNAL|8BIT", HS_CAP_INTERNAL | HS_CAP_8BIT},
    {"32BIT", HS_CAP_32BIT},
    {"EXEC", HS_CAP_EXEC},
    {"SPIRAM", HS_CAP_SPIRAM},
};

static void print_regions(void)
{
    for (uint32_t i = 0; i < board_region_count; i++) {
        const hs_region_t *const region = &board_regions[i];
        const hs_memory_t *const memory = region->memory;
        printf("region %s %p %u %u %u %u\n", memory->name, region->start, (unsigned)region->size,
               (unsigned)memory->caps[0], (unsigned)memory->caps[1], (unsigned)memory->caps[2]);
    }
}

void memory_open(void)
{
    static const hs_regions_config_t config = {.lock = hs_port_lock_region,
                                               .unlock = hs_port_unlock_region};
    set = hs_regions_create(board_regions, board_region_count, &config, NULL, 0);
    kernel_use(malloc, free);
    if (set == NULL || !recording_open(set) || !recording_start()) {
        printf("no heap\n");
        board_end(1);
    }
    print_regions();
}

/* Each call of the recorder is within the heap's lock: events are in the order of what happened. */

static void *allocate(hs_event_kind_t kind, size_t count, size_t size, uint32_t caps,
                      hs_callers_t callers)
{
    const uint32_t requested = caps != 0 ? caps : CAPS_MALLOC;
    hs_port_lock(NULL);
    void *const block = kind == HS_EVENT_CALLOC ? hs_regions_calloc(set, count, size, requested)
                                                : hs_regions_malloc(set, size, requested);
    if (count * size != 0) {
        hs_recorder_allocated(recording_record(), kind, block, count * size, caps, callers);
    }
    hs_port_unlock(NULL);
    return block;
}

void *memory_take(size_t size, uint32_t caps)
{
    return allocate(HS_EVENT_MALLOC, 1, size, caps, HS_RECORDER_CALLER);
}

void *malloc(size_t size)
{
    return allocate(HS_EVENT_MALLOC, 1, size, 0, HS_RECORDER_CALLER);
}

void *calloc(size_t count, size_t size)
{
    return allocate(HS_EVENT_CALLOC, count, size, 0, HS_RECORDER_CALLER);
}

void *realloc(void *block, size_t size)
{
    hs_port_lock(NULL);
    void *const moved = block != NULL ? hs_regions_realloc(set, block, size, CAPS_MALLOC)
                                      : hs_regions_malloc(set, size, CAPS_MALLOC);
    if (block != NULL || size != 0) {
        hs_recorder_reallocated(recording_record(), block, moved, size, 0, HS_RECORDER_CALLER);
    }
    hs_port_unlock(NULL);
    return moved;
}

void free(void *block)
{
    hs_port_lock(NULL);
    hs_recorder_freed(recording_record(), block);
    if (hs_regions_free(set, block) != HS_OK) {
        printf("refused: free(%p)\n", block);
    }
    hs_port_unlock(NULL);
}

void memory_mark(const char *name)
{
    hs_port_lock(NULL);
    hs_recorder_mark(recording_record(), name);
    for (uint32_t i = 0; i < sizeof SETS / sizeof SETS[0]; i++) {
        const uint32_t caps = SETS[i].caps;
        printf("mark %s: %s free %u minimum %u largest %u\n", name, SETS[i].name,
               (unsigned)hs_regions_free_size(set, caps),
               (unsigned)hs_regions_minimum_free(set, caps),
               (unsigned)hs_regions_largest_allocatable(set, caps));
    }
    recording_print_walk(name);
    hs_port_unlock(NULL);
}
