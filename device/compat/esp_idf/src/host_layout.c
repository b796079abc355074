/* The questions about a host's memory layout. Every symbol is weak, so that a program may have its own. */
#ifndef ESP_PLATFORM

#include "host_layout.h"

#include <esp_memory_utils.h>
#include "esp_heap_caps_init.h"

#define WEAK __attribute__((weak))

WEAK size_t soc_get_available_memory_region_max_count(void)
{
    return soc_memory_region_count;
}

static uint32_t caps_of(const soc_memory_region_t *region)
{
    const uint32_t *const caps = soc_memory_types[region->type].caps;
    return caps[0] | caps[1] | caps[2];
}

WEAK size_t soc_get_available_memory_regions(soc_memory_region_t *regions)
{
    size_t count = 0;
    for (size_t i = 0; i < soc_memory_region_count; i++) {
        if ((caps_of(&soc_memory_regions[i]) & MALLOC_CAP_SPIRAM) == 0) {
            regions[count++] = soc_memory_regions[i];
        }
    }
    return count;
}

WEAK void heapscope_esp_host_start(void)
{
    for (size_t i = 0; i < soc_memory_region_count; i++) {
        const soc_memory_region_t *const region = &soc_memory_regions[i];
        if ((caps_of(region) & MALLOC_CAP_SPIRAM) != 0) {
            (void)heap_caps_add_region_with_caps(soc_memory_types[region->type].caps, region->start,
                                                 region->start + (intptr_t)region->size);
        }
    }
}

/* ELF's names of where variables begin and end. */
extern char __data_start[] WEAK; /* GNU; else they begin behind the code */
extern char _etext[] WEAK;
extern char _end[] WEAK;

WEAK const soc_memory_type_desc_t *heapscope_esp_host_data(intptr_t address)
{
    const char *const start = __data_start != NULL ? __data_start : _etext;
    const bool is_data = start != NULL && address >= (intptr_t)start && address < (intptr_t)_end;
    for (size_t i = 0; is_data && i < soc_memory_type_count; i++) {
        if ((soc_memory_types[i].caps[0] & MALLOC_CAP_DEFAULT) != 0) {
            return &soc_memory_types[i];
        }
    }
    return NULL;
}

/* ---- esp_memory_utils.h ----------------------------------------------------------------------- */

static const soc_memory_region_t *region_of(const void *p, bool by_code)
{
    for (size_t i = 0; i < soc_memory_region_count; i++) {
        const soc_memory_region_t *const region = &soc_memory_regions[i];
        const intptr_t start = by_code ? region->iram_address : region->start;
        if (start != 0 && (uintptr_t)p - (uintptr_t)start < region->size) {
            return region;
        }
    }
    return NULL;
}

static bool has(const void *p, bool by_code, uint32_t caps)
{
    const soc_memory_region_t *const region = region_of(p, by_code);
    return region != NULL && (caps_of(region) & caps) == caps;
}

WEAK bool esp_ptr_in_dram(const void *p)
{
    return has(p, false, MALLOC_CAP_8BIT | MALLOC_CAP_INTERNAL);
}

WEAK bool esp_ptr_in_iram(const void *p)
{
    const soc_memory_region_t *const region = region_of(p, false);
    return esp_ptr_in_diram_iram(p) ||
           (region != NULL &&
            (caps_of(region) & (MALLOC_CAP_EXEC | MALLOC_CAP_8BIT)) == MALLOC_CAP_EXEC);
}

WEAK bool esp_ptr_in_diram_dram(const void *p)
{
    return has(p, false, MALLOC_CAP_8BIT | MALLOC_CAP_EXEC);
}

/* Where a table has no second address, both buses see the memory by the same one. */
static bool is_by_both(const soc_memory_region_t *region)
{
    const uint32_t caps = MALLOC_CAP_8BIT | MALLOC_CAP_EXEC;
    return region != NULL && region->iram_address == 0 && (caps_of(region) & caps) == caps;
}

WEAK bool esp_ptr_in_diram_iram(const void *p)
{
    return has(p, true, MALLOC_CAP_8BIT | MALLOC_CAP_EXEC) || is_by_both(region_of(p, false));
}

WEAK bool esp_ptr_in_rtc_dram_fast(const void *p)
{
    return has(p, false, MALLOC_CAP_RTCRAM);
}

WEAK bool esp_ptr_external_ram(const void *p)
{
    return has(p, false, MALLOC_CAP_SPIRAM);
}

WEAK bool esp_ptr_internal(const void *p)
{
    return has(p, false, MALLOC_CAP_INTERNAL) || has(p, true, MALLOC_CAP_INTERNAL);
}

WEAK bool esp_ptr_executable(const void *p)
{
    return has(p, false, MALLOC_CAP_EXEC) || has(p, true, MALLOC_CAP_EXEC);
}

WEAK bool esp_ptr_dma_capable(const void *p)
{
    return has(p, false, MALLOC_CAP_DMA);
}

WEAK bool esp_ptr_byte_accessible(const void *p)
{
    return has(p, false, MALLOC_CAP_8BIT);
}

static void *moved(const void *p, bool from_code)
{
    if (is_by_both(region_of(p, false))) {
        return (void *)(uintptr_t)p;
    }
    const soc_memory_region_t *const region = region_of(p, from_code);
    if (region == NULL || region->iram_address == 0) {
        return NULL;
    }
    const intptr_t from = from_code ? region->iram_address : region->start;
    const intptr_t to = from_code ? region->start : region->iram_address;
    return (void *)(to + ((intptr_t)p - from));
}

WEAK void *esp_ptr_diram_dram_to_iram(const void *p)
{
    return moved(p, false);
}

WEAK void *esp_ptr_diram_iram_to_dram(const void *p)
{
    return moved(p, true);
}

#else
typedef int heapscope_esp_is_on_a_chip_t; /* C wants a declaration */
#endif
