/* The choice of a region: priorities, list order, capability rules, realloc between regions. */
#include "../models/check.h"
#include "chip/setup.h"
#include "layout_for_tests.h"

static void open_regions(hs_chip_t *chip, const char *allocator)
{
    hs_lab_region_t list[REGIONS];
    const hs_lab_config_t config = config_like_esp32(list, allocator);
    uint32_t where, kinds;
    uint64_t unplaced;
    CHECK(hs_chip_init(chip, &config, &where, &kinds, &unplaced) == HS_OK, "init");
    CHECK(kinds == KINDS && unplaced == 0, "kinds %u", kinds);
}

static uint32_t region_for(hs_chip_t *chip, uint32_t size, uint32_t caps)
{
    const hs_request_t request = {.size = size, .caps = caps};
    hs_place_t place = {.region = UINT32_MAX};
    const bool fits = hs_chip_fits(chip, &request);
    const bool done = hs_chip_allocate(chip, &request, &place);
    CHECK(fits == done, "fits agrees with the allocation of %u for %#x", size, caps);
    return done ? place.region : UINT32_MAX;
}

static void each_capability_set_goes_to_its_first_region(void)
{
    static const struct {
        uint32_t caps, region;
    } rows[] = {
        {0, 0},
        {DEFAULT, 0},
        {BYTE, 0},
        {DMA, 0},
        {INTERNAL, 3},
        {WORD, 3},
        {EXEC, 3},
        {IRAM_BYTE, 3},
        {INTERNAL | BYTE, 0},
        {DMA | INTERNAL | BYTE, 0},
        {EXEC | BYTE, UINT32_MAX},
        {EXEC | DMA, UINT32_MAX},
        {0x400, UINT32_MAX},
        {EXEC | DEFAULT, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hs_chip_t chip;
        open_regions(&chip, "idf-5.5");
        const uint32_t region = region_for(&chip, 16, rows[i].caps);
        CHECK(region == rows[i].region, "caps %#x went to %u", rows[i].caps, region);
        hs_chip_free(&chip);
    }
}

static void a_full_region_gives_way_to_the_next(void)
{
    hs_chip_t chip;
    open_regions(&chip, "idf-4.2");
    CHECK(region_for(&chip, 1500, 0) == 0, "first the small region");
    CHECK(region_for(&chip, 1500, 0) == 1, "then the main one");
    CHECK(region_for(&chip, 11000, 0) == UINT32_MAX, "none has 11000 left");
    CHECK(region_for(&chip, 10000, 0) == 1, "still the main one");
    CHECK(region_for(&chip, 4000, 0) == 2, "then D/IRAM");
    CHECK(region_for(&chip, 4000, 0) == UINT32_MAX, "never IRAM");
    CHECK(chip.refusals[0] != 0 && chip.refusals[3] == 0, "refusals are counted");
    hs_chip_free(&chip);
}

static void exec_from_the_aliased_region_takes_a_word_more(void)
{
    hs_chip_t chip;
    open_regions(&chip, "idf-4.2");
    const hs_request_t request = {.size = 61, .caps = EXEC | DEFAULT};
    hs_place_t place;
    CHECK(hs_chip_allocate(&chip, &request, &place) && place.exec, "alias");
    CHECK(hs_sim_usable(chip.region[2].heap, place.offset, false) == 68, "61 -> 64 + 4");
    hs_chip_free(&chip);
}

static void realloc_moves_to_another_region_when_its_own_is_full(void)
{
    hs_chip_t chip;
    open_regions(&chip, "idf-5.5");
    hs_request_t request = {.size = 1000};
    hs_place_t place;
    CHECK(hs_chip_allocate(&chip, &request, &place) && place.region == 0, "small region");
    request.size = 5000;
    CHECK(hs_chip_reallocate(&chip, &request, &place) && place.region == 1, "moved");
    CHECK(chip.region[0].heap->tally.used_blocks == 0, "the old block is free again");
    CHECK(chip.region[1].heap->steps.copied >= 1000, "its bytes were copied");
    request.size = 50000;
    const uint32_t offset = place.offset;
    CHECK(!hs_chip_reallocate(&chip, &request, &place) && place.offset == offset,
          "a failed realloc keeps the block");
    hs_chip_free(&chip);
}

static void malloc_threshold_and_fallback_are_followed(void)
{
    hs_chip_t chip;
    open_regions(&chip, "idf-5.5");
    const hs_malloc_rule_t rule = {64, DEFAULT | INTERNAL, IRAM_BYTE, DEFAULT};
    chip.malloc_rule = rule;
    hs_chip_plan(&chip);
    CHECK(region_for(&chip, 64, 0) == 0, "up to the threshold");
    CHECK(region_for(&chip, 65, 0) == 3, "above it");
    CHECK(region_for(&chip, 8000, 0) == 1, "fallback when the large set is full");
    hs_chip_free(&chip);
}

static void startup_use_is_one_block_and_carries_over(void)
{
    hs_lab_region_t list[REGIONS];
    hs_lab_config_t config = config_like_esp32(list, "idf-5.5");
    list[0].startup_use = 2000; /* more than its tables leave */
    list[1].startup_use = 100;
    hs_chip_t chip;
    uint32_t where, kinds;
    uint64_t unplaced;
    CHECK(hs_chip_init(&chip, &config, &where, &kinds, &unplaced) == HS_OK, "init");
    CHECK(unplaced == 0, "all placed");
    CHECK(chip.region[0].heap->tally.used_blocks == 1, "one block");
    CHECK(chip.region[0].startup + chip.region[1].startup >= 2100, "nothing is dropped");
    hs_chip_free(&chip);
    list[1].startup_use = 1u << 20;
    CHECK(hs_chip_init(&chip, &config, &where, &kinds, &unplaced) == HS_OK, "init");
    CHECK(unplaced > 1000000, "what no region can take is told: %llu",
          (unsigned long long)unplaced);
    hs_chip_free(&chip);
}

static void a_region_too_small_is_named_or_left_out(void)
{
    hs_lab_region_t list[REGIONS];
    hs_lab_config_t config = config_like_esp32(list, "idf-5.5");
    list[2].size = 16;
    hs_chip_t chip;
    uint32_t where, kinds;
    uint64_t unplaced;
    CHECK(hs_chip_init(&chip, &config, &where, &kinds, &unplaced) == HS_ERR_MEMORY, "named");
    CHECK(where == 2, "region %u", where);
    hs_chip_free(&chip);
    list[2].optional = 1;
    CHECK(hs_chip_init(&chip, &config, &where, &kinds, &unplaced) == HS_OK, "left out");
    CHECK(chip.region[2].heap == NULL && hs_chip_mask(&chip, DMA) == 3, "without heap");
    hs_chip_free(&chip);
}

int main(void)
{
    each_capability_set_goes_to_its_first_region();
    a_full_region_gives_way_to_the_next();
    exec_from_the_aliased_region_takes_a_word_more();
    realloc_moves_to_another_region_when_its_own_is_full();
    malloc_threshold_and_fallback_are_followed();
    startup_use_is_one_block_and_carries_over();
    a_region_too_small_is_named_or_left_out();
    return 0;
}
