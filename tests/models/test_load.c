/* A heap of ESP-IDF that was brought to where another one is shows the same blocks and figures, and
 * serves the same requests; blocks that cannot be are refused. */
#include "map.h"

static hs_sim_t *new_like(const hs_sim_t *heap)
{
    hs_sim_t *copy = hs_sim_new(heap->allocator, heap->base, heap->size, NULL);
    CHECK(copy != NULL, "%s", heap->model->name);
    return copy;
}

static void check_same(const char *name, hs_sim_t *heap, hs_sim_t *loaded)
{
    const map_t one = map_of(heap), other = map_of(loaded);
    CHECK(one.count == other.count, "%s: %u blocks, %u", name, one.count, other.count);
    for (uint32_t i = 0; i < one.count; i++) {
        CHECK(one.blocks[i].offset == other.blocks[i].offset &&
                  one.blocks[i].size == other.blocks[i].size &&
                  one.blocks[i].used == other.blocks[i].used,
              "%s: block %u", name, i);
    }
    hs_reported_t before, after;
    hs_sim_reported(heap, &before);
    hs_sim_reported(loaded, &after);
    CHECK(before.free == after.free && before.largest_free == after.largest_free &&
              before.allocated == after.allocated && after.minimum_free == after.free,
          "%s: %u free, %u", name, before.free, after.free);
    CHECK(hs_sim_largest_allocatable(heap) == hs_sim_largest_allocatable(loaded), "%s", name);
}

static hs_status_t load(const hs_sim_t *heap, const map_t *map, bool lowest_first, hs_sim_t **out)
{
    uint32_t holes[sizeof map->blocks / sizeof map->blocks[0]];
    uint32_t count = 0;
    for (uint32_t i = 0; lowest_first && i < map->count; i++) {
        if (!map->blocks[i].used) {
            holes[count++] = map->blocks[i].offset;
        }
    }
    *out = new_like(heap);
    return hs_sim_load(*out, map->blocks, map->count, holes, count);
}

static void check_whole(const char *name, const hs_sim_t *heap)
{
    uint32_t where = 0;
    CHECK(hs_sim_check(heap, &where) == HS_OK, "%s: fault at %u", name, where);
}

/* Among holes of equal size, the first to be taken is at the end that was asked for. */
static void check_order(const char *name, check_random_t *random)
{
    program_t program;
    program_open(&program, name, UINT32_C(0x3FFB0000), 16384, random);
    const uint32_t size = 512 - hs_sim_overhead(program.heap); /* a class begins at 512 */
    uint32_t blocks[8];
    for (int i = 0; i < 8; i++) {
        blocks[i] = hs_sim_malloc(program.heap, size);
    }
    for (int i = 0; i < 8; i += 2) {
        hs_sim_free(program.heap, blocks[i], false);
    }
    const map_t map = map_of(program.heap);
    for (int lowest = 0; lowest < 2; lowest++) {
        hs_sim_t *loaded;
        CHECK(load(program.heap, &map, lowest != 0, &loaded) == HS_OK, "%s", name);
        const uint32_t first = hs_sim_malloc(loaded, size);
        const bool is_list = program.heap->tally.control < 64; /* it has no tables */
        CHECK(first == blocks[lowest || is_list ? 0 : 6], "%s: %u", name, first);
        hs_sim_delete(loaded);
    }
    program_close(&program);
}

/* A wrong map is refused or makes a whole heap of other blocks, never a broken one. */
static void check_hostile(const char *name, const hs_sim_t *heap, check_random_t *random)
{
    for (int round = 0; round < check_rounds(50); round++) {
        map_t map = map_of(heap);
        hs_walk_block_t *block = &map.blocks[check_below(random, map.count)];
        switch (check_below(random, 6)) {
        case 0:
            block->size += 4 + 4 * check_below(random, 1000);
            break;
        case 1:
            block->size = check_next(random);
            break;
        case 2:
            block->offset ^= UINT32_C(1) << check_below(random, 32);
            break;
        case 3:
            block->used = !block->used;
            break;
        case 4:
            map.count = check_below(random, map.count);
            break;
        default:
            block->size -= check_below(random, block->size);
            break;
        }
        hs_sim_t *loaded;
        if (load(heap, &map, false, &loaded) == HS_OK) {
            check_whole(name, loaded);
        }
        hs_sim_delete(loaded);
    }
}

static void run(const char *name, uint32_t base, uint32_t size, check_random_t *random)
{
    program_t program;
    program_open(&program, name, base, size, random);
    for (int step = 0; step < program_steps(name, 3000); step++) {
        program.size_max = (step / 500) % 2 == 0 ? size / 8 : size / 64;
        program_step(&program);
        if (step % 50 != 0) {
            continue;
        }
        const map_t map = map_of(program.heap);
        hs_sim_t *loaded;
        CHECK(load(program.heap, &map, step % 100 == 0, &loaded) == HS_OK, "%s, step %d", name,
              step);
        check_whole(name, loaded);
        check_same(name, program.heap, loaded);
        CHECK(hs_sim_load(loaded, map.blocks, map.count, NULL, 0) == HS_ERR_ARGUMENT ||
                  map.count == 1,
              "%s: loaded twice", name);
        hs_sim_delete(loaded);
    }
    check_hostile(name, program.heap, random);
    program_close(&program);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const char *name;
    for (size_t i = 0; (name = hs_allocator_name(i)) != NULL; i++) {
        if (strncmp(name, "idf-", 4) != 0) {
            program_t other;
            program_open(&other, name, UINT32_C(0x3FFB0000), 16384, &random);
            const map_t map = map_of(other.heap);
            CHECK(hs_sim_load(other.heap, map.blocks, map.count, NULL, 0) == HS_ERR_ARGUMENT, "%s",
                  name);
            program_close(&other);
            continue;
        }
        check_order(name, &random);
        run(name, UINT32_C(0x3FFB0000), 16384 + 20, &random);
        run(name, UINT32_C(0x3FFB0014), 40001, &random);
        run(name, UINT32_C(0xFFFF0000), 3 * 16384, &random);
    }
    return 0;
}
