/*
 * Creation: what is refused, what is rounded off, and that the heap owns its region and nothing else:
 * it begins on any byte, uses it to the last whole granule, and is the same wherever it lies.
 */
#include "program.h"

static shadow_t shadow;

static void check_refusals(void)
{
    static const uint32_t alignments[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 32, UINT32_MAX};
    region_t region = region_open(2000, 0);
    for (size_t i = 0; i < sizeof alignments / sizeof alignments[0]; i++) {
        for (int form = -1; form <= 5; form++) {
            uint32_t alignment = alignments[i];
            hs_heap_config_t config = {(hs_form_t)form, alignment};
            bool good = form >= 0 && form <= HS_FORM_WORD &&
                        (alignment == 0 || alignment == 4 || alignment == 8 || alignment == 16);
            uint8_t *saved = region_save(&region);
            bool created = hs_heap_create(region.memory, region.size, &config) != NULL;
            CHECK(created == good, "form %d, alignment %u", form, (unsigned)alignment);
            CHECK(created || region_same(&region, saved), "a refusal writes");
            region_restore(&region, saved);
            CHECK(hs_heap_create(NULL, region.size, &config) == NULL, "no memory at all");
        }
    }
    region_close(&region);
}

/* Every size from 0 on: the region's bytes go to control, bitmap and blocks, but for rounding. */
static void check_sizes(const hs_heap_config_t *config, size_t skew)
{
    size_t created = 0;
    for (size_t size = 0; size < 700; size += CHECK_THIN) {
        region_t region = region_open(size, skew);
        hs_heap_t *heap = hs_heap_create(region.memory, size, config);
        if (heap == NULL) {
            CHECK(size < 130, "%zu bytes do not do", size);
            for (size_t i = 0; i < size; i++) {
                CHECK(region.memory[i] == 0xCD, "a refusal of %zu bytes writes byte %zu", size, i);
            }
            region_close(&region);
            continue;
        }
        hs_heap_info_t info;
        hs_heap_info(heap, &info);
        size_t rounding =
            config->alignment == 16 ? 96 : 60; /* at both ends, and between the parts */
        CHECK(info.control + info.bitmap + info.total <= size, "%zu bytes", size);
        CHECK(info.control + info.bitmap + info.total + rounding >= size, "%zu of %zu bytes used",
              info.control + info.bitmap + info.total, size);
        CHECK(info.free == info.total && info.minimum_free == info.total &&
                  info.largest_free == info.total && hs_heap_largest(heap) == info.total,
              "%zu of %zu", info.free, info.total);
        void *all = hs_heap_malloc(heap, info.total);
        CHECK(all != NULL && hs_heap_free_size(heap) == 0, "%zu bytes", info.total);
        memset(all, 0xFF, info.total); /* no metadata lies under it */
        CHECK(hs_heap_check(heap, NULL) == HS_OK, "%zu bytes", size);
        CHECK(hs_heap_free(heap, all) == HS_OK, "%zu bytes", size);
        CHECK(hs_heap_check(heap, NULL) == HS_OK, "%zu bytes", size);
        created++;
        region_close(&region);
    }
    CHECK(created > 500 / CHECK_THIN, "%zu sizes", created);
}

/* AUTO is small where that reaches and wide behind; a larger region than that is used in part. */
static void check_forms(void)
{
    static const struct {
        hs_form_t form;
        size_t size;
        size_t used; /* at most */
    } cases[] = {
        {HS_FORM_AUTO, HS_SMALL_MAX, HS_SMALL_MAX},
        {HS_FORM_AUTO, HS_SMALL_MAX + 1, HS_SMALL_MAX + 1},
        {HS_FORM_SMALL, 2 * (size_t)HS_SMALL_MAX, HS_SMALL_MAX},
#if CHECK_THIN == 1 /* minutes in emulation */
        {HS_FORM_WIDE, HS_WIDE_MAX + 4096, HS_WIDE_MAX},
        {HS_FORM_WORD, HS_WIDE_MAX, HS_WIDE_MAX},
#endif
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const hs_heap_config_t config = {cases[i].form, 0};
        region_t region = region_open(cases[i].size, 0);
        hs_heap_t *heap = hs_heap_create(region.memory, region.size, &config);
        CHECK(heap != NULL, "case %zu", i);
        size_t largest = hs_heap_largest(heap);
        CHECK(largest < cases[i].used && largest > cases[i].used / 16 * 15, "case %zu: %zu", i,
              largest);
        uint8_t *block = hs_heap_malloc(heap, largest);
        CHECK(block != NULL, "case %zu", i);
        memset(block, 0xFF, largest);
        CHECK(block + largest <= region.memory + cases[i].used, "case %zu", i);
        CHECK(hs_heap_usable_size(heap, block) == largest, "case %zu", i);
        CHECK(hs_heap_containing_block(heap, block + largest - 1) == block, "case %zu", i);
        CHECK(hs_heap_realloc(heap, block, 100) == block, "case %zu", i);
        CHECK(hs_heap_malloc(heap, largest / 2) == block + 104, "case %zu", i);
        CHECK(hs_heap_check(heap, NULL) == HS_OK, "case %zu", i);
        bool slots = hs_heap_usable_size(heap, hs_heap_malloc(heap, 1)) < 16;
        CHECK(slots == (i == 0 || i == 2), "case %zu", i);
        region_close(&region);
    }
}

static void check_defaults(void)
{
    const hs_heap_config_t config = {HS_FORM_AUTO, 0};
    for (int i = 0; i < 2; i++) {
        CHECK(shadow_open(&shadow, "defaults", region_open(1000, 0), i == 0 ? NULL : &config, 1),
              "not created");
        CHECK(shadow_malloc(&shadow, 1) != NULL && shadow_malloc(&shadow, 24) != NULL, "no block");
        shadow_close(&shadow);
    }
}

int main(void)
{
    check_refusals();
    check_defaults();
    check_forms();
    for (int form = HS_FORM_SMALL; form <= HS_FORM_WORD; form++) {
        for (uint32_t alignment = 4; alignment <= 16; alignment *= 2) {
            const hs_heap_config_t config = {(hs_form_t)form, alignment};
            for (size_t skew = 0; skew < 17; skew++) {
                check_sizes(&config, skew);
            }
        }
    }
    return 0;
}
