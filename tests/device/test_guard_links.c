/* Links that a stale pointer overwrote: each call that would follow one is refused, told of, and
 * changes nothing. Level 0; test_guard_faults.c makes the same faults at random. */
#include "heapscope/guard.h"
#include "region.h"

#define GRANULE 8u

static region_t region;
static hs_heap_t *heap;
static hs_guard_t guard;
static hs_guard_config_t config;
static size_t faults;
static hs_fault_t last;
static const hs_tag_t nobody;

static void note(void *context, const hs_fault_t *fault)
{
    (void)context;
    faults++;
    last = *fault;
}

static void open_form(hs_form_t form)
{
    const hs_heap_config_t shape = {form, 8};
    config = (hs_guard_config_t){.level = HS_GUARD_LINKS, .report = note};
    region = region_open(4000, 0);
    heap = hs_heap_create(region.memory, region.size, &shape);
    CHECK(heap != NULL && hs_guard_init(&guard, heap, &config) == HS_OK, "form %d", (int)form);
    faults = 0;
}

static uint32_t *take(uint32_t granules)
{
    uint32_t *block = hs_guard_malloc(&guard, granules * GRANULE, nobody);
    CHECK(block != NULL && faults == 0, "%u granules", (unsigned)granules);
    return block;
}

static void give(void *block)
{
    CHECK(hs_guard_free(&guard, block) == HS_OK && faults == 0, "free");
}

typedef enum call { FREE, MALLOC, REALLOC } call_t;

static bool is_refused(call_t call, void *block, uint32_t granules)
{
    switch (call) {
    case FREE:
        return hs_guard_free(&guard, block) == HS_ERR_CORRUPT;
    case MALLOC:
        return hs_guard_malloc(&guard, granules * GRANULE, nobody) == NULL;
    default:
        return hs_guard_realloc(&guard, block, granules * GRANULE, nobody) == NULL;
    }
}

/* Overwrites each link of the free block at `wrong` in many ways: the call is refused each time,
 * and succeeds when the links are right again. */
static void refuses(const char *title, uint32_t *wrong, call_t call, void *block, uint32_t granules)
{
    const uint32_t end = (uint32_t)(region.size / GRANULE);
    for (int word = 0; word < 2; word++) {
        const uint32_t right = wrong[word];
        const uint32_t bad[] = {0,       1,   4,         right + 1,  right - 1,
                                end - 1, end, end + 100, 0x40000000, UINT32_MAX};
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            wrong[word] = bad[i];
            uint8_t *before = region_save(&region);
            CHECK(is_refused(call, block, granules), "%s: link %d is %u", title, word,
                  (unsigned)bad[i]);
            CHECK(faults == 1 && last.kind == HS_FAULT_METADATA, "%s: not told of", title);
            CHECK(region_same(&region, before), "%s: something changed", title);
            free(before);
            faults = 0;
        }
        wrong[word] = right;
    }
    CHECK(!is_refused(call, block, granules) && faults == 0, "%s: refused without a fault", title);
    CHECK(hs_guard_check(&guard) == HS_OK, "%s: check", title);
}

static void run(hs_form_t form)
{
    /* The first of the bin that a freed block goes to. */
    open_form(form);
    uint32_t *first = take(5), *wall = take(3), *second = take(5);
    (void)take(3);
    give(first);
    refuses("bin of a freed block", first, FREE, second, 0);
    region_close(&region);

    /* Neighbours that a freed block is merged with, and the bin that the whole goes to. */
    for (int which = 0; which < 3; which++) {
        open_form(form);
        uint32_t *whole = take(12);
        (void)take(3);
        uint32_t *low = take(4), *self = take(3), *high = take(5);
        (void)take(3);
        give(whole);
        give(low);
        give(high);
        uint32_t *wrong[] = {low, high, whole};
        refuses("merged", wrong[which], FREE, self, 0);
        region_close(&region);
    }

    /* The same bin, whose first block is the neighbour: once that is merged, the next one counts. */
    open_form(form);
    uint32_t *before = take(2), *self = take(2), *behind = take(32), *others[2];
    (void)take(3);
    for (int i = 0; i < 2; i++) {
        others[i] = take(33);
        (void)take(3);
    }
    give(behind);
    give(others[0]);
    give(others[1]);
    give(before);
    refuses("first of the bin is merged", others[0], FREE, self, 0);
    region_close(&region);

    /* The block that a malloc takes, and the bin that its rest goes to. */
    open_form(form);
    first = take(5);
    (void)take(3);
    uint32_t *large = take(15);
    (void)take(3);
    give(first);
    refuses("taken", first, MALLOC, NULL, 5);
    region_close(&region);
    open_form(form);
    first = take(5);
    (void)take(3);
    large = take(15);
    (void)take(3);
    give(first);
    give(large);
    refuses("rest of a malloc", first, MALLOC, NULL, 10);
    region_close(&region);

    /* The block that a realloc grows into, and the bin that its rest goes to. */
    open_form(form);
    self = take(8);
    behind = take(9);
    (void)take(3);
    give(behind);
    refuses("grown into", behind, REALLOC, self, 12);
    region_close(&region);
    open_form(form);
    first = take(5);
    (void)take(3);
    self = take(10);
    wall = take(3);
    give(first);
    refuses("rest of a realloc", first, REALLOC, self, 5);
    give(wall);
    region_close(&region);
}

