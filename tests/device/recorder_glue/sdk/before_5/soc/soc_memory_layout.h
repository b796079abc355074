#ifndef TESTS_SOC_MEMORY_LAYOUT_H
#define TESTS_SOC_MEMORY_LAYOUT_H
#include <stdbool.h>
#include <stdint.h>
#include "esp_attr.h"
inline static bool IRAM_ATTR esp_ptr_external_ram(const void *p)
{
    return (uintptr_t)p >= 0x3F800000u && (uintptr_t)p < 0x3FC00000u;
}
#endif
