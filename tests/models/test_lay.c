/* A heap that was made to hold the blocks of another one has the same blocks and holes, with marks that
 * begin there. Where it cannot have them, it is as it was: our own heap gives small blocks places by a history
 * that blocks do not tell. */
#include "map.h"

static bool same(const map_t *one, const map_t *other)
{
    bool is = one->count == other->count;
    for (uint32_t i = 0; is && i < one->count; i++) {
        is = one->blocks[i].offset == other->blocks[i].offset &&
             one->blocks[i].size == other->blocks[i].size &&
             one->blocks[i].used == other->blocks[i].used;
    }
    return is;
}

/* The used blocks of a heap, as the program knows them. */
static size_t blocks_of(const hs_sim_t *heap, const map_t *map, hs_laid_t *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        if (map->blocks[i].used) {
            out[count++] = (hs_laid_t){.offset = map->blocks[i].offset + heap->around.front,
                                       .size = map->blocks[i].size - hs_sim_overhead(heap),
                                       .held = true};
        }
    }
    return count;
}

/* `exact`: holes are the same, too. Whether the blocks of `heap` could be laid into another heap of its kind, which is checked. */
static bool lay(const char *name, const hs_sim_t *heap, bool exact, check_random_t *random)
{
    hs_laid_t blocks[BLOCKS_MAX];
    const map_t map = map_of(heap);
    const size_t count = blocks_of(heap, &map, blocks);
    hs_sim_t *other = hs_sim_new(heap->allocator, heap->base, heap->size, NULL);
    CHECK(other != NULL, "%s", name);
    (void)hs_sim_malloc(other, 1 + check_below(random, 100)); /* it need not be new */
    const map_t before = map_of(other);
    const bool laid = hs_sim_lay(other, blocks, count);
    const map_t after = map_of(other);
    uint32_t where;
    CHECK(hs_sim_check(other, &where) == HS_OK, "%s: fault at %u", name, where);
    if (laid) {
        hs_laid_t match[BLOCKS_MAX];
        CHECK(!exact || same(&map, &after), "%s: other holes", name);
        CHECK(blocks_of(other, &after, match) == count, "%s: other blocks", name);
        for (size_t i = 0; i < count; i++) {
            CHECK(match[i].offset == blocks[i].offset, "%s: block %u", name, match[i].offset);
        }
        hs_reported_t reported;
        other->model->reported(other, &reported);
        CHECK(reported.minimum_free == reported.free &&
                  other->tally.minimum_free == other->tally.free,
              "%s: its minimum", name);
    } else {
        CHECK(same(&before, &after), "%s: it was changed", name);
    }
    blocks[0].offset++; /* nothing lies there */
    CHECK(count == 0 || !hs_sim_lay(other, blocks, count), "%s: a block at an odd place", name);
    hs_sim_delete(other);
    return laid;
}

static void run(const char *name, uint32_t size, bool always, check_random_t *random)
{
    program_t program;
    int laid = 0, tried = 0;
    program_open(&program, name, UINT32_C(0x3FFB0000), size, random);
    for (int step = 0; step < 3000; step++) {
        program.size_max = (step / 500) % 2 == 0 ? size / 8 : size / 64;
        program_step(&program);
        if (step % 50 == 49) {
            const bool done = lay(name, program.heap, always, random);
            CHECK(done || !always, "%s: the blocks of step %d have no place", name, step);
            laid += done;
            tried++;
        }
    }
    printf("%s, %u bytes: %d of %d\n", name, size, laid, tried);
    CHECK(laid * 4 > tried, "%s: %d of %d", name, laid, tried);
    program_close(&program);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    static const char *const exact[] = {"idf-4.2",   "idf-4.2+light", "idf-4.3.2",
                                        "idf-4.4.2", "idf-5.1+light", "idf-5.3",
                                        "idf-5.5",   "idf-5.5+light", "heap_4"};
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        run(exact[i], 16384, true, &random);
        run(exact[i], 200000, true, &random);
    }
    run("heapscope", 200000, false, &random);
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse("umm", &allocator) == HS_OK, "umm");
    hs_sim_t *other = hs_sim_new(allocator, 0x20000000, 4096, NULL);
    const hs_laid_t block = {.offset = hs_sim_malloc(other, 10), .size = 10};
    CHECK(!hs_sim_lay(other, &block, 1), "an allocator whose low-water mark cannot begin anew");
    hs_sim_delete(other);
    return 0;
}
