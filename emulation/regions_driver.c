/*
 * The five regions of an ESP32 at their own addresses, as its boot log has them, and a random program
 * on them: what it does is a function of its seed, on every processor with 32 bits.
 */
#include "heapscope/regions.h"

typedef struct esp32_setting {
    uint32_t level;  /* of the guard */
    uint32_t owners; /* rows; 0: none */
    uint32_t broken; /* IRAM is taken for memory that has bytes, too */
} esp32_setting_t;

typedef struct esp32_figures {
    uint32_t set;        /* bytes of the set and its records */
    uint32_t control[5]; /* of each heap */
    uint32_t bitmap[5];
    uint32_t owners; /* of the table of owners */
} esp32_figures_t;

uint32_t esp32_open(const esp32_setting_t *setting);
void esp32_figures(esp32_figures_t *figures);
uint32_t esp32_run(uint32_t seed, uint32_t steps);

#define DRAM {HS_CAP_8BIT | HS_CAP_DEFAULT, HS_CAP_INTERNAL | HS_CAP_DMA | HS_CAP_32BIT, 0}
#define DIRAM                                                                                      \
    {0, HS_CAP_DMA | HS_CAP_8BIT | HS_CAP_INTERNAL | HS_CAP_DEFAULT, HS_CAP_32BIT | HS_CAP_EXEC}
#define IRAM (HS_CAP_INTERNAL | HS_CAP_EXEC | HS_CAP_32BIT | HS_CAP_IRAM_8BIT)

static const hs_memory_t dram = {.name = "DRAM", .caps = DRAM};
static const hs_memory_t diram = {
    .name = "D/IRAM", .caps = DIRAM, .alias_reversed = true, .alias = 0x8009FFFC};
static const hs_memory_t iram = {.name = "IRAM", .caps = {IRAM, 0, 0}, .kind = 1};
static const hs_memory_t broken_iram = {
    .name = "IRAM", .caps = {IRAM | HS_CAP_8BIT, 0, 0}, .kind = 1};

static const hs_region_t regions[] = {
    {&dram, (void *)0x3FFAE6E0, 0x1920, false, false},
    {&dram, (void *)0x3FFB31F8, 0x2CE08, false, false},
    {&diram, (void *)0x3FFE0440, 0x3AE0, true, false},
    {&diram, (void *)0x3FFE4350, 0x1BCB0, true, false},
    {&iram, (void *)0x4008B2AC, 0x14D54, false, false},
};
#define COUNT (sizeof regions / sizeof regions[0])

#define ROWS_MAX 16u
#define BLOCKS 48u

static hs_guard_config_t guard;
static hs_regions_config_t config;
static hs_regions_t *set;
static uint32_t owners_memory[ROWS_MAX * 40];
static uint32_t owner_rows;
static uint8_t tasks[ROWS_MAX];
static uint32_t running;

static void *running_task(void *context)
{
    (void)context;
    return &tasks[running];
}

uint32_t esp32_open(const esp32_setting_t *setting)
{
    hs_region_t table[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        table[i] = regions[i];
    }
    if (setting->broken) {
        table[4].memory = &broken_iram;
    }
    owner_rows = setting->owners;
    guard = (hs_guard_config_t){
        .level = (hs_guard_level_t)setting->level, .owners = owner_rows != 0, .walk_every = 200};
    config = (hs_regions_config_t){.guard = &guard};
#if HS_OWNERS
    if (owner_rows != 0) {
        config.owners = hs_owners_create(owners_memory, sizeof owners_memory, owner_rows);
        config.task = running_task;
    }
#else
    (void)running_task;
#endif
    set = hs_regions_create(table, COUNT, &config, NULL, 0);
    return set != NULL && hs_regions_enable_startup_stacks(set) == HS_OK;
}

void esp32_figures(esp32_figures_t *figures)
{
    figures->set = hs_regions_control(COUNT);
#if HS_OWNERS
    figures->owners = owner_rows != 0 ? hs_owners_control(owner_rows) : 0;
#endif
    for (uint32_t i = 0; i < COUNT; i++) {
        hs_region_state_t state;
        hs_heap_info_t info;
        (void)hs_regions_state(set, i, &state);
        hs_heap_info(state.guard->heap, &info);
        figures->control[i] = info.control;
        figures->bitmap[i] = info.bitmap;
    }
}

/* ---- the program ---------------------------------------------------------------------------------- */

typedef struct one {
    uint32_t address; /* as it was given */
    uint32_t words;
    uint32_t seed;
    bool code; /* by the instruction bus, in reverse */
} one_t;

static one_t blocks[BLOCKS];
static uint32_t state_of_random;

