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
static inline bool esp_align(esp_request_t *asked)
{
    if (asked->size > SIZE_MAX / 2) { /* rounded up it might be small */
        return false;
    }
#if ESP_ALIGNS
    const size_t given = 4; /* which every block has */
    asked->alignment = asked->alignment < given ? given : asked->alignment;
    esp_heap_adjust_alignment_to_hw(&asked->alignment, &asked->size, &asked->caps);
#endif
    if (asked->alignment <= 4) {
        asked->alignment = 1;
    }
    asked->size = heapscope_esp_size(asked->size);
    return (asked->caps & HS_CAP_EXEC) == 0 || (asked->caps & (HS_CAP_8BIT | HS_CAP_DMA)) == 0;
}

#endif
