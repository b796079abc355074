/*
 * Snapshots: all that a listener needs who has heard nothing before, and the live blocks while the program
 * runs (format/SPEC.md, "Snapshots"). A snapshot is a row of phases, each of which goes on where it was as
 * soon as there is room; events are written in between.
 */
#include "recorder.h"

/* ---- what comes in front ---- */

#define FACT_MAX (3u + HS_FACT_KEY_BYTES) /* bytes that a fact takes besides its value */
#define FACT_BYTES_MAX 255u               /* with it */

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
        if (need == FACT_MAX || need > FACT_BYTES_MAX) {
            continue; /* nothing to say, or more than a chunk holds */
        }
        if (!hs_recorder_ready(recorder, HS_CHUNK_METADATA, need)) {
            return false;
        }
        hs_emit_fact(&recorder->emit, fact.key, fact.text);
    }
    return hs_recorder_ready(recorder, HS_CHUNK_EVENTS, SIZE_MAX);
}

/* The tables of names, by phase. */
static bool names_write(hs_recorder_t *recorder, unsigned phase)
{
    static const struct {
        void (*again)(hs_recorder_t *recorder, unsigned place);
        unsigned count;
    } tables[] = {{hs_recorder_task_again, HS_RECORDER_TASKS},
                  {hs_recorder_site_again, HS_RECORDER_SITES},
#if HS_RECORDER_PROGRAM
                  {hs_recorder_mark_again, HS_MARKS_KNOWN}
#endif
    };
    for (; recorder->snapshot.step < tables[phase - HS_SNAPSHOT_TASKS].count;
         recorder->snapshot.step++) {
        if (!hs_recorder_ready(recorder, HS_CHUNK_EVENTS, HS_NAMES_NEED)) {
            return false;
        }
        tables[phase - HS_SNAPSHOT_TASKS].again(recorder, recorder->snapshot.step);
    }
    return true;
}

#define REGION_NEED (2u * HS_EMIT_EXTENSION_MAX(4) + HS_NAMES_NEED)
_Static_assert(REGION_NEED >= HS_KINDS_NEED, "what is missing has room where a region has");

/* 0 stands for unknown. */
static hs_number_t known(uint32_t number)
{
    return number == HS_RECORDER_UNKNOWN ? 0 : (hs_number_t)number + 1u;
}

/* And, behind the last region, what was reported as missing. */
static bool regions_write(hs_recorder_t *recorder)
{
    const hs_recorder_config_t *config = recorder->config;
    hs_recorder_region_t region;
    for (;; recorder->snapshot.step++) { /* bound: the user's regions */
        const unsigned index = recorder->snapshot.step;
        if (!hs_recorder_ready(recorder, HS_CHUNK_EVENTS, REGION_NEED)) {
            return false;
        }
        if (config->region == NULL || !config->region(config->context, index, &region)) {
            hs_recorder_kinds_tell(recorder);
            return true;
        }
        hs_recorder_name(recorder, HS_NAMES_REGION, index, region.name, HS_MARK_NAME_BYTES);
        const hs_number_t where[] = {index, region.start, region.size, region.caps};
        hs_recorder_say(recorder, HS_EXTENSION_REGION, where, 4);
        const hs_number_t free[] = {index, known(region.free), known(region.minimum),
                                    known(region.largest)};
        hs_recorder_say(recorder, HS_EXTENSION_FREE_MEMORY, free, 4);
    }
}

#if HS_RECORDER_SNAPSHOTS

/* ---- the blocks ---- */

/* A slice of the walk as records, each of blocks of one owner. */
static bool slice_write(hs_recorder_t *recorder)
{
    enum { SLICE = 8, FRONT = 2 }; /* a body of so many is below 128 bytes */
    hs_snapshot_t *snapshot = &recorder->snapshot;
    const hs_recorder_config_t *config = recorder->config;
    hs_recorder_block_t match[SLICE];
    if (!hs_recorder_ready(recorder, HS_CHUNK_EVENTS,
                           HS_EMIT_EXTENSION_MAX(2 * SLICE + FRONT) + 10u)) {
        return false;
    }
    const size_t count = config->walk(config->context, snapshot->after, match, SLICE);
    if (count == 0) {
        snapshot->phase = HS_SNAPSHOT_AFTER;
        return true;
    }
    const hs_known_t *owner =
        match[0].task == 0 ? NULL
                           : hs_recorder_known(recorder->tasks, HS_RECORDER_TASKS, match[0].task);
    if (owner != NULL) {
        hs_emit_context(&recorder->emit, owner->index, &match[0].caps);
    }
    hs_number_t numbers[2 * SLICE + FRONT] = {snapshot->number, owner != NULL};
    const hs_number_t before = recorder->emit.address;
    unsigned taken = 0;
    for (;
         taken < count && match[taken].task == match[0].task && match[taken].caps == match[0].caps;
         taken++) {
        const hs_number_t away = hs_emit_address(&recorder->emit, match[taken].address);
        /* The first is written whole. */
        numbers[FRONT + 2u * taken] = taken == 0 ? recorder->emit.address : away;
        numbers[FRONT + 2u * taken + 1u] = match[taken].size;
        snapshot->blocks++;
        snapshot->bytes += match[taken].size;
    }
    recorder->emit.address = before; /* for other records nothing has changed */
    snapshot->after = match[taken - 1u].address;
    hs_recorder_say(recorder, HS_EXTENSION_LIVE, numbers, FRONT + 2u * taken);
    return true;
}

#endif

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
        /* A loss is reported before its place: what is in the rings by now comes in front of it. */
        enter(recorder, HS_SNAPSHOT_BEFORE);
    }
}

static bool front_write(hs_recorder_t *recorder)
{
    const unsigned phase = recorder->snapshot.phase;
    return phase == HS_SNAPSHOT_FACTS     ? facts_write(recorder)
           : phase == HS_SNAPSHOT_REGIONS ? regions_write(recorder)
                                          : names_write(recorder, phase);
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
    if (!HS_RECORDER_SNAPSHOTS || hs_recorder_is_old(recorder) || recorder->config->walk == NULL) {
        snapshot->phase = HS_SNAPSHOT_NONE; /* the names alone */
        return true;
    }
#if HS_RECORDER_SNAPSHOTS
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
#endif
}

#if HS_RECORDER_SNAPSHOTS
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
    if (
#if HS_RECORDER_PAIRS
        !hs_recorder_pairs_write(recorder) ||
#endif
        !hs_recorder_losses_tell(recorder, snapshot->phase == HS_SNAPSHOT_BEFORE) ||
        !hs_recorder_ready(recorder, HS_CHUNK_EVENTS, HS_EMIT_EXTENSION_MAX(3))) {
        return false;
    }
    if (snapshot->phase == HS_SNAPSHOT_NONE) { /* a loss made it void */
        return true;
    }
    const bool begins = snapshot->phase == HS_SNAPSHOT_BEFORE;
    if (begins) {
        snapshot->number++;
        snapshot->blocks = 0;
        snapshot->bytes = 0;
        snapshot->after = 0;
        snapshot->phase = HS_SNAPSHOT_BLOCKS; /* the walk begins at the next drain */
    } else {
        recorder->counts.snapshots++;
        snapshot->phase = HS_SNAPSHOT_NONE;
    }
    const hs_number_t numbers[] = {snapshot->number, snapshot->blocks, snapshot->bytes};
    hs_recorder_say(recorder, begins ? HS_EXTENSION_SNAPSHOT : HS_EXTENSION_SNAPSHOT_END, numbers,
                    begins ? 1 : 3);
    return true;
}
#endif
