/*
 * The hardware's part in a request before a region is looked for, by ESP-IDF's rule of 5.3 and later
 * (esp_heap_adjust_alignment_to_hw, components/esp_mm/heap_align_hw.c). The component for ESP-IDF asks
 * this function on a host, and the lab's replay of every release asks it, so that they agree.
 */
#ifndef HEAPSCOPE_REGIONS_HARDWARE_H
#define HEAPSCOPE_REGIONS_HARDWARE_H

#include "heapscope/regions.h"

/* Capabilities of ESP-IDF that choose an alignment, and no memory of their own but SIMD's. */
#define HS_CAP_DMA_DESC_AHB (1u << 17)
#define HS_CAP_DMA_DESC_AXI (1u << 18)
#define HS_CAP_CACHE_ALIGNED (1u << 19)
#define HS_CAP_SIMD (1u << 20)
#define HS_CAPS_DESCRIPTORS (HS_CAP_DMA_DESC_AHB | HS_CAP_DMA_DESC_AXI)
#define HS_CAPS_ALIGNED (HS_CAP_DMA | HS_CAPS_DESCRIPTORS | HS_CAP_CACHE_ALIGNED | HS_CAP_SIMD)

/* Bytes, powers of two: the data cache's line before internal and external memory, and the alignments of
 * AXI descriptors, of vectors, and of encrypted memory under DMA. 0 in `internal`: no such rule. */
typedef struct hs_hardware {
    uint32_t internal;
    uint32_t external;
    uint32_t axi;
    uint32_t simd;
    uint32_t encrypted;
} hs_hardware_t;

static inline uint32_t hs_hardware_larger(uint32_t one, uint32_t other)
{
    return one < other ? other : one;
}

/* `align`: a power of two, at least 4; `size` grows to a multiple of it, and to UINT32_MAX where that
 * overflows. Nothing changes without one of HS_CAPS_ALIGNED. The same twice as once. */
static inline void hs_hardware_adjust(const hs_hardware_t *hardware, uint32_t *align,
                                      uint32_t *size, uint32_t *caps)
{
    if (hardware->internal == 0 || (*caps & HS_CAPS_ALIGNED) == 0) {
        return;
    }
    const bool external = (*caps & HS_CAP_SPIRAM) != 0;
    *align = hs_hardware_larger(*align, external ? hardware->external : hardware->internal);
    if ((*caps & HS_CAP_DMA_DESC_AXI) != 0) {
        *align = hs_hardware_larger(*align, hardware->axi);
    }
    if ((*caps & HS_CAP_SIMD) != 0) {
        *align = hs_hardware_larger(*align, hardware->simd);
    }
    if ((*caps & HS_CAP_DMA) != 0) {
        *align = hs_hardware_larger(*align, hardware->encrypted);
    }
    const uint32_t rest = *align - 1;
    *size = *size > UINT32_MAX - rest ? UINT32_MAX : (*size + rest) & ~rest;
    if ((*caps & HS_CAPS_DESCRIPTORS) != 0) {
        *caps = (*caps & ~HS_CAPS_DESCRIPTORS) | HS_CAP_DMA;
    }
    *caps &= ~HS_CAP_CACHE_ALIGNED;
    if (external) {
        *caps &= ~HS_CAP_DMA;
    }
}

#endif
