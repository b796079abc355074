/* Regions that are added at run time: which may be, their place in the order, and in the figures. */
#include "chip.h"

#define KB 1024u

/* By hand: the region that there is lies from 100 to 200. */
static const struct {
    uintptr_t start, end;
    bool allowed;
} cases[] = {
    {10, 20, true},    /* before */
    {10, 99, true},    /*  */
    {10, 100, true},   /* touches its start */
    {10, 101, false},  /* over its start */
    {99, 100, true},   /*  */
    {99, 199, false},  /*  */
    {99, 200, false},  /* around, up to its end */
    {99, 201, false},  /* around */
    {100, 101, true},  /* inside, from its start */
    {100, 199, true},  /*  */
    {100, 200, false}, /* the same */
    {100, 201, false}, /* around, from its start */
    {101, 199, true},  /* inside */
    {101, 200, true},  /* inside, up to its end */
    {101, 201, false}, /* over its end */
    {199, 200, true},  /*  */
    {199, 201, false}, /*  */
    {200, 201, true},  /* touches its end */
    {200, 300, true},  /*  */
    {201, 300, true},  /* behind */
};

static void test_overlaps(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(hs_regions_may_add(100, 200, cases[i].start, cases[i].end) == cases[i].allowed,
              "%zu to %zu", (size_t)cases[i].start, (size_t)cases[i].end);
    }
    /* The same on a set, in units of 40 bytes. */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool beside = cases[i].end <= 100 || cases[i].start >= 200;
        region_t all = region_open(300 * 40, 0);
        const hs_region_t table = {.memory = &chip_dram, .start = all.memory + 4000, .size = 4000};
        hs_regions_t *set = hs_regions_create(&table, 1, NULL, NULL, 0);
        CHECK(set != NULL, "no set");
        const hs_region_t more = {
            .memory = &chip_dram,
            .start = all.memory + cases[i].start * 40,
            .size = (cases[i].end - cases[i].start) * 40,
        };
        const bool room = more.size >= 400;
        const hs_status_t status = hs_regions_add(set, &more);
        /* Inside it is refused as long as no block is there for it. */
        const hs_status_t expected = !beside ? HS_ERR_ARGUMENT : room ? HS_OK : HS_ERR_MEMORY;
        CHECK(status == expected, "%zu to %zu: %d", (size_t)cases[i].start, (size_t)cases[i].end,
              (int)status);
        CHECK(hs_regions_check(set, 0) == HS_OK, "damaged");
        hs_heap_info_t info;
        hs_regions_info(set, 0, &info);
        CHECK(info.used_blocks == (status == HS_OK), "a record is left over");
        region_close(&all);
    }
}

static void test_order(void)
{
    chip_t chip;
    chip_open(&chip);
    chip_region(&chip, &chip_dram, 8 * KB, 0);
    chip_region(&chip, &chip_dram, 8 * KB, 0);
    chip_start(&chip);
    hs_regions_t *set = chip.set;
    const size_t minimum = hs_regions_minimum_free(set, HS_CAP_8BIT);
    const size_t free = hs_regions_free_size(set, HS_CAP_8BIT);
    hs_region_t *late = chip_region(&chip, &chip_dram, 4 * KB, 1);
    late->late = true;
    hs_memory_t memory = chip_spiram;
    hs_region_t *external = chip_region(&chip, &memory, 16 * KB, 3);
    CHECK(hs_regions_add(set, late) == HS_OK, "late");
    CHECK(hs_regions_minimum_free(set, HS_CAP_8BIT) < minimum, "only the record was taken");
    CHECK(hs_regions_minimum_free(set, HS_CAP_8BIT) > minimum - 200, "and it is small");
    CHECK(hs_regions_free_size(set, HS_CAP_8BIT) > free + 3 * KB, "free");
    void *block = hs_regions_malloc(set, 100, HS_CAP_8BIT);
    CHECK(chip_where(&chip, block) == 2, "the newest comes first");
    const size_t low = hs_regions_minimum_free(set, HS_CAP_8BIT);
    CHECK(hs_regions_add(set, external) == HS_OK, "external");
    memory = (hs_memory_t){.name = "gone"}; /* it was copied */
    CHECK(hs_regions_minimum_free(set, HS_CAP_8BIT) > low + 15 * KB, "that counts");
    void *other = hs_regions_malloc(set, 100, HS_CAP_DEFAULT);
    CHECK(chip_where(&chip, other) == 3, "external memory before all others of its priority");
    CHECK(chip_where(&chip, hs_regions_malloc(set, 100, HS_CAP_8BIT)) == 2, "but not of a higher");
    CHECK(chip_where(&chip, hs_regions_malloc(set, 100, HS_CAP_INTERNAL)) == 2, "or another kind");
    hs_region_state_t state;
    CHECK(hs_regions_state(set, 3, &state) && state.start == external->start, "the index is last");
    CHECK(strcmp(state.name, "SPIRAM") == 0 && state.kind == 2, "%s", state.name);
    CHECK(hs_regions_state(set, 1, &state) && state.start == chip.table[1].start, "table");
    CHECK(!hs_regions_state(set, 4, &state), "there are four");
    CHECK(hs_regions_free(set, other) == HS_OK && hs_regions_free(set, block) == HS_OK, "free");
    chip_close(&chip);
}

