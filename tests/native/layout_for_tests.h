/* A small ESP32-like layout, so that replay tests see several regions, kinds and capability sets. */
#ifndef HEAPSCOPE_TESTS_NATIVE_LAYOUT_H
#define HEAPSCOPE_TESTS_NATIVE_LAYOUT_H

#include <string.h>

#include "lab/lab.h"

/* esp_heap_caps.h */
#define EXEC 0x0001u
#define WORD 0x0002u
#define BYTE 0x0004u
#define DMA 0x0008u
#define INTERNAL 0x0800u
#define DEFAULT 0x1000u
#define IRAM_BYTE 0x2000u

enum { DRAM, DIRAM, IRAM, KINDS };
#define REGIONS 4u

static inline hs_lab_region_t region_like(uint32_t kind, uint32_t start, uint32_t size,
                                          const char *allocator)
{
    static const uint32_t caps[KINDS][3] = {{BYTE | DEFAULT, INTERNAL | DMA | WORD, 0},
                                            {0, DMA | BYTE | INTERNAL | DEFAULT, WORD | EXEC},
                                            {INTERNAL | EXEC | WORD | IRAM_BYTE, 0, 0}};
    hs_lab_region_t region = {.start = start, .size = size, .kind = kind};
    memcpy(region.caps, caps[kind], sizeof region.caps);
    region.iram_alias = kind == DIRAM;
    strcpy(region.allocator, allocator);
    return region;
}

/* Fills REGIONS regions in ESP32 order, at most a few KB each. */
static inline hs_lab_config_t config_like_esp32(hs_lab_region_t *regions, const char *allocator)
{
    regions[0] = region_like(DRAM, 0x3FFAE6E0u, 2048, allocator);
    regions[1] = region_like(DRAM, 0x3FFB31F8u, 12000, allocator);
    regions[2] = region_like(DIRAM, 0x3FFE0440u, 6000, allocator);
    regions[3] = region_like(IRAM, 0x4008B2ACu, 5000, allocator);
    const hs_lab_config_t config = {.regions = regions,
                                    .region_count = REGIONS,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = DEFAULT | INTERNAL,
                                    .request_max = INT32_MAX};
    return config;
}

#endif
