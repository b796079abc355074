/*
 * The data that a report is drawn from never change a replay, and agree with it at every moment: cells with
 * the heaps' free bytes, the table with the blocks that are live, holdings with the payload. Events
 * name dead and reused blocks too.
 */
#include "../models/check.h"
#include "layout_for_tests.h"
#include "replay/replay.h"

#define EVENTS 20000u
#define TASKS 3u
#define COLUMNS 64u

static const uint32_t rows[REGIONS] = {17, 60, 31, 25};

static hs_event_t some_event(check_random_t *random, uint64_t number, bool addresses)
{
    static const uint32_t request[] = {0, 0, 0, BYTE, WORD, EXEC};
    hs_event_t event = {.kind = HS_EVENT_MALLOC, .time = 3 * number};
    const uint32_t pick = check_below(random, 100);
    event.task = check_below(random, TASKS);
    event.site = check_below(random, 5);
    event.key = event.new_key = check_below(random, 90);
    event.size = pick % 7 == 0 ? check_below(random, 4000) : check_below(random, 200);
    event.caps = request[check_below(random, sizeof request / sizeof request[0])];
    if (pick < 40) {
        event.kind = HS_EVENT_FREE;
    } else if (pick < 60) {
        event.kind = HS_EVENT_REALLOC;
        event.new_key = addresses ? check_below(random, 90) : event.key;
    } else if (pick < 63) {
        event.kind = HS_EVENT_ALIGNED;
        event.align_log2 = (uint8_t)check_below(random, 7);
    } else if (pick < 65) {
        event.kind = HS_EVENT_FAILED;
        event.new_key = HS_EVENT_MALLOC;
    }
    return event;
}

/* The same events again for the same seed. */
static void run(hs_replay_t *replay, check_random_t random, bool addresses)
{
    replay->by_address = addresses;
    for (uint64_t e = 0; e < EVENTS; e++) {
        const hs_event_t event = some_event(&random, e, addresses);
        CHECK(hs_replay_events(replay, e, &event, 1) == HS_OK, "event %u", (unsigned)e);
    }
    CHECK(hs_replay_finish(replay) == HS_OK, "finish");
}

static void start(hs_replay_t *replay, hs_lab_region_t *regions, const char *allocator)
{
    uint32_t where;
    const hs_lab_config_t config = config_like_esp32(regions, allocator);
    CHECK(hs_replay_init(replay, &config, &where) == HS_OK, "%s, region %u", allocator, where);
}

static void compare_columns(const hs_replay_t *replay)
{
    const hs_columns_t *columns = &replay->survey.columns;
    uint64_t events = 0, most = 0;
    uint32_t free = UINT32_MAX, largest = UINT32_MAX;
    for (uint32_t i = 0; i < columns->used; i++) {
        const hs_lab_column_row_t *row = &columns->rows[i];
        CHECK(row->first_event == events, "column %u begins where the one before ends", i);
        CHECK(row->most_live_event - row->first_event < row->events, "its moment is in it");
        events += row->events;
        most = row->most_live > most ? row->most_live : most;
        free = row->least_free < free ? row->least_free : free;
        largest = row->least_largest < largest ? row->least_largest : largest;
    }
    hs_lab_set_row_t malloc_row;
    hs_measure_capset_row(&replay->measure, 0, &malloc_row);
    CHECK(events == EVENTS, "every event is in a column");
    CHECK(most == replay->measure.live_peak, "the peak is kept");
    CHECK(free == malloc_row.minimum_free, "the minimum of free bytes is kept");
    CHECK(largest == malloc_row.minimum_largest_allocatable, "that of the largest too");
}

static bool add_free(void *context, const hs_walk_block_t *block)
{
    *(uint64_t *)context += block->used ? 0 : block->size;
    return true;
}

/* The last column shows the heaps as they are when its moment is the last event. */
static void compare_cells(const hs_replay_t *replay)
{
    const hs_picture_t *picture = &replay->survey.picture;
    const size_t last = (picture->taken - 1) * picture->rows;
    uint32_t row = 0;
    for (uint32_t i = 0; i < REGIONS; i++) {
        const hs_chip_region_t *region = &replay->chip.region[i];
        uint64_t true_free = 0;
        double free = 0;
        hs_sim_walk(region->heap, add_free, &true_free);
        for (uint32_t r = 0; r < rows[i]; r++, row++) {
            const double height = (double)region->size / rows[i];
            free += height * (255 - picture->used[last + row]) / 255;
        }
        const double error = (double)region->size / 255 + rows[i] + 1;
        CHECK(free <= (double)true_free + rows[i] + 1 && free >= (double)true_free - error,
              "region %u: %f free in the picture, %u in the heap", i, free, (unsigned)true_free);
    }
}

