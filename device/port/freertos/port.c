/* FreeRTOS: the lock is a suspended scheduler, or a critical section (HS_FREERTOS_MASKS); both hold all
 * cores off where the kernel has several. ESP-IDF has spin locks: there each region has its own. */
#include <stddef.h>

#include "heapscope/config.h"
#include "heapscope/port.h"
#include "heapscope_freertos.h"

#ifdef ESP_PLATFORM

static portMUX_TYPE spin = portMUX_INITIALIZER_UNLOCKED; /* nests on the core that holds it */

bool hs_port_enter(void)
{
    portENTER_CRITICAL_SAFE(&spin);
    return true;
}

void hs_port_leave(void)
{
    portEXIT_CRITICAL_SAFE(&spin);
}

static portMUX_TYPE spins[HS_LOCK_COUNT] = {
    [0 ... HS_LOCK_COUNT - 1] = portMUX_INITIALIZER_UNLOCKED,
};

void hs_port_lock_region(void *context, uint32_t lock)
{
    (void)context;
    portENTER_CRITICAL_SAFE(&spins[lock]);
}

void hs_port_unlock_region(void *context, uint32_t lock)
{
    (void)context;
    portEXIT_CRITICAL_SAFE(&spins[lock]);
}

#elif HS_FREERTOS_MASKS

/* The masks that the sections of handlers found. Handlers nest, and so do sections within one. */
#define NESTING_MAX 16u
static UBaseType_t masked[NESTING_MAX];
static uint32_t nesting;

bool hs_port_enter(void)
{
    if (!HS_FREERTOS_IN_INTERRUPT()) {
        taskENTER_CRITICAL();
        return true;
    }
    const UBaseType_t before = taskENTER_CRITICAL_FROM_ISR();
    if (nesting == NESTING_MAX) {
        taskEXIT_CRITICAL_FROM_ISR(before);
        return false;
    }
    masked[nesting++] = before;
    return true;
}

void hs_port_leave(void)
{
    if (!HS_FREERTOS_IN_INTERRUPT()) {
        taskEXIT_CRITICAL();
        return;
    }
    const UBaseType_t before = masked[--nesting];
    taskEXIT_CRITICAL_FROM_ISR(before);
}

#else

bool hs_port_enter(void)
{
    if (HS_FREERTOS_IN_INTERRUPT()) {
        return false;
    }
    vTaskSuspendAll();
    return true;
}

void hs_port_leave(void)
{
    (void)xTaskResumeAll();
}

#endif

void hs_port_lock(void *context)
{
    (void)context;
    const bool entered = hs_port_enter();
    configASSERT(entered);
    (void)entered;
}

void hs_port_unlock(void *context)
{
    (void)context;
    hs_port_leave();
}

#ifndef ESP_PLATFORM
void hs_port_lock_region(void *context, uint32_t lock)
{
    (void)lock;
    hs_port_lock(context);
}

void hs_port_unlock_region(void *context, uint32_t lock)
{
    (void)lock;
    hs_port_unlock(context);
}

#endif

bool hs_port_in_interrupt(void)
{
    return HS_FREERTOS_IN_INTERRUPT();
}

/* To a tick. */
uint32_t hs_port_clock(void)
{
    const TickType_t ticks =
        HS_FREERTOS_IN_INTERRUPT() ? xTaskGetTickCountFromISR() : xTaskGetTickCount();
    return (uint32_t)((uint64_t)ticks * 1000000u / configTICK_RATE_HZ);
}

/* Before the start FreeRTOS calls the first of the tasks that were made the current one. */
static bool has_started(void)
{
#if INCLUDE_xTaskGetSchedulerState == 1 || configUSE_TIMERS == 1
    return xTaskGetSchedulerState() != taskSCHEDULER_NOT_STARTED;
#else
    return true; /* it cannot be asked */
#endif
}

void *hs_port_task(void *context)
{
    (void)context;
    const bool runs = has_started() && !HS_FREERTOS_IN_INTERRUPT();
    return runs ? (void *)xTaskGetCurrentTaskHandle() : NULL;
}

const char *hs_port_task_name(void *task)
{
    return task != NULL ? pcTaskGetName((TaskHandle_t)task) : NULL;
}
