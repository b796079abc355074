/*
 * The hooks. Each gathers the words of one record and puts them into the ring of its core, with the
 * interrupts of this core off for as long as that takes. Another core writes another ring; all that
 * cores share is the counter of the order.
 */
#include "recorder.h"

HS_RECORDER_CODE static void missing_add(hs_ring_t *ring, unsigned kind, uint32_t size, bool full)
{
    const unsigned row = kind < HS_MISSING_KINDS ? kind : 0;
    /* The drain reads these meanwhile. */
    HS_RECORDER_STORE(&ring->missing.events[row], ring->missing.events[row] + 1u);
    HS_RECORDER_STORE(&ring->missing.bytes[row], ring->missing.bytes[row] + (row != 0 ? size : 0));
    HS_RECORDER_STORE(&ring->full, ring->full + (full ? 1u : 0u));
    HS_RECORDER_STORE(&ring->missed, ring->missed + 1u);
}

#if HS_RECORDER_LEVELS
/* Whether level and filter let an event through. `other`: the old address of a realloc. */
HS_RECORDER_CODE static bool let_through(const hs_recorder_t *recorder, unsigned kind,
                                         uintptr_t address, uint32_t size, uint32_t caps,
                                         uintptr_t other)
{
    const uint32_t gate = HS_RECORDER_LOAD(&recorder->gate);
    if (kind > HS_EVENT_FREE) { /* failed requests, and marks, tasks, pools */
        return true;
    }
    if ((gate & HS_GATE_FAILURES) != 0) {
        return false;
    }
    if ((gate & HS_GATE_SAMPLED) != 0 && !hs_recorder_sampled(recorder, address) &&
        (kind != HS_EVENT_REALLOC || !hs_recorder_sampled(recorder, other))) {
        return false;
    }
    if ((gate & HS_GATE_FILTER) == 0 || kind >= HS_EVENT_REALLOC) {
        return true;
    }
    const hs_recorder_filter_t *filter = &recorder->filter;
    return size >= filter->size_min && size - 1u < filter->size_max &&
           (caps & filter->caps) == filter->caps &&
           (filter->task == 0 || filter->task == HS_RECORDER_TASK());
}
#endif

/* A hook is made for speed, with a copy of this in each, or for size. */
#if defined(__GNUC__) && defined(__OPTIMIZE_SIZE__)
#define COPIED __attribute__((noinline))
#elif defined(__GNUC__)
#define COPIED inline __attribute__((always_inline))
#else
#define COPIED inline
#endif

/* Puts one record into the ring of this core. False: it found no place. O(1). */
HS_RECORDER_CODE static COPIED bool put_here(hs_recorder_t *recorder, unsigned kind,
                                             uintptr_t address, uint32_t size, uint32_t caps,
                                             uintptr_t other, hs_callers_t callers)
{
#if HS_RECORDER_LEVELS
    const bool through = HS_RECORDER_LOAD(&recorder->gate) == 0 ||
                         let_through(recorder, kind, address, size, caps, other);
#else
    const bool through = true;
#endif
    const uintptr_t before = HS_RECORDER_MASK();
    hs_ring_t *const ring = &recorder->rings[HS_RECORDER_CORE()];
    const uint32_t head = ring->head;
    bool done = through && head - HS_RECORDER_LOAD(&ring->tail) <= ring->mask;
    if (done) {
        uintptr_t *const record = hs_ring_record(ring, head);
        const uint32_t interrupt = HS_RECORDER_IN_INTERRUPT() ? HS_RAW_INTERRUPT : 0u;
        record[HS_RAW_TIME] = HS_RECORDER_CLOCK();
        record[HS_RAW_ADDRESS] = address;
        record[HS_RAW_SIZE] = size;
        record[HS_RAW_TASK] = HS_RECORDER_TASK();
        record[HS_RAW_CAPS] = caps;
        record[HS_RAW_OTHER] = other;
        for (unsigned i = 0; i < HS_RECORDER_CALLERS; i++) {
            record[HS_RAW_CALLER + i] = callers.at[i];
        }
        record[HS_RAW_HEAD] =
            (uint32_t)(HS_RECORDER_NEXT(&recorder->sequence) << HS_RAW_NUMBER_SHIFT) | interrupt |
            kind;
        HS_RECORDER_STORE(&ring->head, head + 1u);
    } else {
        missing_add(ring, kind, size, through);
    }
    HS_RECORDER_RESTORE(before);
    return done;
}

#if HS_RECORDER_PROGRAM || HS_RECORDER_LEVELS
/* The same for hooks that are called seldom. */
HS_RECORDER_CODE static bool put(hs_recorder_t *recorder, unsigned kind, uintptr_t address,
                                 uint32_t size, uint32_t caps, uintptr_t other,
                                 hs_callers_t callers)
{
    return put_here(recorder, kind, address, size, caps, other, callers);
}
#endif

