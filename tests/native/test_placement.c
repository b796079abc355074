/* Rules that place requests: which one counts, what a full region means, and that every byte of a
 * private heap stays accounted for. */
#include "../models/check.h"
#include "chip/setup.h"
#include "layout_for_tests.h"
#include "replay/heap_events.h"
#include "replay/replay.h"

enum { PRIVATE = REGIONS, HEAPS, KIND_PRIVATE = KINDS, PRIVATE_SIZE = 1200 };

#define ANY_RULE UINT64_MAX
#define TASKS 4u
#define SLOTS 64u

static hs_lab_region_t private_heap(uint32_t size, const char *allocator, uint32_t from)
{
    hs_lab_region_t region = {
        .size = size, .kind = KIND_PRIVATE, .private_heap = 1, .taken_from = from};
    strcpy(region.allocator, allocator);
    return region;
}

/* Blocks of task 1 below 200 bytes go to the private heap alone; all of task 2 to IRAM or else by
 * capabilities; the rest from 1000 bytes on to D/IRAM. */
static const hs_lab_rule_t rules[] = {{0, 199, 1u << PRIVATE, 0, 0},
                                      {0, UINT32_MAX, 1u << 3, 1, 0},
                                      {1000, UINT32_MAX, 1u << 2, 1, 0}};
static const hs_lab_rule_name_t by_task[TASKS] = {
    {1u << 2, 0}, {1u << 0 | 1u << 2, 1}, {1u << 1 | 1u << 2, 2}, {1u << 2, 3}};

static hs_status_t begin(hs_replay_t *replay, hs_lab_region_t list[HEAPS], const char *allocator)
{
    hs_lab_config_t config = config_like_esp32(list, allocator);
    list[PRIVATE] = private_heap(PRIVATE_SIZE, allocator, 1u << 1);
    config.region_count = HEAPS;
    config.rules = rules;
    config.rule_count = sizeof rules / sizeof rules[0];
    config.rule_tasks = (hs_lab_rule_names_t){by_task, TASKS, 0};
    config.rule_sites.others = config.rule_heaps.others = ANY_RULE;
    uint32_t where;
    return hs_replay_init(replay, &config, &where);
}

static uint32_t region_of(hs_replay_t *replay, uint64_t key)
{
    const hs_block_t *block = hs_blocks_find(&replay->blocks, key);
    CHECK(block != NULL, "block %u", (unsigned)key);
    return (block->flags & HS_BLOCK_NOWHERE) ? UINT32_MAX : block->place.region;
}

static void feed(hs_replay_t *replay, const hs_event_t *events, size_t count)
{
    CHECK(hs_replay_events(replay, replay->expected, events, count) == HS_OK, "events");
}

static void the_first_rule_of_which_all_holds_counts(void)
{
    hs_lab_region_t list[HEAPS];
    hs_replay_t replay;
    CHECK(begin(&replay, list, "idf-5.5") == HS_OK, "init");
    const hs_event_t events[] = {
        {.kind = HS_EVENT_MALLOC, .key = 0, .size = 199, .task = 1},
        {.kind = HS_EVENT_MALLOC, .key = 1, .size = 200, .task = 1},
        {.kind = HS_EVENT_MALLOC, .key = 2, .size = 1000, .task = 1},
        {.kind = HS_EVENT_MALLOC, .key = 3, .size = 1000, .task = 2},
        {.kind = HS_EVENT_CALLOC, .key = 4, .size = 100, .task = 7}, /* beyond all names */
        {.kind = HS_EVENT_MALLOC, .key = 5, .size = 100, .task = 2, .caps = DMA}, /* not IRAM's */
        {.kind = HS_EVENT_MALLOC, .key = 6, .size = 100, .task = 1, .caps = EXEC},
        {.kind = HS_EVENT_MALLOC, .key = 7, .size = 0, .task = 1},
    };
    feed(&replay, events, sizeof events / sizeof events[0]);
    const uint32_t expected[] = {PRIVATE, 0, 2, 3, 0, 0, 3, UINT32_MAX};
    for (uint32_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        CHECK(region_of(&replay, i) == expected[i], "block %u in %u", i, region_of(&replay, i));
    }
    const hs_lab_rule_row_t *row = replay.placement.row;
    CHECK(row[0].requests == 2 && row[0].unfit == 1 && row[0].payload == 199, "rule 1");
    CHECK(row[1].requests == 2 && row[1].unfit == 1 && row[1].blocks == 1, "rule 2");
    CHECK(row[2].requests == 1 && row[3].requests == 2, "the others");
    hs_replay_free(&replay);
}

