/* ESP-IDF's, where the program has it; else placements that mean nothing on a host. */
#ifndef HEAPSCOPE_ESP_ATTR_H
#define HEAPSCOPE_ESP_ATTR_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#if defined(__has_include_next) && __has_include_next(<esp_attr.h>)
#include_next <esp_attr.h>
#else

#define IRAM_ATTR
#define DRAM_ATTR
#define RTC_DATA_ATTR
#define WORD_ALIGNED_ATTR __attribute__((aligned(4)))
#define NOINLINE_ATTR __attribute__((noinline))
#define FORCE_INLINE_ATTR static inline __attribute__((always_inline))

#endif
#endif
