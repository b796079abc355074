/*
 * Pools of fixed blocks beside a shadow that knows which blocks are in use and in which order free
 * ones must come: every size and alignment, every wrong address, and links that are written over.
 */
#include "heapscope/fixed.h"
#include "region.h"

enum { COUNT_MAX = 300 };

typedef struct shadow {
    region_t region;
    hs_fixed_t *pool;
    size_t block_size;
    uint32_t count;
    uint8_t *first;
    bool used[COUNT_MAX];
    uint8_t filling[COUNT_MAX];
    uint32_t freed[COUNT_MAX]; /* a stack */
    uint32_t freed_count, fresh, used_count, peak, failures, misuse;
} shadow_t;

static shadow_t shadow;

static uint8_t *place(uint32_t index)
{
    return shadow.first + index * shadow.block_size;
}

static void check(void)
{
    hs_fixed_info_t info;
    hs_fixed_info(shadow.pool, &info);
    CHECK(info.count == shadow.count && info.block_size == shadow.block_size, "shape");
    CHECK(info.used == shadow.used_count && info.peak == shadow.peak, "%u used, peak %u",
          (unsigned)info.used, (unsigned)info.peak);
    CHECK(info.failures == shadow.failures && info.misuse == shadow.misuse && !info.damaged,
          "%u failures, %u misuse", (unsigned)info.failures, (unsigned)info.misuse);
    CHECK(hs_fixed_check(shadow.pool) == HS_OK, "the pool contradicts itself");
    for (uint32_t i = 0; i < shadow.count; i++) {
        for (size_t at = 0; shadow.used[i] && at < shadow.block_size; at++) {
            CHECK(place(i)[at] == shadow.filling[i], "byte %zu of block %u", at, (unsigned)i);
        }
    }
}

static void take(check_random_t *random)
{
    uint8_t *block = hs_fixed_alloc(shadow.pool);
    if (shadow.freed_count == 0 && shadow.fresh == shadow.count) {
        CHECK(block == NULL, "a block too many");
        shadow.failures++;
        return;
    }
    uint32_t index = shadow.freed_count != 0 ? shadow.freed[--shadow.freed_count] : shadow.fresh++;
    CHECK(block == place(index), "block %u at %td", (unsigned)index, block - shadow.region.memory);
    shadow.used[index] = true;
    shadow.filling[index] = (uint8_t)check_next(random);
    memset(block, shadow.filling[index], shadow.block_size);
    shadow.used_count++;
    shadow.peak = shadow.peak < shadow.used_count ? shadow.used_count : shadow.peak;
}

static void give(uint32_t index)
{
    CHECK(hs_fixed_free(shadow.pool, place(index)) == HS_OK, "block %u", (unsigned)index);
    shadow.used[index] = false;
    shadow.used_count--;
    shadow.freed[shadow.freed_count++] = index;
}

static void check_refused(uintptr_t address)
{
    hs_status_t status = hs_fixed_free(shadow.pool, (void *)address);
    CHECK(status == HS_ERR_ARGUMENT, "%p is %d", (void *)address, status);
    shadow.misuse++;
}

/* Frees every address in and around the region that is not a block in use, and some far away. */
static void check_misuse(void)
{
    uint8_t *saved = region_save(&shadow.region);
    hs_fixed_info_t info;
    hs_fixed_info(shadow.pool, &info);
    for (uint8_t *at = shadow.region.memory - 40;
         at < shadow.region.memory + shadow.region.size + 40; at++) {
        bool inside = at >= shadow.first && at < place(shadow.count);
        size_t distance = inside ? (size_t)(at - shadow.first) : 1;
        if (!inside || distance % shadow.block_size != 0 ||
            !shadow.used[distance / shadow.block_size]) {
            check_refused((uintptr_t)at);
        }
    }
    for (unsigned bit = 20; bit < sizeof(uintptr_t) * 8; bit++) {
        check_refused((uintptr_t)shadow.first + ((uintptr_t)1 << bit));
        check_refused((uintptr_t)shadow.first - ((uintptr_t)1 << bit));
    }
    CHECK(hs_fixed_free(shadow.pool, NULL) == HS_OK, "NULL");
    hs_fixed_info_t after;
    hs_fixed_info(shadow.pool, &after);
    CHECK(after.misuse == shadow.misuse && after.used == info.used, "counts");
    /* Nothing but that count changed. */
    size_t changed = 0;
    for (size_t i = 0; i < shadow.region.size; i++) {
        changed += saved[i] != shadow.region.memory[i] ? 1 : 0;
    }
    CHECK(changed <= 4, "%zu bytes changed", changed);
    free(saved);
}

