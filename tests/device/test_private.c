/*
 * A private heap beside a shadow: contents, figures, failures, locks. A request fails exactly when
 * hs_private_fits() said that it would; the figures add up after each call; the lock is held in each
 * operation, never twice, and never while the caller is told of a failure.
 */
#include "heapscope/private.h"
#include "region.h"

enum { BLOCKS = 400 };

typedef struct block {
    uint8_t *at;
    size_t size;
    uint8_t filling;
} block_t;

static struct {
    check_random_t random;
    region_t region;
    hs_private_t *heap;
    block_t blocks[BLOCKS];
    uint32_t count;
    uint32_t failures, misuse, reported;
    size_t failed_size, failed_largest, most_used;
    int locked;
    unsigned long locks;
    bool again;       /* what `full` says */
    uint32_t to_free; /* blocks that it frees first */
    hs_private_failure_t failure;
} test;

/* ---- hooks ------------------------------------------------------------------------------------ */

static void lock(void *context)
{
    CHECK(context == &test && test.locked++ == 0, "locked twice");
    test.locks++;
}

static void unlock(void *context)
{
    CHECK(context == &test && --test.locked == 0, "unlocked twice");
}

static void release(uint32_t index)
{
    CHECK(hs_private_free(test.heap, test.blocks[index].at) == HS_OK, "block %u", (unsigned)index);
    test.blocks[index] = test.blocks[--test.count];
}

static bool full(void *context, const hs_private_failure_t *failure)
{
    CHECK(context == &test && test.locked == 0, "told with the lock held");
    test.reported++;
    test.failure = *failure;
    while (test.to_free > 0 && test.count > 0) {
        release(test.count - 1);
        test.to_free--;
    }
    return test.again;
}

/* ---- the shadow ------------------------------------------------------------------------------- */

static void check_block(const block_t *block)
{
    for (size_t i = 0; i < block->size; i++) {
        CHECK(block->at[i] == block->filling, "byte %zu of %zu", i, block->size);
    }
}

static void check(void)
{
    hs_private_info_t info;
    hs_private_info(test.heap, &info);
    CHECK(info.size == test.region.size, "size %zu", info.size);
    CHECK(info.control + info.total == info.size, "%zu + %zu", info.control, info.total);
    CHECK(info.used + info.free == info.total, "%zu + %zu", info.used, info.free);
    CHECK(info.blocks == test.count, "%u blocks, not %u", (unsigned)info.blocks,
          (unsigned)test.count);
    CHECK(info.failures == test.failures && info.misuse == test.misuse, "%u failures, %u misuse",
          (unsigned)info.failures, (unsigned)info.misuse);
    CHECK(info.failed_size == test.failed_size && info.failed_largest == test.failed_largest,
          "%zu, %zu", info.failed_size, info.failed_largest);
    CHECK(info.largest <= info.free, "largest %zu of %zu", info.largest, info.free);
    CHECK(info.fragmentation == (info.free == 0 ? 0 : 100 - info.largest * 100 / info.free),
          "%u %%", (unsigned)info.fragmentation);
    test.most_used = info.used > test.most_used ? info.used : test.most_used;
    CHECK(info.peak >= test.most_used && info.peak <= info.total, "peak %zu", info.peak);
    CHECK(info.largest == 0 || hs_private_fits(test.heap, 1, info.largest), "largest");
    CHECK(!hs_private_fits(test.heap, 1, info.largest + 1), "more than the largest");
    size_t requested = 0;
    for (uint32_t i = 0; i < test.count; i++) {
        check_block(&test.blocks[i]);
        requested += test.blocks[i].size;
        CHECK(hs_private_usable_size(test.heap, test.blocks[i].at) >= test.blocks[i].size,
              "usable");
    }
    CHECK(info.used >= requested, "%zu used for %zu", info.used, requested);
    CHECK(hs_private_check(test.heap) == HS_OK, "the heap contradicts itself");
    CHECK(test.locked == 0, "the lock is held");
}

static void fill(block_t *block)
{
    block->filling = (uint8_t)check_next(&test.random);
    memset(block->at, block->filling, block->size);
}

/* After a request of `size` that gave `built` and should have, or not. */
static void note(void *built, bool fits, size_t size, uint32_t reported, unsigned long locks)
{
    CHECK((built != NULL) == fits, "%zu bytes: %s", size, fits ? "fit" : "do not fit");
    CHECK(test.reported - reported == (fits ? 0u : 1u), "told %u times",
          (unsigned)(test.reported - reported));
    CHECK(test.locks > locks, "without the lock");
    if (!fits) {
        CHECK(test.failure.size == size, "%zu, not %zu", test.failure.size, size);
        test.failures++;
        test.failed_size = size;
        test.failed_largest = test.failure.largest;
        hs_private_info_t info;
        hs_private_info(test.heap, &info);
        CHECK(test.failure.largest == info.largest && test.failure.free == info.free, "figures");
    }
}

