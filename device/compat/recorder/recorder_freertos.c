/* The kernel's functions that recorder_freertos.h and port_freertos.h want. */
#include "FreeRTOS.h"
#include "task.h"

#include "port_freertos.h"

hs_recorder_t *heapscope_recorder;

void *hs_recorder_freertos_task(void)
{
    return xTaskGetCurrentTaskHandle();
}

/* xTaskGetTickCountFromISR may be called from a task, too, where it reads a word. */
uint32_t hs_recorder_freertos_ticks(void)
{
    return (uint32_t)xTaskGetTickCountFromISR();
}
