/*
 * Snapshots: all that a listener needs who has heard nothing before, and the live blocks while the program
 * runs (format/SPEC.md, "Snapshots"). A snapshot is a row of phases, each of which goes on where it was as
 * soon as there is room; events are written in between.
 */
#include "recorder.h"

/* ---- what comes in front ---- */

#define FACT_MAX (6u + 16u) /* bytes that a fact takes besides its value */

/* Metadata has chunks of its own: the open chunk is ended before and after. */
static bool facts_write(hs_recorder_t *recorder)
{
    hs_snapshot_t *snapshot = &recorder->snapshot;
    hs_fact_text_t fact;
    for (; hs_recorder_fact(recorder, snapshot->step, &fact); snapshot->step++) {
        size_t need = FACT_MAX;
        for (const char *at = fact.text; at != NULL && *at != '\0'; at++) {
            need++;
        }
        if (need == FACT_MAX) {
            continue;
        }
        if (!hs_recorder_sent(recorder)) {
            return false;
        }
        if (hs_trace_metadata_room(recorder->trace) < need) {
            (void)hs_trace_flush(recorder->trace);
            if (!hs_recorder_sent(recorder)) {
                return false;
            }
        }
        (void)hs_trace_metadata(recorder->trace, fact.key, fact.text);
    }
    return hs_recorder_ready(recorder, SIZE_MAX);
}

typedef void (*hs_again_t)(hs_recorder_t *recorder, unsigned place);

static bool names_write(hs_recorder_t *recorder, hs_again_t again, unsigned count)
{
    for (; recorder->snapshot.step < count; recorder->snapshot.step++) {
        if (!hs_recorder_ready(recorder, HS_TRACE_EVENT_MAX + HS_NAMES_NEED)) {
            return false;
        }
        again(recorder, recorder->snapshot.step);
    }
    return true;
}

static uint64_t known(uint32_t number)
{
    return number == HS_RECORDER_UNKNOWN ? UINT64_MAX : number;
}

static bool regions_write(hs_recorder_t *recorder)
{
    const hs_recorder_config_t *config = recorder->config;
    hs_recorder_region_t region;
    for (; config->region != NULL; recorder->snapshot.step++) { /* bound: the user's regions */
        const unsigned index = recorder->snapshot.step;
        if (!hs_recorder_ready(recorder, 2u * HS_TRACE_EVENT_MAX + HS_NAMES_NEED)) {
            return false;
        }
        if (!config->region(config->context, index, &region)) {
            break;
        }
        size_t length = 0;
        while (region.name != NULL && region.name[length] != '\0' && length < HS_MARK_NAME_BYTES) {
            length++;
        }
        (void)hs_trace_name(recorder->trace, HS_NAMES_REGION, index, region.name, length);
        hs_event_t event = hs_recorder_event(recorder, HS_EVENT_REGION);
        event.key = index;
        event.new_key = region.start;
        event.size = region.size;
        event.caps = region.caps;
        (void)hs_trace_event(recorder->trace, &event);
        event = hs_recorder_event(recorder, HS_EVENT_FREE_MEMORY);
        event.site = index;
        event.key = known(region.free);
        event.new_key = known(region.minimum);
        event.size = known(region.largest);
        (void)hs_trace_event(recorder->trace, &event);
    }
    return true;
}

/* ---- the blocks ---- */

/* A slice of the walk as records, each of blocks of one owner. */
static bool slice_write(hs_recorder_t *recorder)
{
    hs_snapshot_t *snapshot = &recorder->snapshot;
    const hs_recorder_config_t *config = recorder->config;
    hs_recorder_block_t found[HS_TRACE_LIVE_MAX];
    if (!hs_recorder_ready(recorder, HS_TRACE_LIVE_BYTES(HS_TRACE_LIVE_MAX))) {
        return false;
    }
    const size_t count = config->walk(config->context, snapshot->after, found, HS_TRACE_LIVE_MAX);
    if (count == 0) {
        snapshot->phase = HS_SNAPSHOT_AFTER;
        return true;
    }
    hs_event_t blocks[HS_TRACE_LIVE_MAX];
    size_t taken = 0;
    for (;
         taken < count && found[taken].task == found[0].task && found[taken].caps == found[0].caps;
         taken++) {
        const hs_known_t *owner =
            hs_recorder_known(recorder->tasks, HS_RECORDER_TASKS, found[taken].task);
        hs_event_t *block = &blocks[taken];
        *block = hs_recorder_event(recorder, HS_EVENT_LIVE);
        block->key = found[taken].address;
        block->size = found[taken].size;
        block->new_key = snapshot->number;
        block->caps = found[taken].caps;
        if (found[taken].task != 0 && owner != NULL) {
            block->task = owner->index;
            block->align_log2 = 1;
        }
        snapshot->blocks++;
        snapshot->bytes += found[taken].size;
    }
    snapshot->after = found[taken - 1u].address;
    (void)hs_trace_live(recorder->trace, blocks, taken);
    return true;
}

/* ---- the phases ---- */

