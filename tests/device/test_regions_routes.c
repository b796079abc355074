/*
 * Which region serves which request: priorities, the order of the table, fall-back, lists of
 * preferences, rules by size, start-up stacks, low-water marks.
 */
#include "chip.h"

#define KB 1024u

/* A request takes its memory from region `index`; CHIP_REGIONS: from none. */
static void *expect(chip_t *chip, size_t size, uint32_t caps, uint32_t index)
{
    void *block = hs_regions_malloc(chip->set, size, caps);
    const uint32_t at = block == NULL ? CHIP_REGIONS : chip_where(chip, block);
    CHECK(at == index, "%zu bytes with %#x came from %u, not %u", size, (unsigned)caps,
          (unsigned)at, (unsigned)index);
    return block;
}

static void give(chip_t *chip, void *block)
{
    CHECK(hs_regions_free(chip->set, block) == HS_OK, "%p", block);
}

static void test_priorities(void)
{
    chip_t chip;
    chip_open_esp32(&chip);
    chip_start(&chip);
    /* By the first priority at which a region has one of the capabilities, then by the table. */
    give(&chip, expect(&chip, 100, HS_CAP_8BIT, 0));
    give(&chip, expect(&chip, 100, HS_CAP_DEFAULT, 0));
    give(&chip, expect(&chip, 4 * KB, HS_CAP_DEFAULT, 1));
    give(&chip, expect(&chip, 100, HS_CAP_DMA, 0));
    /* DRAM and D/IRAM have these two at priority 1, IRAM has the first at priority 0. */
    give(&chip, expect(&chip, 100, HS_CAP_INTERNAL, 3));
    give(&chip, expect(&chip, 100, HS_CAP_INTERNAL | HS_CAP_DMA, 0));
    give(&chip, expect(&chip, 100, HS_CAP_32BIT, 3));
    give(&chip, expect(&chip, 100, HS_CAP_IRAM_8BIT, 3));
    /* None has all of them; none is asked for. */
    expect(&chip, 100, HS_CAP_SPIRAM, CHIP_REGIONS);
    expect(&chip, 100, HS_CAP_IRAM_8BIT | HS_CAP_DMA, CHIP_REGIONS);
    expect(&chip, 100, 0, CHIP_REGIONS);
    CHECK(chip.failures == 3 && chip.failed_caps == 0 && chip.failed_size == 100, "%u",
          chip.failures);
    CHECK(!hs_regions_fits(chip.set, 100, 1, 0), "fits without a capability");
    CHECK(hs_regions_largest_allocatable(chip.set, 0) == 0, "largest without a capability");
    chip_close(&chip);
}

/* EXEC asks for 32BIT, too. */
static void test_code(void)
{
    static const hs_memory_t late = {.name = "late", .caps = {0, HS_CAP_EXEC | HS_CAP_32BIT, 0}};
    static const hs_memory_t early = {.name = "early", .caps = {HS_CAP_32BIT, 0, HS_CAP_EXEC}};
    static const hs_memory_t other = {.name = "other", .caps = {HS_CAP_EXEC | HS_CAP_8BIT, 0, 0}};
    chip_t chip;
    chip_open(&chip);
    chip_region(&chip, &other, 4 * KB, 0);
    chip_region(&chip, &late, 4 * KB, 0);
    chip_region(&chip, &early, 4 * KB, 0);
    chip_start(&chip);
    give(&chip, expect(&chip, 100, HS_CAP_EXEC, 2));
    void *block = expect(&chip, 101, HS_CAP_EXEC, 2);
    CHECK(hs_regions_usable_size(chip.set, block) % 4 == 0, "whole words");
    expect(&chip, 100, HS_CAP_EXEC | HS_CAP_8BIT, CHIP_REGIONS);
    chip_close(&chip);
}

