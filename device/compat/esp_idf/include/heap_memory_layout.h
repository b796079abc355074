/*
 * The memory that a chip has. ESP-IDF's, where the program has it (each chip's table stays ESP-IDF's
 * own); else the same interface for a host, whose table is src/host_table.c or the program's own.
 */
#ifndef HEAPSCOPE_HEAP_MEMORY_LAYOUT_H
#define HEAPSCOPE_HEAP_MEMORY_LAYOUT_H
#ifdef __GNUC__
#pragma GCC system_header
#endif

#if defined(__has_include_next) && __has_include_next(<heap_memory_layout.h>)
#include_next <heap_memory_layout.h>
#elif defined(ESP_PLATFORM) /* its place until 4.3 */
#include <soc/soc_memory_layout.h>
#else

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOC_MEMORY_TYPE_NO_PRIOS 3

typedef struct {
    const char *name;
    uint32_t caps[SOC_MEMORY_TYPE_NO_PRIOS];
} soc_memory_type_desc_t;
extern const soc_memory_type_desc_t soc_memory_types[];
extern const size_t soc_memory_type_count;

typedef struct {
    intptr_t start;
    size_t size;
    size_t type;           /* index into soc_memory_types */
    intptr_t iram_address; /* where the instruction bus sees it; 0: nowhere */
    bool startup_stack;    /* usable from heap_caps_enable_nonos_stack_heaps() on */
} soc_memory_region_t;
extern const soc_memory_region_t soc_memory_regions[];
extern const size_t soc_memory_region_count;

/* Writes the parts of the regions that are free for heaps, in ascending order; returns their number. */
size_t soc_get_available_memory_regions(soc_memory_region_t *regions);
size_t soc_get_available_memory_region_max_count(void); /* at most so many */

#ifdef __cplusplus
}
#endif

#endif
#endif
