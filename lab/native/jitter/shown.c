#include "jitter/shown.h"

#include <stdlib.h>
#include <string.h>

hs_status_t hs_shown_init(hs_shown_t *shown)
{
    memset(shown, 0, sizeof *shown);
    return hs_blocks_init(&shown->blocks) ? HS_OK : HS_ERR_MEMORY;
}

void hs_shown_free(hs_shown_t *shown)
{
    hs_sizes_free(&shown->sizes);
    hs_blocks_free(&shown->blocks);
    free(shown->tasks);
    memset(shown, 0, sizeof *shown);
}

hs_shown_task_t *hs_shown_task(hs_shown_task_t **tasks, uint32_t *count, uint32_t task)
{
    if (task >= *count) {
        const uint32_t grown = task + task / 2 + 16;
        hs_shown_task_t *moved = realloc(*tasks, grown * sizeof *moved);
        if (moved == NULL) {
            return NULL;
        }
        memset(moved + *count, 0, (grown - *count) * sizeof *moved);
        *tasks = moved;
        *count = grown;
    }
    return &(*tasks)[task];
}

bool hs_shown_habit(const hs_shown_t *shown, uint32_t task, uint32_t visit)
{
    return task < shown->task_count && shown->tasks[task].visits >= HS_SHOWN_VISITS &&
           visit < shown->tasks[task].visits;
}

uint64_t hs_shown_visits(const hs_shown_t *shown)
{
    uint64_t visits = 0;
    for (uint32_t i = 0; i < shown->task_count; i++) {
        visits += hs_shown_habit(shown, i, 0) ? shown->tasks[i].visits : 0;
    }
    return visits;
}

static bool has_size(const hs_event_t *event)
{
    return event->size != 0 && event->size <= UINT32_MAX;
}

static void end_block(hs_shown_t *shown, uint64_t key)
{
    const hs_block_t *block = hs_blocks_take(&shown->blocks, key);
    if (block == NULL) {
        return;
    }
    hs_shown_task_t *task = &shown->tasks[block->task];
    if (--task->live == 0) {
        task->visits++;
        shown->present--;
    }
}

static hs_status_t on_allocation(hs_shown_t *shown, const hs_event_t *event)
{
    end_block(shown, event->key);
    hs_shown_task_t *task = hs_shown_task(&shown->tasks, &shown->task_count, event->task);
    hs_block_t *block = task == NULL ? NULL : hs_blocks_insert(&shown->blocks, event->key);
    if (block == NULL) {
        return HS_ERR_MEMORY;
    }
    block->task = event->task;
    shown->allocations++;
    if (task->live++ == 0) {
        task->begun++;
        shown->present++;
        shown->present_most =
            shown->present > shown->present_most ? shown->present : shown->present_most;
    }
    return !has_size(event) || hs_sizes_note(&shown->sizes, event) ? HS_OK : HS_ERR_MEMORY;
}

static hs_status_t on_realloc(hs_shown_t *shown, const hs_event_t *event)
{
    hs_block_t *block = hs_blocks_find(&shown->blocks, event->key);
    if (block == NULL) {
        return HS_OK;
    }
    if (event->size == 0) {
        end_block(shown, event->key);
        return HS_OK;
    }
    if (event->new_key != event->key) {
        const uint32_t task = block->task;
        hs_blocks_take(&shown->blocks, event->key);
        end_block(shown, event->new_key);
        block = hs_blocks_insert(&shown->blocks, event->new_key);
        if (block == NULL) {
            return HS_ERR_MEMORY;
        }
        block->task = task;
    }
    return !has_size(event) || hs_sizes_note(&shown->sizes, event) ? HS_OK : HS_ERR_MEMORY;
}

hs_status_t hs_shown_events(hs_shown_t *shown, const hs_event_t *events, size_t count)
{
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        if (events[i].kind >= HS_EVENT_MALLOC && events[i].kind <= HS_EVENT_ALIGNED) {
            status = on_allocation(shown, &events[i]);
        } else if (events[i].kind == HS_EVENT_REALLOC) {
            status = on_realloc(shown, &events[i]);
        } else if (events[i].kind == HS_EVENT_FREE) {
            end_block(shown, events[i].key);
        }
    }
    return status;
}
