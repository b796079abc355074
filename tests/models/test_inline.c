/*
 * malloc and free of TLSF as a replay's loop has them (idf_inline.h) do the same as those of the model, for each size
 * that they take: results, memory, counts and steps are equal.
 */
#include <string.h>

#include "allocators/allocators.h"
#include "check.h"
#include "idf_inline.h"

#define HELD 64u
#define ROUNDS 20000

typedef struct pair {
    hs_sim_t *inlined, *model;
    uint32_t bins_log2;
    uint32_t held[HELD]; /* offsets; HS_NONE: none */
} pair_t;

static void compare(const pair_t *pair, uint32_t size)
{
    const hs_sim_t *built = pair->inlined, *model = pair->model;
    hs_reported_t one, other;
    uint32_t where;
    CHECK(memcmp(built->mem, model->mem, model->size) == 0, "memory after %u", size);
    CHECK(memcmp(&built->steps, &model->steps, sizeof model->steps) == 0, "steps after %u", size);
    CHECK(built->tally.free == model->tally.free && built->tally.used == model->tally.used &&
              built->tally.used_blocks == model->tally.used_blocks &&
              built->tally.free_blocks == model->tally.free_blocks,
          "counts after %u", size);
    hs_sim_reported(built, &one);
    hs_sim_reported(model, &other);
    CHECK(memcmp(&one, &other, sizeof one) == 0, "reported after %u", size);
    CHECK(hs_sim_check(built, &where) == HS_OK, "at %u after %u", where, size);
}

static uint32_t inline_malloc(const pair_t *pair, uint32_t size)
{
    const tlsf_at_t at = hs_idf_inline_at(pair->inlined, pair->bins_log2);
    const uint32_t used = pair->inlined->tally.used;
    const tlsf_given_t given = hs_idf_inline_malloc(pair->inlined, &at, size);
    hs_region_note_low(pair->inlined);
    CHECK(given.offset == HS_NONE || given.size == pair->inlined->tally.used - used, "size %u",
          size);
    return given.offset;
}

static void inline_free(const pair_t *pair, uint32_t offset)
{
    const tlsf_at_t at = hs_idf_inline_at(pair->inlined, pair->bins_log2);
    hs_idf_inline_free(pair->inlined, &at, offset);
}

static void step(pair_t *pair, uint32_t slot, uint32_t size)
{
    if (pair->held[slot] != HS_NONE) {
        inline_free(pair, pair->held[slot]);
        hs_sim_free(pair->model, pair->held[slot], false);
        pair->held[slot] = HS_NONE;
    } else {
        pair->held[slot] = inline_malloc(pair, size);
        const uint32_t other = hs_sim_malloc(pair->model, size);
        CHECK(pair->held[slot] == other, "%u bytes at %u and %u", size, pair->held[slot], other);
    }
}

static uint32_t some_size(check_random_t *random, uint32_t most)
{
    const uint32_t near = (UINT32_C(1) << check_below(random, 18)) + check_below(random, 9);
    const uint32_t size = check_below(random, 3) == 0 ? near : 1 + check_below(random, 2000);
    return size < most ? size : most;
}

static void run(const char *name, uint32_t base, uint32_t size, check_random_t *random)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    pair_t pair = {.inlined = hs_sim_new(allocator, base, size, NULL),
                   .model = hs_sim_new(allocator, base, size, NULL)};
    pair.bins_log2 = hs_idf_inline(pair.inlined);
    CHECK(pair.bins_log2 == 4 || pair.bins_log2 == 5, "%s: %u", name, pair.bins_log2);
    memset(pair.held, 0xFF, sizeof pair.held);
    const uint32_t most = hs_idf_inline_most(pair.inlined);
    for (uint32_t bytes = 1; bytes <= 5000; bytes++) { /* each size once, and its block back */
        step(&pair, 0, bytes);
        step(&pair, 0, 0);
    }
    compare(&pair, 5000);
    step(&pair, 0, most);
    compare(&pair, most);
    for (int i = 0; i < check_rounds(ROUNDS); i++) {
        const uint32_t bytes = some_size(random, most);
        step(&pair, check_below(random, HELD), bytes);
        if (i % 16 == 0) {
            compare(&pair, bytes);
        }
    }
    compare(&pair, 0);
    hs_sim_delete(pair.inlined);
    hs_sim_delete(pair.model);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    run("idf-5.5", 0x20000000u, 100000, &random);
    run("idf-5.5", 0x3FFB0000u, 300000, &random);
    run("idf-5.1", 0x3FC88000u, 40000, &random);
    run("idf-5.3", 0x00010000u, 1 << 20, &random);
    return 0;
}
