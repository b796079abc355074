/*
 * The heap's memory, on every board: addresses are the linker script's, sizes and capabilities those of a
 * small chip with memory outside. The order is that in which requests try them.
 */
#include "board.h"

extern uint8_t memory_dram[], memory_dtcm[], memory_iram[], memory_psram[];

static const hs_memory_t fast = {
    .name = "DRAM",
    .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT, HS_CAP_INTERNAL | HS_CAP_DMA | HS_CAP_32BIT, 0},
};
static const hs_memory_t coupled = {
    .name = "DTCM",
    .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT, HS_CAP_INTERNAL | HS_CAP_32BIT, 0},
    .kind = 1,
};
static const hs_memory_t words = {
    .name = "IRAM",
    .caps = {HS_CAP_INTERNAL | HS_CAP_EXEC | HS_CAP_32BIT, 0, 0},
    .kind = 2,
};
static const hs_memory_t external = {
    .name = "PSRAM",
    .caps = {HS_CAP_SPIRAM, 0, HS_CAP_8BIT | HS_CAP_32BIT | HS_CAP_DEFAULT},
    .kind = 3,
};

#define DRAM {.memory = &fast, .start = memory_dram, .size = 0x18000}
#define DTCM {.memory = &coupled, .start = memory_dtcm, .size = 0x10000}
#define IRAM {.memory = &words, .start = memory_iram, .size = 0x4000}
#define PSRAM {.memory = &external, .start = memory_psram, .size = 0x40000}

const hs_region_t board_regions[] = {FIRMWARE_REGIONS};
const uint32_t board_region_count = sizeof board_regions / sizeof board_regions[0];
