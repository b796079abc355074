/* esp_heap_task_info.h: whose the memory is, in tables of the caller's. */
#include "tasks.h"

#if HEAPSCOPE_ESP_TASKS

/* ---- totals ----------------------------------------------------------------------------------- */

typedef struct esp_totals {
    heap_task_info_params_t *params;
    uint32_t type; /* which of the sets of capabilities the heap counts for */
    size_t totals;
    size_t blocks;
} esp_totals_t;

static void total(esp_totals_t *sum, TaskHandle_t task, size_t size)
{
    heap_task_totals_t *const totals = sum->params->totals;
    size_t i = 0;
    while (i < sum->totals && totals[i].task != task) {
        i++;
    }
    if (i == sum->totals) {
        if (i >= sum->params->max_totals) {
            return;
        }
        totals[i] = (heap_task_totals_t){.task = task};
        sum->totals++;
    }
    totals[i].size[sum->type] += size;
    totals[i].count[sum->type]++;
}

static bool is_listed(const heap_task_info_params_t *params, TaskHandle_t task)
{
    bool listed = params->tasks == NULL;
    for (size_t i = 0; !listed && i < params->num_tasks; i++) {
        listed = params->tasks[i] == task;
    }
    return listed;
}

static bool visit(void *context, void *block, size_t size, bool used, hs_tag_t tag)
{
    esp_totals_t *const sum = context;
    heap_task_info_params_t *const params = sum->params;
    if (!used || tag.owner == HS_OWNER_NONE) {
        return true;
    }
    const TaskHandle_t task = heapscope_esp_task_of(tag.owner);
    if (params->totals != NULL) {
        total(sum, task, size);
    }
    if (params->blocks != NULL && sum->blocks < params->max_blocks && is_listed(params, task)) {
        params->blocks[sum->blocks++] = (heap_task_block_t){task, block, (uint32_t)size};
    }
    return true;
}

size_t heap_caps_get_per_task_info(heap_task_info_params_t *params)
{
    esp_totals_t sum = {.params = params};
    hs_region_state_t heap;
    if (params->totals != NULL && params->num_totals != NULL) {
        sum.totals = *params->num_totals;
        for (size_t i = 0; i < sum.totals; i++) {
            params->totals[i] = (heap_task_totals_t){.task = params->totals[i].task};
        }
    }
    heapscope_esp_heaps_lock(NULL);
    for (uint32_t i = 0; hs_regions_state(heapscope_esp_heaps(), i, &heap); i++) {
        uint32_t type = 0;
        while (type < NUM_HEAP_TASK_CAPS &&
               (heap.caps & (uint32_t)params->mask[type]) != (uint32_t)params->caps[type]) {
            type++;
        }
        if (type < NUM_HEAP_TASK_CAPS && esp_has(&heap, 0)) {
            sum.type = type;
            heapscope_esp_heap_lock(NULL, i);
            hs_guard_walk(heap.guard, visit, &sum);
            heapscope_esp_heap_unlock(NULL, i);
        }
    }
    heapscope_esp_heaps_unlock(NULL);
    if (params->num_totals != NULL) {
        *params->num_totals = sum.totals;
    }
    return sum.blocks;
}

/* ---- statistics ------------------------------------------------------------------------------- */

/* Where the next heaps and blocks are written to. */
typedef struct esp_arrays {
    heap_stat_t *heaps;
    size_t heap_count, heap_most;
    heap_task_block_t *blocks;
    size_t block_count, block_most;
} esp_arrays_t;

/* How many heaps a task has had, and in *blocks blocks it has. */
static size_t count_heaps(const esp_task_t *task, size_t *blocks)
{
    esp_share_t share;
    size_t heaps = 0;
    for (uint32_t i = 0; heapscope_esp_task_share(task, &i, &share); i++) {
        heaps++;
        *blocks += share.blocks;
    }
    return heaps;
}

