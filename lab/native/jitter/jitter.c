#include "jitter/jitter.h"

#include <stdlib.h>
#include <string.h>

#include "jitter/chance.h"

#define SECOND (UINT64_C(1) << 63) /* of the key of a second visitor's block */
#define REACH_MAX (UINT64_C(1) << 62)
#define VISITS_SHARE 0.25 /* of all visits, at strength 1 in the fullest and the emptiest run */

enum { DRAW_LOAD, DRAW_SIZE, DRAW_WHICH, DRAW_VISIT, DRAW_ORDER };

/* The flags of a block, and in `visits` of a task's entry, of its visit. */
enum { GONE = 4, TWICE = 8 };

hs_status_t hs_jitter_init(hs_jitter_t *run, const hs_shown_t *shown, uint64_t seed,
                           double strength, uint64_t reach, hs_jitter_sink_t sink, void *context)
{
    memset(run, 0, sizeof *run);
    if (!(strength >= 0 && strength <= 1)) {
        return HS_ERR_ARGUMENT;
    }
    run->shown = shown;
    run->seed = seed;
    run->strength = strength;
    run->sink = sink;
    run->context = context;
    const double load = 2 * hs_chance_share(hs_chance_draw(seed, DRAW_LOAD, 0)) - 1;
    run->fewer = load < 0 ? -load * strength * VISITS_SHARE : 0;
    run->more = load > 0 ? load * strength * VISITS_SHARE : 0;
    run->order.seed = hs_chance_draw(seed, DRAW_ORDER, 0);
    run->order.reach = (uint64_t)((double)(reach < REACH_MAX ? reach : REACH_MAX) * strength);
    return hs_blocks_init(&run->blocks) ? HS_OK : HS_ERR_MEMORY;
}

void hs_jitter_goes_on(hs_jitter_t *run)
{
    run->goes_on = true;
    run->later_strength = run->strength;
    run->later_reach = run->order.reach;
    run->strength = run->fewer = run->more = 0;
    run->order.reach = 0;
}

void hs_jitter_changes(hs_jitter_t *run)
{
    run->strength = run->later_strength;
    run->order.reach = run->later_reach;
    run->fewer = run->more = run->strength * VISITS_SHARE / 2;
}

void hs_jitter_free(hs_jitter_t *run)
{
    hs_blocks_free(&run->blocks);
    free(run->tasks);
    memset(run, 0, sizeof *run);
}

/* ---- out -------------------------------------------------------------------------------------- */

static hs_status_t flush(hs_jitter_t *run)
{
    uint64_t heap = 0;
    for (size_t i = 0; i < run->out_count; i++) {
        heap += HS_EVENT_IS_HEAP(run->out[i].kind);
    }
    const size_t count = run->out_count;
    const uint64_t first = run->given;
    run->given += heap;
    run->out_count = 0;
    return count == 0 ? HS_OK : run->sink(run->context, first, run->out, count);
}

static hs_status_t put(hs_jitter_t *run, const hs_event_t *event)
{
    run->out[run->out_count++] = *event;
    return run->out_count == HS_JITTER_OUT ? flush(run) : HS_OK;
}

static hs_status_t let_go(hs_jitter_t *run, uint64_t now)
{
    hs_event_t event;
    hs_status_t status = HS_OK;
    while (status == HS_OK && hs_order_give(&run->order, now, &event)) {
        status = put(run, &event);
    }
    return status;
}

/* In its place among the events of other tasks. */
static hs_status_t give(hs_jitter_t *run, const hs_event_t *event)
{
    const hs_status_t status = let_go(run, event->time);
    hs_order_take(&run->order, event);
    return status;
}

static hs_status_t give_twice(hs_jitter_t *run, const hs_event_t *event)
{
    hs_event_t second = *event;
    second.key |= SECOND;
    second.new_key |= event->kind == HS_EVENT_REALLOC ? SECOND : 0;
    const hs_status_t status = give(run, event);
    return status == HS_OK ? give(run, &second) : status;
}

static hs_status_t give_for(hs_jitter_t *run, const hs_event_t *event, uint8_t flags)
{
    if (flags & GONE) {
        return HS_OK;
    }
    return flags & TWICE ? give_twice(run, event) : give(run, event);
}

/* ---- visits ----------------------------------------------------------------------------------- */

static void begin_visit(hs_jitter_t *run, hs_shown_task_t *task, uint32_t index)
{
    const uint32_t visit = task->begun++;
    const uint64_t what = (uint64_t)index << 32 | visit;
    const double chance = hs_chance_share(hs_chance_draw(run->seed, DRAW_VISIT, what));
    task->visits = 0;
    if (hs_shown_habit(run->shown, index, run->goes_on ? 0 : visit)) {
        const bool room = run->present + 1 < run->shown->present_most;
        task->visits = chance < run->fewer ? GONE : room && chance < run->more ? TWICE : 0;
    }
    run->present += task->visits & GONE ? 0 : task->visits & TWICE ? 2 : 1;
}

static void end_visit(hs_jitter_t *run, const hs_shown_task_t *task)
{
    run->present -= task->visits & GONE ? 0 : task->visits & TWICE ? 2 : 1;
}

/* ---- events ----------------------------------------------------------------------------------- */

static uint64_t within(const hs_sizes_site_t *site, int64_t size)
{
    if (size < (int64_t)site->least) {
        return site->least;
    }
    return size > (int64_t)site->most ? site->most : (uint64_t)size;
}

