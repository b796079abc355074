/* fits() and largest_allocatable() say what a real operation on a copy then does, and change
 * nothing themselves. */
#include "program.h"

/* Sizes at which rounding to words, poisoning or 32 bits give out. */
static uint32_t odd_size(check_random_t *random, const hs_sim_t *heap)
{
    uint32_t choice = check_below(random, 8);
    if (choice == 0) {
        return UINT32_C(0xFFFFFFFF) - check_below(random, 40);
    }
    if (choice == 1) {
        return UINT32_C(1) << check_below(random, 32);
    }
    if (choice == 2) {
        return hs_sim_largest_free(heap) + 24 - check_below(random, 48);
    }
    if (choice == 3) {
        return check_below(random, 3);
    }
    return check_below(random, heap->size >> check_below(random, 12)) + 1;
}

static hs_sim_t *copy_of(const program_t *program)
{
    hs_sim_t *copy = hs_sim_clone(program->heap);
    CHECK(copy != NULL, "%s: no memory", program->name);
    return copy;
}

static void check_fits(const program_t *program, uint32_t align, uint32_t size, uint32_t at)
{
    uint32_t where = 0;
    hs_sim_t *copy = copy_of(program);
    bool fits = hs_sim_fits(program->heap, align, size, at);
    CHECK(memcmp(copy->mem, program->heap->mem, copy->size) == 0, "%s: a question changed the heap",
          program->name);
    uint32_t offset =
        align == 0 ? hs_sim_malloc(copy, size) : hs_sim_aligned(copy, align, size, at);
    CHECK(fits == (offset != HS_NONE), "%s: fits(%u, %u, %u) is %d", program->name, align, size, at,
          (int)fits);
    CHECK(hs_sim_check(copy, &where) == HS_OK, "%s: fault at %u after %u, %u, %u", program->name,
          where, align, size, at);
    hs_sim_delete(copy);
}

static bool succeeds(const program_t *program, uint32_t size)
{
    hs_sim_t *copy = copy_of(program);
    bool success = hs_sim_malloc(copy, size) != HS_NONE;
    hs_sim_delete(copy);
    return success;
}

static void check_largest(const program_t *program)
{
    uint32_t largest = hs_sim_largest_allocatable(program->heap);
    if (largest > 0) {
        CHECK(succeeds(program, largest), "%s: %u", program->name, largest);
    }
    CHECK(!succeeds(program, largest + 1), "%s: %u + 1", program->name, largest);
    if (largest > 0 && program->heap->model->serves_up_to_largest) {
        CHECK(succeeds(program, 1 + check_below(program->random, largest)), "%s: below %u",
              program->name, largest);
    }
    CHECK(largest <= hs_sim_largest_free(program->heap), "%s: %u", program->name, largest);
}

/* A size that cannot be had, at whatever point of a program, changes no byte of the heap. */
static void check_refusal(const program_t *program, check_random_t *random)
{
    hs_sim_t *copy = copy_of(program);
    uint32_t size = hs_sim_largest_allocatable(copy) + copy->size;
    CHECK(hs_sim_malloc(copy, size) == HS_NONE, "%s: %u", program->name, size);
    CHECK(hs_sim_calloc(copy, size) == HS_NONE, "%s: %u", program->name, size);
    CHECK(hs_sim_aligned(copy, 64, size, 0) == HS_NONE, "%s: %u", program->name, size);
    CHECK(hs_sim_aligned(copy, 24, 8, 0) == HS_NONE, "%s: alignment 24", program->name);
    CHECK(hs_sim_aligned(copy, 0, 8, 0) == HS_NONE, "%s: alignment 0", program->name);
    CHECK(hs_sim_malloc(copy, 0) == HS_NONE, "%s: size 0", program->name);
    if (program->count > 0) {
        const program_block_t *block =
            &program->blocks[check_below(random, (uint32_t)program->count)];
        if (program_may_realloc(program, block)) {
            uint32_t offset = hs_sim_realloc(copy, block->offset, size);
            CHECK(offset == HS_NONE, "%s: %u", program->name, size);
        }
    }
    CHECK(memcmp(copy->mem, program->heap->mem, copy->size) == 0 ||
              !kind_forgets_refusals(program->name),
          "%s", program->name);
    CHECK(memcmp(&copy->tally, &program->heap->tally, sizeof copy->tally) == 0 ||
              kind_grows_refused(program->name),
          "%s", program->name);
    hs_sim_delete(copy);
}

