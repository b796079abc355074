/* Regions of every small size, and at every base: a working heap or a refusal. */
#include "program.h"

static hs_allocator_t parse(const char *name)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    return allocator;
}

/* Fills a new heap with the smallest blocks and empties it again. */
static void use(hs_sim_t *heap, const char *name)
{
    uint32_t offsets[600];
    uint32_t count = 0;
    uint32_t where = 0;
    uint32_t whole = hs_sim_largest_allocatable(heap);
    CHECK(hs_sim_check(heap, &where) == HS_OK, "%s, %u bytes: %u", name, heap->size, where);
    CHECK(hs_sim_fits(heap, 0, whole, 0) == (whole > 0), "%s, %u bytes", name, heap->size);
    while (count < 600 && (offsets[count] = hs_sim_malloc(heap, 1)) != HS_NONE) {
        count++;
        CHECK(hs_sim_check(heap, &where) == HS_OK, "%s, %u bytes: %u", name, heap->size, where);
    }
    CHECK((count > 0) == (whole > 0) || !heap->model->serves_up_to_largest, "%s, %u bytes: %u, %u",
          name, heap->size, count, whole);
    while (count > 0) {
        hs_sim_free(heap, offsets[--count], false);
        CHECK(hs_sim_check(heap, &where) == HS_OK, "%s, %u bytes: %u", name, heap->size, where);
    }
    CHECK(hs_sim_largest_allocatable(heap) == whole || !kind_heals(name), "%s, %u bytes", name,
          heap->size);
}

#define SIZE_MAX_TRIED 3300u                     /* above the smallest heap of each allocator */
#define SIZES_USED (CHECK_THIN > 1 ? 60u : 400u) /* from the smallest heap on */

/* Returns the smallest size that made a heap. */
static uint32_t every_size(const char *name, uint32_t base)
{
    uint32_t smallest = HS_NONE;
    uint32_t largest = SIZE_MAX_TRIED + kind_more(name);
    for (uint32_t size = kind_more(name) != 0 ? kind_more(name) - SIZE_MAX_TRIED : 0;
         size <= largest; size++) {
        hs_status_t why = HS_ERR_FORMAT;
        hs_sim_t *heap = hs_sim_new(parse(name), base, size, &why);
        CHECK(why == (heap == NULL ? HS_ERR_MEMORY : HS_OK), "%s, %u bytes: %d", name, size,
              (int)why);
        if (heap != NULL) {
            if (smallest == HS_NONE) {
                smallest = size;
                largest = size + SIZES_USED;
            }
            use(heap, name);
        }
        hs_sim_delete(heap);
    }
    return smallest;
}