static size_t any_size(void)
{
    switch (check_below(&test.random, 10)) {
    case 0:
        return SIZE_MAX >> check_below(&test.random, sizeof(size_t) * 8 - 10);
    case 1:
        return 1 + check_below(&test.random, (uint32_t)test.region.size);
    case 2:
        return 1 + check_below(&test.random, 9);
    default:
        return 1 + check_below(&test.random, 300);
    }
}

static void allocate(void)
{
    const size_t size = any_size();
    const uint32_t way = check_below(&test.random, 4);
    const size_t alignment = way == 3 ? (size_t)1 << check_below(&test.random, 8) : 1;
    const bool fits = hs_private_fits(test.heap, alignment, size);
    const uint32_t reported = test.reported;
    const unsigned long locks = test.locks;
    uint8_t *built = NULL;
    if (way == 3) {
        built = hs_private_aligned_alloc(test.heap, alignment, size);
    } else if (way == 2) {
        built = hs_private_calloc(test.heap, size, 1);
    } else {
        built = hs_private_malloc(test.heap, size);
    }
    note(built, fits, size, reported, locks);
    if (built != NULL) {
        CHECK((uintptr_t)built % alignment == 0, "alignment %zu", alignment);
        for (size_t i = 0; way == 2 && i < size; i++) {
            CHECK(built[i] == 0, "byte %zu is not cleared", i);
        }
        test.blocks[test.count] = (block_t){built, size, 0};
        fill(&test.blocks[test.count++]);
    } else {
        CHECK(test.failure.alignment == (way == 3 ? alignment : 0), "alignment");
    }
}

static void resize(uint32_t index)
{
    block_t *block = &test.blocks[index];
    const size_t size = any_size();
    const size_t usable = hs_private_usable_size(test.heap, block->at);
    const uint32_t reported = test.reported;
    const unsigned long locks = test.locks;
    const size_t kept = size < block->size ? size : block->size;
    const bool fits = hs_private_fits(test.heap, 1, size) || size <= usable;
    uint8_t *moved = hs_private_realloc(test.heap, block->at, size);
    /* Growing in place may succeed where no other block would fit. */
    note(moved, moved != NULL || fits, size, reported, locks);
    if (moved != NULL) {
        block->at = moved;
        block->size = kept;
        check_block(block);
        block->size = size;
        fill(block);
    }
}

static void misuse(void)
{
    uint8_t other = 0;
    uint8_t *inside = test.count > 0 ? test.blocks[0].at + 1 : &other;
    uint8_t *const wrong[] = {&other, inside, test.region.memory};
    for (size_t i = 0; i < 3; i++) {
        CHECK(hs_private_free(test.heap, wrong[i]) == HS_ERR_ARGUMENT, "free of %zu", i);
        CHECK(hs_private_realloc(test.heap, wrong[i], 30) == NULL, "realloc of %zu", i);
        CHECK(hs_private_realloc(test.heap, wrong[i], 0) == NULL, "realloc of %zu", i);
        CHECK(hs_private_usable_size(test.heap, wrong[i]) == 0, "size of %zu", i);
        test.misuse += 3;
    }
}

static void step(void)
{
    uint32_t choice = check_below(&test.random, 20);
    uint32_t index = test.count > 0 ? check_below(&test.random, test.count) : 0;
    if (test.count == 0 || (choice < 9 && test.count < BLOCKS)) {
        allocate();
    } else if (choice < 13) {
        resize(index);
    } else if (choice == 13) {
        misuse();
    } else {
        release(index);
    }
}

static void open_heap(size_t size, size_t skew, const hs_guard_config_t *guard, hs_form_t form)
{
    test.region = region_open(size, skew);
    const hs_private_config_t config = {.name = "script",
                                        .size = size,
                                        .memory = test.region.memory,
                                        .heap = {.form = form},
                                        .guard = guard,
                                        .lock = lock,
                                        .unlock = unlock,
                                        .full = full,
                                        .context = &test};
    test.heap = hs_private_create(&config);
    CHECK(test.heap != NULL, "no heap in %zu bytes", size);
    test.count = test.failures = test.misuse = test.reported = 0;
    test.failed_size = test.failed_largest = test.most_used = 0;
    test.again = false;
}

static void close_heap(void)
{
    while (test.count > 0) {
        release(check_below(&test.random, test.count));
    }
    check();
    hs_private_info_t info;
    hs_private_info(test.heap, &info);
    CHECK(info.used == 0 && info.free == info.total, "%zu bytes are left", info.used);
    hs_private_destroy(test.heap);
    region_close(&test.region);
}

