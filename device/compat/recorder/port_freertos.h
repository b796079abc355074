/* The recorder's port for FreeRTOS on one core: -DHS_RECORDER_PORT='"port_freertos.h"'. The clock counts
 * ticks of the kernel; name a finer one by HS_RECORDER_CLOCK(). Interrupts and their mask are those of the
 * processor (recorder_port.h). */
#ifndef HEAPSCOPE_RECORDER_PORT_FREERTOS_H
#define HEAPSCOPE_RECORDER_PORT_FREERTOS_H

#include <stdint.h>

/* The kernel's functions, as its headers include this file's users through FreeRTOSConfig.h. */
void *hs_recorder_freertos_task(void);
uint32_t hs_recorder_freertos_ticks(void);

#ifndef HS_RECORDER_CLOCK
#define HS_RECORDER_CLOCK() hs_recorder_freertos_ticks()
#endif
#define HS_RECORDER_TASK() ((uintptr_t)hs_recorder_freertos_task())

#endif
