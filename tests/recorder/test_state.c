/* A listener knows after each snapshot what the heap's own walk sees, whatever happened on the way: a slow
 * line, full rings, noise, cuts, levels, and a program that goes on while the snapshot is taken. */
#include "line.h"
#include "listener.h"

#define ROUNDS 60

typedef struct run {
    line_t line;
    hs_recorder_config_t config;
    listener_t *listener;
    _Alignas(8) uint8_t memory[1 << 18];
} run_t;

static run_t *run_begin(check_random_t *random, size_t records, void (*change)(run_t *))
{
    run_t *run = calloc(1, sizeof *run);
    CHECK(run != NULL);
    run->line.device.random = random;
    run->config = line_config(&run->line);
    change(run);
    run->line.device.recorder = hs_recorder_open(
        run->memory, hs_recorder_overhead() + records * HS_RECORDER_RECORD_BYTES, &run->config);
    CHECK(run->line.device.recorder != NULL);
    run->listener = listener_new();
    return run;
}

static void run_end(run_t *run)
{
    listener_delete(run->listener);
    free(run->line.bytes);
    free(run);
}

/* Lets the recorder write all there is, and the listener hear it. */
static void settle(run_t *run)
{
    run->line.room = SIZE_MAX / 2;
    run->line.broken = false;
    const bool busy = run->line.device.busy_walks;
    for (int i = 0; i < 2000; i++) {
        run->line.device.busy_walks = busy && i < 1000;
        (void)hs_recorder_drain(run->line.device.recorder, 10000);
    }
    CHECK_EQUAL(HS_OK, hs_recorder_flush(run->line.device.recorder));
    run->line.device.busy_walks = busy;
    listener_hear(run->listener, run->line.bytes, run->line.count);
    run->line.count = 0;
}

static void state_is_the_walk(run_t *run, bool sizes)
{
    const device_t *device = &run->line.device;
    hs_state_figures_t figures;
    hs_state_figures(run->listener->state, &figures);
    CHECK(figures.known);
    uint64_t blocks = 0;
    for (uint32_t number = 0; number < DEVICE_BLOCKS; number++) {
        hs_state_block_t block;
        const bool live = hs_state_find(run->listener->state, device_address(number), &block);
        CHECK_EQUAL(device->sizes[number] != 0, live);
        if (live && sizes) {
            CHECK_EQUAL(device->sizes[number], block.size);
        }
        blocks += live;
    }
    CHECK_EQUAL(blocks, figures.blocks);
}

static void nothing(run_t *run)
{
    (void)run;
}

static void busy(run_t *run)
{
    run->line.device.busy_walks = true;
}

/* Every event arrives where the line is quick enough, and none is reported twice. */
static void all_arrives(check_random_t *random)
{
    run_t *run = run_begin(random, 1024, nothing);
    for (int i = 0; i < 20000; i++) {
        device_step(&run->line.device);
        run->line.room = SIZE_MAX / 2;
        if (check_below(random, 100) == 0) {
            (void)hs_recorder_drain(run->line.device.recorder, 2000);
        }
    }
    settle(run);
    state_is_the_walk(run, true);
    hs_state_figures_t figures;
    hs_state_figures(run->listener->state, &figures);
    CHECK_EQUAL(0, figures.corrections + figures.voids + figures.unknown_frees + figures.overlaps);
    CHECK_EQUAL(run->line.device.issued, run->listener->heard);
    CHECK_EQUAL(run->line.device.failed, run->listener->failed);
    CHECK_EQUAL(0, run->listener->lost);
    CHECK_EQUAL(0, run->listener->health.lost_chunks + run->listener->health.skipped_bytes);
    run_end(run);
}

/* Rings that are full: what is missing is reported, to the event, and the next snapshot mends it. */
static void losses_are_counted(check_random_t *random, bool busy_walks)
{
    run_t *run = run_begin(random, 64, busy_walks ? busy : nothing);
    for (int round = 0; round < ROUNDS; round++) {
        const int steps = (int)check_below(random, 400);
        for (int i = 0; i < steps; i++) {
            device_step(&run->line.device);
            run->line.room = (size_t)check_below(random, 30);
            if (check_below(random, 4) == 0) {
                (void)hs_recorder_drain(run->line.device.recorder,
                                        1 + (size_t)check_below(random, 20));
            }
        }
        settle(run);
        state_is_the_walk(run, true);
    }
    hs_recorder_figures_t figures;
    hs_recorder_figures(run->line.device.recorder, &figures);
    CHECK(figures.lost > 0);
    CHECK_EQUAL(run->line.device.issued, run->listener->heard + run->listener->lost_heap);
    CHECK_EQUAL(figures.lost, run->listener->lost);
    run_end(run);
}

