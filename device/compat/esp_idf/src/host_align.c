/* The alignment that a host's hardware would want, by ESP-IDF's rule of 5.3 and later. Weak, so that a
 * program may have the one of its chip. */
#include "align.h"

#ifndef ESP_PLATFORM

/* Lines of the data cache, which an ESP32 has neither before its internal nor its external memory. */
#ifndef HEAPSCOPE_ESP_HOST_LINE
#define HEAPSCOPE_ESP_HOST_LINE 4u
#endif
#ifndef HEAPSCOPE_ESP_HOST_LINE_SPIRAM
#define HEAPSCOPE_ESP_HOST_LINE_SPIRAM 4u
#endif

#define DESCRIPTORS (MALLOC_CAP_DMA_DESC_AHB | MALLOC_CAP_DMA_DESC_AXI)
#define ALIGNED (MALLOC_CAP_DMA | DESCRIPTORS | MALLOC_CAP_CACHE_ALIGNED | MALLOC_CAP_SIMD)

__attribute__((weak)) void esp_heap_adjust_alignment_to_hw(size_t *alignment, size_t *size,
                                                           uint32_t *caps)
{
    if ((*caps & ALIGNED) == 0) {
        return;
    }
    const bool external = (*caps & MALLOC_CAP_SPIRAM) != 0;
    const size_t line = external ? HEAPSCOPE_ESP_HOST_LINE_SPIRAM : HEAPSCOPE_ESP_HOST_LINE;
    *alignment = *alignment < line ? line : *alignment;
    *size = (*size + *alignment - 1) & ~(*alignment - 1);
    if ((*caps & DESCRIPTORS) != 0) {
        *caps = (*caps & ~(uint32_t)DESCRIPTORS) | MALLOC_CAP_DMA;
    }
    *caps &= ~(uint32_t)MALLOC_CAP_CACHE_ALIGNED;
    if (external) {
        *caps &= ~(uint32_t)MALLOC_CAP_DMA;
    }
}

#else
typedef int heapscope_esp_has_its_chips_alignment_t; /* C wants a declaration */
#endif
