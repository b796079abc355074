/* ESP-IDF's, where the program has it; else what of it concerns the heap. */
#ifndef HEAPSCOPE_ESP_SYSTEM_H
#define HEAPSCOPE_ESP_SYSTEM_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#if defined(__has_include_next) && __has_include_next(<esp_system.h>)
#include_next <esp_system.h>
#else

#include <stdint.h>

#include <esp_err.h>
#include <esp_heap_caps.h>

static inline uint32_t esp_get_free_heap_size(void)
{
    return (uint32_t)heap_caps_get_free_size(MALLOC_CAP_DEFAULT);
}
static inline uint32_t esp_get_free_internal_heap_size(void)
{
    return (uint32_t)heap_caps_get_free_size(MALLOC_CAP_8BIT | MALLOC_CAP_INTERNAL);
}
static inline uint32_t esp_get_minimum_free_heap_size(void)
{
    return (uint32_t)heap_caps_get_minimum_free_size(MALLOC_CAP_DEFAULT);
}

#endif
#endif
