#pragma once
#include <stdbool.h>
static inline bool esp_ptr_external_ram(const void *p)
{
    return p == 0;
}
static inline bool esp_ptr_internal(const void *p)
{
    return p != 0;
}
