/* The network device of a board. A frame that came is a block of the heap, allocated in the interrupt. */
#ifndef FIRMWARE_NETWORK_DEVICE_H
#define FIRMWARE_NETWORK_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#define NETWORK_FRAME_MAX 1518u

/* Takes it into use: it sends. False: none. */
bool network_open(void);
void network_receive(void); /* from now on frames come */
void network_address(uint8_t address[6]);
void network_send(const void *frame, uint32_t size); /* waits while the device is busy */
void network_on_interrupt(void);

/* The receiver's: a place for a frame of that size, NULL if there is no room; and its hand-over. */
void *network_take_block(uint32_t size);
void network_received(void *block, uint32_t size);

#endif
