/*
 * multi_heap.h does what firmware for the original relies on: the same places, the same counts, every
 * byte accounted for. Whatever blocks carry; what differs with it is stated where it does.
 */
#include <string.h>

#include "small_heap.h"

#if defined(FEWER_STEPS) /* in emulation, which is some hundred times slower */
enum { STEPS = 200, LARGE_STEPS = 100, HUGE_STEPS = 30, CHECKED = 32 };
#elif defined(CONFIG_HEAP_POISONING_COMPREHENSIVE) /* each check reads all free memory */
enum { STEPS = 5000, LARGE_STEPS = 500, HUGE_STEPS = 30, CHECKED = 1 };
#else
enum { STEPS = 5000, LARGE_STEPS = 5000, HUGE_STEPS = 2000, CHECKED = 1 };
#endif

static void check_register(void)
{
    CHECK(multi_heap_register(NULL, SMALL) == NULL, "a heap on nothing");
    CHECK(multi_heap_register(small, 0) == NULL, "a heap of 0 bytes");
    size_t least = 1;
    while (multi_heap_register(small, least) == NULL) {
        least++;
    }
    CHECK(least > 32 && least < 512, "a heap on %zu bytes", least);
    multi_heap_handle_t heap = multi_heap_register(small, least);
    CHECK(multi_heap_malloc(heap, 4) != NULL, "%zu bytes hold no block", least);
    for (size_t skew = 0; skew < 16; skew++) {
        heap = open_small(skew);
        uint8_t *const block = multi_heap_malloc(heap, 3000);
        CHECK(block >= small + skew && block + 3000 <= small + skew + SMALL, "outside");
        memset(block, 0x11, 3000);
        sound(heap);
        for (size_t i = 0; i < skew; i++) {
            CHECK(small[i] == 0xCD, "written before the region");
        }
        for (size_t i = skew + SMALL; i < sizeof(small); i++) {
            CHECK(small[i] == 0xCD, "written behind the region");
        }
    }
}

/* Half a heap fits, another does not; what was freed is given out again; the minimum is kept. */
static void check_half(void)
{
    const multi_heap_handle_t heap = open_small(0);
    const size_t half = (multi_heap_free_size(heap) + 4) / 2;
    uint8_t *block = multi_heap_malloc(heap, half);
    CHECK(block != NULL, "half of the free memory does not fit");
    const size_t size = multi_heap_get_allocated_size(heap, block);
    CHECK(size >= half && size < half + 16, "%zu bytes for %zu", size, half);
    memset(block, 0xEE, half);
    CHECK(multi_heap_malloc(heap, half) == NULL, "two halves fit");
    multi_heap_free(heap, block);
    CHECK(multi_heap_malloc(heap, half) == block, "half of it comes back elsewhere");
    multi_heap_free(heap, block);
    CHECK(multi_heap_free_size(heap) > multi_heap_minimum_free_size(heap), "no minimum was kept");
    sound(heap);
}

static void check_four_of_five(void)
{
    const multi_heap_handle_t heap = open_small(0);
    uint8_t *lots[4];
    for (size_t i = 0; i < 4; i++) {
        lots[i] = multi_heap_malloc(heap, 500);
        CHECK(lots[i] != NULL, "lot %zu of 4", i);
        CHECK(i == 0 || lots[i] > lots[i - 1], "lot %zu does not follow", i);
        sound(heap);
    }
    CHECK(multi_heap_malloc(heap, 5 * 500) == NULL, "2500 bytes beside 2000 in 4 KB");
    multi_heap_free(heap, lots[0]);
    multi_heap_free(heap, lots[1]);
    multi_heap_free(heap, lots[3]);
    uint8_t *const low = multi_heap_malloc(heap, 2 * 500);
    CHECK(low == lots[0], "two lots are not where two were");
    multi_heap_free(heap, lots[2]);
    multi_heap_free(heap, low);
    CHECK(info_of(heap).free_blocks == 1, "not merged");
    sound(heap);
}