static uint32_t below(uint32_t limit)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 17;
    state_of_random ^= state_of_random << 5;
    return (state_of_random >> 8) % limit;
}

static volatile uint32_t *word_of(const one_t *block, uint32_t index)
{
    const uint32_t at = block->address + 4 * index;
    return (volatile uint32_t *)(block->code ? diram.alias - at : at);
}

static void fill(one_t *block, uint32_t address)
{
    block->address = address;
    block->code = address >= 0x400A0000 && address < 0x400C0000;
    block->words = hs_regions_usable_size(set, (void *)address) / 4;
    block->seed = state_of_random;
    for (uint32_t i = 0; i < block->words; i++) {
        *word_of(block, i) = block->seed + i;
    }
}

static bool is_filled(const one_t *block, uint32_t words)
{
    uint32_t i = 0;
    while (i < words && *word_of(block, i) == block->seed + i) {
        i++;
    }
    return i == words;
}

static bool is_zero(const one_t *block, uint32_t words)
{
    uint32_t i = 0;
    while (i < words && *word_of(block, i) == 0) {
        i++;
    }
    return i == words;
}

static bool step(one_t *block)
{
    static const uint32_t wishes[] = {HS_CAP_IRAM_8BIT, HS_CAP_32BIT, HS_CAP_IRAM_8BIT,
                                      HS_CAP_DEFAULT,   HS_CAP_EXEC,  HS_CAP_DMA | HS_CAP_EXEC};
    const uint32_t caps = wishes[below(sizeof wishes / sizeof wishes[0])];
    const uint32_t size = 1 + (below(8) == 0 ? below(2000) : below(90));
    const uint32_t choice = below(4);
    running = below(ROWS_MAX);
    if (block->address == 0) {
        one_t built = {0};
        void *const given = choice == 0 ? hs_regions_calloc(set, 1, size, caps)
                            : choice == 1
                                ? hs_regions_aligned_alloc(set, 4u << below(6), size, 0, caps)
                                : hs_regions_malloc(set, size, caps);
        if (given == NULL) {
            return true;
        }
        built.address = (uint32_t)given;
        built.code = built.address >= 0x400A0000 && built.address < 0x400C0000;
        if (choice == 0 && !is_zero(&built, size / 4)) {
            return false;
        }
        fill(block, built.address);
        return true;
    }
    if (!is_filled(block, block->words)) {
        return false;
    }
    if (choice < 2) {
        void *const moved = hs_regions_realloc(set, (void *)block->address, size, caps);
        if (moved == NULL) {
            return true;
        }
        const uint32_t had = block->words;
        block->address = (uint32_t)moved;
        block->code = block->address >= 0x400A0000 && block->address < 0x400C0000;
        if (!is_filled(block, had < size / 4 ? had : size / 4)) {
            return false;
        }
        fill(block, block->address);
        return true;
    }
    void *const address = (void *)block->address;
    block->address = 0;
    return hs_regions_free(set, address) == HS_OK;
}

static bool count_one(void *context, uint32_t region, void *block, size_t size, bool used,
                      hs_tag_t tag)
{
    uint32_t *const blocks_seen = context;
    (void)region;
    (void)block;
    (void)size;
    (void)tag;
    *blocks_seen += used;
    return true;
}

/* A digest of all addresses that were given; 0: something was not as it should be. */
uint32_t esp32_run(uint32_t seed, uint32_t steps)
{
    uint32_t digest = UINT32_C(0x811C9DC5);
    state_of_random = seed * 2 + 1;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        blocks[i].address = 0;
    }
    for (uint32_t i = 0; i < steps; i++) {
        one_t *const block = &blocks[below(BLOCKS)];
        if (!step(block)) {
            return 0;
        }
        digest = (digest ^ block->address) * UINT32_C(0x01000193);
    }
    uint32_t seen = 0;
    uint32_t held = 0;
    hs_heap_info_t info;
    hs_regions_walk(set, 0, count_one, &seen);
    hs_regions_info(set, 0, &info);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        held += blocks[i].address != 0;
    }
    if (hs_regions_check(set, 0) != HS_OK || seen != held || info.used_blocks != held ||
        !hs_regions_fits(set, 100, 8, HS_CAP_IRAM_8BIT)) {
        return 0;
    }
    digest = (digest ^ hs_regions_largest_allocatable(set, HS_CAP_IRAM_8BIT)) * 0x01000193;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (blocks[i].address != 0 && hs_regions_free(set, (void *)blocks[i].address) != HS_OK) {
            return 0;
        }
    }
    hs_regions_info(set, 0, &info);
    return info.used_blocks == 0 ? digest : 0;
}
