/*
 * Runs a program on a heap: main CALLS ARENA CHECK_EVERY REFUSE_ONE_IN SEED SCRIPT. It makes rounds until
 * CALLS calls have reached the heap, or SIGTERM comes, and prints a line of JSON. 0: no fault was found.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"
#include "shadow.h"
#include "work.h"

#define EMPTY_TRIES 10000

static struct {
    uint64_t rounds, failed_rounds, digest;
    uint64_t empty, first_ticks;
    double began;
    heap_figures_t start;
} run = {.digest = 0xCBF29CE484222325u};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    (void)signal;
    stopped = 1;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- for the programs ------------------------------------------------------------------------- */

void work_note(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) { /* FNV-1a */
        run.digest = (run.digest ^ at[i]) * 0x100000001B3u;
    }
}

const char *work_message(const char *text)
{
    static char kept[200];
    size_t length = 0;
    for (; text[length] != '\0' && length + 1 < sizeof kept; length++) {
        const char c = text[length];
        kept[length] = c < ' ' || c == '"' || c == '\\' ? ' ' : c;
    }
    kept[length] = '\0';
    return kept;
}

uint32_t work_random(uint64_t *state) /* Knuth's MMIX generator; its high bits */
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* ---- the end ---------------------------------------------------------------------------------- */

static void tell(const char *fault, const char *failure)
{
    const call_counts_t built = call_counts();
    const shadow_use_t use = shadow_use();
    const heap_figures_t now = heap_figures();
    const uint64_t ticks = calls_ticks() - run.first_ticks;
    const double per_tick =
        ticks != 0 ? (seconds(CLOCK_MONOTONIC) - run.began) * 1e9 / (double)ticks : 0;
    const double mean = built.timed != 0 ? (double)built.ticks / (double)built.timed : 0;
    const double own = mean > (double)run.empty ? (mean - (double)run.empty) * per_tick : 0;
    printf("{\"calls\": %" PRIu64 ", \"mallocs\": %" PRIu64 ", \"callocs\": %" PRIu64
           ", \"reallocs\": %" PRIu64 ", \"frees\": %" PRIu64 ", \"failed\": %" PRIu64
           ", \"refused\": %" PRIu64 ", \"checks\": %" PRIu64 ", \"rounds\": %" PRIu64
           ", \"failed_rounds\": %" PRIu64,
           calls_sum(), built.mallocs, built.callocs, built.reallocs, built.frees, built.failed,
           built.refused, built.checks, run.rounds, run.failed_rounds);
    printf(", \"seconds\": %.2f, \"ns\": %.1f, \"peak\": %" PRIu64 ", \"blocks\": %" PRIu64
           ", \"left\": %" PRIu64 ", \"digest\": \"%016" PRIx64 "\"",
           seconds(CLOCK_PROCESS_CPUTIME_ID), own, use.bytes_most, use.blocks_most, use.bytes,
           run.digest);
    if (now.known) {
        printf(", \"free_start\": %" PRIu64 ", \"free_end\": %" PRIu64 ", \"minimum\": %" PRIu64,
               run.start.free, now.free, now.minimum);
    }
    printf(", \"fault\": \"%s\", \"failure\": \"%s\"}\n", fault, failure);
    fflush(stdout);
}

static void end(const char *fault)
{
    tell(fault, "");
    _Exit(1);
}

static void measure_nothing(void)
{
    run.empty = UINT64_MAX;
    for (int i = 0; i < EMPTY_TRIES; i++) {
        const uint64_t begun = calls_ticks();
        const uint64_t taken = calls_ticks() - begun;
        run.empty = taken < run.empty ? taken : run.empty;
    }
    run.first_ticks = calls_ticks();
    run.began = seconds(CLOCK_MONOTONIC);
}

/* Rounds until there were enough calls. */
static const char *work(uint64_t calls, bool refuses, const char *script)
{
    const char *failure = work_start(script);
    while (failure == NULL && stopped == 0 && calls_sum() < calls) {
        failure = work_round((uint32_t)run.rounds++);
        if (failure != NULL && refuses) {
            run.failed_rounds++;
            failure = NULL;
        }
    }
    work_end();
    return failure;
}

int main(int count, char **arguments)
{
    if (count != 7) {
        fputs("main CALLS ARENA CHECK_EVERY REFUSE_ONE_IN SEED SCRIPT\n", stderr);
        return 2;
    }
    const uint64_t calls = strtoull(arguments[1], NULL, 10);
    const calls_plan_t plan = {
        .check_every = strtoull(arguments[3], NULL, 10),
        .refuse_one_in = (uint32_t)strtoul(arguments[4], NULL, 10),
        .seed = strtoull(arguments[5], NULL, 10),
        .end = end,
    };
    heap_arena_t arena;
    if (!heap_start(strtoul(arguments[2], NULL, 10), &arena) || !shadow_start(arena)) {
        fputs("the heap cannot be made\n", stderr);
        return 2;
    }
    signal(SIGTERM, stop);
    run.start = heap_figures();
    measure_nothing();
    calls_start(&plan);
    const char *const failure = work(calls, plan.refuse_one_in != 0, arguments[6]);
    const bool whole = heap_is_whole();
    tell(whole ? "" : "metadata", failure != NULL ? failure : "");
    return whole && failure == NULL ? 0 : 1;
}
