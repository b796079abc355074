/*
 * Times the heap on this machine, event by event: host EVENTS OUT ROUNDS POOL FORM ALIGNMENT SLOTS.
 * EVENTS are driver_event_t, the same that the emulated images are given. Each round replays all of
 * them on a fresh heap. OUT gets, for each event, the least ticks of all rounds as 32-bit words. Prints
 * nanoseconds a tick, the ticks of an empty measurement, which are in every event's, and the least
 * nanoseconds of a whole round without any measurement in it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver.h"

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Waits until all before it is done and lets nothing behind it begin: a call's work is its own. */
static inline uint64_t ticks(void)
{
#if defined(__i386__) || defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
#else
    return (uint64_t)nanoseconds();
#endif
}

static void *need(void *memory, const char *what)
{
    if (memory == NULL) {
        fprintf(stderr, "host: no %s\n", what);
        exit(2);
    }
    return memory;
}

static driver_event_t *read_events(const char *path, uint32_t *count)
{
    FILE *file = need(fopen(path, "rb"), path);
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    driver_event_t *events = need(malloc(size + 1), "memory");
    if (fread(events, 1, size, file) != size) {
        need(NULL, path);
    }
    fclose(file);
    *count = (uint32_t)(size / sizeof *events);
    return events;
}

static uint32_t empty_measurement(void)
{
    uint32_t least = UINT32_MAX;
    for (int i = 0; i < 100000; i++) {
        const uint64_t begun = ticks();
        const uint32_t taken = (uint32_t)(ticks() - begun);
        least = taken < least ? taken : least;
    }
    return least;
}

int main(int count_of_arguments, char **arguments)
{
    if (count_of_arguments != 8) {
        fputs("host EVENTS OUT ROUNDS POOL FORM ALIGNMENT SLOTS\n", stderr);
        return 2;
    }
    uint32_t number[8], count;
    for (int i = 3; i < 8; i++) {
        number[i] = (uint32_t)strtoul(arguments[i], NULL, 10);
    }
    const uint32_t rounds = number[3], pool = number[4], form = number[5], alignment = number[6];
    driver_event_t *events = read_events(arguments[1], &count);
    uint8_t *memory = need(aligned_alloc(4096, (pool + 4095u) & ~4095u), "pool");
    void **slots = need(calloc(number[7] + 1u, sizeof *slots), "slots");
    uint32_t *results = need(calloc(count + 1u, sizeof *results), "results");
    uint32_t *least = need(malloc((count + 1u) * sizeof *least), "ticks");
    memset(least, 0xFF, count * sizeof *least);

    const double begun = nanoseconds();
    const uint64_t first = ticks();
    double whole = 1e18;
    for (uint32_t round = 0; round < 2 * rounds; round++) {
        memset(slots, 0, (number[7] + 1u) * sizeof *slots);
        hs_heap_t *heap = need(drive_create(memory, pool, form, alignment), "heap");
        if (round % 2 == 0) {
            const double start = nanoseconds();
            drive_events(heap, memory, events, count, slots, results);
            const double taken = nanoseconds() - start;
            whole = taken < whole ? taken : whole;
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t start = ticks();
            drive_events(heap, memory, &events[i], 1, slots, &results[i]);
            const uint64_t taken = ticks() - start;
            least[i] = taken < least[i] ? (uint32_t)taken : least[i];
        }
    }
    const double per_tick = (nanoseconds() - begun) / (double)(ticks() - first);

    FILE *out = need(fopen(arguments[2], "wb"), arguments[2]);
    if (fwrite(least, sizeof *least, count, out) != count || fclose(out) != 0) {
        need(NULL, arguments[2]);
    }
    printf("%.9f %u %.1f\n", per_tick, empty_measurement(), whole);
    return 0;
}
