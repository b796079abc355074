/*
 * Which forms a heap can have is configured: without HS_WIDE, the wide and the word-only one are refused,
 * and a heap of any size is of the small form, with the same offsets as ever.
 */
#include "program.h"

#include "heapscope/config.h"

static hs_heap_t *create(region_t *region, hs_form_t form)
{
    const hs_heap_config_t config = {form, 0};
    return hs_heap_create(region->memory, region->size, &config);
}

static void check_forms(void)
{
    region_t region = region_open(4096, 0);
    CHECK(create(&region, HS_FORM_AUTO) != NULL, "no heap of any form");
    CHECK(create(&region, HS_FORM_SMALL) != NULL, "no heap of the small form");
    CHECK((create(&region, HS_FORM_WIDE) != NULL) == (HS_WIDE == 1), "the wide form");
    CHECK((create(&region, HS_FORM_WORD) != NULL) == (HS_WIDE == 1), "the word-only form");
    region_close(&region);
}

/* A region beyond HS_SMALL_MAX is used up to there where nothing else is compiled in. */
static void check_large(void)
{
    region_t region = region_open(2 * (size_t)HS_SMALL_MAX, 0);
    hs_heap_t *heap = create(&region, HS_FORM_AUTO);
    const size_t most = HS_WIDE ? 2 * (size_t)HS_SMALL_MAX : HS_SMALL_MAX;
    CHECK(heap != NULL && hs_heap_largest(heap) < most && hs_heap_largest(heap) > most / 16 * 15,
          "%zu of %zu bytes", hs_heap_largest(heap), most);
    CHECK(hs_heap_check(heap, NULL) == HS_OK, "a new heap is not whole");
    region_close(&region);
}

/* Random calls beside the shadow model. */
static void check_calls(size_t size, uint32_t alignment, int steps, check_random_t *random)
{
    static program_t program;
    const hs_heap_config_t config = {HS_FORM_SMALL, alignment};
    program.random = random;
    CHECK(shadow_open(&program.shadow, "forms", region_open(size, 3), &config, 1), "no heap");
    for (int step = 0; step < steps; step++) {
        program_step(&program, step / 64 % 2 == 0 ? 9 : 5);
        if (program.shadow.count > 600) {
            shadow_free(&program.shadow, check_below(random, (uint32_t)program.shadow.count));
        }
    }
    shadow_empty(&program.shadow, random);
    shadow_close(&program.shadow);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    check_forms();
    check_large();
    for (uint32_t alignment = 8; alignment <= 16; alignment += 8) {
        check_calls(3000, alignment, check_rounds(3000), &random);
        check_calls(40000, alignment, check_rounds(3000), &random);
    }
    return 0;
}
