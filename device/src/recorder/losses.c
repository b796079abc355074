/* Events that did not go into the rings are told, by kind. */
#include "recorder.h"

/* A LOST and a LOST_KIND for each kind; most of them are a few bytes long. */
#define NEED (HS_EMIT_EXTENSION_MAX(1) + 8u * (3u + 1u + 2u * 5u))

static void kind_tell(hs_recorder_t *recorder, unsigned kind, uint32_t events, uint32_t bytes)
{
    const hs_number_t numbers[] = {kind, events, bytes};
    hs_recorder_say(recorder, HS_EXTENSION_LOST_KIND, numbers, 3);
}

/* The sum over all rings, which their cores may change meanwhile: each number is read once. */
static uint32_t sum(const hs_recorder_t *recorder, unsigned kind, bool bytes)
{
    uint32_t made = 0;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        const hs_missing_t *missing = &recorder->rings[core].missing;
        made += HS_RECORDER_LOAD(bytes ? &missing->bytes[kind] : &missing->events[kind]);
    }
    return made;
}

static uint32_t full_of(const hs_recorder_t *recorder)
{
    uint32_t made = 0;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        made += HS_RECORDER_LOAD(&recorder->rings[core].full);
    }
    return made;
}

static bool changed(hs_recorder_t *recorder, bool all)
{
    bool found = false;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        const hs_ring_t *ring = &recorder->rings[core];
        hs_reading_t *reading = &recorder->reading[core];
        const uint32_t missed = HS_RECORDER_LOAD(&ring->missed);
        found = found || (missed != reading->missed && (all || !recorder->partial));
    }
    return found || full_of(recorder) != recorder->told_full;
}

bool hs_recorder_losses_tell(hs_recorder_t *recorder, bool all)
{
    if (hs_recorder_is_old(recorder) || !changed(recorder, all)) {
        return true;
    }
    if (!hs_recorder_ready(recorder, HS_CHUNK_EVENTS, NEED)) {
        return false;
    }
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        const hs_ring_t *ring = &recorder->rings[core];
        recorder->reading[core].missed = HS_RECORDER_LOAD(&ring->missed);
    }
    const uint32_t full = full_of(recorder) - recorder->told_full;
    recorder->told_full += full;
    uint32_t events[HS_MISSING_KINDS];
    uint32_t bytes[HS_MISSING_KINDS];
    uint32_t lost = 0;
    for (unsigned kind = 0; kind < HS_MISSING_KINDS; kind++) {
        const uint32_t total = sum(recorder, kind, false);
        events[kind] = total - recorder->told.events[kind];
        recorder->told.events[kind] = total;
        const uint32_t size = sum(recorder, kind, true);
        bytes[kind] = size - recorder->told.bytes[kind];
        recorder->told.bytes[kind] = size;
        lost += events[kind];
    }
    const hs_number_t number = lost;
    hs_recorder_say(recorder, HS_EXTENSION_LOST, &number, 1);
    for (unsigned kind = 0; kind < HS_MISSING_KINDS; kind++) {
        if (events[kind] != 0) {
            kind_tell(recorder, kind, events[kind], bytes[kind]);
        }
    }
    if (lost > full) {
        kind_tell(recorder, HS_LOST_LEFT_OUT, lost - full, 0);
    }
#if HS_RECORDER_LEVELS
    recorder->partial = recorder->gate != 0;
#endif
    if (full != 0) {
        recorder->snapshot.wanted = 1;
        hs_recorder_snapshot_void(recorder);
    }
    return true;
}