static void test_falls_back(void)
{
    chip_t chip;
    chip_open_esp32(&chip);
    chip_start(&chip);
    uint32_t seen = 0;
    void *blocks[200];
    uint32_t count = 0;
    while (count < 200) {
        void *block = hs_regions_malloc(chip.set, 500, HS_CAP_DEFAULT);
        if (block == NULL) {
            break;
        }
        const uint32_t at = chip_where(&chip, block);
        CHECK(at >= seen && at <= seen + 1 && at < 3, "%u after %u", (unsigned)at, (unsigned)seen);
        seen = at;
        blocks[count++] = block;
    }
    CHECK(seen == 2 && chip.failures == 1, "%u, %u", (unsigned)seen, chip.failures);
    CHECK(hs_regions_malloc(chip.set, 500, HS_CAP_32BIT) != NULL, "IRAM");
    /* The first region is taken again as soon as it has room. */
    give(&chip, blocks[0]);
    CHECK(hs_regions_malloc(chip.set, 500, HS_CAP_DEFAULT) == blocks[0], "not where one was freed");
    /* Regions that were filled up and emptied serve the same number of blocks again. */
    for (uint32_t i = 0; i < count; i++) {
        give(&chip, blocks[i]);
    }
    uint32_t again = 0;
    while (hs_regions_malloc(chip.set, 500, HS_CAP_DEFAULT) != NULL) {
        again++;
    }
    CHECK(again == count, "%u blocks, then %u", (unsigned)count, (unsigned)again);
    chip_close(&chip);
}

/* RTC memory comes where its priorities and the table put it. */
static void test_rtc(bool first)
{
    chip_t chip;
    chip_open(&chip);
    chip_region(&chip, first ? &chip_rtc_first : &chip_rtc_last, 4 * KB, 0);
    chip_region(&chip, &chip_dram, 8 * KB, 0);
    chip_start(&chip);
    give(&chip, expect(&chip, 100, HS_CAP_DEFAULT, first ? 0 : 1));
    give(&chip, expect(&chip, 100, HS_CAP_DEFAULT | HS_CAP_INTERNAL, first ? 0 : 1));
    give(&chip, expect(&chip, 100, HS_CAP_DEFAULT | HS_CAP_DMA, 1));
    if (!first) {
        give(&chip, expect(&chip, 100, HS_CAP_RTCRAM, 0));
        while (chip_where(&chip, hs_regions_malloc(chip.set, 500, HS_CAP_DEFAULT)) == 1) {
        }
        CHECK(chip.failures == 0, "RTC memory was not used");
    }
    chip_close(&chip);
}

static void test_prefer(void)
{
    chip_t chip;
    chip_open_esp32(&chip);
    chip_region(&chip, &chip_spiram, 64 * KB, 0);
    chip_start(&chip);
    const uint32_t caps[] = {HS_CAP_SPIRAM, HS_CAP_DMA, HS_CAP_32BIT};
    void *block = hs_regions_malloc_prefer(chip.set, 60 * KB, caps, 3);
    CHECK(chip_where(&chip, block) == 4, "the first that is preferred");
    uint8_t *zero = hs_regions_calloc_prefer(chip.set, 3, 4 * KB, caps, 3);
    CHECK(chip_where(&chip, zero) == 1, "the second");
    for (uint32_t i = 0; i < 12 * KB; i++) {
        CHECK(zero[i] == 0, "byte %u", (unsigned)i);
    }
    CHECK(chip.failures == 0, "a fall-back counts as a failure");
    zero = hs_regions_realloc_prefer(chip.set, zero, 15 * KB, caps, 3);
    CHECK(chip_where(&chip, zero) == 1, "it stays where it can");
    CHECK(hs_regions_malloc_prefer(chip.set, 200 * KB, caps, 3) == NULL, "too large");
    CHECK(chip.failures == 1 && chip.failed_caps == HS_CAP_32BIT, "once, of the last");
    CHECK(hs_regions_malloc_prefer(chip.set, 100, caps, 0) == NULL, "none is preferred");
    CHECK(chip.failures == 2 && chip.failed_caps == 0, "%u", chip.failures);
    chip_close(&chip);
}

/* Small ones inside, large ones outside, and TLS records to byte-wise accessible IRAM. */
static const hs_size_rule_t rules[] = {
    {HS_CAP_DEFAULT, 4 * KB, 5 * KB, HS_CAP_IRAM_8BIT},
    {HS_CAP_DEFAULT, 1, 2 * KB, HS_CAP_DEFAULT | HS_CAP_INTERNAL},
    {HS_CAP_DEFAULT, 2 * KB + 1, 0, HS_CAP_DEFAULT | HS_CAP_SPIRAM},
};

