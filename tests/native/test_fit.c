/* A trace that is tried on a pool goes as in the replay with all measures, whatever the trace says. */
#include <string.h>

#include "../models/check.h"
#include "allocators/allocators.h"
#include "fit/fit.h"
#include "layout_for_tests.h"
#include "replay/replay.h"

#define BASE 0x20000000u
#define ALL_CAPS 0x7FFFFFFFu
#define EVENTS 900u
#define BATCHES 6u
#define PLACES 40u

/* Small requests of some tasks take from the high end, where a heap has two. */
static const hs_lab_rule_t rules[] = {{0, 120, 0, 1, 1}, {0, UINT32_MAX, 0, 1, 1}};
static const hs_lab_rule_name_t by_task[] = {{1, 0}, {0, 1}, {3, 2}, {1, 3}, {0, 4}};

/* The same pool as that of memory/layout/pool.py. */
static hs_lab_config_t config_of(hs_lab_region_t *region, const char *allocator, uint32_t size)
{
    memset(region, 0, sizeof *region);
    region->start = BASE;
    region->size = size;
    region->caps[0] = ALL_CAPS;
    strcpy(region->allocator, allocator);
    const hs_lab_config_t config = {.regions = region,
                                    .region_count = 1,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = DEFAULT | INTERNAL,
                                    .rules = rules,
                                    .rule_count = 2,
                                    .rule_tasks = {by_task, 5, 0},
                                    .rule_sites = {NULL, 0, UINT64_MAX},
                                    .rule_heaps = {NULL, 0, UINT64_MAX}};
    return config;
}

static uint64_t some_size(check_random_t *random, bool tame)
{
    static const uint64_t odd[] = {0, UINT32_MAX, UINT32_MAX - 1, UINT64_C(1) << 32, 1u << 20};
    const uint32_t draw = check_below(random, 400);
    return !tame && draw < 5 ? odd[draw] : draw < 9 ? 0 : check_below(random, 300);
}

/* Tame: what some pool can serve. */
static hs_event_t some_event(check_random_t *random, bool tame)
{
    static const uint8_t kinds[] = {HS_EVENT_MALLOC,  HS_EVENT_MALLOC,  HS_EVENT_CALLOC,
                                    HS_EVENT_ALIGNED, HS_EVENT_REALLOC, HS_EVENT_REALLOC,
                                    HS_EVENT_FREE,    HS_EVENT_FREE,    HS_EVENT_FREE,
                                    HS_EVENT_FAILED,  HS_EVENT_MARK};
    static const uint32_t caps[] = {EXEC, EXEC | BYTE, DMA | EXEC, 0x80000000u, WORD, BYTE};
    hs_event_t event = {.kind = kinds[check_below(random, sizeof kinds)]};
    event.key = check_below(random, PLACES);
    event.new_key = check_below(random, 3) ? event.key : check_below(random, PLACES);
    event.task = check_below(random, 5);
    if (event.kind != HS_EVENT_FREE && event.kind != HS_EVENT_MARK) {
        event.size = some_size(random, tame);
        event.caps = tame || check_below(random, 60) ? 0 : caps[check_below(random, 6)];
    }
    if (event.kind == HS_EVENT_ALIGNED) {
        event.align_log2 = (uint8_t)(tame || check_below(random, 50) ? check_below(random, 7) : 31);
    }
    if (event.kind == HS_EVENT_FAILED) {
        event.new_key = HS_EVENT_MALLOC;
    }
    return event;
}

typedef struct story {
    hs_event_t events[EVENTS];
    uint64_t first[BATCHES];
} story_t;

static void make_story(story_t *story, check_random_t *random, bool tame)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < EVENTS; i++) {
        if (i % (EVENTS / BATCHES) == 0) {
            story->first[i / (EVENTS / BATCHES)] = number;
        }
        story->events[i] = some_event(random, tame);
        if (i > 0 && story->events[i - 1].kind < HS_EVENT_ALIGNED && check_below(random, 3) == 0) {
            story->events[i].kind = HS_EVENT_FREE; /* right behind its malloc */
            story->events[i].key = story->events[i - 1].key;
        }
        number += HS_EVENT_IS_HEAP(story->events[i].kind);
    }
}

