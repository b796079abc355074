#include "jitter/order.h"

#include <string.h>

#include "jitter/chance.h"

/* 0 is the key of a failed request, which names no block. */
static bool share_block(const hs_event_t *a, const hs_event_t *b)
{
    const uint64_t a_new = a->kind == HS_EVENT_REALLOC ? a->new_key : a->key;
    const uint64_t b_new = b->kind == HS_EVENT_REALLOC ? b->new_key : b->key;
    return a->key == b->key || a->key == b_new || a_new == b->key || a_new == b_new;
}

static uint64_t due(const hs_order_t *order, const hs_event_t *event)
{
    const uint64_t stretch = event->time / order->reach;
    const uint64_t late = hs_chance_draw(order->seed, event->task, stretch) % (order->reach + 1);
    uint64_t when = event->time > UINT64_MAX - late ? UINT64_MAX : event->time + late;
    for (size_t i = 0; i < order->count; i++) {
        const hs_event_t *other = &order->waiting[i].event;
        if (other->task == event->task || share_block(other, event)) {
            when = order->waiting[i].due > when ? order->waiting[i].due : when;
        }
    }
    return when;
}

void hs_order_take(hs_order_t *order, const hs_event_t *event)
{
    const uint64_t when = order->reach == 0 ? 0 : due(order, event);
    size_t at = order->count++;
    for (; at > 0 && order->waiting[at - 1].due > when; at--) {
        order->waiting[at] = order->waiting[at - 1];
    }
    order->waiting[at].event = *event;
    order->waiting[at].due = when;
}

bool hs_order_give(hs_order_t *order, uint64_t now, hs_event_t *out)
{
    const bool full = order->count == HS_ORDER_WAITING;
    if (order->count == 0 || (!full && order->reach != 0 && order->waiting[0].due > now)) {
        return false;
    }
    *out = order->waiting[0].event;
    if (order->reach != 0) {
        const uint64_t time = order->waiting[0].due;
        order->last = time > order->last ? time : order->last;
        out->time = order->last;
    }
    order->count--;
    memmove(&order->waiting[0], &order->waiting[1], order->count * sizeof order->waiting[0]);
    return true;
}
