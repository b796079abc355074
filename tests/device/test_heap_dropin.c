/*
 * Firmware relies on the heap that ours replaces beyond the words of its interface: freed memory
 * comes back at the same address, neighbours merge at once, low addresses go first, a block shrinks
 * and grows where it is, and every byte is accounted for.
 */
#include "program.h"

static program_t program;

static shadow_t *open_heap(size_t size, const hs_heap_config_t *config)
{
    shadow_t *shadow = &program.shadow;
    CHECK(shadow_open(shadow, "drop-in", region_open(size, 0), config, 1), "%zu bytes", size);
    return shadow;
}

static size_t index_of(const shadow_t *shadow, const uint8_t *at)
{
    size_t index = shadow_place(shadow, at);
    CHECK(index < shadow->count && shadow->blocks[index].at == at, "no block %p", (const void *)at);
    return index;
}

static void release(shadow_t *shadow, const uint8_t *at)
{
    shadow_free(shadow, index_of(shadow, at));
}

static uint8_t *resize(shadow_t *shadow, const uint8_t *at, size_t size)
{
    size_t index = shadow_realloc(shadow, index_of(shadow, at), size);
    return index == SIZE_MAX ? NULL : shadow->blocks[index].at;
}

static void check_half(const hs_heap_config_t *config)
{
    shadow_t *shadow = open_heap(4096, config);
    uint8_t *half = shadow_malloc(shadow, 2048);
    CHECK(half != NULL, "half a heap does not fit");
    CHECK(shadow_malloc(shadow, 2048) == NULL, "two halves fit");
    release(shadow, half);
    CHECK(shadow_malloc(shadow, 2048) == half, "half a heap comes back elsewhere");
    shadow_close(shadow);
}

/* Five lots are no single block when four are taken; freed ones are, where they were. */
static void check_reuse(const hs_heap_config_t *config)
{
    enum { LOT = 500 };
    uint8_t *lots[4];
    shadow_t *shadow = open_heap(4096, config);
    for (size_t i = 0; i < 4; i++) {
        lots[i] = shadow_malloc(shadow, LOT);
        CHECK(lots[i] != NULL, "lot %zu", i);
        CHECK(i == 0 || lots[i] > lots[i - 1], "lot %zu lies below the one before", i);
    }
    CHECK(lots[0] == shadow->first, "the first lot is not at the start");
    CHECK(shadow_malloc(shadow, 5 * LOT) == NULL, "nine lots in 4 KB");
    CHECK(shadow->free_blocks == 1 && shadow->count == 4, "%zu free blocks", shadow->free_blocks);
    release(shadow, lots[1]);
    CHECK(shadow->free_blocks == 2, "%zu free blocks", shadow->free_blocks);
    release(shadow, lots[2]); /* merges with lot 1 */
    CHECK(shadow->free_blocks == 2 && shadow->count == 2, "%zu free blocks", shadow->free_blocks);
    CHECK(shadow_malloc(shadow, 2 * LOT) == lots[1], "two lots are not where two were");
    CHECK(shadow->free_blocks == 1 && shadow->count == 3, "%zu free blocks", shadow->free_blocks);
    release(shadow, lots[0]);
    release(shadow, lots[3]); /* merges with the rest */
    CHECK(shadow->free_blocks == 2, "%zu free blocks", shadow->free_blocks);
    CHECK(shadow_malloc(shadow, LOT) == lots[0], "a lot is not where one was");
    release(shadow, lots[0]);
    release(shadow, lots[1]); /* merges with both sides */
    CHECK(shadow->free_blocks == 1 && shadow->count == 0, "%zu free blocks", shadow->free_blocks);
    shadow_close(shadow);
}

