/* The part of ESP-IDF's header that a chip's table needs, 4.4 to 5.1. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
typedef struct {
    intptr_t start;
    intptr_t end;
} soc_reserved_region_t;
extern const soc_memory_type_desc_t soc_memory_types[];
extern const size_t soc_memory_type_count;
extern const soc_memory_region_t soc_memory_regions[];
extern const size_t soc_memory_region_count;
size_t soc_get_available_memory_regions(soc_memory_region_t *regions);
size_t soc_get_available_memory_region_max_count(void);
