/* The rings' records, merged by their numbers, to events of the trace. */
#include "recorder.h"

hs_event_t hs_recorder_event(const hs_recorder_t *recorder, hs_event_kind_t kind)
{
    return (hs_event_t){.kind = (uint8_t)kind,
                        .time = recorder->time >> recorder->config->clock_shift};
}

/* With one core the ring is in order. With several the numbers have no holes but where a hook of another
 * core is just writing: then the drain comes back later. */
unsigned hs_recorder_ring_of(const hs_recorder_t *recorder, const uint32_t *positions,
                             uint32_t number)
{
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        const hs_ring_t *ring = &recorder->rings[core];
        if (positions[core] == HS_RECORDER_LOAD(&ring->head)) {
            continue;
        }
        const uintptr_t head = hs_ring_record(ring, positions[core])[HS_RAW_HEAD];
        if ((((uint32_t)head >> HS_RAW_NUMBER_SHIFT) ^ number) << HS_RAW_NUMBER_SHIFT == 0) {
            return core;
        }
    }
    return HS_RECORDER_CORES;
}

/* The clock goes round after 2^32 ticks; records of two cores may be a little out of order. */
static void time_reach(hs_recorder_t *recorder, uint32_t clock)
{
    const uint32_t ticks = clock - recorder->clock;
    if (ticks <= UINT32_MAX / 2u) {
        recorder->clock = clock;
        recorder->time += ticks;
    }
}

/* ---- records to events ---- */

static void heap_event(hs_event_t *event, const uintptr_t *record)
{
    const uintptr_t other = record[HS_RAW_OTHER];
    event->key = record[HS_RAW_ADDRESS];
    event->size = (uint32_t)record[HS_RAW_SIZE];
    event->caps = (uint32_t)record[HS_RAW_CAPS];
    if (event->kind == HS_EVENT_REALLOC) {
        event->key = other;
        event->new_key = record[HS_RAW_ADDRESS];
    } else if (event->kind == HS_EVENT_ALIGNED) {
        event->align_log2 = (uint8_t)other;
    } else if (event->kind == HS_EVENT_FAILED) {
        event->new_key = other & 0xFFu;
        event->align_log2 = (uint8_t)(other >> 8);
    }
}

static void task_event(hs_recorder_t *recorder, hs_event_t *event, const uintptr_t *record)
{
    const uintptr_t handle = record[HS_RAW_ADDRESS];
    if (event->kind == HS_EVENT_TASK_END) {
        event->key = hs_recorder_task_end(recorder, handle);
        return;
    }
    char name[HS_RAW_NAME_BYTES + 1u];
    const uintptr_t words[4] = {record[HS_RAW_SIZE], record[HS_RAW_CAPS], record[HS_RAW_OTHER],
                                record[HS_RAW_CALLER]};
    for (unsigned i = 0; i < HS_RAW_NAME_BYTES; i++) {
        name[i] = (char)(words[i >> 2] >> ((i & 3u) * 8u) & 0xFFu);
    }
    name[HS_RAW_NAME_BYTES] = '\0';
    event->key = hs_recorder_task_begin(recorder, handle, name);
}

static void pool_event(hs_event_t *event, const uintptr_t *record)
{
    event->key = record[HS_RAW_ADDRESS];
    event->size = (uint32_t)record[HS_RAW_SIZE];
    event->new_key = record[HS_RAW_OTHER];
}

/* A change of what is recorded: what is missing so far comes in front of it. False: no room yet. */
static bool level_event(hs_recorder_t *recorder, hs_event_t *event, const uintptr_t *record)
{
    const hs_recorder_filter_t *filter = &recorder->filter;
    const bool whole = record[HS_RAW_OTHER] == 0;
    if (whole && !hs_recorder_losses_tell(recorder, true)) {
        return false;
    }
    event->key = record[HS_RAW_ADDRESS];
    event->heap = (uint16_t)record[HS_RAW_SIZE];
    event->align_log2 = recorder->config->sampling;
    event->size = filter->size_min;
    event->new_key = filter->size_max == UINT32_MAX ? 0 : filter->size_max;
    event->caps = filter->caps;
    event->site = filter->task == 0 ? 0 : hs_recorder_task(recorder, filter->task, 0) + 1u;
    recorder->partial = 0; /* the first that is left out here is told at once */
    recorder->snapshot.wanted |= whole;
    return true;
}

