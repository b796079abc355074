/* Tasks, as the interfaces here name them: FreeRTOS's where the program has it. */
#ifndef HEAPSCOPE_ESP_TASK_H
#define HEAPSCOPE_ESP_TASK_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#if __has_include("freertos/FreeRTOS.h") && __has_include("freertos/task.h")
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#define HEAPSCOPE_ESP_HAS_FREERTOS 1
#else
typedef struct tskTaskControlBlock *TaskHandle_t;
#endif

#ifndef configMAX_TASK_NAME_LEN
#define configMAX_TASK_NAME_LEN 16
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A task is gone: its row stays while it owns memory. Where the memory of a task's control block is
 * freed, as FreeRTOS does, this is known without it. */
void heapscope_esp_task_ended(TaskHandle_t task);

/* On a host: how the running task and a task's name are found. Defined by the program; or else FreeRTOS
 * is asked, if the program has it; or else all memory is the start-up's. The name is asked for once, at the first
 * allocation. */
__attribute__((weak)) TaskHandle_t heapscope_esp_task(void);
__attribute__((weak)) const char *heapscope_esp_task_name(TaskHandle_t task);

#ifdef __cplusplus
}
#endif

#endif
