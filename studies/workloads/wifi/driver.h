/*
 * The device between the air and lwIP: buffers of the driver, static and dynamic, and a processor
 * that takes its time with every frame. The driver's work goes before lwIP's.
 *
 * Receiving: a frame takes a static buffer until the driver has copied it into a dynamic one, which
 * is lwIP's until it frees the pbuf that refers to it. Without a static buffer a frame is not
 * acknowledged and comes again; without a dynamic one it is lost. Sending: lwIP's packet is copied
 * into a buffer that is free again when the frame is acknowledged.
 */
#ifndef HEAPSCOPE_WIFI_DRIVER_H
#define HEAPSCOPE_WIFI_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "radio.h"

/* Since hs_driver_count_again. */
typedef struct hs_driver_counts {
    uint32_t no_static, no_dynamic, no_transmit; /* times that there was no buffer */
    uint32_t received, sent;                     /* dynamic and transmit buffers, most at once */
} hs_driver_counts_t;

void hs_driver_start(void); /* takes the static buffers */

/* From now on the processor needs this time for a frame. */
void hs_driver_pace(uint32_t frame_ns);

/* The radio calls these: a frame came for the device; a frame will never come; a frame of the
 * device is done. */
bool hs_driver_arrived(const hs_frame_t *frame);
void hs_driver_missing(const hs_frame_t *frame);
void hs_driver_sent(const hs_frame_t *frame);

/* lwIP calls this to send a packet. false: there is no buffer. */
bool hs_driver_output(struct pbuf *packet);

/* Can a datagram be sent now: is there a buffer, and has the processor nothing else to do? A sender
 * that backs off does not ask for the buffer (2), and not for the processor either (1). */
bool hs_driver_idle(void);
bool hs_driver_quiet(void); /* nothing is under way */

uint64_t hs_driver_next(uint64_t now);
void hs_driver_run(uint64_t now);

hs_driver_counts_t hs_driver_counts(void);
void hs_driver_count_again(void);

#endif
