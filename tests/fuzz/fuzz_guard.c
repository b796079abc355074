/*
 * Any bytes as a sequence of calls on a guarded heap, between which memory is overwritten: payloads
 * and what lies beside them, freed blocks, at the higher levels anything. The first three bytes choose
 * level, policy, form, alignment, owners, sites and size. Until the first wrong write everything must
 * be sound; after it, each call must end within the region, and what the guard refuses or finds it must
 * have told of.
 */
#define CHECK_FAILED abort()

#include "../device/region.h"
#include "fuzz.h"
#include "heapscope/guard.h"

#define CALLS_MAX 400 /* of one input */
#define BLOCKS 32u

typedef struct input {
    const uint8_t *at;
    const uint8_t *end;
} input_t;

static region_t region;
static hs_guard_t guard;
static hs_guard_config_t config;
static uint8_t *blocks[BLOCKS];
static uint8_t *stale; /* the last freed one */
static size_t faults;
static bool written; /* something wrong was */

static uint32_t next_byte(input_t *input)
{
    return input->at < input->end ? *input->at++ : 0;
}

static void note(void *context, const hs_fault_t *fault)
{
    (void)context;
    FUZZ_REQUIRE(written && fault->kind != 0);
    faults++;
}

static bool is_inside(const uint8_t *at)
{
    return at >= region.memory && at < region.memory + region.size;
}

/* The result of a call, all of it written. */
static void keep(uint32_t index, uint8_t *block, size_t size)
{
    blocks[index] = block;
    if (block != NULL) {
        FUZZ_REQUIRE(is_inside(block) && is_inside(block + size - 1));
        FUZZ_REQUIRE(written || hs_guard_usable_size(&guard, block) >= size);
        memset(block, (int)index, size);
    }
}

static void drop(uint32_t index)
{
    const size_t before = faults;
    const hs_status_t status = hs_guard_free(&guard, blocks[index]);
    FUZZ_REQUIRE(status == HS_OK || (written && faults > before));
    stale = blocks[index];
    blocks[index] = NULL;
}

/* Beside a block, where one was, or at any level's own risk nowhere near one. */
static void overwrite(input_t *input, uint32_t index)
{
    uint8_t *const from = blocks[index] != NULL ? blocks[index] : stale;
    uint8_t *const at = from == NULL ? NULL : from + (int8_t)next_byte(input);
    const uint8_t byte = (uint8_t)next_byte(input);
    /* The control block and the bitmap are the heap's: test_heap_damage.c. */
    if (at != NULL && is_inside(at) && at >= (uint8_t *)guard.heap + 256) {
        written = true;
        *at = byte;
    }
}

static void call(input_t *input)
{
    const uint32_t what = next_byte(input);
    const uint32_t index = what / 8;
    const hs_tag_t tag = {what, input};
    switch (what % 8) {
    case 0:
    case 1:
    case 2:
        if (blocks[index] == NULL) {
            const size_t size = 1 + next_byte(input);
            const size_t alignment = what % 8 == 2 ? (size_t)1 << next_byte(input) % 8 : 1;
            keep(index,
                 alignment == 1 ? hs_guard_malloc(&guard, size, tag)
                                : hs_guard_aligned_alloc(&guard, alignment, size, 0, tag),
                 size);
        }
        break;
    case 3:
        if (blocks[index] != NULL) {
            const size_t size = 1 + next_byte(input);
            uint8_t *const moved = hs_guard_realloc(&guard, blocks[index], size, tag);
            keep(index, moved != NULL ? moved : blocks[index], moved != NULL ? size : 1);
        }
        break;
    case 4:
    case 5:
        if (blocks[index] != NULL) {
            drop(index);
        }
        break;
    case 6:
        overwrite(input, index);
        break;
    default: {
        const size_t before = faults;
        const hs_status_t status = hs_guard_check(&guard);
        FUZZ_REQUIRE((status == HS_OK) == (faults == before));
        FUZZ_REQUIRE(status == HS_OK || written);
        break;
    }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input_t input = {data, data + size};
    const uint32_t kind = next_byte(&input), marks = next_byte(&input);
    const hs_heap_config_t shape = {(hs_form_t)(1 + kind / 8 % 3), kind / 32 % 2 != 0 ? 16 : 8};
    config =
        (hs_guard_config_t){.level = (hs_guard_level_t)(kind % 4),
                            .policy = kind / 4 % 2 != 0 ? HS_POLICY_CONTINUE : HS_POLICY_REPORT,
                            .owners = marks % 2 != 0,
                            .sites = marks / 2 % 2 != 0,
                            .alignment = marks / 4 % 2 != 0 ? 4 : 0,
                            .walk_every = 1 + marks / 8,
                            .report = note};
    region = region_open(900 + 8 * next_byte(&input), 0);
    hs_heap_t *const heap = hs_heap_create(region.memory, region.size, &shape);
    FUZZ_REQUIRE(heap != NULL && hs_guard_init(&guard, heap, &config) == HS_OK);
    memset(blocks, 0, sizeof blocks);
    stale = NULL;
    faults = 0;
    written = false;
    for (int calls = 0; input.at < input.end && calls < CALLS_MAX; calls++) {
        call(&input);
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        if (blocks[i] != NULL) {
            drop(i);
        }
    }
    FUZZ_REQUIRE(written || (faults == 0 && hs_guard_check(&guard) == HS_OK));
    region_close(&region);
    return 0;
}
