/*
 * Addresses of the instruction bus: given for EXEC, freed by either address, resized; and contents
 * that move between memories of all kinds. Nothing reads or writes at an alias address: such memory
 * is not there.
 */
#include "chip.h"

#define KB 1024u

static chip_t chip;
static hs_memory_t direct;

/* DRAM 0, reversed D/IRAM 1, direct D/IRAM 2, and at last IRAM 3. */
static void open_all(bool iram)
{
    chip_open(&chip);
    chip_region(&chip, &chip_dram, 8 * KB, 0);
    chip_region(&chip, chip_reversed(&chip), 8 * KB, 0);
    direct = chip_diram((uintptr_t)0x70000000u, false);
    chip_region(&chip, &direct, 8 * KB, 0);
    if (iram) {
        chip_region(&chip, &chip_iram, 8 * KB, 0);
    }
    chip_start(&chip);
}

/* A word of a block as its user sees it. */
static volatile uint32_t *word_at(const void *block, size_t index)
{
    const uintptr_t at = (uintptr_t)block + 4 * index;
    const uintptr_t reversed = chip.diram.alias - at;
    if (chip_where(&chip, (void *)at) < CHIP_REGIONS) {
        return (uint32_t *)at;
    }
    if (chip_where(&chip, (void *)reversed) == 1) {
        return (uint32_t *)reversed;
    }
    CHECK(chip_where(&chip, (void *)(at - direct.alias)) == 2, "%p is nowhere", (void *)at);
    return (uint32_t *)(at - direct.alias);
}

static void write_words(const void *block, size_t words, uint32_t seed)
{
    for (size_t i = 0; i < words; i++) {
        *word_at(block, i) = seed + (uint32_t)i * 0x10001u;
    }
}

static void check_words(const void *block, size_t words, uint32_t seed)
{
    for (size_t i = 0; i < words; i++) {
        CHECK(*word_at(block, i) == seed + (uint32_t)i * 0x10001u, "word %zu of %p", i, block);
    }
}

static uint32_t region_of(const void *block)
{
    return chip_where(&chip, (const void *)(uintptr_t)word_at(block, 0));
}

static void test_reversed(void)
{
    open_all(false);
    hs_regions_t *set = chip.set;
    void *blocks[8];
    for (size_t i = 0; i < 8; i++) {
        blocks[i] = hs_regions_malloc(set, 37 + 4 * i, HS_CAP_EXEC);
        CHECK(chip_where(&chip, blocks[i]) == CHIP_REGIONS, "no alias address: %p", blocks[i]);
        CHECK(region_of(blocks[i]) == 1 && (uintptr_t)blocks[i] % 4 == 0, "%p", blocks[i]);
        CHECK(hs_regions_usable_size(set, blocks[i]) >= 40 + 4 * i, "usable");
        write_words(blocks[i], hs_regions_usable_size(set, blocks[i]) / 4, (uint32_t)i * 7777);
    }
    for (size_t i = 0; i < 8; i++) {
        check_words(blocks[i], hs_regions_usable_size(set, blocks[i]) / 4, (uint32_t)i * 7777);
    }
    /* The block of an address within, by the data bus. */
    uint8_t *data = hs_regions_containing_block(set, (uint8_t *)blocks[3] + 8);
    CHECK(chip_where(&chip, data) == 1 && (uintptr_t)data <= (uintptr_t)word_at(blocks[3], 2) &&
              hs_regions_containing_block(set, data) == data,
          "%p", (void *)data);
    /* Neither of these is what was given. */
    for (int shift = -8; shift <= 48; shift++) {
        if (shift != 0) {
            void *wrong = (uint8_t *)blocks[3] + shift;
            CHECK(hs_regions_free(set, wrong) == HS_ERR_ARGUMENT, "shifted by %d", shift);
            CHECK(hs_regions_usable_size(set, wrong) == 0, "shifted by %d", shift);
        }
    }
    /* Nor is what follows payload that looks like the way to a block: its own, another. */
    for (size_t i = 3; i < 5; i++) {
        const uint8_t *leads_to = hs_regions_containing_block(set, blocks[i]);
        *word_at(blocks[3], 2) = (uint32_t)(leads_to - (uint8_t *)chip.table[1].start);
        CHECK(hs_regions_free(set, (uint8_t *)blocks[3] + 12) == HS_ERR_ARGUMENT, "block %zu", i);
    }
    CHECK(hs_regions_free(set, blocks[3]) == HS_OK, "by the instruction bus");
    CHECK(hs_regions_free(set, blocks[3]) == HS_ERR_ARGUMENT, "twice");
    CHECK(hs_regions_free(set, data) == HS_ERR_ARGUMENT, "again, by the other bus");
    data = hs_regions_containing_block(set, blocks[4]);
    CHECK(hs_regions_free(set, data) == HS_OK, "by the data bus");
    CHECK(hs_regions_free(set, blocks[4]) == HS_ERR_ARGUMENT, "again, by the other bus");
    for (size_t i = 0; i < 8; i++) {
        CHECK(i == 3 || i == 4 || hs_regions_free(set, blocks[i]) == HS_OK, "block %zu", i);
    }
    CHECK(hs_regions_free(set, (void *)(chip.diram.alias - (uintptr_t)chip.table[1].start)) ==
              HS_ERR_ARGUMENT,
          "the alias of the region's first word");
    hs_heap_info_t info;
    hs_regions_info(set, 0, &info);
    CHECK(info.used_blocks == 0 && hs_regions_check(set, 0) == HS_OK, "something is left");
    chip_close(&chip);
}