/* A hole is reused at its own address by smaller blocks; what is left of it is one free block. */
static void check_places(bool by_realloc)
{
    const multi_heap_handle_t heap = open_small(0);
    const multi_heap_info_t empty = info_of(heap);
    CHECK(empty.allocated_blocks == 0 && empty.free_blocks == 1, "not empty");
    void *first = multi_heap_malloc(heap, 128);
    void *const second = multi_heap_malloc(heap, 32);
    static const size_t sizes[] = {64, 32};
    for (size_t i = 0; i < 2; i++) {
        void *again;
        if (by_realloc) {
            again = multi_heap_realloc(heap, first, sizes[i]);
        } else {
            multi_heap_free(heap, first);
            again = multi_heap_malloc(heap, sizes[i]);
        }
        CHECK(again == first, "%zu bytes are not where 128 were", sizes[i]);
        sound(heap);
    }
    multi_heap_info_t info = info_of(heap);
    CHECK(info.allocated_blocks == 2 && info.free_blocks == 2, "%zu used and %zu free blocks",
          info.allocated_blocks, info.free_blocks);
    multi_heap_free(heap, first);
    multi_heap_free(heap, second);
    info = info_of(heap);
    CHECK(info.allocated_blocks == 0 && info.free_blocks == 1, "%zu used and %zu free blocks",
          info.allocated_blocks, info.free_blocks);
    CHECK(info.total_free_bytes == empty.total_free_bytes, "%zu of %zu bytes came back",
          info.total_free_bytes, empty.total_free_bytes);
}

static void check_low_first(void)
{
    static const size_t orders[6][3] = {{0, 2, 4}, {0, 4, 2}, {2, 0, 4},
                                        {2, 4, 0}, {4, 0, 2}, {4, 2, 0}};
    for (size_t order = 0; order < 6; order++) {
        const multi_heap_handle_t heap = open_small(0);
        void *blocks[6];
        for (size_t i = 0; i < 6; i++) {
            blocks[i] = multi_heap_malloc(heap, 100);
        }
        for (size_t i = 0; i < 3; i++) {
            multi_heap_free(heap, blocks[orders[order][i]]);
        }
        for (size_t i = 0; i < 6; i += 2) {
            CHECK(multi_heap_malloc(heap, 100) == blocks[i], "order %zu: not hole %zu", order, i);
        }
    }
}

static void check_info(void)
{
    const multi_heap_handle_t heap = open_small(0);
    const multi_heap_info_t before = info_of(heap);
    CHECK(before.total_allocated_bytes == 0 && before.total_free_bytes == before.minimum_free_bytes,
          "not empty");
    void *const block = multi_heap_malloc(heap, 32);
    const multi_heap_info_t after = info_of(heap);
    CHECK(after.allocated_blocks == 1 && after.total_allocated_bytes == 32,
          "%zu bytes in %zu blocks", after.total_allocated_bytes, after.allocated_blocks);
    CHECK(after.minimum_free_bytes == after.total_free_bytes && after.minimum_free_bytes > 0 &&
              after.minimum_free_bytes < before.minimum_free_bytes,
          "minimum %zu", after.minimum_free_bytes);
    const size_t taken = before.total_free_bytes - after.total_free_bytes;
    CHECK(taken > 32, "no overhead");
    CHECK(GUARDED || taken <= 32 + 4, "%zu bytes for 32", taken);
    CHECK(GUARDED || taken == multi_heap_get_full_block_size(heap, block), "%zu and %zu bytes",
          taken, multi_heap_get_full_block_size(heap, block));
    multi_heap_free(heap, block);
    const multi_heap_info_t freed = info_of(heap);
    CHECK(freed.allocated_blocks == 0 && freed.total_allocated_bytes == 0 &&
              freed.total_free_bytes == before.total_free_bytes &&
              freed.minimum_free_bytes == after.minimum_free_bytes,
          "free %zu, minimum %zu", freed.total_free_bytes, freed.minimum_free_bytes);
    /* Request and overhead, whatever the size and wherever it lies. */
    for (size_t size = 4; size < 3000; size += 4) {
        const size_t free = multi_heap_free_size(heap);
        void *const one = multi_heap_malloc(heap, size);
        CHECK(free - multi_heap_free_size(heap) > size, "%zu bytes cost nothing more", size);
        multi_heap_free(heap, one);
    }
    void *const some = multi_heap_malloc(heap, 300);
    const size_t free = multi_heap_free_size(heap);
    multi_heap_malloc(heap, 256);
    CHECK(free - multi_heap_free_size(heap) > 256, "256 bytes cost nothing more");
    multi_heap_free(heap, some);
}

