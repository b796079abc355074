/* A device's memory as it stands: in sums, by name, by owner, and how it changed lately. */
#include <string.h>

#include "lab/fact.h"
#include "lab/listener.h"
#include "lab/reader.h"

/* ---- the recording ---- */

void hs_lab_listener_figures(const hs_lab_listener_t *listener, hs_lab_listened_t *out)
{
    hs_state_figures_t figures;
    hs_state_figures(listener->state, &figures);
    *out = listener->account.sums;
    out->damaged_chunks = listener->stream.damaged_chunks;
    out->live = figures.known ? figures.bytes : HS_LAB_NEVER;
    out->live_blocks = figures.known ? figures.blocks : HS_LAB_NEVER;
    out->snapshots = figures.snapshots;
    out->voids = figures.voids;
    out->corrections = figures.corrections;
    out->unknown_frees = figures.unknown_frees;
    out->overlaps = figures.overlaps;
    out->pairs = figures.pairs;
    out->known = figures.known;
    out->level = figures.level;
    out->sampling = figures.sampling;
    out->filtered = figures.filtered;
    out->hertz = hs_fact_number(listener->decoder, "clock_hz");
    out->lost_bytes[0] = out->lost_bytes[HS_EVENT_FREE] = HS_LAB_NEVER;
    hs_trace_health_t health;
    hs_decoder_health(listener->decoder, &health);
    out->missing = health.lost_events - out->left_out;
}

void hs_lab_listener_health(const hs_lab_listener_t *listener, hs_lab_health_t *out)
{
    hs_health_give(listener->decoder, out);
}

size_t hs_lab_listener_metadata_count(const hs_lab_listener_t *listener)
{
    return hs_decoder_metadata_count(listener->decoder);
}

size_t hs_lab_listener_metadata(const hs_lab_listener_t *listener, size_t index, const char **key,
                                const uint8_t **value)
{
    size_t length = 0;
    *key = NULL;
    *value = NULL;
    (void)hs_decoder_metadata(listener->decoder, index, key, value, &length);
    return length;
}

size_t hs_lab_listener_name(const hs_lab_listener_t *listener, uint32_t table, uint32_t index,
                            const uint8_t **bytes)
{
    size_t length = 0;
    *bytes = table < HS_NAMES_TABLES
                 ? hs_decoder_name(listener->decoder, (hs_name_table_t)table, index, &length)
                 : NULL;
    return length;
}

bool hs_heard_blocks(hs_lab_listener_t *listener)
{
    hs_state_figures_t figures;
    hs_state_figures(listener->state, &figures);
    const hs_status_t status = hs_live_blocks_take(&listener->blocks, listener->state);
    listener->status = status == HS_OK ? listener->status : status;
    return figures.known && status == HS_OK;
}

hs_span_t hs_heard_span(const hs_heard_region_t *region)
{
    const uint64_t start = region->row.start;
    const uint64_t size = region->row.size;
    return (hs_span_t){start, size > UINT64_MAX - start ? UINT64_MAX : start + size};
}

/* ---- regions ---- */

static bool is_named_alike(const hs_lab_listener_t *listener, uint32_t one, uint32_t other)
{
    const uint8_t *first;
    const uint8_t *second;
    const size_t length = hs_lab_listener_name(listener, HS_NAMES_REGION, one, &first);
    const size_t count = hs_lab_listener_name(listener, HS_NAMES_REGION, other, &second);
    return first != NULL && second != NULL && length == count && memcmp(first, second, count) == 0;
}

_Static_assert(HS_LAB_LISTENED_REGIONS <= HS_LAB_REGIONS_MAX, "one array has room for both");

static size_t reported_regions(const hs_lab_listener_t *listener, hs_heard_region_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < listener->account.region_count; i++) {
        const hs_lab_listened_region_t *row = &listener->account.regions[i];
        if (row->start == HS_LAB_NEVER || row->size == HS_LAB_NEVER || row->size == 0) {
            continue;
        }
        uint32_t name = row->index;
        for (size_t before = 0; before < count; before++) {
            if (is_named_alike(listener, rows[before].row.index, row->index)) {
                name = rows[before].name;
                break;
            }
        }
        rows[count++] = (hs_heard_region_t){
            *row, row->free == HS_LAB_NEVER ? HS_LAB_BY_NOBODY : HS_LAB_BY_HEAP, name};
    }
    return count;
}

static size_t replayed_regions(const hs_live_replay_t *replay, hs_heard_region_t *rows)
{
    hs_lab_region_row_t figures[HS_LAB_REGIONS_MAX];
    const size_t count = hs_lab_regions(replay->reader, figures, HS_LAB_REGIONS_MAX);
    const uint32_t by = hs_live_replay_by(replay);
    for (size_t i = 0; i < count; i++) {
        const hs_lab_region_t *region = &replay->config.regions[i];
        const bool known = by != HS_LAB_BY_NOBODY;
        rows[i] =
            (hs_heard_region_t){{.start = region->start,
                                 .size = region->size,
                                 .free = known ? figures[i].free : HS_LAB_NEVER,
                                 .minimum = known ? figures[i].minimum_free : HS_LAB_NEVER,
                                 .largest = known ? figures[i].largest_allocatable : HS_LAB_NEVER,
                                 .time = HS_LAB_NEVER,
                                 .index = (uint32_t)i,
                                 .caps = region->caps[0] | region->caps[1] | region->caps[2]},
                                by,
                                region->kind};
    }
    return count;
}

