/*
 * Memory for hardware: capabilities that ask for a cache's lines, for DMA and its descriptors get memory
 * that is aligned and rounded as the hardware wants, also when it is resized. And the heaps of a host
 * are complete whoever makes them: here heap_caps_init() is called before the first allocation.
 */
#include <string.h>

#include "../../models/check.h"
#include "esp_faults.h"
#include "esp_heap_caps.h"
#include "esp_heap_caps_init.h"
#include "esp_memory_utils.h"

#ifndef HEAP_LINE
#define HEAP_LINE 4
#define HEAP_LINE_SPIRAM 4
#endif

#define DESCRIPTORS (MALLOC_CAP_DMA_DESC_AHB | MALLOC_CAP_DMA_DESC_AXI)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_aligned(const void *block, size_t alignment)
{
    return (uintptr_t)block % alignment == 0;
}

static void check_begin(void)
{
    heap_caps_init();
    CHECK(heap_caps_get_total_size(MALLOC_CAP_SPIRAM) >= 4000000, "external memory is lost");
    const size_t before = heap_caps_get_total_size(MALLOC_CAP_8BIT);
    heap_caps_enable_nonos_stack_heaps();
    CHECK(heap_caps_get_total_size(MALLOC_CAP_8BIT) > before, "the start-up stacks are lost");
    heap_caps_init();
    CHECK(heap_caps_get_total_size(MALLOC_CAP_SPIRAM) < 8000000, "external memory joined twice");
}

static void check_requests(void)
{
    static const uint32_t inside[] = {
        MALLOC_CAP_DMA,
        MALLOC_CAP_DMA_DESC_AHB | MALLOC_CAP_INTERNAL,
        MALLOC_CAP_DMA_DESC_AXI | MALLOC_CAP_8BIT,
        MALLOC_CAP_CACHE_ALIGNED | MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT,
        MALLOC_CAP_CACHE_ALIGNED | MALLOC_CAP_DMA,
        DESCRIPTORS | MALLOC_CAP_DEFAULT,
    };
    static const uint32_t outside[] = {
        MALLOC_CAP_DMA | MALLOC_CAP_SPIRAM,
        DESCRIPTORS | MALLOC_CAP_SPIRAM,
        MALLOC_CAP_CACHE_ALIGNED | MALLOC_CAP_SPIRAM,
    };
    for (size_t i = 0; i < COUNT(inside); i++) {
        void *const block = heap_caps_malloc(100, inside[i]);
        CHECK(block != NULL && esp_ptr_dma_capable(block) && is_aligned(block, HEAP_LINE), "%zu",
              i);
        CHECK(heap_caps_get_allocated_size(block) >= (100 + HEAP_LINE - 1) / HEAP_LINE * HEAP_LINE,
              "%zu: a line is shared", i);
        heap_caps_free(block);
    }
    for (size_t i = 0; i < COUNT(outside); i++) {
        void *const block = heap_caps_calloc(1, 100, outside[i]);
        CHECK(block != NULL && esp_ptr_external_ram(block), "%zu", i);
        CHECK(is_aligned(block, HEAP_LINE_SPIRAM), "%zu: %p", i, block);
        CHECK(heap_caps_get_allocated_size(block) >= HEAP_LINE_SPIRAM, "%zu: too small", i);
        heap_caps_free(block);
    }
    const uint32_t none[] = {MALLOC_CAP_CACHE_ALIGNED, MALLOC_CAP_EXEC | MALLOC_CAP_DMA_DESC_AHB,
                             MALLOC_CAP_SIMD,
                             MALLOC_CAP_DMA | MALLOC_CAP_SPIRAM | MALLOC_CAP_INTERNAL};
    for (size_t i = 0; i < COUNT(none); i++) {
        CHECK(heap_caps_malloc(100, none[i]) == NULL, "%zu: memory that does not exist", i);
    }
    CHECK(heap_caps_malloc(SIZE_MAX - 3, MALLOC_CAP_DMA) == NULL, "all memory");
    void *const wide = heap_caps_aligned_alloc(256, 100, MALLOC_CAP_DMA);
    CHECK(wide != NULL && is_aligned(wide, 256), "the caller's own alignment");
    CHECK(heap_caps_get_allocated_size(wide) >= 256, "the caller's alignment is the size's, too");
    heap_caps_free(wide);
}

