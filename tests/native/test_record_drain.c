#define _POSIX_C_SOURCE 200809L /* kill */
/* The recorder takes records out of a ring: a program may have written anything over it, and in a ring
 * that drops, one of the two records of a realloc may be missing. Linux only. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#ifdef __linux__

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/drain/recorder_state.h"
#include "record/ring.h"

static hs_recorder_t *recorder_new(unsigned frames, unsigned modes)
{
    const hs_recorder_config_t config = {.preload64 = "",
                                         .preload32 = "",
                                         .version = "test",
                                         .program = "none",
                                         .modes = modes,
                                         .addresses = frames == 0,
                                         .frames = frames};
    hs_recorder_t *recorder = hs_recorder_new(&config);
    assert(recorder != NULL);
    return recorder;
}

/* Does the work of a recorded program; the recorder finds it with its next look. */
static hs_rec_ring_t *enter(hs_recorder_t *recorder, uint32_t place)
{
    hs_rec_control_t *control = hs_recorder_control(recorder);
    hs_rec_ring_t *ring = mmap(NULL, HS_REC_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                               hs_recorder_descriptor(recorder), (off_t)hs_rec_ring_offset(place));
    assert(ring != MAP_FAILED);
    ring->pid = (uint32_t)getpid();
    ring->word_size = 8;
    atomic_store(&ring->threads, 16u);
    atomic_fetch_add(&control->lives[place], 1u);
    atomic_store(&control->orders[place], atomic_fetch_add(&control->begun, 1u) + 1u);
    atomic_store(&control->states[place], HS_REC_LIVE);
    return ring;
}

static void put(hs_rec_ring_t *ring, unsigned kind, uint64_t a, uint64_t b, uint32_t thread)
{
    const uint32_t number = hs_rec_ring_claim(ring);
    assert(hs_rec_ring_has_room(ring, number));
    hs_rec_ring_write(ring, number, a, b, 0, hs_rec_meta(kind, 0, thread));
}

static void take_all(hs_recorder_t *recorder, size_t index)
{
    uint8_t bytes[4096];
    while (hs_rec_image_bytes(hs_recorder_image(recorder, index), bytes, sizeof bytes) != 0) {
    }
}

static hs_rec_counts_t end(hs_recorder_t *recorder, size_t index)
{
    assert(hs_recorder_phase(recorder, index) == HS_RECORDER_OVER);
    hs_recorder_finish(recorder, index);
    take_all(recorder, index);
    return hs_recorder_image(recorder, index)->counts;
}

/* A realloc of thread 1 without its end, then another; one without its begin. */
static void test_half_a_realloc(void)
{
    hs_recorder_t *recorder = recorder_new(0, 0);
    hs_rec_ring_t *ring = enter(recorder, 3);
    put(ring, HS_REC_MALLOC, 0x1000, 100, 1);
    put(ring, HS_REC_MALLOC, 0x2000, 200, 1);
    put(ring, HS_REC_REALLOC_BEGIN, 0x1000, 0, 1);
    put(ring, HS_REC_REALLOC_BEGIN, 0x2000, 0, 1);
    put(ring, HS_REC_REALLOC_END, 0x3000, 300, 1);
    put(ring, HS_REC_REALLOC_END, 0x4000, 400, 2);
    hs_recorder_close(recorder);
    hs_recorder_pump(recorder, 0);
    const hs_rec_counts_t counts = end(recorder, 0);
    assert(hs_recorder_image(recorder, 0)->status == HS_OK);
    assert(counts.implied == 1 && counts.unknown == 0);
    assert(counts.live == 700 && counts.live_blocks == 2);
    assert(counts.events == 5);
    munmap(ring, HS_REC_RING_BYTES);
    hs_recorder_delete(recorder);
}

