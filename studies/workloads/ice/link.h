/*
 * Time and network of the recorded program. The sockets are the system's, on loopback; time is the
 * program's own and goes on only when nothing is left to do, so that a run is the same every time.
 * A packet is on its way for a while, which varies by seed, and may be lost.
 */
#ifndef HEAPSCOPE_ICE_LINK_H
#define HEAPSCOPE_ICE_LINK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hs_link_plan {
    uint32_t seed;
    uint32_t delay_ms, jitter_ms; /* each way from here; answers of the server are at once */
    uint32_t lost_per_mille;
} hs_link_plan_t;

void hs_link_begin(hs_link_plan_t plan);

#define HS_LINK_NEVER UINT64_MAX

uint64_t hs_link_now(void); /* microseconds since the start */
void hs_link_set_now(uint64_t now);
uint64_t hs_link_next(void); /* when the next packet arrives; HS_LINK_NEVER */
bool hs_link_deliver(void);  /* those that are due, to the system; whether there was one */

/* The host's own addresses are 127.`first`.0.1 and so on, `count` of them. */
void hs_link_hosts(unsigned first, unsigned count);

#endif