static void test_rules(void)
{
    chip_t chip;
    chip_open(&chip);
    chip_region(&chip, &chip_dram, 8 * KB, 0);
    chip_region(&chip, &chip_iram, 16 * KB, 0);
    chip_region(&chip, &chip_spiram, 64 * KB, 0);
    chip.config.rules = rules;
    chip.config.rule_count = 3;
    chip_start(&chip);
    void *small = expect(&chip, 2 * KB, HS_CAP_DEFAULT, 0);
    void *large = expect(&chip, 2 * KB + 1, HS_CAP_DEFAULT, 2);
    void *record = expect(&chip, 5 * KB, HS_CAP_DEFAULT, 1);
    give(&chip, expect(&chip, 4 * KB - 1, HS_CAP_DEFAULT, 2));
    give(&chip, expect(&chip, 5 * KB + 1, HS_CAP_DEFAULT, 2));
    /* The other capabilities of a request still hold. */
    give(&chip, expect(&chip, 5 * KB, HS_CAP_DEFAULT | HS_CAP_DMA, 0));
    give(&chip, expect(&chip, 3 * KB, HS_CAP_DEFAULT | HS_CAP_INTERNAL, 0));
    give(&chip, expect(&chip, 3 * KB, HS_CAP_8BIT, 0));
    /* A realloc follows the size. */
    memset(small, 7, 2 * KB);
    small = hs_regions_realloc(chip.set, small, 3 * KB, HS_CAP_DEFAULT);
    CHECK(chip_where(&chip, small) == 2, "it grew beyond the limit");
    for (uint32_t i = 0; i < 2 * KB; i++) {
        CHECK(((uint8_t *)small)[i] == 7, "byte %u", (unsigned)i);
    }
    small = hs_regions_realloc(chip.set, small, 1 * KB, HS_CAP_DEFAULT);
    CHECK(chip_where(&chip, small) == 0 && *(uint8_t *)small == 7, "it shrank below");
    /* A rule that cannot be followed does not count as a failure. */
    while (hs_regions_malloc(chip.set, 512, HS_CAP_DEFAULT | HS_CAP_INTERNAL) != NULL) {
    }
    chip.failures = 0;
    give(&chip, expect(&chip, 2 * KB, HS_CAP_DEFAULT, 2));
    CHECK(chip.failures == 0, "%u", chip.failures);
    give(&chip, large);
    give(&chip, record);
    chip_close(&chip);
}

/* The largest request is one that a rule leads elsewhere, and no larger one. */
static void test_largest_by_rule(void)
{
    chip_t chip;
    chip_open(&chip);
    chip_region(&chip, &chip_dram, 3 * KB, 0);
    chip_region(&chip, &chip_iram, 16 * KB, 0);
    chip.config.rules = rules;
    chip.config.rule_count = 1;
    chip_start(&chip);
    CHECK(hs_regions_largest_allocatable(chip.set, HS_CAP_DEFAULT) == 5 * KB, "by the rule");
    CHECK(!hs_regions_fits(chip.set, 5 * KB + 1, 1, HS_CAP_DEFAULT), "one more byte");
    expect(&chip, 5 * KB + 1, HS_CAP_DEFAULT, CHIP_REGIONS);
    CHECK(!hs_regions_fits(chip.set, 4 * KB - 1, 1, HS_CAP_DEFAULT), "one less than it is for");
    while (hs_regions_malloc(chip.set, 1 * KB, HS_CAP_IRAM_8BIT) != NULL) {
    }
    const size_t largest = hs_regions_largest_allocatable(chip.set, HS_CAP_DEFAULT);
    CHECK(largest > 2 * KB && largest < 3 * KB, "%zu", largest);
    give(&chip, expect(&chip, largest, HS_CAP_DEFAULT, 0));
    chip_close(&chip);
}

