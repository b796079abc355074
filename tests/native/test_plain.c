/*
 * A plain replay (replay/plain.h) leaves out what it need not ask. A report looks at every event, which goes
 * the general way then; both ways give the same figures, after each of many random batches of events: those that
 * fail, name dead and reused blocks, move and come aligned too.
 */
#include <string.h>

#include "../models/check.h"
#include "replay/replay.h"

#define EVENTS 6000u
#define TASKS 3u
#define BUCKETS 64u
#define LIVE 160u
#define SMALL 24576u  /* bytes; TLSF has 16 bins a level */
#define LARGE 300000u /* and 32 */
#define BATCH 40u

static hs_event_t some_event(check_random_t *random, uint64_t *next_id)
{
    hs_event_t event = {.kind = HS_EVENT_MALLOC};
    const uint32_t pick = check_below(random, 100);
    event.task = check_below(random, 4) == 0 ? check_below(random, TASKS) : 0;
    event.site = check_below(random, 9) == 0 ? 1 + check_below(random, 3) : 0;
    event.caps = pick < 48 && check_below(random, 20) == 0 ? 4 : 0;
    event.size = pick % 7 == 0 ? check_below(random, 2500) : check_below(random, 120);
    if (pick < 48) {
        event.key = (*next_id)++;
        event.kind = (uint8_t)(pick < 40   ? HS_EVENT_MALLOC
                               : pick < 45 ? HS_EVENT_CALLOC
                                           : HS_EVENT_ALIGNED);
        event.align_log2 = event.kind == HS_EVENT_ALIGNED ? (uint8_t)check_below(random, 7) : 0;
        return event;
    }
    const uint64_t back = 1 + check_below(random, LIVE);
    event.key = *next_id > back ? *next_id - back : 0;
    event.new_key = event.key;
    event.kind = pick < 90 ? HS_EVENT_FREE : pick < 98 ? HS_EVENT_REALLOC : HS_EVENT_MALLOC;
    event.size = event.kind == HS_EVENT_FREE ? 0 : event.size;
    return event;
}

static void start(hs_replay_t *replay, const hs_lab_config_t *config, bool general)
{
    uint32_t where;
    CHECK(hs_replay_init(replay, config, &where) == HS_OK, "region %u", where);
    CHECK(!general || hs_replay_survey(replay, 2) == HS_OK, "survey");
}

static void compare_rows(const hs_measure_t *a, const hs_measure_t *b)
{
    hs_lab_region_row_t one, other;
    hs_lab_set_row_t set, other_set;
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    hs_measure_region_row(a, 0, &one);
    hs_measure_region_row(b, 0, &other);
    CHECK(memcmp(&one, &other, sizeof one) == 0, "the region: %u and %u free", one.free,
          other.free);
    for (uint32_t i = 0; i < a->capsets; i++) {
        memset(&set, 0, sizeof set);
        memset(&other_set, 0, sizeof other_set);
        hs_measure_capset_row(a, i, &set);
        hs_measure_capset_row(b, i, &other_set);
        CHECK(memcmp(&set, &other_set, sizeof set) == 0, "capability set %u", i);
    }
    CHECK(a->owners.tasks == b->owners.tasks, "%u tasks", a->owners.tasks);
    const size_t bytes = a->owners.tasks * sizeof *a->owners.rows;
    CHECK(bytes == 0 || memcmp(a->owners.rows, b->owners.rows, bytes) == 0, "the tasks");
    CHECK(memcmp(&a->needs[0].row, &b->needs[0].row, sizeof a->needs[0].row) == 0, "the need");
    CHECK(memcmp(&a->tightest, &b->tightest, sizeof a->tightest) == 0, "the tightest moment");
}

