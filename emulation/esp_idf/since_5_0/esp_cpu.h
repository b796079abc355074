#pragma once
#include <stdint.h>
uint32_t esp_cpu_get_cycle_count(void);
