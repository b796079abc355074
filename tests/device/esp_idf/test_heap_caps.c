/*
 * esp_heap_caps.h on a host's layout, an ESP32 with external RAM: which memory a request gets, what
 * fails, what is told of it, what is counted, what walks and checks see.
 */
#include <string.h>

#include "../../models/check.h"
#include "esp_faults.h"
#include "esp_heap_caps.h"
#include "esp_memory_utils.h"
#include "esp_system.h"
#include "heap_memory_layout.h"

#if defined(CONFIG_HEAP_POISONING_LIGHT) || defined(CONFIG_HEAP_POISONING_COMPREHENSIVE)
#define GUARDED 1
#else
#define GUARDED 0
#endif

/* ---- hooks ------------------------------------------------------------------------------------ */

static struct {
    void *taken, *freed;
    size_t size;
    uint32_t caps;
    int takes, frees, failures;
    size_t failed_size;
    uint32_t failed_caps;
    const char *failed_in;
} reported;

void esp_heap_trace_alloc_hook(void *ptr, size_t size, uint32_t caps)
{
    reported.taken = ptr;
    reported.size = size;
    reported.caps = caps;
    reported.takes++;
}

void esp_heap_trace_free_hook(void *ptr)
{
    reported.freed = ptr;
    reported.frees++;
}

static void failed(size_t size, uint32_t caps, const char *function)
{
    reported.failed_size = size;
    reported.failed_caps = caps;
    reported.failed_in = function;
    reported.failures++;
}

static int failures(void)
{
    const int seen = reported.failures;
    reported.failures = 0;
    return seen;
}

/* ---- which memory ----------------------------------------------------------------------------- */

enum { KB10 = 10 * 1024, HUGE_SIZE = 128 * 1024 * 1024 };
#define IS(block, where) CHECK(where(block), "%p is not " #where, (void *)(block))

static void check_routes(void)
{
    void *const byte = heap_caps_malloc(KB10, MALLOC_CAP_8BIT);
    IS(byte, esp_ptr_byte_accessible);
    void *const internal = heap_caps_malloc(KB10, MALLOC_CAP_8BIT | MALLOC_CAP_INTERNAL);
    IS(internal, esp_ptr_in_dram);
    void *const word = heap_caps_malloc(KB10, MALLOC_CAP_32BIT);
    IS(word, esp_ptr_in_iram);
    void *const code = heap_caps_malloc(KB10, MALLOC_CAP_EXEC);
    IS(code, esp_ptr_executable);
    void *const dma = heap_caps_malloc(KB10, MALLOC_CAP_DMA);
    IS(dma, esp_ptr_dma_capable);
    void *const external = heap_caps_malloc(KB10, MALLOC_CAP_SPIRAM);
    IS(external, esp_ptr_external_ram);
    void *const rtc = heap_caps_malloc(1024, MALLOC_CAP_RTCRAM);
    IS(rtc, esp_ptr_in_rtc_dram_fast);
    void *const any = heap_caps_malloc(KB10, MALLOC_CAP_DEFAULT);
    IS(any, esp_ptr_external_ram); /* it comes before internal memory of the same priority */
    void *const code_or_byte[] = {heap_caps_malloc(100, MALLOC_CAP_EXEC | MALLOC_CAP_8BIT),
                                  heap_caps_malloc(100, MALLOC_CAP_EXEC | MALLOC_CAP_DMA),
                                  heap_caps_malloc(100, MALLOC_CAP_INTERNAL | MALLOC_CAP_SPIRAM),
                                  heap_caps_malloc(100, MALLOC_CAP_INVALID),
                                  heap_caps_malloc(100, 0)};
    for (size_t i = 0; i < 5; i++) {
        CHECK(code_or_byte[i] == NULL, "%zu: memory that does not exist", i);
    }
    /* The smallest of equal heaps comes first: the third of the table, 6 KB of DRAM. */
    uint8_t *const small = heap_caps_malloc(100, MALLOC_CAP_DMA);
    const soc_memory_region_t *const smallest = &soc_memory_regions[2];
    CHECK((size_t)((intptr_t)small - smallest->start) < smallest->size && smallest->size == 6144,
          "%p is not in the smallest heap", (void *)small);
    heap_caps_free(small);
    void *const all[] = {byte, internal, word, code, dma, external, rtc, any};
    for (size_t i = 0; i < 8; i++) {
        heap_caps_free(all[i]);
    }
}

