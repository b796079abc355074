/* A kernel without tasks. */
#include "kernel.h"
#include "task.h"

unsigned asserted;
unsigned hooked;
unsigned suspended;
unsigned deep;
long inside_interrupt;
long scheduler = taskSCHEDULER_RUNNING;

void vTaskSuspendAll(void)
{
    suspended++;
    deep++;
}

BaseType_t xTaskResumeAll(void)
{
    deep--;
    return pdFALSE;
}

void taskENTER_CRITICAL(void)
{
    deep++;
}

void taskEXIT_CRITICAL(void)
{
    deep--;
}

UBaseType_t taskENTER_CRITICAL_FROM_ISR(void)
{
    return deep++;
}

void taskEXIT_CRITICAL_FROM_ISR(UBaseType_t before)
{
    deep = (unsigned)before;
}

TickType_t xTaskGetTickCount(void)
{
    return 1500;
}

TickType_t xTaskGetTickCountFromISR(void)
{
    return 1500;
}

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return (TaskHandle_t)&deep;
}

BaseType_t xTaskGetSchedulerState(void)
{
    return scheduler;
}

char *pcTaskGetName(TaskHandle_t task)
{
    static char name[] = "main";
    return task != NULL ? name : NULL;
}

void vApplicationMallocFailedHook(void)
{
    hooked++;
}
