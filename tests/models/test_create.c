/* Regions of every small size, and at every base: a working heap or a refusal. */
#include "program.h"

static hs_allocator_t parse(const char *name)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    return allocator;
}

/* Fills a new heap with the smallest blocks and empties it again. */
static void use(hs_heap_t *heap, const char *name)
{
    uint32_t offsets[600];
    uint32_t count = 0;
    uint32_t where = 0;
    uint32_t whole = hs_heap_largest_allocatable(heap);
    CHECK(hs_heap_check(heap, &where) == HS_OK, "%s, %u bytes: %u", name, heap->size, where);
    CHECK(hs_heap_fits(heap, 0, whole, 0) == (whole > 0), "%s, %u bytes", name, heap->size);
    while (count < 600 && (offsets[count] = hs_heap_malloc(heap, 1)) != HS_NONE) {
        count++;
        CHECK(hs_heap_check(heap, &where) == HS_OK, "%s, %u bytes: %u", name, heap->size, where);
    }
    CHECK((count > 0) == (whole > 0), "%s, %u bytes: %u, %u", name, heap->size, count, whole);
    while (count > 0) {
        hs_heap_free(heap, offsets[--count], false);
        CHECK(hs_heap_check(heap, &where) == HS_OK, "%s, %u bytes: %u", name, heap->size, where);
    }
    CHECK(hs_heap_largest_allocatable(heap) == whole, "%s, %u bytes", name, heap->size);
}

/* Returns the smallest size that made a heap. */
static uint32_t every_size(const char *name, uint32_t base)
{
    uint32_t smallest = HS_NONE;
    for (uint32_t size = 0; size <= 2000; size++) {
        hs_status_t why = HS_ERR_FORMAT;
        hs_heap_t *heap = hs_heap_new(parse(name), base, size, &why);
        CHECK(why == (heap == NULL ? HS_ERR_MEMORY : HS_OK), "%s, %u bytes: %d", name, size,
              (int)why);
        if (heap != NULL) {
            smallest = smallest == HS_NONE ? size : smallest;
            use(heap, name);
        }
        hs_heap_delete(heap);
    }
    return smallest;
}

static void check_smallest(void)
{
    /* ESP-IDF v4.2: 40 bytes between the rounded ends. ESP-IDF v5.5.5: 20, the control structure
     * (180 at this size) and a pool of 20. */
    CHECK(every_size("idf-4.2", 4096) == 40, "idf-4.2");
    CHECK(every_size("idf-4.2", 4097) == 43, "idf-4.2");
    CHECK(every_size("idf-5.5", 4096) == 220, "idf-5.5");
    CHECK(every_size("idf-5.5", 4098) == HS_NONE, "idf-5.5 wants whole words");
}

static void check_first(const char *name, uint32_t size, uint32_t first)
{
    hs_heap_t *heap = hs_heap_new(parse(name), 4096, size, NULL);
    CHECK(heap != NULL, "%s, %u bytes", name, size);
    uint32_t offset = hs_heap_malloc(heap, 100);
    CHECK(offset == first, "%s, %u bytes: first block at %u", name, size, offset);
    hs_heap_delete(heap);
}

static void check_ends_of_memory(const char *name)
{
    hs_status_t why = HS_OK;
    hs_heap_t *heap = hs_heap_new(parse(name), UINT32_C(0xFFFFF000), 4096, &why);
    CHECK(heap == NULL && why == HS_ERR_MEMORY, "%s: a region to the end of memory", name);
    heap = hs_heap_new(parse(name), UINT32_C(0xFFFFF000), 8192, &why);
    CHECK(heap == NULL && why == HS_ERR_MEMORY, "%s: a region around the end of memory", name);
    heap = hs_heap_new(parse(name), 0, 4096, &why);
    CHECK(heap != NULL, "%s: a region at address 0", name);
    use(heap, name);
    hs_heap_delete(heap);
}

static void check_names(void)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse("idf-4.2+heavy", &allocator) == HS_ERR_ARGUMENT, "unknown flavour");
    CHECK(hs_allocator_parse("", &allocator) == HS_ERR_ARGUMENT, "empty name");
    CHECK(hs_allocator_parse(NULL, &allocator) == HS_ERR_ARGUMENT, "no name");
    CHECK(parse("idf-5.5+light").light && !parse("idf-5.5").light, "flavours");
    CHECK(parse("idf-5.5").model == parse("idf-5.5+light").model, "flavours of one model");
}

int main(int argc, char **argv)
{
    (void)check_start(argc, argv);
    const char *name;
    check_names();
    check_smallest();
    check_first("idf-4.2", 65536, 28);
    check_first("idf-4.2+light", 65536, 36);
    check_first("idf-5.5", 65536, 808);
    check_first("idf-5.5", 131072, 876);
    check_first("idf-5.5", 262144, 944);
    check_first("idf-5.5+light", 262144, 952);
    /* Where the number of bins per level changes: 16384 and 262144 bytes behind the 20 of the heap
     * structure. */
    check_first("idf-5.5", 16404, 456);
    check_first("idf-5.5", 16405, 740);
    check_first("idf-5.5", 262164, 1012);
    check_first("idf-5.5", 262165, 1776);
    for (size_t i = 0; (name = hs_allocator_name(i)) != NULL; i++) {
        for (uint32_t base = 4096; base < 4096 + 8; base++) {
            (void)every_size(name, base);
        }
        check_ends_of_memory(name);
    }
    return 0;
}