/* A pool that is set aside out of a region, with capabilities of its own. */
static void test_inside(void)
{
    chip_t chip;
    chip_open(&chip);
    chip_region(&chip, &chip_dram, 8 * KB, 0);
    chip_region(&chip, chip_reversed(&chip), 8 * KB, 0)->startup_stack = true;
    chip_start(&chip);
    hs_regions_t *set = chip.set;
    static const hs_memory_t reserved = {
        .name = "reserved", .caps = {0, HS_CAP_DMA | HS_CAP_INTERNAL, HS_CAP_8BIT | HS_CAP_32BIT}};
    uint8_t *pool = hs_regions_malloc(set, 4 * KB, HS_CAP_DMA);
    hs_region_t region = {.memory = &reserved, .start = pool + 8, .size = 4 * KB - 8};
    region.size += 8;
    CHECK(hs_regions_usable_size(set, pool) < 4 * KB + 8, "a block of just that size");
    CHECK(hs_regions_add(set, &region) == HS_ERR_ARGUMENT, "beyond the end of its block");
    region.size = 4 * KB - 8;
    CHECK(hs_regions_add(set, &region) == HS_OK, "in its block");
    uint8_t *block = hs_regions_malloc(set, 100, HS_CAP_DMA);
    CHECK(block > pool && block < pool + 4 * KB, "%p not in %p", (void *)block, (void *)pool);
    CHECK(hs_regions_usable_size(set, block) >= 100, "it is found in there");
    CHECK(hs_regions_containing_block(set, block + 50) == block, "and so is its inside");
    uint8_t *rest = hs_regions_malloc(set, 100, HS_CAP_DEFAULT);
    CHECK(rest < pool || rest >= pool + 4 * KB, "no memory for those who do not ask for it");
    /* Again inside, in a block of the inner one. */
    uint8_t *inner = hs_regions_malloc(set, 1 * KB, HS_CAP_DMA);
    region = (hs_region_t){.memory = &chip_rtc_last, .start = inner, .size = 1 * KB};
    CHECK(hs_regions_add(set, &region) == HS_OK, "third level");
    block = hs_regions_malloc(set, 100, HS_CAP_RTCRAM);
    CHECK(block >= inner && block < inner + 1 * KB, "in the innermost");
    CHECK(hs_regions_free(set, inner) == HS_ERR_ARGUMENT, "its memory is in use");
    CHECK(hs_regions_free(set, block) == HS_OK, "in the innermost");
    region = (hs_region_t){.memory = &chip_rtc_last, .start = pool + 8, .size = 4 * KB - 8};
    CHECK(hs_regions_add(set, &region) == HS_ERR_ARGUMENT, "twice");
    region.start = (uint8_t *)chip.table[1].start + 8;
    region.size = 1 * KB;
    CHECK(hs_regions_add(set, &region) == HS_ERR_ARGUMENT, "in a stack that is in use");
    CHECK(hs_regions_check(set, 0) == HS_OK, "damaged");
    chip_close(&chip);
}

