#include "workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stacks.h"

#define NAME_BYTES 16u /* of a thread, as the kernel keeps it */
#define ALIKE_MAX 256u /* threads of one name that are tasks of their own */

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
    uint32_t match = 0;
    bool added = false;
    if (hs_name_index_get(index, (const uint8_t *)(name == NULL ? "" : name), length, &match,
                          &added) != HS_OK) {
        return 0;
    }
    if (added) {
        (void)hs_trace_name(image->trace, table, match, name == NULL ? "" : name, length);
    }
    return match;
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

/* The task of a thread: its name. Threads that live at the same time under one name are tasks of their
 * own, "worker", "worker (2)"; one that comes after another's end goes on with its task, which
 * the handle tells, as the C library gives it again. O(threads). */
static uint32_t task_of_thread(hs_rec_image_t *image, const char *name, uint64_t handle)
{
    const uint32_t first = hs_rec_task_of(image, name, strlen(name));
    uint32_t alike = 0;
    for (size_t i = 0; i < image->named_count; i++) {
        const hs_rec_named_t *known = &image->named[i];
        if (known->name == first) {
            alike++;
            if (known->handle == handle) {
                return known->task;
            }
        }
    }
    if (handle == 0 || alike >= ALIKE_MAX) {
        return first;
    }
    if (image->named_count == image->named_capacity) {
        const size_t capacity = image->named_capacity * 2 + 16;
        hs_rec_named_t *grown = realloc(image->named, capacity * sizeof *grown);
        if (grown == NULL) {
            return first;
        }
        image->named = grown;
        image->named_capacity = capacity;
    }
    uint32_t task = first;
    if (alike != 0) {
        char text[NAME_BYTES + 16];
        (void)snprintf(text, sizeof text, "%s (%u)", name, alike + 1u);
        task = hs_rec_task_of(image, text, strlen(text));
    }
    image->named[image->named_count++] = (hs_rec_named_t){handle, first, task};
    return task;
}

static uint32_t task_of_record(hs_rec_image_t *image, const hs_rec_event_t *record, uint64_t handle)
{
    char name[NAME_BYTES + 1] = {0};
    memcpy(name, &record->a, 8);
    memcpy(name + 8, &record->b, 8);
    return task_of_thread(image, name, handle);
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
        set_own_task(named, task_of_record(image, record, named->handle));
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
        worker->own_task = worker->task = flag != 0 ? 0 : task_of_record(image, record, record->c);
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
        hs_rec_stacks_take(image, worker, record);
        break;
    case HS_REC_MODULE:
        hs_rec_modules_take(image, worker, record);
        break;
    default:
        break;
    }
    worker->text_length = 0;
}