/* 32-bit memory is used up before bytes are given out for it; code then comes from D/IRAM. */
static void check_changeover(void)
{
    const size_t words = heap_caps_get_free_size(MALLOC_CAP_INTERNAL) -
                         heap_caps_get_free_size(MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT);
    CHECK(words > 60000, "%zu bytes of IRAM", words);
    void *blocks[12];
    for (size_t i = 0; i < 12; i++) {
        blocks[i] = heap_caps_malloc(KB10, MALLOC_CAP_32BIT | MALLOC_CAP_INTERNAL);
        CHECK(blocks[i] != NULL, "block %zu", i);
    }
    IS(blocks[0], esp_ptr_in_iram);
    IS(blocks[11], esp_ptr_in_dram);
    void *const code = heap_caps_malloc(KB10, MALLOC_CAP_EXEC);
    IS(code, esp_ptr_in_diram_dram);
    /* Both buses see a host's memory by one address; what is not theirs has no second one. */
    IS(code, esp_ptr_in_diram_iram);
    IS(code, esp_ptr_in_iram);
    CHECK(esp_ptr_diram_dram_to_iram(code) == code && esp_ptr_diram_iram_to_dram(code) == code,
          "%p lies elsewhere, too", code);
    CHECK(!esp_ptr_in_diram_iram(blocks[0]) && esp_ptr_diram_dram_to_iram(blocks[0]) == NULL,
          "%p is in D/IRAM", blocks[0]);
    heap_caps_free(code);
    for (size_t i = 0; i < 12; i++) {
        heap_caps_free(blocks[i]);
    }
}

/* RTC memory serves what anything may serve, last of all. */
static void check_rtc_last(void)
{
    enum { MOST = 512 };
    static void *blocks[MOST];
    const uint32_t caps = MALLOC_CAP_DEFAULT | MALLOC_CAP_INTERNAL;
    const size_t before = heap_caps_get_free_size(MALLOC_CAP_RTCRAM);
    CHECK(heap_caps_get_minimum_free_size(MALLOC_CAP_RTCRAM) <= before && before > 8192 * 8 / 10,
          "%zu bytes of RTC memory", before);
    size_t counts[2];
    for (size_t round = 0; round < 2; round++) {
        size_t count = 0;
        size_t first_rtc = MOST;
        while (count < MOST && (blocks[count] = heap_caps_malloc(1000, caps)) != NULL) {
            memset(blocks[count], (int)count, 1000);
            if (first_rtc == MOST && esp_ptr_in_rtc_dram_fast(blocks[count])) {
                first_rtc = count;
            }
            count++;
        }
        counts[round] = count;
        CHECK(count - first_rtc >= 7 && count - first_rtc <= 8, "%zu of %zu", first_rtc, count);
        for (size_t i = 0; i < count; i++) {
            CHECK(((uint8_t *)blocks[i])[i % 1000] == (uint8_t)i, "block %zu", i);
            heap_caps_free(blocks[i]);
        }
    }
    CHECK(counts[0] == counts[1] && counts[0] > 290, "%zu and then %zu blocks", counts[0],
          counts[1]);
}

static void check_iram_8bit(void)
{
#if defined(CONFIG_ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY)
    const size_t free = heap_caps_get_free_size(MALLOC_CAP_IRAM_8BIT);
    const size_t words = heap_caps_get_free_size(MALLOC_CAP_32BIT);
    const size_t largest = heap_caps_get_largest_free_block(MALLOC_CAP_IRAM_8BIT);
    void *const block = heap_caps_malloc(largest, MALLOC_CAP_IRAM_8BIT);
    IS(block, esp_ptr_in_iram);
    const size_t size = heap_caps_get_allocated_size(block);
    CHECK(heap_caps_get_free_size(MALLOC_CAP_IRAM_8BIT) <= free - size &&
              heap_caps_get_free_size(MALLOC_CAP_32BIT) <= words - size,
          "%zu bytes are still free", size);
    heap_caps_free(block);
#else
    CHECK(heap_caps_malloc(100, MALLOC_CAP_IRAM_8BIT) == NULL, "bytes in IRAM");
    CHECK(heap_caps_get_total_size(MALLOC_CAP_IRAM_8BIT) == 0, "bytes in IRAM");
#endif
}

