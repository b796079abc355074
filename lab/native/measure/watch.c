#include "measure/watch.h"

#include <stdlib.h>
#include <string.h>

void hs_watch_init(hs_watch_t *watch)
{
    memset(watch, 0, sizeof *watch);
    watch->next = UINT64_MAX;
}

void hs_watch_free(hs_watch_t *watch)
{
    free(watch->events);
    free(watch->moments);
    free(watch->holders);
    hs_lives_free(&watch->lives);
    hs_watch_init(watch);
}

hs_status_t hs_watch_set(hs_watch_t *watch, const uint64_t *events, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (events[i] < events[i - 1]) {
            return HS_ERR_ARGUMENT;
        }
    }
    if (watch->events != NULL || count == 0 || count > HS_LAB_MOMENTS_MAX) {
        return HS_ERR_ARGUMENT;
    }
    watch->events = malloc(count * sizeof *watch->events);
    watch->moments = calloc(count, sizeof *watch->moments);
    if (watch->events == NULL || watch->moments == NULL) {
        return HS_ERR_MEMORY;
    }
    memcpy(watch->events, events, count * sizeof *events);
    watch->count = count;
    watch->next = events[0];
    return HS_OK;
}

static int by_holder(const void *left, const void *right)
{
    const hs_lab_holder_row_t *a = left, *b = right;
    if (a->task != b->task) {
        return a->task < b->task ? -1 : 1;
    }
    return (a->site > b->site) - (a->site < b->site);
}

/* Rows of the same task and site become one; returns how many are left. */
static size_t merge(hs_lab_holder_row_t *rows, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept != 0 && by_holder(&rows[kept - 1], &rows[i]) == 0) {
            rows[kept - 1].bytes += rows[i].bytes;
            rows[kept - 1].blocks += rows[i].blocks;
        } else {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

static bool reserve(hs_watch_t *watch, size_t more)
{
    if (more <= watch->holder_capacity - watch->holder_count) {
        return true;
    }
    const size_t grown = watch->holder_capacity * 2 + more;
    hs_lab_holder_row_t *moved = realloc(watch->holders, grown * sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    watch->holders = moved;
    watch->holder_capacity = grown;
    return true;
}

static hs_status_t take_moment(hs_watch_t *watch, const hs_blocks_t *blocks, uint64_t time)
{
    hs_watch_moment_t *moment = &watch->moments[watch->taken];
    if (!reserve(watch, hs_blocks_count(blocks))) {
        return HS_ERR_MEMORY;
    }
    hs_lab_holder_row_t *rows = watch->holders + watch->holder_count;
    size_t count = 0;
    for (size_t i = 0; i < blocks->used; i++) {
        const hs_block_t *block = &blocks->records[i];
        if (block->flags & HS_BLOCK_LIVE) {
            const hs_lab_holder_row_t row = {block->recorded, 1, block->task, block->origin.site};
            rows[count++] = row;
            moment->row.bytes += block->recorded;
        }
    }
    moment->row.event = watch->events[watch->taken];
    moment->row.time = time;
    moment->row.blocks = count;
    moment->first = watch->holder_count;
    qsort(rows, count, sizeof *rows, by_holder);
    const size_t holders = merge(rows, count);
    moment->row.holders = holders;
    watch->holder_count += holders;
    watch->taken++;
    watch->next = watch->taken < watch->count ? watch->events[watch->taken] : UINT64_MAX;
    return HS_OK;
}

hs_status_t hs_watch_take(hs_watch_t *watch, const hs_blocks_t *blocks, uint64_t event,
                          uint64_t time)
{
    hs_status_t status = watch->lives.failed ? HS_ERR_MEMORY : HS_OK;
    while (watch->taken < watch->count && watch->next <= event && status == HS_OK) {
        status = take_moment(watch, blocks, time);
    }
    return status;
}

/* How many moments were before the event: 0 where it is before all of them. */
static uint32_t moments_before(const hs_watch_t *watch, uint64_t event)
{
    size_t low = 0, high = watch->taken;
    if (high != 0 && watch->events[high - 1] <= event) {
        return (uint32_t)high;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (watch->events[middle] <= event) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

void hs_watch_ended(hs_watch_t *watch, const hs_block_t *block)
{
    if (watch->count == 0) {
        return;
    }
    const hs_lab_life_row_t life = {.blocks = 1,
                                    .bytes = block->recorded,
                                    .task = block->task,
                                    .site = block->origin.site,
                                    .born = moments_before(watch, block->origin.birth),
                                    .freed = (uint32_t)watch->taken};
    hs_lives_add(&watch->lives, &life);
}

static int by_birth(const void *left, const void *right)
{
    const hs_lab_live_row_t *a = left, *b = right;
    return (a->birth > b->birth) - (a->birth < b->birth);
}

size_t hs_watch_live(const hs_blocks_t *blocks, hs_lab_live_row_t *rows, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < blocks->used; i++) {
        const hs_block_t *block = &blocks->records[i];
        if ((block->flags & HS_BLOCK_LIVE) && count++ < capacity) {
            const hs_lab_live_row_t row = {block->key, block->recorded, block->origin.birth,
                                           block->task, block->origin.site};
            rows[count - 1] = row;
        }
    }
    if (count <= capacity) {
        qsort(rows, count, sizeof *rows, by_birth);
    }
    return count;
}
