/* The recorder's port for ESP-IDF: -DHS_RECORDER_PORT='"port_esp_idf.h"' -DHS_RECORDER_CORES=2 (of the
 * chips with two). The clock counts microseconds. */
#ifndef HEAPSCOPE_RECORDER_PORT_ESP_IDF_H
#define HEAPSCOPE_RECORDER_PORT_ESP_IDF_H

#include "esp_attr.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"

#define HS_RECORDER_CODE IRAM_ATTR
#define HS_RECORDER_CLOCK() ((uint32_t)esp_timer_get_time())
#define HS_RECORDER_TASK() ((uintptr_t)xTaskGetCurrentTaskHandle())
#define HS_RECORDER_IN_INTERRUPT() (xPortInIsrContext() != 0)
#define HS_RECORDER_CORE() ((unsigned)xPortGetCoreID())
#define HS_RECORDER_MASK() ((uintptr_t)portSET_INTERRUPT_MASK_FROM_ISR())
#define HS_RECORDER_RESTORE(before) portCLEAR_INTERRUPT_MASK_FROM_ISR(before)

#endif