static void a_full_private_heap_fails_and_a_full_region_gives_way(void)
{
    hs_lab_region_t list[HEAPS];
    hs_replay_t replay;
    CHECK(begin(&replay, list, "idf-5.5") == HS_OK, "init");
    uint64_t key = 0;
    while (replay.summary.failures == 0 && key < 100) {
        const hs_event_t event = {.kind = HS_EVENT_MALLOC, .key = key++, .size = 150, .task = 1};
        feed(&replay, &event, 1);
    }
    CHECK(region_of(&replay, key - 1) == UINT32_MAX && region_of(&replay, key - 2) == PRIVATE,
          "full after %u", (unsigned)key);
    const hs_lab_failure_region_t *regions = replay.measure.failures.regions;
    CHECK(regions[PRIVATE].eligible == 1 && regions[0].eligible == 0, "who could have served it");
    const hs_event_t more[] = {
        {.kind = HS_EVENT_MALLOC, .key = 200, .size = 4000, .task = 2},
        {.kind = HS_EVENT_MALLOC, .key = 201, .size = 4000, .task = 2},
        {.kind = HS_EVENT_REALLOC, .key = 0, .new_key = 0, .size = 199, .task = 1},
        {.kind = HS_EVENT_REALLOC, .key = 0, .new_key = 0, .size = 300, .task = 1},
    };
    feed(&replay, more, 3);
    CHECK(region_of(&replay, 200) == 3 && region_of(&replay, 201) == 1, "IRAM, then DRAM");
    CHECK(replay.placement.row[1].refused == 1 && replay.placement.row[1].elsewhere == 1, "said");
    CHECK(replay.summary.failures == 2 && region_of(&replay, 0) == PRIVATE, "it cannot grow");
    feed(&replay, more + 3, 1);
    CHECK(region_of(&replay, 0) == 0, "a size of no rule moves out");
    hs_replay_free(&replay);
}

static void a_private_heap_costs_what_its_block_costs(void)
{
    hs_lab_region_t list[HEAPS];
    hs_lab_region_t without[REGIONS];
    hs_chip_t chip;
    hs_lab_config_t config = config_like_esp32(without, "idf-4.2");
    hs_replay_t replay;
    uint32_t where, kinds;
    uint64_t unplaced;
    CHECK(begin(&replay, list, "idf-4.2") == HS_OK, "init");
    CHECK(hs_chip_init(&chip, &config, &where, &kinds, &unplaced) == HS_OK, "init");
    const uint32_t offset = hs_sim_malloc(chip.region[1].heap, PRIVATE_SIZE);
    const hs_chip_region_t *from = &replay.chip.region[1], *heap = &replay.chip.region[PRIVATE];
    CHECK(heap->start == from->start + offset, "at %#x", heap->start);
    CHECK(from->heap->tally.free == chip.region[1].heap->tally.free, "and as much is left");
    CHECK(from->startup == PRIVATE_SIZE, "%u", from->startup);
    CHECK(replay.chip.refusals[1] == 0, "no try of the program's");
    hs_chip_free(&chip);
    hs_replay_free(&replay);
}

static void bad_rules_are_refused(void)
{
    hs_lab_region_t list[HEAPS];
    hs_lab_config_t config = config_like_esp32(list, "idf-5.5");
    const hs_lab_rule_t nowhere = {0, 1, 0, 0, 0}, beyond = {0, 1, 1u << HEAPS, 0, 0};
    hs_placement_t placement;
    list[PRIVATE] = private_heap(PRIVATE_SIZE, "idf-5.5", 1u << PRIVATE);
    config.region_count = HEAPS;
    CHECK(hs_placement_init(&placement, &config) == HS_ERR_ARGUMENT, "taken from itself");
    list[PRIVATE].taken_from = 1;
    config.rule_count = 1;
    config.rules = &nowhere;
    CHECK(hs_placement_init(&placement, &config) == HS_ERR_ARGUMENT, "for no region");
    config.rules = &beyond;
    CHECK(hs_placement_init(&placement, &config) == HS_ERR_ARGUMENT, "for one that is not there");
    config.rule_count = HS_LAB_RULES_MAX + 1;
    CHECK(hs_placement_init(&placement, &config) == HS_ERR_ARGUMENT, "too many");

    hs_replay_t replay;
    list[PRIVATE].size = 12000; /* its region has 12000 with its heap's own tables */
    config.rule_count = 0;
    uint32_t where;
    CHECK(hs_replay_init(&replay, &config, &where) == HS_ERR_MEMORY && where == PRIVATE,
          "no room for it, said of %u", where);
    hs_replay_free(&replay);
}

