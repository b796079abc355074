/* Nothing is reserved. */
#if ESP_IDF >= 404
#include "heap_memory_layout.h"
#else
#include "soc/soc_memory_layout.h"
#endif

size_t soc_get_available_memory_region_max_count(void)
{
    return soc_memory_region_count;
}

size_t soc_get_available_memory_regions(soc_memory_region_t *regions)
{
    for (size_t i = 0; i < soc_memory_region_count; i++) {
        regions[i] = soc_memory_regions[i];
    }
    return soc_memory_region_count;
}
