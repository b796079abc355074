/* The table of live blocks equals a plain list after every operation. */
#include "../models/check.h"
#include "chip/blocks.h"

#define LIVE_MAX 4096u

typedef struct shadow {
    uint64_t key[LIVE_MAX];
    uint32_t value[LIVE_MAX];
    uint32_t count, peak;
} shadow_t;

static uint64_t some_key(check_random_t *random, uint32_t style)
{
    static uint64_t sequence;
    switch (style) {
    case 0:
        return sequence++;
    case 1:
        return 0x3FFB0000u + 4u * (uint64_t)check_below(random, 1u << 16);
    case 2: /* all want the same few direct ways */
        return (uint64_t)check_below(random, 1u << 16) << 40 | check_below(random, 4);
    default:
        return (uint64_t)check_next(random) << 32 | check_next(random);
    }
}

static uint32_t index_of(const shadow_t *shadow, uint64_t key)
{
    uint32_t i = 0;
    while (i < shadow->count && shadow->key[i] != key) {
        i++;
    }
    return i;
}

static void insert(hs_blocks_t *blocks, shadow_t *shadow, check_random_t *random, uint32_t style)
{
    const uint64_t key = some_key(random, style);
    if (shadow->count == LIVE_MAX || index_of(shadow, key) < shadow->count) {
        return;
    }
    hs_block_t *block = hs_blocks_insert(blocks, key);
    CHECK(block != NULL && block->requested == 0 && block->key == key, "a fresh record");
    block->requested = check_next(random);
    shadow->key[shadow->count] = key;
    shadow->value[shadow->count++] = block->requested;
    shadow->peak = shadow->count > shadow->peak ? shadow->count : shadow->peak;
}

static void remove_one(hs_blocks_t *blocks, shadow_t *shadow, uint32_t i)
{
    const hs_block_t *block = hs_blocks_take(blocks, shadow->key[i]);
    CHECK(block != NULL, "key %u of %u", i, shadow->count);
    CHECK(block->key == shadow->key[i] && block->requested == shadow->value[i], "still readable");
    CHECK(hs_blocks_find(blocks, shadow->key[i]) == NULL, "taken");
    CHECK(hs_blocks_take(blocks, shadow->key[i]) == NULL, "only once");
    shadow->count--;
    shadow->key[i] = shadow->key[shadow->count];
    shadow->value[i] = shadow->value[shadow->count];
}

static void compare(const hs_blocks_t *blocks, const shadow_t *shadow)
{
    CHECK(hs_blocks_count(blocks) == shadow->count, "%zu != %u", hs_blocks_count(blocks),
          shadow->count);
    CHECK(blocks->used == shadow->peak, "%zu != %u", blocks->used, shadow->peak);
    for (uint32_t i = 0; i < shadow->count; i++) {
        const hs_block_t *block = hs_blocks_find(blocks, shadow->key[i]);
        CHECK(block != NULL && block->requested == shadow->value[i], "key %u", i);
    }
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    static shadow_t shadow;
    for (uint32_t style = 0; style < 4; style++) {
        hs_blocks_t blocks;
        CHECK(hs_blocks_init(&blocks), "init");
        shadow.count = shadow.peak = 0;
        for (uint32_t step = 0; step < 20000; step++) {
            const bool grows =
                step < 10000 ? check_below(&random, 3) != 0 : check_below(&random, 3) == 0;
            if (grows) {
                insert(&blocks, &shadow, &random, style);
            } else if (shadow.count != 0) {
                remove_one(&blocks, &shadow, check_below(&random, shadow.count));
            }
            if (step % 97 == 0) {
                compare(&blocks, &shadow);
            }
        }
        compare(&blocks, &shadow);
        hs_blocks_free(&blocks);
    }
    return 0;
}
