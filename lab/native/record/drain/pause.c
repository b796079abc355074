#include "pause.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workers.h"

#define BEFORE_START "before the start"
#define WHILE_STOPPED "while stopped"

static void put(hs_rec_image_t *image, hs_event_t event)
{
    hs_rec_image_put(image, event);
}

static void put_mark(hs_rec_image_t *image, const char *name)
{
    const uint32_t index =
        hs_rec_name_index(image, &image->marks, HS_NAMES_MARK, name, strlen(name));
    put(image, (hs_event_t){.kind = HS_EVENT_MARK, .key = index});
}

static void put_time(hs_rec_image_t *image, const char *key)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%llu.%06llu", (unsigned long long)(image->time / 1000000u),
                   (unsigned long long)(image->time % 1000000u));
    hs_rec_image_fact(image, key, text);
}

/* All live blocks by id, with those that a realloc is moving; NULL: no host memory. */
static hs_rec_block_t *live_blocks(const hs_rec_image_t *image, size_t *count)
{
    hs_rec_block_t *list =
        malloc(((size_t)image->blocks.count + image->worker_count + 1) * sizeof *list);
    if (list == NULL) {
        return NULL;
    }
    *count = hs_rec_blocks_list(&image->blocks, list);
    for (size_t i = 0; i < image->worker_count; i++) {
        if (image->workers[i].moves == 1) {
            list[(*count)++] = image->workers[i].moving;
        }
    }
    hs_rec_blocks_sort(list, *count);
    return list;
}

void hs_rec_image_stop(hs_rec_image_t *image)
{
    if (image->paused) {
        return;
    }
    put_mark(image, "recording stopped");
    free(image->reported);
    image->reported = live_blocks(image, &image->reported_count);
    image->reported_count = image->reported == NULL ? 0 : image->reported_count;
    image->status = image->reported == NULL ? HS_ERR_MEMORY : image->status;
    image->paused = true;
}

static bool same(const hs_rec_block_t *one, const hs_rec_block_t *other)
{
    return one->id == other->id && one->address == other->address && one->size == other->size;
}

/* The block has a place in the trace from now on, under an id that follows. */
static void tell(hs_rec_image_t *image, uint32_t task, hs_rec_block_t block)
{
    hs_rec_block_t old;
    hs_rec_worker_t *mover = NULL;
    for (size_t i = 0; image->moving != 0 && i < image->worker_count && mover == NULL; i++) {
        hs_rec_worker_t *worker = &image->workers[i];
        mover = worker->moves == 1 && same(&worker->moving, &block) ? worker : NULL;
    }
    block.id = hs_trace_next_id(image->trace);
    put(image, (hs_event_t){.kind = HS_EVENT_MALLOC,
                            .task = task,
                            .key = image->addresses != 0 ? block.address : block.id,
                            .size = block.size});
    if (mover != NULL) {
        mover->moving = block;
    } else if (hs_rec_blocks_take(&image->blocks, block.address, &old)) {
        const hs_status_t status = hs_rec_blocks_put(&image->blocks, &block);
        image->status = status != HS_OK ? status : image->status;
    }
}

void hs_rec_image_start(hs_rec_image_t *image)
{
    size_t count = 0;
    if (!image->paused) {
        return;
    }
    hs_rec_block_t *list = live_blocks(image, &count);
    if (list == NULL) {
        image->status = HS_ERR_MEMORY;
        return;
    }
    const char *name = image->started ? WHILE_STOPPED : BEFORE_START;
    const uint32_t task = count == 0 ? 0 : hs_rec_task_of(image, name, strlen(name));
    if (!image->started) {
        put_time(image, "started");
    }
    image->paused = false;
    image->started = true;
    for (size_t i = 0, j = 0; i < image->reported_count; i++) { /* first those that are gone */
        const hs_rec_block_t *reported = &image->reported[i];
        while (j < count && list[j].id < reported->id) {
            j++;
        }
        if (j < count && same(&list[j], reported)) {
            list[j].address = 0; /* it is not reported */
        } else {
            put(image,
                (hs_event_t){.kind = HS_EVENT_FREE,
                             .task = task,
                             .key = image->addresses != 0 ? reported->address : reported->id});
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (list[i].address != 0) {
            tell(image, task, list[i]);
        }
    }
    free(list);
    put_mark(image, "recording started");
    hs_rec_image_count_peak(image);
}

void hs_rec_image_tell_parts(hs_rec_image_t *image)
{
    if (image->cut != 0 || (image->paused && image->started)) {
        put_time(image, "stopped");
    }
}
