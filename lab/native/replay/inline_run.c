#include "replay/inline_run.h"

#include "replay/heap_events.h"
#include "replay/result.h"

typedef struct run {
    hs_replay_t *replay;
    hs_sim_t *heap;
    uint32_t limit; /* of requests that are made here; 0: ids come near the end of their range */
    bool resizes;   /* a realloc asks that heap alone, and once */
    uint64_t known; /* the task and capabilities of an event that needs no look (origin_of) */
    hs_tab_t tab;
} run_t;

#define UNKNOWN UINT64_MAX /* no event has such a task */

_Static_assert(offsetof(hs_event_t, caps) == offsetof(hs_event_t, task) + 4,
               "an event's task and capabilities are one word");

static HS_INLINE_FOR_CALLER uint64_t origin_of(const hs_event_t *event)
{
    uint64_t origin;
    memcpy(&origin, (const uint8_t *)event + offsetof(hs_event_t, task), sizeof origin);
    return origin;
}

static void run_open(run_t *run)
{
    const hs_replay_t *replay = run->replay;
    run->limit = replay->next_key >> 63 == 0 ? hs_chip_inline_limit(&replay->chip) : 0;
    run->known = UNKNOWN;
    run->tab.slot = HS_LEDGER_NONE; /* others may have moved the rows */
    hs_tab_open(&run->tab);
}

/* The plain replay does the event. */
static hs_status_t apart(run_t *run, const hs_event_t *event, uint64_t number)
{
    hs_tab_close(&run->tab, number);
    const hs_status_t status = hs_replay_plain_event(run->replay, event, number);
    run->tab.closed = number + 1;
    run_open(run);
    return status;
}

/* The heap has no block for it, and it is the only one. */
static void refused(run_t *run, const hs_event_t *event, uint64_t number, hs_block_t *block)
{
    hs_tab_miss(&run->tab, (uint32_t)event->size, number);
    block->requested = 0;
    hs_replay_refused(run->replay, event, number, block);
}

/* A task other than that of the event before, a call site, or capabilities. False: the event cannot be done here. */
static bool look(run_t *run, const hs_event_t *event)
{
    hs_census_t *census = &run->replay->census;
    const hs_ledger_t *owners = &run->replay->measure.owners;
    const uint32_t task = event->task;
    if (event->site != 0 || !hs_census_has(&census->tasks, task)) {
        hs_census_origin(census, event);
    }
    if (event->caps != 0) {
        return false;
    }
    run->known = UNKNOWN;
    if (task >= owners->slots_size || owners->slots[task] == 0) {
        return event->kind == HS_EVENT_FREE; /* which gives a task no slot */
    }
    run->known = origin_of(event);
    run->tab.slot = owners->slots[task] - 1;
    run->tab.row = &owners->rows[run->tab.slot];
    run->tab.payload = &owners->payload[run->tab.slot];
    return true;
}

static tlsf_given_t aligned_given(hs_sim_t *heap, const hs_event_t *event)
{
    const uint32_t used = heap->tally.used;
    const uint32_t align = UINT32_C(1) << (event->align_log2 & 31u);
    const uint32_t offset = hs_sim_aligned(heap, align, (uint32_t)event->size, 0);
    const tlsf_given_t given = {offset, heap->tally.used - used};
    return given;
}

/* False: nothing was done. */
static HS_INLINE_FOR_CALLER bool allocate(run_t *run, const hs_event_t *event, uint64_t number,
                                          const tlsf_at_t *at, const bool aligned)
{
    hs_replay_t *replay = run->replay;
    const uint64_t key = event->key;
    if (event->size - 1 >= run->limit || key != replay->next_key) {
        return false;
    }
    hs_block_t *block = hs_blocks_add(&replay->blocks, key);
    if (block == NULL) {
        return false;
    }
    const uint32_t size = (uint32_t)event->size;
    block->task = run->tab.slot;
    replay->next_key = key + 1;
    replay->census.kinds[event->kind]++;
    if (size > replay->census.figures.largest_request) {
        replay->census.figures.largest_request = size;
    }
    const tlsf_given_t given =
        aligned ? aligned_given(run->heap, event) : hs_idf_inline_malloc(run->heap, at, size);
    block->recorded = size;
    if (given.offset == HS_NONE) {
        refused(run, event, number, block);
        return true;
    }
    block->place.region = 0;
    block->place.offset = given.offset;
    block->place.held = given.size;
    block->place.exec = false;
    block->place.aligned = aligned;
    block->requested = size;
    run->tab.requested[event->kind] += size;
    hs_result_digest(&replay->summary, given.offset);
    if (replay->trail != NULL) {
        hs_trail_begin(replay->trail, number, block, (size_t)(block - replay->blocks.records));
    }
    hs_tab_gain(&run->tab, &replay->measure, size, given.size, number);
    return true;
}

static bool allocate_aligned(run_t *run, const hs_event_t *event, uint64_t number,
                             const tlsf_at_t *at)
{
    return allocate(run, event, number, at, true);
}

/* The block is one that no heap holds, or its last realloc failed. False: the former. */
static bool was_placed(run_t *run, const hs_block_t *block)
{
    if ((block->flags & HS_BLOCK_NOWHERE) != 0) {
        run->replay->summary.skipped++;
        hs_tab_forget(&run->tab, block->recorded);
        return false;
    }
    hs_tab_forget(&run->tab, block->recorded - block->requested);
    return true;
}