/* A region may lie in a block's payload, but not over the canary that a guard keeps before it. */
static void test_inside_of_guarded(void)
{
    static const hs_guard_config_t guard = {.level = HS_GUARD_CANARIES, .alignment = 4};
    static const hs_regions_config_t config = {.guard = &guard};
    region_t memory = region_open(8 * KB, 0);
    hs_region_t region = {.memory = &chip_dram, .start = memory.memory, .size = 8 * KB};
    hs_regions_t *set = hs_regions_create(&region, 1, &config, NULL, 0);
    uint8_t *block = hs_regions_malloc(set, 2 * KB, HS_CAP_DMA);
    CHECK(block != NULL, "no block");
    region = (hs_region_t){.memory = &chip_rtc_last, .start = block - 4, .size = 1 * KB};
    CHECK(hs_regions_add(set, &region) == HS_ERR_ARGUMENT, "over the canary");
    region.start = block;
    CHECK(hs_regions_add(set, &region) == HS_OK, "in its block");
    CHECK(hs_regions_malloc(set, 100, HS_CAP_RTCRAM) != NULL, "it serves");
    CHECK(hs_regions_check(set, 0) == HS_OK, "damaged");
    region_close(&memory);
}

static void test_limits(void)
{
    region_t all = region_open(40 * 512, 0);
    region_t first = region_open(16 * KB, 0);
    hs_region_t region = {.memory = &chip_dram, .start = first.memory, .size = 16 * KB};
    hs_regions_t *set = hs_regions_create(&region, 1, NULL, NULL, 0);
    CHECK(set != NULL, "no set");
    for (uint32_t i = 1; i < HS_REGIONS_MAX; i++) {
        region = (hs_region_t){.memory = &chip_spiram, .start = all.memory + i * 512, .size = 512};
        CHECK(hs_regions_add(set, &region) == HS_OK, "region %u", (unsigned)i);
    }
    region.start = all.memory;
    CHECK(hs_regions_add(set, &region) == HS_ERR_MEMORY, "one too many");
    uint32_t blocks = 0;
    while (hs_regions_malloc(set, 256, HS_CAP_SPIRAM) != NULL) {
        blocks++;
    }
    CHECK(blocks == HS_REGIONS_MAX - 1, "%u blocks", (unsigned)blocks);
    region_close(&all);
    region_close(&first);

    /* No region to speak of. */
    first = region_open(1 * KB, 0);
    region = (hs_region_t){.memory = &chip_dram, .start = first.memory, .size = 1 * KB};
    set = hs_regions_create(&region, 1, NULL, NULL, 0);
    hs_region_t wrong = {.memory = &chip_dram, .start = (void *)(UINTPTR_MAX - 99), .size = 100};
    CHECK(hs_regions_add(set, &wrong) == HS_ERR_ARGUMENT, "wraps round");
    wrong = (hs_region_t){.memory = &chip_dram, .start = NULL, .size = 100};
    CHECK(hs_regions_add(set, &wrong) == HS_ERR_ARGUMENT, "NULL");
    wrong = (hs_region_t){.memory = NULL, .start = &wrong, .size = 100};
    CHECK(hs_regions_add(set, &wrong) == HS_ERR_ARGUMENT, "no memory");
    while (hs_regions_malloc(set, 8, HS_CAP_8BIT) != NULL) {
    }
    all = region_open(4 * KB, 0);
    wrong = (hs_region_t){.memory = &chip_dram, .start = all.memory, .size = 4 * KB};
    CHECK(hs_regions_add(set, &wrong) == HS_ERR_MEMORY, "no room for its record");
    region_close(&all);
    region_close(&first);
}

int main(void)
{
    test_overlaps();
    test_order();
    test_inside();
    test_inside_of_guarded();
    test_limits();
    return 0;
}
