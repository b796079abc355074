/* The interface of ESP-IDF to whose the memory is: docs/reference/esp_idf.md. */
#ifndef ESP_HEAP_TASK_INFO_H
#define ESP_HEAP_TASK_INFO_H

#include <sdkconfig.h>

#if defined(CONFIG_HEAP_TASK_TRACKING) && CONFIG_HEAP_TASK_TRACKING

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <esp_err.h>
#include <heapscope_esp_task.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NUM_HEAP_TASK_CAPS 4

typedef struct {
    TaskHandle_t task;
    size_t size[NUM_HEAP_TASK_CAPS];
    size_t count[NUM_HEAP_TASK_CAPS];
} heap_task_totals_t;

typedef struct {
    TaskHandle_t task;
    void *address;
    uint32_t size;
} heap_task_block_t;

/* A heap counts for the first i for which its capabilities, masked by mask[i], are caps[i]. */
typedef struct {
    int32_t caps[NUM_HEAP_TASK_CAPS];
    int32_t mask[NUM_HEAP_TASK_CAPS];
    TaskHandle_t *tasks; /* whose blocks are listed; NULL: everybody's */
    size_t num_tasks;
    heap_task_totals_t *totals; /* NULL: none wanted */
    size_t *num_totals;         /* in: tasks that it already has, which keep their places; out */
    size_t max_totals;
    heap_task_block_t *blocks; /* NULL: none wanted */
    size_t max_blocks;
} heap_task_info_params_t;

/* Blocks listed. Walks all heaps. */
size_t heap_caps_get_per_task_info(heap_task_info_params_t *params);

typedef struct {
    const char *name; /* of the heap's memory */
    uint32_t caps;
    size_t size;
    size_t current_usage;
    size_t peak_usage;
    size_t alloc_count;
    heap_task_block_t *alloc_stat; /* NULL: none, or no room for them */
} heap_stat_t;

typedef struct {
    char name[configMAX_TASK_NAME_LEN];
    TaskHandle_t handle;
    bool is_alive;
    size_t overall_peak_usage;
    size_t overall_current_usage;
    size_t heap_count;
    heap_stat_t *heap_stat; /* NULL: no room for them */
} task_stat_t;

/* The counts are the arrays' lengths before, and what was written afterwards. */
typedef struct {
    task_stat_t stat;
    size_t heap_count;
    heap_stat_t *heap_stat_start;
    size_t alloc_count;
    heap_task_block_t *alloc_stat_start;
} heap_single_task_stat_t;

typedef struct {
    size_t task_count;
    task_stat_t *stat_arr;
    size_t heap_count;
    heap_stat_t *heap_stat_start;
    size_t alloc_count;
    heap_task_block_t *alloc_stat_start;
} heap_all_tasks_stat_t;

/* ESP_ERR_INVALID_ARG: an array is NULL and its length is not 0. ESP_FAIL: not a task that ever
 * allocated. `task_handle` NULL: the running task. */
esp_err_t heap_caps_get_all_task_stat(heap_all_tasks_stat_t *tasks_stat);
esp_err_t heap_caps_get_single_task_stat(heap_single_task_stat_t *task_stat,
                                         TaskHandle_t task_handle);

/* Memory, owned by no task, for what the two above would write now. ESP_FAIL: not enough. */
esp_err_t heap_caps_alloc_all_task_stat_arrays(heap_all_tasks_stat_t *tasks_stat);
esp_err_t heap_caps_alloc_single_task_stat_arrays(heap_single_task_stat_t *task_stat,
                                                  TaskHandle_t task_handle);
void heap_caps_free_all_task_stat_arrays(heap_all_tasks_stat_t *tasks_stat);
void heap_caps_free_single_task_stat_arrays(heap_single_task_stat_t *task_stat);

/* `stream` NULL: stdout. Each task, its heaps and blocks; the overview: a line for each task. */
void heap_caps_print_all_task_stat(FILE *stream);
void heap_caps_print_single_task_stat(FILE *stream, TaskHandle_t task_handle);
void heap_caps_print_all_task_stat_overview(FILE *stream);
void heap_caps_print_single_task_stat_overview(FILE *stream, TaskHandle_t task_handle);

#ifdef __cplusplus
}
#endif

#endif
#endif