/* Small requests of malloc() go to internal memory, large ones to external. */
static void check_malloc(void)
{
    void *block = heap_caps_malloc_default(KB10);
    IS(block, esp_ptr_in_dram);
    heap_caps_malloc_extmem_enable(1000);
    block = heap_caps_realloc_default(block, 1001);
    IS(block, esp_ptr_external_ram);
    block = heap_caps_realloc_default(block, 1000);
    IS(block, esp_ptr_in_dram);
    void *const large = heap_caps_malloc_default(1001);
    IS(large, esp_ptr_external_ram);
    void *const more =
        heap_caps_malloc_default(heap_caps_get_largest_free_block(MALLOC_CAP_SPIRAM));
    IS(more, esp_ptr_external_ram);
    void *const rest = heap_caps_malloc_default(100000);
    IS(rest, esp_ptr_in_dram); /* any will do when there is no other */
    failures();
    CHECK(heap_caps_malloc_default(HUGE_SIZE) == NULL && failures() == 1 &&
              reported.failed_caps == MALLOC_CAP_DEFAULT,
          "more than there is");
    CHECK(heap_caps_malloc_default(0) == NULL && failures() == 0, "0 bytes");
    heap_caps_malloc_extmem_enable(SIZE_MAX);
    void *const all[] = {block, large, more, rest};
    for (size_t i = 0; i < 4; i++) {
        heap_caps_free(all[i]);
    }
}

static void check_prefer(void)
{
    const uint32_t dma = MALLOC_CAP_DMA;
    const uint32_t external = MALLOC_CAP_SPIRAM;
    const uint32_t none = MALLOC_CAP_INVALID;
    failures();
    void *block = heap_caps_malloc_prefer(100, 2, dma, external);
    IS(block, esp_ptr_dma_capable);
    block = heap_caps_realloc_prefer(block, 200, 2, external, dma);
    IS(block, esp_ptr_external_ram);
    heap_caps_free(block);
    block = heap_caps_malloc_prefer(1 << 20, 3, none, dma, external);
    IS(block, esp_ptr_external_ram);
    heap_caps_free(block);
    uint8_t *const clear = heap_caps_calloc_prefer(10, 100, 2, dma, external);
    IS(clear, esp_ptr_dma_capable);
    for (size_t i = 0; i < 1000; i++) {
        CHECK(clear[i] == 0, "byte %zu is not clear", i);
    }
    heap_caps_free(clear);
    CHECK(failures() == 0, "told of failures that were none");
    CHECK(heap_caps_malloc_prefer(100, 2, none, none) == NULL && failures() == 1, "none");
    CHECK(heap_caps_calloc_prefer(SIZE_MAX, 2, 1, dma) == NULL && failures() == 1, "too many");
    CHECK(heap_caps_malloc_prefer(0, 2, dma, external) == NULL && failures() == 0, "0 bytes");
    CHECK(heap_caps_malloc_prefer(100, 0) == NULL, "from nowhere");
    /* Capabilities where the number belongs: what follows, if anything does, is not looked at. */
#define NONE4 none, none, none, none
    block = heap_caps_malloc_prefer(100, (size_t)external, NONE4, NONE4, NONE4, NONE4);
    IS(block, esp_ptr_external_ram);
    block = heap_caps_realloc_prefer(block, 5000, (size_t)MALLOC_CAP_INTERNAL, NONE4, NONE4, NONE4,
                                     NONE4);
    IS(block, esp_ptr_internal);
    heap_caps_free(block);
    failures();
}

/* ---- what fails ------------------------------------------------------------------------------- */

