/* All heaps of the program behind esp_heap_caps.h, and what its files share. */
#ifndef HEAPSCOPE_ESP_HEAPS_H
#define HEAPSCOPE_ESP_HEAPS_H

#include <esp_heap_caps.h>
#include "handle.h"
#include "heapscope/regions.h"

/* Made by heap_caps_init(); on a host at the first call. */
hs_regions_t *heapscope_esp_heaps(void);

/* MALLOC_CAP_INVALID means all heaps. */
static inline uint32_t esp_requested(uint32_t caps)
{
    return (caps & MALLOC_CAP_INVALID) != 0 ? 0 : caps;
}

/* Is it in use, and does it have all of `caps`? */
static inline bool esp_has(const hs_region_state_t *heap, uint32_t caps)
{
    return heap->in_use && (heap->caps & caps) == caps;
}

/* The lock of all that the heaps share: the list, tasks, traces, and figures of several heaps. It may be
 * held where a heap's own lock is taken, never the other way round. context: unused. */
void heapscope_esp_heaps_lock(void *context);
void heapscope_esp_heaps_unlock(void *context);
/* The functions of hs_regions_config_t: `lock` is the index of a heap, or the lock above. */
void heapscope_esp_heap_lock(void *context, uint32_t lock);
void heapscope_esp_heap_unlock(void *context, uint32_t lock);

/* The heap that an address lies in by the data bus, the innermost one; false: in none. */
bool heapscope_esp_heap_at(const void *address, hs_region_state_t *state);

/* ---- tasks; nothing without HEAPSCOPE_ESP_TASKS ------------------------------------------------ */

/* Made before the heaps, and given to them. */
hs_owners_t *heapscope_esp_tasks_create(void);
/* The running task as its owner row knows it; never NULL. */
void *heapscope_esp_task_now(void *context);
/* Called after each allocation of the running task: notes its peak. */
void heapscope_esp_task_took(void);
/* Called after each free: the block may have been a task's own. */
void heapscope_esp_task_gave(const void *block);

/* ---- traces ----------------------------------------------------------------------------------- */

/* Set by heap_trace_start(), reset by heap_trace_stop(), and called for each block. `size` 0: it was
 * freed; `caller`: the address to which the call returns. */
typedef void (*esp_tracer_t)(void *block, size_t size, void *caller);
extern esp_tracer_t volatile heapscope_esp_tracer;

static inline void esp_trace(void *block, size_t size, void *caller)
{
    const esp_tracer_t tracer = heapscope_esp_tracer;
    if (tracer != NULL && block != NULL) {
        tracer(block, size, caller);
    }
}

#endif
