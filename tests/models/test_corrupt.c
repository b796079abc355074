/* check() on damaged memory: never a crash, never a hang, and damage to metadata is found. */
#include "program.h"

typedef struct map {
    uint8_t *payload; /* 1: the byte is payload, which no check can judge */
    uint32_t links;   /* bytes of a free block's payload that hold links at least */
} map_t;

typedef struct damage {
    const uint8_t *payload;
    uint32_t flips;
    uint32_t detected;
} damage_t;

static bool mark_payload(void *context, const hs_walk_block_t *block)
{
    const map_t *map = context;
    /* A free slot of our heap is 8 bytes and holds nothing. */
    uint32_t links = block->used || block->size < map->links ? 0 : map->links;
    memset(map->payload + block->offset + links, 1, block->size - links);
    return true;
}

static bool ignore(void *context, const hs_walk_block_t *block)
{
    (void)context;
    (void)block;
    return true;
}

static void flip(hs_sim_t *heap, uint32_t bit, damage_t *damage)
{
    uint32_t where = HS_NONE;
    uint8_t mask = (uint8_t)(1u << (bit % 8));
    heap->mem[bit / 8] ^= mask;
    hs_sim_walk(heap, ignore, NULL);
    hs_status_t status = hs_sim_check(heap, &where);
    heap->mem[bit / 8] ^= mask;
    CHECK(status == HS_OK || where < heap->size, "fault said to be at %u", where);
    if (damage->payload[bit / 8] == 0) {
        damage->flips++;
        damage->detected += status == HS_OK ? 0 : 1;
    }
}

/* Several random bytes at once, for links that lead to other damage. */
static void scramble(const program_t *program, check_random_t *random)
{
    for (int round = 0; round < check_rounds(3000); round++) {
        uint32_t where;
        hs_sim_t *copy = hs_sim_clone(program->heap);
        CHECK(copy != NULL, "%s: no memory", program->name);
        for (uint32_t i = check_below(random, 12) + 1; i > 0; i--) {
            copy->mem[check_below(random, copy->size)] = (uint8_t)check_next(random);
        }
        hs_sim_walk(copy, ignore, NULL);
        (void)hs_sim_check(copy, &where);
        hs_sim_delete(copy);
    }
}

static void run(const char *name, uint32_t base, uint32_t size, check_random_t *random)
{
    program_t program;
    program_open(&program, name, base, size, random);
    for (int step = 0; step < 300; step++) {
        program_step(&program);
    }
    size = program.heap->size;
    uint8_t *payload = calloc(size, 1);
    CHECK(payload != NULL, "%s: no memory", name);
    map_t map = {payload, kind_links(name)};
    hs_sim_walk(program.heap, mark_payload, &map);
    damage_t damage = {payload, 0, 0};
    const uint32_t thin = CHECK_THIN * (1 + kind_more(name) / 1024);
    for (uint32_t bit = check_below(random, thin); bit < size * 8; bit += thin) {
        flip(program.heap, bit, &damage);
    }
    program_check_heap(&program);
    printf("%-16s %u of %u bit flips in metadata found\n", name, damage.detected, damage.flips);
    CHECK(damage.detected > (damage.flips - kind_unused(name)) / 10 * kind_found(name),
          "%s: %u of %u", name, damage.detected, damage.flips);
    scramble(&program, random);
    free(payload);
    program_close(&program);
}

/* TLSF keeps the way back to a free block in the last word of its payload. */
static void check_back_link(const char *name, check_random_t *random)
{
    program_t program;
    program_open(&program, name, UINT32_C(0x3FFB0000), 6000, random);
    hs_sim_t *heap = program.heap;
    uint32_t first = hs_sim_malloc(heap, 100);
    uint32_t second = hs_sim_malloc(heap, 100);
    uint32_t link = first + hs_sim_usable(heap, first, false) - 4;
    uint32_t where = HS_NONE;
    CHECK(second != HS_NONE, "%s: no second block", name);
    hs_sim_free(heap, first, false);
    heap->mem[link] ^= 4;
    CHECK(hs_sim_check(heap, &where) == HS_ERR_CORRUPT && where == link, "%s: %u, not %u", name,
          where, link);
    program_close(&program);
}

/* The bytes of a region that the allocator takes for itself. */
static uint32_t control_of(const char *name)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    hs_sim_t *heap = hs_sim_new(allocator, 4096, 8192 + kind_more(name), NULL);
    CHECK(heap != NULL, "%s", name);
    uint32_t control = heap->tally.control;
    hs_sim_delete(heap);
    return control;
}

/* A sys_heap so large that its fields are words: too large to flip each bit. */
static void check_words(check_random_t *random)
{
    program_t program;
    program_open(&program, "sys_heap", UINT32_C(0x3FFB0000), 300000, random);
    program.size_max = 3000;
    for (int step = 0; step < 2000; step++) {
        program_step(&program);
        program_check_heap(&program);
    }
    uint32_t first = program.heap->tally.control;
    for (uint32_t bit = 0; bit < 16 * 8; bit++) {
        uint32_t where = HS_NONE;
        uint32_t at = first + bit / 8;
        program.heap->mem[at] ^= (uint8_t)(1u << (bit % 8));
        hs_sim_walk(program.heap, ignore, NULL);
        hs_status_t status = hs_sim_check(program.heap, &where);
        CHECK(bit >= 64 || status == HS_ERR_CORRUPT, "bit %u of the first header", bit);
        program.heap->mem[at] ^= (uint8_t)(1u << (bit % 8));
    }
    scramble(&program, random);
    program_close(&program);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const char *name;
    check_back_link("idf-4.3.2", &random);
    check_back_link("idf-5.5", &random);
    check_back_link("tlsf", &random);
    for (size_t i = 0; (name = program_next(&i)) != NULL;) {
        run(name, UINT32_C(0x3FFB0000), 2700 + control_of(name), &random);
    }
    check_words(&random);
    return 0;
}
