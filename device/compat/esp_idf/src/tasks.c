/* Tasks and their memory, as blocks are given out and come back. */
#include "tasks.h"

#if HEAPSCOPE_ESP_TASKS

#define ROWS (HEAPSCOPE_ESP_TASKS_MAX + 1u) /* the last one is that of all others */

/* Not reentrant; under the lock of the heaps. */
static hs_owners_t *owners;
static size_t peaks[ROWS + 1]; /* of all memory of a row */
static uint64_t owners_memory[(ROWS * sizeof(hs_owner_t) + 4 * 2 * ROWS + 64) / 8];
#if HEAPSCOPE_ESP_ENDED_MAX > 0
static struct {
    esp_task_t task;
    char name[HS_OWNER_NAME];
} ended[HEAPSCOPE_ESP_ENDED_MAX];
static uint32_t ended_next;
#endif

/* The handle for allocations before there are tasks, since a row needs one. */
static char before_tasks;

hs_owners_t *heapscope_esp_tasks_create(void)
{
    owners = hs_owners_create(owners_memory, sizeof(owners_memory), ROWS);
    return owners;
}

/* ---- the running task ------------------------------------------------------------------------- */

#ifdef ESP_PLATFORM
static TaskHandle_t running(void)
{
    return xTaskGetCurrentTaskHandle();
}

static const char *name_of(TaskHandle_t task)
{
#if ESP_RELEASE >= 403
    return pcTaskGetName(task);
#else
    return pcTaskGetTaskName(task);
#endif
}
#else
#if defined(HEAPSCOPE_ESP_HAS_FREERTOS) && !defined(pcTaskGetName)
#pragma weak xTaskGetCurrentTaskHandle
#pragma weak pcTaskGetName
#define ASK(function) ((function) != NULL)
#else
#define ASK(function) false
#define xTaskGetCurrentTaskHandle() NULL
#define pcTaskGetName(task) ((void)(task), "")
#endif

static TaskHandle_t running(void)
{
    if (heapscope_esp_task != NULL) {
        return heapscope_esp_task();
    }
    return ASK(xTaskGetCurrentTaskHandle) ? xTaskGetCurrentTaskHandle() : NULL;
}

static const char *name_of(TaskHandle_t task)
{
    if (heapscope_esp_task_name != NULL) {
        return heapscope_esp_task_name(task);
    }
    return ASK(pcTaskGetName) ? pcTaskGetName(task) : "";
}
#endif

static void *key_of(TaskHandle_t task)
{
    return task != NULL ? (void *)task : &before_tasks;
}

static TaskHandle_t handle_of(void *key)
{
    return key != &before_tasks ? (TaskHandle_t)key : NULL;
}

void *heapscope_esp_task_now(void *context)
{
    const TaskHandle_t task = running();
    void *const key = key_of(task);
    const uint32_t row = hs_owners_row(owners, key);
    (void)context;
    if (row != ROWS && hs_owners_get(owners, row)->name[0] == 0) {
        const char *const name = task != NULL ? name_of(task) : "Pre-scheduler";
        peaks[row] = 0; /* it may have been another one's */
        (void)hs_owners_begin(owners, key, name[0] != 0 ? name : "?");
    }
    return key;
}

static size_t held(const hs_owner_t *owner)
{
    size_t bytes = 0;
    for (uint32_t kind = 0; kind < HS_KINDS_MAX; kind++) {
        bytes += owner->holding[kind].bytes;
    }
    return bytes;
}

void heapscope_esp_task_took(void)
{
    heapscope_esp_heaps_lock(NULL);
    const uint32_t row = hs_owners_row(owners, key_of(running()));
    const size_t bytes = held(hs_owners_get(owners, row));
    if (bytes > peaks[row]) {
        peaks[row] = bytes;
    }
    heapscope_esp_heaps_unlock(NULL);
}

/* ---- the end of a task ------------------------------------------------------------------------ */

static void fill(uint32_t row, esp_task_t *task)
{
    const hs_owner_t *const owner = hs_owners_get(owners, row);
    *task = (esp_task_t){
        .name = owner->name,
        .handle = handle_of(owner->task),
        .alive = !owner->ended,
        .row = row,
        .peak = peaks[row],
        .current = held(owner),
    };
    for (uint32_t kind = 0; kind < HS_KINDS_MAX; kind++) {
        task->peaks[kind] = owner->holding[kind].peak_bytes;
        task->kinds |= owner->holding[kind].peak_blocks != 0 ? 1u << kind : 0;
    }
}

static uint32_t living(TaskHandle_t handle)
{
    for (uint32_t row = 1; row < ROWS; row++) {
        const hs_owner_t *const owner = hs_owners_get(owners, row);
        if (owner != NULL && owner->task == key_of(handle) && !owner->ended) {
            return row;
        }
    }
    return 0;
}