static void check_failures(void)
{
    CHECK(heap_caps_register_failed_alloc_callback(NULL) == ESP_ERR_INVALID_ARG, "no callback");
    CHECK(heap_caps_register_failed_alloc_callback(failed) == ESP_OK, "a callback");
    const uint32_t sets[] = {MALLOC_CAP_DEFAULT, MALLOC_CAP_INVALID};
    const size_t sizes[] = {HUGE_SIZE, 64};
    for (size_t i = 0; i < 2; i++) {
        CHECK(heap_caps_malloc(sizes[i], sets[i]) == NULL && failures() == 1, "malloc %zu", i);
        CHECK(reported.failed_size == sizes[i] && reported.failed_caps == sets[i] &&
                  strcmp(reported.failed_in, "heap_caps_malloc") == 0,
              "%zu bytes in %s", reported.failed_size, reported.failed_in);
        CHECK(heap_caps_realloc(NULL, sizes[i], sets[i]) == NULL && failures() == 1, "realloc");
        CHECK(heap_caps_aligned_alloc(512, sizes[i], sets[i]) == NULL && failures() == 1,
              "aligned_alloc");
        CHECK(heap_caps_calloc(1, sizes[i], sets[i]) == NULL && failures() == 1, "calloc");
    }
    CHECK(heap_caps_calloc(SIZE_MAX / 2 + 4, 2, MALLOC_CAP_DEFAULT) == NULL && failures() == 1,
          "8 bytes where the product overflows");
    CHECK(heap_caps_calloc(SIZE_MAX - 1, 1, MALLOC_CAP_DEFAULT) == NULL, "all memory");
    CHECK(heap_caps_calloc(16, 1024 * 1024, MALLOC_CAP_DEFAULT) == NULL, "16 MB");
    const size_t most[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 256, SIZE_MAX / 2, HUGE_SIZE};
    for (size_t i = 0; i < 5; i++) {
        CHECK(heap_caps_malloc(most[i], MALLOC_CAP_32BIT) == NULL, "%zu bytes", most[i]);
        CHECK(heap_caps_malloc(most[i], MALLOC_CAP_EXEC) == NULL, "%zu bytes", most[i]);
        CHECK(heap_caps_malloc_default(most[i]) == NULL, "%zu bytes", most[i]);
        CHECK(heap_caps_aligned_alloc(64, most[i], MALLOC_CAP_8BIT) == NULL, "%zu bytes", most[i]);
    }
    CHECK(heap_caps_malloc(esp_get_free_heap_size() - 1, MALLOC_CAP_DEFAULT) == NULL,
          "all free memory at once");
    failures();
    CHECK(heap_caps_malloc(0, MALLOC_CAP_DEFAULT) == NULL, "0 bytes");
    CHECK(heap_caps_calloc(0, 0, MALLOC_CAP_DEFAULT) == NULL, "0 bytes");
    CHECK(heap_caps_calloc(0, 8, MALLOC_CAP_DEFAULT) == NULL, "0 bytes");
    CHECK(heap_caps_realloc(NULL, 0, MALLOC_CAP_DEFAULT) == NULL, "0 bytes");
    CHECK(heap_caps_aligned_alloc(32, 0, MALLOC_CAP_DEFAULT) == NULL, "0 bytes");
    CHECK(heap_caps_aligned_calloc(32, 0, 4, MALLOC_CAP_DEFAULT) == NULL, "0 bytes");
    CHECK(heap_caps_aligned_alloc(0, 100, MALLOC_CAP_DEFAULT) == NULL, "to 0");
    CHECK(failures() == 0, "told of a request for nothing");
    void *const block = heap_caps_malloc(100, MALLOC_CAP_DEFAULT);
    memset(block, 0x33, 100);
    CHECK(heap_caps_realloc(block, HUGE_SIZE, MALLOC_CAP_DEFAULT) == NULL && failures() == 1,
          "too large");
    CHECK(((uint8_t *)block)[99] == 0x33, "a failed realloc changed the block");
    CHECK(heap_caps_realloc(block, 0, MALLOC_CAP_DEFAULT) == NULL && failures() == 0, "to 0");
}

/* ---- alignment and places --------------------------------------------------------------------- */

static void check_aligned(uint32_t caps, size_t size, size_t most)
{
    for (size_t alignment = 0; alignment <= most; alignment++) {
        const bool power = alignment != 0 && (alignment & (alignment - 1)) == 0;
        const size_t wanted = size != 0 ? size : alignment + 137;
        for (int clear = 0; clear < 2; clear++) {
            uint8_t *const block = clear ? heap_caps_aligned_calloc(alignment, wanted, 1, caps)
                                         : heap_caps_aligned_alloc(alignment, wanted, caps);
            CHECK((block != NULL) == power, "to %zu: %p", alignment, (void *)block);
            if (block == NULL) {
                continue;
            }
            CHECK((uintptr_t)block % alignment == 0, "to %zu: %p", alignment, (void *)block);
            for (size_t i = 0; clear && i < wanted; i++) {
                CHECK(block[i] == 0, "byte %zu to %zu is not clear", i, alignment);
            }
            memset(block, 0xA5, wanted);
            heap_caps_free(block);
        }
        if (alignment > 1100 && !power) { /* the rest is the same */
            alignment = (alignment | (alignment - 1)) < most ? alignment + 997 : alignment;
        }
    }
}