static void run(size_t size, const hs_guard_config_t *guard, hs_form_t form)
{
    open_heap(size, check_below(&test.random, 20), guard, form);
    for (int i = 0; i < check_rounds(1200); i++) {
        step();
        if (i % 6 == 0) {
            check();
        }
    }
    CHECK(CHECK_THIN > 1 || test.failures > 0, "nothing failed in %zu bytes", size);
    close_heap();
}

/* ---- single cases ----------------------------------------------------------------------------- */

/* The memory that `full` frees serves the request, so nothing has failed. `full` is asked once. */
static void check_second_try(void)
{
    open_heap(8192, 0, NULL, HS_FORM_AUTO);
    while (hs_private_fits(test.heap, 1, 500)) {
        test.blocks[test.count] = (block_t){hs_private_malloc(test.heap, 500), 500, 0};
        fill(&test.blocks[test.count++]);
    }
    test.again = true;
    test.to_free = 1;
    uint8_t *built = hs_private_malloc(test.heap, 500);
    CHECK(built != NULL && test.reported == 1, "after a free, told %u times",
          (unsigned)test.reported);
    test.blocks[test.count] = (block_t){built, 500, 0};
    fill(&test.blocks[test.count++]);
    check(); /* no failure */
    CHECK(hs_private_malloc(test.heap, 500) == NULL && test.reported == 2, "in vain");
    test.failures++;
    test.failed_size = 500;
    test.failed_largest = test.failure.largest;
    check();
    CHECK(hs_private_calloc(test.heap, SIZE_MAX / 2 + 2, 2) == NULL, "2 bytes by overflow");
    CHECK(test.failure.size == SIZE_MAX, "%zu", test.failure.size);
    test.failures++;
    test.failed_size = SIZE_MAX;
    test.failed_largest = test.failure.largest;
    check();
    close_heap();
}

static void check_arguments(void)
{
    open_heap(2048, 0, NULL, HS_FORM_AUTO);
    CHECK(hs_private_malloc(test.heap, 0) == NULL, "0 bytes");
    CHECK(hs_private_calloc(test.heap, 0, 8) == NULL, "0 bytes");
    CHECK(hs_private_calloc(test.heap, 8, 0) == NULL, "0 bytes");
    CHECK(hs_private_realloc(test.heap, NULL, 0) == NULL, "0 bytes");
    CHECK(hs_private_aligned_alloc(test.heap, 24, 8) == NULL, "alignment 24");
    CHECK(hs_private_aligned_alloc(test.heap, 0, 8) == NULL, "alignment 0");
    CHECK(hs_private_free(test.heap, NULL) == HS_OK, "NULL");
    CHECK(test.reported == 0, "none of these is a failure");
    check();
    close_heap();
    static uint64_t memory[64];
    hs_private_config_t config = {.size = sizeof memory};
    CHECK(hs_private_create(&config) == NULL, "neither memory nor source");
    config.memory = memory;
    config.lock = lock;
    CHECK(hs_private_create(&config) == NULL, "a lock without unlock");
    config.lock = NULL;
    config.heap.alignment = 3;
    CHECK(hs_private_create(&config) == NULL, "alignment 3");
    config.heap.alignment = 0;
    for (config.size = 0; config.size < sizeof memory; config.size++) {
        hs_private_t *heap = hs_private_create(&config);
        CHECK(heap == NULL || hs_private_check(heap) == HS_OK, "%zu bytes", config.size);
    }
    CHECK(hs_private_create(&config) != NULL, "%zu bytes", config.size);
    hs_private_destroy(NULL);
}

/* On a block of another heap, which has it back at once; and one within it. */
#if HS_GUARD
/* The user of a source puts pointers into its memory, whatever the guard aligns payloads to. */
static void check_source_alignment(void)
{
    static const hs_guard_config_t guard = {.level = HS_GUARD_CANARIES, .alignment = 4};
    static uint64_t memory[500];
    const hs_private_config_t config = {.size = sizeof memory, .memory = memory, .guard = &guard};
    hs_private_t *heap = hs_private_create(&config);
    CHECK(heap != NULL, "no heap");
    const hs_source_t source = hs_private_source(heap);
    for (size_t size = 1; size < 40; size++) {
        void *block = source.allocate(source.context, size);
        CHECK(block != NULL && (uintptr_t)block % sizeof(void *) == 0, "%p of %zu", block, size);
    }
    CHECK(hs_private_check(heap) == HS_OK, "damaged");
}
#endif