static void check_realloc(void)
{
    static const size_t sizes[] = {1, 64, 65, 700, 4000, 130, 3};
    uint8_t *block = heap_caps_malloc(64, MALLOC_CAP_DMA);
    memset(block, 'a', 64);
    size_t before = 64;
    for (size_t i = 0; i < COUNT(sizes); i++) {
        block = heap_caps_realloc(block, sizes[i], MALLOC_CAP_DMA);
        CHECK(block != NULL && is_aligned(block, HEAP_LINE), "%zu bytes", sizes[i]);
        const size_t kept = before < sizes[i] ? before : sizes[i];
        for (size_t k = 0; k < kept; k++) {
            CHECK(block[k] == 'a', "%zu bytes: byte %zu is lost", sizes[i], k);
        }
        memset(block, 'a', sizes[i]);
        before = sizes[i];
    }
    const size_t free = heap_caps_get_free_size(MALLOC_CAP_DMA);
    CHECK(heap_caps_realloc(block, 32 * 1024 * 1024, MALLOC_CAP_DMA) == NULL, "so much");
    CHECK(heap_caps_get_free_size(MALLOC_CAP_DMA) == free && block[0] == 'a', "the block is gone");
    heap_caps_free(block);
}

static void check_libc(void)
{
    uint8_t *const block = heap_caps_aligned_alloc_default(64, 100);
    CHECK(block != NULL && is_aligned(block, 64) && !esp_ptr_external_ram(block), "internal");
    heap_caps_free(block);
    CHECK(heap_caps_aligned_alloc_default(48, 100) == NULL, "not a power of two");
    heap_caps_malloc_extmem_enable(1000);
    uint8_t *const large = heap_caps_aligned_alloc_default(64, 2000);
    CHECK(large != NULL && esp_ptr_external_ram(large), "external");
    heap_caps_free(large);
}

static int failures;

static void failed(size_t size, uint32_t caps, const char *function)
{
    (void)size;
    (void)caps;
    (void)function;
    failures++;
}

static void check_base(void)
{
    CHECK(heap_caps_register_failed_alloc_callback(failed) == ESP_OK, "no callback");
    void *block = heap_caps_malloc_base(100, MALLOC_CAP_DMA);
    block = heap_caps_realloc_base(block, 200, MALLOC_CAP_DMA);
    CHECK(block != NULL && is_aligned(block, HEAP_LINE), "realloc");
    uint8_t *const clear = heap_caps_calloc_base(10, 10, MALLOC_CAP_8BIT);
    CHECK(clear != NULL && clear[0] == 0 && clear[99] == 0, "calloc");
    void *const wide = heap_caps_aligned_alloc_base(128, 10, MALLOC_CAP_8BIT);
    CHECK(wide != NULL && is_aligned(wide, 128), "aligned");
    CHECK(heap_caps_malloc_base(1 << 30, MALLOC_CAP_DMA) == NULL, "so much");
    CHECK(heap_caps_calloc_base(SIZE_MAX / 2, 3, MALLOC_CAP_DMA) == NULL, "so many");
    CHECK(failures == 0, "a failure was told");
    CHECK(heap_caps_malloc(1 << 30, MALLOC_CAP_DMA) == NULL && failures == 1, "nothing was told");
    heap_caps_free(block);
    heap_caps_free(clear);
    heap_caps_free(wide);
}

int main(void)
{
    check_begin();
    check_requests();
    check_realloc();
    check_libc();
    check_base();
    CHECK(heap_caps_check_integrity_all(true), "corrupt");
    CHECK(esp_faults() == 0, "faults");
    return 0;
}
