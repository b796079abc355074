/* esp_heap_task_info.h: each task's memory on each heap, while it lives and afterwards. */
#include <string.h>

#include "../../models/check.h"
#include "esp_faults.h"
#include "esp_heap_caps.h"
#include "esp_heap_task_info.h"

/* ---- tasks: a name at the start of a block, as FreeRTOS has its control block ------------------ */

static TaskHandle_t running; /* NULL: before there are tasks */

TaskHandle_t heapscope_esp_task(void)
{
    return running;
}

const char *heapscope_esp_task_name(TaskHandle_t task)
{
    return (const char *)task;
}

static TaskHandle_t begin(const char *name)
{
    char *const block = heap_caps_malloc(64, MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT);
    CHECK(block != NULL, "no memory for a task");
    strcpy(block, name);
    return (TaskHandle_t)(void *)block;
}

static void end(TaskHandle_t task)
{
    heap_caps_free((void *)task);
}

static void *take_as(TaskHandle_t task, size_t size, uint32_t caps)
{
    const TaskHandle_t before = running;
    running = task;
    void *const block = heap_caps_malloc(size, caps);
    running = before;
    CHECK(block != NULL, "%zu bytes", size);
    return block;
}

/* ---- what is known of them -------------------------------------------------------------------- */

enum { TASKS = 60, HEAPS = 80, BLOCKS = 100 };

typedef struct known {
    task_stat_t tasks[TASKS];
    heap_stat_t heaps[HEAPS];
    heap_task_block_t blocks[BLOCKS];
    heap_all_tasks_stat_t all;
} known_t;

static known_t known;

static void look(void)
{
    known.all =
        (heap_all_tasks_stat_t){TASKS, known.tasks, HEAPS, known.heaps, BLOCKS, known.blocks};
    CHECK(heap_caps_get_all_task_stat(&known.all) == ESP_OK, "no statistics");
}

static const task_stat_t *find(const char *name, bool alive)
{
    look();
    for (size_t i = 0; i < known.all.task_count; i++) {
        if (strcmp(known.tasks[i].name, name) == 0 && known.tasks[i].is_alive == alive) {
            return &known.tasks[i];
        }
    }
    return NULL;
}

static void check_life(void)
{
    const TaskHandle_t task = begin("reader");
    CHECK(find("reader", true) == NULL, "listed before it allocates");
    void *const block = take_as(task, 36, MALLOC_CAP_32BIT | MALLOC_CAP_8BIT);
    const task_stat_t *stat = find("reader", true);
    CHECK(stat != NULL && stat->handle == task && stat->heap_count == 1 &&
              stat->overall_current_usage >= 36 && stat->overall_current_usage < 64 &&
              stat->overall_peak_usage == stat->overall_current_usage,
          "not listed");
    heap_caps_free(block); /* by another task */
    stat = find("reader", true);
    CHECK(stat != NULL && stat->overall_current_usage == 0 && stat->overall_peak_usage >= 36 &&
              stat->heap_count == 1 && stat->heap_stat[0].alloc_count == 0,
          "the free is not counted");
    end(task);
    CHECK(find("reader", true) == NULL, "alive");
    stat = find("reader", false);
    CHECK(stat != NULL && stat->overall_peak_usage >= 36, "not listed as deleted");
}

/* A task that ends while it owns memory stays, and whoever has its handle next is somebody else. */
static void check_reuse(void)
{
    const TaskHandle_t first = begin("first");
    void *const kept = take_as(first, 500, MALLOC_CAP_DMA);
    end(first);
    const task_stat_t *stat = find("first", false);
    CHECK(stat != NULL && stat->overall_current_usage >= 500, "its memory is nobody's");
    const TaskHandle_t second = begin("second");
    CHECK(second == first, "another handle: the test says nothing");
    void *const block = take_as(second, 100, MALLOC_CAP_DMA);
    stat = find("second", true);
    CHECK(stat != NULL && stat->overall_current_usage >= 100 && stat->overall_current_usage < 200,
          "it has the other one's memory");
    heap_caps_free(kept);
    stat = find("second", true);
    CHECK(stat != NULL && stat->overall_current_usage >= 100 && stat->overall_current_usage < 200,
          "%zu bytes", stat != NULL ? stat->overall_current_usage : 0);
    heap_caps_free(block);
    stat = find("second", true);
    CHECK(stat != NULL && stat->overall_current_usage == 0, "an underflow");
    end(second);
}

