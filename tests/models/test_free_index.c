/* An allocator that searches a list answers the same with the index of its free blocks as by walking: each
 * result, each count of its steps, and each question, after every operation of random programs. A copy has an
 * index of its own. */
#include <string.h>

#include "allocators/allocators.h"
#include "check.h"
#include "free_index.h"
#include "model.h"

#define BLOCKS_MAX 600
#define STEPS 3000

/* The same program on two heaps, of which one walks. */
typedef struct twins {
    const char *name;
    hs_sim_t *quick;
    hs_sim_t *walks;
    uint32_t offsets[BLOCKS_MAX];
    uint32_t count;
} twins_t;

static void check_twins(const twins_t *twins, uint32_t one, uint32_t other)
{
    uint32_t where;
    hs_sim_t *const a = twins->quick, *const b = twins->walks;
    CHECK(one == other, "%s: %u and %u", twins->name, one, other);
    CHECK(a->index != NULL && b->index == NULL, "%s: which one walks?", twins->name);
    CHECK(a->steps.nodes == b->steps.nodes, "%s: %llu nodes and %llu", twins->name,
          (unsigned long long)a->steps.nodes, (unsigned long long)b->steps.nodes);
    CHECK(a->steps.writes == b->steps.writes && a->steps.copied == b->steps.copied, "%s",
          twins->name);
    CHECK(memcmp(&a->tally, &b->tally, sizeof a->tally) == 0, "%s: the tally", twins->name);
    CHECK(memcmp(a->mem, b->mem, a->size) == 0, "%s: the memory", twins->name);
    CHECK(hs_sim_largest_free(a) == hs_sim_largest_free(b), "%s: the largest", twins->name);
    CHECK(hs_sim_check(a, &where) == HS_OK, "%s: fault at %u", twins->name, where);
}

static void check_questions(twins_t *twins, check_random_t *random)
{
    const uint32_t size = 1 + check_below(random, twins->quick->size / 4);
    CHECK(hs_sim_fits(twins->quick, 0, size, 0) == hs_sim_fits(twins->walks, 0, size, 0), "%s: %u",
          twins->name, size);
    CHECK(hs_sim_largest_allocatable(twins->quick) == hs_sim_largest_allocatable(twins->walks),
          "%s", twins->name);
}

/* Sizes are few, so that many holes are alike. */
static uint32_t size_of(check_random_t *random, uint32_t most)
{
    return check_below(random, 4) == 0 ? 1 + check_below(random, most)
                                       : 4 + 8 * check_below(random, 12);
}

static void step(twins_t *twins, check_random_t *random)
{
    const uint32_t what = check_below(random, 10);
    const uint32_t size = size_of(random, twins->quick->size / 40);
    if (twins->count < BLOCKS_MAX && (what < 5 || twins->count == 0)) {
        const uint32_t offset = hs_sim_malloc(twins->quick, size);
        check_twins(twins, offset, hs_sim_malloc(twins->walks, size));
        if (offset != HS_NONE) {
            twins->offsets[twins->count++] = offset;
        }
        return;
    }
    const uint32_t at = check_below(random, twins->count);
    if (what == 9) {
        const uint32_t offset = hs_sim_realloc(twins->quick, twins->offsets[at], size);
        check_twins(twins, offset, hs_sim_realloc(twins->walks, twins->offsets[at], size));
        twins->offsets[at] = offset != HS_NONE ? offset : twins->offsets[at];
        return;
    }
    hs_sim_free(twins->quick, twins->offsets[at], false);
    hs_sim_free(twins->walks, twins->offsets[at], false);
    check_twins(twins, 0, 0);
    twins->offsets[at] = twins->offsets[--twins->count];
}

/* The copy goes on in the place of the heap that was copied. */
static void become_copy(twins_t *twins)
{
    hs_sim_t *copy = hs_sim_clone(twins->quick);
    CHECK(copy != NULL && copy->index != twins->quick->index, "%s", twins->name);
    hs_sim_delete(twins->quick);
    twins->quick = copy;
    check_twins(twins, 0, 0);
}

static void run(const char *name, uint32_t base, uint32_t size, check_random_t *random)
{
    hs_allocator_t allocator;
    twins_t twins = {.name = name};
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    twins.quick = hs_sim_new(allocator, base, size, NULL);
    twins.walks = hs_sim_new(allocator, base, size, NULL);
    CHECK(twins.quick != NULL && twins.walks != NULL, "%s", name);
    hs_index_drop(twins.walks);
    for (int i = 0; i < check_rounds(STEPS); i++) {
        step(&twins, random);
        if (check_below(random, 8) == 0) {
            check_questions(&twins, random);
        }
        if (check_below(random, 500) == 0) {
            become_copy(&twins);
        }
    }
    hs_sim_delete(twins.quick);
    hs_sim_delete(twins.walks);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const char *const names[] = {"idf-3.3", "idf-4.2", "idf-4.2+light", "umm",
                                 "umm:32",  "heap_4",  "heap_4-4"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        run(names[i], UINT32_C(0x3FFB0000), 24576, &random);
        run(names[i], UINT32_C(0x3FFB0014), 9001, &random);
    }
    return 0;
}
