/* Refused sizes, alignments, tables and configurations; and those that are taken at the limits. */
#include "chip.h"

#define KB 1024u

static void test_sizes(void)
{
    chip_t chip;
    chip_open_esp32(&chip);
    chip_start(&chip);
    hs_regions_t *set = chip.set;
    const uint32_t caps = HS_CAP_DEFAULT;
    CHECK(hs_regions_malloc(set, 0, caps) == NULL, "0 bytes");
    CHECK(hs_regions_calloc(set, 0, 8, caps) == NULL, "0 elements");
    CHECK(hs_regions_calloc(set, 8, 0, caps) == NULL, "elements of 0 bytes");
    CHECK(hs_regions_realloc(set, NULL, 0, caps) == NULL, "NULL to 0 bytes");
    CHECK(hs_regions_malloc(set, 0, 0) == NULL, "nothing of nothing");
    CHECK(hs_regions_free(set, NULL) == HS_OK, "NULL");
    void *block = hs_regions_realloc(set, NULL, 10, caps);
    CHECK(block != NULL && hs_regions_realloc(set, block, 0, caps) == NULL, "to 0 bytes");
    CHECK(hs_regions_usable_size(set, block) == 0, "and freed");
    CHECK(hs_regions_aligned_alloc(set, 0, 8, 0, caps) == NULL, "alignment 0");
    CHECK(hs_regions_aligned_alloc(set, 24, 8, 0, caps) == NULL, "alignment 24");
    CHECK(hs_regions_aligned_alloc(set, 2 * HS_ALIGNMENT_MAX, 8, 0, caps) == NULL, "too much");
    CHECK(hs_regions_aligned_alloc(set, 64, 8, 16, caps) == NULL, "offset");
    CHECK(chip.failures == 0, "these are not failures: %u", chip.failures);
    CHECK(hs_regions_malloc(set, SIZE_MAX, caps) == NULL && chip.failures == 1, "SIZE_MAX");
    CHECK(hs_regions_malloc(set, SIZE_MAX - 3, HS_CAP_32BIT) == NULL && chip.failures == 2, "32");
    CHECK(hs_regions_calloc(set, SIZE_MAX / 2, 3, caps) == NULL && chip.failures == 3, "overflow");
    CHECK(chip.failed_size == SIZE_MAX, "%zu", chip.failed_size);
    CHECK(hs_regions_calloc(set, SIZE_MAX / 4 + 2, 4, caps) == NULL && chip.failures == 4, "4");
    block = hs_regions_malloc(set, 10, caps);
    CHECK(hs_regions_realloc(set, block, SIZE_MAX, caps) == NULL && chip.failures == 5, "realloc");
    CHECK(hs_regions_usable_size(set, block) >= 10, "the block is untouched");
    for (size_t alignment = 1; alignment <= 2048; alignment *= 2) {
        uint8_t *at = hs_regions_aligned_calloc(set, alignment, 3, 41, caps);
        CHECK(at != NULL && (uintptr_t)at % alignment == 0, "alignment %zu", alignment);
        for (uint32_t i = 0; i < 123; i++) {
            CHECK(at[i] == 0, "byte %u", (unsigned)i);
        }
        memset(at, 0xAA, 123);
        CHECK(hs_regions_free(set, at) == HS_OK, "%p", (void *)at);
    }
    chip_close(&chip);
}

/* Nothing but what is documented makes a set. */
static void test_create(void)
{
    chip_t chip;
    chip_open_esp32(&chip);
    hs_region_t *table = chip.table;
    const uint32_t n = chip.count;
    CHECK(hs_regions_create(table, 0, NULL, NULL, 0) == NULL, "no region");
    CHECK(hs_regions_create(NULL, n, NULL, NULL, 0) == NULL, "no table");
    CHECK(hs_regions_create(table, HS_REGIONS_MAX + 1, NULL, NULL, 0) == NULL, "too many");
    CHECK(hs_regions_create(table + 3, 1, NULL, NULL, 0) == NULL, "no 8BIT memory");
    const hs_region_t saved = table[1];
    table[1].start = (uint8_t *)table[0].start + 2 * KB - 1;
    CHECK(hs_regions_create(table, n, NULL, NULL, 0) == NULL, "they overlap by a byte");
    table[1] = saved;
    table[1].size = SIZE_MAX - 7;
    CHECK(hs_regions_create(table, n, NULL, NULL, 0) == NULL, "wraps round");
    table[1] = saved;
    table[1].size = 0;
    CHECK(hs_regions_create(table, n, NULL, NULL, 0) == NULL, "empty");
    table[1] = saved;
    hs_memory_t memory = chip_dram;
    memory.kind = HS_KINDS_MAX;
    table[1].memory = &memory;
    CHECK(hs_regions_create(table, n, NULL, NULL, 0) == NULL, "kind");
    table[1] = saved;
    hs_regions_config_t config = {.alignment = 7};
    CHECK(hs_regions_create(table, n, &config, NULL, 0) == NULL, "alignment");
    config = (hs_regions_config_t){.rule_count = 1};
    CHECK(hs_regions_create(table, n, &config, NULL, 0) == NULL, "no rules");
    config = (hs_regions_config_t){.lock = chip_lock};
    CHECK(hs_regions_create(table, n, &config, NULL, 0) == NULL, "a lock that is never given back");
    config = (hs_regions_config_t){.unlock = chip_unlock};
    CHECK(hs_regions_create(table, n, &config, NULL, 0) == NULL, "a lock that is never taken");
    const hs_guard_config_t guard = {.level = HS_GUARD_LINKS};
    config = (hs_regions_config_t){.owners = chip_owners(&chip), .guard = &guard};
    CHECK(hs_regions_create(table, n, &config, NULL, 0) == NULL, "owners without their bytes");
    uint64_t memory_of[64];
    const size_t needed = hs_regions_control(n);
    CHECK(needed < sizeof memory_of - 8, "%zu", needed);
    uint8_t *odd = (uint8_t *)memory_of + 1;
    CHECK(hs_regions_create(table, n, NULL, odd, needed) == NULL, "its memory is too small");
    hs_regions_t *set = hs_regions_create(table, n, NULL, odd, needed + 7);
    CHECK(set != NULL && hs_regions_malloc(set, 10, HS_CAP_DMA) != NULL, "memory of its own");
    CHECK((uint8_t *)set < (uint8_t *)memory_of + 16, "and it is used");
    /* Where the first region has no room, the next is asked; too small a one is left alone. */
    table[0].size = 20;
    set = hs_regions_create(table, n, NULL, NULL, 0);
    CHECK((void *)set == table[1].start, "in the second");
    hs_region_state_t state;
    CHECK(hs_regions_state(set, 0, &state) && state.guard->heap == NULL, "20 bytes");
    CHECK(hs_regions_enable_startup_stacks(set) == HS_OK && state.guard->heap == NULL, "still");
    /* Room for the control data and for no heap behind them. */
    table[0].size = hs_regions_control(n) + 24;
    set = hs_regions_create(table, n, NULL, NULL, 0);
    CHECK((void *)set == table[0].start, "in the first");
    CHECK(hs_regions_enable_startup_stacks(set) == HS_OK, "enable");
    CHECK(hs_regions_state(set, 0, &state) && state.guard->heap == NULL, "no heap on the set");
    CHECK(hs_regions_malloc(set, 10, HS_CAP_DMA) != NULL, "the others serve");
    chip_close(&chip);
}

int main(void)
{
    test_sizes();
    test_create();
    return 0;
}
