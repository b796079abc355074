/* An entry of the start-up: the linker collects them in a section, sorted by stage and priority. */
#pragma once
#include <stdint.h>
#include "esp_err.h"
#ifndef BIT
#define BIT(number) (1UL << (number))
#endif
typedef struct {
    esp_err_t (*fn)(void);
    uint16_t cores;
    uint16_t stage;
} esp_system_init_fn_t;
#define ESP_SYSTEM_INIT_STAGE_CORE 0
#define ESP_SYSTEM_INIT_STAGE_SECONDARY 1
#define ESP_SYSTEM_INIT_FN(name, stage_name, for_cores, priority, ...)                             \
    static esp_err_t __VA_ARGS__ __esp_system_init_fn_##name(void);                                \
    static __attribute__((used, section(".esp_system_init_fn." #stage_name "." #priority)))        \
    esp_system_init_fn_t esp_system_init_fn_##name = {__esp_system_init_fn_##name, (for_cores),    \
                                                      ESP_SYSTEM_INIT_STAGE_##stage_name};         \
    static esp_err_t __esp_system_init_fn_##name(void)
