/* How Heapscope asks FreeRTOS for a lock; the port and compat/freertos share it. Each may be defined
 * in FreeRTOSConfig.h. */
#ifndef HEAPSCOPE_FREERTOS_H
#define HEAPSCOPE_FREERTOS_H

#ifdef ESP_PLATFORM
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#else
#include "FreeRTOS.h"
#include "task.h"
#endif

/* 0: the scheduler is suspended, as in heap_4; handlers are refused. 1: a critical section, so that
 * handlers up to configMAX_SYSCALL_INTERRUPT_PRIORITY may allocate. Its length is bounded, that of
 * realloc and calloc by the bytes that they copy or clear. On ESP-IDF always 1, with a spin lock, as
 * a suspended scheduler does not hold the other core off. */
#ifdef ESP_PLATFORM
#undef HS_FREERTOS_MASKS
#define HS_FREERTOS_MASKS 1
#endif
#ifndef HS_FREERTOS_MASKS
#define HS_FREERTOS_MASKS 0
#endif

/* Is it a handler that runs? Ports without a way to tell: always 0, and then handlers are not
 * refused but must not call, as with heap_4. */
#ifndef HS_FREERTOS_IN_INTERRUPT
#if defined(ESP_PLATFORM)
#define HS_FREERTOS_IN_INTERRUPT() (xPortInIsrContext() != 0)
#elif defined(__GNUC__) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
/* Not FreeRTOS's own: its ports of the Cortex-M0 have none before V11. */
static inline uint32_t hs_freertos_exception(void)
{
    uint32_t number;
    __asm__ volatile("mrs %0, ipsr" : "=r"(number));
    return number;
}
#define HS_FREERTOS_IN_INTERRUPT() (hs_freertos_exception() != 0)
#elif defined(portHAS_INSIDE_INTERRUPT) || defined(__ARM_ARCH_6M__) || defined(__ARM_ARCH_7M__) || \
    defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_BASE__) || defined(__ARM_ARCH_8M_MAIN__) || \
    defined(__ARM_ARCH_8_1M_MAIN__)
#define HS_FREERTOS_IN_INTERRUPT() (xPortIsInsideInterrupt() != pdFALSE)
#else
#define HS_FREERTOS_IN_INTERRUPT() 0
#endif
#endif

#endif
