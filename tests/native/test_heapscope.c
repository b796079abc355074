/*
 * Our own heap in the lab: the same offsets on hosts of either word size, where a region lies on the
 * chip, and in the form that the region's memory wants.
 */
#include <string.h>

#include "../models/check.h"
#include "allocators/allocators.h"
#include "chip/setup.h"
#include "heapscope/heap.h"
#include "layout_for_tests.h"

/* ---- digests ---------------------------------------------------------------------------------- */

static size_t read_file(const char *path, uint8_t **bytes)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0, "%s", path);
    const long size = ftell(file);
    rewind(file);
    *bytes = malloc((size_t)size);
    CHECK(*bytes != NULL && fread(*bytes, 1, (size_t)size, file) == (size_t)size, "%s", path);
    fclose(file);
    return (size_t)size;
}

static void replay(const char *trace, const char *allocator, uint32_t pool,
                   hs_lab_summary_t *summary)
{
    char path[128];
    uint8_t *bytes;
    uint32_t where;
    int status;
    snprintf(path, sizeof path, "tests/oracle/traces/%s.hst", trace);
    const size_t size = read_file(path, &bytes);
    hs_lab_region_t region = {.start = 0x20000000u, .size = pool, .caps = {UINT32_MAX, 0, 0}};
    strcpy(region.allocator, allocator);
    const hs_lab_config_t config = {.regions = &region,
                                    .region_count = 1,
                                    .malloc_threshold = UINT32_MAX,
                                    .malloc_small_caps = DEFAULT | INTERNAL};
    hs_lab_reader_t *reader = hs_lab_reader_new(&config, &status, &where);
    CHECK(reader != NULL, "%s: status %d", allocator, status);
    CHECK(hs_lab_reader_push(reader, bytes, size) == 0 && hs_lab_reader_finish(reader) == 0, "%s",
          trace);
    hs_lab_summary(reader, summary);
    hs_lab_reader_delete(reader);
    free(bytes);
}

/* Written down from a 64-bit host when the heap was made; a change of where the heap puts blocks
 * changes them, a change of host never may. */
static void a_digest_is_the_same_on_every_host(void)
{
    static const struct {
        const char *trace, *allocator;
        uint32_t pool;
        uint64_t digest, failures;
    } rows[] = {
        {"fuzz_align", "heapscope", 65536, UINT64_C(0x2D9CB71AF5B61DEA), 350},
        {"fuzz_align", "heapscope", 262144, UINT64_C(0x7150517511EE0CAF), 0},
        {"fuzz_align", "heapscope-16", 65536, UINT64_C(0xF79ACAEB96D5B714), 367},
        {"fuzz_align", "heapscope-wide", 65536, UINT64_C(0x5DAE2BD72A96F8E5), 344},
        {"fuzz_realloc_small", "heapscope", 65536, UINT64_C(0xBCC2C4D89EA1418C), 0},
        {"fuzz_realloc_small", "heapscope", 262144, UINT64_C(0x3BF847575BC70177), 0},
        {"adv_holes", "heapscope", 65536, UINT64_C(0x408D5CEC5EC6E438), 2120},
        {"adv_holes", "heapscope+light", 262144, UINT64_C(0xCAD8DD11EEAA63E9), 0},
        {"adv_holes", "heapscope-wide", 262144, UINT64_C(0x2D34DCDD2B8396F2), 0},
    };
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hs_lab_summary_t summary;
        replay(rows[i].trace, rows[i].allocator, rows[i].pool, &summary);
        if (summary.digest != rows[i].digest || summary.failures != rows[i].failures) {
            fprintf(stderr, "{\"%s\", \"%s\", %u, UINT64_C(0x%016llX), %llu},\n", rows[i].trace,
                    rows[i].allocator, (unsigned)rows[i].pool, (unsigned long long)summary.digest,
                    (unsigned long long)summary.failures);
            wrong++;
        }
    }
    CHECK(wrong == 0, "%u digests differ", wrong);
}

/* ---- where the region lies -------------------------------------------------------------------- */

static hs_sim_t *open_heap(const char *name, uint32_t base, uint32_t size)
{
    hs_allocator_t allocator;
    CHECK(hs_allocator_parse(name, &allocator) == HS_OK, "%s", name);
    hs_sim_t *heap = hs_sim_new(allocator, base, size, NULL);
    CHECK(heap != NULL, "%s at %#x", name, (unsigned)base);
    return heap;
}