/* One task's own statistics, in arrays that are nobody's memory. */
static void check_single(void)
{
    const uint32_t caps = MALLOC_CAP_32BIT | MALLOC_CAP_DMA;
    const TaskHandle_t task = begin("single");
    heap_single_task_stat_t stat;
    running = task;
    CHECK(heap_caps_alloc_single_task_stat_arrays(&stat, NULL) == ESP_OK && stat.heap_count == 0 &&
              stat.alloc_count == 0 && stat.heap_stat_start == NULL &&
              stat.alloc_stat_start == NULL,
          "arrays for nothing");
    CHECK(heap_caps_get_single_task_stat(&stat, NULL) == ESP_FAIL, "statistics of nobody");
    void *const block = heap_caps_malloc(100, caps);
    CHECK(heap_caps_alloc_single_task_stat_arrays(&stat, NULL) == ESP_OK, "no arrays");
    CHECK(stat.heap_count == 1 && stat.alloc_count == 1, "%zu heaps, %zu blocks", stat.heap_count,
          stat.alloc_count);
    CHECK(heap_caps_get_single_task_stat(&stat, NULL) == ESP_OK, "no statistics");
    const heap_stat_t *heap = &stat.stat.heap_stat[0];
    CHECK(stat.stat.handle == task && stat.stat.is_alive && (heap->caps & caps) == caps &&
              heap->alloc_count == 1 && heap->alloc_stat[0].address == block &&
              heap->alloc_stat[0].size == heap_caps_get_allocated_size(block) &&
              heap->alloc_stat[0].task == task && heap->current_usage >= 100 &&
              heap->peak_usage == heap->current_usage && heap->size > 1000 &&
              strcmp(heap->name, "DRAM") == 0,
          "not what it has");
    heap_caps_free_single_task_stat_arrays(&stat);
    CHECK(stat.heap_stat_start == NULL && stat.heap_count == 0, "not given back");
    heap_caps_free(block);
    CHECK(heap_caps_alloc_single_task_stat_arrays(&stat, task) == ESP_OK && stat.heap_count == 1 &&
              stat.alloc_count == 0,
          "%zu heaps, %zu blocks", stat.heap_count, stat.alloc_count);
    CHECK(heap_caps_get_single_task_stat(&stat, task) == ESP_OK, "no statistics");
    heap = &stat.stat.heap_stat[0];
    CHECK(heap->alloc_stat == NULL && heap->current_usage == 0 && heap->peak_usage >= 100,
          "not its past");
    heap_caps_free_single_task_stat_arrays(&stat);
    running = NULL;
    end(task);
    stat = (heap_single_task_stat_t){.heap_count = 1};
    CHECK(heap_caps_get_single_task_stat(&stat, task) == ESP_ERR_INVALID_ARG, "no array");
    CHECK(heap_caps_get_single_task_stat(NULL, task) == ESP_ERR_INVALID_ARG, "to nowhere");
}

static void check_arrays(void)
{
    heap_all_tasks_stat_t before, after;
    CHECK(heap_caps_alloc_all_task_stat_arrays(&before) == ESP_OK, "no arrays");
    CHECK(heap_caps_get_all_task_stat(&before) == ESP_OK, "no statistics");
    const heap_all_tasks_stat_t counts = before;
    heap_caps_free_all_task_stat_arrays(&before);
    CHECK(before.stat_arr == NULL && before.task_count == 0, "not given back");
    const TaskHandle_t task = begin("arrays");
    void *const blocks[] = {take_as(task, 30, MALLOC_CAP_DMA), take_as(task, 30, MALLOC_CAP_SPIRAM),
                            take_as(task, 30, MALLOC_CAP_SPIRAM)};
    CHECK(heap_caps_alloc_all_task_stat_arrays(&after) == ESP_OK, "no arrays");
    CHECK(heap_caps_get_all_task_stat(&after) == ESP_OK, "no statistics");
    /* The task's own block counts for who made it. */
    CHECK(after.task_count == counts.task_count + 1 && after.heap_count == counts.heap_count + 2 &&
              after.alloc_count == counts.alloc_count + 4,
          "%zu tasks, %zu heaps, %zu blocks", after.task_count, after.heap_count,
          after.alloc_count);
    /* Too little room: tasks are listed, without what there is no room for. */
    const size_t tasks = after.task_count;
    after.heap_count = 0;
    CHECK(heap_caps_get_all_task_stat(&after) == ESP_OK && after.task_count == tasks &&
              after.heap_count == 0 && after.stat_arr[0].heap_stat == NULL,
          "heaps where no room is");
    after.task_count = 1;
    CHECK(heap_caps_get_all_task_stat(&after) == ESP_OK && after.task_count == 1, "more tasks");
    heap_caps_free_all_task_stat_arrays(&after);
    after.task_count = 1;
    CHECK(heap_caps_get_all_task_stat(&after) == ESP_ERR_INVALID_ARG, "no array");
    CHECK(heap_caps_get_all_task_stat(NULL) == ESP_ERR_INVALID_ARG, "to nowhere");
    for (size_t i = 0; i < 3; i++) {
        heap_caps_free(blocks[i]);
    }
    end(task);
}

