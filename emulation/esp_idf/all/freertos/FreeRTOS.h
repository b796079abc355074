/* The locks of ESP-IDF's FreeRTOS. */
#pragma once
#include <stdint.h>
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef struct {
    uint32_t owner, count;
} portMUX_TYPE;
#define portMUX_INITIALIZER_UNLOCKED {0, 0}
BaseType_t xPortInIsrContext(void);
BaseType_t xPortGetCoreID(void);
void vPortEnterCritical(portMUX_TYPE *mux);
void vPortExitCritical(portMUX_TYPE *mux);
#define portENTER_CRITICAL(mux) vPortEnterCritical(mux)
#define portEXIT_CRITICAL(mux) vPortExitCritical(mux)
#define portENTER_CRITICAL_ISR(mux) vPortEnterCritical(mux)
#define portEXIT_CRITICAL_ISR(mux) vPortExitCritical(mux)
#define portENTER_CRITICAL_SAFE(mux)                                                               \
    (xPortInIsrContext() ? portENTER_CRITICAL_ISR(mux) : portENTER_CRITICAL(mux))
#define portEXIT_CRITICAL_SAFE(mux)                                                                \
    (xPortInIsrContext() ? portEXIT_CRITICAL_ISR(mux) : portEXIT_CRITICAL(mux))