static void compare(const hs_replay_t *plain, const hs_replay_t *general)
{
    hs_lab_summary_t one, other;
    hs_lab_census_t census, other_census;
    memset(&census, 0, sizeof census);
    memset(&other_census, 0, sizeof other_census);
    memset(&one, 0, sizeof one);
    memset(&other, 0, sizeof other);
    hs_replay_summary(plain, &one);
    hs_replay_summary(general, &other);
    CHECK(memcmp(&one, &other, sizeof one) == 0, "digests %llx and %llx",
          (unsigned long long)one.digest, (unsigned long long)other.digest);
    compare_rows(&plain->measure, &general->measure);
    hs_census_figures(&plain->census, &census);
    hs_census_figures(&general->census, &other_census);
    CHECK(memcmp(&census, &other_census, sizeof census) == 0, "recorded: %llu and %llu live",
          (unsigned long long)census.live, (unsigned long long)other_census.live);
    const hs_sim_t *heap = plain->chip.region[0].heap;
    CHECK(memcmp(heap->mem, general->chip.region[0].heap->mem, heap->size) == 0, "the memory");
}

static void compare_timelines(const hs_timeline_t *one, const hs_timeline_t *other)
{
    CHECK(one->used == other->used && one->columns == other->columns, "%u buckets", one->used);
    for (uint32_t i = 0; i < one->used; i++) {
        CHECK(one->buckets[i].first_time == other->buckets[i].first_time, "bucket %u", i);
        const size_t bytes = one->columns * sizeof(uint32_t);
        CHECK(memcmp(one->buckets[i].least, other->buckets[i].least, bytes) == 0 &&
                  memcmp(one->buckets[i].most, other->buckets[i].most, bytes) == 0 &&
                  memcmp(one->buckets[i].largest, other->buckets[i].largest,
                         sizeof one->buckets[i].largest) == 0,
              "bucket %u", i);
    }
}

static void run(const char *allocator, uint32_t size, uint64_t first_id, check_random_t *random)
{
    hs_lab_region_t region = {.start = 0x20000000u, .size = size, .caps = {0x7FFFFFFFu, 0, 0}};
    strcpy(region.allocator, allocator);
    const uint32_t capsets[] = {0, 2, 4};
    const hs_lab_need_t need = {.size = 1500};
    const hs_lab_config_t config = {.regions = &region,
                                    .region_count = 1,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = 0x1800,
                                    .capsets = capsets,
                                    .capset_count = 3,
                                    .needs = &need,
                                    .need_count = 1,
                                    .timeline_buckets = BUCKETS};
    hs_replay_t plain, general;
    start(&plain, &config, false);
    start(&general, &config, true);
    uint64_t next_id = first_id;
    hs_event_t events[BATCH];
    for (uint64_t e = 0; e < (uint64_t)check_rounds((int)EVENTS);) {
        const uint32_t count = check_below(random, 3) != 0 ? 1 : 1 + check_below(random, BATCH);
        for (uint64_t i = 0; i < count; i++) {
            events[i] = some_event(random, &next_id);
            events[i].time = e + i;
        }
        CHECK(hs_replay_events(&plain, e, events, count) == HS_OK, "event %u", (unsigned)e);
        CHECK(hs_replay_events(&general, e, events, count) == HS_OK, "event %u", (unsigned)e);
        compare(&plain, &general);
        e += count;
    }
    CHECK(plain.measure.lows.region[0].set_count == 0, "one region has sets of several");
    CHECK(CHECK_THIN > 1 || size != SMALL || plain.summary.failures > 10, "%s: nothing failed",
          allocator);
    CHECK(hs_replay_finish(&plain) == HS_OK && hs_replay_finish(&general) == HS_OK, "finish");
    compare_timelines(&plain.measure.timeline, &general.measure.timeline);
    hs_replay_free(&plain);
    hs_replay_free(&general);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    static const char *const allocators[] = {"idf-5.5", "idf-5.5+light", "idf-4.2",
                                             "umm",     "heap_4",        "heapscope"};
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++) {
        run(allocators[i], SMALL, 0, &random);
    }
    run("idf-5.5", LARGE, 0, &random);
    run("idf-5.1", LARGE, 0, &random);
    run("idf-5.5", SMALL, (UINT64_C(1) << 63) - 500,
        &random); /* ids come to the end of their range */
    return 0;
}
