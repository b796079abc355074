#include "jitter/cycle.h"

#include <stdlib.h>
#include <string.h>

#define NO_KEY UINT64_MAX

hs_status_t hs_cycle_init(hs_cycle_t *cycle, uint64_t first, uint64_t stop)
{
    memset(cycle, 0, sizeof *cycle);
    if (first >= stop || stop - first > HS_CYCLE_EVENTS_MAX) {
        return HS_ERR_ARGUMENT;
    }
    cycle->first = first;
    cycle->stop = stop;
    return hs_blocks_init(&cycle->blocks) ? HS_OK : HS_ERR_MEMORY;
}

void hs_cycle_free(hs_cycle_t *cycle)
{
    hs_blocks_free(&cycle->blocks);
    free(cycle->events);
    free(cycle->lives);
    memset(cycle, 0, sizeof *cycle);
}

/* ---- learning --------------------------------------------------------------------------------- */

static bool in_stretch(const hs_cycle_t *cycle)
{
    return cycle->seen >= cycle->first && cycle->seen < cycle->stop;
}

/* Room for one more of `size` bytes. */
static void *with_room(void *rows, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return rows;
    }
    const size_t wanted = *capacity == 0 ? 1024 : 2 * *capacity;
    void *moved = realloc(rows, wanted * size);
    *capacity = moved == NULL ? *capacity : wanted;
    return moved;
}

/* The number of a new life plus 1; 0: no host memory. */
static uint32_t new_life(hs_cycle_t *cycle, const hs_block_t *block, uint16_t heap, bool begun)
{
    hs_cycle_life_t *lives =
        with_room(cycle->lives, cycle->life_count, &cycle->life_capacity, sizeof *lives);
    if (lives == NULL) {
        return 0;
    }
    cycle->lives = lives;
    lives[cycle->life_count++] = (hs_cycle_life_t){.size = block->recorded,
                                                   .task = block->task,
                                                   .site = block->origin.site,
                                                   .heap = heap,
                                                   .heir = HS_NONE,
                                                   .level = UINT64_MAX,
                                                   .begun = begun,
                                                   .key = NO_KEY};
    return (uint32_t)cycle->life_count;
}

/* The life of a live block that the stretch touches, plus 1; 0: no host memory. */
static uint32_t life_of(hs_cycle_t *cycle, hs_block_t *block)
{
    if (block->requested == 0) {
        block->requested = new_life(cycle, block, 0, false);
    }
    return block->requested;
}

static hs_status_t keep(hs_cycle_t *cycle, const hs_event_t *event, uint32_t life)
{
    hs_event_t *events =
        with_room(cycle->events, cycle->count, &cycle->capacity, sizeof *cycle->events);
    if (events == NULL || life == 0) {
        return HS_ERR_MEMORY;
    }
    cycle->events = events;
    events[cycle->count] = *event;
    events[cycle->count].key = life - 1;
    events[cycle->count].new_key = event->kind == HS_EVENT_REALLOC ? life - 1 : event->new_key;
    cycle->count++;
    return HS_OK;
}

static hs_status_t end_block(hs_cycle_t *cycle, uint64_t key, const hs_event_t *event)
{
    hs_block_t *block = hs_blocks_take(&cycle->blocks, key);
    if (block == NULL || !in_stretch(cycle)) {
        return HS_OK;
    }
    hs_event_t over = *event;
    over.kind = HS_EVENT_FREE;
    over.size = 0;
    over.caps = 0;
    over.site = 0;
    over.new_key = 0;
    over.align_log2 = 0;
    return keep(cycle, &over, life_of(cycle, block));
}

static void describe(hs_block_t *block, const hs_event_t *event)
{
    block->recorded = event->size;
    block->task = event->task;
    block->origin.site = event->site;
}

