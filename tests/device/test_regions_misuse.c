/*
 * Addresses that no call gave, at every place in and around all regions and by both buses; and a set
 * whose blocks were written over. Nothing changes, nothing is read outside, and the fault is reported.
 */
#include "chip.h"

#define KB 1024u

static chip_t chip;
static unsigned reports;
static hs_fault_t last;

static void on_fault(void *context, const hs_fault_t *fault)
{
    (void)context;
    reports++;
    last = *fault;
}

static const hs_guard_config_t quiet = {.owners = true, .report = on_fault};
static const hs_guard_config_t canaries = {
    .level = HS_GUARD_CANARIES, .owners = true, .report = on_fault};

static void open_chip(const hs_guard_config_t *guard)
{
    chip_open(&chip);
    chip.config.guard = guard;
    chip_owners(&chip);
    chip_region(&chip, &chip_dram, 1 * KB + 512, 0);
    chip_region(&chip, chip_reversed(&chip), 1 * KB, 0);
    chip_region(&chip, &chip_iram, 1 * KB, 0);
    chip_start(&chip);
    reports = 0;
}

/* All memory and the owners, to be compared. */
static uint64_t state_of_all(void)
{
    uint64_t sum = 14695981039346656037u;
    for (uint32_t i = 0; i < chip.total; i++) {
        for (size_t at = 0; at < chip.memory[i].size; at++) {
            sum = (sum ^ chip.memory[i].memory[at]) * 1099511628211u;
        }
    }
    const uint8_t *owners = (const uint8_t *)chip.owners_memory;
    for (size_t at = 0; at < sizeof chip.owners_memory; at++) {
        sum = (sum ^ owners[at]) * 1099511628211u;
    }
    return sum;
}

static bool was_given(void *const *given, uint32_t count, const void *address)
{
    for (uint32_t i = 0; i < count; i++) {
        if (given[i] == address) {
            return true;
        }
    }
    return false;
}

static void refuse(void *address)
{
    hs_regions_t *set = chip.set;
    const unsigned before = reports;
    CHECK(hs_regions_free(set, address) == HS_ERR_ARGUMENT, "free of %p", address);
    CHECK(reports == before + 1 && last.kind == HS_FAULT_NOT_A_BLOCK && last.at == address,
          "no report of %p, but %u of %p", address, reports - before, last.at);
    CHECK(hs_regions_realloc(set, address, 50, HS_CAP_8BIT) == NULL, "realloc of %p", address);
    CHECK(reports == before + 2, "no report of %p", address);
    CHECK(hs_regions_realloc(set, address, 50, HS_CAP_IRAM_8BIT) == NULL, "realloc of %p", address);
    CHECK(hs_regions_realloc(set, address, 0, HS_CAP_8BIT) == NULL, "realloc of %p", address);
    CHECK(hs_regions_usable_size(set, address) == 0, "size of %p", address);
    CHECK(hs_regions_full_size(set, address) == 0, "full size of %p", address);
}

static void test_addresses(const hs_guard_config_t *guard)
{
    open_chip(guard);
    static const uint32_t wishes[] = {HS_CAP_DMA, HS_CAP_IRAM_8BIT, HS_CAP_EXEC};
    void *given[90];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 45; i++) {
        void *block = hs_regions_malloc(chip.set, 1 + i % 40, wishes[i % 3]);
        if (block == NULL) {
            continue;
        }
        given[count++] = block;
        if (chip_where(&chip, block) == CHIP_REGIONS) { /* by the data bus, too */
            given[count++] = hs_regions_containing_block(chip.set, block);
        }
    }
    CHECK(count > 40, "%u", (unsigned)count);
    chip.failures = 0;
    const uint64_t before = state_of_all();
    for (uint32_t i = 0; i < chip.total; i++) {
        uint8_t *start = chip.table[i].start;
        for (uint8_t *at = start - 20; at < start + chip.table[i].size + 20; at++) {
            if (!was_given(given, count, at)) {
                refuse(at);
            }
            if (i == 1) {
                void *alias = (void *)(chip.diram.alias - (uintptr_t)at);
                if (!was_given(given, count, alias)) {
                    refuse(alias);
                }
            }
        }
    }
    int local = 0;
    refuse(&local);
    refuse((void *)8);
    refuse((void *)(UINTPTR_MAX - 7));
    CHECK(state_of_all() == before, "misuse changed something");
    CHECK(chip.failures == 0, "misuse is counted as a want of memory");
    CHECK(hs_regions_containing_block(chip.set, NULL) == NULL, "NULL");
    CHECK(hs_regions_usable_size(chip.set, NULL) == 0, "NULL");
    chip_close(&chip);
}

/* A block that was written over stays, whoever frees it or wants it elsewhere. */
static void test_written_over(void)
{
    open_chip(&canaries);
    hs_regions_t *set = chip.set;
    chip.task = &reports;
    uint8_t *block = hs_regions_malloc(set, 21, HS_CAP_DMA);
    const uint32_t row = hs_owners_row(chip.config.owners, &reports);
    const hs_holding_t *held = &hs_owners_get(chip.config.owners, row)->holding[0];
    const size_t free = hs_regions_free_size(set, 0);
    block[21] ^= 1;
    CHECK(hs_regions_check(set, 0) == HS_ERR_CORRUPT && reports != 0, "check");
    reports = 0;
    CHECK(hs_regions_realloc(set, block, 100, HS_CAP_IRAM_8BIT) == NULL && reports == 1,
          "to other memory: %u", reports);
    CHECK(last.kind == HS_FAULT_TAIL && last.block == block, "%d", (int)last.kind);
    CHECK(hs_regions_free_size(set, 0) == free, "the new block is left over");
    CHECK(hs_regions_realloc(set, block, 100, HS_CAP_DMA) == NULL && reports >= 2, "in place");
    CHECK(hs_regions_free(set, block) == HS_ERR_CORRUPT, "free");
    CHECK(held->blocks == 1 && held->bytes == 21 && hs_regions_free_size(set, 0) == free,
          "it is still there");
    block[21] ^= 1;
    CHECK(hs_regions_free(set, block) == HS_OK && held->blocks == 0, "repaired");
    CHECK(hs_regions_check(set, 0) == HS_OK, "check");
    chip_close(&chip);
}

int main(void)
{
    test_addresses(&quiet);
    test_addresses(&canaries);
    test_written_over();
    return 0;
}
