/* With portmacro.h, whose masks differ by release and processor. */
#ifndef TESTS_FREERTOS_H
#define TESTS_FREERTOS_H
#include <stddef.h>
#include <stdint.h>
#include "esp_attr.h"
#include "esp_idf_version.h"
typedef int BaseType_t;
typedef unsigned UBaseType_t;
typedef uint32_t TickType_t;
#define configTICK_RATE_HZ 100
#define pdPASS 1
#define configASSERT(condition) ((void)(condition))
#define pdMS_TO_TICKS(ms) ((TickType_t)(((TickType_t)(ms) * configTICK_RATE_HZ) / 1000U))
#define taskYIELD() ((void)0)
BaseType_t xPortInIsrContext(void);
typedef struct {
    uint32_t owner, count;
} portMUX_TYPE;
#define portMUX_INITIALIZER_UNLOCKED {0, 0}
#define portENTER_CRITICAL_SAFE(mux) ((void)(mux)->count++)
#define portEXIT_CRITICAL_SAFE(mux) ((void)(mux)->count--)
#if TEST_IDF < 403
static inline uint32_t xPortGetCoreID(void)
{
    return 0;
}
#else
static inline BaseType_t xPortGetCoreID(void)
{
    return 0;
}
#endif
#if defined(__riscv)
#if TEST_IDF < 503
int vPortSetInterruptMask(void);
void vPortClearInterruptMask(int mask);
#define portSET_INTERRUPT_MASK_FROM_ISR() vPortSetInterruptMask()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(uxSavedStatusValue)                                      \
    vPortClearInterruptMask(uxSavedStatusValue)
#else
UBaseType_t xPortSetInterruptMaskFromISR(void);
void vPortClearInterruptMaskFromISR(UBaseType_t prev_int_level);
#define portSET_INTERRUPT_MASK_FROM_ISR() xPortSetInterruptMaskFromISR()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(prev_level) vPortClearInterruptMaskFromISR(prev_level)
#endif
#else
#if TEST_IDF < 404
static inline unsigned portENTER_CRITICAL_NESTED(void)
{
    return 0;
}
#define portEXIT_CRITICAL_NESTED(state)                                                            \
    do {                                                                                           \
        (void)(state);                                                                             \
    } while (0)
#define portSET_INTERRUPT_MASK_FROM_ISR() portENTER_CRITICAL_NESTED()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(state) portEXIT_CRITICAL_NESTED(state)
#else
static inline UBaseType_t xPortSetInterruptMaskFromISR(void)
{
    return 0;
}
static inline void vPortClearInterruptMaskFromISR(UBaseType_t prev_level)
{
    (void)prev_level;
}
#define portSET_INTERRUPT_MASK_FROM_ISR() xPortSetInterruptMaskFromISR()
#define portCLEAR_INTERRUPT_MASK_FROM_ISR(prev_level) vPortClearInterruptMaskFromISR(prev_level)
#endif
#endif
#endif
