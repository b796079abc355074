/*
 * One lwIP with its two ends of a transfer: a connection or datagrams, whose bytes are counted. A
 * process has one. Time is what hs_stack_set_now said last.
 */
#ifndef HEAPSCOPE_WIFI_STACK_H
#define HEAPSCOPE_WIFI_STACK_H

#include <stdbool.h>
#include <stdint.h>

struct pbuf;

typedef enum hs_phase {
    HS_TCP_RX, /* as the device sees it */
    HS_TCP_TX,
    HS_UDP_RX,
    HS_UDP_TX,
    HS_PHASES
} hs_phase_t;

#define HS_DATAGRAM 1470     /* of payload, as iperf's on the other side */
#define HS_DATAGRAM_OUT 1472 /* as that of ESP-IDF's iperf */
#define HS_PACKET_MAX 1500
#define HS_NEVER UINT64_MAX

/* The state of the phase that hs_stack_begin began. */
typedef struct hs_stack_state {
    uint64_t timer;    /* when hs_stack_timers has something to do, ns; HS_NEVER */
    uint32_t received; /* bytes */
    bool closed, failed;
} hs_stack_state_t;

/* The other side listens, the device connects. `output` takes a packet; false: it has no room. */
void hs_stack_start(bool device, bool (*output)(struct pbuf *packet));

/* A phase of so many bytes. */
void hs_stack_begin(hs_phase_t phase, uint32_t bytes);

void hs_stack_set_now(uint64_t now);
void hs_stack_timers(void);

/* A packet from the link; takes it over. */
void hs_stack_input(struct pbuf *packet);

/* One datagram of so many bytes to the other side, HS_DATAGRAM_OUT at most. false: no room for it. */
bool hs_stack_datagram(uint32_t bytes);

hs_stack_state_t hs_stack_state(void);

#endif