HS_RECORDER_CODE void hs_recorder_allocated(hs_recorder_t *recorder, hs_event_kind_t kind,
                                            const void *block, size_t size, uint32_t caps,
                                            hs_callers_t callers)
{
    const bool failed = block == NULL;
    (void)put_here(recorder, failed ? (unsigned)HS_EVENT_FAILED : (unsigned)kind, (uintptr_t)block,
                   (uint32_t)size, caps, failed ? (uintptr_t)kind : 0u, callers);
}

HS_RECORDER_CODE void hs_recorder_aligned(hs_recorder_t *recorder, const void *block, size_t size,
                                          unsigned align_log2, uint32_t caps, hs_callers_t callers)
{
    const bool failed = block == NULL;
    (void)put_here(recorder, failed ? (unsigned)HS_EVENT_FAILED : (unsigned)HS_EVENT_ALIGNED,
                   (uintptr_t)block, (uint32_t)size, caps,
                   failed ? HS_EVENT_ALIGNED | (uintptr_t)align_log2 << 8 : (uintptr_t)align_log2,
                   callers);
}

HS_RECORDER_CODE void hs_recorder_reallocated(hs_recorder_t *recorder, const void *before,
                                              const void *after, size_t size, uint32_t caps,
                                              hs_callers_t callers)
{
    if (before == NULL) {
        hs_recorder_allocated(recorder, HS_EVENT_MALLOC, after, size, caps, callers);
        return;
    }
    if (after == NULL && size == 0) {
        hs_recorder_freed(recorder, before);
        return;
    }
    const bool failed = after == NULL;
    (void)put_here(recorder, failed ? (unsigned)HS_EVENT_FAILED : (unsigned)HS_EVENT_REALLOC,
                   (uintptr_t)(failed ? before : after), (uint32_t)size, caps,
                   failed ? (uintptr_t)HS_EVENT_REALLOC : (uintptr_t)before, callers);
}

HS_RECORDER_CODE void hs_recorder_freed(hs_recorder_t *recorder, const void *block)
{
    if (block != NULL) {
        const hs_callers_t none = {{0}};
        (void)put_here(recorder, HS_EVENT_FREE, (uintptr_t)block, 0, 0, 0, none);
    }
}

HS_RECORDER_CODE void hs_recorder_failed(hs_recorder_t *recorder, hs_event_kind_t call, size_t size,
                                         uint32_t caps, hs_callers_t callers)
{
    (void)put_here(recorder, HS_EVENT_FAILED, 0, (uint32_t)size, caps, (uintptr_t)call, callers);
}

#if HS_RECORDER_PROGRAM
HS_RECORDER_CODE void hs_recorder_mark(hs_recorder_t *recorder, const char *name)
{
    const hs_callers_t none = {{0}};
    (void)put(recorder, HS_EVENT_MARK, (uintptr_t)name, 0, 0, hs_raw_check((uintptr_t)name), none);
}

/* The name is packed into four of the record's words, 32 bits of each. */
HS_RECORDER_CODE void hs_recorder_task_started(hs_recorder_t *recorder, const void *task,
                                               const char *name)
{
    uint32_t words[4] = {0, 0, 0, 0};
    for (unsigned i = 0; name != NULL && i < HS_RAW_NAME_BYTES && name[i] != '\0'; i++) {
        words[i >> 2] |= (uint32_t)(uint8_t)name[i] << ((i & 3u) * 8u);
    }
    const hs_callers_t last = {{words[3]}};
    (void)put(recorder, HS_EVENT_TASK_START, (uintptr_t)task, words[0], words[1], words[2], last);
}

HS_RECORDER_CODE void hs_recorder_task_ended(hs_recorder_t *recorder, const void *task)
{
    const hs_callers_t none = {{0}};
    (void)put(recorder, HS_EVENT_TASK_END, (uintptr_t)task, 0, 0, 0, none);
}

HS_RECORDER_CODE void hs_recorder_pool(hs_recorder_t *recorder, hs_event_kind_t kind, unsigned pool,
                                       size_t size, size_t increment)
{
    const hs_callers_t none = {{0}};
    (void)put(recorder, (unsigned)kind, pool, (uint32_t)size, 0, increment, none);
}

#endif

#if HS_RECORDER_LEVELS
/* A change of level or filter takes its place in the order. The gate is closed after it and opened
 * before it, so that no event is left out where the trace says that all are there. */
HS_RECORDER_CODE bool hs_recorder_level_put(hs_recorder_t *recorder, uint32_t gate)
{
    const hs_callers_t none = {{0}};
    const uint32_t before = recorder->gate;
    HS_RECORDER_STORE(&recorder->gate, before & gate);
    const bool done =
        put(recorder, HS_EVENT_LEVEL, recorder->level, recorder->reason, 0, gate, none);
    HS_RECORDER_STORE(&recorder->gate, gate);
    return done;
}
#endif
