/* The figures of an allocator's own interface, with its faults, recomputed from a walk after every
 * operation of a random program. */
#include "program.h"

typedef struct sums {
    uint64_t free, used;
    uint32_t free_blocks, used_blocks, largest;
} sums_t;

static bool add_up(void *context, const hs_walk_block_t *block)
{
    sums_t *sums = context;
    if (block->used) {
        sums->used += block->size;
        sums->used_blocks++;
    } else {
        sums->free += block->size;
        sums->free_blocks++;
        sums->largest = block->size > sums->largest ? block->size : sums->largest;
    }
    return true;
}

/* `largest` without the bits below a `parts`th of the power of two in it. */
static uint32_t floor_of(uint32_t largest, uint32_t parts)
{
    uint32_t power = 1;
    while (power <= largest / 2) {
        power *= 2;
    }
    uint32_t part = power / parts;
    return part == 0 ? 0 : largest / part * part;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* Is this a release from `first` on? Names begin with "idf-" and two digits. */
static bool since(const char *name, const char *first)
{
    return strncmp(name, first, 9) >= 0;
}

/* No release takes off the pool's two words and the headers of free blocks, the first not even those of
 * used ones. v4.3.0 rounds the largest to a power of two; the next ones round it to a class, and make
 * nothing of the smallest; v5.3 says those as they are. */
static void say_idf_tlsf(const char *name, const hs_sim_t *heap, const sums_t *sums,
                         hs_reported_t *out)
{
    const bool fixed = !since(name, "idf-5");
    const uint32_t by_size = heap->size <= 16384 + 20 ? 8 : heap->size <= 262144 + 20 ? 16 : 32;
    const uint32_t classes = fixed ? 32 : by_size;
    const uint32_t headers = since(name, "idf-4.4.2") ? 0 : sums->used_blocks;
    out->free = (uint32_t)sums->free + 4 + 4 * (sums->free_blocks + headers) + heap->size % 4;
    out->largest_free = floor_of(sums->largest, since(name, "idf-4.3.2") ? classes : 1);
    if (since(name, "idf-5.3") && sums->largest < 4 * classes) {
        out->largest_free = sums->largest;
    }
}

/* Headers are part of a block for these. */
static void say_with_headers(const sums_t *sums, uint32_t header, hs_reported_t *out)
{
    out->free = (uint32_t)sums->free + header * sums->free_blocks;
    out->allocated = (uint32_t)sums->used + header * sums->used_blocks;
    out->largest_free = sums->free_blocks == 0 ? 0 : sums->largest + header;
}

static uint32_t less(uint32_t bytes, uint32_t poison)
{
    return bytes > poison ? bytes - poison : 0;
}

/* The bytes that are taken off: v5.2 keeps the task outside of the poison, where its interface sees
 * nothing. */
static uint32_t poison_of(const char *name)
{
    if (strstr(name, "+track") != NULL && begins(name, "idf-") && !since(name, "idf-5.2")) {
        return 16;
    }
    return strstr(name, "+light") != NULL || strstr(name, "+full") != NULL ? 12 : 0;
}

/* Our heap answers for every smaller size, too, so that the last free slots may count for nothing. */
static uint32_t largest_of_own(hs_sim_t *heap)
{
    hs_reported_t says;
    const uint32_t largest = hs_sim_find_largest(heap);
    heap->model->reported(heap, &says);
    return largest < 64 && says.largest_free <= largest ? says.largest_free : largest;
}

/* All but the minimum. */
static hs_reported_t expected(const program_t *program)
{
    const hs_sim_t *heap = program->heap;
    const char *name = program->name;
    sums_t sums = {0, 0, 0, 0, 0};
    hs_sim_walk(heap, add_up, &sums);
    hs_reported_t out = {(uint32_t)sums.free, 0, sums.largest, (uint32_t)sums.used};
    if (program_is_idf_tlsf(name)) {
        say_idf_tlsf(name, heap, &sums, &out);
    } else if (begins(name, "umm")) {
        say_with_headers(&sums, 4, &out);
    } else if (begins(name, "heap_4")) {
        say_with_headers(&sums, 8, &out);
    } else if (begins(name, "o1heap")) {
        /* Its largest is that of an empty heap. */
        say_with_headers(&sums, 16, &out);
        out.largest_free = floor_of((heap->size - 160) / 32 * 32, 1) - 16;
    }
    if (program_is_own(name)) { /* what is to be had, as test_fits.c proves it */
        out.largest_free = largest_of_own(program->heap);
    }
    const uint32_t poison = poison_of(name);
    out.free = less(out.free, poison);
    out.largest_free = less(out.largest_free, poison);
    out.allocated -= poison * sums.used_blocks;
    return out;
}

static void compare(const program_t *program, uint32_t *minimum)
{
    hs_reported_t says;
    hs_reported_t real = expected(program);
    hs_sim_reported(program->heap, &says);
    CHECK(says.free == real.free, "%s: free %u, not %u", program->name, says.free, real.free);
    CHECK(says.largest_free == real.largest_free, "%s: largest %u, not %u", program->name,
          says.largest_free, real.largest_free);
    CHECK(says.allocated == real.allocated, "%s: allocated %u, not %u", program->name,
          says.allocated, real.allocated);
    *minimum = real.free < *minimum ? real.free : *minimum;
    CHECK(says.minimum_free <= *minimum, "%s: minimum %u, not %u", program->name, says.minimum_free,
          *minimum);
}

/* One random program; how often no free block had 32 bytes. */
static uint32_t run_once(const char *name, uint32_t size, check_random_t *random)
{
    program_t program;
    uint32_t minimum = HS_NONE;
    uint32_t small = 0;
    program_open(&program, name, UINT32_C(0x3FFB0000), size, random);
    compare(&program, &minimum);
    for (int step = 0; step < (CHECK_THIN > 1 ? 1000 : 4000); step++) {
        program_step(&program);
        compare(&program, &minimum);
        small += hs_sim_largest_free(program.heap) < 32;
    }
    program_close(&program);
    return small;
}

/* Programs until one has filled its heap to less than 32 bytes, which not every one does. */
static void run(const char *name, uint32_t size, check_random_t *random)
{
    uint32_t small = 0;
    for (int round = 0;
         round < check_rounds(20) && small == 0 && (round == 0 || !program_is_own(name)); round++) {
        small = run_once(name, size, random);
    }
    CHECK(CHECK_THIN > 1 || small > 0 || program_is_own(name),
          "%s: never a largest block below 32 bytes", name);
}

/* The minimum of what is stated: with the moment of a moving realloc at which both blocks exist only
 * where the allocator itself takes the new one. */
static void check_minimum(const char *name, bool knows_moves, check_random_t *random)
{
    program_t program;
    hs_reported_t before;
    hs_reported_t after;
    program_open(&program, name, UINT32_C(0x3FFB0000), 65536, random);
    uint32_t old = hs_sim_malloc(program.heap, 1000);
    CHECK(hs_sim_malloc(program.heap, 100) != HS_NONE, "%s", name);
    hs_sim_reported(program.heap, &before);
    CHECK(before.minimum_free == before.free, "%s: %u", name, before.minimum_free);
    CHECK(hs_sim_realloc(program.heap, old, 3000) != HS_NONE, "%s", name);
    hs_sim_reported(program.heap, &after);
    CHECK(after.free < before.free && after.minimum_free <= after.free, "%s: %u", name,
          after.minimum_free);
    CHECK((after.minimum_free + 1000 <= after.free) == knows_moves, "%s: %u of %u", name,
          after.minimum_free, after.free);
    program_close(&program);
}

static uint32_t word_at(const hs_sim_t *heap, uint32_t at)
{
    const uint8_t *bytes = heap->mem + at;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* o1heap keeps diagnostics behind its bins: capacity, allocated, peak, largest request, failures. */
static void check_diagnostics(check_random_t *random)
{
    program_t program;
    program_open(&program, "o1heap", UINT32_C(0x20000000), 4096, random);
    hs_sim_t *heap = program.heap;
    uint32_t first = hs_sim_malloc(heap, 100);
    CHECK(hs_sim_malloc(heap, 300) != HS_NONE && hs_sim_malloc(heap, 0) == HS_NONE, "o1heap");
    hs_sim_free(heap, first, false);
    const uint32_t before[] = {3936, 512, 640, 300, 0, 0};
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(word_at(heap, 136 + 4 * i) == before[i], "word %u: %u", i,
              word_at(heap, 136 + 4 * i));
    }
    CHECK(hs_sim_malloc(heap, 3000) == HS_NONE && hs_sim_malloc(heap, 5000) == HS_NONE, "o1heap");
    const uint32_t after[] = {3936, 512, 640, 5000, 2, 0};
    for (uint32_t i = 0; i < 6; i++) {
        CHECK(word_at(heap, 136 + 4 * i) == after[i], "word %u: %u", i, word_at(heap, 136 + 4 * i));
    }
    program_close(&program);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    const char *name;
    check_diagnostics(&random);
    for (size_t i = 0; (name = program_next(&i)) != NULL;) {
        if (kind_is_of_the_field(name)) {
            continue; /* tests/oracle has what the real ones report */
        }
        run(name, 4096, &random);
        run(name, 9002, &random);
        check_minimum(name, !program_is_idf_tlsf(name) || strstr(name, "+full") != NULL, &random);
    }
    return 0;
}
