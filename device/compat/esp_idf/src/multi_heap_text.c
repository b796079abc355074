/* The output of multi_heap.h: dumps, and the findings of a check. */
#include "handle.h"

void heapscope_esp_print_block(const void *block, size_t size, bool used)
{
    HEAPSCOPE_ESP_PRINT("  %p %8u bytes %s\n", block, (unsigned)size, used ? "used" : "free");
}

static bool print(void *context, void *block, size_t size, bool used, hs_tag_t tag)
{
    (void)context;
    (void)tag;
    heapscope_esp_print_block(block, size, used);
    return true;
}

void multi_heap_dump(multi_heap_handle_t heap)
{
    esp_lock(heap);
    HEAPSCOPE_ESP_PRINT("Heap at %p, %u bytes free:\n", (void *)heap,
                        (unsigned)esp_free_of(heap, hs_heap_free_size(heap->guard.heap)));
    hs_guard_walk(&heap->guard, print, NULL);
    esp_unlock(heap);
}

bool heapscope_esp_check(hs_guard_t *guard, bool print_errors)
{
    heapscope_esp_telling = print_errors ? HEAPSCOPE_ESP_PRINTED : HEAPSCOPE_ESP_SILENT;
    const bool valid = hs_guard_check(guard) == HS_OK;
    heapscope_esp_telling = HEAPSCOPE_ESP_FATAL;
    return valid;
}

bool multi_heap_check(multi_heap_handle_t heap, bool print_errors)
{
    if (heap == NULL) {
        return false;
    }
    esp_lock(heap);
    const bool valid = heapscope_esp_check(&heap->guard, print_errors);
    esp_unlock(heap);
    return valid;
}
