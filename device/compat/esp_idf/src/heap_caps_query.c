/* Questions of esp_heap_caps.h about blocks, heaps and their minima. */
#include "heaps.h"

/* ---- blocks ----------------------------------------------------------------------------------- */

size_t heap_caps_get_allocated_size(void *ptr)
{
    return hs_regions_usable_size(heapscope_esp_heaps(), ptr);
}

size_t heap_caps_get_containing_block_size(void *ptr)
{
    void *const block = hs_regions_containing_block(heapscope_esp_heaps(), ptr);
    if (block == NULL) {
        heapscope_esp_not_a_block(ptr);
        return 0;
    }
    return hs_regions_full_size(heapscope_esp_heaps(), block);
}

/* ---- heaps ------------------------------------------------------------------------------------ */

bool heapscope_esp_heap_at(const void *address, hs_region_state_t *state)
{
    hs_region_state_t one;
    bool hit = false;
    for (uint32_t i = 0; hs_regions_state(heapscope_esp_heaps(), i, &one); i++) {
        if (esp_has(&one, 0) && (uintptr_t)address - (uintptr_t)one.start < one.size) {
            *state = one; /* a heap within another was added later */
            hit = true;
        }
    }
    return hit;
}

size_t heap_caps_get_total_size(uint32_t caps)
{
    return hs_regions_total(heapscope_esp_heaps(), caps);
}

size_t heap_caps_get_free_size(uint32_t caps)
{
    return hs_regions_free_size(heapscope_esp_heaps(), caps);
}

size_t heap_caps_get_minimum_free_size(uint32_t caps)
{
    return hs_regions_minimum_free(heapscope_esp_heaps(), caps);
}

size_t heap_caps_get_largest_free_block(uint32_t caps)
{
    size_t largest = 0;
    if (caps != 0) {
        largest = hs_regions_largest_allocatable(heapscope_esp_heaps(), caps);
    } else { /* by no capability nothing is allocated, but asked about */
        hs_region_state_t one;
        for (uint32_t i = 0; hs_regions_state(heapscope_esp_heaps(), i, &one); i++) {
            heapscope_esp_heap_lock(NULL, i);
            const size_t most = esp_has(&one, 0) ? hs_guard_largest(one.guard) : 0;
            heapscope_esp_heap_unlock(NULL, i);
            largest = most > largest ? most : largest;
        }
    }
    return largest & ~(size_t)3;
}

void heap_caps_get_info(multi_heap_info_t *info, uint32_t caps)
{
    *info = (multi_heap_info_t){0};
    hs_region_state_t heap;
    for (uint32_t i = 0; hs_regions_state(heapscope_esp_heaps(), i, &heap); i++) {
        if (esp_has(&heap, caps)) {
            heapscope_esp_heap_lock(NULL, i);
            heapscope_esp_count(heap.guard, info);
            heapscope_esp_heap_unlock(NULL, i);
        }
    }
    info->total_blocks = info->allocated_blocks + info->free_blocks;
    info->total_free_bytes = heap_caps_get_free_size(caps);
    info->minimum_free_bytes = heap_caps_get_minimum_free_size(caps);
    info->largest_free_block = heap_caps_get_largest_free_block(caps);
}

esp_err_t heap_caps_monitor_local_minimum_free_size_start(void)
{
    return hs_regions_monitor_start(heapscope_esp_heaps()) == HS_OK ? ESP_OK : ESP_FAIL;
}

esp_err_t heap_caps_monitor_local_minimum_free_size_stop(void)
{
    return hs_regions_monitor_stop(heapscope_esp_heaps()) == HS_OK ? ESP_OK : ESP_FAIL;
}

/* ---- every block ------------------------------------------------------------------------------ */

typedef struct esp_tour {
    heap_caps_walker_cb_t walker;
    void *user_data;
    uint32_t region; /* that `heap` is about */
    walker_heap_into_t heap;
} esp_tour_t;

static bool visit(void *context, uint32_t region, void *block, size_t size, bool used, hs_tag_t tag)
{
    esp_tour_t *const tour = context;
    (void)tag;
    if (region != tour->region) {
        hs_region_state_t state;
        if (!hs_regions_state(heapscope_esp_heaps(), region, &state)) {
            return false;
        }
        tour->region = region;
        tour->heap.start = (intptr_t)state.start;
        tour->heap.end = tour->heap.start + (intptr_t)state.size;
    }
    const walker_block_info_t info = {
        .ptr = (uint8_t *)block - (used ? HEAPSCOPE_ESP_HEAD : 0),
        .size = size + (used ? HEAPSCOPE_ESP_HEAD + HEAPSCOPE_ESP_TAIL : 0),
        .used = used,
    };
    return tour->walker(tour->heap, info, tour->user_data);
}

void heap_caps_walk(uint32_t caps, heap_caps_walker_cb_t walker_func, void *user_data)
{
    esp_tour_t tour = {.walker = walker_func, .user_data = user_data, .region = UINT32_MAX};
    hs_regions_walk(heapscope_esp_heaps(), esp_requested(caps), visit, &tour);
}

void heap_caps_walk_all(heap_caps_walker_cb_t walker_func, void *user_data)
{
    heap_caps_walk(MALLOC_CAP_INVALID, walker_func, user_data);
}
