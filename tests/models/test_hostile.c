/* Requests and arenas that no program should have: whole heaps after each, and blocks where they belong. Arenas of
 * some hundred bytes at bases of every remainder end in the middle of what an allocator asks sbrk for; alignments up
 * to a page are larger than they are; sizes are zero, and shrink step by step. */
#include "program.h"

#define ARENA 300u
#define TRIES 40u

static void whole(const program_t *program)
{
    uint32_t where = HS_NONE;
    CHECK(hs_sim_check(program->heap, &where) == HS_OK, "%s, %u bytes at %x: %u", program->name,
          program->heap->size, program->heap->base, where);
}

/* From its size down to nothing, which frees it. */
static void shrink(program_t *program, uint32_t offset, uint32_t size)
{
    hs_sim_t *heap = program->heap;
    while (offset != HS_NONE && size != 0) {
        size = check_below(program->random, size);
        const uint32_t used = heap->tally.used_blocks;
        const uint32_t next = hs_sim_realloc(heap, offset, size);
        CHECK(heap->tally.used_blocks == used - (size == 0), "%s: %u blocks", program->name,
              heap->tally.used_blocks);
        CHECK(next == HS_NONE || hs_sim_usable(heap, next, false) >= size, "%s", program->name);
        offset = next == HS_NONE ? offset : next;
        whole(program);
    }
}

static void run(const char *name, uint32_t base, uint32_t size, check_random_t *random)
{
    static const uint32_t alignments[] = {1, 4, 8, 64, 4096};
    program_t program;
    program_open(&program, name, base, size, random);
    hs_sim_t *heap = program.heap;
    for (uint32_t i = 0; i < TRIES; i++) {
        const uint32_t align = alignments[check_below(random, KIND_COUNT(alignments))];
        const uint32_t wanted = check_below(random, 2) == 0 ? check_below(random, 24)
                                                            : check_below(random, 2 * heap->size);
        const bool fits = hs_sim_fits(heap, align, wanted, 0);
        const uint32_t block = hs_sim_aligned(heap, align, wanted, 0);
        const uint32_t beside = hs_sim_calloc(heap, check_below(random, 40));
        CHECK(fits == (block != HS_NONE), "%s: %u bytes to %u", name, wanted, align);
        whole(&program);
        if (block != HS_NONE) {
            const bool is_own = heap->model->aligned_is_own;
            const uint32_t front = kind_aligns_program(name) || program_honours_at(&program, 0)
                                       ? 0
                                       : heap->around.front;
            CHECK((heap->base + block - front) % align == 0, "%s: %u for %u", name, block, align);
            CHECK(hs_sim_usable(heap, block, is_own) >= wanted, "%s", name);
            if (is_own || check_below(random, 2) == 0) {
                hs_sim_free(heap, block, true);
            } else {
                shrink(&program, block, wanted);
            }
        }
        shrink(&program, hs_sim_malloc(heap, 1 + check_below(random, 200)), 1);
        if (beside != HS_NONE) {
            hs_sim_free(heap, beside, false);
        }
        whole(&program);
    }
    CHECK(heap->tally.used_blocks == 0, "%s: %u blocks", name, heap->tally.used_blocks);
    program_close(&program);
}

/* The smallest arena from 300 bytes on of which there is a heap. */
static uint32_t smallest(const char *name, uint32_t base)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    base = (base & ~(kind_base(name) - 1)) - kind_more(name);
    for (uint32_t size = ARENA; size < ARENA + 4096; size++) {
        hs_sim_t *heap = hs_sim_new(allocator, base, size + kind_more(name), NULL);
        hs_sim_delete(heap);
        if (heap != NULL) {
            return size;
        }
    }
    return HS_NONE;
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const char *name;
    for (size_t i = 0; (name = program_next(&i)) != NULL;) {
        for (uint32_t off = 0; off < 16; off += 1 + check_below(&random, 4)) {
            const uint32_t base = UINT32_C(0x20000000) + off;
            const uint32_t size = smallest(name, base);
            if (size != HS_NONE) { /* some want regions that begin at a word */
                run(name, base, size, &random);
                run(name, base, size + check_below(&random, 20), &random);
                run(name, base, size + 4096 + check_below(&random, 9000), &random);
            }
        }
    }
    return 0;
}
