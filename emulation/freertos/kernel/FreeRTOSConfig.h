#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#ifndef configTOTAL_HEAP_SIZE
#define configTOTAL_HEAP_SIZE ((size_t)20000)
#endif
#ifndef portBYTE_ALIGNMENT
#define portBYTE_ALIGNMENT 8
#endif
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configUSE_MALLOC_FAILED_HOOK 1
#define configTICK_RATE_HZ 1000
#define INCLUDE_xTaskGetSchedulerState 1
#define configUSE_TIMERS 0

extern unsigned asserted; /* failed assertions: the kernel's test counts them and goes on */
#define configASSERT(condition) ((condition) ? (void)0 : (void)asserted++)

extern long inside_interrupt;
#ifndef TESTS_ASK_THE_PROCESSOR
#define HS_FREERTOS_IN_INTERRUPT() (inside_interrupt != 0)
#endif

#if defined(HEAPSCOPE_RECORDS)
#include "recorder_freertos.h"
#endif

#endif