static bool open_pool(size_t size, size_t skew, size_t block_size, size_t alignment)
{
    memset(&shadow, 0, sizeof shadow);
    shadow.region = region_open(size, skew);
    shadow.pool = hs_fixed_create(shadow.region.memory, size, block_size, alignment, "packets");
    if (shadow.pool == NULL) {
        region_close(&shadow.region);
        return false;
    }
    hs_fixed_info_t info;
    hs_fixed_info(shadow.pool, &info);
    shadow.count = info.count;
    shadow.block_size = info.block_size;
    shadow.first = hs_fixed_alloc(shadow.pool); /* where the blocks begin */
    CHECK(hs_fixed_free(shadow.pool, shadow.first) == HS_OK, "the first block");
    shadow.fresh = shadow.peak = shadow.freed_count = 1;
    CHECK(shadow.count <= COUNT_MAX, "%u blocks", (unsigned)shadow.count);
    return true;
}

static void run(check_random_t *random)
{
    for (uint32_t i = 0; i < 4 * shadow.count; i++) {
        uint32_t index = check_below(random, shadow.count);
        if (check_below(random, 16) < (i / shadow.count % 2 == 0 ? 11 : 5)) {
            take(random);
        } else if (shadow.used[index]) {
            give(index);
        }
    }
    check();
    check_misuse();
    while (shadow.fresh < shadow.count || shadow.freed_count > 0) {
        take(random);
    }
    take(random);
    check();
    check_misuse();
}

static void check_shapes(check_random_t *random)
{
    for (int round = 0; round < check_rounds(60); round++) {
        size_t alignment = (size_t)4 << check_below(random, 6);
        size_t block_size = 1 + check_below(random, round % 2 == 0 ? 12 : 200);
        size_t count = 1 + check_below(random, 120);
        size_t skew = check_below(random, 20);
        size_t size = hs_fixed_memory(count, block_size, alignment);
        CHECK(size != 0, "no size for %zu of %zu", count, block_size);
        CHECK(open_pool(size, skew, block_size, alignment), "%zu bytes", size);
        size_t rounded = (block_size + alignment - 1) / alignment * alignment;
        CHECK(shadow.block_size == rounded, "%zu is %zu", block_size, shadow.block_size);
        CHECK(shadow.count >= count && (shadow.count - count) * rounded <= 2 * alignment + 16,
              "%u blocks, not %zu", (unsigned)shadow.count, count);
        CHECK((uintptr_t)shadow.first % alignment == 0, "alignment %zu", alignment);
        CHECK(place(shadow.count) <= shadow.region.memory + size, "beyond the end");
        /* One block more would not fit even where the memory is aligned as it likes. */
        CHECK(size - (size_t)(place(shadow.count) - shadow.region.memory) < rounded + alignment + 4,
              "room for another");
        run(random);
        region_close(&shadow.region);
    }
    for (size_t size = 0; size < 200; size++) { /* no size is too small to be refused */
        if (open_pool(size, 4, 8, 8)) {
            run(random);
            region_close(&shadow.region);
        }
    }
}

