/* A replay for places alone may leave out some things: a malloc and its free right behind, where the model says so;
 * figures, for every model; larger regions, where the model says that blocks stay where they are; other allocators, where
 * heaps of theirs are alike. */
#include "program.h"

#define STEPS 1500

/* The same program on two heaps. */
typedef struct twins {
    check_random_t random[2];
    program_t program[2];
} twins_t;

static void open_twins(twins_t *twins, const char *name, check_random_t *random,
                       const uint32_t sizes[2])
{
    const uint64_t seed = UINT64_C(2) * check_next(random) + 1;
    const uint32_t base = 0x20000000u + 16 * check_below(random, 8);
    for (int i = 0; i < 2; i++) {
        twins->random[i] = (check_random_t){seed};
        program_open(&twins->program[i], name, base, sizes[i], &twins->random[i]);
        twins->program[i].size_max = sizes[0] / 24;
    }
}

static void close_twins(twins_t *twins)
{
    program_close(&twins->program[0]);
    program_close(&twins->program[1]);
}

static bool has_model(const char *name, bool (*has)(const hs_model_t *model))
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    return has(allocator.model);
}

/* One more step of each, and the same blocks at the same places. */
static void step(twins_t *twins, const char *what)
{
    const program_t *one = &twins->program[0];
    const program_t *other = &twins->program[1];
    program_step(&twins->program[0]);
    program_step(&twins->program[1]);
    CHECK(one->count == other->count && one->failures == other->failures, "%s: %s", one->name,
          what);
    for (size_t i = 0; i < one->count; i++) {
        CHECK(one->blocks[i].offset == other->blocks[i].offset, "%s: %s: block %u, not %u",
              one->name, what, other->blocks[i].offset, one->blocks[i].offset);
    }
}

static bool undoes_malloc(const hs_model_t *model)
{
    return model->undoes_malloc;
}

static void check_undone(const char *name, check_random_t *random)
{
    twins_t twins;
    const uint32_t size = 8000 + check_below(random, 30000);
    open_twins(&twins, name, random, (const uint32_t[]){size, size});
    hs_sim_t *heap = twins.program[1].heap;
    for (int i = program_steps(name, STEPS); i > 0; i--) {
        for (uint32_t pairs = check_below(random, 3); pairs > 0; pairs--) {
            const uint32_t wanted = 1 + check_below(random, size >> check_below(random, 10));
            const uint32_t offset = hs_sim_malloc(heap, wanted);
            if (offset != HS_NONE) {
                hs_sim_free(heap, offset, false);
            }
        }
        step(&twins, "a malloc that is undone");
    }
    program_check_heap(&twins.program[1]);
    close_twins(&twins);
}

static void check_places_alone(const char *name, check_random_t *random)
{
    twins_t twins;
    const uint32_t size = 8000 + check_below(random, 30000);
    open_twins(&twins, name, random, (const uint32_t[]){size, size});
    twins.program[1].heap->places_alone = true;
    for (int i = program_steps(name, STEPS); i > 0; i--) {
        step(&twins, "places alone");
    }
    close_twins(&twins);
}

static bool keeps_places(const hs_model_t *model)
{
    return model->keeps_places;
}

/* The sizes that differ by little are those that differ in what is left at the region's end. Returns the steps
 * up to the first refusal. */
static uint32_t check_larger(const char *name, check_random_t *random)
{
    twins_t twins;
    const uint32_t size = 600 + 8 * check_below(random, 600);
    const uint32_t more = 8 + 8 * check_below(random, check_below(random, 2) ? 6 : 600);
    open_twins(&twins, name, random, (const uint32_t[]){size, size + more});
    uint32_t steps = 0;
    for (; steps < 400; steps++) {
        const check_random_t before = twins.random[0];
        hs_sim_t *tried = hs_sim_clone(twins.program[0].heap);
        CHECK(tried != NULL, "memory");
        program_t probe = twins.program[0];
        probe.heap = tried;
        program_step(&probe);
        hs_sim_delete(tried);
        twins.random[0] = before;
        if (probe.failures != 0) {
            break;
        }
        step(&twins, "a larger region");
    }
    close_twins(&twins);
    return steps;
}

