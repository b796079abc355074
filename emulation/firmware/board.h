/* A board: two serial ports, a network device, and memory. One of board_*.c is linked. */
#ifndef FIRMWARE_BOARD_H
#define FIRMWARE_BOARD_H

#include <stdint.h>

#include "heapscope/regions.h"

/* The words that the harness puts into memory before the start, where the linker's script says. */
typedef struct board_given {
    uint32_t port;     /* of the TLS server on the host's loopback */
    uint32_t sessions; /* to make with it */
    uint32_t seed;     /* of all random numbers */
} board_given_t;
extern volatile board_given_t board_given;

void board_console(char byte);                           /* the first serial port */
void board_stream(const uint8_t *bytes, uint32_t count); /* the second */
uint32_t board_clock(void);                              /* microseconds, modulo 2^32 */
_Noreturn void board_end(int code);                      /* switches the machine off */

extern const hs_region_t board_regions[]; /* what the heap has */
extern const uint32_t board_region_count;

/* Called by the processor's part. */
void board_on_tick(void);
void board_on_interrupt(void);
_Noreturn void board_fault(uint32_t cause, uint32_t address);

#endif