static hs_status_t on_allocation(hs_cycle_t *cycle, const hs_event_t *event)
{
    const hs_status_t status = end_block(cycle, event->key, event);
    hs_block_t *block = hs_blocks_insert(&cycle->blocks, event->key);
    if (status != HS_OK || block == NULL) {
        return status != HS_OK ? status : HS_ERR_MEMORY;
    }
    describe(block, event);
    if (!in_stretch(cycle)) {
        return HS_OK;
    }
    block->requested = new_life(cycle, block, event->heap, true);
    return keep(cycle, event, block->requested);
}

static hs_status_t on_realloc(hs_cycle_t *cycle, const hs_event_t *event)
{
    hs_block_t *block = hs_blocks_find(&cycle->blocks, event->key);
    if (block == NULL) {
        return HS_OK;
    }
    if (event->size == 0) {
        return end_block(cycle, event->key, event);
    }
    if (in_stretch(cycle)) {
        const hs_status_t status = keep(cycle, event, life_of(cycle, block));
        if (status != HS_OK) {
            return status;
        }
    }
    const uint32_t life = block->requested;
    if (event->new_key != event->key) {
        hs_blocks_take(&cycle->blocks, event->key);
        const hs_status_t status = end_block(cycle, event->new_key, event);
        block = hs_blocks_insert(&cycle->blocks, event->new_key);
        if (status != HS_OK || block == NULL) {
            return status != HS_OK ? status : HS_ERR_MEMORY;
        }
        block->requested = life;
    }
    describe(block, event);
    if (life != 0 && cycle->lives[life - 1].begun) {
        cycle->lives[life - 1].size = event->size;
        cycle->lives[life - 1].task = event->task;
        cycle->lives[life - 1].site = event->site;
    }
    return HS_OK;
}

static hs_status_t learn(hs_cycle_t *cycle, const hs_event_t *event)
{
    if (event->kind >= HS_EVENT_MALLOC && event->kind <= HS_EVENT_ALIGNED) {
        return on_allocation(cycle, event);
    }
    if (event->kind == HS_EVENT_REALLOC) {
        return on_realloc(cycle, event);
    }
    return event->kind == HS_EVENT_FREE ? end_block(cycle, event->key, event) : HS_OK;
}

/* The blocks that are live at the end of the stretch, by their lives. */
static void note_end(hs_cycle_t *cycle)
{
    for (size_t i = 0; i < cycle->blocks.used; i++) {
        const hs_block_t *block = &cycle->blocks.records[i];
        if ((block->flags & HS_BLOCK_LIVE) && block->requested != 0) {
            cycle->lives[block->requested - 1].stays = true;
            cycle->lives[block->requested - 1].key = block->key;
        }
    }
}

hs_status_t hs_cycle_prime(hs_cycle_t *cycle, const hs_event_t *blocks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hs_block_t *block = hs_blocks_insert(&cycle->blocks, blocks[i].key);
        if (block == NULL) {
            return HS_ERR_MEMORY;
        }
        describe(block, &blocks[i]);
    }
    return HS_OK;
}

hs_status_t hs_cycle_learn(hs_cycle_t *cycle, const hs_event_t *events, size_t count)
{
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < count && status == HS_OK && cycle->seen < cycle->stop; i++) {
        if (!HS_EVENT_IS_HEAP(events[i].kind)) {
            continue;
        }
        cycle->began = cycle->seen == cycle->first ? events[i].time : cycle->began;
        status = learn(cycle, &events[i]);
        cycle->ended = events[i].time;
        cycle->seen++;
        if (cycle->seen == cycle->stop) {
            note_end(cycle);
        }
    }
    return status;
}

/* ---- which stands for which ------------------------------------------------------------------- */

typedef struct hs_like {
    uint64_t size;
    uint32_t task, site, class; /* class: of the size, where no call site is known */
    uint32_t life;
} hs_like_t;

static hs_like_t like_of(const hs_cycle_t *cycle, size_t index)
{
    const hs_cycle_life_t *life = &cycle->lives[index];
    hs_like_t like = {
        .size = life->size, .task = life->task, .site = life->site, .life = (uint32_t)index};
    for (uint64_t rest = like.site == 0 ? like.size : 0; rest != 0; rest >>= 1) {
        like.class++;
    }
    return like;
}