size_t hs_heard_regions(const hs_lab_listener_t *listener,
                        hs_heard_region_t rows[HS_LAB_REGIONS_MAX])
{
    return listener->replay.reader != NULL ? replayed_regions(&listener->replay, rows)
                                           : reported_regions(listener, rows);
}

/* ---- memories ---- */

/* HS_LAB_NEVER where one of the two is not known. */
static uint64_t sum(uint64_t one, uint64_t other)
{
    return one == HS_LAB_NEVER || other == HS_LAB_NEVER ? HS_LAB_NEVER : one + other;
}

static uint64_t most(uint64_t one, uint64_t other)
{
    return one > other ? one : other; /* HS_LAB_NEVER is above all */
}

static void memory_add(hs_lab_memory_t *memory, const hs_lab_listener_t *listener,
                       const hs_heard_region_t *region)
{
    const hs_span_t span = hs_heard_span(region);
    const hs_live_blocks_t inside = hs_live_blocks_within(&listener->blocks, span);
    const uint64_t now = listener->account.sums.last_time;
    const uint64_t time = region->row.time;
    memory->size += region->row.size;
    memory->free = sum(memory->free, region->row.free);
    memory->minimum = sum(memory->minimum, region->row.minimum);
    memory->largest = most(memory->largest, region->row.largest);
    if (time != HS_LAB_NEVER) {
        const uint64_t age = now > time ? now - time : 0;
        memory->age = memory->age == HS_LAB_NEVER ? age : most(memory->age, age);
    }
    for (size_t i = 0; i < inside.count && memory->live != HS_LAB_NEVER; i++) {
        memory->live += inside.rows[i].size;
    }
    memory->blocks = sum(memory->blocks, inside.count);
    memory->room = most(memory->room, hs_live_blocks_room(&listener->blocks, span));
}

/* Every live block is located in one of them: the addresses of a pool are not those of a device. */
static bool hold_all(const hs_heard_region_t *regions, size_t count, const hs_live_blocks_t *blocks)
{
    size_t inside = 0;
    for (size_t i = 0; i < count; i++) {
        inside += hs_live_blocks_within(blocks, hs_heard_span(&regions[i])).count;
    }
    return inside >= blocks->count;
}

size_t hs_lab_listener_memories(hs_lab_listener_t *listener, hs_lab_memory_t *rows, size_t capacity)
{
    hs_heard_region_t regions[HS_LAB_REGIONS_MAX];
    hs_lab_memory_t built[HS_LAB_REGIONS_MAX];
    uint32_t names[HS_LAB_REGIONS_MAX];
    const size_t count = hs_heard_regions(listener, regions);
    const bool known = hs_heard_blocks(listener) && (listener->replay.reader == NULL ||
                                                     hold_all(regions, count, &listener->blocks));
    const uint64_t figure = known ? 0 : HS_LAB_NEVER;
    size_t memories = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < memories &&
               (names[at] != regions[i].name || built[at].caps != regions[i].row.caps)) {
            at++;
        }
        if (at == memories) {
            names[memories] = regions[i].name;
            built[memories++] = (hs_lab_memory_t){.age = HS_LAB_NEVER,
                                                  .live = figure,
                                                  .blocks = figure,
                                                  .room = figure,
                                                  .region = regions[i].row.index,
                                                  .caps = regions[i].row.caps,
                                                  .by = regions[i].by};
        }
        memory_add(&built[at], listener, &regions[i]);
    }
    for (size_t i = 0; i < memories && i < capacity; i++) {
        rows[i] = built[i];
    }
    return memories;
}

/* ---- owners, and how it changed ---- */

int hs_lab_listener_lately(hs_lab_listener_t *listener, double seconds, double silent,
                           hs_lab_lately_t *out)
{
    hs_lab_listened_t figures;
    hs_trace_health_t health;
    hs_lab_listener_figures(listener, &figures);
    hs_decoder_health(listener->decoder, &health);
    hs_trend_point_t now = {.time = seconds,
                            .events = health.events,
                            .asked = figures.asked,
                            .live = figures.live,
                            .known = hs_heard_blocks(listener)};
    const bool clocked = figures.hertz != 0 && (health.features & HS_TRACE_CLOCK) != 0;
    if (clocked) {
        now.time = (double)figures.last_time / (double)figures.hertz;
    }
    hs_status_t status = hs_owners_take(&listener->owners, &listener->blocks);
    if (status == HS_OK) {
        now.owners = listener->owners;
        status = hs_trend_lately(&listener->trend, &now, silent, out);
        out->clocked = clocked;
        hs_owners_rank(&listener->owners);
    }
    listener->status = status == HS_OK ? listener->status : status;
    return (int)listener->status;
}

size_t hs_lab_listener_owners(const hs_lab_listener_t *listener, hs_lab_owner_t *rows,
                              size_t capacity)
{
    for (size_t i = 0; i < listener->owners.count && i < capacity; i++) {
        rows[i] = listener->owners.rows[i];
    }
    return listener->owners.count;
}
