#pragma once
#include "FreeRTOS.h"
typedef void *TaskHandle_t;
TaskHandle_t xTaskGetCurrentTaskHandle(void);
#if ESP_IDF >= 403
char *pcTaskGetName(TaskHandle_t task);
#else
char *pcTaskGetTaskName(TaskHandle_t task);
#endif
