/* The ring alone, for the thread sanitizer: threads write numbered records, one reads; every record
 * comes once, whole, and each thread's in its order. ring_race THREADS RECORDS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/ring.h"

#define THREADS_MAX 16

static hs_rec_ring_t *ring;
static uint32_t records;

static void *writer(void *argument)
{
    const uint32_t thread = (uint32_t)(uintptr_t)argument;
    for (uint32_t i = 0; i < records; i++) {
        const uint32_t number = hs_rec_ring_claim(ring);
        while (!hs_rec_ring_has_room(ring, number)) {
        }
        hs_rec_ring_write(ring, number, i, i * 3u, ~(uint64_t)i, hs_rec_meta(1, 0, thread));
    }
    return NULL;
}

int main(int count, char **arguments)
{
    const uint32_t threads = count > 1 ? (uint32_t)atoi(arguments[1]) : 4;
    records = count > 2 ? (uint32_t)atoi(arguments[2]) : 100000;
    ring = aligned_alloc(4096, HS_REC_RING_BYTES);
    if (ring == NULL || threads > THREADS_MAX) {
        return 2;
    }
    for (size_t i = 0; i < HS_REC_RING_BYTES; i++) {
        ((char *)ring)[i] = 0;
    }
    /* The numbers wrap around on the way. */
    const uint32_t first = 0u - 3u * HS_REC_EVENTS;
    ring->head = ring->tail = first;
    pthread_t started[THREADS_MAX];
    for (uint32_t i = 0; i < threads; i++) {
        pthread_create(&started[i], NULL, writer, (void *)(uintptr_t)i);
    }
    uint32_t seen[THREADS_MAX] = {0};
    const uint32_t all = threads * records;
    for (uint32_t taken = 0; taken < all;) {
        const hs_rec_event_t *event = hs_rec_ring_read(ring, first + taken);
        if (event == NULL) {
            continue;
        }
        const uint32_t thread = event->meta >> 10;
        if (event->a != seen[thread] || event->b != event->a * 3u || event->c != ~event->a) {
            printf("thread %u: record %u came as %llu\n", thread, seen[thread],
                   (unsigned long long)event->a);
            return 1;
        }
        seen[thread]++;
        taken++;
        if (taken % 1000 == 0 || taken == all) {
            hs_rec_ring_release(ring, first + taken);
        } else if (taken % 64 == 0) {
            hs_rec_ring_release(ring, first + taken);
        }
    }
    for (uint32_t i = 0; i < threads; i++) {
        pthread_join(started[i], NULL);
    }
    return 0;
}
