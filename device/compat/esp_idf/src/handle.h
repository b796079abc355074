/* A heap as multi_heap.h hands it out: at the start of its region, in whole words. */
#ifndef HEAPSCOPE_ESP_HANDLE_H
#define HEAPSCOPE_ESP_HANDLE_H

#include <multi_heap.h>
#include "platform.h"

struct multi_heap_info {
    hs_guard_t guard;
    void *lock;
    size_t total; /* bytes that were free when it was empty */
};

static inline void esp_lock(multi_heap_handle_t heap)
{
    if (heap->lock != NULL) {
        MULTI_HEAP_LOCK(heap->lock);
    }
}

static inline void esp_unlock(multi_heap_handle_t heap)
{
    if (heap->lock != NULL) {
        MULTI_HEAP_UNLOCK(heap->lock);
    }
}

/*
 * Free bytes as this interface counts them: with the part of the bitmap, a bit for eight bytes, that
 * describes free memory. So an allocation takes more than its size from what is free, as it does
 * where blocks have headers, and free and used memory together never change.
 */
static inline size_t esp_bitmap(size_t bytes)
{
    return (bytes + 63) / 64;
}

static inline size_t esp_free_of(const struct multi_heap_info *heap, size_t free)
{
    return free + esp_bitmap(heap->total) - esp_bitmap(heap->total - free);
}

/* The inverse; from values in between that of the next lower one. */
static inline size_t esp_counted_of(const struct multi_heap_info *heap, size_t counted)
{
    const size_t all = heap->total + esp_bitmap(heap->total);
    const size_t used = counted < all ? all - counted : 0;
    const size_t payload = used - (used + 64) / 65;
    return payload < heap->total ? heap->total - payload : 0;
}

/* The work of multi_heap_check(), without the lock. */
bool heapscope_esp_check(hs_guard_t *guard, bool print);
/* Adds a heap's blocks to `info`: their numbers, and the bytes of used ones. Without the lock. */
void heapscope_esp_count(const hs_guard_t *guard, multi_heap_info_t *info);
void heapscope_esp_print_block(const void *block, size_t size, bool used);

#endif
