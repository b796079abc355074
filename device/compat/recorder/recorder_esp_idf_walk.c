/* The live blocks of ESP-IDF's heaps, for snapshots: heap_caps_walk_all(), from 5.3 on. */
#if defined(__has_include) && __has_include("esp_heap_caps.h")

#include "sdkconfig.h"

#include "esp_heap_caps.h"

#include "recorder_esp_idf.h"

#if ESP_IDF_VERSION >= ESP_IDF_VERSION_VAL(5, 3, 0)

/* A walk tells the allocator's blocks. The program's begin behind a canary and its length, and behind the
 * owner, where ESP-IDF puts these into the block; Heapscope's component `heap` keeps owners elsewhere. */
#if defined(CONFIG_HEAP_POISONING_LIGHT) || defined(CONFIG_HEAP_POISONING_COMPREHENSIVE)
#define POISON_HEAD 8u
#define POISON_TAIL 4u
#else
#define POISON_HEAD 0u
#define POISON_TAIL 0u
#endif
#if defined(CONFIG_HEAP_TASK_TRACKING) && !__has_include("heapscope_esp_task.h")
#define OWNER sizeof(void *)
#else
#define OWNER 0u
#endif
#define HEAD (POISON_HEAD + OWNER)

typedef struct tour {
    uintptr_t after;
    hs_recorder_block_t *out;
    size_t capacity;
    size_t count;
} tour_t;

/* Keeps the lowest addresses, ascending. Within a heap they ascend, heaps come in any order. O(capacity). */
static bool visit(walker_heap_into_t heap, walker_block_info_t block, void *context)
{
    tour_t *tour = (tour_t *)context;
    const uintptr_t address = (uintptr_t)block.ptr + HEAD;
    const bool full = tour->count == tour->capacity;
    if ((uintptr_t)heap.end <= tour->after ||
        (full && address > tour->out[tour->capacity - 1u].address)) {
        return false; /* nothing of this heap, or nothing more */
    }
    if (!block.used || address <= tour->after) {
        return true;
    }
    size_t at = full ? tour->capacity - 1u : tour->count++;
    for (; at > 0 && tour->out[at - 1u].address > address; at--) {
        tour->out[at] = tour->out[at - 1u];
    }
    const size_t holds = block.size - HEAD - POISON_TAIL;
    tour->out[at] = (hs_recorder_block_t){.address = address, .size = (uint32_t)holds};
    return true;
}

size_t hs_recorder_esp_idf_walk(void *context, uintptr_t after, hs_recorder_block_t *out,
                                size_t capacity)
{
    (void)context;
    tour_t tour = {.after = after, .out = out, .capacity = capacity};
    if (capacity != 0) {
        heap_caps_walk_all(visit, &tour);
    }
    return tour.count;
}

#endif
#endif
