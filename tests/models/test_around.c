/* Poisoning and task tracking cost what they cost on the chip: a flavoured heap does with every
 * request what the plain one does with the larger one, and hands out what lies behind the front. */
#include "program.h"

/* Bytes, by reading multi_heap_poisoning.c (v3.3 to v5.5) and heap_caps_base.c (v5.2 to
 * v5.5). */
typedef struct flavour {
    const char *name;
    const char *plain;
    uint32_t front, total;
    uint32_t poison; /* taken off the reports */
} flavour_t;

static const flavour_t FLAVOURS[] = {
    {"idf-3.3+light", "idf-3.3", 8, 12, 12},
    {"idf-4.2+light", "idf-4.2", 8, 12, 12},
    {"idf-4.2+track", "idf-4.2", 12, 16, 16},
    {"idf-4.3.2+light", "idf-4.3.2", 8, 12, 12},
    {"idf-4.3.2-psram+track", "idf-4.3.2-psram", 12, 16, 16},
    {"idf-4.4.2-fl19+track", "idf-4.4.2-fl19", 12, 16, 16},
    {"idf-5.1+track", "idf-5.1", 12, 16, 16},
    {"idf-5.2+track", "idf-5.2", 4, 4, 0},
    {"idf-5.3+light+track", "idf-5.3", 12, 16, 12},
    {"idf-5.5+light", "idf-5.5", 8, 12, 12},
    {"idf-5.5+track", "idf-5.5", 4, 4, 0},
    {"idf-5.5+light+track", "idf-5.5", 12, 16, 12},
    {"heapscope+light", "heapscope", 8, 12, 12},
};

#define BLOCKS_MAX 200u

typedef struct pair {
    const flavour_t *flavour;
    hs_sim_t *heap, *plain;
    uint32_t offset[BLOCKS_MAX]; /* of the flavoured heap's blocks */
    bool aligned[BLOCKS_MAX];
    uint32_t count, failures;
} pair_t;

static hs_sim_t *open_heap(const char *name)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    hs_sim_t *heap = hs_sim_new(allocator, UINT32_C(0x3FFB0000), 24576, NULL);
    CHECK(heap != NULL, "%s", name);
    return heap;
}

static void agree(const pair_t *pair, uint32_t got, uint32_t raw)
{
    CHECK(got == (raw == HS_NONE ? HS_NONE : raw + pair->flavour->front), "%s: %u, raw %u",
          pair->flavour->name, got, raw);
}

static void add(pair_t *pair, uint32_t got, uint32_t raw, bool aligned)
{
    agree(pair, got, raw);
    if (got == HS_NONE) {
        pair->failures++;
        return;
    }
    pair->offset[pair->count] = got;
    pair->aligned[pair->count++] = aligned;
    CHECK(hs_sim_usable(pair->heap, got, aligned) + pair->flavour->total ==
              hs_sim_usable(pair->plain, raw, aligned),
          "%s: usable at %u", pair->flavour->name, got);
}

static void allocate(pair_t *pair, uint32_t size, check_random_t *random)
{
    const flavour_t *flavour = pair->flavour;
    const uint32_t raw = size + flavour->total;
    const uint32_t align = UINT32_C(8) << check_below(random, 6);
    const uint32_t at = 8 * check_below(random, size / 8 + 1);
    CHECK(hs_sim_fits(pair->heap, 0, size, 0) == hs_sim_fits(pair->plain, 0, raw, 0), "%s: %u",
          flavour->name, size);
    CHECK(hs_sim_fits(pair->heap, align, size, at) ==
              hs_sim_fits(pair->plain, align, raw, at + flavour->front),
          "%s: %u to %u", flavour->name, size, align);
    if (check_below(random, 4) == 0) {
        add(pair, hs_sim_aligned(pair->heap, align, size, at),
            hs_sim_aligned(pair->plain, align, raw, at + flavour->front), true);
    } else {
        add(pair, hs_sim_malloc(pair->heap, size), hs_sim_malloc(pair->plain, raw), false);
    }
}

