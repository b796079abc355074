/* Bugs that were found once, each as the smallest program that showed it. */
#include "../models/check.h"
#include "layout_for_tests.h"
#include "replay/replay.h"

static void start(hs_replay_t *replay, hs_lab_region_t *regions, uint32_t count)
{
    const hs_lab_config_t config = {.regions = regions,
                                    .region_count = count,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = DEFAULT | INTERNAL,
                                    .timeline_buckets = 2};
    uint32_t where;
    CHECK(hs_replay_init(replay, &config, &where) == HS_OK, "init");
}

static void feed(hs_replay_t *replay, const hs_event_t *events, size_t count)
{
    CHECK(hs_replay_events(replay, 0, events, count) == HS_OK, "events");
}

/* Its free then took it for an aligned one in a heap that keeps those in another way. */
static void an_aligned_block_that_moved_is_no_aligned_block_any_more(void)
{
    hs_lab_region_t regions[2] = {region_like(DRAM, 0x3FFB0000u, 2048, "idf-5.5"),
                                  region_like(DRAM, 0x3FFC0000u, 65536, "idf-4.2")};
    const hs_event_t events[] = {
        {.kind = HS_EVENT_ALIGNED, .key = 0, .align_log2 = 5, .size = 600},
        {.kind = HS_EVENT_MALLOC, .key = 1, .size = 100},
        {.kind = HS_EVENT_REALLOC, .key = 0, .new_key = 0, .size = 5000},
        {.kind = HS_EVENT_MALLOC, .key = 2, .size = 40},
        {.kind = HS_EVENT_FREE, .key = 0},
    };
    hs_replay_t replay;
    uint32_t where;
    start(&replay, regions, 2);
    feed(&replay, events, sizeof events / sizeof events[0]);
    CHECK(replay.measure.live_blocks == 2, "the moved block is free");
    CHECK(hs_sim_check(replay.chip.region[1].heap, &where) == HS_OK, "at %u", where);
    hs_replay_free(&replay);
}

/* The table then held an address twice. */
static void an_address_given_again_after_a_moving_realloc_is_noticed(void)
{
    hs_lab_region_t region = region_like(DRAM, 0x3FFB0000u, 65536, "idf-5.5");
    const hs_event_t events[] = {
        {.kind = HS_EVENT_MALLOC, .key = 0x1000, .size = 16},
        {.kind = HS_EVENT_REALLOC, .key = 0x1000, .new_key = 0x9000, .size = 32},
        {.kind = HS_EVENT_MALLOC, .key = 0x9000, .size = 16},
        {.kind = HS_EVENT_FREE, .key = 0x9000},
        {.kind = HS_EVENT_FREE, .key = 0x9000},
    };
    hs_replay_t replay;
    start(&replay, &region, 1);
    replay.by_address = true;
    feed(&replay, events, sizeof events / sizeof events[0]);
    CHECK(replay.summary.reused_ids == 1, "%u", (unsigned)replay.summary.reused_ids);
    CHECK(replay.summary.unknown_frees == 1, "%u", (unsigned)replay.summary.unknown_frees);
    hs_replay_free(&replay);
}

/* Rounding wrapped around, and a pool of 64 KB held 4 GB. */
static void a_request_of_4_gb_fails(void)
{
    hs_lab_region_t region = region_like(DRAM, 0x3FFB0000u, 65536, "idf-5.5");
    const hs_event_t events[] = {
        {.kind = HS_EVENT_MALLOC, .key = 0, .size = 0xFFFFFFFDu},
        {.kind = HS_EVENT_MALLOC, .key = 1, .size = 0xFFFFFFFFu, .caps = WORD},
        {.kind = HS_EVENT_MALLOC, .key = 2, .size = UINT64_C(1) << 63},
        {.kind = HS_EVENT_MALLOC, .key = 3, .size = UINT64_C(1) << 63},
        {.kind = HS_EVENT_MALLOC, .key = 4, .size = 100},
        {.kind = HS_EVENT_REALLOC, .key = 4, .new_key = 4, .size = 0xFFFFFFFEu},
    };
    hs_replay_t replay;
    start(&replay, &region, 1);
    feed(&replay, events, sizeof events / sizeof events[0]);
    CHECK(replay.summary.failures == 5, "%u", (unsigned)replay.summary.failures);
    CHECK(replay.measure.live.now == 100, "%u", replay.measure.live.now);
    CHECK(replay.census.figures.live > UINT64_C(2) << 39, "the census does not wrap around");
    hs_replay_free(&replay);
}

/* The parts were those after the event, the minimum that of the moment inside it. */
static void the_tightest_moment_adds_up_to_the_minimum(void)
{
    hs_lab_region_t region = region_like(DRAM, 0x3FFB0000u, 65536, "idf-4.2");
    const hs_event_t events[] = {
        {.kind = HS_EVENT_MALLOC, .key = 0, .size = 20000},
        {.kind = HS_EVENT_MALLOC, .key = 1, .size = 16},
        {.kind = HS_EVENT_REALLOC, .key = 0, .new_key = 0, .size = 24000},
    };
    hs_replay_t replay;
    hs_lab_summary_t sum;
    start(&replay, &region, 1);
    feed(&replay, events, sizeof events / sizeof events[0]);
    hs_replay_summary(&replay, &sum);
    CHECK(sum.tightest_event == 2 && sum.tightest_moving >= 20000, "the move is the moment");
    CHECK(sum.tightest_free == replay.measure.malloc_low->minimum_free, "free is the minimum");
    CHECK(sum.tightest_payload + sum.tightest_rounding + sum.tightest_header +
                  sum.tightest_control + sum.tightest_startup + sum.tightest_moving +
                  sum.tightest_free ==
              65536,
          "the parts are the whole");
    hs_replay_free(&replay);
}