static void check_realloc(const hs_heap_config_t *config)
{
    shadow_t *shadow = open_heap(4096, config);
    uint8_t *first = shadow_malloc(shadow, 64);
    uint8_t *block = shadow_malloc(shadow, 800);
    size_t before = shadow->free;
    CHECK(resize(shadow, block, 160) == block, "shrinking moves a block");
    CHECK(shadow->free == before + 640, "%zu freed by shrinking", shadow->free - before);
    CHECK(resize(shadow, block, 800) == block, "growing forward moves a block");
    CHECK(shadow->free == before, "%zu bytes are gone", before - shadow->free);
    CHECK(resize(shadow, block, 800 + before) == block, "growing into all that is left");
    CHECK(resize(shadow, block, 801 + before) == NULL, "growing into more than is left");
    CHECK(resize(shadow, block, 160) == block, "shrinking moves a block");
    uint8_t *barrier = shadow_malloc(shadow, 16);
    uint8_t *moved = resize(shadow, block, 320);
    CHECK(moved > barrier, "blocked by a neighbour, a block stays at %p", (void *)moved);
    CHECK(resize(shadow, first, 200) == first, "a block does not grow into where one was");
    release(shadow, first);
    shadow_malloc(shadow, 8);
    CHECK(resize(shadow, moved, 8192) == NULL, "more than the heap");
    shadow_close(shadow);
}

/* The lowest of holes that fit alike is taken, whatever the order in which they came about. */
static void check_low_first(const hs_heap_config_t *config)
{
    static const size_t orders[6][3] = {{1, 3, 5}, {1, 5, 3}, {3, 1, 5},
                                        {3, 5, 1}, {5, 1, 3}, {5, 3, 1}};
    for (size_t order = 0; order < 6; order++) {
        uint8_t *blocks[7];
        shadow_t *shadow = open_heap(4096, config);
        for (size_t i = 0; i < 7; i++) {
            blocks[i] = shadow_malloc(shadow, 256);
        }
        for (size_t i = 0; i < 3; i++) {
            release(shadow, blocks[orders[order][i]]);
        }
        for (size_t i = 1; i < 7; i += 2) {
            CHECK(shadow_malloc(shadow, 256) == blocks[i], "order %zu: not hole %zu", order, i);
        }
        shadow_close(shadow);
    }
}

static void check_accounting(const hs_heap_config_t *config)
{
    hs_heap_info_t before;
    hs_heap_info_t info;
    shadow_t *shadow = open_heap(4096, config);
    hs_heap_info(shadow->heap, &before);
    CHECK(before.used == 0 && before.used_blocks == 0 && before.free_blocks == 1, "not empty");
    CHECK(before.free == before.total && before.largest_free == before.total &&
              before.minimum_free == before.total,
          "%zu of %zu are free", before.free, before.total);
    CHECK(before.control + before.bitmap + before.total <= 4096, "more than the region");
    CHECK(before.control + before.bitmap + before.total + 24 > 4096, "bytes are nowhere");
    uint8_t *block = shadow_malloc(shadow, 32);
    CHECK(hs_heap_full_size(shadow->heap, block) > 32, "no overhead");
    hs_heap_info(shadow->heap, &info);
    CHECK(info.used == 32 && info.free == before.free - 32 && info.used_blocks == 1 &&
              info.free_blocks == 1 && info.minimum_free == info.free &&
              info.largest_free == info.free,
          "%zu used, %zu free", info.used, info.free);
    release(shadow, block);
    hs_heap_info(shadow->heap, &info);
    CHECK(info.free == before.free && info.minimum_free == before.free - 32, "%zu", info.free);
    CHECK(hs_heap_reset_minimum(shadow->heap) == before.free - 32, "another low-water mark");
    CHECK(hs_heap_minimum_free(shadow->heap) == before.free, "no reset");
    hs_heap_restore_minimum(shadow->heap, before.free - 32);
    CHECK(hs_heap_minimum_free(shadow->heap) == before.free - 32, "no restoring");
    hs_heap_restore_minimum(shadow->heap, before.free);
    CHECK(hs_heap_minimum_free(shadow->heap) == before.free - 32, "restored to the larger one");
    shadow_close(shadow);
}

/* Blocks of a size until none fits: as many the second time, whatever the order of freeing. */
static void check_exhaustion(const hs_heap_config_t *config, check_random_t *random, size_t size)
{
    shadow_t *shadow = open_heap(6000, config);
    size_t counts[2];
    for (size_t round = 0; round < 2; round++) {
        while (shadow_malloc(shadow, size) != NULL) {
        }
        counts[round] = shadow->count;
        shadow_empty(shadow, random);
    }
    CHECK(counts[0] == counts[1], "%zu and then %zu blocks", counts[0], counts[1]);
    CHECK(size > 8 || !shadow->slots || counts[0] >= 6000 / 16 * 3 / 2, "%zu of %zu", counts[0],
          size);
    shadow_close(shadow);
}