static uint64_t another_size(const hs_jitter_t *run, const hs_event_t *event)
{
    const uint64_t draw = hs_chance_draw(run->seed, DRAW_SIZE, run->drawn);
    if (event->size == 0 || event->size > UINT32_MAX || hs_chance_share(draw) >= run->strength) {
        return event->size;
    }
    const hs_sizes_site_t *site = hs_sizes_find(&run->shown->sizes, event);
    if (site == NULL) {
        return event->size;
    }
    const uint64_t kept = site->seen < HS_SIZES_KEPT ? site->seen : HS_SIZES_KEPT;
    return site->kept[hs_chance_draw(run->seed, DRAW_WHICH, run->drawn) % kept];
}

/* The block is no longer live: what its visit, and a second visitor, have of it. */
static uint8_t end_block(hs_jitter_t *run, uint64_t key)
{
    const hs_block_t *block = hs_blocks_take(&run->blocks, key);
    if (block == NULL) {
        return 0;
    }
    hs_shown_task_t *task = &run->tasks[block->task];
    if (--task->live == 0) {
        end_visit(run, task);
    }
    return block->flags;
}

/* A key that comes again while its block is live: for the second visitor's, too. */
static hs_status_t drop_reused(hs_jitter_t *run, const hs_event_t *event, uint64_t key)
{
    if (!(end_block(run, key) & TWICE)) {
        return HS_OK;
    }
    hs_event_t over = {0};
    over.kind = HS_EVENT_FREE;
    over.key = key | SECOND;
    over.task = event->task;
    over.time = event->time;
    over.heap = event->heap;
    return give(run, &over);
}

static hs_status_t on_allocation(hs_jitter_t *run, const hs_event_t *event)
{
    const hs_status_t status = drop_reused(run, event, event->key);
    hs_shown_task_t *task = hs_shown_task(&run->tasks, &run->task_count, event->task);
    hs_block_t *block = task == NULL ? NULL : hs_blocks_insert(&run->blocks, event->key);
    if (block == NULL || status != HS_OK) {
        return block == NULL ? HS_ERR_MEMORY : status;
    }
    if (task->live++ == 0) {
        begin_visit(run, task, event->task);
    }
    const bool plain = !(event->key & SECOND);
    hs_event_t changed = *event;
    changed.size = another_size(run, event);
    block->task = event->task;
    block->recorded = event->size;
    block->requested = changed.size > UINT32_MAX ? 0 : (uint32_t)changed.size;
    block->flags |= (uint8_t)(task->visits & (plain ? GONE | TWICE : GONE));
    return give_for(run, &changed, block->flags);
}

/* The block under its new key, with its record; NULL: no host memory. */
static hs_block_t *rename_block(hs_jitter_t *run, const hs_event_t *event, hs_status_t *status)
{
    const hs_block_t copy = *hs_blocks_take(&run->blocks, event->key);
    hs_event_t over = {0};
    *status = drop_reused(run, event, event->new_key);
    hs_block_t *block = hs_blocks_insert(&run->blocks, event->new_key);
    if (block == NULL) {
        return NULL;
    }
    *block = copy;
    block->key = event->new_key;
    block->flags |= HS_BLOCK_LIVE;
    if (*status == HS_OK && (copy.flags & TWICE) && (event->new_key & SECOND)) {
        over.kind = HS_EVENT_FREE; /* a second visitor's block cannot have that name */
        over.key = event->key | SECOND;
        over.task = event->task;
        over.time = event->time;
        block->flags &= (uint8_t)~(unsigned)TWICE;
        *status = give(run, &over);
    }
    return block;
}

static hs_status_t on_realloc(hs_jitter_t *run, const hs_event_t *event)
{
    hs_status_t status = HS_OK;
    hs_block_t *block = hs_blocks_find(&run->blocks, event->key);
    if (block == NULL) {
        return give(run, event);
    }
    if (event->size == 0) {
        return give_for(run, event, end_block(run, event->key));
    }
    if (event->new_key != event->key) {
        block = rename_block(run, event, &status);
        if (block == NULL || status != HS_OK) {
            return block == NULL ? HS_ERR_MEMORY : status;
        }
    }
    hs_event_t changed = *event;
    const hs_sizes_site_t *site = hs_sizes_find(&run->shown->sizes, event);
    if (site != NULL && event->size <= UINT32_MAX && block->recorded <= UINT32_MAX) {
        const int64_t more = (int64_t)block->requested - (int64_t)block->recorded;
        changed.size = within(site, (int64_t)event->size + more);
    }
    block->recorded = event->size;
    block->requested = changed.size > UINT32_MAX ? 0 : (uint32_t)changed.size;
    return give_for(run, &changed, block->flags);
}

static hs_status_t on_event(hs_jitter_t *run, const hs_event_t *event)
{
    run->drawn++;
    if (event->kind >= HS_EVENT_MALLOC && event->kind <= HS_EVENT_ALIGNED) {
        return on_allocation(run, event);
    }
    if (event->kind == HS_EVENT_REALLOC) {
        return on_realloc(run, event);
    }
    if (event->kind == HS_EVENT_FREE) {
        return give_for(run, event, end_block(run, event->key));
    }
    if (event->kind == HS_EVENT_FAILED) {
        return give(run, event);
    }
    const hs_status_t status = let_go(run, UINT64_MAX); /* nothing passes a mark */
    return status == HS_OK ? put(run, event) : status;
}

hs_status_t hs_jitter_events(hs_jitter_t *run, const hs_event_t *events, size_t count)
{
    hs_status_t status = HS_OK;
    for (size_t i = 0; i < count && status == HS_OK; i++) {
        status =
            run->strength > 0 || run->goes_on ? on_event(run, &events[i]) : put(run, &events[i]);
    }
    return status;
}

hs_status_t hs_jitter_finish(hs_jitter_t *run)
{
    const hs_status_t status = let_go(run, UINT64_MAX);
    return status == HS_OK ? flush(run) : status;
}