/* One record. False: there is no room for it yet. */
static bool take(hs_recorder_t *recorder, unsigned core, const uintptr_t *record)
{
    const uint32_t head = (uint32_t)record[HS_RAW_HEAD];
    const unsigned where = core << 1 | ((head & HS_RAW_INTERRUPT) != 0 ? 1u : 0u);
    const unsigned kind = head & HS_RAW_KIND;
    if (kind == HS_RAW_CANCELLED) {
        return hs_recorder_pairs_count(recorder, record, where);
    }
    hs_callers_t callers;
    for (unsigned i = 0; i < HS_RECORDER_CALLERS; i++) {
        callers.at[i] = record[HS_RAW_CALLER + i];
    }
    const uintptr_t caller = where & 1u ? (where >> 1) + 1u : record[HS_RAW_TASK];
    const hs_known_t *task = hs_recorder_known(recorder->tasks, HS_RECORDER_TASKS, caller);
    const bool known = (task != NULL ? task->where == where : caller == 0) &&
                       kind <= HS_EVENT_FAILED && hs_recorder_site_known(recorder, &callers);
    if (!hs_recorder_ready(recorder,
                           known ? HS_TRACE_EVENT_MAX : HS_TRACE_EVENT_MAX + 2u * HS_NAMES_NEED)) {
        return false;
    }
    time_reach(recorder, (uint32_t)record[HS_RAW_TIME]);
    hs_event_t event = hs_recorder_event(recorder, (hs_event_kind_t)kind);
    if (kind == HS_EVENT_LEVEL) {
        if (!level_event(recorder, &event, record)) {
            return false;
        }
    } else {
        event.task = hs_recorder_task(recorder, record[HS_RAW_TASK], where);
        if (HS_EVENT_IS_HEAP(kind)) {
            heap_event(&event, record);
            event.site = kind == HS_EVENT_FREE ? 0 : hs_recorder_site(recorder, &callers);
        } else if (kind == HS_EVENT_MARK) {
            event.key = hs_recorder_mark_index(recorder, record[HS_RAW_ADDRESS]);
        } else if (kind == HS_EVENT_TASK_START || kind == HS_EVENT_TASK_END) {
            task_event(recorder, &event, record);
        } else {
            pool_event(&event, record);
        }
    }
    (void)hs_trace_event(recorder->trace, &event);
    return true;
}

/* ---- the drain ---- */

/* How many records of the rings must stay for a while, as their blocks may yet be freed. */
static uint32_t kept_back(hs_recorder_t *recorder)
{
    uint32_t head = 0;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        head += HS_RECORDER_LOAD(&recorder->rings[core].head);
    }
    const bool quiet = head == recorder->last_heads;
    recorder->last_heads = head;
    const bool pairing = recorder->level == HS_LEVEL_PAIRS && !quiet && recorder->old == 0 &&
                         recorder->snapshot.phase < HS_SNAPSHOT_BEFORE;
    return pairing ? (recorder->rings[0].mask + 1u) / 2u : 0u;
}

/* Takes the next record out, if it is there. */
static bool next_take(hs_recorder_t *recorder, uint32_t kept)
{
    uint32_t positions[HS_RECORDER_CORES];
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        positions[core] = recorder->rings[core].tail;
    }
    const unsigned core = hs_recorder_ring_of(recorder, positions, recorder->next);
    if (core == HS_RECORDER_CORES || !hs_recorder_losses_tell(recorder, false)) {
        return false;
    }
    hs_ring_t *ring = &recorder->rings[core];
    if (HS_RECORDER_LOAD(&ring->head) - ring->tail <= kept ||
        !take(recorder, core, hs_ring_record(ring, ring->tail))) {
        return false;
    }
    HS_RECORDER_STORE(&ring->tail, ring->tail + 1u);
    recorder->next++;
    recorder->figures.events++;
    return true;
}

size_t hs_recorder_drain(hs_recorder_t *recorder, size_t events)
{
    hs_recorder_level_follow(recorder);
    if (recorder->old != 0) {
        events = hs_recorder_old_left(recorder, events);
    }
    if (!hs_recorder_snapshot_go(recorder) ||
        (recorder->old != 0 && !hs_recorder_old_begin(recorder))) {
        return 0;
    }
    const uint32_t kept = kept_back(recorder);
    if (kept != 0) {
        hs_recorder_pairs_find(recorder);
    }
    size_t done = 0;
    while (done < events && next_take(recorder, kept)) { /* bound: `events` */
        done++;
        if (recorder->snapshot.phase >= HS_SNAPSHOT_BEFORE &&
            !hs_recorder_snapshot_pass(recorder)) {
            break;
        }
    }
    return done;
}

hs_status_t hs_recorder_flush(hs_recorder_t *recorder)
{
    if (!hs_recorder_sent(recorder) || !hs_recorder_pairs_write(recorder) ||
        !hs_recorder_losses_tell(recorder, true)) {
        return HS_ERR_SINK;
    }
    (void)hs_trace_flush(recorder->trace);
    return hs_recorder_sent(recorder) ? HS_OK : HS_ERR_SINK;
}