static HS_INLINE_FOR_CALLER bool release(run_t *run, const hs_event_t *event, uint64_t number,
                                         const tlsf_at_t *at)
{
    hs_replay_t *replay = run->replay;
    hs_block_t *block = hs_blocks_take(&replay->blocks, event->key);
    if (block == NULL) {
        return false;
    }
    replay->census.kinds[HS_EVENT_FREE]++;
    if (block->flags != 0 && !was_placed(run, block)) {
        return true;
    }
    if (replay->trail != NULL) {
        hs_trail_end(replay->trail, number, (size_t)(block - replay->blocks.records));
    }
    hs_idf_inline_free(run->heap, at, block->place.offset);
    hs_tab_lose(&run->tab, &replay->measure, block, number);
    return true;
}

/* The block is one of which the heap has all that the program holds. False: nothing was done. */
static bool resize(run_t *run, const hs_event_t *event, uint64_t number)
{
    hs_replay_t *replay = run->replay;
    hs_sim_t *heap = run->heap;
    hs_block_t *block = hs_blocks_find(&replay->blocks, event->key);
    if (!run->resizes || event->size - 1 >= run->limit || event->new_key != event->key ||
        block == NULL || block->flags != HS_BLOCK_LIVE || block->place.exec) {
        return false;
    }
    const uint32_t size = (uint32_t)event->size, used = heap->tally.used;
    const hs_block_t before = *block;
    replay->census.kinds[HS_EVENT_REALLOC]++;
    if (size > replay->census.figures.largest_request) {
        replay->census.figures.largest_request = size;
    }
    heap->tally.lowest_free = heap->tally.free;
    const uint32_t offset = hs_sim_realloc(heap, before.place.offset, size);
    block->recorded = size;
    if (offset == HS_NONE) {
        hs_tab_forget(&run->tab, before.recorded);
        hs_tab_miss(&run->tab, size, number);
        hs_replay_realloc_refused(replay, event, number, run->tab.slot, block);
        return true;
    }
    block->place.offset = offset;
    block->place.held += heap->tally.used - used;
    block->requested = size;
    block->task = run->tab.slot;
    hs_result_digest(&replay->summary, offset);
    if (replay->trail != NULL) {
        const size_t record = (size_t)(block - replay->blocks.records);
        hs_trail_end(replay->trail, number, record);
        hs_trail_begin(replay->trail, number, block, record);
    }
    hs_tab_resize(&run->tab, &before, block, number);
    return true;
}

/* False: nothing was done. */
static HS_INLINE_FOR_CALLER bool done(run_t *run, const hs_event_t *event, uint64_t number,
                                      const tlsf_at_t *at)
{
    if ((origin_of(event) != run->known || event->site != 0) && !look(run, event)) {
        return false;
    }
    HS_ASSERT(event->kind != 0);
    if (event->kind == HS_EVENT_FREE) {
        return release(run, event, number, at);
    }
    if (event->kind <= HS_EVENT_CALLOC) {
        return allocate(run, event, number, at, false);
    }
    return event->kind == HS_EVENT_REALLOC
               ? resize(run, event, number)
               : event->kind == HS_EVENT_ALIGNED && allocate_aligned(run, event, number, at);
}

/* Events up to `end` or one of no heap; returns where it stopped. */
static HS_INLINE_FOR_CALLER const hs_event_t *events_run(run_t *run, const hs_event_t *event,
                                                         const hs_event_t *end, uint64_t number,
                                                         hs_status_t *status, const tlsf_at_t *at)
{
    for (; event < end; event++, number++) {
        if (done(run, event, number, at)) {
            continue;
        }
        if (!HS_EVENT_IS_HEAP(event->kind)) {
            break;
        }
        *status = apart(run, event, number);
        if (*status != HS_OK) {
            return event + 1;
        }
    }
    return event;
}

/* A bucket of the timeline at a time, so that no event has to be counted in it. */
static HS_INLINE_FOR_CALLER hs_status_t run_with(hs_replay_t *replay, const hs_event_t **next,
                                                 const hs_event_t *stop, uint64_t number,
                                                 uint32_t bins_log2)
{
    hs_measure_t *measure = &replay->measure;
    hs_sim_t *heap = replay->chip.plain_heap;
    hs_status_t status = HS_OK;
    run_t run = {.replay = replay,
                 .heap = heap,
                 .resizes = hs_chip_inline_resizes(&replay->chip),
                 .tab = {.measure = measure,
                         .census = &replay->census,
                         .heap = heap,
                         .results = &replay->summary.results,
                         .events = *next,
                         .first = number,
                         .closed = number}};
    const tlsf_at_t at = hs_idf_inline_at(heap, bins_log2);
    run_open(&run);
    while (*next < stop && HS_EVENT_IS_HEAP((*next)->kind) && status == HS_OK) {
        const uint64_t room = hs_timeline_room(&measure->timeline);
        const hs_event_t *const first = *next;
        const hs_event_t *const end = room < (uint64_t)(stop - first) ? first + room : stop;
        *next = events_run(&run, first, end, number, &status, &at);
        const uint64_t events = (uint64_t)(*next - first);
        number += events;
        hs_tab_close(&run.tab, number);
        hs_measure_elapse(measure, events, first->time);
        hs_tab_open(&run.tab);
    }
    hs_tab_close(&run.tab, number);
    return status;
}

hs_status_t hs_inline_run(hs_replay_t *replay, const hs_event_t **next, const hs_event_t *stop,
                          uint64_t number, uint32_t bins_log2)
{
    return bins_log2 == 4 ? run_with(replay, next, stop, number, 4)
                          : run_with(replay, next, stop, number, 5);
}