static void resize(pair_t *pair, uint32_t index, uint32_t size)
{
    const flavour_t *flavour = pair->flavour;
    const uint32_t old = pair->offset[index];
    const uint32_t got = hs_sim_realloc(pair->heap, old, size);
    agree(pair, got, hs_sim_realloc(pair->plain, old - flavour->front, size + flavour->total));
    if (got != HS_NONE) {
        pair->offset[index] = got;
        pair->aligned[index] = false;
    }
}

static void give_back(pair_t *pair, uint32_t index)
{
    const uint32_t raw = pair->offset[index] - pair->flavour->front;
    hs_sim_free(pair->heap, pair->offset[index], pair->aligned[index]);
    hs_sim_free(pair->plain, raw, pair->aligned[index]);
    pair->count--;
    pair->offset[index] = pair->offset[pair->count];
    pair->aligned[index] = pair->aligned[pair->count];
}

static uint32_t less(uint32_t bytes, uint32_t amount)
{
    return bytes > amount ? bytes - amount : 0;
}

static void compare(const pair_t *pair)
{
    const flavour_t *flavour = pair->flavour;
    hs_reported_t says, plain;
    hs_sim_reported(pair->heap, &says);
    hs_sim_reported(pair->plain, &plain);
    CHECK(says.free == less(plain.free, flavour->poison) &&
              says.minimum_free == less(plain.minimum_free, flavour->poison) &&
              says.largest_free == less(plain.largest_free, flavour->poison) &&
              says.allocated == plain.allocated - flavour->poison * pair->count,
          "%s: reports", flavour->name);
    CHECK(hs_sim_largest_allocatable(pair->heap) ==
              less(hs_sim_largest_allocatable(pair->plain), flavour->total),
          "%s: largest", flavour->name);
    CHECK(memcmp(&pair->heap->tally, &pair->plain->tally, sizeof pair->heap->tally) == 0,
          "%s: the true figures are those of the raw heap", flavour->name);
}

static void run(const flavour_t *flavour, check_random_t *random)
{
    pair_t pair = {flavour, open_heap(flavour->name), open_heap(flavour->plain), {0}, {0}, 0, 0};
    CHECK(hs_sim_malloc(pair.heap, 0) == HS_NONE, "%s: size 0", flavour->name);
    for (uint32_t below = 0; below < flavour->total; below++) {
        CHECK(hs_sim_malloc(pair.heap, UINT32_MAX - below) == HS_NONE, "%s: 2^32 - %u - 1",
              flavour->name, below);
    }
    for (int step = 0; step < 4000; step++) {
        const uint32_t size = 1 + check_below(random, 3000u >> check_below(random, 9));
        const uint32_t choice = check_below(random, 8);
        const uint32_t index = pair.count == 0 ? 0 : check_below(random, pair.count);
        if (pair.count == 0 || (choice < 4 && pair.count < BLOCKS_MAX)) {
            allocate(&pair, size, random);
        } else if (choice < 6 && !(pair.aligned[index] && pair.heap->model->aligned_is_own)) {
            resize(&pair, index, size);
        } else {
            give_back(&pair, index);
        }
        compare(&pair);
    }
    CHECK(pair.failures > 10, "%s: never full", flavour->name);
    hs_sim_delete(pair.heap);
    hs_sim_delete(pair.plain);
}

/* Asked for by itself, without a name that says what it implies. */
static void tracking_in_the_poison_brings_poisoning(void)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse("idf-4.2", &allocator) == HS_OK, "idf-4.2");
    allocator.track = true;
    hs_sim_t *heap = hs_sim_new(allocator, 4096, 65536, NULL);
    CHECK(heap != NULL && hs_sim_malloc(heap, 100) == 28 + 12, "28 is the raw block's");
    hs_sim_delete(heap);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    tracking_in_the_poison_brings_poisoning();
    for (size_t i = 0; i < sizeof FLAVOURS / sizeof FLAVOURS[0]; i++) {
        run(&FLAVOURS[i], &random);
    }
    return 0;
}
