/* A stretch that is played again and again: each round is a run that a program can make, and leaves what the
 * stretch left over. */
#include "../models/check.h"
#include "jitter/cycle.h"

#include <string.h>

#define EVENTS 900
#define HELD 64
#define ROUNDS 12
#define KEYS (EVENTS * (ROUNDS + 1))

static check_random_t random_state;

static uint32_t draw(uint32_t below)
{
    return check_below(&random_state, below);
}

/* The blocks that are live, by key: those of the recording, and behind them those of the rounds. */
typedef struct shadow {
    bool live[2 * KEYS];
    uint32_t count;
    uint64_t time;
    uint32_t allocations, frees;
} shadow_t;

static shadow_t shadow;
static int number_now;

static size_t place(uint64_t key)
{
    return (size_t)(key >= HS_LAB_ROUND_KEY ? KEYS + (key - HS_LAB_ROUND_KEY) : key);
}

static hs_status_t follow(void *context, const hs_event_t *events, size_t count)
{
    shadow_t *held = context;
    for (size_t i = 0; i < count; i++) {
        const hs_event_t *event = &events[i];
        CHECK(event->time >= held->time, "round %d", number_now);
        held->time = event->time;
        const size_t at = place(event->key);
        CHECK(at < 2 * KEYS, "round %d", number_now);
        if (event->kind == HS_EVENT_MALLOC) {
            CHECK(!held->live[at], "round %d", number_now);
            held->live[at] = true;
            held->count++;
            held->allocations++;
        } else {
            CHECK(held->live[at], "round %d", number_now);
            CHECK(event->kind == HS_EVENT_FREE || event->new_key == event->key, "round %d",
                  number_now);
            held->frees += event->kind == HS_EVENT_FREE;
            held->live[at] = event->kind != HS_EVENT_FREE;
            held->count -= event->kind == HS_EVENT_FREE;
        }
    }
    return HS_OK;
}

/* A program whose blocks live long or short; every tenth of site 7 is never freed. */
static uint32_t record(hs_event_t *events, uint64_t *leaked)
{
    uint64_t keys[HELD];
    uint32_t held = 0, count = 0;
    uint64_t key = 0;
    while (count < EVENTS) {
        hs_event_t event = {.time = 10u * count, .task = draw(3)};
        const uint32_t what = draw(10);
        if (held == HELD || (held != 0 && what < 5)) {
            const uint32_t at = draw(held);
            event.kind = HS_EVENT_FREE;
            event.key = keys[at];
            keys[at] = keys[--held];
        } else if (held != 0 && what == 5) {
            event.kind = HS_EVENT_REALLOC;
            event.key = event.new_key = keys[draw(held)];
            event.size = 1 + draw(300);
            event.site = 9;
        } else {
            const bool leaks = what == 6 && draw(4) == 0;
            event.kind = HS_EVENT_MALLOC;
            event.key = key++;
            event.size = 1 + draw(200);
            event.site = leaks ? 7 : 1 + draw(4);
            if (leaks) {
                leaked[count] = event.size;
            } else {
                keys[held++] = event.key;
            }
        }
        events[count++] = event;
    }
    return count;
}

static void try_one(int number)
{
    static hs_event_t events[EVENTS];
    static hs_lab_growth_row_t rows[EVENTS];
    uint64_t leaked[EVENTS] = {0};
    number_now = number;
    memset(&shadow, 0, sizeof shadow);
    const uint32_t count = record(events, leaked);
    const uint64_t first = draw(count / 2), stop = first + 1 + draw((uint32_t)(count - first - 1));
    hs_cycle_t cycle;
    hs_rounds_t rounds;
    CHECK(hs_cycle_init(&cycle, first, stop) == HS_OK, "round %d", number_now);
    CHECK(hs_cycle_learn(&cycle, events, count) == HS_OK, "round %d", number_now);
    CHECK(hs_cycle_close(&cycle) == HS_OK, "round %d", number_now);
    CHECK(follow(&shadow, events, (size_t)stop) == HS_OK, "round %d", number_now);

    uint64_t never = 0, found = 0;
    for (uint64_t i = first; i < stop; i++) {
        never += leaked[i] != 0;
    }
    const size_t left = hs_cycle_growth(&cycle, rows, EVENTS);
    for (size_t i = 0; i < left; i++) {
        found += rows[i].site == 7;
        if (rows[i].site != 7) { /* the others return to their level */
            hs_cycle_level(&cycle, rows[i].task, rows[i].site, 1);
        }
    }
    CHECK(found == never, "round %d", number_now);

    CHECK(hs_rounds_init(&rounds, &cycle) == HS_OK, "round %d", number_now);
    uint32_t before = 0;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        CHECK(hs_rounds_play(&rounds, follow, &shadow) == HS_OK, "round %d", number_now);
        if (round > 2) { /* what lived long before the stretch is gone by then */
            CHECK(shadow.count == before + never, "round %d", number_now);
        }
        before = shadow.count;
    }
    CHECK(rounds.played == ROUNDS, "round %d", number_now);
    hs_rounds_free(&rounds);
    hs_cycle_free(&cycle);
}

static void refuses(void)
{
    hs_cycle_t cycle;
    CHECK(hs_cycle_init(&cycle, 5, 5) == HS_ERR_ARGUMENT, "round %d", number_now);
    CHECK(hs_cycle_init(&cycle, 0, HS_CYCLE_EVENTS_MAX + 1ull) == HS_ERR_ARGUMENT, "round %d",
          number_now);
}

int main(int argc, char **argv)
{
    random_state = check_start(argc, argv);
    for (int number = 0; number < check_rounds(300); number++) {
        try_one(number);
    }
    refuses();
    return 0;
}