static bool due(hs_recorder_t *recorder)
{
    const uint32_t ticks = recorder->config->snapshot_ticks;
    return recorder->snapshot.wanted ||
           (ticks != 0 && HS_RECORDER_CLOCK() - recorder->snapshot.last >= ticks);
}

static void enter(hs_recorder_t *recorder, unsigned phase)
{
    recorder->snapshot.phase = (uint8_t)phase;
    recorder->snapshot.step = 0;
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        recorder->snapshot.bound[core] = HS_RECORDER_LOAD(&recorder->rings[core].head);
    }
}

void hs_recorder_snapshot(hs_recorder_t *recorder)
{
    recorder->snapshot.wanted = 1;
}

void hs_recorder_joined(hs_recorder_t *recorder)
{
    recorder->snapshot.phase = HS_SNAPSHOT_NONE;
    recorder->snapshot.wanted = 1;
}

void hs_recorder_snapshot_void(hs_recorder_t *recorder)
{
    if (recorder->snapshot.phase >= HS_SNAPSHOT_BLOCKS) {
        recorder->snapshot.phase = HS_SNAPSHOT_NONE;
        recorder->snapshot.wanted = 1;
    } else if (recorder->snapshot.phase == HS_SNAPSHOT_BEFORE) {
        /* A loss is told before its place: what is in the rings by now comes in front of it. */
        enter(recorder, HS_SNAPSHOT_BEFORE);
    }
}

static bool front_write(hs_recorder_t *recorder)
{
    switch (recorder->snapshot.phase) {
    case HS_SNAPSHOT_FACTS:
        return facts_write(recorder);
    case HS_SNAPSHOT_TASKS:
        return names_write(recorder, hs_recorder_task_again, HS_RECORDER_TASKS);
    case HS_SNAPSHOT_SITES:
        return names_write(recorder, hs_recorder_site_again, HS_RECORDER_SITES);
    case HS_SNAPSHOT_MARKS:
        return names_write(recorder, hs_recorder_mark_again, HS_MARKS_KNOWN);
    default:
        return regions_write(recorder);
    }
}

bool hs_recorder_snapshot_go(hs_recorder_t *recorder)
{
    hs_snapshot_t *snapshot = &recorder->snapshot;
    if (snapshot->phase == HS_SNAPSHOT_NONE) {
        if (!due(recorder)) {
            return true;
        }
        snapshot->wanted = 0;
        snapshot->last = HS_RECORDER_CLOCK();
        enter(recorder, HS_SNAPSHOT_FACTS);
    }
    while (snapshot->phase < HS_SNAPSHOT_BEFORE) { /* bound: the phases */
        if (!front_write(recorder)) {
            return false;
        }
        enter(recorder, snapshot->phase + 1u);
    }
    if (recorder->old != 0 || recorder->config->walk == NULL) {
        snapshot->phase = HS_SNAPSHOT_NONE; /* the names alone */
        return true;
    }
    if (snapshot->phase == HS_SNAPSHOT_BLOCKS) {
        if (!slice_write(recorder)) {
            return false;
        }
        if (snapshot->phase == HS_SNAPSHOT_AFTER) {
            enter(recorder, HS_SNAPSHOT_AFTER);
        }
        return true;
    }
    return hs_recorder_snapshot_pass(recorder);
}

/* Whether all records were written that were in the rings when the phase began. */
static bool passed(const hs_recorder_t *recorder)
{
    for (unsigned core = 0; core < HS_RECORDER_CORES; core++) {
        if ((int32_t)(recorder->rings[core].tail - recorder->snapshot.bound[core]) < 0) {
            return false;
        }
    }
    return true;
}

bool hs_recorder_snapshot_pass(hs_recorder_t *recorder)
{
    hs_snapshot_t *snapshot = &recorder->snapshot;
    if (snapshot->phase == HS_SNAPSHOT_BLOCKS || !passed(recorder)) {
        return true;
    }
    if (!hs_recorder_pairs_write(recorder) ||
        !hs_recorder_losses_tell(recorder, snapshot->phase == HS_SNAPSHOT_BEFORE) ||
        !hs_recorder_ready(recorder, HS_TRACE_EVENT_MAX)) {
        return false;
    }
    if (snapshot->phase == HS_SNAPSHOT_NONE) { /* a loss made it void */
        return true;
    }
    const bool begins = snapshot->phase == HS_SNAPSHOT_BEFORE;
    hs_event_t event =
        hs_recorder_event(recorder, begins ? HS_EVENT_SNAPSHOT : HS_EVENT_SNAPSHOT_END);
    if (begins) {
        snapshot->number++;
        snapshot->blocks = 0;
        snapshot->bytes = 0;
        snapshot->after = 0;
        snapshot->phase = HS_SNAPSHOT_BLOCKS; /* the walk begins at the next drain */
    } else {
        event.new_key = snapshot->blocks;
        event.size = snapshot->bytes;
        recorder->figures.snapshots++;
        snapshot->phase = HS_SNAPSHOT_NONE;
    }
    event.key = snapshot->number;
    (void)hs_trace_event(recorder->trace, &event);
    return true;
}