static void test_direct(void)
{
    open_all(false);
    hs_regions_t *set = chip.set;
    void *in_reversed;
    while (region_of(in_reversed = hs_regions_malloc(set, 400, HS_CAP_EXEC)) == 1) {
    }
    void *block = in_reversed;
    CHECK(region_of(block) == 2, "the direct one comes next");
    write_words(block, 100, 5);
    CHECK(hs_regions_free(set, (uint8_t *)block + 8) == HS_ERR_ARGUMENT, "interior");
    CHECK(hs_regions_free(set, (void *)((uintptr_t)block - direct.alias)) == HS_OK,
          "by the data bus");
    CHECK(hs_regions_free(set, block) == HS_ERR_ARGUMENT, "again");
    void *aligned = hs_regions_aligned_alloc(set, 256, 100, 0, HS_CAP_EXEC);
    CHECK(region_of(aligned) == 2 && (uintptr_t)aligned % 256 == 0, "reversed cannot be aligned");
    CHECK(hs_regions_free(set, aligned) == HS_OK, "aligned");
    CHECK(hs_regions_malloc(set, 100, HS_CAP_EXEC | HS_CAP_8BIT) == NULL, "code has no bytes");
    CHECK(hs_regions_malloc(set, 100, HS_CAP_EXEC | HS_CAP_DMA) == NULL, "nor is it for DMA");
    CHECK(!hs_regions_fits(set, 100, 1, HS_CAP_EXEC | HS_CAP_DMA), "so it does not fit");
    CHECK(hs_regions_largest_allocatable(set, HS_CAP_EXEC | HS_CAP_8BIT) == 0, "whatever size");
    chip_close(&chip);
}