static void check_minimum(void)
{
    const multi_heap_handle_t heap = open_small(0);
    const size_t all = multi_heap_free_size(heap);
    for (size_t size = 4; size < 3600; size += 36) {
        void *const block = multi_heap_malloc(heap, size);
        const size_t low = multi_heap_free_size(heap);
        CHECK(multi_heap_minimum_free_size(heap) == low, "minimum of %zu bytes", size);
        multi_heap_free(heap, block);
        CHECK(multi_heap_reset_minimum_free_bytes(heap) == low, "another one was kept");
        CHECK(multi_heap_minimum_free_size(heap) == all, "no reset");
        multi_heap_restore_minimum_free_bytes(heap, low);
        CHECK(multi_heap_minimum_free_size(heap) == low, "%zu restored as %zu", low,
              multi_heap_minimum_free_size(heap));
        multi_heap_restore_minimum_free_bytes(heap, low + 40);
        CHECK(multi_heap_minimum_free_size(heap) == low, "the larger one was restored");
        multi_heap_reset_minimum_free_bytes(heap);
    }
    multi_heap_restore_minimum_free_bytes(heap, 0);
    CHECK(multi_heap_minimum_free_size(heap) == 0, "none is not restored");
}

static void check_bytes(check_random_t *random)
{
    enum { MOST = SMALL / sizeof(void *) };
    const multi_heap_handle_t heap = open_small(0);
    const size_t before = multi_heap_free_size(heap);
    void *blocks[MOST];
    size_t counts[2];
    for (size_t round = 0; round < 2; round++) {
        size_t count = 0;
        while (count < MOST && (blocks[count] = multi_heap_malloc(heap, 1)) != NULL) {
            CHECK((uintptr_t)blocks[count] % sizeof(void *) == 0, "no pointer fits there");
            count++;
        }
        CHECK(count < MOST, "more bytes than pointers");
        counts[round] = count;
        sound(heap);
        CHECK(multi_heap_free_size(heap) < before / 8, "%zu bytes are free", before);
        while (count > 0) {
            const size_t i = check_below(random, (uint32_t)count);
            multi_heap_free(heap, blocks[i]);
            blocks[i] = blocks[--count];
            if (count % CHECKED == 0) {
                sound(heap);
            }
        }
        CHECK(multi_heap_free_size(heap) == before, "%zu of %zu bytes came back",
              multi_heap_free_size(heap), before);
    }
    CHECK(counts[0] == counts[1] && counts[0] > (GUARDED ? 100 : 400), "%zu and %zu blocks",
          counts[0], counts[1]);
}

/* Blocked it moves, shrinks in place, grows into what follows, fails when there is no room. */
static void check_realloc(void)
{
    const multi_heap_handle_t heap = open_small(0);
    uint32_t *const a = multi_heap_malloc(heap, 64);
    uint32_t *const b = multi_heap_malloc(heap, 32);
    CHECK(a != NULL && b > a, "the second block does not follow");
    *a = 0xABABDADA;
    uint32_t *const c = multi_heap_realloc(heap, a, 72);
    CHECK(c > b && *c == 0xABABDADA, "a blocked block is at %p", (void *)c);
    CHECK(multi_heap_realloc(heap, c, 36) == c && *c == 0xABABDADA, "shrinking moves");
    uint32_t *const e = multi_heap_malloc(heap, 60);
    CHECK(e == a, "60 bytes are not where 64 were");
    multi_heap_free(heap, c);
    CHECK(multi_heap_realloc(heap, b, 64) == b, "growing forward moves");
    CHECK(multi_heap_realloc(heap, e, SMALL + 1) == NULL, "more than there is");
    CHECK(multi_heap_realloc(heap, e, SIZE_MAX) == NULL, "more than there is");
    CHECK(multi_heap_get_allocated_size(heap, e) >= 60, "a failure changed the block");
    multi_heap_free(heap, b);
    CHECK(multi_heap_realloc(heap, e, 128) == e, "growing into a freed block moves");
    sound(heap);
    void *const fresh = multi_heap_realloc(heap, NULL, 20);
    CHECK(fresh != NULL && multi_heap_realloc(heap, fresh, 0) == NULL, "realloc is not malloc");
    CHECK(multi_heap_realloc(heap, NULL, 0) == NULL, "0 bytes");
    CHECK(info_of(heap).allocated_blocks == 1, "realloc to 0 does not free");
}

typedef struct seen {
    multi_heap_handle_t heap;
    const uint8_t *after;
    size_t used, free, left;
} seen_t;