static void check_source(void)
{
    static uint64_t memory[1024];
    hs_heap_t *system = hs_heap_create(memory, sizeof memory, NULL);
    const size_t free = hs_heap_free_size(system);
    const hs_source_t source = hs_heap_source(system);
    hs_private_config_t config = {.size = 4000, .source = &source};
    hs_private_t *outer = hs_private_create(&config);
    CHECK(outer != NULL && hs_heap_free_size(system) + 4000 <= free, "no heap from a source");
    const hs_source_t within = hs_private_source(outer);
    config.source = &within;
    config.size = 2000;
    hs_private_t *inner = hs_private_create(&config);
    CHECK(inner != NULL && hs_private_malloc(inner, 1000) != NULL, "no heap within a heap");
    hs_private_info_t info;
    hs_private_info(outer, &info);
    CHECK(info.blocks == 1 && info.used >= 2000, "%zu used", info.used);
    hs_private_destroy(inner);
    hs_private_info(outer, &info);
    CHECK(info.blocks == 0 && info.used == 0, "%zu used", info.used);
    config.size = 5000;
    CHECK(hs_private_create(&config) == NULL, "more than the source has");
    config.size = 20; /* had, and too small for a heap: it goes back */
    CHECK(hs_private_create(&config) == NULL, "20 bytes");
    hs_private_info(outer, &info);
    CHECK(info.blocks == 0 && info.failures == 1, "%u blocks", (unsigned)info.blocks);
    hs_private_destroy(outer);
    CHECK(hs_heap_free_size(system) == free, "%zu bytes", hs_heap_free_size(system));
}

#if HS_GUARD
/* A block that was written beyond is refused, which is misuse and no want of room. */
static void check_damage(void)
{
    static const hs_guard_config_t guard = {.level = HS_GUARD_CANARIES};
    open_heap(8192, 0, &guard, HS_FORM_AUTO);
    uint8_t *block = hs_private_malloc(test.heap, 100);
    const uint8_t right = block[100];
    block[100] = (uint8_t)(right + 1);
    CHECK(hs_private_realloc(test.heap, block, 200) == NULL, "a damaged block is resized");
    CHECK(hs_private_free(test.heap, block) != HS_OK, "a damaged block is freed");
    CHECK(hs_private_check(test.heap) == HS_ERR_CORRUPT, "the damage goes unseen");
    hs_private_info_t info;
    hs_private_info(test.heap, &info);
    CHECK(info.misuse == 2 && info.failures == 0 && test.reported == 0, "%u misuse, %u failures",
          (unsigned)info.misuse, (unsigned)info.failures);
    block[100] = right;
    CHECK(hs_private_free(test.heap, block) == HS_OK, "the block is whole again");
    test.misuse = 2;
    close_heap();
}
#endif

static void check_text(void)
{
    open_heap(16384, 0, NULL, HS_FORM_AUTO);
    void *low = hs_private_malloc(test.heap, 4000);
    void *high = hs_private_malloc(test.heap, 1000);
    CHECK(hs_private_malloc(test.heap, 12000) == NULL, "12000 bytes");
    CHECK(hs_private_free(test.heap, low) == HS_OK && low < high, "low");
    CHECK(hs_private_free(test.heap, low) == HS_ERR_ARGUMENT, "a second free");
    hs_private_info_t info;
    hs_private_info(test.heap, &info);
    CHECK(info.used == 1000 && info.peak == 5000 && info.fragmentation > 20, "the story");
    char text[300];
    char expected[300];
    hs_text_buffer_t buffer = {text, sizeof text, 0};
    hs_private_meminfo(test.heap, hs_text_to(&buffer));
    snprintf(expected, sizeof expected,
             "script: %zu total, 1000 used, %zu free, %zu largest, %u %% fragmented, 5000 peak\n"
             "script: 1 blocks, 1 failures, 1 misuse\n"
             "script: last failure 12000 bytes, largest then %zu\n",
             info.total, info.free, info.largest, (unsigned)info.fragmentation,
             info.failed_largest);
    CHECK(strcmp(text, expected) == 0, "%s", text);
    CHECK(hs_private_free(test.heap, high) == HS_OK, "high");
    hs_private_destroy(test.heap);
    region_close(&test.region);
}

int main(int argc, char **argv)
{
    test.random = check_start(argc, argv);
    check_arguments();
    check_second_try();
    check_source();
    check_text();
    for (int form = HS_FORM_AUTO; form <= HS_FORM_WORD; form++) {
        run(3000, NULL, (hs_form_t)form);
        run(20000, NULL, (hs_form_t)form);
    }
#if HS_GUARD
    check_source_alignment();
    check_damage();
    for (int level = HS_GUARD_LINKS; level <= HS_GUARD_WALK; level++) {
        const hs_guard_config_t guard = {.level = (hs_guard_level_t)level, .walk_every = 50};
        run(20000, &guard, HS_FORM_AUTO);
    }
#endif
    return 0;
}
