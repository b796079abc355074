/* ESP-IDF's, where the program has it. */
#ifndef HEAPSCOPE_ESP_TYPES_H
#define HEAPSCOPE_ESP_TYPES_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#if defined(__has_include_next) && __has_include_next(<esp_types.h>)
#include_next <esp_types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#endif
#endif
