/* A chip's table: memory of bytes, a start-up stack, and memory of words. */
#include "esp_heap_caps.h"
#include "heap_memory_layout.h"
#ifndef THE_CHIPS_LAYOUT
#error "the layout of a host was taken"
#endif

static uint64_t memory[3][4096];

const soc_memory_type_desc_t soc_memory_types[] = {
    {"RAM", {MALLOC_CAP_8BIT | MALLOC_CAP_DEFAULT | MALLOC_CAP_INTERNAL, MALLOC_CAP_DMA, 0}},
    {"IRAM", {MALLOC_CAP_EXEC | MALLOC_CAP_32BIT | MALLOC_CAP_INTERNAL, 0, 0}},
};
const size_t soc_memory_type_count = 2;
const soc_memory_region_t soc_memory_regions[] = {
    {(intptr_t)memory[0], sizeof memory[0], 0, 0, false},
    {(intptr_t)memory[1], sizeof memory[1], 0, 0, true},
    {(intptr_t)memory[2], sizeof memory[2], 1, 0, false},
};
const size_t soc_memory_region_count = 3;
