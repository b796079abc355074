/* A chip for tests of regions: the memory types of an ESP32, and a set on memory between fences. */
#ifndef HEAPSCOPE_TESTS_DEVICE_CHIP_H
#define HEAPSCOPE_TESTS_DEVICE_CHIP_H

#include "heapscope/regions.h"
#include "region.h"

#define CHIP_REGIONS 12u
#define CHIP_OWNERS 8u

/* ESP-IDF v5.5's types of an ESP32 (esp_heap: port/esp32/memory_layout.c), and two of others. */
static const hs_memory_t chip_dram = {
    .name = "DRAM",
    .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT, HS_CAP_INTERNAL | HS_CAP_DMA | HS_CAP_32BIT, 0},
    .kind = 0,
};
static const hs_memory_t chip_iram = {
    .name = "IRAM",
    .caps = {HS_CAP_INTERNAL | HS_CAP_EXEC | HS_CAP_32BIT | HS_CAP_IRAM_8BIT, 0, 0},
    .kind = 1,
};
static const hs_memory_t chip_spiram = {
    .name = "SPIRAM",
    .caps = {HS_CAP_SPIRAM | HS_CAP_DEFAULT, 0, HS_CAP_8BIT | HS_CAP_32BIT},
    .kind = 2,
};
/* In v4.x and in v5.x. */
static const hs_memory_t chip_rtc_first = {
    .name = "RTCRAM",
    .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT, HS_CAP_INTERNAL | HS_CAP_32BIT, 0},
    .kind = 3,
};
static const hs_memory_t chip_rtc_last = {
    .name = "RTCRAM",
    .caps = {HS_CAP_RTCRAM, 0, HS_CAP_DEFAULT | HS_CAP_32BIT | HS_CAP_8BIT | HS_CAP_INTERNAL},
    .kind = 3,
};

/* D/IRAM whose instruction addresses follow from `sum` (reversed), or lie `distance` further on. */
static inline hs_memory_t chip_diram(uintptr_t alias, bool reversed)
{
    return (hs_memory_t){
        .name = "D/IRAM",
        .caps = {0, HS_CAP_DMA | HS_CAP_8BIT | HS_CAP_INTERNAL | HS_CAP_DEFAULT,
                 HS_CAP_32BIT | HS_CAP_EXEC},
        .kind = 0,
        .alias_reversed = reversed,
        .alias = alias,
    };
}

typedef struct chip {
    region_t memory[CHIP_REGIONS];
    hs_region_t table[CHIP_REGIONS];
    uint32_t count; /* of the table */
    uint32_t total; /* with those that were added */
    hs_memory_t diram;
    hs_regions_config_t config;
    hs_regions_t *set;
    region_t control;
    uint64_t owners_memory[512];
    void *task; /* the running one */
    unsigned failures;
    size_t failed_size;
    uint32_t failed_caps;
    int locked; /* locks that are held */
    uint8_t held[HS_LOCK_COUNT];
} chip_t;

static inline void chip_failed(void *context, size_t size, uint32_t caps)
{
    chip_t *chip = context;
    CHECK(chip->locked == 0, "the callback is called with the lock held");
    chip->failures++;
    chip->failed_size = size;
    chip->failed_caps = caps;
}

/* A call holds one lock at a time; the set's lock may be held around a region's, never within one. */
static inline void chip_lock(void *context, uint32_t lock)
{
    chip_t *chip = context;
    CHECK(lock < HS_LOCK_COUNT, "no lock has the number %u", (unsigned)lock);
    CHECK(chip->locked == 0 || (chip->held[HS_LOCK_SET] == 1 && chip->locked == 1),
          "lock %u is taken while another is held", (unsigned)lock);
    CHECK(chip->held[lock] == 0, "lock %u is held", (unsigned)lock);
    chip->held[lock]++;
    chip->locked++;
}

static inline void chip_unlock(void *context, uint32_t lock)
{
    chip_t *chip = context;
    CHECK(lock < HS_LOCK_COUNT && chip->held[lock] > 0, "unlocked without a lock");
    chip->held[lock]--;
    chip->locked--;
}

static inline void *chip_task(void *context)
{
    return ((chip_t *)context)->task;
}

