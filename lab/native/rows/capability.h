/* ESP-IDF's capabilities by name (components/heap/include/esp_heap_caps.h); lab/heapscope/base/capabilities.py
 * has the same. */
#ifndef HEAPSCOPE_ROWS_CAPABILITY_H
#define HEAPSCOPE_ROWS_CAPABILITY_H

#include <stdint.h>
#include <string.h>

/* The bit of a name, with MALLOC_CAP_ in front or without; 0: it is unknown. */
static inline uint32_t hs_capability_bit(const char *name, size_t length)
{
    static const char *const names[] = {
        "EXEC",         "32BIT",         "8BIT",      "DMA",          "PID2",   "PID3",
        "PID4",         "PID5",          "PID6",      "PID7",         "SPIRAM", "INTERNAL",
        "DEFAULT",      "IRAM_8BIT",     "RETENTION", "RTCRAM",       "SPM",    "DMA_DESC_AHB",
        "DMA_DESC_AXI", "CACHE_ALIGNED", "SIMD",      "SPIRAM_NO_ENC"};
    static const char prefix[] = "MALLOC_CAP_";
    if (length >= sizeof prefix && memcmp(name, prefix, sizeof prefix - 1) == 0) {
        name += sizeof prefix - 1;
        length -= sizeof prefix - 1;
    }
    if (length == 3 && memcmp(name, "TCM", 3) == 0) {
        name = "SPM"; /* which had that name in earlier releases */
    }
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) {
            return UINT32_C(1) << i;
        }
    }
    return 0;
}

#endif
