/* An entry of the start-up: the linker collects them in a section; ESP-IDF's sorts it by stage and
 * priority, which stand in the entry here. */
#pragma once
#include <stdint.h>
#include "esp_err.h"
#ifndef BIT
#define BIT(number) (1UL << (number))
#endif
typedef struct {
    esp_err_t (*fn)(void);
    uint16_t cores;
    uint16_t priority;
} esp_system_init_fn_t;
#define ESP_SYSTEM_INIT_STAGE_CORE 0
#define ESP_SYSTEM_INIT_STAGE_SECONDARY 256
#define ESP_SYSTEM_INIT_FN(name, stage, for_cores, order, ...)                                     \
    static esp_err_t __VA_ARGS__ __esp_system_init_fn_##name(void);                                \
    static const esp_system_init_fn_t esp_system_init_fn_##name                                    \
        __attribute__((used, section("esp_system_init_fn"))) = {                                   \
            __esp_system_init_fn_##name, (for_cores), ESP_SYSTEM_INIT_STAGE_##stage + (order)};    \
    static esp_err_t __esp_system_init_fn_##name(void)
