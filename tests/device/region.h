/* Memory for a heap under test: exactly as many bytes as asked for, at an address whose remainder
 * is known, between two fences that no one may touch. */
#ifndef HEAPSCOPE_TESTS_DEVICE_REGION_H
#define HEAPSCOPE_TESTS_DEVICE_REGION_H

#include <string.h>

#include "../models/check.h"

#if defined(__SANITIZE_ADDRESS__)
#define REGION_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REGION_POISON 1
#endif
#endif
#ifdef REGION_POISON
#include <sanitizer/asan_interface.h>
#else /* a read of a fence then stays unseen, a write does not */
#define __asan_poison_memory_region(at, size) ((void)(at), (void)(size))
#define __asan_unpoison_memory_region(at, size) ((void)(at), (void)(size))
#endif

#define REGION_FENCE 64u
#define REGION_FENCE_BYTE 0xA5u
#define REGION_ALIGN 4096u /* what skews are counted from, unless told otherwise */

typedef struct region {
    uint8_t *raw;
    size_t raw_size;
    uint8_t *memory;
    size_t size;
} region_t;

/* `size` bytes at a multiple of `align` plus `skew`, filled with `filling`. */
static inline region_t region_open_at(size_t size, size_t align, size_t skew, uint8_t filling)
{
    region_t region = {NULL, size + align + skew + 2 * REGION_FENCE, NULL, size};
    region.raw = malloc(region.raw_size);
    CHECK(region.raw != NULL, "no memory for a region of %zu bytes", size);
    uintptr_t first = (uintptr_t)region.raw + REGION_FENCE;
    region.memory = region.raw + REGION_FENCE + (align - first % align) % align + skew;
    size_t front = (size_t)(region.memory - region.raw);
    memset(region.raw, REGION_FENCE_BYTE, region.raw_size);
    memset(region.memory, filling, size);
    __asan_poison_memory_region(region.raw, front);
    __asan_poison_memory_region(region.memory + size, region.raw_size - front - size);
    return region;
}

/* Filled with a byte that no heap would take for its own cleared memory. */
static inline region_t region_open(size_t size, size_t skew)
{
    return region_open_at(size, REGION_ALIGN, skew, 0xCD);
}

static inline void region_close(region_t *region)
{
    size_t front = (size_t)(region->memory - region->raw);
    __asan_unpoison_memory_region(region->raw, region->raw_size);
    for (size_t i = 0; i < region->raw_size; i++) {
        bool inside = i >= front && i < front + region->size;
        CHECK(inside || region->raw[i] == REGION_FENCE_BYTE, "byte %zu of a fence around %zu", i,
              region->size);
    }
    free(region->raw);
    region->raw = NULL;
}

/* The region's bytes as they are, to be compared or put back. */
static inline uint8_t *region_save(const region_t *region)
{
    uint8_t *saved = malloc(region->size + 1);
    CHECK(saved != NULL, "no memory to save %zu bytes", region->size);
    memcpy(saved, region->memory, region->size);
    return saved;
}

static inline void region_restore(const region_t *region, uint8_t *saved)
{
    memcpy(region->memory, saved, region->size);
    free(saved);
}

static inline bool region_same(const region_t *region, const uint8_t *saved)
{
    return memcmp(region->memory, saved, region->size) == 0;
}

#endif
