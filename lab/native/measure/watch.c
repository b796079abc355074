#include "measure/watch.h"

#include <stdlib.h>
#include <string.h>

#include "measure/census.h"

/* Fewer blocks can show nothing, so their lives are not noted. */
#define BLOCKS_LEAST 8
/* A task is over before the others begin if they had allocated so small a part, one in so many, of what they do. */
#define OTHERS_PART 32
#define OTHERS_LEAST 64

void hs_watch_init(hs_watch_t *watch)
{
    memset(watch, 0, sizeof *watch);
    watch->next = UINT64_MAX;
}

void hs_watch_free(hs_watch_t *watch)
{
    hs_counts_free(&watch->holders);
    hs_counts_free(&watch->tasks);
    hs_lives_free(&watch->lives);
    hs_watch_init(watch);
}

/* ---- axes ------------------------------------------------------------------------------------- */

static uint8_t stretches_of(uint64_t events)
{
    return (uint8_t)(events < HS_LAB_LEAK_STRETCHES ? events : HS_LAB_LEAK_STRETCHES);
}

static bool is_separated(const hs_lab_interval_t *interval)
{
    return interval->last_time > interval->first_time && interval->ticks >= BLOCKS_LEAST &&
           hs_census_separates(interval->events, interval->ticks);
}

/* The stretch of the position, from 0 on, of `total`; from 1 on. */
static uint8_t stretch(uint64_t position, uint64_t total, uint32_t stretches)
{
    if (stretches == 0 || total == 0) {
        return 0;
    }
    const unsigned shift = total >> 57 != 0 ? 7 : 0;
    const uint64_t part = (position >> shift) * stretches / (total >> shift);
    return (uint8_t)(part < stretches ? 1 + part : stretches);
}

static uint8_t by_time(const hs_watch_t *watch, const hs_lab_holder_row_t *row, uint64_t time)
{
    const hs_lab_interval_t *interval = &watch->interval;
    const uint64_t passed = time > interval->first_time ? time - interval->first_time : 0;
    return stretch(passed, interval->last_time - interval->first_time, row->by_time);
}

/* A task's last words, such as a line that it prints at its end, are not its work. */
static bool nearly(uint64_t count, uint64_t all)
{
    return all - count <= all / OTHERS_PART;
}

/* Hardly anything that the other tasks allocated came before its last allocation. */
static bool is_early(const hs_counts_row_t *task, uint64_t all)
{
    const uint64_t others = all - task->row.allocated;
    return others >= OTHERS_LEAST && task->others <= others / OTHERS_PART;
}

/* A site that frees most of its blocks has its own allocations as an axis. Where nearly all stay these tell
 * nothing, and its task's allocations do if most are of other blocks. A block that becomes larger stays. */
static void choose_axes(const hs_watch_t *watch, hs_counts_row_t *counts)
{
    hs_lab_holder_row_t *row = &counts->row;
    const uint64_t kept = row->allocated - row->freed;
    const hs_counts_row_t *task = hs_counts_find(&watch->tasks, row->task, 0);
    row->early = is_early(task, watch->allocated);
    row->by_time = watch->interval.by_time ? HS_LAB_LEAK_STRETCHES : 0;
    if (row->allocated >= BLOCKS_LEAST && row->freed - counts->enlarged >= kept) {
        row->by_own = stretches_of(row->allocated);
        return;
    }
    const bool few =
        row->allocated < BLOCKS_LEAST && row->by_time != 0; /* one axis tells as much */
    const bool passes = !few && task->row.allocated >= 2 * (kept + counts->enlarged);
    row->by_task = passes ? stretches_of(task->row.allocated) : 0;
}

static hs_status_t copy(hs_counts_t *to, const hs_counts_t *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const hs_lab_holder_row_t *row = &from->rows[i].row;
        hs_counts_row_t *copied = hs_counts_row(to, row->task, row->site);
        if (copied == NULL) {
            return HS_ERR_MEMORY;
        }
        copied->row = *row;
        copied->others = from->rows[i].others;
        copied->enlarged = from->rows[i].enlarged;
    }
    return HS_OK;
}

hs_status_t hs_watch_begin(hs_watch_t *watch, uint64_t first, uint64_t stop,
                           const hs_watch_t *before)
{
    if (watch->on ||
        (before != NULL && (before->interval.first != first || before->stop != stop))) {
        return HS_ERR_ARGUMENT;
    }
    watch->on = true;
    watch->next = first;
    watch->stop = stop;
    watch->interval.first = first;
    if (before == NULL) {
        return HS_OK;
    }
    watch->known = true;
    watch->interval = before->interval;
    watch->allocated = before->allocated;
    hs_status_t status = copy(&watch->holders, &before->holders);
    status = status == HS_OK ? copy(&watch->tasks, &before->tasks) : status;
    for (size_t i = 0; i < watch->holders.count && status == HS_OK; i++) {
        choose_axes(watch, &watch->holders.rows[i]);
    }
    return status;
}

/* The stretch by allocations so far, of which this block's may be the last one, and `more`. */
static uint8_t by_count(hs_watch_t *watch, const hs_counts_row_t *holder, uint64_t more)
{
    const hs_counts_row_t *all =
        holder->row.by_own != 0 ? holder : hs_counts_find(&watch->tasks, holder->row.task, 0);
    const uint64_t allocated = all->allocated + more;
    const uint32_t stretches = holder->row.by_own + holder->row.by_task;
    return allocated == 0 ? 0 : stretch(allocated - 1, all->row.allocated, stretches);
}