#define LIKE_MAX 40u

/* A new heap, and the number of bytes before its first block. */
typedef struct like {
    const char *name;
    hs_sim_t *heap;
    uint32_t first;
} like_t;

static like_t open_like(const char *name, uint32_t size)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    like_t like = {name, hs_sim_new(allocator, 0x20000000u, size, NULL), 0};
    hs_sim_t *probe = like.heap == NULL ? NULL : hs_sim_clone(like.heap);
    if (probe != NULL) {
        like.first = hs_sim_malloc(probe, 4);
        hs_sim_delete(probe);
    }
    return like;
}

/* Every heap of a plain allocator that has the likeness of the first. */
static uint32_t open_alike(like_t likes[LIKE_MAX], uint32_t inside)
{
    uint32_t count = 0;
    uint32_t likeness = 0;
    for (size_t i = 0; hs_allocator_name(i) != NULL && count < LIKE_MAX; i++) {
        const char *name = hs_allocator_name(i);
        hs_allocator_t allocator;
        CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
        if (strchr(name, '+') != NULL || allocator.model->likeness == NULL) {
            continue;
        }
        const like_t small = open_like(name, 65536);
        CHECK(small.heap != NULL, "%s", name);
        const like_t like = open_like(name, small.first + inside);
        hs_sim_delete(small.heap);
        const uint32_t has = like.heap == NULL ? 0 : allocator.model->likeness(like.heap);
        if (has == 0 || (likeness != 0 && has != likeness)) {
            hs_sim_delete(like.heap);
            continue;
        }
        likeness = has;
        likes[count++] = like;
    }
    return count;
}

static uint32_t at_first(const like_t *like, uint32_t offset)
{
    return offset == HS_NONE ? HS_NONE : offset - like->first;
}

/* Heaps of one likeness do the same, up to requests that none of them can serve. */
static uint32_t check_likeness(check_random_t *random)
{
    enum { BLOCKS = 60 };
    like_t likes[LIKE_MAX];
    const uint32_t inside = 4000 + 4 * check_below(random, 80000);
    const uint32_t count = open_alike(likes, inside);
    uint32_t offsets[BLOCKS];
    memset(offsets, 0xFF, sizeof offsets);
    for (uint32_t step = 0; step < 600 && count > 1; step++) {
        const uint32_t slot = check_below(random, BLOCKS);
        const uint32_t old = offsets[slot];
        const uint32_t size = 1 + check_below(random, (2 * inside) >> check_below(random, 13));
        const uint32_t choice = check_below(random, 3);
        for (uint32_t i = 0; i < count; i++) {
            hs_sim_t *heap = likes[i].heap;
            uint32_t now = HS_NONE;
            if (old == HS_NONE) {
                now = at_first(&likes[i], hs_sim_malloc(heap, size));
            } else if (choice == 0) {
                now = at_first(&likes[i], hs_sim_realloc(heap, old + likes[i].first, size));
                now = now == HS_NONE ? old : now;
            } else {
                hs_sim_free(heap, old + likes[i].first, false);
            }
            CHECK(i == 0 || now == offsets[slot], "%s and %s: %u and %u", likes[0].name,
                  likes[i].name, offsets[slot], now);
            offsets[slot] = now;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        hs_sim_delete(likes[i].heap);
    }
    return count;
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    size_t next = 0;
    uint32_t undone = 0;
    uint32_t larger = 0;
    for (const char *name; (name = program_next(&next)) != NULL;) {
        check_places_alone(name, &random);
        if (has_model(name, undoes_malloc)) {
            check_undone(name, &random);
            undone++;
        }
        if (has_model(name, keeps_places)) {
            for (int i = check_rounds(400); i > 0; i--) {
                larger += check_larger(name, &random);
            }
        }
    }
    uint32_t alike = 0;
    for (int i = check_rounds(60); i > 0; i--) {
        alike += check_likeness(&random) > 3;
    }
    CHECK(CHECK_THIN > 1 || alike > 5, "%u times", alike);
    CHECK(CHECK_THIN > 1 || (undone > 8 && larger > 100), "%u models, %u steps", undone, larger);
    return 0;
}
