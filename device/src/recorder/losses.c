/* Events that did not go into the rings are reported, by kind. */
#include "recorder.h"

/* All events of a kind that were reported as missing, as counted by now. */
static void kind_tell(hs_recorder_t *recorder, unsigned kind)
{
    const hs_reported_t *reported = &recorder->reported;
    const hs_number_t numbers[] = {kind, reported->events[kind],
                                   kind < HS_MISSING_KINDS ? reported->bytes[kind] : 0};
    hs_recorder_say(recorder, HS_EXTENSION_LOST_KIND, numbers, 3);
}

void hs_recorder_kinds_tell(hs_recorder_t *recorder)
{
    for (unsigned kind = 0; kind < HS_LOST_KINDS; kind++) {
        if (recorder->reported.events[kind] != 0 || kind == HS_LOST_PAIRS) {
            kind_tell(recorder, kind);
        }
    }
}

/* The sum over all rings, which their cores may change meanwhile: each number is read once. */
static uint32_t sum(const hs_recorder_t *recorder, unsigned kind, bool bytes)
{
    uint32_t built = 0;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        const hs_missing_t *missing = &recorder->rings[core].missing;
        built += HS_RECORDER_LOAD(bytes ? &missing->bytes[kind] : &missing->events[kind]);
    }
    return built;
}

#if HS_RECORDER_LEVELS
static uint32_t full_of(const hs_recorder_t *recorder)
{
    uint32_t built = 0;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        built += HS_RECORDER_LOAD(&recorder->rings[core].full);
    }
    return built;
}
#endif

static bool changed(hs_recorder_t *recorder, bool all)
{
    bool hit = false;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        const hs_ring_t *ring = &recorder->rings[core];
        hs_reading_t *reading = &recorder->reading[core];
        const uint32_t missed = HS_RECORDER_LOAD(&ring->missed);
        hit = hit || (missed != reading->missed && (all || !recorder->partial));
    }
#if HS_RECORDER_LEVELS
    hit = hit || full_of(recorder) != recorder->reported.full;
#endif
    return hit;
}

bool hs_recorder_losses_tell(hs_recorder_t *recorder, bool all)
{
    if (hs_recorder_is_old(recorder) || !changed(recorder, all)) {
        return true;
    }
    if (!hs_recorder_ready(recorder, HS_CHUNK_EVENTS, HS_EMIT_EXTENSION_MAX(1) + HS_KINDS_NEED)) {
        return false;
    }
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        const hs_ring_t *ring = &recorder->rings[core];
        recorder->reading[core].missed = HS_RECORDER_LOAD(&ring->missed);
    }
    hs_reported_t *const reported = &recorder->reported;
#if HS_RECORDER_LEVELS
    const uint32_t full = full_of(recorder) - reported->full;
    reported->full += full;
#endif
    hs_number_t lost = 0;
    for (unsigned kind = 0; kind < HS_MISSING_KINDS; kind++) {
        const uint32_t more = sum(recorder, kind, false) - reported->events[kind];
        reported->bytes[kind] = sum(recorder, kind, true);
        if (more != 0) {
            reported->events[kind] += more;
            lost += more;
            kind_tell(recorder, kind);
        }
    }
#if HS_RECORDER_LEVELS
    if (lost > full) {
        reported->events[HS_LOST_LEFT_OUT] += (uint32_t)lost - full;
        kind_tell(recorder, HS_LOST_LEFT_OUT);
    }
    recorder->partial = recorder->gate != 0;
#else
    const uint32_t full = 1; /* all of them are */
#endif
    hs_recorder_say(recorder, HS_EXTENSION_LOST, &lost, 1);
    if (full != 0) {
        recorder->snapshot.wanted = 1;
        hs_recorder_snapshot_void(recorder);
    }
    return true;
}