/* One block of a list has a size that cannot be: a malloc is refused, or takes a block of those that it
 * looked at, which are sound. */
static void run_sizes(hs_form_t form)
{
    enum { LISTED = 6, WRONG = 4 };
    for (uint32_t test = 0; test < 40 * LISTED * WRONG; test++) {
        const uint32_t granules = 2 + test / WRONG / LISTED, damaged = test / WRONG % LISTED;
        uint32_t *listed[LISTED];
        open_form(form);
        for (uint32_t i = 0; i < LISTED; i++) {
            listed[i] = take(granules + i % 2);
            (void)take(3);
        }
        for (uint32_t i = LISTED; i-- > 0;) {
            give(listed[i]);
        }
        const uint32_t size = listed[damaged][2];
        listed[damaged][2] = (const uint32_t[WRONG]){0, 1, size - 1, UINT32_MAX}[test % WRONG];
        uint8_t *before = region_save(&region);
        const uint32_t *const taken = hs_guard_malloc(&guard, granules * GRANULE, nobody);
        CHECK(taken != listed[damaged], "%u granules: block %u", granules, damaged);
        CHECK((taken == NULL) == (faults != 0), "%u granules: block %u", granules, damaged);
        CHECK(taken != NULL || region_same(&region, before), "%u granules: a change", granules);
        free(before);
        region_close(&region);
    }
}

/* Slabs: the list of those with free slots. */
static void run_slabs(void)
{
    open_form(HS_FORM_SMALL);
    uint32_t *slots[43];
    for (int i = 0; i < 43; i++) {
        slots[i] = hs_guard_malloc(&guard, 8, nobody);
        CHECK(slots[i] != NULL, "slot %d", i);
    }
    /* The head of the fourth and last one, which is the first of the list; those of slots[14] are not
     * beside it. */
    uint16_t *head = (uint16_t *)(void *)(slots[42] - 2);
    const uint16_t right = head[2];
    head[2] = 0x7FFF;
    CHECK(hs_guard_malloc(&guard, 8, nobody) == NULL && faults == 1, "taken of a damaged slab");
    faults = 0;
    CHECK(hs_guard_free(&guard, slots[14]) == HS_ERR_CORRUPT && faults == 1, "beside one");
    faults = 0;
    head[2] = right;
    CHECK(hs_guard_malloc(&guard, 8, nobody) != NULL && faults == 0, "sound again");
    CHECK(hs_guard_free(&guard, slots[14]) == HS_OK && faults == 0, "sound again");
    region_close(&region);
}

/* No call does anything while the word at `wrong`, which tell where all else lies, is another one. */
static void refuses_all(const uint32_t *wrong, unsigned bit, void *block)
{
    uint8_t *before = region_save(&region);
    CHECK(is_refused(FREE, block, 0) && is_refused(MALLOC, NULL, 5) &&
              is_refused(MALLOC, NULL, 0x100000) && is_refused(REALLOC, block, 9) &&
              is_refused(REALLOC, NULL, 9) && hs_guard_calloc(&guard, 3, 8, nobody) == NULL &&
              hs_guard_aligned_alloc(&guard, 64, 40, 0, nobody) == NULL,
          "word %td, bit %u", wrong - (const uint32_t *)(const void *)heap, bit);
    CHECK(faults == 7 && last.kind == HS_FAULT_METADATA && last.at == heap, "told of %zu", faults);
    CHECK(hs_guard_usable_size(&guard, block) == 0 && hs_guard_full_size(&guard, block) == 0 &&
              hs_guard_containing_block(&guard, block) == NULL && hs_guard_largest(&guard) == 0 &&
              !hs_guard_fits(&guard, 8, 8, 0) && hs_guard_tag(&guard, block).owner == 0,
          "a question is answered: bit %u", bit);
    CHECK(hs_guard_check_block(&guard, block) == HS_ERR_CORRUPT && faults == 8, "bit %u", bit);
    CHECK(hs_guard_check(&guard) == HS_ERR_CORRUPT && faults == 9, "check: bit %u", bit);
    CHECK(region_same(&region, before), "something changed: bit %u", bit);
    free(before);
    faults = 0;
}

/* Shape and end, the first and the fourth word of a heap, are sealed. */
static void run_seal(hs_form_t form)
{
    open_form(form);
    uint32_t *block = take(5), *const words = (uint32_t *)(void *)heap;
    give(take(7));
    for (int word = 0; word <= 3; word += 3) {
        for (unsigned bit = 0; bit < 32; bit++) {
            words[word] ^= UINT32_C(1) << bit;
            refuses_all(&words[word], bit, block);
            words[word] ^= UINT32_C(1) << bit;
        }
    }
    CHECK(hs_guard_check(&guard) == HS_OK, "check");
    give(block);
    region_close(&region);
}

int main(void)
{
    for (int form = HS_FORM_SMALL; form <= HS_FORM_WORD; form++) {
        run((hs_form_t)form);
        run_sizes((hs_form_t)form);
        run_seal((hs_form_t)form);
    }
    run_slabs();
    return 0;
}
