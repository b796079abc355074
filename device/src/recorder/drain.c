/* The rings' records, merged by their numbers, to events of the trace. */
#include "recorder.h"

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
        if (HS_RECORDER_CORES == 1) {
            return core;
        }
        const uintptr_t head = hs_ring_record(ring, positions[core])[HS_RAW_HEAD];
        if ((((uint32_t)head >> HS_RAW_NUMBER_SHIFT) ^ number) << HS_RAW_NUMBER_SHIFT == 0) {
            return core;
        }
    }
    return HS_RECORDER_CORES;
}

/* ---- records to events ---- */

#if HS_RECORDER_PROGRAM
static void say_index(hs_recorder_t *recorder, unsigned sub_kind, hs_number_t index)
{
    hs_recorder_say(recorder, sub_kind, &index, 1);
}
#endif

static void failed_say(hs_recorder_t *recorder, const uintptr_t *record, uint32_t site)
{
    const uintptr_t other = record[HS_RAW_OTHER];
    hs_number_t numbers[5] = {other & 0xFFu, (uint32_t)record[HS_RAW_SIZE], other >> 8};
    unsigned count = 3;
    if (numbers[0] == HS_EVENT_REALLOC) {
        numbers[count++] = hs_emit_address(&recorder->emit, record[HS_RAW_ADDRESS]);
    }
    numbers[count++] = site;
    hs_recorder_say(recorder, HS_EXTENSION_FAILED, numbers, count);
    recorder->emit.heap_events++;
}

#if HS_RECORDER_PROGRAM
static void task_say(hs_recorder_t *recorder, unsigned kind, const uintptr_t *record)
{
    const uintptr_t handle = record[HS_RAW_ADDRESS];
    if (kind == HS_EVENT_TASK_END) {
        say_index(recorder, HS_EXTENSION_TASK_END, hs_recorder_task_end(recorder, handle));
        return;
    }
    char name[HS_RAW_NAME_BYTES + 1u];
    const uintptr_t words[4] = {record[HS_RAW_SIZE], record[HS_RAW_CAPS], record[HS_RAW_OTHER],
                                record[HS_RAW_CALLER]};
    for (unsigned i = 0; i < HS_RAW_NAME_BYTES; i++) {
        name[i] = (char)(words[i >> 2] >> ((i & 3u) * 8u) & 0xFFu);
    }
    name[HS_RAW_NAME_BYTES] = '\0';
    say_index(recorder, HS_EXTENSION_TASK_START, hs_recorder_task_begin(recorder, handle, name));
}

static void pool_say(hs_recorder_t *recorder, unsigned kind, const uintptr_t *record)
{
    const hs_number_t numbers[] = {record[HS_RAW_ADDRESS], (uint32_t)record[HS_RAW_SIZE],
                                   record[HS_RAW_OTHER]};
    const unsigned count = kind == HS_EVENT_POOL_CREATE ? 3 : kind == HS_EVENT_POOL_RELEASE ? 1 : 2;
    hs_recorder_say(recorder, kind - HS_EVENT_POOL_CREATE + HS_EXTENSION_POOL_CREATE, numbers,
                    count);
}

_Static_assert((int)HS_EVENT_POOL_RELEASE - (int)HS_EVENT_POOL_CREATE ==
                   (int)HS_EXTENSION_POOL_RELEASE - (int)HS_EXTENSION_POOL_CREATE,
               "the two are in the same order");

/* Events that are not the heap's. */
static void program_say(hs_recorder_t *recorder, unsigned kind, const uintptr_t *record)
{
    if (kind == HS_EVENT_MARK) {
        say_index(recorder, HS_EXTENSION_MARK,
                  hs_recorder_mark_index(recorder, record[HS_RAW_ADDRESS]));
    } else if (kind == HS_EVENT_TASK_START || kind == HS_EVENT_TASK_END) {
        task_say(recorder, kind, record);
    } else {
        pool_say(recorder, kind, record);
    }
}
#endif

#if HS_RECORDER_LEVELS
/* A change of what is recorded: what is missing so far comes in front of it. False: no room yet. */
static bool level_say(hs_recorder_t *recorder, const uintptr_t *record)
{
    const hs_recorder_filter_t *filter = &recorder->filter;
    const bool whole = record[HS_RAW_OTHER] == 0;
    if ((whole && !hs_recorder_losses_tell(recorder, true)) ||
        !hs_recorder_ready(recorder, HS_CHUNK_EVENTS, HS_EMIT_EXTENSION_MAX(7) + HS_NAMES_NEED)) {
        return false;
    }
    const hs_number_t task =
        filter->task == 0 ? 0 : hs_recorder_task(recorder, filter->task, 0) + 1u;
    const hs_number_t most = filter->size_max == UINT32_MAX ? 0 : filter->size_max;
    const hs_number_t numbers[] = {record[HS_RAW_ADDRESS],
                                   record[HS_RAW_SIZE],
                                   recorder->config->sampling,
                                   filter->size_min,
                                   most,
                                   task,
                                   filter->caps};
    hs_recorder_say(recorder, HS_EXTENSION_LEVEL, numbers, 7);
    recorder->partial = 0; /* the first that is left out here is reported at once */
    recorder->snapshot.wanted |= whole;
    return true;
}
#endif

