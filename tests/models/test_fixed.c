/*
 * The model of a fixed pool beside the device's own code: the same program on both, block for block.
 * On a 32-bit machine both have the same memory, word for word; elsewhere the device's head is larger,
 * so a pool with as many blocks is made, and their order is compared.
 */
#include <string.h>

#include "../../lab/models/fixed.h"
#include "allocators/allocators.h"
#include "check.h"
#include "heapscope/fixed.h"

enum { ROUNDS = 300, STEPS = 600, SIZE_MAX_TRIED = 6000, LIVE_MAX = 1600 };

#define IS_32_BIT (sizeof(void *) == 4)

static _Alignas(4096) uint8_t memory[2 * SIZE_MAX_TRIED + 8192];

typedef struct pair {
    hs_sim_t *model;
    hs_fixed_t *pool;
    uint32_t offset, size; /* of the pool's memory in `memory` */
    uint32_t block, alignment, count;
    uint32_t base;
    uint32_t live[LIVE_MAX];
    uint8_t *blocks[LIVE_MAX];
    uint32_t live_count, failures, peak;
} pair_t;

/* Where the first of `count` blocks lies: what the struct and a bit for each leave. */
static uint32_t first_block(const pair_t *pair, uint32_t count)
{
    const uint32_t start = (pair->base + 3) / 4 * 4;
    const uint32_t behind = start + 48 + 4 * ((count + 31) / 32);
    return (behind + pair->alignment - 1) / pair->alignment * pair->alignment;
}

/* Blocks that fit, counted one by one. */
static uint32_t count_of(const pair_t *pair)
{
    const uint32_t bytes = (pair->block + pair->alignment - 1) / pair->alignment * pair->alignment;
    uint32_t count = 0;
    while (first_block(pair, count + 1) + (count + 1) * bytes <= pair->base + pair->size) {
        count++;
    }
    return count;
}

/* The device's own; on a wider machine in the least memory that still gives as many blocks. */
static void make_pool(pair_t *pair)
{
    size_t size = pair->size;
    if (!IS_32_BIT) {
        pair->offset = 0;
        size = hs_fixed_memory(pair->count, pair->block, pair->alignment);
        hs_fixed_info_t info = {.count = pair->count};
        while (size != 0 && info.count >= pair->count) {
            pair->pool = hs_fixed_create(memory, --size, pair->block, pair->alignment, NULL);
            info.count = 0;
            if (pair->pool != NULL) {
                hs_fixed_info(pair->pool, &info);
            }
        }
        size += size != 0;
    }
    pair->pool = hs_fixed_create(memory + pair->offset, size, pair->block, pair->alignment, NULL);
}

/* false: no block fits, in either. */
static bool open_pair(pair_t *pair, check_random_t *random)
{
    static const uint32_t alignments[] = {4, 4, 8, 8, 8, 16, 64};
    memset(pair, 0, sizeof *pair);
    pair->block = 1 + check_below(random, 4 + check_below(random, 200));
    pair->alignment = alignments[check_below(random, 7)];
    pair->size = 40 + check_below(random, SIZE_MAX_TRIED - 40);
    pair->offset = check_below(random, 64);
    pair->base =
        IS_32_BIT ? (uint32_t)(uintptr_t)memory + pair->offset : 0x3FFB0000u + pair->offset;
    pair->count = count_of(pair);
    char name[64];
    snprintf(name, sizeof name, "fixed:%u:%u", (unsigned)pair->block, (unsigned)pair->alignment);
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    hs_status_t why;
    pair->model = hs_sim_new(allocator, pair->base, pair->size, &why);
    CHECK((pair->model != NULL) == (pair->count != 0), "%s in %u bytes: %u blocks", name,
          (unsigned)pair->size, (unsigned)pair->count);
    make_pool(pair);
    if (pair->count == 0) {
        CHECK(pair->pool == NULL, "the device has blocks");
        return false;
    }
    CHECK(pair->pool != NULL, "the device has none of %u blocks", (unsigned)pair->count);
    hs_fixed_info_t info;
    hs_fixed_info(pair->pool, &info);
    CHECK(info.count == pair->count, "%u blocks, the device has %u", (unsigned)pair->count,
          (unsigned)info.count);
    CHECK(pair->model->tally.free_blocks == pair->count, "%u blocks, not %u",
          (unsigned)pair->model->tally.free_blocks, (unsigned)pair->count);
    return true;
}

