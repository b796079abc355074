/* A recorder's memory: | state | the open chunk | the rings of all cores |. */
#include "recorder.h"

#define PLACES_MIN 16u
#define PLACES_MAX 8192u /* positions are distinguished by 14 bits (pairs.c) */
#define ALIGNED_TO_8(size) (((size) + 7u) & ~(size_t)7u)

#if defined(__LP64__) || defined(_WIN64)
#define CHUNK_BYTES 1024u /* a host, for tests */
#else
#define CHUNK_BYTES 496u
#endif

#define STATE_BYTES ALIGNED_TO_8(sizeof(hs_recorder_t))

size_t hs_recorder_overhead(void)
{
    return STATE_BYTES + CHUNK_BYTES;
}

/* Records of each ring: the largest power of two that fits. */
static uint32_t places_of(size_t bytes)
{
    uint32_t places = PLACES_MAX;
    while (places >= PLACES_MIN && places * HS_RECORDER_RECORD_BYTES > bytes / HS_RECORDER_CORES) {
        places /= 2u;
    }
    return places >= PLACES_MIN ? places : 0u;
}

static bool valid(const hs_recorder_config_t *config)
{
    return config != NULL && config->write != NULL && config->boot != 0 &&
           config->sampling <= 15u && config->clock_shift <= 31u &&
           (unsigned)config->level <= (HS_RECORDER_LEVELS ? HS_LEVEL_FAILURES : HS_LEVEL_ALL);
}

/* The trace before knew others. */
static void names_clear(hs_recorder_t *recorder)
{
#if HS_RECORDER_BLACK_BOX /* else no sink was given */
    for (unsigned i = 0; i < HS_RECORDER_TASKS; i++) {
        recorder->tasks[i].handle = 0;
    }
    recorder->sites = (hs_sites_t){.next = 0};
#if HS_RECORDER_PROGRAM
    for (unsigned i = 0; i < HS_MARKS_KNOWN; i++) {
        recorder->marks[i].handle = 0;
    }
    recorder->mark_state = (hs_knowns_t){.next = 0};
#endif
#endif
    recorder->task_state = (hs_knowns_t){.next = 1}; /* 0 is main */
}

void hs_recorder_trace_open(hs_recorder_t *recorder)
{
    names_clear(recorder);
#if HS_RECORDER_BLACK_BOX
    recorder->snapshot = (hs_snapshot_t){.wanted = 0};
#endif
    recorder->snapshot.wanted = 1;
    recorder->emit.chunk.sink = hs_recorder_take_chunk;
    recorder->emit.chunk.context = recorder;
    recorder->emit.address_shift = recorder->config->address_shift;
    recorder->emit.clock_shift = recorder->config->clock_shift;
    hs_emit_open(&recorder->emit, (uint8_t *)recorder + STATE_BYTES, CHUNK_BYTES,
                 (uint16_t)(HS_TRACE_ADDRESSES | HS_TRACE_CLOCK | HS_TRACE_SITES |
                            HS_TRACE_BOOT(recorder->boot)));
}

hs_recorder_t *hs_recorder_open(void *memory, size_t size, const hs_recorder_config_t *config)
{
    if (memory == NULL || ((uintptr_t)memory & 7u) != 0 || size < hs_recorder_overhead() ||
        !valid(config)) {
        return NULL;
    }
    const uint32_t places = places_of(size - hs_recorder_overhead());
    if (places == 0) {
        return NULL;
    }
    hs_recorder_t *recorder = memory;
    uintptr_t *const rings = (uintptr_t *)(void *)((uint8_t *)memory + hs_recorder_overhead());
#if HS_RECORDER_BLACK_BOX
    hs_old_t old = {.boot = 0};
    if (config->black_box) {
        hs_recorder_old_find(recorder, places, rings, config, &old);
    }
#endif
    *recorder = (hs_recorder_t){.config = config};
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        hs_ring_t *const ring = &recorder->rings[core];
        ring->mask = places - 1u;
        ring->places = rings + (size_t)core * places * HS_RECORDER_RECORD_WORDS;
#if HS_RECORDER_BLACK_BOX
        ring->head = old.head[core];
        ring->tail = old.tail[core];
        recorder->reading[core].paired = old.head[core];
#endif
    }
    recorder->boot = config->boot;
    uint32_t clock = HS_RECORDER_CLOCK();
#if HS_RECORDER_BLACK_BOX
    recorder->sequence = old.boundary;
    recorder->boundary = old.boundary;
    recorder->next = old.next;
    recorder->old_before = old.before;
    if (old.boot != 0) {
        recorder->old = HS_OLD_OPEN;
        recorder->boot = old.boot;
        clock = old.clock;
    }
    hs_recorder_old_leave(recorder, config);
#endif
#if HS_RECORDER_PAIRS
    recorder->paired_next = recorder->sequence;
    for (unsigned i = 0; i < HS_PENDING; i++) {
        recorder->pending[i] = UINT16_MAX;
    }
#endif
    hs_recorder_trace_open(recorder);
    recorder->emit.clock = clock;
#if HS_RECORDER_LEVELS
    recorder->filter.size_max = UINT32_MAX;
    recorder->sampled_bits = ~(UINT32_MAX >> config->sampling);
    recorder->address_shift = config->address_shift;
    recorder->level = (uint8_t)config->level;
    recorder->lowest = recorder->level;
    recorder->level_due = !hs_recorder_level_put(recorder, hs_recorder_gate_of(recorder));
#endif
    return recorder;
}

void hs_recorder_figures(const hs_recorder_t *recorder, hs_recorder_figures_t *out)
{
    const hs_counts_t *counts = &recorder->counts;
    *out = (hs_recorder_figures_t){.events = counts->events,
                                   .cancelled = recorder->reported.events[HS_LOST_PAIRS],
                                   .snapshots = counts->snapshots,
                                   .chunks = counts->chunks,
                                   .level = (hs_recorder_level_t)recorder->level};
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        const hs_ring_t *ring = &recorder->rings[core];
        out->lost += HS_RECORDER_LOAD(&ring->full);
        for (unsigned kind = 0; kind < HS_MISSING_KINDS; kind++) {
            out->left_out += HS_RECORDER_LOAD(&ring->missing.events[kind]);
        }
    }
    out->left_out -= out->lost;
}
