/*
 * The ring between a program's threads and the recorder. Any number of threads write, one reads.
 *
 * A record's number is taken from one counter with one atomic addition. The number is the record's
 * place in the ring and its place in the order of events, so that nothing is sorted afterwards. The
 * reader takes records in the order of their numbers, and waits at one that was taken and is not
 * written yet. A writer whose place still holds an older record waits until the reader has passed.
 */
#ifndef HEAPSCOPE_RECORD_RING_H
#define HEAPSCOPE_RECORD_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "shared.h"

#define HS_REC_MASK (HS_REC_EVENTS - 1u)
#define HS_REC_BELL_EVERY (HS_REC_EVENTS / 4u) /* records after which a writer wakes the reader */
#define HS_REC_DROP_ROOM                                                                           \
    (HS_REC_EVENTS / 16u) /* kept free while dropping: for threads that are
                                                  past the look at the room */

static inline uint32_t hs_rec_meta(unsigned kind, unsigned align_log2, uint32_t thread)
{
    return kind | align_log2 << 5 | thread << 10;
}

/* ---- writers ---- */

/* Takes the next record's number. Free and the start of a realloc take it before their call, the
 * others after it: that alone is the order of events. */
static inline uint32_t hs_rec_ring_claim(hs_rec_ring_t *ring)
{
    return atomic_fetch_add_explicit(&ring->head, 1u, memory_order_relaxed);
}

/* Whether the place of a record is free to be written. Pairs with hs_rec_ring_release. */
static inline bool hs_rec_ring_has_room(hs_rec_ring_t *ring, uint32_t number)
{
    return number - atomic_load_explicit(&ring->tail, memory_order_acquire) < HS_REC_EVENTS;
}

/* Writes a record whose number was taken and whose place is free. */
static inline void hs_rec_ring_write(hs_rec_ring_t *ring, uint32_t number, uint64_t a, uint64_t b,
                                     uint64_t c, uint32_t meta)
{
    hs_rec_event_t *event = &hs_rec_ring_events(ring)[number & HS_REC_MASK];
    event->a = a;
    event->b = b;
    event->c = c;
    event->meta = meta;
    atomic_store_explicit(&event->turn, number + 1u, memory_order_release);
}

/* ---- the reader ---- */

/* The record of this number, or NULL: it is not written yet. */
static inline const hs_rec_event_t *hs_rec_ring_read(hs_rec_ring_t *ring, uint32_t number)
{
    const hs_rec_event_t *event = &hs_rec_ring_events(ring)[number & HS_REC_MASK];
    return atomic_load_explicit(&event->turn, memory_order_acquire) == number + 1u ? event : NULL;
}

/* Records before `number` are taken, their places free. */
static inline void hs_rec_ring_release(hs_rec_ring_t *ring, uint32_t number)
{
    atomic_store_explicit(&ring->tail, number, memory_order_seq_cst);
}

#endif