static void take(pair_t *pair, check_random_t *random)
{
    static uint8_t *first; /* the block of index 0, which is the first one given */
    const uint32_t size = 1 + check_below(random, pair->block);
    const bool aligned = check_below(random, 4) == 0;
    const uint32_t offset = aligned
                                ? hs_sim_aligned(pair->model, 1u << check_below(random, 3), size, 0)
                                : hs_sim_malloc(pair->model, size);
    uint8_t *const block = hs_fixed_alloc(pair->pool);
    CHECK((offset == HS_NONE) == (block == NULL), "one of them is full");
    if (block == NULL) {
        CHECK(pair->live_count == pair->count, "full with %u of %u", (unsigned)pair->live_count,
              (unsigned)pair->count);
        pair->failures++;
        return;
    }
    const uint32_t zero = first_block(pair, pair->count) - pair->base;
    if (pair->peak == 0) {
        first = block;
        CHECK(offset == zero, "the first block at %u, not %u", (unsigned)offset, (unsigned)zero);
    }
    CHECK((int64_t)offset - zero == block - first, "at %u, the device at %td", (unsigned)offset,
          block - first);
    CHECK(!IS_32_BIT || pair->base + offset == (uint32_t)(uintptr_t)block, "the address");
    pair->live[pair->live_count] = offset;
    pair->blocks[pair->live_count++] = block;
    pair->peak = pair->live_count > pair->peak ? pair->live_count : pair->peak;
}

static void give(pair_t *pair, check_random_t *random)
{
    if (pair->live_count == 0) {
        return;
    }
    const uint32_t i = check_below(random, pair->live_count);
    hs_sim_free(pair->model, pair->live[i], false);
    CHECK(hs_fixed_free(pair->pool, pair->blocks[i]) == HS_OK, "the device refuses a free");
    pair->live[i] = pair->live[--pair->live_count];
    pair->blocks[i] = pair->blocks[pair->live_count];
}

/* A block keeps its place up to its whole size, and nothing larger is served. */
static void resize(pair_t *pair, check_random_t *random)
{
    if (pair->live_count == 0) {
        return;
    }
    const uint32_t offset = pair->live[check_below(random, pair->live_count)];
    const uint32_t all = hs_sim_usable(pair->model, offset, false);
    CHECK(all >= pair->block && all % pair->alignment == 0, "%u usable", (unsigned)all);
    CHECK(hs_sim_realloc(pair->model, offset, 1 + check_below(random, all)) == offset, "it moved");
    CHECK(hs_sim_realloc(pair->model, offset, all + 1) == HS_NONE, "beyond the block");
    CHECK(hs_sim_malloc(pair->model, all + 1) == HS_NONE, "larger than a block");
    CHECK(hs_sim_aligned(pair->model, 2 * pair->alignment, 1, 0) == HS_NONE, "a wider alignment");
}

static void compare(const pair_t *pair)
{
    uint32_t where = 0;
    CHECK(hs_sim_check(pair->model, &where) == HS_OK, "the model contradicts itself at %u",
          (unsigned)where);
    CHECK(hs_fixed_check(pair->pool) == HS_OK, "the device's pool contradicts itself");
    hs_fixed_info_t info;
    hs_reported_t reported;
    hs_fixed_info(pair->pool, &info);
    hs_sim_reported(pair->model, &reported);
    CHECK(info.used * info.block_size == reported.allocated, "used");
    CHECK((info.count - info.used) * info.block_size == reported.free, "free");
    CHECK((info.count - info.peak) * info.block_size == reported.minimum_free, "least free");
    CHECK(info.failures == pair->failures && info.misuse == 0, "failures");
    CHECK(hs_sim_largest_allocatable(pair->model) == (info.used < info.count ? info.block_size : 0),
          "the largest");
    if (IS_32_BIT) { /* all but the pointer to the name; payloads were never written */
        const uint32_t start = (pair->base + 3) / 4 * 4 - pair->base;
        CHECK(memcmp(pair->model->mem + start + 4, memory + pair->offset + start + 4,
                     44 + 4 * ((pair->count + 31) / 32)) == 0,
              "another head");
    }
}

