/*
 * A host's memory: the regions of an ESP32 at run time, in the program's own. Every symbol is weak: a
 * program with another table defines soc_memory_types, soc_memory_regions, their counts and
 * soc_get_available_memory_regions(), as a chip's memory_layout.c does. In a file of its own, as
 * compilers take a constant's value for known where they see it, weak or not.
 */
#ifndef ESP_PLATFORM

#include <esp_heap_caps.h>
#include <heap_memory_layout.h>

#define WEAK __attribute__((weak))

/* The gap keeps two regions of one type from becoming one, wherever the linker puts them. */
#define GAP ((size_t)64)
#define WORDS_OF_KB(count) ((((size_t)(count) << 10) + GAP) / 8)

/* The order is that of the types below. */
enum { DRAM, DIRAM, IRAM, RTCRAM, SPIRAM, TYPES };

WEAK const soc_memory_type_desc_t soc_memory_types[TYPES] = {
    {"DRAM",
     {MALLOC_CAP_8BIT | MALLOC_CAP_DEFAULT, MALLOC_CAP_INTERNAL | MALLOC_CAP_DMA | MALLOC_CAP_32BIT,
      0}},
    {"D/IRAM",
     {0, MALLOC_CAP_DMA | MALLOC_CAP_8BIT | MALLOC_CAP_INTERNAL | MALLOC_CAP_DEFAULT,
      MALLOC_CAP_32BIT | MALLOC_CAP_EXEC}},
    {"IRAM",
     {MALLOC_CAP_INTERNAL | MALLOC_CAP_EXEC | MALLOC_CAP_32BIT
#if defined(CONFIG_ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY)
          | MALLOC_CAP_IRAM_8BIT
#endif
      ,
      0, 0}},
    {"RTCRAM",
     {MALLOC_CAP_RTCRAM, 0,
      MALLOC_CAP_8BIT | MALLOC_CAP_DEFAULT | MALLOC_CAP_INTERNAL | MALLOC_CAP_32BIT}},
    {"SPIRAM", {MALLOC_CAP_SPIRAM | MALLOC_CAP_DEFAULT, 0, MALLOC_CAP_8BIT | MALLOC_CAP_32BIT}},
};
WEAK const size_t soc_memory_type_count = TYPES;

static uint64_t dram_low[WORDS_OF_KB(6)];
static uint64_t dram[WORDS_OF_KB(180)];
static uint64_t diram_low[WORDS_OF_KB(14)]; /* the start-up code's stacks */
static uint64_t diram[WORDS_OF_KB(111)];
static uint64_t iram[WORDS_OF_KB(64)];
static uint64_t rtc[WORDS_OF_KB(8)];
static uint64_t spiram[WORDS_OF_KB(4096)];

#define REGION(memory, type, startup)                                                              \
    {(intptr_t)(memory), sizeof(memory) - GAP, (type), 0, (startup)}
WEAK const soc_memory_region_t soc_memory_regions[] = {
    REGION(rtc, RTCRAM, false),     REGION(dram, DRAM, false),  REGION(dram_low, DRAM, false),
    REGION(diram_low, DIRAM, true), REGION(diram, DIRAM, true), REGION(iram, IRAM, false),
    REGION(spiram, SPIRAM, false),
};
WEAK const size_t soc_memory_region_count =
    sizeof(soc_memory_regions) / sizeof(soc_memory_regions[0]);

#else
typedef int heapscope_esp_has_its_chips_table_t; /* C wants a declaration */
#endif
