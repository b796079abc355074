/* Whose memory it is, by task and kind, through the calls of regions.h. */
#include "chip.h"

#define KB 1024u

static chip_t chip;
static int tasks[20];

static hs_holding_t holding(uint32_t row, uint32_t kind)
{
    const hs_owner_t *owner = hs_owners_get(chip.config.owners, row);
    CHECK(owner != NULL, "row %u is nobody's", (unsigned)row);
    return owner->holding[kind];
}

static void expect(uint32_t row, uint32_t kind, size_t bytes, uint32_t blocks)
{
    const hs_holding_t is = holding(row, kind);
    CHECK(is.bytes == bytes && is.blocks == blocks, "row %u, kind %u: %u bytes in %u",
          (unsigned)row, (unsigned)kind, (unsigned)is.bytes, (unsigned)is.blocks);
}

static void open_chip(void)
{
    chip_open(&chip);
    chip_region(&chip, &chip_dram, 8 * KB, 0);
    chip_region(&chip, &chip_iram, 8 * KB, 0);
    chip_region(&chip, &chip_spiram, 32 * KB, 0);
    chip_owners(&chip);
    chip_start(&chip);
}

static void test_life(void)
{
    open_chip();
    hs_regions_t *set = chip.set;
    hs_owners_t *owners = chip.config.owners;
    chip.task = &tasks[0];
    const uint32_t first = hs_owners_begin(owners, &tasks[0], "first");
    void *a = hs_regions_malloc(set, 100, HS_CAP_DMA);
    void *b = hs_regions_malloc(set, 100, HS_CAP_IRAM_8BIT);
    const size_t of_a = hs_regions_usable_size(set, a);
    const size_t of_b = hs_regions_usable_size(set, b);
    expect(first, 0, of_a, 1);
    expect(first, 1, of_b, 1);
    expect(first, 2, 0, 0);
    /* Another task resizes it, and has it then; in place, and by a move to another kind. */
    chip.task = &tasks[1];
    a = hs_regions_realloc(set, a, 60, HS_CAP_DMA);
    const uint32_t second = hs_owners_row(owners, &tasks[1]);
    CHECK(second != first, "rows");
    expect(first, 0, 0, 0);
    expect(second, 0, hs_regions_usable_size(set, a), 1);
    a = hs_regions_realloc(set, a, 600, HS_CAP_SPIRAM);
    expect(second, 0, 0, 0);
    expect(second, 2, hs_regions_usable_size(set, a), 1);
    a = hs_regions_realloc(set, a, 900, HS_CAP_SPIRAM);
    expect(second, 2, hs_regions_usable_size(set, a), 1);
    CHECK(hs_regions_realloc(set, a, 900 * KB, HS_CAP_SPIRAM) == NULL, "too large");
    expect(second, 2, hs_regions_usable_size(set, a), 1);
    CHECK(holding(first, 0).peak_bytes == of_a && holding(first, 0).peak_blocks == 1, "peaks");
    /* The first ends, and its handle is used again, while its block lives on. */
    hs_owners_end(owners, &tasks[0]);
    CHECK(hs_owners_get(owners, first)->ended, "it has ended");
    chip.task = &tasks[0];
    void *c = hs_regions_malloc(set, 100, HS_CAP_IRAM_8BIT);
    const uint32_t third = hs_owners_row(owners, &tasks[0]);
    CHECK(third != first && third != second, "a row of its own");
    expect(first, 1, of_b, 1);
    expect(third, 1, hs_regions_usable_size(set, c), 1);
    CHECK(hs_regions_free(set, b) == HS_OK, "by whoever");
    CHECK(hs_owners_get(owners, first) == NULL, "the last block of an ended task");
    expect(third, 1, hs_regions_usable_size(set, c), 1);
    CHECK(hs_regions_free(set, b) == HS_ERR_ARGUMENT, "twice");
    CHECK(hs_regions_free(set, &tasks[3]) == HS_ERR_ARGUMENT, "foreign");
    expect(third, 1, hs_regions_usable_size(set, c), 1);
    CHECK(hs_regions_free(set, c) == HS_OK && hs_regions_free(set, a) == HS_OK, "free");
    expect(third, 1, 0, 0);
    expect(second, 2, 0, 0);
    chip_close(&chip);
}

