/* A chip's table: memory of bytes, a start-up stack, and memory of words. */
#include "esp_heap_caps.h"
#if ESP_IDF >= 404
#include "heap_memory_layout.h"
#else
#include "soc/soc_memory_layout.h"
#endif
#ifndef THE_CHIPS_LAYOUT
#error "the layout of a host was taken"
#endif

static uint64_t memory[3][4096];

#define BYTES {MALLOC_CAP_8BIT | MALLOC_CAP_DEFAULT | MALLOC_CAP_INTERNAL, MALLOC_CAP_DMA, 0}
#define WORDS {MALLOC_CAP_EXEC | MALLOC_CAP_32BIT | MALLOC_CAP_INTERNAL, 0, 0}
#if ESP_IDF >= 502
const soc_memory_type_desc_t soc_memory_types[] = {{"RAM", BYTES}, {"", BYTES}, {"IRAM", WORDS}};
#define REGION(index, stack) {(intptr_t)memory[index], sizeof memory[index], (index), 0, (stack)}
#else
const soc_memory_type_desc_t soc_memory_types[] = {
    {"RAM", BYTES, false, false}, {"", BYTES, false, true}, {"IRAM", WORDS, false, false}};
#define REGION(index, stack) {(intptr_t)memory[index], sizeof memory[index], (index), 0}
#endif
const size_t soc_memory_type_count = 3;
const soc_memory_region_t soc_memory_regions[] = {REGION(0, false), REGION(1, true),
                                                  REGION(2, false)};
const size_t soc_memory_region_count = 3;
