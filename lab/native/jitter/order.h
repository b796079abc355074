/*
 * The order of events of different tasks, within the trace's clock. Each task is late by some ticks, drawn
 * anew for each stretch of the clock of `reach` ticks; an event waits until its task's lateness is over.
 * The events of one task keep their order, and so do those of one block. At most 32 events wait at
 * once; when there are more, the one that is due first goes on. O(32) an event.
 */
#ifndef HEAPSCOPE_NATIVE_ORDER_H
#define HEAPSCOPE_NATIVE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/trace.h"

#define HS_ORDER_WAITING 32u

typedef struct hs_order {
    uint64_t seed;
    uint64_t reach; /* ticks that a task may be late; 0: the order stays as it is */
    uint64_t last;  /* time of the last event that went on */
    size_t count;
    struct {
        hs_event_t event;
        uint64_t due;
    } waiting[HS_ORDER_WAITING]; /* by the time when they are due, then as they came */
} hs_order_t;

/* Takes an event in. The order has room for it: hs_order_give was called until it gave none. */
void hs_order_take(hs_order_t *order, const hs_event_t *event);
/* Gives the next event that must not wait for one at the time `now`. False: none. */
bool hs_order_give(hs_order_t *order, uint64_t now, hs_event_t *out);

#endif
