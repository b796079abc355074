/*
 * The other side: a second lwIP in a process of its own, which acts on command and at the
 * given time. It never runs beside this one, so that a run is the same every time.
 */
#ifndef HEAPSCOPE_WIFI_PEER_H
#define HEAPSCOPE_WIFI_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack.h"

typedef void hs_peer_packet_t(const uint8_t *bytes, uint32_t length);

/* `packet` gets what it sends, while one of the following runs. Before anything else in this
 * process was opened. false: no process. */
bool hs_peer_start(hs_peer_packet_t *packet);
void hs_peer_stop(void);

void hs_peer_begin(uint64_t now, hs_phase_t phase, uint32_t bytes);
void hs_peer_input(uint64_t now, const uint8_t *bytes, uint32_t length);
void hs_peer_timers(uint64_t now);
void hs_peer_datagram(uint64_t now);

hs_stack_state_t hs_peer_state(void);
size_t hs_peer_peak(void); /* of its heap in this phase, bytes */

#endif