static void compare_table(const hs_replay_t *replay)
{
    const hs_picture_t *picture = &replay->survey.picture;
    const size_t last = (picture->taken - 1) * picture->rows;
    for (uint32_t row = 0; row < picture->rows; row++) {
        const uint32_t number = picture->block[last + row];
        CHECK(number <= picture->block_count, "a cell names a row of the table");
        if (number == 0) {
            continue;
        }
        const hs_lab_block_row_t *block = &picture->blocks[number - 1];
        CHECK(block->died == HS_LAB_NEVER, "what is drawn last lives at the end");
        bool hit = false;
        for (size_t i = 0; i < replay->blocks.used; i++) {
            const hs_block_t *live = &replay->blocks.records[i];
            hit |= (live->flags & HS_BLOCK_LIVE) && !(live->flags & HS_BLOCK_NOWHERE) &&
                   replay->chip.region[live->place.region].start + live->place.offset ==
                       block->address &&
                   live->requested == block->size;
        }
        CHECK(hit, "a block of %u bytes at %08x is live", block->size, block->address);
    }
}

static void compare_holdings(const hs_replay_t *replay)
{
    hs_lab_holding_row_t match[64];
    uint64_t live = 0, peak = 0, failures = 0;
    const size_t sites = hs_holdings_sites(&replay->survey.holdings, match, 64);
    CHECK(sites <= 64, "five sites and the unknown one");
    for (size_t i = 0; i < sites; i++) {
        live += match[i].payload;
        peak += match[i].payload_at_peak;
        failures += match[i].failures;
    }
    CHECK(live == replay->measure.live.now, "sites hold what is live");
    CHECK(peak == replay->measure.live_peak, "and held the peak");
    CHECK(failures == replay->summary.failures, "every failure has a site");
    const size_t classes = hs_holdings_classes(&replay->survey.holdings, match, 64);
    for (size_t i = 0; i < classes; i++) {
        live -= match[i].payload;
    }
    CHECK(live == 0, "classes hold the same");
}

static void survey(const char *allocator, check_random_t random, bool addresses)
{
    hs_lab_region_t regions[REGIONS];
    hs_replay_t plain, scan, draw;
    start(&plain, regions, allocator);
    run(&plain, random, addresses);
    start(&scan, regions, allocator);
    CHECK(hs_replay_survey(&scan, COLUMNS) == HS_OK, "survey");
    run(&scan, random, addresses);
    compare_columns(&scan);

    uint64_t events[COLUMNS + 1];
    size_t count = 0;
    for (; count < scan.survey.columns.used; count++) {
        events[count] = scan.survey.columns.rows[count].most_live_event;
    }
    if (events[count - 1] != EVENTS - 1) {
        events[count++] = EVENTS - 1; /* so that the heaps can be looked at */
    }
    start(&draw, regions, allocator);
    CHECK(hs_replay_draw(&draw, events, count, rows, plain.measure.live_peak_event) == HS_OK,
          "draw");
    run(&draw, random, addresses);
    CHECK(draw.survey.picture.taken == count, "every moment is drawn");
    compare_cells(&draw);
    compare_table(&draw);
    compare_holdings(&draw);
    CHECK(plain.summary.digest == scan.summary.digest &&
              plain.summary.digest == draw.summary.digest && plain.summary.failures > 10,
          "%s: looking changes nothing", allocator);
    hs_replay_free(&plain);
    hs_replay_free(&scan);
    hs_replay_free(&draw);
}

static void what_cannot_be_drawn_is_refused(void)
{
    hs_lab_region_t regions[REGIONS];
    const uint64_t good[] = {1, 2}, bad[] = {2, 2};
    const uint32_t none[REGIONS] = {0}, many[REGIONS] = {HS_LAB_PICTURE_ROWS, 1, 0, 0};
    const struct {
        const uint64_t *events;
        size_t count;
        const uint32_t *rows;
    } wrong[] = {{bad, 2, rows}, {good, 0, rows}, {good, 2, none}, {good, 2, many}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        hs_replay_t replay;
        start(&replay, regions, "idf-5.5");
        CHECK(hs_replay_draw(&replay, wrong[i].events, wrong[i].count, wrong[i].rows, 0) ==
                  HS_ERR_ARGUMENT,
              "case %u", (unsigned)i);
        hs_replay_free(&replay);
    }
    hs_replay_t replay;
    start(&replay, regions, "idf-5.5");
    CHECK(hs_replay_survey(&replay, 3) == HS_ERR_ARGUMENT, "an odd number of columns");
    hs_replay_free(&replay);
}

int main(int argc, char **argv)
{
    what_cannot_be_drawn_is_refused();
    check_random_t random = check_start(argc, argv);
    static const char *const allocators[] = {"idf-4.2", "idf-5.5", "idf-5.5+light", "idf-4.2+track",
                                             "umm",     "heap_4",  "heapscope",     "sys_heap"};
    for (size_t i = 0; i < sizeof allocators / sizeof allocators[0]; i++) {
        check_next(&random);
        survey(allocators[i], random, i % 2 == 0);
    }
    return 0;
}