/* Requests above the layout's limit fail, so none of that size was allocatable. */
static void no_figure_exceeds_the_largest_request_allowed(void)
{
    hs_lab_region_t region = region_like(DRAM, 0x3FFB0000u, 262144, "idf-5.5");
    hs_lab_config_t config = {.regions = &region,
                              .region_count = 1,
                              .malloc_threshold = UINT32_MAX,
                              .malloc_small_caps = DEFAULT | INTERNAL,
                              .request_max = 65536};
    const hs_event_t event = {.kind = HS_EVENT_MALLOC, .size = 70000};
    hs_replay_t replay;
    hs_lab_set_row_t row;
    uint32_t where;
    CHECK(hs_replay_init(&replay, &config, &where) == HS_OK, "init");
    feed(&replay, &event, 1);
    hs_measure_capset_row(&replay.measure, 0, &row);
    CHECK(replay.summary.failures == 1, "it fails");
    CHECK(row.largest_allocatable == 65536, "%u", row.largest_allocatable);
    CHECK(replay.measure.failures.regions[0].largest_allocatable == 65536, "at the failure too");
    hs_replay_free(&replay);
}

/* malloc's threshold sends small and large requests to different regions. */
static void mallocs_largest_follows_its_rule(void)
{
    hs_lab_region_t regions[2] = {region_like(DRAM, 0x3FFB0000u, 65536, "idf-4.2"),
                                  region_like(IRAM, 0x40080000u, 4096, "idf-4.2")};
    hs_lab_config_t config = {.regions = regions,
                              .region_count = 2,
                              .malloc_threshold = 1000,
                              .malloc_small_caps = DEFAULT,
                              .malloc_large_caps = IRAM_BYTE};
    const hs_event_t events[] = {
        {.kind = HS_EVENT_MALLOC, .key = 0, .size = 4000},
        {.kind = HS_EVENT_MALLOC, .key = 1, .size = 50},
    };
    hs_replay_t replay;
    hs_lab_set_row_t row;
    uint32_t where;
    CHECK(hs_replay_init(&replay, &config, &where) == HS_OK, "init");
    hs_measure_capset_row(&replay.measure, 0, &row);
    CHECK(row.largest_allocatable == 4096 - 36, "the region for large ones: %u",
          row.largest_allocatable);
    feed(&replay, events, 2);
    hs_measure_capset_row(&replay.measure, 0, &row);
    CHECK(row.largest_allocatable == 1000, "only small ones are left: %u", row.largest_allocatable);
    hs_replay_free(&replay);
}

static void the_time_begins_with_the_first_event_of_any_kind(void)
{
    hs_lab_region_t region = region_like(DRAM, 0x3FFB0000u, 65536, "idf-5.5");
    const hs_event_t marks[] = {{.kind = HS_EVENT_MARK, .time = 7}};
    const hs_event_t later[] = {{.kind = HS_EVENT_MALLOC, .time = 90, .size = 8}};
    hs_replay_t replay;
    start(&replay, &region, 1);
    feed(&replay, marks, 1);
    feed(&replay, later, 1);
    CHECK(replay.census.figures.first_time == 7 && replay.census.figures.last_time == 90, "span");
    hs_replay_free(&replay);
}

/* Task 4095 used to carry all tasks behind it. */
static void tasks_beyond_the_table_are_gathered_under_no_ones_name(void)
{
    hs_lab_region_t region = region_like(DRAM, 0x3FFB0000u, 262144, "idf-5.5");
    static hs_lab_task_row_t rows[HS_LAB_TASKS_MAX];
    hs_replay_t replay;
    start(&replay, &region, 1);
    for (uint32_t task = 0; task < 5000; task++) {
        const hs_event_t event = {.kind = HS_EVENT_MALLOC, .key = task, .size = 4, .task = task};
        CHECK(hs_replay_events(&replay, task, &event, 1) == HS_OK, "task %u", task);
    }
    CHECK(hs_ledger_rows(&replay.measure.owners, rows, HS_LAB_TASKS_MAX) == HS_LAB_TASKS_MAX,
          "rows");
    CHECK(rows[HS_LAB_TASKS_MAX - 2].blocks == 1, "the last task with a row of its own");
    CHECK(rows[HS_LAB_TASKS_MAX - 1].task == UINT32_MAX, "the rest has no task");
    CHECK(rows[HS_LAB_TASKS_MAX - 1].blocks == 5000 - (HS_LAB_TASKS_MAX - 1), "and all blocks");
    hs_replay_free(&replay);
}

int main(void)
{
    an_aligned_block_that_moved_is_no_aligned_block_any_more();
    an_address_given_again_after_a_moving_realloc_is_noticed();
    a_request_of_4_gb_fails();
    the_tightest_moment_adds_up_to_the_minimum();
    no_figure_exceeds_the_largest_request_allowed();
    mallocs_largest_follows_its_rule();
    the_time_begins_with_the_first_event_of_any_kind();
    tasks_beyond_the_table_are_gathered_under_no_ones_name();
    return 0;
}
