#include "radio.h"

#include <stdlib.h>
#include <string.h>

#include "knobs.h"

#define QUEUE 1024
#define TRIES 10
/* Around a packet in the air: QoS header 26, LLC 8, CCMP 16, check 4, delimiter of an aggregate 4. */
#define AROUND 58

typedef struct queue {
    hs_frame_t *frames[QUEUE]; /* the oldest first */
    uint32_t count, sent;
    hs_radio_calls_t calls;
} queue_t;

static queue_t queues[HS_SIDES];
static uint32_t random_state;

static struct {
    bool busy;
    hs_side_t side; /* whose the transmission is, or the last one was */
    uint64_t next;  /* when the next frame has arrived, or all is over */
    uint32_t count, at;
} air;

uint32_t hs_radio_chance(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (uint32_t)((uint64_t)random_state * limit >> 32);
}

void hs_radio_start(const hs_radio_calls_t calls[HS_SIDES])
{
    random_state = hs_knobs.seed * 2654435761u | 1u;
    for (int side = 0; side < HS_SIDES; side++) {
        queues[side].calls = calls[side];
    }
}

bool hs_radio_send(hs_side_t side, const uint8_t *bytes, uint32_t length, void *held)
{
    queue_t *queue = &queues[side];
    hs_frame_t *frame = queue->count < QUEUE ? calloc(1, sizeof *frame) : NULL;
    if (frame == NULL) {
        return false;
    }
    frame->sequence = queue->sent++;
    frame->length = length;
    frame->held = held;
    memcpy(frame->bytes, bytes, length);
    queue->frames[queue->count++] = frame;
    return true;
}

uint32_t hs_radio_waiting(hs_side_t side)
{
    return queues[side].count;
}

/* ---- a transmission ---------------------------------------------------------------------------- */

static uint64_t time_of(const hs_frame_t *frame)
{
    return (uint64_t)(frame->length + AROUND) * 8 * 1000000 / hs_knobs.rate_kbps;
}

/* The first frames that lie in one window. */
static uint32_t aggregate(const queue_t *queue)
{
    uint32_t window = hs_knobs.block_ack > 1 ? hs_knobs.block_ack : 1;
    uint32_t count = 0;
    while (count < queue->count && count < window &&
           queue->frames[count]->sequence - queue->frames[0]->sequence < window) {
        count++;
    }
    return count;
}

static void begin(uint64_t now)
{
    hs_side_t other = air.side == HS_DEVICE ? HS_ACCESS_POINT : HS_DEVICE;
    air.side = queues[other].count > 0 ? other : air.side;
    air.busy = true;
    air.at = 0;
    air.count = aggregate(&queues[air.side]);
    air.next =
        now + hs_knobs.access_ns + hs_knobs.preamble_ns + time_of(queues[air.side].frames[0]);
}

static void end(void)
{
    queue_t *queue = &queues[air.side];
    uint32_t kept = 0;
    air.busy = false;
    for (uint32_t i = 0; i < queue->count; i++) {
        hs_frame_t *frame = queue->frames[i];
        if (i < air.count && (frame->taken || ++frame->tries == TRIES)) {
            queue->calls.gone(frame);
            free(frame);
        } else {
            queue->frames[kept++] = frame;
        }
    }
    queue->count = kept;
}

uint64_t hs_radio_next(uint64_t now)
{
    if (air.busy) {
        return air.next;
    }
    return queues[HS_DEVICE].count + queues[HS_ACCESS_POINT].count > 0 ? now : HS_NEVER;
}

void hs_radio_run(uint64_t now)
{
    if (hs_radio_next(now) > now) {
        return;
    }
    if (!air.busy) {
        begin(now);
    } else if (air.at == air.count) {
        end();
    } else {
        queue_t *queue = &queues[air.side];
        hs_frame_t *frame = queue->frames[air.at++];
        if (!frame->taken && hs_radio_chance(10000) >= hs_knobs.errors) {
            frame->taken = queue->calls.arrived(frame);
        }
        air.next = now + (air.at < air.count ? time_of(queue->frames[air.at]) : hs_knobs.ack_ns);
    }
}

/* ---- order ------------------------------------------------------------------------------------- */

void hs_order_put(hs_order_t *order, uint32_t sequence, void *item)
{
    uint32_t place = sequence % HS_ORDER_PLACES;
    if (sequence - order->next < HS_ORDER_PLACES && !order->places[place].known) {
        order->places[place].known = true;
        order->places[place].item = item;
    }
}

void *hs_order_take(hs_order_t *order)
{
    void *item = NULL;
    while (item == NULL && order->places[order->next % HS_ORDER_PLACES].known) {
        uint32_t place = order->next++ % HS_ORDER_PLACES;
        item = order->places[place].item;
        order->places[place].known = false;
    }
    return item;
}