/* A free is lost: what is live after it is too much, so that the peak is the one before. */
static void test_the_peak_is_that_before_a_loss(void)
{
    hs_recorder_t *recorder = recorder_new(0, HS_REC_DROP);
    hs_rec_ring_t *ring = enter(recorder, 0);
    put(ring, HS_REC_MALLOC, 0x1000, 100, 1);
    put(ring, HS_REC_LOST, 1, 0, 1);
    put(ring, HS_REC_MALLOC, 0x2000, 100, 1);
    hs_recorder_close(recorder);
    hs_recorder_pump(recorder, 0);
    const hs_rec_counts_t counts = end(recorder, 0);
    assert(counts.lost == 1 && counts.live_peak == 100 && counts.live == 200);
    munmap(ring, HS_REC_RING_BYTES);
    hs_recorder_delete(recorder);
}

/* A time is taken where it is later than the one before, and is not to come. */
static void test_events_have_the_time_of_the_last_time_record(void)
{
    hs_recorder_t *recorder = recorder_new(0, 0);
    hs_rec_ring_t *ring = enter(recorder, 0);
    const uint64_t began = (uint64_t)(recorder->began * 1e6);
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
    const uint64_t given[] = {began + 5000, began + 12000, began + 7000, began + 3600000000u, 0};
    const uint64_t expected[] = {5000, 12000, 12000, 12000, 12000};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        put(ring, HS_REC_TIME, given[i], 0, 1);
        put(ring, HS_REC_MALLOC, 0x1000 + 0x100 * i, 100, 1);
        hs_recorder_pump(recorder, 0);
        hs_rec_image_t *image = hs_recorder_image(recorder, 0);
        recorder->places[0].emptied = 0; /* else a pass that took all is a time, too */
        assert(image->time + 1 >= expected[i] && image->time <= expected[i]);
    }
    hs_recorder_close(recorder);
    hs_recorder_pump(recorder, 0);
    (void)end(recorder, 0);
    munmap(ring, HS_REC_RING_BYTES);
    hs_recorder_delete(recorder);
}