static void check_smallest(void)
{
    const struct {
        const char *name;
        uint32_t base, smallest; /* HS_NONE: no heap at such a base */
    } cases[] = {
        {"idf-4.2", 4096, 40}, /* between the rounded ends */
        {"idf-4.2", 4097, 43},
        /* 20, the control structure and a pool of 20. */
        {"idf-4.3.2", 4096, 20 + 1604 + 20},
        {"idf-4.3.2-psram", 4096, 20 + 2132 + 20},
        {"idf-4.3.2-host", 4096, 20 + 3188 + 20},
        {"idf-4.3.2", 4098, HS_NONE},
        {"idf-5.5", 4096, 20 + 180 + 20},
        {"idf-5.5", 4098, HS_NONE},
        {"tlsf", 4096, 3188 + 20},
        {"tlsf", 4098, HS_NONE},
        {"umm", 4096, 3 * 8}, /* list head, a unit, end */
        {"umm:32", 4096, 3 * 32},
        {"umm-first", 4098, HS_NONE},
        {"heap_4", 4096, 24}, /* a block of 16 and the end */
        {"heap_4", 4097, 31},
        {"heap_4-4", 4097, 27},
        {"sys_heap", 4096, 5 * 8 + 4}, /* structure of 4 units for 3 buckets, a unit, the end */
        {"sys_heap", 4097, 5 * 8 + 4 + 7},
        {"o1heap", 4096, 160 + 32},
        {"o1heap", 4104, HS_NONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t smallest = every_size(cases[i].name, cases[i].base);
        CHECK(smallest == cases[i].smallest, "%s at %u: %u", cases[i].name, cases[i].base,
              smallest);
    }
}

/* The largest region of which an allocator makes a heap. */
static void check_limit(const char *name, uint32_t limit)
{
    hs_status_t why = HS_OK;
    hs_sim_t *heap = hs_sim_new(parse(name), 4096, limit, &why);
    CHECK(heap != NULL, "%s, %u bytes: %d", name, limit, (int)why);
    uint32_t whole = hs_sim_largest_allocatable(heap);
    CHECK(hs_sim_malloc(heap, whole) != HS_NONE, "%s, %u bytes", name, limit);
    hs_sim_delete(heap);
    heap = hs_sim_new(parse(name), 4096, limit + 1, &why);
    CHECK(heap == NULL && why == HS_ERR_MEMORY, "%s, %u bytes: a heap", name, limit + 1);
}

static void check_limits(void)
{
    /* One block of all but 20, the control structure and 8 must stay below 2^18 and 2^22. */
    check_limit("idf-4.3.2", 20 + 1604 + 8 + (1u << 18) - 1);
    check_limit("idf-4.3.2+light", 20 + 1604 + 8 + (1u << 18) - 1);
    check_limit("idf-4.4.2-fl19", 20 + 1736 + 8 + (1u << 19) - 1);
    check_limit("idf-4.3.2-psram", 20 + 2132 + 8 + (1u << 22) - 1);
    /* 32768 units of 8. */
    check_limit("umm", 32769 * 8 - 1);
    check_limit("umm:32", 32769 * 32 - 1);
    check_limit("umm-first", 32769 * 8 - 1);
}

static void check_first(const char *name, uint32_t size, uint32_t first)
{
    hs_sim_t *heap = hs_sim_new(parse(name), 4096, size, NULL);
    CHECK(heap != NULL, "%s, %u bytes", name, size);
    uint32_t offset = hs_sim_malloc(heap, 100);
    CHECK(offset == first, "%s, %u bytes: first block at %u", name, size, offset);
    hs_sim_delete(heap);
}

static void check_ends_of_memory(const char *name)
{
    hs_status_t why = HS_OK;
    hs_sim_t *heap = hs_sim_new(parse(name), UINT32_C(0xFFFFF000), 4096, &why);
    CHECK(heap == NULL && why == HS_ERR_MEMORY, "%s: a region to the end of memory", name);
    heap = hs_sim_new(parse(name), UINT32_C(0xFFFFF000), 8192, &why);
    CHECK(heap == NULL && why == HS_ERR_MEMORY, "%s: a region around the end of memory", name);
    heap = hs_sim_new(parse(name), 0, 4096 + kind_more(name), &why);
    if (kind_refuses_zero(name)) {
        CHECK(heap == NULL && why == HS_ERR_MEMORY, "%s: takes address 0 for no memory", name);
        return;
    }
    CHECK(heap != NULL, "%s: a region at address 0", name);
    use(heap, name);
    hs_sim_delete(heap);
}

static void check_names(void)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse("idf-4.2+heavy", &allocator) == HS_ERR_ARGUMENT, "unknown flavour");
    CHECK(hs_allocator_parse("", &allocator) == HS_ERR_ARGUMENT, "empty name");
    CHECK(hs_allocator_parse(NULL, &allocator) == HS_ERR_ARGUMENT, "no name");
    CHECK(parse("idf-5.5+light").light && !parse("idf-5.5").light, "flavours");
    CHECK(parse("idf-5.5").model == parse("idf-5.5+light").model, "flavours of one model");
    CHECK(parse("idf-5.5").model == parse("idf-5.5+track").model, "flavours of one model");
    static const char *const none[] = {"heap_4+light",
                                       "heap_4+track",
                                       "heapscope+guard0",
                                       "heapscope+guard4",
                                       "heapscope+guard1+guard2",
                                       "heapscope+guard1+light",
                                       "heapscope+light+track",
                                       "heapscope-16+light",
                                       "heapscope-16+guard1",
                                       "heapscope+full",
                                       "idf-5.5+full+full",
                                       "idf-5.5+guard1",
                                       "idf-5.5+",
                                       "idf-5.5++light",
                                       "idf-5.5+light+light",
                                       "idf-5.5+ligh",
                                       "+light",
                                       "idf-5.5+lightx",
                                       "idf-5.5light+",
                                       "idf-5"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        CHECK(hs_allocator_parse(none[i], &allocator) == HS_ERR_ARGUMENT, "%s", none[i]);
        CHECK(hs_allocator_find(none[i]) == NULL, "%s", none[i]);
    }
    static const char *const same[][2] = {
        {"idf-4.2+light+track", "idf-4.2+track"}, {"idf-4.2+track+light", "idf-4.2+track"},
        {"idf-4.2+light+full", "idf-4.2+full"},   {"idf-5.5+track+full", "idf-5.5+full+track"},
        {"idf-4.2+track", "idf-4.2+track"},       {"idf-5.5+track+light", "idf-5.5+light+track"},
        {"idf-5.5+track", "idf-5.5+track"},       {"heapscope", "heapscope"},
        {"heapscope+track", "heapscope+track"},   {"heapscope+guard1+track", "heapscope+guard1"},
        {"heapscope+guard3", "heapscope+guard3"}, {"heapscope+track+guard2", "heapscope+guard2"},
    };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        const char *match = hs_allocator_find(same[i][0]);
        CHECK(match != NULL && strcmp(match, same[i][1]) == 0, "%s", same[i][0]);
    }
    const char *name;
    for (size_t i = 0; (name = hs_allocator_name(i)) != NULL; i++) {
        CHECK(hs_allocator_find(name) == name, "%s is listed twice", name);
        const char *as = hs_allocator_places_as(name);
        CHECK(strcmp(hs_allocator_places_as(as), as) == 0, "%s as %s", name, as);
    }
}

