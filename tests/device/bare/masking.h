/* A processor whose interrupts are a variable: HS_BARE_HEADER of the port under test. */
#ifndef TESTS_DEVICE_BARE_MASKING_H
#define TESTS_DEVICE_BARE_MASKING_H

#include <stdint.h>

extern uint32_t taken; /* 1: interrupts are taken */
uint32_t mask_interrupts(void);
void restore_interrupts(uint32_t before);

#define HS_BARE_MASK() mask_interrupts()
#define HS_BARE_RESTORE(before) restore_interrupts(before)
#define HS_BARE_CLOCK() 77u

#endif