/* false: there is no heap on the pool. */
static bool replayed(const story_t *story, const char *allocator, uint32_t size,
                     hs_replay_t *replay)
{
    hs_lab_region_t region;
    const hs_lab_config_t config = config_of(&region, allocator, size);
    uint32_t where;
    if (hs_replay_init(replay, &config, &where) != HS_OK) {
        hs_replay_free(replay);
        return false;
    }
    replay->by_address = true;
    for (uint32_t b = 0; b < BATCHES; b++) {
        CHECK(hs_replay_events(replay, story->first[b], &story->events[b * (EVENTS / BATCHES)],
                               EVENTS / BATCHES) == HS_OK,
              "batch %u", b);
    }
    return true;
}

/* Mallocs that the next step undoes. */
static uint32_t undone_in(const hs_fit_t *fit)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < fit->steps; i++) {
        const uint32_t what = fit->chunks[i / HS_FIT_CHUNK][i % HS_FIT_CHUNK].what;
        count += (what & HS_FIT_UNDONE) && (what & HS_FIT_KIND) < HS_EVENT_ALIGNED;
    }
    return count;
}

static void compare(const story_t *story, const hs_fit_t *fit, const char *name, uint32_t size,
                    uint32_t outcomes[4])
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    hs_lab_fit_t tried;
    CHECK(hs_fit_try(fit, allocator, size, &tried) == HS_OK, "%s on %u", name, size);
    outcomes[tried.outcome]++;
    static hs_replay_t replay;
    if (!replayed(story, name, size, &replay)) {
        CHECK(tried.outcome == HS_LAB_FIT_NO_HEAP, "%s on %u", name, size);
        return;
    }
    const bool failed = replay.summary.failures != 0;
    CHECK(failed == (tried.outcome != HS_LAB_FIT_SURVIVES), "%s on %u", name, size);
    CHECK(tried.event == replay.summary.first_failure_event, "%s on %u", name, size);
    if (failed) {
        const hs_lab_failure_row_t *row = &replay.measure.failures.rows[0];
        CHECK(tried.size == row->size && tried.call == row->call && tried.task == row->task &&
                  tried.align == row->align,
              "%s on %u: event %llu", name, size, (unsigned long long)tried.event);
    }
    hs_replay_free(&replay);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    static const char *const names[] = {"idf-4.2", "idf-5.5+light", "heap_4",
                                        "umm",     "o1heap",        "heapscope"};
    uint32_t outcomes[4] = {0};
    for (uint32_t round = 0; round < 60; round++) {
        static story_t story;
        make_story(&story, &random, round % 2);
        hs_fit_t fit;
        CHECK(hs_fit_init(&fit, BASE) == HS_OK, "memory");
        hs_lab_region_t region;
        const hs_lab_config_t config = config_of(&region, "heapscope", 4096);
        CHECK(hs_fit_ends(&fit, &config) == HS_OK, "rules");
        for (uint32_t b = 0; b < BATCHES; b++) {
            CHECK(hs_fit_events(&fit, &story.events[b * (EVENTS / BATCHES)], EVENTS / BATCHES) ==
                      HS_OK,
                  "batch %u", b);
        }
        CHECK(undone_in(&fit) > 20, "%u are undone", undone_in(&fit));
        for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            compare(&story, &fit, names[i], 16 + check_below(&random, 400), outcomes);
            compare(&story, &fit, names[i], 1000 + check_below(&random, 12000), outcomes);
            compare(&story, &fit, names[i], 200000 + check_below(&random, 200000), outcomes);
        }
        hs_fit_free(&fit);
    }
    for (uint32_t i = 0; i < 4; i++) {
        CHECK(outcomes[i] > 5, "outcome %u came %u times", i, outcomes[i]);
    }
    return 0;
}
