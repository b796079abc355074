/* multi_heap.h aligns blocks, and bytes inside of them, to the given alignment. */
#include "small_heap.h"

static void check_alignments(void)
{
    const multi_heap_handle_t heap = open_small(0);
    const size_t before = multi_heap_free_size(heap);
    for (size_t alignment = 0; alignment <= 256; alignment++) {
        const size_t size = alignment + 137;
        uint8_t *const block = multi_heap_aligned_alloc(heap, size, alignment);
        const bool power = alignment != 0 && (alignment & (alignment - 1)) == 0;
        CHECK((block != NULL) == power, "to %zu: %p", alignment, (void *)block);
        if (block == NULL) {
            continue;
        }
        CHECK((uintptr_t)block % alignment == 0 && block >= small && block + size <= small + SMALL,
              "to %zu: %p", alignment, (void *)block);
        memset(block, 0xA5, size);
        sound(heap);
        multi_heap_free(heap, block);
    }
    CHECK(multi_heap_aligned_alloc(heap, 0, 32) == NULL, "0 bytes");
    CHECK(multi_heap_aligned_alloc(heap, SIZE_MAX, 32) == NULL, "all bytes");
    CHECK(multi_heap_free_size(heap) == before, "bytes are gone");
    uint8_t *const one = multi_heap_aligned_alloc(heap, 50, 4);
    uint8_t *const two = multi_heap_aligned_alloc(heap, 50, 4);
    multi_heap_free(heap, one);
    uint8_t *const gap = multi_heap_aligned_alloc(heap, (size_t)(two - one), 4);
    CHECK(gap != NULL, "no place");
    memset(gap, 0x5A, (size_t)(two - one));
    memset(two, 0xA5, 50);
    sound(heap);
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wdeprecated-declarations\"")
        multi_heap_aligned_free(heap, gap);
    multi_heap_aligned_free(heap, two);
    _Pragma("GCC diagnostic pop") CHECK(multi_heap_free_size(heap) == before, "bytes are gone");
}

/* A byte inside of the block is aligned; such a block is one as any other. */
static void check_offsets(void)
{
    const multi_heap_handle_t heap = open_small(0);
    const size_t before = multi_heap_free_size(heap);
    for (size_t alignment = sizeof(void *); alignment <= 256; alignment *= 2) {
        for (size_t offset = 0; offset <= 64; offset += sizeof(uint32_t)) {
            if (offset % sizeof(void *) != 0) {
                continue;
            }
            uint8_t *block = multi_heap_aligned_alloc_offs(heap, 100, alignment, offset);
            CHECK(block != NULL && (uintptr_t)(block + offset) % alignment == 0,
                  "byte %zu to %zu: %p", offset, alignment, (void *)block);
            const size_t size = multi_heap_get_allocated_size(heap, block);
            CHECK(size >= 100 && size < 100 + 16, "%zu bytes", size);
            CHECK(multi_heap_get_full_block_size(heap, block) > 100, "no overhead");
            memset(block, 0x77, size);
            sound(heap);
            CHECK(multi_heap_find_containing_block(heap, block + 50) == block, "not its block");
            CHECK(multi_heap_find_containing_block(heap, block) == block, "not its block");
            void *const barrier = multi_heap_malloc(heap, 8);
            block = multi_heap_realloc(heap, block, 180);
            CHECK(block != NULL, "no place");
            for (size_t i = 0; i < 100; i++) {
                CHECK(block[i] == 0x77, "byte %zu is lost", i);
            }
            multi_heap_free(heap, block);
            multi_heap_free(heap, barrier);
            CHECK(multi_heap_free_size(heap) == before, "bytes are gone");
        }
    }
    CHECK(multi_heap_aligned_alloc_offs(heap, 100, 64, 104) == NULL, "a byte beyond the block");
    CHECK(multi_heap_aligned_alloc_offs(heap, 100, 3, 8) == NULL, "to 3");
    CHECK(multi_heap_aligned_alloc_offs(heap, SIZE_MAX, 64, 4) == NULL, "all bytes");
}

int main(void)
{
    check_alignments();
    check_offsets();
    return 0;
}
