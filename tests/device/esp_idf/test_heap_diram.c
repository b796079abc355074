/*
 * A layout of the program's own, in which the instruction bus sees data memory at other addresses, as
 * it is on an ESP32-S2: one file, mapped twice. Bytes written by one address are read by the other.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "../../models/check.h"
#include "esp_faults.h"
#include "esp_heap_caps_init.h"
#include "esp_memory_utils.h"

enum { SIZE = 64 * 1024, BLOCK = 1024 };

const soc_memory_type_desc_t soc_memory_types[] = {
    {"DRAM",
     {MALLOC_CAP_8BIT | MALLOC_CAP_DEFAULT, MALLOC_CAP_INTERNAL | MALLOC_CAP_DMA | MALLOC_CAP_32BIT,
      0}},
    {"D/IRAM",
     {0, MALLOC_CAP_8BIT | MALLOC_CAP_DEFAULT | MALLOC_CAP_INTERNAL | MALLOC_CAP_DMA,
      MALLOC_CAP_32BIT | MALLOC_CAP_EXEC}},
};
const size_t soc_memory_type_count = 2;

/* The two views are mapped over arrays, so that their addresses are constants. */
static _Alignas(65536) uint8_t data[SIZE], code[SIZE];
static uint64_t dram[1024], late[1024];
const soc_memory_region_t soc_memory_regions[] = {
    {(intptr_t)dram, sizeof(dram), 0, 0, false},
    {(intptr_t)data, SIZE, 1, (intptr_t)code, false},
    {(intptr_t)late, sizeof(late), 0, 0, true},
};
const size_t soc_memory_region_count = 3;

size_t soc_get_available_memory_region_max_count(void)
{
    return 4;
}

/* In pieces, as reserved memory leaves them: neighbours of one type become one heap. */
size_t soc_get_available_memory_regions(soc_memory_region_t *regions)
{
    const soc_memory_region_t *const both = soc_memory_regions;
    regions[0] = both[0];
    regions[1] = both[1];
    regions[1].start += 4096; /* static data lie before */
    regions[1].size = SIZE / 2 - 4096;
    regions[2] = both[1];
    regions[2].start += SIZE / 2;
    regions[2].size = SIZE / 2;
    regions[3] = both[2];
    return 4;
}

static bool is_data(const void *at)
{
    return (const uint8_t *)at >= data && (const uint8_t *)at < data + SIZE;
}

static bool is_code(const void *at)
{
    return (const uint8_t *)at >= code && (const uint8_t *)at < code + SIZE;
}

static void check_both_ways(uint32_t caps, bool by_code)
{
    volatile uint32_t *const words = heap_caps_malloc(BLOCK, caps);
    CHECK(words != NULL && (by_code ? is_code((void *)words) : is_data((void *)words)), "%p",
          (void *)words);
    CHECK(heap_caps_get_allocated_size((void *)words) >= BLOCK, "no block");
    volatile uint32_t *const others = by_code ? esp_ptr_diram_iram_to_dram((void *)words)
                                              : esp_ptr_diram_dram_to_iram((void *)words);
    for (uint32_t i = 0; i < BLOCK / 4; i++) {
        words[i] = i + 0xAAAA;
        CHECK(others[i] == i + 0xAAAA, "word %u", (unsigned)i);
        others[i] = UINT32_MAX;
        CHECK(words[i] == UINT32_MAX, "word %u", (unsigned)i);
        words[i] = i;
    }
    volatile uint32_t *const moved = heap_caps_realloc((void *)words, 2 * BLOCK, caps);
    for (uint32_t i = 0; i < BLOCK / 4; i++) {
        CHECK(moved[i] == i, "word %u is lost", (unsigned)i);
    }
    heap_caps_free((void *)moved);
    CHECK(heap_caps_check_integrity_all(true) && esp_faults() == 0, "corrupt");
}

int main(void)
{
    const int file = memfd_create("memory", 0);
    CHECK(file >= 0 && ftruncate(file, SIZE) == 0, "no file in memory");
    const int access = PROT_READ | PROT_WRITE;
    CHECK(mmap(data, SIZE, access, MAP_SHARED | MAP_FIXED, file, 0) == data &&
              mmap(code, SIZE, access, MAP_SHARED | MAP_FIXED, file, 0) == code,
          "not mapped twice");

    /* By hand, as a chip's start-up code does it. */
    heap_caps_init();
    CHECK(heap_caps_get_total_size(MALLOC_CAP_EXEC) == SIZE - 4096 &&
              heap_caps_get_largest_free_block(MALLOC_CAP_EXEC) > SIZE / 2,
          "not one heap of two pieces");
    const size_t before = heap_caps_get_total_size(MALLOC_CAP_DEFAULT);
    heap_caps_enable_nonos_stack_heaps();
    CHECK(heap_caps_get_total_size(MALLOC_CAP_DEFAULT) == before + sizeof(late), "no stacks");
    heap_caps_enable_nonos_stack_heaps();
    CHECK(heap_caps_get_total_size(MALLOC_CAP_DEFAULT) == before + sizeof(late), "twice");

    check_both_ways(MALLOC_CAP_EXEC, true);
    void *fillers[16];
    size_t count = 0;
    do { /* D/IRAM comes after all else */
        CHECK(count < 16, "no D/IRAM");
        fillers[count] = heap_caps_malloc(BLOCK, MALLOC_CAP_8BIT);
    } while (!is_data(fillers[count++]));
    check_both_ways(MALLOC_CAP_8BIT, false);
    CHECK(esp_ptr_in_diram_dram(fillers[count - 1]) && !esp_ptr_in_diram_iram(fillers[count - 1]),
          "memory of another kind");
    while (count > 0) {
        heap_caps_free(fillers[--count]);
    }
    void *block = heap_caps_malloc(100, MALLOC_CAP_EXEC);
    block = heap_caps_realloc(block, 100, MALLOC_CAP_8BIT);
    CHECK(block != NULL && !is_code(block), "bytes at an address for code");
    heap_caps_free(block);
    CHECK(heap_caps_malloc(100, MALLOC_CAP_EXEC | MALLOC_CAP_8BIT) == NULL, "both");
    CHECK(esp_faults() == 0, "faults");
    return 0;
}