/* The event, which ends a block of the holder, is an allocation on its axis, too. */
static bool goes_on(const hs_counts_row_t *holder, const hs_event_t *event)
{
    return event->kind == HS_EVENT_REALLOC && event->size != 0 && event->task == holder->row.task &&
           (holder->row.by_own == 0 || event->site == holder->row.site);
}

/* ---- events ----------------------------------------------------------------------------------- */

hs_status_t hs_watch_take(hs_watch_t *watch, uint64_t bytes, uint64_t blocks, uint64_t event,
                          uint64_t time)
{
    const bool due = watch->next != UINT64_MAX && watch->next <= event;
    if (due && watch->next != watch->stop) {
        watch->interval.first_time = watch->now = time;
        watch->interval.start_bytes = bytes;
        watch->interval.start_blocks = blocks;
        watch->next = watch->stop;
    }
    if (due && watch->next <= event) {
        watch->interval.last_time = time;
        watch->interval.by_time = is_separated(&watch->interval);
        watch->next = UINT64_MAX;
    }
    return watch->failed || watch->lives.failed ? HS_ERR_MEMORY : HS_OK;
}

static void pass(hs_watch_t *watch, uint64_t time)
{
    if (!watch->known) {
        watch->interval.events++;
        watch->interval.ticks += time != watch->now;
    }
    watch->now = time;
}

void hs_watch_born(hs_watch_t *watch, hs_block_t *block, const hs_event_t *event, uint64_t number,
                   bool before)
{
    block->origin.by_time = block->origin.by_count = 0;
    if (!watch->on || before || number < watch->interval.first) {
        return;
    }
    hs_counts_row_t *holder = hs_counts_row(&watch->holders, event->task, event->site);
    hs_counts_row_t *task = hs_counts_row(&watch->tasks, event->task, 0);
    if (holder == NULL || task == NULL) {
        watch->failed = true;
        return;
    }
    pass(watch, event->time);
    holder->allocated++;
    task->allocated++;
    if (watch->known) {
        block->origin.by_time = by_time(watch, &holder->row, event->time);
        if (task->row.over == 0 && nearly(task->allocated, task->row.allocated)) {
            task->row.over = block->origin.by_time;
        }
        block->origin.by_count = by_count(watch, holder, 0);
    } else {
        holder->row.allocated++;
        task->row.allocated++;
        watch->allocated++;
        task->others = watch->allocated - task->allocated;
        block->origin.by_count = 1; /* it counts */
    }
}

/* The holder's own realloc makes the block larger. */
static bool is_enlarged(const hs_block_t *block, const hs_event_t *event)
{
    return event->kind == HS_EVENT_REALLOC && event->size > block->recorded &&
           event->task == block->task && event->site == block->origin.site;
}

/* The life on one axis; in none of its stretches: it has no such axis. */
static void note(hs_watch_t *watch, const hs_block_t *block, uint32_t axis, uint8_t born,
                 uint8_t freed)
{
    if (freed != 0) {
        const hs_lab_life_row_t life = {.blocks = 1,
                                        .bytes = block->recorded,
                                        .task = block->task,
                                        .site = block->origin.site,
                                        .born = born,
                                        .freed = freed,
                                        .axis = axis};
        hs_lives_add(&watch->lives, &life);
    }
}

void hs_watch_ended(hs_watch_t *watch, const hs_block_t *block, const hs_event_t *event)
{
    if (!watch->on || watch->next != watch->stop) {
        return; /* before the interval */
    }
    pass(watch, event->time);
    hs_counts_row_t *holder = hs_counts_find(&watch->holders, block->task, block->origin.site);
    if (holder == NULL) {
        return; /* it has allocated nothing in the interval */
    }
    if (!watch->known) {
        holder->row.freed += block->origin.by_count;
        holder->enlarged += is_enlarged(block, event) ? block->origin.by_count : 0;
    } else if (holder->row.allocated >= BLOCKS_LEAST) {
        const uint32_t axis = holder->row.by_own != 0 ? HS_LAB_AXIS_OWN : HS_LAB_AXIS_TASK;
        note(watch, block, HS_LAB_AXIS_TIME, block->origin.by_time,
             by_time(watch, &holder->row, event->time));
        note(watch, block, axis, block->origin.by_count,
             by_count(watch, holder, goes_on(holder, event)));
    }
}

static int by_holder(const void *left, const void *right)
{
    const hs_lab_holder_row_t *a = left, *b = right;
    const uint64_t one = (uint64_t)a->task << 32 | a->site, two = (uint64_t)b->task << 32 | b->site;
    return (one > two) - (one < two);
}

size_t hs_watch_holders(const hs_watch_t *watch, hs_lab_holder_row_t *rows, size_t capacity)
{
    const size_t count = watch->holders.count;
    if (count == 0 || count > capacity) {
        return count;
    }
    for (size_t i = 0; i < count; i++) {
        rows[i] = watch->holders.rows[i].row;
        rows[i].over = hs_counts_find(&watch->tasks, rows[i].task, 0)->row.over;
    }
    qsort(rows, count, sizeof *rows, by_holder);
    return count;
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
            const hs_lab_live_row_t row = {.key = block->key,
                                           .size = block->recorded,
                                           .birth = block->origin.birth,
                                           .task = block->task,
                                           .site = block->origin.site,
                                           .by_time = block->origin.by_time,
                                           .by_count = block->origin.by_count};
            rows[count - 1] = row;
        }
    }
    if (count <= capacity) {
        qsort(rows, count, sizeof *rows, by_birth);
    }
    return count;
}