static void test_overflow(void)
{
    open_chip();
    void *block[20];
    size_t others = 0;
    for (uint32_t i = 0; i < 20; i++) {
        chip.task = &tasks[i];
        block[i] = hs_regions_malloc(chip.set, 40, HS_CAP_DMA);
        const uint32_t row = hs_owners_row(chip.config.owners, &tasks[i]);
        CHECK(row == (i < CHIP_OWNERS - 1 ? i + 1 : CHIP_OWNERS), "task %u in row %u", (unsigned)i,
              (unsigned)row);
        others += i < CHIP_OWNERS - 1 ? 0 : hs_regions_usable_size(chip.set, block[i]);
    }
    expect(CHIP_OWNERS, 0, others, 21 - CHIP_OWNERS);
    /* A row that becomes free is not for what the others have already. */
    hs_owners_end(chip.config.owners, &tasks[2]);
    CHECK(hs_regions_free(chip.set, block[2]) == HS_OK, "free");
    chip.task = &tasks[19];
    void *more = hs_regions_malloc(chip.set, 40, HS_CAP_DMA);
    CHECK(hs_owners_row(chip.config.owners, &tasks[19]) == 3, "it has a row now");
    expect(3, 0, hs_regions_usable_size(chip.set, more), 1);
    CHECK(hs_regions_free(chip.set, block[19]) == HS_OK, "free");
    expect(3, 0, hs_regions_usable_size(chip.set, more), 1);
    expect(CHIP_OWNERS, 0, others - others / (21 - CHIP_OWNERS), 20 - CHIP_OWNERS);
    chip_close(&chip);
}

/* Before there are tasks, and where none are distinguished. */
static void test_no_task(void)
{
    open_chip();
    void *block = hs_regions_malloc(chip.set, 40, HS_CAP_DMA);
    expect(CHIP_OWNERS, 0, hs_regions_usable_size(chip.set, block), 1);
    chip.config.task = NULL;
    void *other = hs_regions_malloc(chip.set, 40, HS_CAP_DMA);
    CHECK(holding(CHIP_OWNERS, 0).blocks == 2, "one owner");
    /* The set's own record of an added region is nobody's. */
    CHECK(hs_regions_add(chip.set, chip_region(&chip, &chip_dram, 2 * KB, 0)) == HS_OK, "add");
    CHECK(holding(CHIP_OWNERS, 0).blocks == 2, "one owner");
    CHECK(hs_regions_free(chip.set, block) == HS_OK && hs_regions_free(chip.set, other) == HS_OK,
          "free");
    expect(CHIP_OWNERS, 0, 0, 0);
    chip_close(&chip);
}

/* Blocks of memory that keeps no owners are nobody's, wherever they move. */
static void test_bare(void)
{
    static hs_memory_t bare;
    bare = chip_spiram;
    bare.bare = true;
    chip_open(&chip);
    chip_region(&chip, &chip_dram, 8 * KB, 0);
    chip_region(&chip, &bare, 8 * KB, 0);
    hs_owners_t *owners = chip_owners(&chip);
    chip_start(&chip);
    chip.task = &tasks[0];
    void *block = hs_regions_malloc(chip.set, 104, HS_CAP_SPIRAM);
    const uint32_t row = hs_owners_row(owners, &tasks[0]);
    CHECK(hs_regions_usable_size(chip.set, block) == 104, "it has no byte for an owner");
    expect(row, 2, 0, 0);
    block = hs_regions_realloc(chip.set, block, 200, HS_CAP_DMA);
    expect(row, 0, hs_regions_usable_size(chip.set, block), 1);
    block = hs_regions_realloc(chip.set, block, 200, HS_CAP_SPIRAM);
    expect(row, 0, 0, 0);
    CHECK(hs_regions_free(chip.set, block) == HS_OK, "free");
    expect(row, 2, 0, 0);
    chip_close(&chip);
}

int main(void)
{
    test_life();
    test_overflow();
    test_no_task();
    test_bare();
    return 0;
}