static void the_model_does_what_the_device_does(check_random_t *random)
{
    pair_t pair;
    if (!open_pair(&pair, random)) {
        hs_sim_delete(pair.model);
        return;
    }
    for (int i = 0; i < STEPS; i++) {
        const uint32_t what = check_below(random, 16);
        if (what < 1) {
            resize(&pair, random);
        } else if (check_below(random, 100) < (i / 150 % 2 == 0 ? 65u : 35u)) {
            take(&pair, random);
        } else {
            give(&pair, random);
        }
        if (i % 50 == 0) {
            compare(&pair);
        }
    }
    compare(&pair);
    hs_sim_t *const copy = hs_sim_clone(pair.model);
    CHECK(copy != NULL && hs_sim_malloc(copy, 1) == hs_sim_malloc(pair.model, 1), "a copy");
    hs_sim_delete(copy);
    hs_sim_delete(pair.model);
}

static void a_damaged_pool_is_noticed(void)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse("fixed:16:8", &allocator) == HS_OK, "parse");
    hs_sim_t *const heap = hs_sim_new(allocator, 0x1000, 1000, NULL);
    const uint32_t one = hs_sim_malloc(heap, 16);
    const uint32_t other = hs_sim_malloc(heap, 16);
    hs_sim_free(heap, one, false);
    hs_sim_free(heap, other, false);
    CHECK(hs_sim_check(heap, NULL) == HS_OK, "sound");
    for (uint32_t word = 4; word < 56; word += 4) {
        if (word == 12 || word == 32 || word == 36 || word == 40 || word == 44) {
            continue; /* figures alone */
        }
        heap->mem[word] ^= 3;
        uint32_t where;
        CHECK(hs_sim_check(heap, &where) == HS_ERR_CORRUPT, "word %u", (unsigned)word);
        heap->mem[word] ^= 3;
    }
    heap->mem[other] ^= 3;
    CHECK(hs_sim_check(heap, NULL) == HS_ERR_CORRUPT, "a link");
    hs_sim_delete(heap);
}

static void its_memory_is_what_the_device_says(void)
{
    CHECK(hs_fixed_model_memory(32, 60, 0) == 10 + 48 + 4 + 32 * 64, "32 blocks");
    CHECK(hs_fixed_model_memory(33, 60, 4) == 6 + 48 + 8 + 33 * 60, "33 blocks");
    CHECK(hs_fixed_model_memory(0, 60, 8) == 0 && hs_fixed_model_memory(1, 0, 8) == 0, "nothing");
    CHECK(hs_fixed_model_memory(1, 8, 2) == 0 && hs_fixed_model_memory(1, 8, 24) == 0, "alignment");
    CHECK(hs_fixed_model_memory(1 << 20, 1 << 20, 8) == 0, "too much");
    for (uint32_t n = 1; IS_32_BIT && n < 200; n++) {
        CHECK(hs_fixed_model_memory(n, 7 * n, 16) == hs_fixed_memory(n, 7 * n, 16), "%u", n);
    }
}

static void a_name_is_a_size_and_an_alignment(void)
{
    static const char *const wrong[] = {"fixed",    "fixed:",          "fixed:8",
                                        "fixed:8:", "fixed:8:8:",      "fixed:8:8+light",
                                        "fixed::8", "fixed:12345678:8"};
    hs_allocator_t allocator;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(hs_allocator_parse(wrong[i], &allocator) == HS_ERR_ARGUMENT, "%s", wrong[i]);
    }
    CHECK(hs_allocator_parse("fixed:24:4", &allocator) == HS_OK && allocator.block == 24 &&
              allocator.alignment == 4,
          "24 bytes");
    CHECK(hs_allocator_find("fixed:24:4") == NULL, "no --allocator is so called");
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    its_memory_is_what_the_device_says();
    a_name_is_a_size_and_an_alignment();
    a_damaged_pool_is_noticed();
    const int rounds = check_rounds(ROUNDS);
    for (int i = 0; i < rounds; i++) {
        the_model_does_what_the_device_does(&random);
    }
    return 0;
}
