/* Which memory an address lies in; until 4.3 also the chip's table, which was the component soc's. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if ESP_IDF >= 404
#include "heap_memory_layout.h"
#else
#define THE_CHIPS_LAYOUT 1
#define SOC_MEMORY_TYPE_NO_PRIOS 3
typedef struct {
    const char *name;
    uint32_t caps[SOC_MEMORY_TYPE_NO_PRIOS];
    bool aliased_iram;
    bool startup_stack;
} soc_memory_type_desc_t;
typedef struct {
    intptr_t start;
    size_t size;
    size_t type;
    intptr_t iram_address;
} soc_memory_region_t;
extern const soc_memory_type_desc_t soc_memory_types[];
extern const size_t soc_memory_type_count;
extern const soc_memory_region_t soc_memory_regions[];
extern const size_t soc_memory_region_count;
size_t soc_get_available_memory_regions(soc_memory_region_t *regions);
size_t soc_get_available_memory_region_max_count(void);
#endif
static inline bool esp_ptr_external_ram(const void *p)
{
    return p == 0;
}
static inline bool esp_ptr_internal(const void *p)
{
    return p != 0;
}
