#ifndef TESTS_FREERTOS_TASK_H
#define TESTS_FREERTOS_TASK_H
#include "FreeRTOS.h"
typedef struct tskTaskControlBlock *TaskHandle_t;
typedef void (*TaskFunction_t)(void *);
#define tskIDLE_PRIORITY 0U
TaskHandle_t xTaskGetCurrentTaskHandle(void);
TickType_t xTaskGetTickCount(void);
TickType_t xTaskGetTickCountFromISR(void);
#if TEST_IDF < 403
char *pcTaskGetTaskName(TaskHandle_t xTaskToQuery);
#else
char *pcTaskGetName(TaskHandle_t xTaskToQuery);
#endif
BaseType_t xTaskCreate(TaskFunction_t task, const char *const name, const uint32_t stack,
                       void *const parameters, UBaseType_t priority, TaskHandle_t *const created);
void vTaskDelay(const TickType_t ticks);
#endif