/* By address: memory that a realloc is leaving is given to another thread before its end is seen. */
static void test_a_realloc_that_another_thread_overtakes(void)
{
    static const struct {
        uint64_t address, size;
        unsigned events;
    } cases[] = {{0x1000, 10, 4},  {0x1100, 10, 4},  {0x11F0, 10, 4},
                 {0xFF0, 0x20, 4}, {0xFF0, 0x10, 3}, {0x1200, 10, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hs_recorder_t *recorder = recorder_new(0, 0);
        hs_rec_ring_t *ring = enter(recorder, 0);
        put(ring, HS_REC_MALLOC, 0x1000, 0x200, 1);
        put(ring, HS_REC_REALLOC_BEGIN, 0x1000, 0, 1);
        put(ring, HS_REC_MALLOC, cases[i].address, cases[i].size, 2);
        put(ring, HS_REC_REALLOC_END, 0x4000, 0x400, 1);
        hs_recorder_close(recorder);
        hs_recorder_pump(recorder, 0);
        const hs_rec_counts_t counts = end(recorder, 0);
        assert(counts.events == cases[i].events); /* 4: a free and a malloc for the realloc */
        assert(counts.live == 0x400 + cases[i].size && counts.live_blocks == 2);
        assert(counts.unknown == 0 && counts.implied == 0);
        munmap(ring, HS_REC_RING_BYTES);
        hs_recorder_delete(recorder);
    }
}

/* The same of a realloc that frees. */
static void test_a_freeing_realloc_that_another_thread_overtakes(void)
{
    hs_recorder_t *recorder = recorder_new(0, 0);
    hs_rec_ring_t *ring = enter(recorder, 0);
    put(ring, HS_REC_MALLOC, 0x1000, 0x200, 1);
    put(ring, HS_REC_REALLOC_BEGIN, 0x1000, 0, 1);
    put(ring, HS_REC_MALLOC, 0x1000, 10, 2);
    put(ring, HS_REC_REALLOC_END, 0, 0, 1);
    hs_recorder_close(recorder);
    hs_recorder_pump(recorder, 0);
    const hs_rec_counts_t counts = end(recorder, 0);
    assert(counts.events == 3 && counts.live == 10 && counts.live_blocks == 1);
    munmap(ring, HS_REC_RING_BYTES);
    hs_recorder_delete(recorder);
}

/* Records of which the writer was killed are passed, those behind them are taken. */
static void test_holes_of_a_dead_process(void)
{
    hs_recorder_t *recorder = recorder_new(0, 0);
    hs_rec_ring_t *ring = enter(recorder, 0);
    const pid_t process = fork();
    if (process == 0) {
        (void)pause();
        _exit(0);
    }
    ring->pid = (uint32_t)process;
    put(ring, HS_REC_MALLOC, 0x1000, 100, 0);
    (void)hs_rec_ring_claim(ring);
    put(ring, HS_REC_MALLOC, 0x2000, 200, 0);
    for (int i = 0; i < 3; i++) { /* it waits as long as the process lives */
        hs_recorder_pump(recorder, 0);
        assert(hs_recorder_image(recorder, 0)->counts.events == 1);
    }
    for (uint32_t i = 0; i < HS_REC_EVENTS; i++) { /* numbers without room, as of waiting threads */
        (void)hs_rec_ring_claim(ring);
    }
    (void)kill(process, SIGKILL);
    assert(waitpid(process, NULL, 0) == process);
    hs_recorder_close(recorder);
    hs_recorder_pump(recorder, 0);
    assert(end(recorder, 0).events == 2);
    assert(hs_recorder_image(recorder, 0)->cut == 0);
    assert(hs_recorder_image(recorder, 0)->overwritten == 0);
    munmap(ring, HS_REC_RING_BYTES);
    hs_recorder_delete(recorder);
}

/* A place that is not written yet, of a program that did nothing wrong and of one that wrote over
 * it. */
static void test_what_a_hole_holds(void)
{
    static const struct {
        uint32_t next, turn;
        bool round, passed, sound;
    } cases[] = {
        {5, 0, false, false, true},
        {5, 1, false, false, false},
        {HS_REC_EVENTS + 5, 6, true, false, true},
        {HS_REC_EVENTS + 5, 7, true, false, false},
        {HS_REC_EVENTS + 5, 0, true, false, false},
        {HS_REC_EVENTS + 5, 0, true, true, true}, /* the round before gave its record up */
        {3 * HS_REC_EVENTS + 5, 6, true, false, false},
        {3 * HS_REC_EVENTS + 5, 6, true, true, true},
        {3 * HS_REC_EVENTS + 5, 7, true, true, false},
        {HS_REC_MASK, 0, true, false, true}, /* after record 2^32 - 1, whose turn is 0 */
    };
    hs_recorder_t *recorder = recorder_new(0, 0);
    hs_rec_ring_t *ring = enter(recorder, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hs_rec_taken_t place = {
            .ring = ring,
            .next = cases[i].next,
            .round = cases[i].round,
            .passed = cases[i].passed,
        };
        atomic_store(&hs_rec_ring_events(ring)[cases[i].next & HS_REC_MASK].turn, cases[i].turn);
        assert(hs_recorder_hole_is_sound(&place) == cases[i].sound);
    }
    munmap(ring, HS_REC_RING_BYTES);
    hs_recorder_delete(recorder);
}

/* Each record that no program makes, alone. */
static void test_which_records_are_sound(void)
{
    static const struct {
        unsigned modes, kind;
        uint32_t thread;
        uint64_t a;
        bool sound;
    } cases[] = {
        {0, HS_REC_MALLOC, 15, 0x1000, true},
        {0, HS_REC_TIME, 0, 0, true},
        {0, HS_REC_MALLOC, HS_REC_THREAD_MAX, 0x1000, true}, /* all threads beyond are one */
        {HS_REC_DROP, HS_REC_LOST, 0, UINT32_MAX, true},
        {0, HS_REC_VOID, 0, 0, false},
        {0, HS_REC_TIME + 1, 0, 0, false},
        {0, HS_REC_MALLOC, 16, 0x1000, false},
        {0, HS_REC_LOST, 0, 1, false},
        {HS_REC_DROP, HS_REC_LOST, 0, UINT64_C(1) << 32, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hs_recorder_t *recorder = recorder_new(0, cases[i].modes);
        hs_rec_ring_t *ring = enter(recorder, 0);
        put(ring, cases[i].kind, cases[i].a, 0, cases[i].thread);
        const hs_rec_taken_t place = {.ring = ring};
        assert(hs_recorder_record_is_sound(recorder, &place, hs_rec_ring_events(ring)) ==
               cases[i].sound);
        munmap(ring, HS_REC_RING_BYTES);
        hs_recorder_delete(recorder);
    }
}

/* A living process: a record that was begun before the end is waited for. One that nobody writes ends
 * the trace, so that nothing is missing before; what begins after the end is not taken. */
static void test_the_end_of_the_recording_is_before_a_hole(bool never)
{
    hs_recorder_t *recorder = recorder_new(0, 0);
    hs_rec_ring_t *ring = enter(recorder, 0);
    put(ring, HS_REC_MALLOC, 0x1000, 100, 0);
    hs_recorder_pump(recorder, 0);
    const uint32_t late = hs_rec_ring_claim(ring);
    put(ring, HS_REC_MALLOC, 0x2000, 200, 0);
    if (never) {
        (void)hs_rec_ring_claim(ring);
        put(ring, HS_REC_MALLOC, 0x3000, 300, 0);
    }
    hs_recorder_close(recorder);
    hs_recorder_pump(recorder, 0);
    assert(hs_recorder_phase(recorder, 0) == HS_RECORDER_RUNS);
    hs_rec_ring_write(ring, late, 0x4000, 400, 0, hs_rec_meta(HS_REC_MALLOC, 0, 0));
    put(ring, HS_REC_MALLOC, 0x5000, 500, 0); /* after the end */
    for (int i = 0; i < 400 && hs_recorder_phase(recorder, 0) == HS_RECORDER_RUNS; i++) {
        hs_recorder_pump(recorder, 5);
    }
    const hs_rec_counts_t counts = end(recorder, 0);
    assert(counts.events == 3 && counts.live == 700);
    assert(hs_recorder_image(recorder, 0)->cut == 1);
    munmap(ring, HS_REC_RING_BYTES);
    hs_recorder_delete(recorder);
}

enum { ANY_THREADS = 200 };

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 16;
}

/* `wild`: now and then a record that no program makes. */
static void put_anything(hs_rec_ring_t *ring, uint64_t *seed, bool wild)
{
    static const uint64_t shapes[] = {0, 1, 0xFFFF, 0xFFFFFFFF, UINT64_MAX};
    uint64_t words[3];
    for (int i = 0; i < 3; i++) {
        words[i] = next(seed) % 4 == 0 ? next(seed) : next(seed) & shapes[next(seed) % 5];
    }
    if (next(seed) % 2 == 0) { /* blocks that meet each other */
        words[0] = (next(seed) % 64) << 4;
        words[1] = next(seed) % 2 == 0 ? 100 : UINT64_C(1) << 30;
    }
    unsigned kind = 1u + (unsigned)next(seed) % HS_REC_TIME;
    if (kind == HS_REC_LOST) {
        words[0] &= UINT32_MAX;
    } else if (kind <= HS_REC_REALLOC_BEGIN && words[0] == 0) {
        words[0] = 16; /* no block is at 0 */
    }
    if (wild && next(seed) % 64 == 0) {
        kind = next(seed) % 2 == 0 ? HS_REC_VOID : HS_REC_TIME + 1u;
    }
    const uint32_t number = hs_rec_ring_claim(ring);
    hs_rec_ring_write(
        ring, number, words[0], words[1], words[2],
        hs_rec_meta(kind, (unsigned)next(seed) & 31u, (uint32_t)next(seed) % ANY_THREADS));
}

/* The live bytes are those of the blocks, wherever the records end. */
static void check_live(const hs_rec_image_t *image)
{
    static hs_rec_block_t list[1 << 16];
    assert(image->blocks.count <= 1 << 16);
    assert(hs_rec_blocks_list(&image->blocks, list) == image->blocks.count);
    uint64_t live = 0;
    for (size_t i = 0; i < image->blocks.count; i++) {
        live += list[i].size;
    }
    for (size_t i = 0; i < image->worker_count; i++) {
        live += image->workers[i].moves != 0 ? image->workers[i].moving.size : 0;
    }
    assert(image->counts.live == live);
}

/* Either counted, or reported as overwritten. */
static void test_anything(uint64_t seed)
{
    const bool wild = seed % 4 >= 2;
    hs_recorder_t *recorder = recorder_new(seed % 2 == 0 ? 8 : 0, HS_REC_DROP);
    hs_rec_ring_t *rings[3];
    for (uint32_t i = 0; i < 3; i++) {
        rings[i] = enter(recorder, i);
        atomic_store(&rings[i]->threads, ANY_THREADS);
        rings[i]->forked = i;
        rings[i]->parent_place = (uint32_t)next(&seed) % 4u;
        rings[i]->parent_life = (uint32_t)next(&seed) % 3u;
        rings[i]->fork_number = (uint32_t)next(&seed) % 100u;
        memset(rings[i]->libc, 'x', sizeof rings[i]->libc); /* without an end */
        memset(rings[i]->program, 'y', sizeof rings[i]->program);
    }
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 300; i++) {
            put_anything(rings[next(&seed) % 3], &seed, wild);
        }
        hs_recorder_pump(recorder, 0);
        for (size_t i = 0; i < hs_recorder_images(recorder); i++) {
            take_all(recorder, i);
        }
    }
    hs_recorder_close(recorder);
    for (int i = 0; i < 5; i++) {
        hs_recorder_pump(recorder, 0);
    }
    for (size_t i = 0; i < hs_recorder_images(recorder); i++) {
        const hs_rec_counts_t counts = end(recorder, i);
        const hs_rec_image_t *image = hs_recorder_image(recorder, i);
        assert(image->overwritten == (wild ? 1 : 0));
        assert(wild ? counts.lost != 0 : counts.events > 0);
        check_live(image);
    }
    for (int i = 0; i < 3; i++) {
        munmap(rings[i], HS_REC_RING_BYTES);
    }
    hs_recorder_delete(recorder);
}