static int order_of(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

static int by_holder(const hs_like_t *left, const hs_like_t *right)
{
    const int task = order_of(left->task, right->task);
    const int site = order_of(left->site, right->site);
    return task != 0 ? task : site != 0 ? site : order_of(left->class, right->class);
}

static int by_size(const hs_like_t *left, const hs_like_t *right)
{
    const int holder = by_holder(left, right);
    return holder != 0 ? holder : order_of(left->size, right->size);
}

static int sorts(const void *left, const void *right)
{
    const int size = by_size(left, right);
    return size != 0 ? size
                     : order_of(((const hs_like_t *)left)->life, ((const hs_like_t *)right)->life);
}

/* Pairs what is alike, in order; what is left of either moves to its begin. */
static void pair(hs_cycle_t *cycle, hs_like_t *gone, size_t *gone_count, hs_like_t *kept,
                 size_t *kept_count, int (*compare)(const hs_like_t *, const hs_like_t *))
{
    size_t i = 0, j = 0, gone_left = 0, kept_left = 0;
    while (i < *gone_count || j < *kept_count) {
        const int way = i == *gone_count ? 1 : j == *kept_count ? -1 : compare(&gone[i], &kept[j]);
        if (way < 0) {
            gone[gone_left++] = gone[i++];
        } else if (way > 0) {
            kept[kept_left++] = kept[j++];
        } else {
            cycle->lives[gone[i++].life].heir = kept[j].life;
            cycle->lives[kept[j++].life].inherits = true;
        }
    }
    *gone_count = gone_left;
    *kept_count = kept_left;
}

hs_status_t hs_cycle_close(hs_cycle_t *cycle)
{
    size_t gone_count = 0, kept_count = 0;
    if (cycle->seen < cycle->stop) { /* the recording ended in it */
        cycle->stop = cycle->seen;
        note_end(cycle);
    }
    hs_like_t *gone = malloc((2 * cycle->life_count + 1) * sizeof *gone);
    if (gone == NULL) {
        return HS_ERR_MEMORY;
    }
    hs_like_t *const kept = gone + cycle->life_count;
    for (size_t i = 0; i < cycle->life_count; i++) {
        const hs_cycle_life_t *life = &cycle->lives[i];
        if (life->begun && life->stays) {
            kept[kept_count++] = like_of(cycle, i);
        } else if (!life->begun && !life->stays) {
            gone[gone_count++] = like_of(cycle, i);
        }
    }
    qsort(gone, gone_count, sizeof *gone, sorts);
    qsort(kept, kept_count, sizeof *kept, sorts);
    pair(cycle, gone, &gone_count, kept, &kept_count, by_size);
    pair(cycle, gone, &gone_count, kept, &kept_count, by_holder);
    free(gone);
    return HS_OK;
}

static bool is_left_over(const hs_cycle_life_t *life)
{
    return life->begun && life->stays && !life->inherits;
}

void hs_cycle_level(hs_cycle_t *cycle, uint32_t task, uint32_t site, uint64_t round)
{
    for (size_t i = 0; i < cycle->life_count; i++) {
        hs_cycle_life_t *life = &cycle->lives[i];
        if (is_left_over(life) && life->task == task && life->site == site) {
            life->level = round;
        }
    }
}

size_t hs_cycle_growth(const hs_cycle_t *cycle, hs_lab_growth_row_t *rows, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < cycle->life_count; i++) {
        const hs_cycle_life_t *life = &cycle->lives[i];
        if (!is_left_over(life)) {
            continue;
        }
        if (count < capacity) {
            rows[count] =
                (hs_lab_growth_row_t){.size = life->size, .task = life->task, .site = life->site};
        }
        count++;
    }
    return count;
}

