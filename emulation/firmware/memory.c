#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "heapscope/port.h"
#include "heapscope/trace.h"
#include "kernel.h"

#define CAPS_MALLOC (HS_CAP_8BIT | HS_CAP_DEFAULT)
#define MARKS 16u

static uint64_t chunk[2048 / 8];
static hs_regions_t *set;
static hs_trace_t *trace;
static const char *names[MARKS];
static uint32_t marks;

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

static hs_status_t to_stream(void *context, const uint8_t *bytes, size_t count)
{
    (void)context;
    board_stream(bytes, (uint32_t)count);
    return HS_OK;
}

static void on_task(uint32_t number, const char *name, bool begins)
{
    if (begins) {
        hs_trace_name(trace, HS_NAMES_TASK, number, name, strlen(name));
    }
    hs_trace_event(trace, &(hs_event_t){
                              .kind = begins ? HS_EVENT_TASK_START : HS_EVENT_TASK_END,
                              .key = number,
                              .task = number,
                              .time = board_clock(),
                          });
}

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
    static const hs_regions_config_t config = {.lock = hs_port_lock, .unlock = hs_port_unlock};
    const hs_trace_config_t features = {
        .features = HS_TRACE_ADDRESSES | HS_TRACE_CLOCK,
        .address_shift = 2,
        .sink = to_stream,
    };
    set = hs_regions_create(board_regions, board_region_count, &config, NULL, 0);
    trace = hs_trace_open(chunk, sizeof chunk, &features);
    if (set == NULL || trace == NULL) {
        printf("no heap\n");
        board_end(1);
    }
    hs_trace_metadata(trace, "program", "the firmware of emulation/firmware");
    hs_trace_metadata(trace, "allocator", "heapscope");
    hs_trace_metadata(trace, "word", "4");
    hs_trace_metadata(trace, "clock", "1000000");
    hs_trace_name(trace, HS_NAMES_TASK, 0, "start", 5);
    hs_trace_name(trace, HS_NAMES_TASK, KERNEL_INTERRUPT, "interrupt", 9);
    kernel_use(malloc, free);
    kernel_watch(on_task);
    print_regions();
}

/* Within the lock: events are in the order of what happened. */
static void record(hs_event_t event)
{
    event.task = kernel_task_number();
    event.time = board_clock();
    hs_trace_event(trace, &event);
}

static uint64_t key_of(const void *block)
{
    return (uintptr_t)block;
}

static void record_request(hs_event_kind_t kind, const void *block, size_t size, uint32_t caps)
{
    if (block != NULL) {
        record((hs_event_t){.kind = kind, .key = key_of(block), .size = size, .caps = caps});
    } else if (size != 0) {
        record((hs_event_t){.kind = HS_EVENT_FAILED, .new_key = kind, .size = size, .caps = caps});
    }
}

void *memory_take(size_t size, uint32_t caps)
{
    hs_port_lock(NULL);
    void *const block = hs_regions_malloc(set, size, caps != 0 ? caps : CAPS_MALLOC);
    record_request(HS_EVENT_MALLOC, block, size, caps);
    hs_port_unlock(NULL);
    return block;
}

void *malloc(size_t size)
{
    return memory_take(size, 0);
}

void *calloc(size_t count, size_t size)
{
    hs_port_lock(NULL);
    void *const block = hs_regions_calloc(set, count, size, CAPS_MALLOC);
    record_request(HS_EVENT_CALLOC, block, count * size, 0);
    hs_port_unlock(NULL);
    return block;
}

void *realloc(void *block, size_t size)
{
    if (block == NULL || size == 0) {
        free(block);
        return malloc(size);
    }
    hs_port_lock(NULL);
    const uint64_t before = key_of(block);
    void *const moved = hs_regions_realloc(set, block, size, CAPS_MALLOC);
    record((hs_event_t){
        .kind = moved != NULL ? HS_EVENT_REALLOC : HS_EVENT_FAILED,
        .key = before,
        .new_key = moved != NULL ? key_of(moved) : HS_EVENT_REALLOC,
        .size = size,
    });
    hs_port_unlock(NULL);
    return moved;
}

void free(void *block)
{
    if (block == NULL) {
        return;
    }
    hs_port_lock(NULL);
    if (hs_regions_free(set, block) != HS_OK) {
        printf("refused: free(%p)\n", block);
    }
    record((hs_event_t){.kind = HS_EVENT_FREE, .key = key_of(block)});
    hs_port_unlock(NULL);
}

void memory_mark(const char *name)
{
    hs_port_lock(NULL);
    uint32_t index = 0; /* of its name, which is a literal */
    while (index < marks && names[index] != name) {
        index++;
    }
    if (index == marks && marks < MARKS) {
        names[marks++] = name;
        hs_trace_name(trace, HS_NAMES_MARK, index, name, strlen(name));
    }
    record((hs_event_t){.kind = HS_EVENT_MARK, .key = index});
    for (uint32_t i = 0; i < sizeof SETS / sizeof SETS[0]; i++) {
        const uint32_t caps = SETS[i].caps;
        printf("mark %s: %s free %u minimum %u largest %u\n", name, SETS[i].name,
               (unsigned)hs_regions_free_size(set, caps),
               (unsigned)hs_regions_minimum_free(set, caps),
               (unsigned)hs_regions_largest_allocatable(set, caps));
    }
    hs_port_unlock(NULL);
}

void memory_close(void)
{
    hs_port_lock(NULL);
    hs_trace_close(trace);
    hs_port_unlock(NULL);
}