/* One that exec began has the place of an earlier image, in front of the one between them. */
static void test_images_have_the_order_in_which_they_began(void)
{
    static const uint32_t places[] = {7, 2, 5, 0};
    hs_recorder_t *recorder = recorder_new(0, 0);
    hs_rec_ring_t *rings[4];
    for (uint32_t i = 0; i < 4; i++) {
        rings[i] = enter(recorder, places[i]);
        rings[i]->program[0] = (char)('a' + (int)i);
    }
    hs_recorder_pump(recorder, 0);
    assert(hs_recorder_images(recorder) == 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert(hs_recorder_image(recorder, i)->program[0] == (char)('a' + (int)i));
        munmap(rings[i], HS_REC_RING_BYTES);
    }
    hs_recorder_delete(recorder);
}

int main(void)
{
    if (sizeof(off_t) < 8) { /* the shared memory is larger than such a C library's files */
        printf("recorder's drain: not with 32-bit file offsets\n");
        return 0;
    }
    test_images_have_the_order_in_which_they_began();
    test_half_a_realloc();
    test_the_peak_is_that_before_a_loss();
    test_events_have_the_time_of_the_last_time_record();
    test_a_realloc_that_another_thread_overtakes();
    test_a_freeing_realloc_that_another_thread_overtakes();
    test_holes_of_a_dead_process();
    test_what_a_hole_holds();
    test_which_records_are_sound();
    test_the_end_of_the_recording_is_before_a_hole(false);
    test_the_end_of_the_recording_is_before_a_hole(true);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        test_anything(seed);
    }
    printf("recorder's drain: ok\n");
    return 0;
}

#else

int main(void)
{
    return 0;
}

#endif