/* From every memory to every other and back, by sizes that end within a word. */
static void test_moves(void)
{
    static const uint32_t ways[] = {HS_CAP_8BIT | HS_CAP_DEFAULT, HS_CAP_IRAM_8BIT, HS_CAP_EXEC,
                                    HS_CAP_DMA | HS_CAP_DEFAULT};
    open_all(true);
    hs_regions_t *set = chip.set;
    /* IRAM has EXEC at priority 0: it is filled up, so that EXEC leads to D/IRAM. */
    void *iram[200];
    size_t count = 0;
    while (region_of(iram[count] = hs_regions_malloc(set, 64, HS_CAP_EXEC)) == 3) {
        count++;
    }
    CHECK(hs_regions_free(set, iram[count]) == HS_OK && count > 100, "IRAM is full");
    for (size_t i = 0; i < 20; i++) { /* but for these */
        CHECK(hs_regions_free(set, iram[i]) == HS_OK, "block %zu", i);
    }
    for (size_t i = 0; i < 4; i++) { /* not all of it in DRAM's first bytes */
        CHECK(hs_regions_malloc(set, 1 * KB, HS_CAP_DMA) != NULL, "DRAM");
    }
    for (size_t from = 0; from < 4; from++) {
        for (size_t to = 0; to < 4; to++) {
            for (size_t size = 1; size <= 70; size += 3) {
                void *block = hs_regions_malloc(set, size, ways[from]);
                const size_t had = hs_regions_usable_size(set, block);
                CHECK(block != NULL && had >= size, "%zu bytes", size);
                write_words(block, had / 4, (uint32_t)size * 99);
                const size_t now = size % 2 == 0 ? size + 9 : size / 2 + 1;
                void *moved = hs_regions_realloc(set, block, now, ways[to]);
                CHECK(moved != NULL && hs_regions_usable_size(set, moved) >= now, "%zu to %zu",
                      from, to);
                check_words(moved, (size < now ? size : now) / 4, (uint32_t)size * 99);
                CHECK(hs_regions_free(set, moved) == HS_OK, "%zu to %zu", from, to);
            }
        }
    }
    CHECK(hs_regions_check(set, 0) == HS_OK, "damaged");
    hs_heap_info_t info;
    hs_regions_info(set, 0, &info);
    CHECK(info.used_blocks == count - 20 + 4, "%zu blocks are left", info.used_blocks);
    /* Cleared memory, whatever the bus. */
    uint32_t *dirty = hs_regions_malloc(set, 40, HS_CAP_IRAM_8BIT);
    write_words(dirty, 10, 77);
    CHECK(hs_regions_free(set, dirty) == HS_OK, "dirty");
    void *zero = hs_regions_calloc(set, 10, 4, HS_CAP_IRAM_8BIT);
    for (size_t i = 0; i < 10; i++) {
        CHECK(*word_at(zero, i) == 0, "word %zu", i);
    }
    chip_close(&chip);
}

/* A region that is full is left, although it has the capabilities. */
static void test_leaves_a_full_region(void)
{
    open_all(true);
    hs_regions_t *set = chip.set;
    uint8_t *block = hs_regions_malloc(set, 3 * KB, HS_CAP_8BIT | HS_CAP_DEFAULT);
    void *behind = hs_regions_malloc(set, 3 * KB, HS_CAP_8BIT | HS_CAP_DEFAULT);
    CHECK(chip_where(&chip, block) == 0 && chip_where(&chip, behind) == 0, "both in DRAM");
    for (uint32_t i = 0; i < 3 * KB; i++) {
        block[i] = (uint8_t)(i * 13);
    }
    block = hs_regions_realloc(set, block, 5 * KB, HS_CAP_8BIT | HS_CAP_DEFAULT);
    CHECK(chip_where(&chip, block) == 1, "to the next");
    for (uint32_t i = 0; i < 3 * KB; i++) {
        CHECK(block[i] == (uint8_t)(i * 13), "byte %u", (unsigned)i);
    }
    CHECK(hs_regions_realloc(set, block, 9 * KB, HS_CAP_8BIT) == NULL, "nowhere");
    CHECK(chip.failures == 1 && chip.failed_size == 9 * KB, "%u", chip.failures);
    CHECK(hs_regions_usable_size(set, block) >= 5 * KB && block[99] == (uint8_t)(99 * 13), "kept");
    CHECK(hs_regions_realloc(set, block, 10, HS_CAP_SPIRAM) == NULL, "no such memory");
    CHECK(chip.failures == 2, "%u", chip.failures);
    chip_close(&chip);
}

int main(void)
{
    test_reversed();
    test_direct();
    test_moves();
    test_leaves_a_full_region();
    return 0;
}