/* The peak is that of all memory at one moment, not the sum of each heap's. */
static void check_peak(void)
{
    const TaskHandle_t task = begin("peak");
    heap_caps_free(take_as(task, 1000, MALLOC_CAP_DMA));
    heap_caps_free(take_as(task, 600, MALLOC_CAP_SPIRAM));
    const task_stat_t *const stat = find("peak", true);
    CHECK(stat != NULL && stat->heap_count == 2 && stat->overall_peak_usage >= 1000 &&
              stat->overall_peak_usage < 1100,
          "a peak of %zu", stat != NULL ? stat->overall_peak_usage : 0);
    for (size_t i = 0; i < 2; i++) {
        const size_t peak = stat->heap_stat[i].peak_usage;
        CHECK((peak >= 600 && peak < 700) || (peak >= 1000 && peak < 1100), "a peak of %zu", peak);
    }
    end(task);
}

/* Who resizes a block owns it. */
static void check_realloc(void)
{
    const TaskHandle_t one = begin("one");
    const TaskHandle_t two = begin("two");
    void *block = take_as(one, 100, MALLOC_CAP_DMA);
    running = two;
    for (int i = 0; i < 3; i++) {
        block = heap_caps_realloc(block, 300, i == 1 ? MALLOC_CAP_SPIRAM : MALLOC_CAP_DMA);
        CHECK(find("one", true)->overall_current_usage == 0, "way %d: it is still the first's", i);
        CHECK(find("two", true)->overall_current_usage >= 300 &&
                  find("two", true)->overall_current_usage < 400,
              "way %d: %zu bytes", i, find("two", true)->overall_current_usage);
    }
    running = NULL;
    heap_caps_free(block);
    end(one);
    end(two);
}

static void check_totals(void)
{
    const TaskHandle_t one = begin("one");
    const TaskHandle_t two = begin("two");
    void *const blocks[] = {take_as(one, 100, MALLOC_CAP_DMA), take_as(one, 200, MALLOC_CAP_SPIRAM),
                            take_as(two, 300, MALLOC_CAP_SPIRAM)};
    heap_task_totals_t totals[4] = {{.task = two}}; /* it keeps its place */
    size_t count = 1;
    heap_task_block_t listed[8];
    TaskHandle_t wanted[] = {one};
    heap_task_info_params_t params = {
        .caps = {MALLOC_CAP_INTERNAL, MALLOC_CAP_SPIRAM, 0, 0},
        .mask = {MALLOC_CAP_INTERNAL, MALLOC_CAP_SPIRAM, 0, 0},
        .tasks = wanted,
        .num_tasks = 1,
        .totals = totals,
        .num_totals = &count,
        .max_totals = 4,
        .blocks = listed,
        .max_blocks = 8,
    };
    for (int again = 0; again < 2; again++) {
        CHECK(heap_caps_get_per_task_info(&params) == 2, "blocks of others");
        CHECK(listed[0].task == one && listed[1].task == one &&
                  (listed[0].address == blocks[0] || listed[1].address == blocks[0]),
              "other blocks");
        CHECK(count == 3 && totals[0].task == two && totals[0].count[1] == 1 &&
                  totals[0].size[1] >= 300 && totals[0].size[0] == 0 && totals[0].count[2] == 0,
              "%zu tasks", count);
        const heap_task_totals_t *const other = totals[1].task == one ? &totals[1] : &totals[2];
        CHECK(other->task == one && other->count[0] == 1 && other->count[1] == 1 &&
                  other->size[0] >= 100 && other->size[0] < 200 && other->size[1] >= 200,
              "another sum");
    }
    params.tasks = NULL;
    CHECK(heap_caps_get_per_task_info(&params) > 3, "not everybody's blocks");
    params.max_blocks = 2;
    CHECK(heap_caps_get_per_task_info(&params) == 2, "more blocks than there is room for");
    params.blocks = NULL;
    params.mask[0] = params.caps[0] = 0; /* all in one sum */
    CHECK(heap_caps_get_per_task_info(&params) == 0 && totals[0].size[1] == 0 &&
              totals[0].size[0] >= 300,
          "not in one sum");
    count = 0;
    params.max_totals = 1;
    heap_caps_get_per_task_info(&params);
    CHECK(count == 1, "%zu tasks where one has room", count);
    params.totals = NULL;
    heap_caps_get_per_task_info(&params);
    for (size_t i = 0; i < 3; i++) {
        heap_caps_free(blocks[i]);
    }
    end(one);
    end(two);
}

