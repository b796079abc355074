/* The alignment that a host's hardware would want, by ESP-IDF's rule of 5.3 and later. Weak, so that a
 * program may have the one of its chip. */
#include "align.h"

#include "../../../src/regions/hardware.h"

#ifndef ESP_PLATFORM

/* Lines of the data cache, which an ESP32 has neither before its internal nor its external memory. */
#ifndef HEAPSCOPE_ESP_HOST_LINE
#define HEAPSCOPE_ESP_HOST_LINE 4u
#endif
#ifndef HEAPSCOPE_ESP_HOST_LINE_SPIRAM
#define HEAPSCOPE_ESP_HOST_LINE_SPIRAM 4u
#endif

__attribute__((weak)) void esp_heap_adjust_alignment_to_hw(size_t *alignment, size_t *size,
                                                           uint32_t *caps)
{
    static const hs_hardware_t hardware = {.internal = HEAPSCOPE_ESP_HOST_LINE,
                                           .external = HEAPSCOPE_ESP_HOST_LINE_SPIRAM};
    if (*size <= UINT32_MAX && *alignment <= UINT32_MAX) { /* a larger one fits into no region */
        uint32_t align = (uint32_t)*alignment;
        uint32_t bytes = (uint32_t)*size;
        hs_hardware_adjust(&hardware, &align, &bytes, caps);
        *alignment = align;
        *size = bytes;
    }
}

#else
typedef int heapscope_esp_has_its_chips_alignment_t; /* C wants a declaration */
#endif