static void check_alignments(const hs_heap_config_t *config)
{
    shadow_t *shadow = open_heap(4096, config);
    for (size_t alignment = 0; alignment <= 258; alignment += CHECK_THIN) {
        bool power = alignment != 0 && (alignment & (alignment - 1)) == 0;
        for (size_t size = 1; size < 700; size += 37) {
            uint8_t *block = shadow_aligned(shadow, alignment, size, 0);
            CHECK((block != NULL) == power, "%zu bytes to %zu", size, alignment);
            if (block != NULL) {
                release(shadow, block);
            }
        }
    }
    CHECK(shadow->free_blocks == 1, "%zu free blocks", shadow->free_blocks);
    CHECK(hs_heap_aligned_alloc(shadow->heap, 2 * HS_ALIGNMENT_MAX, 16, 0) == NULL, "too large");
    CHECK(hs_heap_aligned_alloc(shadow->heap, 64, SIZE_MAX, 0) == NULL, "too large");
    CHECK(hs_heap_aligned_alloc(shadow->heap, 64, SIZE_MAX - 63, 64) == NULL, "too large");
    shadow_close(shadow);
}

static void check_nothing(const hs_heap_config_t *config)
{
    shadow_t *shadow = open_heap(4096, config);
    uint8_t *saved = region_save(&shadow->region);
    CHECK(hs_heap_malloc(shadow->heap, 0) == NULL, "0 bytes");
    CHECK(hs_heap_calloc(shadow->heap, 0, 8) == NULL, "0 x 8 bytes");
    CHECK(hs_heap_calloc(shadow->heap, 8, 0) == NULL, "8 x 0 bytes");
    CHECK(hs_heap_calloc(shadow->heap, SIZE_MAX / 2 + 1, 2) == NULL, "2^n bytes");
    CHECK(hs_heap_calloc(shadow->heap, SIZE_MAX / 16 + 2, 16) == NULL, "2^n + 16 bytes");
    CHECK(hs_heap_malloc(shadow->heap, SIZE_MAX) == NULL, "all bytes");
    CHECK(hs_heap_aligned_alloc(shadow->heap, 8, 0, 0) == NULL, "0 bytes");
    CHECK(hs_heap_realloc(shadow->heap, NULL, 0) == NULL, "0 bytes");
    CHECK(!hs_heap_fits(shadow->heap, 8, 0, 0), "0 bytes fit");
    CHECK(hs_heap_free(shadow->heap, NULL) == HS_OK, "NULL");
    CHECK(region_same(&shadow->region, saved), "nothing changed the heap");
    region_restore(&shadow->region, saved);
    shadow_close(shadow);
}

/* Thousands of calls on heaps of every size that is met. */
static void run(const hs_heap_config_t *config, size_t size, int steps, check_random_t *random)
{
    program.random = random;
    shadow_t *shadow = open_heap(size, config);
    for (int step = 0; step < check_rounds(steps); step++) {
        program_step(&program, shadow->count < 300 ? 8 : 4);
    }
    shadow_empty(shadow, random);
    shadow_close(shadow);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    for (int form = HS_FORM_AUTO; form <= HS_FORM_WORD; form++) {
        const hs_heap_config_t config = {(hs_form_t)form, 0};
        check_half(&config);
        check_reuse(&config);
        check_realloc(&config);
        check_low_first(&config);
        check_accounting(&config);
        if (CHECK_THIN == 1) {
            check_exhaustion(&config, &random, 1);
            check_exhaustion(&config, &random, 8);
        }
        check_exhaustion(&config, &random, 9 + check_below(&random, 300));
        check_alignments(&config);
        check_nothing(&config);
        run(&config, 15 * 1024, 4000, &random);
        run(&config, 100000, 2000, &random);
    }
    const hs_heap_config_t automatic = {HS_FORM_AUTO, 0};
    if (CHECK_THIN == 1) { /* minutes in emulation */
        run(&automatic, (size_t)8 << 20, 1000, &random);
    }
    return 0;
}
