/* The output of esp_heap_task_info.h: a table of tasks, and each task's heaps and blocks. The lines are
 * those that tools read from ESP-IDF's logs, without their drawn frames. */
#include "tasks.h"

#if HEAPSCOPE_ESP_TASKS

static const char *status_of(const esp_task_t *task)
{
    return task->alive ? "ALIVE" : "DELETED";
}

/* ---- each task with its heaps and blocks ------------------------------------------------------ */

/* The next of a task's blocks: nothing may be printed under the lock, so each is looked for anew. */
typedef struct esp_next {
    uint32_t row;
    uintptr_t after; /* the one before */
    size_t size;     /* 0: none */
} esp_next_t;

static bool find_next(void *context, void *block, size_t size, bool used, hs_tag_t tag)
{
    esp_next_t *const next = context;
    const bool hit = used && tag.owner == next->row && (uintptr_t)block > next->after;
    if (hit) {
        next->after = (uintptr_t)block;
        next->size = size;
    }
    return !hit;
}

static void print_blocks(FILE *stream, const esp_task_t *task, const esp_share_t *share)
{
    esp_next_t next = {task->row, 0, task->row};
    while (next.size != 0) {
        next.size = 0;
        heapscope_esp_heap_lock(NULL, share->heap.index);
        hs_guard_walk(share->heap.guard, find_next, &next);
        heapscope_esp_heap_unlock(NULL, share->heap.index);
        if (next.size != 0) {
            fprintf(stream, "        ALLOC %p, SIZE %zu\n", (void *)next.after, next.size);
        }
    }
}

static bool next_share(const esp_task_t *task, uint32_t *index, esp_share_t *share)
{
    heapscope_esp_heaps_lock(NULL);
    const bool hit = heapscope_esp_task_share(task, index, share);
    heapscope_esp_heaps_unlock(NULL);
    return hit;
}

static size_t count_heaps(const esp_task_t *task)
{
    esp_share_t share;
    size_t heaps = 0;
    for (uint32_t i = 0; next_share(task, &i, &share); i++) {
        heaps++;
    }
    return heaps;
}

static void print_task(FILE *stream, const esp_task_t *task)
{
    esp_share_t share;
    fprintf(stream,
            "%s: %s, CURRENT MEMORY USAGE %zu, PEAK MEMORY USAGE %zu, TOTAL HEAP USED %zu:\n",
            status_of(task), task->name, task->current, task->peak, count_heaps(task));
    for (uint32_t i = 0; next_share(task, &i, &share); i++) {
        const size_t size = share.heap.size;
        fprintf(stream,
                "    HEAP: %s, CAPS: 0x%08x, SIZE: %zu, USAGE: CURRENT %zu (%zu%%), PEAK %zu "
                "(%zu%%), ALLOC COUNT: %zu\n",
                share.heap.name, (unsigned)share.heap.caps, size, share.current,
                share.current * 100 / size, share.peak, share.peak * 100 / size, share.blocks);
        print_blocks(stream, task, &share);
    }
}

/* ---- a line for each task --------------------------------------------------------------------- */

static void print_head(FILE *stream)
{
    fprintf(stream, "| %-15s | %-7s | %10s | %10s | %5s |\n", "TASK", "STATUS", "CURRENT", "PEAK",
            "HEAPS");
}

static void print_line(FILE *stream, const esp_task_t *task)
{
    fprintf(stream, "| %-15s | %-7s | %10zu | %10zu | %5zu |\n", task->name, status_of(task),
            task->current, task->peak, count_heaps(task));
}

/* ---- all of them, or one ---------------------------------------------------------------------- */

typedef void (*esp_print_t)(FILE *stream, const esp_task_t *task);

static bool get(uint32_t place, esp_task_t *task)
{
    heapscope_esp_heaps_lock(NULL);
    const bool hit = heapscope_esp_task_get(place, task);
    heapscope_esp_heaps_unlock(NULL);
    return hit;
}

static void print_all(FILE *stream, esp_print_t print)
{
    esp_task_t task;
    (void)heapscope_esp_heaps();
    for (uint32_t place = 0; place < ESP_TASK_PLACES; place++) {
        if (get(place, &task)) {
            print(stream, &task);
        }
    }
}

static void print_one(FILE *stream, TaskHandle_t handle, esp_print_t print)
{
    esp_task_t task;
    (void)heapscope_esp_heaps();
    heapscope_esp_heaps_lock(NULL);
    const uint32_t place = heapscope_esp_task_place(handle);
    heapscope_esp_heaps_unlock(NULL);
    if (get(place, &task)) {
        print(stream, &task);
    }
}

static FILE *where(FILE *stream)
{
    return stream != NULL ? stream : stdout;
}

void heap_caps_print_all_task_stat(FILE *stream)
{
    print_all(where(stream), print_task);
}

void heap_caps_print_single_task_stat(FILE *stream, TaskHandle_t task_handle)
{
    print_one(where(stream), task_handle, print_task);
}

void heap_caps_print_all_task_stat_overview(FILE *stream)
{
    print_head(where(stream));
    print_all(where(stream), print_line);
}

void heap_caps_print_single_task_stat_overview(FILE *stream, TaskHandle_t task_handle)
{
    print_head(where(stream));
    print_one(where(stream), task_handle, print_line);
}

#else
typedef int heapscope_esp_prints_no_tasks_t; /* C wants a declaration */
#endif