/* Nothing in it yet; the instruction bus sees D/IRAM in reverse. */
static inline void chip_open(chip_t *chip)
{
    *chip = (chip_t){.count = 0};
    chip->config = (hs_regions_config_t){
        .failed = chip_failed,
        .lock = chip_lock,
        .unlock = chip_unlock,
        .context = chip,
    };
}

/* One more region of the table, or, where there is a set, of those to be added. */
static inline hs_region_t *chip_region(chip_t *chip, const hs_memory_t *memory, size_t size,
                                       size_t skew)
{
    CHECK(chip->total < CHIP_REGIONS, "too many regions");
    const uint32_t i = chip->total++;
    chip->memory[i] = region_open(size, skew);
    chip->table[i] = (hs_region_t){.memory = memory, .start = chip->memory[i].memory, .size = size};
    chip->count += chip->set == NULL ? 1 : 0;
    return &chip->table[i];
}

/* Sets up the reversed alias of D/IRAM, such that no address of it is one of memory. */
static inline const hs_memory_t *chip_reversed(chip_t *chip)
{
    chip->diram = chip_diram((uintptr_t)0x3FFFFFFCu - 0x1000, true);
    return &chip->diram;
}

/* DRAM 0 and 1, D/IRAM 2, IRAM 3: the run-time order of an ESP32. */
static inline void chip_open_esp32(chip_t *chip)
{
    chip_open(chip);
    chip_region(chip, &chip_dram, 2 * 1024, 0);
    chip_region(chip, &chip_dram, 16 * 1024, 0);
    chip_region(chip, chip_reversed(chip), 16 * 1024, 0);
    chip_region(chip, &chip_iram, 16 * 1024, 0);
}

static inline hs_owners_t *chip_owners(chip_t *chip)
{
    hs_owners_t *owners =
        hs_owners_create(chip->owners_memory, sizeof chip->owners_memory, CHIP_OWNERS);
    CHECK(owners != NULL, "no owners");
    chip->config.owners = owners;
    chip->config.task = chip_task;
    return owners;
}

static inline void chip_start(chip_t *chip)
{
    chip->set = hs_regions_create(chip->table, chip->count, &chip->config, NULL, 0);
    CHECK(chip->set != NULL, "no set of %u regions", (unsigned)chip->count);
}

/* Which region an address of the data bus lies in; CHIP_REGIONS: none. The last one that was added
 * comes first, as one may lie inside another. */
static inline uint32_t chip_where(const chip_t *chip, const void *address)
{
    uint32_t i = chip->total;
    while (i > 0) {
        i--;
        if ((uintptr_t)address - (uintptr_t)chip->table[i].start < chip->table[i].size) {
            return i;
        }
    }
    return CHIP_REGIONS;
}

/* All that a set's calls change, put aside. */
typedef struct chip_copy {
    uint8_t *memory[CHIP_REGIONS];
    uint64_t owners[512];
    unsigned failures;
} chip_copy_t;

static inline void chip_save(const chip_t *chip, chip_copy_t *copy)
{
    memcpy(copy->owners, chip->owners_memory, sizeof chip->owners_memory);
    copy->failures = chip->failures;
    for (uint32_t i = 0; i < chip->total; i++) {
        copy->memory[i] = region_save(&chip->memory[i]);
    }
}

static inline void chip_restore(chip_t *chip, const chip_copy_t *copy)
{
    memcpy(chip->owners_memory, copy->owners, sizeof chip->owners_memory);
    chip->failures = copy->failures;
    for (uint32_t i = 0; i < chip->total; i++) {
        memcpy(chip->memory[i].memory, copy->memory[i], chip->memory[i].size);
    }
}

static inline void chip_check_same(const chip_t *chip, const chip_copy_t *copy)
{
    CHECK(memcmp(copy->owners, chip->owners_memory, sizeof chip->owners_memory) == 0, "owners");
    for (uint32_t i = 0; i < chip->total; i++) {
        CHECK(region_same(&chip->memory[i], copy->memory[i]), "region %u changed", (unsigned)i);
    }
}

static inline void chip_forget(const chip_t *chip, chip_copy_t *copy)
{
    for (uint32_t i = 0; i < chip->total; i++) {
        free(copy->memory[i]);
    }
}

static inline void chip_close(chip_t *chip)
{
    CHECK(chip->locked == 0, "the lock is held");
    for (uint32_t i = 0; i < chip->total; i++) {
        if (chip->memory[i].raw != NULL) {
            region_close(&chip->memory[i]);
        }
    }
}

#endif
