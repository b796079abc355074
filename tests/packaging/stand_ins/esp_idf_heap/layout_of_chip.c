/* Any chip's table: what memories it has is set before the start. */
#include "layout_of_chip.h"

#include <string.h>

#define PARTS 120
#define BYTES 16384u
#define GAP 64u

static uint8_t memory[PARTS][BYTES + GAP] __attribute__((aligned(64)));

/* Tables of a chip are constant; these are not. */
typedef struct {
    const char *name;
    uint32_t caps[3];
#if ESP_IDF < 502
    bool aliased_iram, startup_stack;
#endif
} a_type_t;
typedef struct {
    intptr_t start;
    size_t size, type;
    intptr_t iram_address;
#if ESP_IDF >= 502
    bool startup_stack;
#endif
} a_region_t;

a_type_t soc_memory_types[PARTS];
size_t soc_memory_type_count;
a_region_t soc_memory_regions[PARTS];
size_t soc_memory_region_count;

void layout_add(const char *name, const uint32_t caps[3])
{
    const size_t i = soc_memory_region_count++;
    soc_memory_type_count = soc_memory_region_count;
    soc_memory_types[i].name = name;
    memcpy(soc_memory_types[i].caps, caps, sizeof soc_memory_types[i].caps);
    soc_memory_regions[i].start = (intptr_t)memory[i];
    soc_memory_regions[i].size = BYTES;
    soc_memory_regions[i].type = i;
}

int layout_part_of(const void *address)
{
    for (size_t i = 0; i < PARTS; i++) {
        if ((uintptr_t)address - (uintptr_t)memory[i] < BYTES) {
            return (int)i;
        }
    }
    return -1;
}

void *layout_memory(size_t part, size_t *size)
{
    *size = BYTES;
    return memory[part];
}