/* Realloc to any size on a copy: the result is a block or the old block is still there. */
static void check_odd_realloc(const program_t *program, check_random_t *random)
{
    uint32_t where = 0;
    if (program->count == 0) {
        return;
    }
    const program_block_t *block = &program->blocks[check_below(random, (uint32_t)program->count)];
    if (!program_may_realloc(program, block)) {
        return;
    }
    hs_sim_t *copy = copy_of(program);
    uint32_t size = odd_size(random, copy);
    uint32_t used = copy->tally.used_blocks - (size == 0 ? 1 : 0);
    (void)hs_sim_realloc(copy, block->offset, size);
    CHECK(hs_sim_check(copy, &where) == HS_OK && copy->tally.used_blocks == used,
          "%s: realloc to %u, fault at %u", program->name, size, where);
    hs_sim_delete(copy);
}

static uint32_t used_after(const char *name, uint32_t size)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    hs_sim_t *heap = hs_sim_new(allocator, 4096, 4096, NULL);
    CHECK(heap != NULL, "%s", name);
    bool success = hs_sim_malloc(heap, size) != HS_NONE;
    uint32_t used = success ? heap->tally.used : HS_NONE;
    hs_sim_delete(heap);
    return used;
}

/* Sizes that wrap when rounded up to words: ESP-IDF v4.2 refuses them, TLSF hands out its smallest
 * block. Poisoning hides all but the three that wrap after its own 12 bytes. All others look for
 * the sum before they round. */
static void check_wraps(void)
{
    static const char *const tlsf[] = {"idf-4.3.2", "idf-4.3.2-host", "idf-5.5", "tlsf"};
    static const char *const poisoned[] = {"idf-4.3.2+light", "idf-5.5+light"};
    static const char *const others[] = {"umm",      "umm-first", "heap_4",
                                         "heap_4-4", "sys_heap",  "o1heap"};
    for (uint32_t below = 1; below <= 40; below++) {
        uint32_t size = 0u - below;
        CHECK(used_after("idf-4.2", size) == HS_NONE, "2^32 - %u", below);
        CHECK(used_after("idf-4.2+light", size) == HS_NONE, "2^32 - %u", below);
        for (size_t i = 0; i < sizeof tlsf / sizeof tlsf[0]; i++) {
            CHECK(used_after(tlsf[i], size) == (below <= 3 ? 12 : HS_NONE), "%s: 2^32 - %u",
                  tlsf[i], below);
        }
        for (size_t i = 0; i < sizeof poisoned / sizeof poisoned[0]; i++) {
            CHECK(used_after(poisoned[i], size) == (below >= 13 && below <= 15 ? 12 : HS_NONE),
                  "%s: 2^32 - %u", poisoned[i], below);
        }
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            CHECK(used_after(others[i], size) == HS_NONE, "%s: 2^32 - %u", others[i], below);
        }
    }
}

/* The result of an aligned request on the only block of a heap, which has `block` bytes. */
static uint32_t aligned_on(const char *name, uint32_t before, uint32_t block, uint32_t align,
                           uint32_t size)
{
    uint32_t where;
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    hs_sim_t *heap = hs_sim_new(allocator, 4096, before + block + 4, NULL);
    CHECK(heap != NULL && heap->tally.free == block, "%s", name);
    bool fits = hs_sim_fits(heap, align, size, 0);
    uint32_t offset = hs_sim_aligned(heap, align, size, 0);
    CHECK(fits == (offset != HS_NONE), "%s: %u bytes to %u in %u", name, size, align, block);
    CHECK(offset == HS_NONE || hs_sim_usable(heap, offset, true) >= size, "%s", name);
    CHECK(hs_sim_check(heap, &where) == HS_OK, "%s: fault at %u", name, where);
    hs_sim_delete(heap);
    return offset;
}

