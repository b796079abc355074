/* The counts of a kernel of FreeRTOS that does nothing else. */
#ifndef EMULATION_FREERTOS_KERNEL_H
#define EMULATION_FREERTOS_KERNEL_H

#include "FreeRTOS.h"

extern unsigned asserted;     /* failed configASSERT()s */
extern unsigned hooked;       /* calls of vApplicationMallocFailedHook() */
extern unsigned suspended;    /* calls of vTaskSuspendAll() */
extern unsigned deep;         /* sections that are open: 0 outside of every call */
extern long inside_interrupt; /* set by a test that plays a handler */
extern long scheduler;        /* its state: running, unless a test says otherwise */

#endif
