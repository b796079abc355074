/*
 * Every measure equals a shadow that recomputes it from the heaps and the list of live blocks after
 * each event: by walking, by asking for sizes one by one, by adding up.
 */
#include "../models/check.h"
#include "layout_for_tests.h"
#include "replay/replay.h"

#define EVENTS (CHECK_THIN > 1 ? 1000u : 3000u)
#define TASKS 3u
#define NEED 1500u
#define BUCKETS 64u
#define SERIES (2 + REGIONS + TASKS)

static const uint32_t capsets[] = {BYTE, WORD, EXEC, DMA};
#define CAPSETS (1 + sizeof capsets / sizeof capsets[0])

typedef struct figures {
    uint32_t free[REGIONS], largest[REGIONS], payload[TASKS][KINDS], blocks[TASKS][KINDS];
    uint32_t set_free[CAPSETS], set_largest[CAPSETS], set_payload[CAPSETS];
    uint32_t region_payload[REGIONS], live, series[SERIES];
    bool need_fits;
} figures_t;

typedef struct shadow {
    figures_t now, low, high; /* low: minima of free and largest; high: peaks of the rest */
    uint64_t short_events, first_short, spells;
    bool was_short;
    int64_t margin;
    uint32_t least[EVENTS][SERIES], most[EVENTS][SERIES]; /* per event: before and after it */
} shadow_t;

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static bool add_free(void *context, const hs_walk_block_t *block)
{
    *(uint32_t *)context += block->used ? 0 : block->size;
    return true;
}

