/*
 * The air between access point and device, which one of them has at a time. A transmission is a
 * frame, or an aggregate of as many as the block-ack window allows; each frame arrives when its last
 * bit does, and those that were not taken are sent again.
 */
#ifndef HEAPSCOPE_WIFI_RADIO_H
#define HEAPSCOPE_WIFI_RADIO_H

#include <stdbool.h>
#include <stdint.h>

#include "stack.h"

typedef enum hs_side { HS_ACCESS_POINT, HS_DEVICE, HS_SIDES } hs_side_t;

typedef struct hs_frame {
    uint32_t sequence; /* of its side, from 0 */
    uint32_t length;
    void *held; /* the sender's */
    uint8_t bytes[HS_PACKET_MAX];
    uint32_t tries;
    bool taken;
} hs_frame_t;

/* The sender's calls: `arrived` at the other side, which takes the frame or not; `gone` from the
 * queue, either after it was taken or given up. */
typedef struct hs_radio_calls {
    bool (*arrived)(const hs_frame_t *frame);
    void (*gone)(const hs_frame_t *frame);
} hs_radio_calls_t;

void hs_radio_start(const hs_radio_calls_t calls[HS_SIDES]);

/* A frame to send; false: there is no room. */
bool hs_radio_send(hs_side_t side, const uint8_t *bytes, uint32_t length, void *held);
uint32_t hs_radio_waiting(hs_side_t side);

/* When something happens, at `now` or later; HS_NEVER. */
uint64_t hs_radio_next(uint64_t now);
void hs_radio_run(uint64_t now);

/* Below `limit` by chance, of the run's seed. */
uint32_t hs_radio_chance(uint32_t limit);

/* ---- order ------------------------------------------------------------------------------------- */

#define HS_ORDER_PLACES 1024

/* Puts what came in any order into that of the sequence numbers. */
typedef struct hs_order {
    uint32_t next;
    struct {
        bool known;
        void *item;
    } places[HS_ORDER_PLACES];
} hs_order_t;

/* `item` NULL: it never comes. One that is known already stays. */
void hs_order_put(hs_order_t *order, uint32_t sequence, void *item);
/* The next item that is due; NULL: none. */
void *hs_order_take(hs_order_t *order);

#endif
