/* Random programs: blocks never overlap, hold what was asked for, and after every operation the
 * heap is whole and its tally is what a walk sees. */
#include "program.h"

typedef struct sums {
    hs_tally_t tally;
    uint32_t largest;
    uint32_t end; /* of the last block seen */
    uint32_t abuts;
} sums_t;

static bool add_up(void *context, const hs_walk_block_t *block)
{
    sums_t *sums = context;
    /* At least a header lies between two blocks, where a kind has one. */
    CHECK(block->offset + sums->abuts > sums->end, "block at %u, last end %u", block->offset,
          sums->end);
    sums->end = block->offset + block->size;
    if (block->used) {
        sums->tally.used += block->size;
        sums->tally.used_blocks++;
    } else {
        sums->tally.free += block->size;
        sums->tally.free_blocks++;
        sums->largest = block->size > sums->largest ? block->size : sums->largest;
    }
    return true;
}

static bool add_hole(void *context, const hs_walk_block_t *block)
{
    hs_tally_t *holes = context;
    holes->free += block->used ? 0 : block->size;
    holes->free_blocks += block->used ? 0 : 1;
    return true;
}

static void check_tally(const program_t *program, uint32_t minimum_before)
{
    const hs_sim_t *heap = program->heap;
    const hs_tally_t *tally = &heap->tally;
    sums_t sums;
    memset(&sums, 0, sizeof sums);
    sums.abuts = kind_abuts(program->name);
    hs_sim_walk(heap, add_up, &sums);
    CHECK(tally->used == sums.tally.used, "%s: %u", program->name, sums.tally.used);
    CHECK(tally->free == sums.tally.free, "%s: %u", program->name, sums.tally.free);
    CHECK(tally->used_blocks == sums.tally.used_blocks && tally->used_blocks == program->count,
          "%s: %u", program->name, sums.tally.used_blocks);
    CHECK(hs_sim_free_blocks(heap) == sums.tally.free_blocks, "%s", program->name);
    CHECK(tally->minimum_free <= tally->free && tally->minimum_free <= minimum_before, "%s",
          program->name);
    CHECK((uint64_t)tally->control + tally->used + tally->free <= heap->size, "%s", program->name);
    CHECK(hs_sim_largest_free(heap) == sums.largest, "%s: %u", program->name, sums.largest);
    hs_tally_t holes = {.free = 0};
    hs_sim_walk_free(heap, add_hole, &holes);
    CHECK(holes.free == tally->free && holes.free_blocks == sums.tally.free_blocks, "%s: %u in %u",
          program->name, holes.free, holes.free_blocks);
}

static bool count_one(void *context, const hs_walk_block_t *block)
{
    (void)block;
    ++*(uint32_t *)context;
    return false;
}

static void run(const char *name, uint32_t base, uint32_t size, check_random_t *random)
{
    program_t program;
    uint32_t visited = 0;
    program_open(&program, name, base, size, random);
    uint32_t empty = program.heap->tally.free;
    for (int step = 0; step < program_steps(name, 6000); step++) {
        uint32_t minimum = program.heap->tally.minimum_free;
        /* Phases of shortage and of plenty. */
        program.size_max = (step / 1000) % 2 == 0 ? size / 8 : size / 64;
        program_step(&program);
        program_check_heap(&program);
        check_tally(&program, minimum);
    }
    CHECK(CHECK_THIN > 1 || program.failures > 0, "%s: never out of memory", name);
    hs_sim_walk(program.heap, count_one, &visited);
    CHECK(visited == 1, "%s: a walk that was told to stop saw %u", name, visited);
    while (program.count > 0) {
        program_free(&program, program.count - 1);
        program_check_heap(&program);
    }
    CHECK((program.heap->tally.free == empty && hs_sim_free_blocks(program.heap) == 1) ||
              !kind_heals(name),
          "%s: %u free of %u", name, program.heap->tally.free, empty);
    program_close(&program);
}

/* While a realloc copies, old and new block exist at once: the low-water mark must know. */
static void check_minimum_of_move(const char *name, check_random_t *random)
{
    program_t program;
    program_open(&program, name, UINT32_C(0x3FFB0000), 16384, random);
    hs_sim_t *heap = program.heap;
    uint32_t old = hs_sim_malloc(heap, 1000);
    uint32_t barrier = hs_sim_malloc(heap, 16);
    uint32_t before = heap->tally.free;
    uint32_t moved = hs_sim_realloc(heap, old, 3000);
    CHECK(moved != HS_NONE && moved != old && barrier != HS_NONE, "%s: no move", name);
    CHECK(heap->tally.minimum_free + 3000 <= before, "%s: %u", name, heap->tally.minimum_free);
    CHECK(heap->tally.lowest_free == heap->tally.minimum_free, "%s", name);
    CHECK(heap->steps.copied >= 1000 && heap->steps.copied < 1100, "%s: %llu copied", name,
          (unsigned long long)heap->steps.copied);
    program_close(&program);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const char *name;
    for (size_t i = 0; (name = program_next(&i)) != NULL;) {
        check_minimum_of_move(name, &random);
        run(name, UINT32_C(0x3FFB0000), 16384 + 20, &random);
        run(name, UINT32_C(0x3FFB0014), 40001, &random);
        run(name, UINT32_C(0xFFFF0000), 3 * 16384, &random);
    }
    return 0;
}