/* The whole region is free, so the first aligned address behind the first block is to be had. */
static void check_alignment(const char *name, uint32_t base, uint32_t size, uint32_t align)
{
    hs_sim_t *heap = open_heap(name, base, size);
    hs_sim_t *copy = hs_sim_clone(heap);
    const uint32_t first = hs_sim_malloc(copy, 24);
    hs_sim_free(copy, first, false);
    const uint32_t place = ((base + first + align - 1) & ~(align - 1)) - base;
    const bool exists = place >= first && (uint64_t)place + 100 <= size;
    const bool fits = hs_sim_fits(heap, align, 24, 0);
    const uint32_t got = hs_sim_aligned(heap, align, 24, 0);
    CHECK(fits == (got != HS_NONE), "%s at %#x to %#x", name, (unsigned)base, (unsigned)align);
    CHECK(got == HS_NONE || (base + got) % align == 0, "%s at %#x to %#x: %u", name, (unsigned)base,
          (unsigned)align, (unsigned)got);
    /* The rest in front of it may be too small for a block; then it is the next one. */
    CHECK(!exists || got == place || got == place + align || place - first < 16,
          "%s at %#x to %#x: %u, not %u", name, (unsigned)base, (unsigned)align, (unsigned)got,
          (unsigned)place);
    CHECK(hs_sim_aligned(copy, align, 24, 0) == got, "%s at %#x to %#x: a clone differs", name,
          (unsigned)base, (unsigned)align);
    hs_sim_delete(copy);
    hs_sim_delete(heap);
}

static void addresses_are_aligned_as_on_the_chip(void)
{
    static const char *const names[] = {"heapscope", "heapscope-16", "heapscope-wide"};
    static const uint32_t bases[] = {0x3FFB0000u, 0x3FFB31F8u, 0x3FFAE6E4u, 0x3FFFF001u,
                                     0x3FFFE002u, 0x3F7FFFFFu, 0u,          0x400FF000u};
    static const uint32_t sizes[] = {3000, 8192, 70000, 2500000};
    for (size_t n = 0; n < 3; n++) {
        for (size_t b = 0; b < sizeof bases / sizeof bases[0]; b++) {
            for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
                for (uint32_t align = 16; align <= HS_ALIGNMENT_MAX; align *= 2) {
                    check_alignment(names[n], bases[b], sizes[s], align);
                }
            }
        }
    }
}

/* A region smaller than the alignment, with one aligned address in it or with none. */
static void an_alignment_beyond_the_region_is_met_where_the_chip_has_it(void)
{
    hs_sim_t *heap = open_heap("heapscope", 0x3FFFF000u, 8192);
    CHECK(hs_sim_fits(heap, 1u << 20, 100, 0), "0x40000000 is in it");
    CHECK(hs_sim_aligned(heap, 1u << 20, 100, 0) == 4096, "and is the block");
    CHECK(!hs_sim_fits(heap, 1u << 20, 100, 0) && hs_sim_aligned(heap, 1u << 20, 100, 0) == HS_NONE,
          "there is no other");
    hs_sim_delete(heap);
    heap = open_heap("heapscope", 0x3FFF1000u, 8192);
    CHECK(!hs_sim_fits(heap, 1u << 20, 100, 0), "0x3FFF1000 to 0x3FFF3000 has none");
    CHECK(hs_sim_aligned(heap, 1u << 20, 100, 0) == HS_NONE, "nor is one given");
    CHECK(hs_sim_aligned(heap, 1u << 14, 100, 0) == HS_NONE, "of 16 KB neither");
    CHECK(hs_sim_aligned(heap, 1u << 12, 100, 0) == 4096, "of 4 KB one");
    hs_sim_delete(heap);
}

/* ---- the form --------------------------------------------------------------------------------- */

static void memory_without_bytes_gets_the_word_only_form(void)
{
    hs_lab_region_t list[REGIONS];
    hs_lab_config_t config = config_like_esp32(list, "heapscope");
    hs_chip_t chip;
    uint32_t where, kinds;
    uint64_t unplaced;
    CHECK(hs_chip_init(&chip, &config, &where, &kinds, &unplaced) == HS_OK, "init");
    for (uint32_t i = 0; i < REGIONS; i++) {
        const hs_chip_region_t *region = &chip.region[i];
        const bool word_only = region->heap->allocator.word_only;
        CHECK(word_only == (i == 3), "region %u", (unsigned)i);
        hs_sim_t *wide = open_heap("heapscope-wide", region->start, region->size);
        const bool has_wide_tables = wide->tally.control == region->heap->tally.control;
        CHECK(has_wide_tables == word_only, "region %u", (unsigned)i);
        hs_sim_delete(wide);
    }
    hs_chip_free(&chip);
}

static void the_form_follows_the_size(void)
{
    static const uint32_t sizes[] = {HS_SMALL_MAX, HS_SMALL_MAX + 1};
    for (int i = 0; i < 2; i++) {
        hs_sim_t *heap = open_heap("heapscope", 0x3F800000u, sizes[i]);
        hs_sim_t *wide = open_heap("heapscope-wide", 0x3F800000u, sizes[i]);
        CHECK((heap->tally.control == wide->tally.control) == (i == 1), "%u bytes",
              (unsigned)sizes[i]);
        hs_sim_delete(heap);
        hs_sim_delete(wide);
    }
}

int main(void)
{
    a_digest_is_the_same_on_every_host();
    addresses_are_aligned_as_on_the_chip();
    an_alignment_beyond_the_region_is_met_where_the_chip_has_it();
    memory_without_bytes_gets_the_word_only_form();
    the_form_follows_the_size();
    return 0;
}