/* The largest size that a region serves, found by asking. */
static uint32_t largest_by_asking(const hs_chip_region_t *region, uint32_t caps)
{
    uint32_t low = 0, high = region->size;
    while (low < high) {
        const uint32_t middle = low + (high - low + 1) / 2;
        const hs_request_t request = {.size = middle, .caps = caps};
        if (hs_region_fits(region, &request)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    /* Among the smallest sizes our heap may serve a larger one and not a smaller. */
    for (uint32_t size = 64; size > low; size--) {
        const hs_request_t request = {.size = size, .caps = caps};
        if (hs_region_fits(region, &request)) {
            return size;
        }
    }
    return low;
}

static void look_at_blocks(hs_replay_t *replay, figures_t *now)
{
    for (size_t i = 0; i < replay->blocks.used; i++) {
        const hs_block_t *block = &replay->blocks.records[i];
        if ((block->flags & HS_BLOCK_LIVE) && !(block->flags & HS_BLOCK_NOWHERE)) {
            const uint32_t task = hs_ledger_task(&replay->measure.owners, block->task);
            const uint32_t kind = replay->chip.region[block->place.region].kind;
            now->payload[task][kind] += block->requested;
            now->blocks[task][kind]++;
            now->region_payload[block->place.region] += block->requested;
            now->live += block->requested;
        }
    }
}

static void look_at_set(hs_replay_t *replay, figures_t *now, uint32_t s)
{
    const uint32_t caps = s == 0 ? 0 : capsets[s - 1];
    const uint32_t mask = hs_chip_mask(&replay->chip, caps);
    for (uint32_t i = 0; i < REGIONS; i++) {
        if (mask >> i & 1u) {
            now->set_free[s] += now->free[i];
            now->set_payload[s] += now->region_payload[i];
            now->set_largest[s] =
                most(now->set_largest[s], largest_by_asking(&replay->chip.region[i], caps));
        }
    }
}

static void look(hs_replay_t *replay, figures_t *now)
{
    memset(now, 0, sizeof *now);
    look_at_blocks(replay, now);
    for (uint32_t i = 0; i < REGIONS; i++) {
        const hs_chip_region_t *region = &replay->chip.region[i];
        hs_sim_walk(region->heap, add_free, &now->free[i]);
        now->largest[i] = largest_by_asking(region, 0);
    }
    for (uint32_t s = 0; s < CAPSETS; s++) {
        look_at_set(replay, now, s);
    }
    const hs_request_t need = {.size = NEED};
    now->need_fits = hs_chip_fits(&replay->chip, &need);
    now->series[0] = now->live;
    now->series[1] = now->set_largest[0];
    memcpy(&now->series[2], now->free, sizeof now->free);
    for (uint32_t t = 0; t < TASKS; t++) {
        for (uint32_t k = 0; k < KINDS; k++) {
            now->series[2 + REGIONS + t] += now->payload[t][k];
        }
    }
}

static void keep_extremes(shadow_t *shadow)
{
    const figures_t *now = &shadow->now;
    for (uint32_t i = 0; i < REGIONS; i++) {
        shadow->low.largest[i] = least(shadow->low.largest[i], now->largest[i]);
    }
    for (uint32_t s = 0; s < CAPSETS; s++) {
        shadow->low.set_largest[s] = least(shadow->low.set_largest[s], now->set_largest[s]);
        shadow->low.set_free[s] = least(shadow->low.set_free[s], now->set_free[s]);
        shadow->high.set_payload[s] = most(shadow->high.set_payload[s], now->set_payload[s]);
    }
    for (uint32_t t = 0; t < TASKS; t++) {
        for (uint32_t k = 0; k < KINDS; k++) {
            shadow->high.payload[t][k] = most(shadow->high.payload[t][k], now->payload[t][k]);
            shadow->high.blocks[t][k] = most(shadow->high.blocks[t][k], now->blocks[t][k]);
        }
    }
    shadow->high.live = most(shadow->high.live, now->live);
    const int64_t margin = (int64_t)now->set_largest[0] - NEED;
    shadow->margin = margin < shadow->margin ? margin : shadow->margin;
}

static void settle(shadow_t *shadow, hs_replay_t *replay, uint64_t event)
{
    const figures_t before = shadow->now;
    look(replay, &shadow->now);
    keep_extremes(shadow);
    for (uint32_t s = 0; s < SERIES; s++) {
        shadow->least[event][s] = least(before.series[s], shadow->now.series[s]);
        shadow->most[event][s] = most(before.series[s], shadow->now.series[s]);
    }
    if (!shadow->now.need_fits) {
        shadow->first_short = shadow->short_events++ == 0 ? event : shadow->first_short;
        shadow->spells += !shadow->was_short;
    }
    shadow->was_short = !shadow->now.need_fits;
}

/* ---- comparison with what the replay says ---- */

/* Bytes that an allocator's flavour adds to a block. */
static uint32_t added_by(const char *allocator)
{
    const bool light = strstr(allocator, "+light") != NULL;
    const bool track = strstr(allocator, "+track") != NULL;
    const uint32_t poison = light || (track && strncmp(allocator, "idf-4", 5) == 0) ? 12 : 0;
    return poison + (track ? 4 : 0);
}

static void compare_regions(const shadow_t *shadow, const hs_replay_t *replay, uint32_t added)
{
    for (uint32_t i = 0; i < REGIONS; i++) {
        hs_lab_region_row_t row;
        hs_measure_region_row(&replay->measure, i, &row);
        CHECK(row.free == shadow->now.free[i], "region %u free", i);
        CHECK(row.largest_allocatable == shadow->now.largest[i], "region %u largest", i);
        CHECK(row.minimum_largest_allocatable == shadow->low.largest[i], "region %u low", i);
        CHECK(row.control + row.header + row.startup + row.payload + row.rounding + row.free ==
                  row.size,
              "region %u: the parts are the whole", i);
        const hs_chip_region_t *region = &replay->chip.region[i];
        const uint32_t programs = row.used_blocks - region->list_blocks;
        CHECK(row.payload + row.rounding + row.startup + added * programs + region->lists ==
                  region->heap->tally.used,
              "region %u: what is neither asked for nor rounding is the flavour's", i);
        CHECK(row.minimum_free == replay->chip.region[i].heap->tally.minimum_free,
              "region %u: the lowest moment, inside an operation too", i);
        CHECK(row.minimum_free <= row.free && row.payload <= row.peak_payload, "region %u", i);
    }
}

static void compare_sets(const shadow_t *shadow, const hs_replay_t *replay)
{
    for (uint32_t s = 0; s < CAPSETS; s++) {
        hs_lab_set_row_t row;
        hs_measure_capset_row(&replay->measure, s, &row);
        CHECK(row.free == shadow->now.set_free[s], "set %u free", s);
        CHECK(row.largest_allocatable == shadow->now.set_largest[s], "set %u largest", s);
        CHECK(row.minimum_largest_allocatable == shadow->low.set_largest[s], "set %u low %u %u", s,
              row.minimum_largest_allocatable, shadow->low.set_largest[s]);
        CHECK(row.minimum_free <= shadow->low.set_free[s], "set %u: dips inside count", s);
        CHECK(row.peak_payload == shadow->high.set_payload[s], "set %u peak", s);
    }
}

static void compare_tasks(const shadow_t *shadow, const hs_replay_t *replay)
{
    hs_lab_task_row_t rows[TASKS * KINDS];
    const size_t count = hs_ledger_rows(&replay->measure.owners, rows, TASKS * KINDS);
    uint32_t total = 0;
    for (size_t i = 0; i < count; i++) {
        const hs_lab_task_row_t *row = &rows[i];
        CHECK(row->payload == shadow->now.payload[row->task][row->kind], "task %u", row->task);
        CHECK(row->blocks == shadow->now.blocks[row->task][row->kind], "task %u", row->task);
        CHECK(row->payload_peak == shadow->high.payload[row->task][row->kind], "peak");
        CHECK(row->blocks_peak == shadow->high.blocks[row->task][row->kind], "peak");
        CHECK(row->held >= row->payload, "held");
        total += row->payload;
    }
    CHECK(total == shadow->now.live, "no task is missing");
}

static void compare_need(const shadow_t *shadow, const hs_replay_t *replay)
{
    const hs_lab_need_row_t *row = &replay->measure.needs[0].row;
    CHECK(row->short_events == shadow->short_events, "%llu short events, shadow %llu",
          (unsigned long long)row->short_events, (unsigned long long)shadow->short_events);
    CHECK(row->short_events == 0 || row->first_event == shadow->first_short, "first");
    CHECK(row->spells == shadow->spells, "spells");
    CHECK(row->minimum_margin == shadow->margin, "margin");
}

static void compare_timeline(const shadow_t *shadow, const hs_replay_t *replay)
{
    const hs_timeline_t *timeline = &replay->measure.timeline;
    CHECK(timeline->used >= BUCKETS / 2, "%u buckets", timeline->used);
    for (uint32_t b = 0; b < timeline->used; b++) {
        for (uint32_t s = 0; s < SERIES; s++) {
            uint32_t low = UINT32_MAX, high = 0;
            for (uint64_t e = b * timeline->width; e < (b + 1) * timeline->width && e < EVENTS;
                 e++) {
                low = least(low, shadow->least[e][s]);
                high = most(high, shadow->most[e][s]);
            }
            const hs_bucket_t *bucket = &timeline->buckets[b];
            CHECK(bucket->least[s] == low && bucket->most[s] == high,
                  "bucket %u series %u: %u..%u, shadow %u..%u", b, s, bucket->least[s],
                  bucket->most[s], low, high);
        }
    }
}

/* ---- random events ---- */

static uint32_t some_size(check_random_t *random)
{
    const uint32_t limit = 1u << (2 + check_below(random, 11));
    return 1 + check_below(random, limit);
}

static hs_event_t some_event(check_random_t *random, uint64_t *next_id)
{
    static const uint32_t caps[] = {0, 0, 0, 0, DMA, WORD, EXEC, IRAM_BYTE, BYTE};
    const uint64_t known = *next_id < 80 ? *next_id : 80;
    hs_event_t event = {.task = check_below(random, TASKS), .size = some_size(random)};
    const uint32_t dice = check_below(random, 20);
    if (dice < 9) {
        event.kind = dice < 7 ? HS_EVENT_MALLOC : dice < 8 ? HS_EVENT_CALLOC : HS_EVENT_ALIGNED;
        event.align_log2 = (uint8_t)(3 + check_below(random, 5));
        event.caps = event.kind == HS_EVENT_ALIGNED
                         ? 0
                         : caps[check_below(random, sizeof caps / sizeof caps[0])];
        event.key = (*next_id)++;
    } else {
        event.kind = dice < 13 ? HS_EVENT_REALLOC : HS_EVENT_FREE;
        event.key = known == 0 ? 99 : *next_id - 1 - check_below(random, (uint32_t)known);
        event.new_key = event.key;
    }
    return event;
}

static void run(check_random_t *random, const char *allocator)
{
    static shadow_t shadow;
    memset(&shadow, 0, sizeof shadow);
    hs_lab_region_t regions[REGIONS];
    hs_lab_config_t config = config_like_esp32(regions, allocator);
    const hs_lab_need_t need = {NEED, 0};
    regions[1].startup_use = 700;
    config.capsets = capsets;
    config.capset_count = CAPSETS - 1;
    config.needs = &need;
    config.need_count = 1;
    config.timeline_buckets = BUCKETS;
    hs_replay_t replay;
    uint32_t where;
    CHECK(hs_replay_init(&replay, &config, &where) == HS_OK, "init");
    look(&replay, &shadow.now);
    shadow.low = shadow.now;
    shadow.margin = (int64_t)shadow.now.set_largest[0] - NEED;
    for (uint32_t task = 0; task < TASKS; task++) { /* slots in task order */
        hs_ledger_slot(&replay.measure.owners, task);
    }
    uint64_t next_id = 0;
    for (uint64_t e = 0; e < EVENTS; e++) {
        const hs_event_t event = some_event(random, &next_id);
        CHECK(hs_replay_events(&replay, e, &event, 1) == HS_OK, "event %u", (unsigned)e);
        settle(&shadow, &replay, e);
        compare_regions(&shadow, &replay, added_by(allocator));
        compare_sets(&shadow, &replay);
        compare_tasks(&shadow, &replay);
        compare_need(&shadow, &replay);
    }
    hs_measure_finish(&replay.measure);
    compare_timeline(&shadow, &replay);
    CHECK(replay.summary.failures > 10 && shadow.short_events > 10 && shadow.short_events < EVENTS,
          "%s: the run meets failures and both sides of the need", allocator);
    hs_replay_free(&replay);
}

static void a_need_of_just_the_largest_fits(void)
{
    hs_lab_region_t region = region_like(DRAM, 0x3FFB0000u, 65536, "idf-4.2");
    const hs_lab_need_t needs[] = {{65536 - 36, 0}, {65536 - 35, 0}};
    const hs_lab_config_t config = {.regions = &region,
                                    .region_count = 1,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = DEFAULT,
                                    .needs = needs,
                                    .need_count = 2};
    const hs_event_t event = {.kind = HS_EVENT_FREE, .key = 5}; /* changes nothing */
    hs_replay_t replay;
    uint32_t where;
    CHECK(hs_replay_init(&replay, &config, &where) == HS_OK, "init");
    CHECK(hs_replay_events(&replay, 0, &event, 1) == HS_OK, "event");
    CHECK(replay.measure.needs[0].row.short_events == 0, "to the byte");
    CHECK(replay.measure.needs[0].row.minimum_margin == 0, "nothing to spare");
    CHECK(replay.measure.needs[1].row.short_events == 1, "one byte more does not fit");
    hs_replay_free(&replay);
}

int main(int argc, char **argv)
{
    a_need_of_just_the_largest_fits();
    check_random_t random = check_start(argc, argv);
    static const char *const allocators[] = {"idf-4.2",   "idf-4.2+light",  "idf-4.2+track",
                                             "idf-5.5",   "idf-5.5+light",  "idf-5.5+track",
                                             "heapscope", "heapscope+light"};
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++) {
        run(&random, allocators[i]);
    }
    return 0;
}