int main(int argc, char **argv)
{
    (void)check_start(argc, argv);
    const char *name;
    check_names();
    check_smallest();
    check_limits();
    check_first("idf-4.2", 65536, 28);
    check_first("idf-4.2+light", 65536, 36);
    check_first("idf-4.2+track", 65536, 40);
    check_first("idf-4.4.0-psram", 65536, 20 + 2132 + 4);
    check_first("idf-4.4.2-fl19", 65536, 20 + 1736 + 4);
    check_first("idf-4.4.2-fl24", 65536, 20 + 2396 + 4);
    check_first("idf-4.4.2-fl25", 65536, 20 + 2528 + 4);
    check_first("idf-5.1", 16405, 740);
    check_first("idf-5.5", 65536, 808);
    check_first("idf-5.5", 131072, 876);
    check_first("idf-5.5", 262144, 944);
    check_first("idf-5.5+light", 262144, 952);
    check_first("idf-5.5+track", 262144, 948);
    check_first("idf-5.5+light+track", 262144, 956);
    /* Where the number of bins per level changes: 16384 and 262144 bytes behind the 20 of the heap
     * structure. */
    check_first("idf-5.5", 16404, 456);
    check_first("idf-5.5", 16405, 740);
    check_first("idf-5.5", 262164, 1012);
    check_first("idf-5.5", 262165, 1776);
    check_first("idf-4.3.2", 65536, 1628);
    check_first("idf-4.3.2-psram", 65536, 2156);
    check_first("idf-4.3.2-host+light", 65536, 3220);
    check_first("idf-4.3.2+track", 65536, 1640);
    check_first("tlsf", 65536, 3192);
    check_first("umm", 65536, 12);
    check_first("heap_4", 65536, 8);
    check_first("o1heap", 65536, 176);
    check_first("sys_heap", 65536, 76);
    check_first("sys_heap", 262144, 84);
    /* From here on its fields are words, and so is the header. */
    check_first("sys_heap", 262151, 84);
    check_first("sys_heap", 262152, 88);
    for (size_t i = 0; (name = program_next(&i)) != NULL;) {
        for (uint32_t base = 4096; base < 4096 + (uint32_t)program_steps(name, 8); base++) {
            (void)every_size(name, base);
        }
        check_ends_of_memory(name);
    }
    return 0;
}
