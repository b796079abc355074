/* Two cores at work, each a thread; one of them drains now and then: what a listener knows at the end is what
 * is live, every event is heard or told as lost, and a block that went from one core to the other was never
 * live twice. tests/device/test_recorder_cores.py runs this under a thread sanitizer, too. */
#include <pthread.h>
#include <stdatomic.h>

#include "listener.h"
#include "port_for_tests.h"

#include "heapscope/recorder.h"

#if HS_RECORDER_CORES > 1

#define BLOCKS 64u /* shared by the cores */
#define STEPS 40000u
#define RECORDS 256u

typedef struct cores {
    hs_recorder_t *recorder;
    pthread_mutex_t heap;
    bool live[BLOCKS];
    atomic_uint done;
    uint64_t issued[HS_RECORDER_CORES];
    listener_t *listener;
    unsigned patience; /* of the sink: one call in so many is taken */
    unsigned calls;
} cores_t;

static cores_t cores;

static uintptr_t address_of(uint32_t number)
{
    return 0x3FFB0000u + (uintptr_t)number * 32u;
}

static size_t write_bytes(void *context, const uint8_t *bytes, size_t count)
{
    (void)context;
    if (cores.calls++ % cores.patience != 0) {
        return 0;
    }
    listener_hear(cores.listener, bytes, count);
    return count;
}

static size_t walk(void *context, uintptr_t after, hs_recorder_block_t *out, size_t capacity)
{
    (void)context;
    size_t count = 0;
    (void)pthread_mutex_lock(&cores.heap);
    for (uint32_t number = 0; number < BLOCKS && count < capacity; number++) {
        if (cores.live[number] && address_of(number) > after) {
            out[count++] = (hs_recorder_block_t){.address = address_of(number), .size = 24};
        }
    }
    (void)pthread_mutex_unlock(&cores.heap);
    return count;
}

/* Whether another core is still at work than the one that drains. */
static bool running(void)
{
    return atomic_load(&cores.done) < HS_RECORDER_CORES - 1u;
}

/* A core's program: the heap's change and its record are one step, as in the heap's own lock. */
static void *core_run(void *of)
{
    check_random_t random = {.state = 77u + (uintptr_t)of};
    port.core = (unsigned)(uintptr_t)of;
    port.task = 0x3FFC0000u + 0x400u * (uintptr_t)port.core;
    for (uint32_t i = 0; i < STEPS || (port.core == 0 && running()); i++) {
        if (port.core == 0 && i % 32u == 0) {
            (void)hs_recorder_drain(cores.recorder, 96);
        }
        const uint32_t number = (uint32_t)check_below(&random, BLOCKS);
        (void)pthread_mutex_lock(&cores.heap);
        __atomic_fetch_add(&port_clock, 3u, __ATOMIC_RELAXED);
        if (cores.live[number]) {
            hs_recorder_freed(cores.recorder, (const void *)address_of(number));
        } else {
            hs_recorder_allocated(cores.recorder, HS_EVENT_MALLOC, (const void *)address_of(number),
                                  24, 0, (hs_callers_t){{0x40080000u + 16u * (number % 5u)}});
        }
        cores.live[number] = !cores.live[number];
        (void)pthread_mutex_unlock(&cores.heap);
        cores.issued[port.core]++;
    }
    atomic_fetch_add(&cores.done, port.core != 0);
    return NULL;
}

static void cores_work(unsigned patience, bool levels)
{
    static _Alignas(8) uint8_t memory[1 << 17];
    static hs_recorder_config_t config;
    config = (hs_recorder_config_t){.write = write_bytes,
                                    .walk = walk,
                                    .boot = 9,
                                    .clock_hz = 1000000,
                                    .address_shift = 2,
                                    .automatic = levels,
                                    .sampling = 2};
    cores = (cores_t){.patience = patience, .listener = listener_new()};
    CHECK_EQUAL(0, pthread_mutex_init(&cores.heap, NULL));
    cores.recorder = hs_recorder_open(
        memory, hs_recorder_overhead() + HS_RECORDER_CORES * RECORDS * HS_RECORDER_RECORD_BYTES,
        &config);
    CHECK(cores.recorder != NULL);
    pthread_t threads[HS_RECORDER_CORES];
    for (uintptr_t core = 1; core < HS_RECORDER_CORES; core++) {
        CHECK_EQUAL(0, pthread_create(&threads[core], NULL, core_run, (void *)core));
    }
    (void)core_run((void *)0);
    uint64_t issued = cores.issued[0];
    for (unsigned core = 1; core < HS_RECORDER_CORES; core++) {
        CHECK_EQUAL(0, pthread_join(threads[core], NULL));
        issued += cores.issued[core];
    }
    cores.patience = 1;
    hs_recorder_level_set(cores.recorder, HS_LEVEL_ALL);
    for (int i = 0; i < 2000; i++) {
        (void)hs_recorder_drain(cores.recorder, 1000);
    }
    CHECK_EQUAL(HS_OK, hs_recorder_flush(cores.recorder));

    hs_state_figures_t state;
    hs_state_figures(cores.listener->state, &state);
    CHECK(state.known);
    for (uint32_t number = 0; number < BLOCKS; number++) {
        hs_state_block_t block;
        CHECK_EQUAL(cores.live[number],
                    hs_state_find(cores.listener->state, address_of(number), &block));
    }
    CHECK_EQUAL(issued, cores.listener->heard + cores.listener->lost_heap + 2u * state.pairs);
    CHECK_EQUAL(0, cores.listener->health.lost_chunks + cores.listener->health.malformed_chunks);
    if (cores.listener->lost_heap == 0) {
        CHECK_EQUAL(0, state.corrections + state.overlaps + state.unknown_frees);
    }
    listener_delete(cores.listener);
    (void)pthread_mutex_destroy(&cores.heap);
}

#endif

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    (void)random;
#if HS_RECORDER_CORES > 1
    cores_work(1, false);  /* all is taken at once */
    cores_work(50, false); /* a slow line: rings fill and events are lost */
    cores_work(20, true);  /* and levels follow */
#endif
    return 0;
}
