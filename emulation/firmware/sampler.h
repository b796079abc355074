/* Samples that a timer's interrupt allocates and a task counts and frees. */
#ifndef FIRMWARE_SAMPLER_H
#define FIRMWARE_SAMPLER_H

#include <stdbool.h>

bool sampler_start(void);
void sampler_on_tick(void); /* in the interrupt */
/* Asks for one block that is nearly as large as all memory for DMA, and does without where there is none. */
void sampler_burst(void);

#endif