static void test_startup_stacks(void)
{
    chip_t chip;
    chip_open(&chip);
    chip_region(&chip, &chip_dram, 8 * KB, 0)->startup_stack = true;
    chip_region(&chip, &chip_dram, 4 * KB, 0);
    uint8_t *saved = region_save(&chip.memory[0]);
    chip_start(&chip);
    const size_t before = hs_regions_free_size(chip.set, HS_CAP_DEFAULT);
    hs_region_state_t state;
    CHECK(hs_regions_state(chip.set, 0, &state) && state.guard->heap == NULL, "not yet");
    give(&chip, expect(&chip, 100, HS_CAP_DEFAULT, 1));
    expect(&chip, 6 * KB, HS_CAP_DEFAULT, CHIP_REGIONS);
    CHECK(hs_regions_total(chip.set, HS_CAP_DEFAULT) == 4 * KB, "total");
    CHECK(hs_regions_free(chip.set, chip.table[0].start) == HS_ERR_ARGUMENT, "in the stack");
    CHECK(region_same(&chip.memory[0], saved), "the stack was written to");
    free(saved);
    CHECK(hs_regions_enable_startup_stacks(chip.set) == HS_OK, "enable");
    CHECK(hs_regions_enable_startup_stacks(chip.set) == HS_ERR_ARGUMENT, "for the second time");
    CHECK(hs_regions_free_size(chip.set, HS_CAP_DEFAULT) > before + 7 * KB, "free");
    give(&chip, expect(&chip, 100, HS_CAP_DEFAULT, 0)); /* in its place in the table */
    give(&chip, expect(&chip, 6 * KB, HS_CAP_DEFAULT, 0));
    CHECK(hs_regions_state(chip.set, 0, &state) && state.guard->heap != NULL, "now");
    CHECK(!hs_regions_state(chip.set, 2, &state), "there are two");
    chip_close(&chip);
}

static void test_monitor(void)
{
    chip_t chip;
    chip_open(&chip);
    chip_region(&chip, &chip_dram, 8 * KB, 0);
    chip_region(&chip, chip_reversed(&chip), 8 * KB, 0)->startup_stack = true;
    chip_region(&chip, &chip_iram, 8 * KB, 0);
    chip_start(&chip);
    hs_regions_t *set = chip.set;
    const size_t all = hs_regions_minimum_free(set, HS_CAP_8BIT);
    CHECK(all == hs_regions_free_size(set, HS_CAP_8BIT), "untouched");
    give(&chip, hs_regions_malloc(set, 4 * KB, HS_CAP_8BIT));
    const size_t low = hs_regions_minimum_free(set, HS_CAP_8BIT);
    CHECK(low <= all - 4 * KB && low > all - 5 * KB, "%zu of %zu", low, all);
    CHECK(hs_regions_monitor_stop(set) == HS_ERR_ARGUMENT, "stop without start");
    CHECK(hs_regions_monitor_start(set) == HS_OK, "start");
    CHECK(hs_regions_minimum_free(set, HS_CAP_8BIT) == all, "from here on");
    void *kept = hs_regions_malloc(set, 1 * KB, HS_CAP_8BIT);
    CHECK(hs_regions_monitor_start(set) == HS_OK, "a second start");
    give(&chip, kept);
    CHECK(hs_regions_minimum_free(set, HS_CAP_8BIT) <= all - 1 * KB, "a second start is none");
    CHECK(hs_regions_enable_startup_stacks(set) == HS_OK, "meanwhile");
    give(&chip, hs_regions_malloc(set, 2 * KB, HS_CAP_8BIT)); /* not as low as before the start */
    give(&chip, hs_regions_malloc(set, 2 * KB, HS_CAP_32BIT));
    CHECK(hs_regions_monitor_stop(set) == HS_OK, "stop");
    hs_region_state_t state;
    CHECK(hs_regions_state(set, 0, &state), "region 0");
    CHECK(hs_heap_minimum_free(state.guard->heap) == low, "%zu, of all time %zu",
          hs_heap_minimum_free(state.guard->heap), low);
    CHECK(hs_regions_state(set, 1, &state), "region 1");
    CHECK(hs_heap_minimum_free(state.guard->heap) == hs_heap_free_size(state.guard->heap),
          "a region that came in between");
    CHECK(hs_regions_state(set, 2, &state), "region 2");
    CHECK(hs_heap_minimum_free(state.guard->heap) <
              hs_heap_free_size(state.guard->heap) - 2 * KB + 1,
          "what was lower in between remains");
    CHECK(hs_regions_monitor_stop(set) == HS_ERR_ARGUMENT, "stop twice");
    chip_close(&chip);
}

int main(void)
{
    test_priorities();
    test_code();
    test_falls_back();
    test_rtc(true);
    test_rtc(false);
    test_prefer();
    test_rules();
    test_largest_by_rule();
    test_startup_stacks();
    test_monitor();
    return 0;
}
