/* ESP-IDF's, where the program has it. */
#ifndef HEAPSCOPE_SOC_MEMORY_LAYOUT_H
#define HEAPSCOPE_SOC_MEMORY_LAYOUT_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#if defined(__has_include_next) && __has_include_next(<soc/soc_memory_layout.h>)
#include_next <soc/soc_memory_layout.h>
#else
#include <esp_memory_utils.h>
#include <heap_memory_layout.h>
#endif
#endif