static const char *print(void (*all)(FILE *), void (*one)(FILE *, TaskHandle_t), TaskHandle_t task)
{
    static char text[16384];
    FILE *const file = tmpfile();
    CHECK(file != NULL, "no file");
    if (all != NULL) {
        all(file);
    } else {
        one(file, task);
    }
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    return text;
}

static void check_tables(void)
{
    char line[128];
    const TaskHandle_t gone = begin("gone");
    end(gone); /* it never allocated */
    const TaskHandle_t ended = begin("ended");
    void *const kept = take_as(ended, 40, MALLOC_CAP_DMA);
    end(ended);
    const TaskHandle_t task = begin("printer");
    void *const block = take_as(task, 1000, MALLOC_CAP_SPIRAM);
    const size_t size = heap_caps_get_allocated_size(block);
    const char *text = print(heap_caps_print_all_task_stat_overview, NULL, NULL);
    snprintf(line, sizeof(line), "| printer         | ALIVE   | %10zu | %10zu |     1 |\n", size,
             size);
    CHECK(strstr(text, line) != NULL && strstr(text, "| TASK            | STATUS") == text, "%s",
          text);
    CHECK(strstr(text, "\n| ended           | DELETED |") != NULL && strstr(text, "gone") == NULL,
          "%s", text);
    text = print(NULL, heap_caps_print_single_task_stat_overview, task);
    CHECK(strstr(text, line) != NULL && strstr(text, "ended") == NULL, "%s", text);
    for (int all = 0; all < 2; all++) {
        text = all ? print(heap_caps_print_all_task_stat, NULL, NULL)
                   : print(NULL, heap_caps_print_single_task_stat, task);
        snprintf(
            line, sizeof(line),
            "ALIVE: printer, CURRENT MEMORY USAGE %zu, PEAK MEMORY USAGE %zu, TOTAL HEAP USED 1:\n",
            size, size);
        CHECK(strstr(text, line) != NULL, "no %s in %s", line, text);
        snprintf(line, sizeof(line),
                 "SIZE: 4194304, USAGE: CURRENT %zu (0%%), PEAK %zu (0%%), ALLOC COUNT: 1", size,
                 size);
        CHECK(strstr(text, line) != NULL, "no %s in %s", line, text);
        snprintf(line, sizeof(line), "        ALLOC %p, SIZE %zu\n", block, size);
        CHECK(strstr(text, line) != NULL, "no %s in %s", line, text);
        CHECK((strstr(text, "DELETED: ended") != NULL) == all, "%s", text);
    }
    heap_caps_free(block);
    heap_caps_free(kept);
    end(task);
}

/* More tasks than are distinguished: nothing is lost, nothing underflows. */
static void check_many(void)
{
    enum { MANY = 45 };
    static TaskHandle_t tasks[MANY];
    static void *blocks[MANY];
    look();
    for (size_t i = 0; i < MANY; i++) {
        tasks[i] = begin("many");
        blocks[i] = take_as(tasks[i], 64, MALLOC_CAP_SPIRAM);
    }
    look();
    size_t bytes = 0;
    for (size_t i = 0; i < known.all.task_count; i++) {
        const bool ours =
            strcmp(known.tasks[i].name, "many") == 0 || strcmp(known.tasks[i].name, "others") == 0;
        bytes += ours ? known.tasks[i].overall_current_usage : 0;
    }
    CHECK(bytes >= MANY * 64 && find("others", true) != NULL, "%zu bytes", bytes);
    for (size_t i = 0; i < MANY; i++) {
        heap_caps_free(blocks[i]);
        end(tasks[i]);
    }
    CHECK(find("others", true)->overall_current_usage == 0 && find("many", true) == NULL, "some");
}

int main(void)
{
    void *const early = heap_caps_malloc(100, MALLOC_CAP_DEFAULT);
    const task_stat_t *const start = find("Pre-scheduler", true);
    CHECK(start != NULL && start->handle == NULL && start->overall_current_usage >= 100, "nobody");
    check_life();
    check_reuse();
    check_single();
    check_arrays();
    check_peak();
    check_realloc();
    check_totals();
    check_tables();
    check_many();
    heap_caps_free(early);
    CHECK(heap_caps_check_integrity_all(true) && esp_faults() == 0, "faults");
    return 0;
}
