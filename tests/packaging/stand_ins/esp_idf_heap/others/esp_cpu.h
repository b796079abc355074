#pragma once
static inline unsigned esp_cpu_get_cycle_count(void)
{
    return 0;
}
static inline int esp_cpu_get_core_id(void)
{
    return 0;
}
