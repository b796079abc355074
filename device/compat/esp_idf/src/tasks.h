/* The tasks that heap_caps knows of: rows of heapscope/owners.h, and ended tasks that own nothing. */
#ifndef HEAPSCOPE_ESP_TASKS_H
#define HEAPSCOPE_ESP_TASKS_H

#include "heaps.h"

#if HEAPSCOPE_ESP_TASKS

#include "esp_heap_task_info.h"

#ifndef HEAPSCOPE_ESP_TASKS_MAX /* tasks that are distinguished at once, up to 254 */
#define HEAPSCOPE_ESP_TASKS_MAX 32
#endif
/* Ended tasks that are still listed when they own nothing any more; the oldest goes first. */
#ifndef HEAPSCOPE_ESP_ENDED_MAX
#if defined(CONFIG_HEAP_TRACK_DELETED_TASKS) && CONFIG_HEAP_TRACK_DELETED_TASKS
#define HEAPSCOPE_ESP_ENDED_MAX 16
#else
#define HEAPSCOPE_ESP_ENDED_MAX 0
#endif
#endif

/* A place in the list of tasks: of a row, or of an ended task. */
typedef struct esp_task {
    const char *name;
    TaskHandle_t handle;
    bool alive;
    uint32_t row; /* 0: it owns nothing any more */
    size_t peak;
    size_t current;
    uint32_t kinds; /* of memory that it ever had some of, a bit each */
    uint32_t peaks[HS_KINDS_MAX];
} esp_task_t;

#define ESP_TASK_PLACES (HEAPSCOPE_ESP_TASKS_MAX + 1u + HEAPSCOPE_ESP_ENDED_MAX)

/* false: the place is empty. Called under the lock, as all below. */
bool heapscope_esp_task_get(uint32_t place, esp_task_t *task);
/* The place of a living task, or of the one that had this handle last; NULL: the running task.
 * ESP_TASK_PLACES: none. */
uint32_t heapscope_esp_task_place(TaskHandle_t handle);

/* The memory of a task in one heap. */
typedef struct esp_share {
    hs_region_state_t heap;
    size_t current;
    size_t peak; /* of all heaps whose kind the task's owner cannot tell apart */
    size_t blocks;
} esp_share_t;
/* The first heap from *index on that the task ever had memory of; *index is then its own. */
bool heapscope_esp_task_share(const esp_task_t *task, uint32_t *index, esp_share_t *share);
/* Its blocks there, up to `most`; their number. */
size_t heapscope_esp_task_blocks(const esp_task_t *task, const esp_share_t *share,
                                 heap_task_block_t *blocks, size_t most);

/* The task of a row. */
TaskHandle_t heapscope_esp_task_of(uint32_t row);

#endif
#endif