/* ---- a long random program -------------------------------------------------------------------- */

static void check_all(const hs_replay_t *replay)
{
    uint64_t payload = 0, blocks = 0, placed = 0;
    for (uint32_t i = 0; i <= replay->placement.count; i++) {
        payload += replay->placement.row[i].payload;
        blocks += replay->placement.row[i].blocks;
    }
    CHECK(payload == replay->measure.live.now, "every byte by a rule or by none");
    CHECK(blocks == replay->measure.live_blocks, "and every block");
    for (uint32_t i = 0; i < HEAPS; i++) {
        hs_lab_region_row_t row;
        hs_measure_region_parts(&replay->measure, i, &row);
        placed += row.payload;
        CHECK(row.control + row.header + row.startup + row.payload + row.rounding + row.free ==
                      row.size &&
                  row.rounding < row.size,
              "region %u in parts", i);
        uint32_t where;
        CHECK(hs_sim_check(replay->chip.region[i].heap, &where) == HS_OK, "%u at %u", i, where);
    }
    CHECK(placed == payload, "every byte in a region");
}

static hs_event_t random_event(check_random_t *random, bool live[SLOTS])
{
    static const uint32_t caps[] = {0, 0, 0, 0, DMA, INTERNAL, EXEC, BYTE};
    const uint32_t slot = check_below(random, SLOTS);
    hs_event_t event = {.key = slot, .new_key = slot, .task = check_below(random, TASKS + 1)};
    event.kind = HS_EVENT_FREE;
    if (!live[slot]) {
        event.kind = (uint8_t)(HS_EVENT_MALLOC + check_below(random, 3));
        event.align_log2 = event.kind == HS_EVENT_ALIGNED ? (uint8_t)check_below(random, 7) : 0;
    } else if (check_below(random, 2) != 0) {
        event.kind = HS_EVENT_REALLOC;
    }
    live[slot] = event.kind != HS_EVENT_FREE;
    if (live[slot]) {
        event.size = 1 + check_below(random, check_below(random, 4) != 0 ? 300 : 3000);
        event.caps = caps[check_below(random, 8)];
    }
    return event;
}

static void any_program_leaves_everything_accounted_for(check_random_t *random,
                                                        const char *allocator,
                                                        hs_lab_rule_row_t *seen)
{
    hs_lab_region_t list[HEAPS];
    bool live[SLOTS] = {false};
    hs_replay_t replay;
    CHECK(begin(&replay, list, allocator) == HS_OK, "init");
    replay.by_address = true; /* slots come again */
    for (uint32_t i = 0; i < 4000; i++) {
        const hs_event_t event = random_event(random, live);
        const hs_request_t request = hs_replay_request(&event);
        const uint64_t failures = replay.summary.failures;
        const bool fits = hs_placement_fits(&replay.placement, &replay.chip, &event, &request);
        feed(&replay, &event, 1);
        if (event.kind >= HS_EVENT_MALLOC && event.kind <= HS_EVENT_ALIGNED) {
            CHECK(fits == (replay.summary.failures == failures), "fits agrees at %u", i);
        }
        check_all(&replay);
    }
    for (uint32_t i = 0; i < replay.placement.count; i++) {
        seen->refused += replay.placement.row[i].refused;
        seen->elsewhere += replay.placement.row[i].elsewhere;
        seen->unfit += replay.placement.row[i].unfit;
    }
    CHECK(replay.placement.row[0].elsewhere == 0, "a private heap gives nothing away");
    hs_replay_free(&replay);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    hs_lab_rule_row_t seen = {0};
    the_first_rule_of_which_all_holds_counts();
    a_full_private_heap_fails_and_a_full_region_gives_way();
    a_private_heap_costs_what_its_block_costs();
    bad_rules_are_refused();
    any_program_leaves_everything_accounted_for(&random, "idf-5.5+light", &seen);
    any_program_leaves_everything_accounted_for(&random, "idf-4.2", &seen);
    any_program_leaves_everything_accounted_for(&random, "heap_4", &seen);
    CHECK(seen.refused > seen.elsewhere && seen.elsewhere != 0 && seen.unfit != 0, "all of it");
    return 0;
}