static bool see(void *block, size_t size, int used, void *user_data)
{
    seen_t *const seen = user_data;
    CHECK((const uint8_t *)block >= seen->after, "%p is out of order", block);
    seen->after = (const uint8_t *)block + size;
    seen->used += used ? size : 0;
    seen->free += used ? 0 : size;
    return --seen->left > 0;
}

static void check_walk(void)
{
    const multi_heap_handle_t heap = open_small(0);
    void *blocks[5];
    for (size_t i = 0; i < 5; i++) {
        blocks[i] = multi_heap_malloc(heap, 64);
    }
    multi_heap_free(heap, blocks[1]);
    multi_heap_free(heap, blocks[3]);
    const multi_heap_info_t info = info_of(heap);
    seen_t seen = {heap, small, 0, 0, 1000};
    multi_heap_walk(heap, see, &seen);
    CHECK(1000 - seen.left == info.total_blocks, "%zu of %zu blocks", 1000 - seen.left,
          info.total_blocks);
    CHECK(seen.used == 3 * (64 + (GUARDED ? 12 : 0)), "%zu bytes are used", seen.used);
    CHECK(seen.free >= info.largest_free_block && seen.free <= info.total_free_bytes, "%zu bytes",
          seen.free);
    seen = (seen_t){heap, small, 0, 0, 2};
    multi_heap_walk(heap, see, &seen);
    CHECK(seen.left == 0, "it does not stop");
    multi_heap_dump(heap);
}

/* Requests up to what is said to be the largest succeed, larger ones do not. */
static void check_largest(check_random_t *random)
{
    const multi_heap_handle_t heap = open_small(0);
    for (size_t i = 0; i < 40; i++) {
        const size_t largest = info_of(heap).largest_free_block;
        CHECK(multi_heap_malloc(heap, largest + 4) == NULL, "%zu bytes", largest + 4);
        if (largest == 0) {
            break;
        }
        void *const block = multi_heap_malloc(heap, largest);
        CHECK(block != NULL, "%zu bytes", largest);
        multi_heap_free(heap, block);
        multi_heap_malloc(heap, 1 + check_below(random, 200));
    }
}

/* Thousands of calls, with a check at each. */
static void check_many(size_t size, size_t steps, check_random_t *random)
{
    enum { BLOCKS = 64 };
    uint8_t *const memory = malloc(size);
    CHECK(memory != NULL, "no %zu bytes", size);
    const multi_heap_handle_t heap = multi_heap_register(memory, size);
    uint8_t *blocks[BLOCKS] = {NULL};
    size_t sizes[BLOCKS] = {0};
    const size_t before = multi_heap_free_size(heap);
    for (size_t step = 0; step < steps; step++) {
        const size_t i = check_below(random, BLOCKS);
        const size_t wanted = check_below(random, 1024);
        for (size_t byte = 0; blocks[i] != NULL && byte < sizes[i]; byte++) {
            CHECK(blocks[i][byte] == (uint8_t)i, "byte %zu of %zu", byte, sizes[i]);
        }
        if (step % 4 == 0) {
            uint8_t *const moved = multi_heap_realloc(heap, blocks[i], wanted);
            if (wanted != 0 && moved == NULL) {
                continue; /* the old block is what it was */
            }
            blocks[i] = moved;
        } else {
            multi_heap_free(heap, blocks[i]);
            sound(heap);
            blocks[i] = multi_heap_malloc(heap, wanted);
        }
        sizes[i] = blocks[i] == NULL ? 0 : wanted;
        if (blocks[i] != NULL) {
            CHECK(blocks[i] >= memory && blocks[i] + wanted <= memory + size, "outside");
            memset(blocks[i], (int)i, wanted);
        }
        sound(heap);
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        multi_heap_free(heap, blocks[i]);
        sound(heap);
    }
    CHECK(multi_heap_free_size(heap) == before, "%zu of %zu bytes came back",
          multi_heap_free_size(heap), before);
    free(memory);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    check_register();
    check_half();
    check_four_of_five();
    check_places(false);
    check_places(true);
    check_low_first();
    check_info();
    check_minimum();
    check_bytes(&random);
    check_realloc();
    check_walk();
    check_largest(&random);
    check_many((size_t)15 << 10, STEPS, &random);
    check_many((size_t)255 << 10, LARGE_STEPS, &random);
    check_many((size_t)4095 << 10, HUGE_STEPS, &random);
#ifndef FEWER_STEPS
    check_many((size_t)8191 << 10, HUGE_STEPS, &random);
#endif
    return 0;
}
