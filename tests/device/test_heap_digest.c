/*
 * 32- and 64-bit hosts, and every compiler, give the same offsets: one long program per form and
 * alignment, and the digest of all its results, which stands here. The digest is FNV-1a (64 bits)
 * over the little-endian 32-bit distance of each block from the region's start, all ones for NULL.
 * A digest changes when placement changes; then the new one is printed and belongs here.
 */
#include "heapscope/heap.h"
#include "region.h"

#define BLOCKS 512u
#define STEPS 60000

typedef struct digest_case {
    hs_form_t form;
    uint32_t alignment;
    size_t size;
    uint64_t digest;
} digest_case_t;

static const digest_case_t cases[] = {
    {HS_FORM_SMALL, 8, 60000, UINT64_C(0xFD100DD63C66482D)},
    {HS_FORM_SMALL, 16, 60000, UINT64_C(0x3BC782DB7D11D0B3)},
    {HS_FORM_WIDE, 8, 60000, UINT64_C(0x8060AE3AD6A04BDE)},
    {HS_FORM_WORD, 8, 60000, UINT64_C(0x8060AE3AD6A04BDE)},
    {HS_FORM_WIDE, 16, 3000000, UINT64_C(0xA2ADFC7D75A5F240)},
};

typedef struct run {
    region_t region;
    hs_heap_t *heap;
    uint8_t *blocks[BLOCKS];
    uint64_t digest;
    uint32_t failures;
} run_t;

static uint8_t *note(run_t *run, uint8_t *block)
{
    uint32_t offset = block == NULL ? UINT32_MAX : (uint32_t)(block - run->region.memory);
    for (int shift = 0; shift < 32; shift += 8) {
        run->digest = (run->digest ^ (offset >> shift & 0xFFu)) * UINT64_C(0x100000001B3);
    }
    run->failures += block == NULL ? 1 : 0;
    return block;
}

static void step(run_t *run, check_random_t *random)
{
    uint8_t **slot = &run->blocks[check_below(random, BLOCKS)];
    uint32_t choice = check_below(random, 8);
    uint32_t limit = (uint32_t)(run->region.size / 8) >> check_below(random, 12);
    size_t size = 1 + check_below(random, limit + 24);
    if (*slot != NULL && choice < 3) {
        uint8_t *moved = note(run, hs_heap_realloc(run->heap, *slot, size));
        *slot = moved != NULL ? moved : *slot;
        return;
    }
    if (*slot != NULL) {
        CHECK(hs_heap_free(run->heap, *slot) == HS_OK, "%p", (void *)*slot);
        *slot = NULL;
        return;
    }
    if (choice == 3) {
        size_t alignment = (size_t)1 << check_below(random, 12);
        size_t offset = 16 * check_below(random, 3);
        *slot = note(run, hs_heap_aligned_alloc(run->heap, alignment, size + offset, offset));
    } else {
        *slot = note(run, choice == 4 ? hs_heap_calloc(run->heap, 1, size)
                                      : hs_heap_malloc(run->heap, size));
    }
}

static uint64_t digest_of(const digest_case_t *one)
{
    const hs_heap_config_t config = {one->form, one->alignment};
    check_random_t random = {UINT64_C(20240607)};
    static run_t run;
    memset(&run, 0, sizeof run);
    run.digest = UINT64_C(0xCBF29CE484222325);
    run.region = region_open(one->size, 0);
    run.heap = hs_heap_create(run.region.memory, one->size, &config);
    CHECK(run.heap != NULL, "form %d", (int)one->form);
    (void)note(&run, (uint8_t *)run.heap);
    for (int i = 0; i < STEPS; i++) {
        step(&run, &random);
    }
    CHECK(hs_heap_check(run.heap, NULL) == HS_OK, "form %d", (int)one->form);
    CHECK(run.failures > STEPS / 1000 && run.failures < STEPS / 3, "%u failures", run.failures);
    region_close(&run.region);
    return run.digest;
}

int main(void)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t digest = digest_of(&cases[i]);
        if (digest != cases[i].digest) {
            fprintf(stderr, "form %d, alignment %u, %zu bytes: digest %08X%08X\n",
                    (int)cases[i].form, (unsigned)cases[i].alignment, cases[i].size,
                    (unsigned)(digest >> 32), (unsigned)digest);
            wrong = 1;
        }
    }
    return wrong;
}