static void end(uint32_t row)
{
    esp_task_t task;
    fill(row, &task);
#if HEAPSCOPE_ESP_ENDED_MAX > 0
    if (task.current == 0) { /* its row goes */
        task.row = 0;
        task.alive = false;
        const uint32_t at = ended_next++ % HEAPSCOPE_ESP_ENDED_MAX;
        ended[at].task = task;
        for (size_t i = 0; i < HS_OWNER_NAME; i++) {
            ended[at].name[i] = task.name[i];
        }
        ended[at].task.name = ended[at].name;
    }
#endif
    hs_owners_end(owners, key_of(task.handle));
}

void heapscope_esp_task_ended(TaskHandle_t task)
{
    heapscope_esp_heaps_lock(NULL);
    const uint32_t row = owners != NULL ? living(task) : 0;
    if (row != 0) {
        end(row);
    }
    heapscope_esp_heaps_unlock(NULL);
}

/* FreeRTOS frees the block that the handle points to when a task is gone. */
void heapscope_esp_task_gave(const void *block)
{
    heapscope_esp_task_ended((TaskHandle_t)(uintptr_t)block);
}

/* ---- questions -------------------------------------------------------------------------------- */

bool heapscope_esp_task_get(uint32_t place, esp_task_t *task)
{
    const uint32_t row = place + 1;
    if (row <= ROWS) {
        const hs_owner_t *const owner = hs_owners_get(owners, row);
        if (owner != NULL) {
            fill(row, task);
        }
        return owner != NULL && (row != ROWS || task->kinds != 0);
    }
#if HEAPSCOPE_ESP_ENDED_MAX > 0
    if (place < ESP_TASK_PLACES && ended[place - ROWS].task.name != NULL) {
        *task = ended[place - ROWS].task;
        return true;
    }
#endif
    return false;
}

uint32_t heapscope_esp_task_place(TaskHandle_t handle)
{
    const TaskHandle_t wanted = handle != NULL ? handle : running();
    uint32_t match = ESP_TASK_PLACES;
    esp_task_t task;
    for (uint32_t place = 0; place < ESP_TASK_PLACES; place++) {
        if (heapscope_esp_task_get(place, &task) && task.handle == wanted && task.name != NULL &&
            task.row != ROWS) {
            if (task.alive) {
                return place;
            }
            match = handle != NULL ? place : match; /* the running one has not ended */
        }
    }
    return match;
}

TaskHandle_t heapscope_esp_task_of(uint32_t row)
{
    const hs_owner_t *const owner = hs_owners_get(owners, row);
    return owner != NULL && row != ROWS ? handle_of(owner->task) : NULL;
}

/* ---- shares ----------------------------------------------------------------------------------- */

typedef struct esp_tally {
    uint32_t row;
    TaskHandle_t handle;
    heap_task_block_t *blocks;
    size_t most;
    size_t count;
    size_t bytes;
} esp_tally_t;

static bool tally(void *context, void *block, size_t size, bool used, hs_tag_t tag)
{
    esp_tally_t *const sum = context;
    if (!used || tag.owner != sum->row) {
        return true;
    }
    if (sum->count < sum->most) {
        sum->blocks[sum->count] = (heap_task_block_t){sum->handle, block, (uint32_t)size};
    }
    sum->count++;
    sum->bytes += size;
    return true;
}

bool heapscope_esp_task_share(const esp_task_t *task, uint32_t *index, esp_share_t *share)
{
    for (; hs_regions_state(heapscope_esp_heaps(), *index, &share->heap); ++*index) {
        if (!esp_has(&share->heap, 0) || (task->kinds >> share->heap.kind & 1u) == 0) {
            continue;
        }
        esp_tally_t sum = {.row = task->row};
        if (task->row != 0) {
            heapscope_esp_heap_lock(NULL, share->heap.index);
            hs_guard_walk(share->heap.guard, tally, &sum);
            heapscope_esp_heap_unlock(NULL, share->heap.index);
        }
        if (share->heap.kind == HS_KINDS_MAX - 1 && sum.count == 0) {
            continue; /* it may have been another heap of this kind */
        }
        share->current = sum.bytes;
        share->blocks = sum.count;
        share->peak = task->peaks[share->heap.kind];
        return true;
    }
    return false;
}

size_t heapscope_esp_task_blocks(const esp_task_t *task, const esp_share_t *share,
                                 heap_task_block_t *blocks, size_t most)
{
    esp_tally_t sum = {.row = task->row, .handle = task->handle, .blocks = blocks, .most = most};
    if (task->row != 0) {
        heapscope_esp_heap_lock(NULL, share->heap.index);
        hs_guard_walk(share->heap.guard, tally, &sum);
        heapscope_esp_heap_unlock(NULL, share->heap.index);
    }
    return sum.count < most ? sum.count : most;
}

#else

hs_owners_t *heapscope_esp_tasks_create(void)
{
    return NULL;
}

void *heapscope_esp_task_now(void *context)
{
    return context;
}

void heapscope_esp_task_took(void) {}

void heapscope_esp_task_gave(const void *block)
{
    (void)block;
}

#endif
