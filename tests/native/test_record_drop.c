/* A ring that drops, in the object that goes into a recorded program: each event that finds no room is
 * counted once, and a record of the time never is. Linux only. */
#include <assert.h>
#include <stdio.h>

#ifdef __linux__

#include "record/preload/session.c"

/* ---- what it takes from its other files ---- */

void hs_rec_wake(void *word)
{
    (void)word;
}

void hs_rec_wait(void *word, uint32_t value, unsigned milliseconds)
{
    (void)word, (void)value, (void)milliseconds;
}

bool hs_rec_is_alive(uint32_t pid)
{
    return pid != 0;
}

long hs_rec_read_link(const char *path, char *out, size_t capacity)
{
    (void)path, (void)out, (void)capacity;
    return 0;
}

int hs_rec_open(const char *path, bool to_write)
{
    (void)path, (void)to_write;
    return -1;
}

void hs_rec_close(int descriptor)
{
    (void)descriptor;
}

void *hs_rec_map(int descriptor, uint64_t offset, size_t count)
{
    (void)descriptor, (void)offset, (void)count;
    return NULL;
}

bool hs_rec_wipe_on_fork(void *memory, size_t count)
{
    (void)memory, (void)count;
    return false;
}

uint32_t hs_rec_pid(void)
{
    return 1;
}

bool hs_rec_is_main_thread(void)
{
    return true;
}

void hs_rec_thread_name(uint64_t name[2])
{
    name[0] = name[1] = 0;
}

bool hs_rec_own_is_wrapped(void)
{
    return false;
}

void hs_rec_allocator_name(char *out, size_t capacity)
{
    (void)capacity;
    out[0] = 0;
}

void hs_rec_stacks_forget(void) {}

void hs_rec_modules_forget(void) {}

bool hs_rec_environment_find(char **environment, const char *name, char *out, size_t capacity)
{
    (void)environment, (void)name, (void)out, (void)capacity;
    return false;
}

void hs_rec_environment_begin(hs_rec_control_t *shared)
{
    (void)shared;
}

/* ---- the tests ---- */

#define PUT 65600u /* events: more than a ring has places */

static _Alignas(4096) uint8_t shared_memory[HS_REC_CONTROL_BYTES];
static _Alignas(4096) uint8_t ring_memory[HS_REC_RING_BYTES];

static hs_rec_ring_t *dropping_from(uint32_t first)
{
    hs_rec_ring_t *ring = (void *)ring_memory;
    memset(ring_memory, 0, sizeof ring_memory);
    control = (void *)shared_memory;
    atomic_store(&ring->head, first);
    atomic_store(&ring->tail, first);
    hs_rec_own->modes = HS_REC_DROP;
    hs_rec_own->ring = ring;
    hs_rec_thread = (hs_rec_thread_t){.ring = ring, .number = 1};
    return ring;
}

/* Takes all records as the recorder does; how many there are of a kind, and the sum of their `a`. */
static uint32_t take(hs_rec_ring_t *ring, unsigned kind, uint64_t *sum)
{
    uint32_t count = 0;
    uint32_t number = atomic_load(&ring->tail);
    for (; number != atomic_load(&ring->head); number++) {
        const hs_rec_event_t *event = hs_rec_ring_read(ring, number);
        assert(event != NULL);
        if ((event->meta & 31u) == kind) {
            count++;
            *sum += event->a;
        }
    }
    return count;
}

/* A time follows each 16th record. Where the 16th is the last that finds room, its time finds none: that
 * is so for one in 16 of the places at which a ring may begin to fill. */
static void test_a_time_without_room_is_no_lost_event(void)
{
    for (uint32_t first = 0; first < 2 * HS_REC_TIME_EVERY; first++) {
        hs_rec_ring_t *ring = dropping_from(first);
        uint32_t written = 0;
        for (uint32_t i = 0; i < PUT; i++) {
            written += hs_rec_put(HS_REC_FREE, i, 0, 0, 0) != 0 || (first == 0 && i == 0);
        }
        uint64_t sum = 0;
        assert(take(ring, HS_REC_FREE, &sum) == written);
        assert(atomic_load(&ring->lost) == PUT - written);
        const uint32_t times = take(ring, HS_REC_TIME, &sum);
        assert(atomic_load(&ring->head) - first == written + times);
        assert(atomic_load(&ring->head) - first == HS_REC_EVENTS - HS_REC_DROP_ROOM);
        assert(take(ring, HS_REC_LOST, &sum) == 0);
    }
}

/* The next record that has room is led by one with the count, which then begins anew. */
static void test_what_was_lost_is_reported_once(void)
{
    hs_rec_ring_t *ring = dropping_from(1);
    for (uint32_t i = 0; i < PUT; i++) {
        hs_rec_put(HS_REC_FREE, i, 0, 0, 0);
    }
    const uint32_t lost = atomic_load(&ring->lost);
    hs_rec_ring_release(ring, atomic_load(&ring->head));
    assert(hs_rec_put(HS_REC_FREE, 0, 0, 0, 0) != 0);
    assert(hs_rec_put(HS_REC_FREE, 0, 0, 0, 0) != 0);
    uint64_t sum = 0;
    assert(take(ring, HS_REC_LOST, &sum) == 1 && sum == lost);
    assert(atomic_load(&ring->lost) == 0);
}

int main(void)
{
    test_a_time_without_room_is_no_lost_event();
    test_what_was_lost_is_reported_once();
    return 0;
}

#else

int main(void)
{
    return 0;
}

#endif