/* ESP-IDF v4.3 with poisoning moves a block by 16 bytes even if no alignment is asked for, without
 * having searched for them. A block that the real one then hands out too short is refused. */
static void check_short(void)
{
    const uint32_t first = 20 + 1604 + 4;
    for (uint32_t align = 1; align <= 4; align *= 2) {
        for (uint32_t block = 112; block < 160; block += 4) {
            uint32_t wanted = block < 112 + 16 ? HS_NONE : first + 16 + 8;
            CHECK(aligned_on("idf-4.3.2+light", first, block, align, 100) == wanted,
                  "100 bytes to %u in %u", align, block);
            CHECK(aligned_on("idf-4.3.2", first, block, align, 112) == first,
                  "112 bytes to %u in %u", align, block);
        }
        /* Too small to be cut, and so unmoved. */
        CHECK(aligned_on("idf-4.3.2+light", first, 28, align, 16) == first + 8, "%u", align);
        CHECK(aligned_on("idf-5.5+light", 20 + 216 + 4, 112, align, 100) == 248, "%u", align);
    }
}

/* Zephyr searches for the size and the alignment less a header, in units of 8, and gives back what is
 * not needed at both ends. By reading its source: no recording of the real one has such requests. */
static void check_sys_heap(void)
{
    const uint32_t first = 5 * 8 + 4; /* behind the structure, in heaps of this size */
    CHECK(aligned_on("sys_heap", first, 20 * 8 - 4, 64, 104) == HS_NONE, "20 units");
    CHECK(aligned_on("sys_heap", first, 21 * 8 - 4, 64, 104) == 64, "21 units");
    CHECK(aligned_on("sys_heap", first, 13 * 8 - 4, 4, 100) == first, "nothing to align");

    program_t program;
    check_random_t random = {1};
    program_open(&program, "sys_heap", 4096, first + 30 * 8, &random);
    hs_sim_t *heap = program.heap;
    uint32_t offset = hs_sim_aligned(heap, 64, 100, 0);
    /* Units 5 to 7 go back, the block has 7 to 21, and its payload begins 4 bytes late. */
    CHECK(offset == 64 && hs_sim_usable(heap, offset, true) == 104, "at %u", offset);
    CHECK(heap->tally.free_blocks == 2 && heap->tally.used == 14 * 8 - 4, "%u", heap->tally.used);
    CHECK(hs_sim_realloc(heap, offset, 104) == offset && heap->tally.used == 14 * 8 - 4, "equal");
    CHECK(hs_sim_realloc(heap, offset, 105) == offset && heap->tally.used == 15 * 8 - 4, "grown");
    CHECK(hs_sim_realloc(heap, offset, 96) == offset && heap->tally.used == 13 * 8 - 4, "shrunk");
    hs_sim_free(heap, offset, false);
    CHECK(heap->tally.free_blocks == 1, "%u free blocks", heap->tally.free_blocks);
    program_close(&program);
}

static void run(const char *name, uint32_t base, uint32_t size, check_random_t *random)
{
    program_t program;
    program_open(&program, name, base, size, random);
    for (int step = 0; step < program_steps(name, 900); step++) {
        program_step(&program);
        /* Not always: a lazily kept answer must survive several operations. */
        if (step % 3 == 0) {
            check_largest(&program);
        }
        for (int i = 0; i < 8; i++) {
            check_fits(&program, 0, odd_size(random, program.heap), 0);
            check_fits(&program, UINT32_C(1) << check_below(random, 32),
                       odd_size(random, program.heap), 4 * check_below(random, 4));
        }
        check_fits(&program, check_below(random, 40), program_size(&program), 0);
        check_odd_realloc(&program, random);
        check_refusal(&program, random);
    }
    program_close(&program);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const char *name;
    check_wraps();
    check_short();
    check_sys_heap();
    for (size_t i = 0; (name = program_next(&i)) != NULL;) {
        run(name, UINT32_C(0x3FFB0000), 4096, &random);
        run(name, UINT32_C(0x3FFB0004), 20022, &random);
    }
    return 0;
}
