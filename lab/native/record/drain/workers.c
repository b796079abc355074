#include "workers.h"

#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 16u /* of a thread, as the kernel keeps it */

hs_rec_worker_t *hs_rec_worker_get(hs_rec_image_t *image, uint32_t number)
{
    if (number >= image->worker_count) {
        const size_t count = (size_t)number * 2 + 16;
        hs_rec_worker_t *grown = realloc(image->workers, count * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        memset(grown + image->worker_count, 0, (count - image->worker_count) * sizeof *grown);
        image->workers = grown;
        image->worker_count = count;
    }
    return &image->workers[number];
}

uint32_t hs_rec_name_index(hs_rec_image_t *image, hs_name_index_t *index, hs_name_table_t table,
                           const char *name, size_t length)
{
    uint32_t found = 0;
    bool added = false;
    if (hs_name_index_get(index, (const uint8_t *)(name == NULL ? "" : name), length, &found,
                          &added) != HS_OK) {
        return 0;
    }
    if (added) {
        (void)hs_trace_name(image->trace, table, found, name == NULL ? "" : name, length);
    }
    return found;
}

uint32_t hs_rec_task_of(hs_rec_image_t *image, const char *name, size_t length)
{
    return hs_rec_name_index(image, &image->tasks, HS_NAMES_TASK, name, length);
}

size_t hs_rec_name_length(const hs_rec_worker_t *worker)
{
    const size_t most = worker->text_length < HS_NAME_MAX ? worker->text_length : HS_NAME_MAX;
    const char *end = most == 0 ? NULL : memchr(worker->text, 0, most);
    return end == NULL ? most : (size_t)(end - worker->text);
}

static uint32_t task_of_record(hs_rec_image_t *image, const hs_rec_event_t *record)
{
    char name[NAME_BYTES + 1] = {0};
    memcpy(name, &record->a, 8);
    memcpy(name + 8, &record->b, 8);
    return hs_rec_task_of(image, name, strlen(name));
}

static void set_own_task(hs_rec_worker_t *worker, uint32_t task)
{
    if (worker->task == worker->own_task) { /* not while it works for another */
        worker->task = task;
    }
    worker->own_task = task;
}

/* The thread whose handle it is; a handle of an ended thread may be given again: the latest has it. */
static hs_rec_worker_t *worker_of_handle(hs_rec_image_t *image, uint64_t handle)
{
    for (size_t i = image->worker_count; i-- > 0;) {
        if (image->workers[i].handle == handle) {
            return &image->workers[i];
        }
    }
    return NULL;
}

static void take_name(hs_rec_image_t *image, hs_rec_worker_t *worker, const hs_rec_event_t *record)
{
    hs_rec_worker_t *named = record->c == 0 ? worker : worker_of_handle(image, record->c);
    if (named != NULL) { /* one that was not seen yet will tell its name itself */
        set_own_task(named, task_of_record(image, record));
    }
}

static void take_text(hs_rec_worker_t *worker, const hs_rec_event_t *record)
{
    if (worker->text == NULL) {
        worker->text = malloc(HS_REC_TEXT_MAX);
    }
    const uint64_t piece[3] = {record->a, record->b, record->c};
    if (worker->text != NULL && worker->text_length <= HS_REC_TEXT_MAX - sizeof piece) {
        memcpy(worker->text + worker->text_length, piece, sizeof piece);
        worker->text_length += sizeof piece;
    }
}

static size_t grown(size_t capacity)
{
    return capacity == 0 ? 1024 : capacity * 2;
}

uint32_t hs_rec_site_of(hs_rec_image_t *image, uint64_t number)
{
    hs_rec_stacks_t *stacks = &image->stacks;
    if (number == 0 || number >= HS_REC_STACK_NUMBERS) {
        return 0;
    }
    if (stacks->sites == NULL) {
        stacks->sites = calloc(HS_REC_STACK_NUMBERS, sizeof *stacks->sites);
        if (stacks->sites == NULL) {
            return 0;
        }
    }
    uint32_t *site = &stacks->sites[number];
    if (*site == 0) {
        *site = (uint32_t)++stacks->count;
    }
    return *site;
}

static bool spans_reach(hs_rec_stacks_t *stacks, size_t site)
{
    while (site >= stacks->capacity) {
        const size_t capacity = grown(stacks->capacity);
        uint32_t *spans = realloc(stacks->spans, HS_REC_SPAN * capacity * sizeof *spans);
        if (spans == NULL) {
            return false;
        }
        memset(spans + HS_REC_SPAN * stacks->capacity, 0,
               HS_REC_SPAN * (capacity - stacks->capacity) * sizeof *spans);
        stacks->spans = spans;
        stacks->capacity = capacity;
    }
    return true;
}

static bool frames_reach(hs_rec_stacks_t *stacks, size_t count)
{
    while (count > stacks->frame_capacity) {
        const size_t capacity = grown(stacks->frame_capacity);
        uint64_t *frames = realloc(stacks->frames, capacity * sizeof *frames);
        if (frames == NULL) {
            return false;
        }
        stacks->frames = frames;
        stacks->frame_capacity = capacity;
    }
    return true;
}

/* The frames of a stack; its number may have been used before. */
static void take_stack(hs_rec_image_t *image, const hs_rec_worker_t *worker,
                       const hs_rec_event_t *record)
{
    hs_rec_stacks_t *stacks = &image->stacks;
    const size_t held = worker->text_length / sizeof(uint64_t); /* padded */
    const size_t count = record->b < held ? (size_t)record->b : held;
    const uint32_t site = hs_rec_site_of(image, record->a);
    if (site == 0 || count == 0 || !spans_reach(stacks, site) ||
        !frames_reach(stacks, stacks->frame_count + count)) {
        return;
    }
    memcpy(stacks->frames + stacks->frame_count, worker->text, count * sizeof(uint64_t));
    uint32_t *span = stacks->spans + HS_REC_SPAN * site;
    span[0] = (uint32_t)stacks->frame_count;
    span[1] = (uint32_t)count;
    span[2] = (uint32_t)image->module_count;
    stacks->frame_count += count;
}

static void take_module(hs_rec_image_t *image, const hs_rec_worker_t *worker,
                        const hs_rec_event_t *record)
{
    if (image->module_count == image->module_capacity) {
        const size_t capacity = image->module_capacity == 0 ? 16 : image->module_capacity * 2;
        hs_rec_module_t *modules = realloc(image->modules, capacity * sizeof *modules);
        if (modules == NULL) {
            return;
        }
        image->modules = modules;
        image->module_capacity = capacity;
    }
    hs_rec_module_t *module = &image->modules[image->module_count++];
    *module = (hs_rec_module_t){record->a, record->b, record->c, {0}};
    const size_t most = sizeof module->path - 1;
    const size_t length = worker->text_length < most ? worker->text_length : most;
    if (length != 0) {
        memcpy(module->path, worker->text, length);
    }
}

void hs_rec_worker_take(hs_rec_image_t *image, hs_rec_worker_t *worker, unsigned kind,
                        unsigned flag, const hs_rec_event_t *record)
{
    if (kind == HS_REC_TEXT) {
        take_text(worker, record);
        return;
    }
    switch (kind) {
    case HS_REC_THREAD:
        worker->handle = record->c;
        worker->own_task = worker->task = flag != 0 ? 0 : task_of_record(image, record);
        break;
    case HS_REC_RENAMED:
        take_name(image, worker, record);
        break;
    case HS_REC_TASK:
        worker->task = worker->text_length == 0
                           ? worker->own_task
                           : hs_rec_task_of(image, worker->text, hs_rec_name_length(worker));
        break;
    case HS_REC_STACK:
        take_stack(image, worker, record);
        break;
    case HS_REC_MODULE:
        take_module(image, worker, record);
        break;
    default:
        break;
    }
    worker->text_length = 0;
}
