/* A request, with the hardware's alignment, before a heap is looked for. */
#ifndef HEAPSCOPE_ESP_ALIGN_H
#define HEAPSCOPE_ESP_ALIGN_H

#include <stdbool.h>

#include <esp_heap_caps.h>
#include "heapscope/regions.h"
#include "platform.h"
#include "release.h"

typedef struct esp_request {
    size_t alignment; /* 1: the heap's own */
    size_t size;
    uint32_t caps;
} esp_request_t;

#if ESP_ALIGNS
/* ESP-IDF's, which knows the chip's caches, its DMA and its encryption; on a host src/host_align.c's.
 * It raises alignment and size, and leaves the capabilities that choose a memory. */
void esp_heap_adjust_alignment_to_hw(size_t *alignment, size_t *size, uint32_t *caps);
#endif

/* false: no memory can serve it. Code is fetched by the instruction bus, which is not for bytes, nor
 * for DMA. */
static inline bool esp_align(esp_request_t *request)
{
    if (request->size > SIZE_MAX / 2) { /* rounded up it might be small */
        return false;
    }
#if ESP_ALIGNS
    const size_t given = 4; /* which every block has */
    request->alignment = request->alignment < given ? given : request->alignment;
    esp_heap_adjust_alignment_to_hw(&request->alignment, &request->size, &request->caps);
#endif
    if (request->alignment <= 4) {
        request->alignment = 1;
    }
    request->size = heapscope_esp_size(request->size);
    return (request->caps & HS_CAP_EXEC) == 0 || (request->caps & (HS_CAP_8BIT | HS_CAP_DMA)) == 0;
}

#endif
