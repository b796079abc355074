/* The output of esp_heap_caps.h: a summary of heaps, dumps, and the findings of checks. */
#include "heaps.h"

/* The lines are those that tools read from ESP-IDF's logs. */
static void print_heap(const hs_region_state_t *heap)
{
    multi_heap_info_t info = {0};
    heapscope_esp_heap_lock(NULL, heap->index);
    heapscope_esp_count(heap->guard, &info);
    info.total_free_bytes = hs_heap_free_size(heap->guard->heap);
    info.minimum_free_bytes = hs_heap_minimum_free(heap->guard->heap);
    info.largest_free_block = hs_guard_largest(heap->guard) & ~(size_t)3;
    heapscope_esp_heap_unlock(NULL, heap->index);
    HEAPSCOPE_ESP_PRINT("  At 0x%08lx len %u", (unsigned long)(uintptr_t)heap->start,
                        (unsigned)heap->size);
    HEAPSCOPE_ESP_PRINT(" free %u allocated %u min_free %u\n", (unsigned)info.total_free_bytes,
                        (unsigned)info.total_allocated_bytes, (unsigned)info.minimum_free_bytes);
    HEAPSCOPE_ESP_PRINT(
        "    largest_free_block %u alloc_blocks %u free_blocks %u total_blocks %u\n",
        (unsigned)info.largest_free_block, (unsigned)info.allocated_blocks,
        (unsigned)info.free_blocks, (unsigned)(info.allocated_blocks + info.free_blocks));
}

void heap_caps_print_heap_info(uint32_t caps)
{
    hs_region_state_t heap;
    multi_heap_info_t info;
    HEAPSCOPE_ESP_PRINT("Heap summary for capabilities 0x%08X:\n", (unsigned)caps);
    for (uint32_t i = 0; hs_regions_state(heapscope_esp_heaps(), i, &heap); i++) {
        if (esp_has(&heap, caps)) {
            print_heap(&heap);
        }
    }
    heap_caps_get_info(&info, caps);
    HEAPSCOPE_ESP_PRINT("  Totals:\n    free %u allocated %u min_free %u largest_free_block %u\n",
                        (unsigned)info.total_free_bytes, (unsigned)info.total_allocated_bytes,
                        (unsigned)info.minimum_free_bytes, (unsigned)info.largest_free_block);
}

static bool print(void *context, void *block, size_t size, bool used, hs_tag_t tag)
{
    (void)context;
    (void)tag;
    heapscope_esp_print_block(block, size, used);
    return true;
}

void heap_caps_dump(uint32_t caps)
{
    hs_region_state_t heap;
    for (uint32_t i = 0; hs_regions_state(heapscope_esp_heaps(), i, &heap); i++) {
        if (esp_has(&heap, esp_requested(caps))) {
            heapscope_esp_heap_lock(NULL, i);
            HEAPSCOPE_ESP_PRINT("Heap at %p, %u bytes free:\n", heap.start,
                                (unsigned)hs_heap_free_size(heap.guard->heap));
            hs_guard_walk(heap.guard, print, NULL);
            heapscope_esp_heap_unlock(NULL, i);
        }
    }
}

void heap_caps_dump_all(void)
{
    heap_caps_dump(MALLOC_CAP_INVALID);
}

/* ---- checks ----------------------------------------------------------------------------------- */

bool heap_caps_check_integrity(uint32_t caps, bool print_errors)
{
    hs_region_state_t heap;
    bool valid = true;
    for (uint32_t i = 0; hs_regions_state(heapscope_esp_heaps(), i, &heap); i++) {
        if (esp_has(&heap, esp_requested(caps))) {
            heapscope_esp_heap_lock(NULL, i);
            valid = heapscope_esp_check(heap.guard, print_errors) && valid;
            heapscope_esp_heap_unlock(NULL, i);
        }
    }
    return valid;
}

bool heap_caps_check_integrity_all(bool print_errors)
{
    return heap_caps_check_integrity(MALLOC_CAP_INVALID, print_errors);
}

bool heap_caps_check_integrity_addr(intptr_t addr, bool print_errors)
{
    hs_region_state_t heap;
    if (!heapscope_esp_heap_at((const void *)addr, &heap)) {
        return false;
    }
    heapscope_esp_heap_lock(NULL, heap.index);
    const bool valid = heapscope_esp_check(heap.guard, print_errors);
    heapscope_esp_heap_unlock(NULL, heap.index);
    return valid;
}
