/* A heap of 4 KB of multi_heap.h, with what holds of it at any time. */
#ifndef HEAPSCOPE_TESTS_SMALL_HEAP_H
#define HEAPSCOPE_TESTS_SMALL_HEAP_H

#include <string.h>

#include "../../models/check.h"
#include "esp_faults.h"
#include "multi_heap.h"
#include "sdkconfig.h"

#if defined(CONFIG_HEAP_POISONING_LIGHT) || defined(CONFIG_HEAP_POISONING_COMPREHENSIVE)
#define GUARDED 1
#else
#define GUARDED 0
#endif

enum { SMALL = 4096 };

/* Exactly as aligned as a byte array need be, and never where a heap was before. */
static uint8_t small[SMALL + 64];

static inline multi_heap_handle_t open_small(size_t skew)
{
    memset(small, 0xCD, sizeof(small));
    const multi_heap_handle_t heap = multi_heap_register(small + skew, SMALL);
    CHECK(heap != NULL, "no heap on 4 KB");
    return heap;
}

static inline void sound(multi_heap_handle_t heap)
{
    CHECK(multi_heap_check(heap, true), "the heap is corrupt");
}

static inline multi_heap_info_t info_of(multi_heap_handle_t heap)
{
    multi_heap_info_t info;
    multi_heap_get_info(heap, &info);
    CHECK(info.total_free_bytes == multi_heap_free_size(heap), "free %zu", info.total_free_bytes);
    CHECK(info.minimum_free_bytes == multi_heap_minimum_free_size(heap), "minimum %zu",
          info.minimum_free_bytes);
    CHECK(info.total_blocks == info.allocated_blocks + info.free_blocks, "%zu blocks",
          info.total_blocks);
    CHECK(info.minimum_free_bytes <= info.total_free_bytes &&
              info.largest_free_block <= info.total_free_bytes,
          "free %zu, minimum %zu, largest %zu", info.total_free_bytes, info.minimum_free_bytes,
          info.largest_free_block);
    return info;
}

#endif