size_t hs_cycle_births(const hs_cycle_t *cycle, hs_lab_growth_row_t *rows, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < cycle->life_count; i++) {
        const hs_cycle_life_t *life = &cycle->lives[i];
        if (life->begun && count++ < capacity) {
            rows[count - 1] =
                (hs_lab_growth_row_t){.size = life->size, .task = life->task, .site = life->site};
        }
    }
    return count;
}

/* ---- playing ---------------------------------------------------------------------------------- */

#define BATCH 256u

hs_status_t hs_rounds_init(hs_rounds_t *rounds, const hs_cycle_t *cycle)
{
    memset(rounds, 0, sizeof *rounds);
    rounds->cycle = cycle;
    rounds->next_key = HS_LAB_ROUND_KEY;
    rounds->keys = malloc((cycle->life_count + 1) * sizeof *rounds->keys);
    for (size_t i = 0; rounds->keys != NULL && i < cycle->life_count; i++) {
        rounds->keys[i] = cycle->lives[i].key;
    }
    return rounds->keys != NULL ? HS_OK : HS_ERR_MEMORY;
}

void hs_rounds_free(hs_rounds_t *rounds)
{
    free(rounds->keys);
    memset(rounds, 0, sizeof *rounds);
}

uint64_t hs_cycle_period(const hs_cycle_t *cycle)
{
    /* The gap before the first event is as wide as the others. */
    const uint64_t length = cycle->ended - cycle->began, gaps = cycle->stop - cycle->first - 1;
    return length + (gaps != 0 ? length / gaps : 0);
}

/* The event of this round that one of the stretch makes; false: its block is not there. */
static bool make(hs_rounds_t *rounds, const hs_event_t *recorded, uint64_t later, hs_event_t *out)
{
    uint64_t *key = &rounds->keys[recorded->key];
    if (recorded->kind <= HS_EVENT_ALIGNED) {
        *key = rounds->next_key++;
    }
    if (*key == NO_KEY) {
        return false;
    }
    *out = *recorded;
    out->key = *key;
    out->new_key = recorded->kind == HS_EVENT_REALLOC ? *key : recorded->new_key;
    out->time = recorded->time + later;
    if (recorded->kind == HS_EVENT_FREE) {
        *key = NO_KEY;
    }
    return true;
}

/* The free with which the round begins for a block that the one before left over; false: it stays. */
static bool end(hs_rounds_t *rounds, size_t index, uint64_t time, hs_event_t *out)
{
    const hs_cycle_life_t *life = &rounds->cycle->lives[index];
    uint64_t *key = &rounds->keys[index];
    if (!is_left_over(life) || rounds->played < life->level || *key == NO_KEY) {
        return false;
    }
    *out = (hs_event_t){.kind = HS_EVENT_FREE, .key = *key, .time = time, .task = life->task};
    out->heap = life->heap;
    *key = NO_KEY;
    return true;
}

hs_status_t hs_rounds_play(hs_rounds_t *rounds, hs_rounds_sink_t sink, void *context)
{
    const hs_cycle_t *const cycle = rounds->cycle;
    const uint64_t later = ++rounds->played * hs_cycle_period(cycle);
    const size_t before = cycle->life_count;
    hs_event_t out[BATCH];
    size_t count = 0;
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < cycle->life_count; i++) {
        if (!cycle->lives[i].begun && !cycle->lives[i].stays) {
            const uint32_t heir = cycle->lives[i].heir;
            rounds->keys[i] = heir == HS_NONE ? NO_KEY : rounds->keys[heir];
        }
    }
    for (size_t i = 0; i < before + cycle->count && status == HS_OK; i++) {
        count += i < before ? end(rounds, i, cycle->began + later, &out[count])
                            : make(rounds, &cycle->events[i - before], later, &out[count]);
        if (count == BATCH) {
            status = sink(context, out, count);
            count = 0;
        }
    }
    return status == HS_OK && count != 0 ? sink(context, out, count) : status;
}
