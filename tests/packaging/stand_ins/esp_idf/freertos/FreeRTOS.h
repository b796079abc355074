/* The part of ESP-IDF's FreeRTOS that the port uses, so that it compiles; nothing of it runs. */
#pragma once
#include <stdint.h>
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;
typedef struct {
    uint32_t owner, count;
} portMUX_TYPE;
#define portMUX_INITIALIZER_UNLOCKED {0, 0}
#define portENTER_CRITICAL_SAFE(mux) ((void)(mux)->count++)
#define portEXIT_CRITICAL_SAFE(mux) ((void)(mux)->count--)
#define configTICK_RATE_HZ 100
#define configASSERT(condition) ((void)(condition))
static inline BaseType_t xPortInIsrContext(void)
{
    return 0;
}