static void write_share(const esp_task_t *task, const esp_share_t *share, esp_arrays_t *arrays)
{
    heap_stat_t *const stat = &arrays->heaps[arrays->heap_count++];
    *stat = (heap_stat_t){
        .name = share->heap.name,
        .caps = share->heap.caps,
        .size = share->heap.size,
        .current_usage = share->current,
        .peak_usage = share->peak,
        .alloc_count = share->blocks,
    };
    if (arrays->blocks != NULL && arrays->block_count + share->blocks <= arrays->block_most) {
        stat->alloc_stat = arrays->blocks + arrays->block_count;
        arrays->block_count +=
            heapscope_esp_task_blocks(task, share, stat->alloc_stat, share->blocks);
    }
}

/* Heaps of one task, all or none unless `some`. */
static void write_task(const esp_task_t *task, task_stat_t *stat, esp_arrays_t *arrays, bool some)
{
    size_t blocks = 0;
    *stat = (task_stat_t){
        .handle = task->handle,
        .is_alive = task->alive,
        .overall_peak_usage = task->peak,
        .overall_current_usage = task->current,
        .heap_count = count_heaps(task, &blocks),
    };
    for (size_t i = 0; task->name[i] != 0 && i + 1 < configMAX_TASK_NAME_LEN; i++) {
        stat->name[i] = task->name[i];
    }
    if (arrays->heaps == NULL ||
        (!some && arrays->heap_count + stat->heap_count > arrays->heap_most)) {
        return;
    }
    stat->heap_stat = arrays->heaps + arrays->heap_count;
    esp_share_t share;
    for (uint32_t i = 0;
         arrays->heap_count < arrays->heap_most && heapscope_esp_task_share(task, &i, &share);
         i++) {
        write_share(task, &share, arrays);
    }
}

esp_err_t heap_caps_get_all_task_stat(heap_all_tasks_stat_t *stats)
{
    if (stats == NULL || (stats->stat_arr == NULL && stats->task_count != 0) ||
        (stats->heap_stat_start == NULL && stats->heap_count != 0) ||
        (stats->alloc_stat_start == NULL && stats->alloc_count != 0)) {
        return ESP_ERR_INVALID_ARG;
    }
    esp_arrays_t arrays = {stats->heap_stat_start,  0, stats->heap_count,
                           stats->alloc_stat_start, 0, stats->alloc_count};
    size_t count = 0;
    esp_task_t task;
    (void)heapscope_esp_heaps();
    heapscope_esp_heaps_lock(NULL);
    for (uint32_t place = 0; place < ESP_TASK_PLACES && count < stats->task_count; place++) {
        if (heapscope_esp_task_get(place, &task)) {
            write_task(&task, &stats->stat_arr[count++], &arrays, false);
        }
    }
    heapscope_esp_heaps_unlock(NULL);
    stats->task_count = count;
    stats->heap_count = arrays.heap_count;
    stats->alloc_count = arrays.block_count;
    return ESP_OK;
}

esp_err_t heap_caps_get_single_task_stat(heap_single_task_stat_t *stat, TaskHandle_t task_handle)
{
    if (stat == NULL || (stat->heap_stat_start == NULL && stat->heap_count != 0) ||
        (stat->alloc_stat_start == NULL && stat->alloc_count != 0)) {
        return ESP_ERR_INVALID_ARG;
    }
    esp_arrays_t arrays = {stat->heap_stat_start,  0, stat->heap_count,
                           stat->alloc_stat_start, 0, stat->alloc_count};
    esp_task_t task;
    (void)heapscope_esp_heaps();
    heapscope_esp_heaps_lock(NULL);
    const bool known = heapscope_esp_task_get(heapscope_esp_task_place(task_handle), &task);
    if (known) {
        write_task(&task, &stat->stat, &arrays, true);
    }
    heapscope_esp_heaps_unlock(NULL);
    if (!known) {
        return ESP_FAIL;
    }
    stat->heap_count = arrays.heap_count;
    stat->alloc_count = arrays.block_count;
    return ESP_OK;
}

