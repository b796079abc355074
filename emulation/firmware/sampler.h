/* Samples that a timer's interrupt allocates and a task counts and frees. */
#ifndef FIRMWARE_SAMPLER_H
#define FIRMWARE_SAMPLER_H

#include <stdbool.h>

bool sampler_start(void);
void sampler_on_tick(void); /* in the interrupt */
/* Asks for nearly all memory of words alone, where the counts are, and does without it. */
void sampler_keep_history(void);

#endif