static void check_arguments(void)
{
    static uint64_t memory[64];
    static const size_t alignments[] = {1, 2, 12, 8192};
    for (size_t i = 0; i < 4; i++) {
        CHECK(hs_fixed_create(memory, sizeof memory, 8, alignments[i], NULL) == NULL, "%zu",
              alignments[i]);
        CHECK(hs_fixed_memory(4, 8, alignments[i]) == 0, "%zu", alignments[i]);
    }
    CHECK(hs_fixed_create(NULL, 400, 8, 8, NULL) == NULL, "no memory");
    CHECK(hs_fixed_create(memory, sizeof memory, 0, 8, NULL) == NULL, "no size");
    CHECK(hs_fixed_create(memory, sizeof memory, SIZE_MAX, 8, NULL) == NULL, "all sizes");
    CHECK(hs_fixed_create(memory, sizeof memory, HS_FIXED_BLOCK_MAX + 1u, 4, NULL) == NULL, "more");
    CHECK(hs_fixed_memory(0, 8, 8) == 0 && hs_fixed_memory(SIZE_MAX, 8, 8) == 0, "counts");
    CHECK(hs_fixed_memory(HS_FIXED_COUNT_MAX, HS_FIXED_BLOCK_MAX, 8) == 0, "2^40 bytes");
}

/* Every value of a free block's link: no block comes twice, and none that is not there. */
static void check_damage(check_random_t *random)
{
    for (uint32_t value = 0; value < 70; value++) {
        CHECK(open_pool(hs_fixed_memory(16, 16, 8), 0, 16, 8), "no pool");
        for (int i = 0; i < 10; i++) {
            take(random);
        }
        for (uint32_t index = 2; index < 8; index += 2) {
            give(index);
        }
        uint32_t link = value < 40 ? value : check_next(random);
        uint32_t victim = 2 + 2 * (value % 3);
        memcpy(place(victim), &link, 4);
        bool seen[COUNT_MAX] = {false};
        for (uint32_t i = 0; i < 40; i++) {
            uint8_t *block = hs_fixed_alloc(shadow.pool);
            if (block == NULL) {
                break;
            }
            uint32_t index = (uint32_t)(block - shadow.first) / (uint32_t)shadow.block_size;
            CHECK(block >= shadow.first && index < shadow.count && block == place(index), "%p",
                  (void *)block);
            CHECK(!seen[index] && !shadow.used[index], "block %u twice, link %u", (unsigned)index,
                  (unsigned)link);
            seen[index] = true;
        }
        for (uint32_t index = 10; index < shadow.count; index++) {
            CHECK(seen[index], "block %u was never used and is lost", (unsigned)index);
        }
        hs_fixed_info_t info;
        hs_fixed_info(shadow.pool, &info);
        bool possible = link == 0 || link == 3 || link == 5 || link == 7; /* freed blocks */
        CHECK(info.damaged || possible, "link %u went unnoticed", (unsigned)link);
        region_close(&shadow.region);
    }
}

static void check_text(void)
{
    CHECK(open_pool(hs_fixed_memory(32, 1536, 8), 0, 1536, 8), "no pool");
    for (int i = 0; i < 12; i++) {
        hs_fixed_alloc(shadow.pool);
    }
    char text[200];
    hs_text_buffer_t buffer = {text, sizeof text, 0};
    hs_fixed_dump(shadow.pool, hs_text_to(&buffer));
    CHECK(strcmp(text, "packets:       12 of       32 blocks of     1536 (37%) used, peak 12, "
                       "0 failures, 0 misuse\n") == 0,
          "%s", text);
    CHECK(buffer.length == strlen(text), "%zu", buffer.length);
    for (size_t size = 0; size <= sizeof text; size++) { /* cut off, terminated, counted */
        char cut[sizeof text];
        memset(cut, '#', sizeof cut);
        hs_text_buffer_t small = {cut, size, 0};
        hs_fixed_dump(shadow.pool, hs_text_to(&small));
        CHECK(small.length == strlen(text), "%zu", small.length);
        size_t kept = size <= strlen(text) ? size : strlen(text) + 1;
        CHECK(kept == 0 || (cut[kept - 1] == 0 && memcmp(cut, text, kept - 1) == 0), "%zu", size);
        CHECK(kept == sizeof cut || cut[kept] == '#', "beyond %zu", size);
    }
    region_close(&shadow.region);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    check_arguments();
    check_shapes(&random);
    check_damage(&random);
    check_text();
    return 0;
}