/* ---- memory for the figures, which belongs to no task ----------------------------------------- */

/* The heap with the most memory serves all; no task, no hook and no trace knows of it. */
static void *take(size_t count, size_t size, bool *enough)
{
    hs_region_state_t heap;
    hs_region_state_t largest = {.size = 0};
    void *block = NULL;
    if (count == 0) {
        return NULL;
    }
    for (uint32_t i = 0; hs_regions_state(heapscope_esp_heaps(), i, &heap); i++) {
        if (esp_has(&heap, MALLOC_CAP_8BIT) && heap.size > largest.size) {
            largest = heap;
        }
    }
    if (largest.size != 0 && count <= SIZE_MAX / size) {
        const hs_tag_t nobody = {HS_OWNER_NONE, NULL};
        heapscope_esp_heap_lock(NULL, largest.index);
        block = hs_guard_malloc(largest.guard, heapscope_esp_size(count * size), nobody);
        heapscope_esp_heap_unlock(NULL, largest.index);
    }
    *enough = *enough && block != NULL;
    return block;
}

static void give(void *block)
{
    if (block != NULL) {
        (void)hs_regions_free(heapscope_esp_heaps(), block);
    }
}

esp_err_t heap_caps_alloc_all_task_stat_arrays(heap_all_tasks_stat_t *stats)
{
    esp_task_t task;
    bool enough = true;
    *stats = (heap_all_tasks_stat_t){0};
    (void)heapscope_esp_heaps();
    heapscope_esp_heaps_lock(NULL);
    for (uint32_t place = 0; place < ESP_TASK_PLACES; place++) {
        if (heapscope_esp_task_get(place, &task)) {
            stats->task_count++;
            stats->heap_count += count_heaps(&task, &stats->alloc_count);
        }
    }
    stats->stat_arr = take(stats->task_count, sizeof(task_stat_t), &enough);
    stats->heap_stat_start = take(stats->heap_count, sizeof(heap_stat_t), &enough);
    stats->alloc_stat_start = take(stats->alloc_count, sizeof(heap_task_block_t), &enough);
    heapscope_esp_heaps_unlock(NULL);
    if (!enough) {
        heap_caps_free_all_task_stat_arrays(stats);
        return ESP_FAIL;
    }
    return ESP_OK;
}

esp_err_t heap_caps_alloc_single_task_stat_arrays(heap_single_task_stat_t *stat,
                                                  TaskHandle_t task_handle)
{
    esp_task_t task;
    bool enough = true;
    *stat = (heap_single_task_stat_t){.heap_count = 0};
    (void)heapscope_esp_heaps();
    heapscope_esp_heaps_lock(NULL);
    if (heapscope_esp_task_get(heapscope_esp_task_place(task_handle), &task)) {
        stat->heap_count = count_heaps(&task, &stat->alloc_count);
    }
    stat->heap_stat_start = take(stat->heap_count, sizeof(heap_stat_t), &enough);
    stat->alloc_stat_start = take(stat->alloc_count, sizeof(heap_task_block_t), &enough);
    heapscope_esp_heaps_unlock(NULL);
    if (!enough) {
        heap_caps_free_single_task_stat_arrays(stat);
        return ESP_FAIL;
    }
    return ESP_OK;
}

void heap_caps_free_all_task_stat_arrays(heap_all_tasks_stat_t *stats)
{
    give(stats->stat_arr);
    give(stats->heap_stat_start);
    give(stats->alloc_stat_start);
    *stats = (heap_all_tasks_stat_t){0};
}

void heap_caps_free_single_task_stat_arrays(heap_single_task_stat_t *stat)
{
    give(stat->heap_stat_start);
    give(stat->alloc_stat_start);
    stat->heap_stat_start = NULL;
    stat->heap_count = 0;
    stat->alloc_stat_start = NULL;
    stat->alloc_count = 0;
}

#else
typedef int heapscope_esp_has_no_tasks_t; /* C wants a declaration */
#endif
