/* The recorder's port in emulation: a clock and the running task as a chip has them, each a word that is
 * read; and core and interrupts as the port of a bare processor has them. */
#ifndef HS_EMULATION_RECORDER_PLACES_H
#define HS_EMULATION_RECORDER_PLACES_H

#include <stdint.h>

extern volatile uint32_t recorder_clock;
extern uintptr_t recorder_task;

#define HS_RECORDER_CLOCK() recorder_clock
#define HS_RECORDER_TASK() recorder_task

#endif