static void check_realloc(void)
{
    uint8_t wanted[64];
    for (size_t i = 0; i < 64; i++) {
        wanted[i] = (uint8_t)(i * 7 + 1);
    }
    void *x = heap_caps_malloc(64, MALLOC_CAP_8BIT | MALLOC_CAP_INTERNAL);
    CHECK(heap_caps_realloc(x, 48, MALLOC_CAP_8BIT) == x, "shrinking moves");
    heap_caps_free(x);
    /* To words and code, and back. */
    uint8_t *block = heap_caps_malloc(64, MALLOC_CAP_8BIT | MALLOC_CAP_INTERNAL);
    memcpy(block, wanted, 64);
    static const uint32_t ways[] = {MALLOC_CAP_EXEC, MALLOC_CAP_8BIT,   MALLOC_CAP_SPIRAM,
                                    MALLOC_CAP_DMA,  MALLOC_CAP_RTCRAM, MALLOC_CAP_8BIT};
    bool (*const places[])(const void *) = {esp_ptr_executable,       esp_ptr_byte_accessible,
                                            esp_ptr_external_ram,     esp_ptr_dma_capable,
                                            esp_ptr_in_rtc_dram_fast, esp_ptr_in_rtc_dram_fast};
    for (size_t i = 0; i < 6; i++) {
        block = heap_caps_realloc(block, 64, ways[i]);
        CHECK(block != NULL && places[i](block), "way %zu: %p", i, (void *)block);
        CHECK(memcmp(block, wanted, 64) == 0, "way %zu: contents are lost", i);
        CHECK(heap_caps_check_integrity(MALLOC_CAP_INVALID, true), "way %zu: corrupt", i);
    }
    heap_caps_free(block);
    void *const code = heap_caps_malloc(64, MALLOC_CAP_EXEC);
    void *const less = heap_caps_realloc(code, 48, MALLOC_CAP_EXEC);
    IS(less, esp_ptr_executable);
    heap_caps_free(less);
}

static void check_sizes(void)
{
    static const size_t sizes[] = {1, 3, 1035, 1064, 1541};
    for (size_t i = 0; i < 5; i++) {
        void *const block = heap_caps_malloc(sizes[i], MALLOC_CAP_DEFAULT);
        const size_t size = heap_caps_get_allocated_size(block);
        CHECK(size >= ((sizes[i] + 3) & ~(size_t)3) && size < sizes[i] + 16, "%zu for %zu", size,
              sizes[i]);
        CHECK(heap_caps_get_containing_block_size((uint8_t *)block + sizes[i] / 2) > size,
              "no overhead");
        heap_caps_free(block);
    }
}

/* ---- hooks ------------------------------------------------------------------------------------ */

static void check_hooks(void)
{
    static const size_t size = 1234;
    for (int way = 0; way < 3; way++) {
        void *block = way == 0   ? heap_caps_malloc(size, MALLOC_CAP_DEFAULT)
                      : way == 1 ? heap_caps_calloc(1, size, MALLOC_CAP_DEFAULT)
                                 : heap_caps_aligned_alloc(512, size, MALLOC_CAP_DEFAULT);
        CHECK(reported.taken == block && reported.size == size &&
                  reported.caps == MALLOC_CAP_DEFAULT,
              "way %d: %p with %zu bytes", way, reported.taken, reported.size);
        const int frees = reported.frees;
        reported.size = 0;
        block = heap_caps_realloc(block, size, MALLOC_CAP_32BIT);
        CHECK(reported.taken == block && reported.size == size && reported.frees == frees, "way %d",
              way);
        heap_caps_free(block);
        CHECK(reported.freed == block && reported.frees == frees + 1, "way %d", way);
    }
    const int frees = reported.frees;
    const int takes = reported.takes;
    void *const block = heap_caps_malloc(100, MALLOC_CAP_DMA);
    void *const moved = heap_caps_realloc(block, 100, MALLOC_CAP_SPIRAM);
    CHECK(reported.takes == takes + 2 && reported.frees == frees + 1 && reported.freed == block,
          "another heap: %d and %d", reported.takes - takes, reported.frees - frees);
    heap_caps_free(moved);
    heap_caps_free(NULL);
    CHECK(reported.frees == frees + 2, "told of NULL");
    CHECK(heap_caps_malloc(HUGE_SIZE, MALLOC_CAP_DMA) == NULL && reported.takes == takes + 2,
          "told of a failure");
}

int main(void)
{
    check_failures();
    check_routes();
    check_changeover();
    check_rtc_last();
    check_iram_8bit();
    check_malloc();
    check_prefer();
    check_aligned(MALLOC_CAP_DEFAULT, 0, 1024);
    check_aligned(MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT, 0, 1024);
    check_aligned(MALLOC_CAP_SPIRAM, KB10, 512 * 1024);
    check_realloc();
    check_sizes();
    check_hooks();
    CHECK(heap_caps_check_integrity_all(true), "corrupt");
    CHECK(esp_faults() == 0, "faults");
    multi_heap_info_t info;
    heap_caps_get_info(&info, MALLOC_CAP_RTCRAM);
    CHECK(info.allocated_blocks == 0, "%zu blocks were not freed", info.allocated_blocks);
    return GUARDED && heap_caps_get_free_size(0) == 0;
}