/* One record. False: there is no room for it yet. */
static bool take(hs_recorder_t *recorder, unsigned core, const uintptr_t *record)
{
    const uint32_t head = (uint32_t)record[HS_RAW_HEAD];
    const unsigned where = core << 1 | ((head & HS_RAW_INTERRUPT) != 0 ? 1u : 0u);
    const unsigned kind = head & HS_RAW_KIND;
#if HS_RECORDER_PAIRS
    if (kind == HS_RAW_CANCELLED) {
        return hs_recorder_pairs_count(recorder, record, where);
    }
#endif
#if HS_RECORDER_LEVELS
    if (kind == HS_EVENT_LEVEL) {
        return level_say(recorder, record);
    }
#endif
    hs_emit_t *const emit = &recorder->emit;
    const bool asks = kind != HS_EVENT_FREE && kind <= HS_EVENT_FAILED;
    const uint32_t task = hs_recorder_task(recorder, record[HS_RAW_TASK], where);
    const uint32_t site = asks ? hs_recorder_site(recorder, record + HS_RAW_CALLER) : 0;
    if (task == HS_NO_ROOM || site == HS_NO_ROOM ||
        !hs_recorder_ready(recorder, HS_CHUNK_EVENTS,
                           kind < HS_EVENT_FAILED ? HS_EMIT_EVENT_MAX
                                                  : HS_EMIT_EXTENSION_MAX(6) + HS_NAMES_NEED)) {
        return false;
    }
    hs_emit_clock(emit, (uint32_t)record[HS_RAW_TIME]);
    if (kind < HS_EVENT_FAILED) {
        hs_emit_event(emit, kind, record, task, site);
        return true;
    }
    const uint32_t caps = (uint32_t)record[HS_RAW_CAPS];
    hs_emit_context(emit, task, kind == HS_EVENT_FAILED ? &caps : NULL);
    if (kind == HS_EVENT_FAILED) {
        failed_say(recorder, record, site);
        return true;
    }
#if HS_RECORDER_PROGRAM
    program_say(recorder, kind, record);
#endif
    return true;
}

/* ---- the drain ---- */

#if HS_RECORDER_PAIRS
/* How many records of the rings must stay for a while, as their blocks may yet be freed. */
static uint32_t kept_back(hs_recorder_t *recorder)
{
    uint32_t head = 0;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        head += HS_RECORDER_LOAD(&recorder->rings[core].head);
    }
    const bool quiet = head == recorder->last_heads;
    recorder->last_heads = head;
    const bool pairing = recorder->level == HS_LEVEL_PAIRS && !quiet &&
                         !hs_recorder_is_old(recorder) &&
                         recorder->snapshot.phase < HS_SNAPSHOT_BEFORE;
    return pairing ? (recorder->rings[0].mask + 1u) / 2u : 0u;
}
#endif

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
    recorder->counts.events++;
    return true;
}

size_t hs_recorder_drain(hs_recorder_t *recorder, size_t events)
{
#if HS_RECORDER_LEVELS
    hs_recorder_level_follow(recorder);
#endif
#if HS_RECORDER_BLACK_BOX
    if (recorder->old != 0) {
        events = hs_recorder_old_left(recorder, events);
    }
#endif
    if (!hs_recorder_snapshot_go(recorder)) {
        return 0;
    }
#if HS_RECORDER_BLACK_BOX
    if (recorder->old != 0 && !hs_recorder_old_begin(recorder)) {
        return 0;
    }
#endif
    uint32_t kept = 0;
#if HS_RECORDER_PAIRS
    kept = kept_back(recorder);
    if (kept != 0) {
        hs_recorder_pairs_find(recorder);
    }
#endif
    size_t done = 0;
    while (done < events && next_take(recorder, kept)) { /* bound: `events` */
        done++;
#if HS_RECORDER_SNAPSHOTS
        if (recorder->snapshot.phase >= HS_SNAPSHOT_BEFORE &&
            !hs_recorder_snapshot_pass(recorder)) {
            break;
        }
#endif
    }
    return done;
}

hs_status_t hs_recorder_flush(hs_recorder_t *recorder)
{
    if (!hs_recorder_sent(recorder) ||
#if HS_RECORDER_PAIRS
        !hs_recorder_pairs_write(recorder) ||
#endif
        !hs_recorder_losses_tell(recorder, true)) {
        return HS_ERR_SINK;
    }
    hs_emit_seal(&recorder->emit);
    return hs_recorder_sent(recorder) ? HS_OK : HS_ERR_SINK;
}