#if HS_RECORDER_LEVELS
/* Pairs that are counted and not written leave the state and the sum of events as they are. */
static void at_pairs(run_t *run)
{
    run->config.level = HS_LEVEL_PAIRS;
    run->line.device.busy_walks = true;
}

static void pairs_are_counted(check_random_t *random)
{
    run_t *run = run_begin(random, 256, at_pairs);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 300; i++) {
            device_step(&run->line.device);
            run->line.room = SIZE_MAX / 2;
            if (check_below(random, 20) == 0) {
                (void)hs_recorder_drain(run->line.device.recorder, 100);
            }
        }
        if (check_below(random, 4) == 0) {
            hs_recorder_snapshot(run->line.device.recorder);
        }
        settle(run);
        state_is_the_walk(run, true);
    }
    hs_state_figures_t figures;
    hs_state_figures(run->listener->state, &figures);
    CHECK(figures.pairs > 0);
    CHECK_EQUAL(0, figures.corrections + figures.voids);
    CHECK_EQUAL(run->line.device.issued,
                run->listener->heard + run->listener->lost_heap + 2 * figures.pairs);
    run_end(run);
}

/* Levels and filters that are switched at any time. */
static void automatic(run_t *run)
{
    run->config.automatic = true;
    run->config.sampling = 3;
}

static void levels_are_reported(check_random_t *random)
{
    run_t *run = run_begin(random, 128, automatic);
    for (int round = 0; round < ROUNDS; round++) {
        if (check_below(random, 3) == 0) {
            hs_recorder_level_set(run->line.device.recorder,
                                  (hs_recorder_level_t)check_below(random, 4));
        }
        if (check_below(random, 3) == 0) {
            const hs_recorder_filter_t filter = {.size_min = (uint32_t)check_below(random, 2) * 60};
            hs_recorder_filter_set(run->line.device.recorder, &filter);
        }
        for (int i = 0; i < 400; i++) {
            device_step(&run->line.device);
            run->line.room = (size_t)check_below(random, 60);
            if (check_below(random, 4) == 0) {
                (void)hs_recorder_drain(run->line.device.recorder,
                                        1 + (size_t)check_below(random, 20));
            }
        }
        const hs_recorder_filter_t none = {0};
        hs_recorder_filter_set(run->line.device.recorder, &none);
        hs_recorder_level_set(run->line.device.recorder, HS_LEVEL_ALL);
        settle(run);
        state_is_the_walk(run, true);
    }
    hs_state_figures_t figures;
    hs_state_figures(run->listener->state, &figures);
    CHECK_EQUAL(run->line.device.issued,
                run->listener->heard + run->listener->lost_heap + 2 * figures.pairs);
    run_end(run);
}

#endif

/* A line with wrong bytes, and log text between chunks: the listener counts what it did not get. */
static void noise_is_counted(check_random_t *random, unsigned noise, bool rude)
{
    run_t *run = run_begin(random, 1024, nothing);
    run->line.noise = noise;
    run->line.log = 3;
    run->line.rude = rude;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 200; i++) {
            device_step(&run->line.device);
        }
        settle(run);
    }
    run->line.noise = 0;
    run->line.rude = false;
    hs_recorder_snapshot(run->line.device.recorder);
    settle(run);
    state_is_the_walk(run, true);
    CHECK_EQUAL(run->line.device.issued, run->listener->heard + run->listener->health.lost_events);
    CHECK_EQUAL(noise != 0 || rude, run->listener->health.lost_events > 0);
    CHECK(run->listener->health.skipped_bytes > 0);
    run_end(run);
}

/* Cuts: the line is gone for a while, and the listener may have heard nothing before. */
static void cuts_are_survived(check_random_t *random)
{
    run_t *run = run_begin(random, 256, busy);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 200; i++) {
            device_step(&run->line.device);
            run->line.room = (size_t)check_below(random, 200);
            run->line.broken = check_below(random, 30) == 0;
            (void)hs_recorder_drain(run->line.device.recorder, 1 + (size_t)check_below(random, 20));
        }
        if (check_below(random, 4) == 0) { /* another listener, who joins in the middle */
            listener_delete(run->listener);
            run->listener = listener_new();
            run->line.count = 0;
            hs_recorder_joined(run->line.device.recorder);
        }
        settle(run);
        state_is_the_walk(run, true);
    }
    run_end(run);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    all_arrives(&random);
    losses_are_counted(&random, false);
    losses_are_counted(&random, true);
#if HS_RECORDER_LEVELS
    pairs_are_counted(&random);
    levels_are_reported(&random);
#endif
    noise_is_counted(&random, 0, false);
    noise_is_counted(&random, 0, true);
    noise_is_counted(&random, 5000, false);
    noise_is_counted(&random, 500, true);
    cuts_are_survived(&random);
    return 0;
}
