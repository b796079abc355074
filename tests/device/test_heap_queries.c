/*
 * Questions are answered as the call would be, and change nothing: fits() and largest() against a
 * real call on the same bytes, which are then put back; and a heap whose region is moved elsewhere
 * goes on as if nothing had happened, because all that it stores are offsets.
 */
#include "program.h"

static program_t program;

static void *handle_in(const region_t *region)
{
    const shadow_t *shadow = &program.shadow;
    return region->memory + ((uint8_t *)shadow->heap - shadow->region.memory);
}

/* Undoes a call on the heap itself, given what it returned; says whether it succeeded. */
static bool undone(const void *block, uint8_t *saved)
{
    const shadow_t *shadow = &program.shadow;
    const void *where = NULL;
    SHADOW_CHECK(shadow, hs_heap_check(shadow->heap, &where) == HS_OK, "fault at %p", where);
    region_restore(&shadow->region, saved);
    return block != NULL;
}

static bool try_malloc(size_t size)
{
    uint8_t *saved = region_save(&program.shadow.region);
    return undone(hs_heap_malloc(program.shadow.heap, size), saved);
}

static bool try_aligned(size_t alignment, size_t size, size_t offset)
{
    uint8_t *saved = region_save(&program.shadow.region);
    return undone(hs_heap_aligned_alloc(program.shadow.heap, alignment, size, offset), saved);
}

static bool fits(size_t alignment, size_t size, size_t offset)
{
    const shadow_t *shadow = &program.shadow;
    uint8_t *saved = region_save(&shadow->region);
    bool answer = hs_heap_fits(shadow->heap, alignment, size, offset);
    SHADOW_CHECK(shadow, region_same(&shadow->region, saved), "a question changed the heap");
    free(saved);
    return answer;
}

static void check_fits(size_t alignment, size_t size, size_t offset)
{
    bool answer = fits(alignment, size, offset);
    bool success = try_aligned(alignment, size, offset);
    SHADOW_CHECK(&program.shadow, answer == success, "fits(%zu, %zu, %zu) is %d", alignment, size,
                 offset, (int)answer);
}

static void check_largest(void)
{
    const shadow_t *shadow = &program.shadow;
    size_t largest = hs_heap_largest(shadow->heap);
    for (size_t size = largest > 24 ? largest - 24 : 0; size <= largest + 24; size++) {
        bool success = try_malloc(size);
        SHADOW_CHECK(shadow, success == (size > 0 && size <= largest), "%zu with %zu as largest",
                     size, largest);
        SHADOW_CHECK(shadow, fits(1, size, 0) == success, "%zu with %zu as largest", size, largest);
    }
    for (int i = 0; i < 20 && largest > 0; i++) {
        size_t size = 1 + check_below(program.random, (uint32_t)largest);
        SHADOW_CHECK(shadow, try_malloc(size), "%zu of %zu", size, largest);
    }
}

static size_t odd_size(check_random_t *random)
{
    size_t total = program.shadow.region.size;
    switch (check_below(random, 8)) {
    case 0:
        return SIZE_MAX - check_below(random, 64);
    case 1:
        return (size_t)1 << check_below(random, sizeof(size_t) * 8);
    case 2:
        return program.shadow.largest + 32 - check_below(random, 64);
    case 3:
        return check_below(random, 20);
    default:
        return 1 + check_below(random, (uint32_t)(total >> check_below(random, 10)) + 1);
    }
}

static void check_aligned_fits(check_random_t *random)
{
    size_t alignment = (size_t)1 << check_below(random, 22);
    check_fits(alignment, odd_size(random), 0);
    check_fits(alignment, odd_size(random), SHADOW_GRANULE * check_below(random, 9));
    check_fits(alignment, odd_size(random), odd_size(random));
    check_fits(check_below(random, 300), odd_size(random), 0);
    check_fits(odd_size(random), odd_size(random), 0);
    /* A gap in front of the block that is exactly as large as the smallest block, or smaller. */
    for (size_t size = program.shadow.largest; size + 64 > program.shadow.largest; size--) {
        check_fits(32, size, 0);
        check_fits(64, size, size < 24 ? 0 : 24);
    }
}

/* The same bytes elsewhere; both go on with the same calls. */
static void check_moved(const hs_heap_config_t *config, check_random_t *random)
{
    shadow_t *shadow = &program.shadow;
    region_t other = region_open_at(shadow->region.size, 4096,
                                    48 + (size_t)((uintptr_t)shadow->region.memory % 16), 0xEE);
    uint8_t *saved = region_save(&shadow->region);
    memcpy(other.memory, saved, other.size);
    memset(shadow->region.memory, 0xEE, other.size); /* whoever looks back sees nothing */
    hs_heap_t *moved = handle_in(&other);
    uint8_t *blocks[32];
    ptrdiff_t offsets[32];
    size_t sizes[32];
    for (size_t i = 0; i < 32; i++) {
        sizes[i] = 1 + check_below(random, (uint32_t)(shadow->region.size / 16) + 1);
        blocks[i] = hs_heap_malloc(moved, sizes[i]);
        offsets[i] = blocks[i] == NULL ? -1 : blocks[i] - other.memory;
        if (i % 3 == 1) {
            CHECK(hs_heap_free(moved, blocks[i - 1]) == HS_OK, "block %zu of the copy", i);
        }
    }
    SHADOW_CHECK(shadow, hs_heap_check(moved, NULL) == HS_OK, "the copy is damaged");
    region_restore(&shadow->region, saved);
    saved = region_save(&shadow->region);
    for (size_t i = 0; i < 32; i++) {
        blocks[i] = hs_heap_malloc(shadow->heap, sizes[i]);
        ptrdiff_t offset = blocks[i] == NULL ? -1 : blocks[i] - shadow->region.memory;
        SHADOW_CHECK(shadow, offset == offsets[i], "form %d: %td, and %td in the copy",
                     (int)config->form, offset, offsets[i]);
        if (i % 3 == 1) {
            (void)hs_heap_free(shadow->heap, blocks[i - 1]);
        }
    }
    SHADOW_CHECK(shadow, memcmp(other.memory, shadow->region.memory, other.size) == 0,
                 "the copy differs");
    region_restore(&shadow->region, saved);
    region_close(&other);
}

static void run(const hs_heap_config_t *config, size_t size, int steps, check_random_t *random)
{
    char label[64];
    snprintf(label, sizeof label, "form %d, alignment %u, %zu bytes", (int)config->form,
             (unsigned)config->alignment, size);
    size_t skew = check_below(random, 24);
    /* A region at a multiple of 2 MB plus something: the largest alignments can be met, too. */
    region_t region = region_open_at(size, (size_t)2 << 20, ((size_t)1 << 20) - size / 2 + skew, 7);
    program.random = random;
    CHECK(shadow_open(&program.shadow, label, region, config, 7), "%s", label);
    for (int step = 0; step < check_rounds(steps); step++) {
        program_step(&program, step / 50 % 2 == 0 ? 10 : 5);
        check_largest();
        check_aligned_fits(random);
        if (step % 10 == 0) {
            check_moved(config, random);
        }
    }
    shadow_empty(&program.shadow, random);
    check_largest();
    shadow_close(&program.shadow);
}

static bool count_one(void *context, void *block, size_t size, bool used)
{
    (void)block;
    (void)size;
    (void)used;
    return --*(int *)context > 0;
}

static void check_stop(void)
{
    shadow_t *shadow = &program.shadow;
    CHECK(shadow_open(shadow, "stop", region_open(2000, 0), NULL, 7), "no heap");
    for (int i = 0; i < 10; i++) {
        shadow_malloc(shadow, i % 2 == 0 ? 8 : 40);
    }
    for (int limit = 1; limit < 20; limit++) {
        int left = limit;
        hs_heap_walk(shadow->heap, count_one, &left);
        CHECK(left == 0, "a walk told to stop after %d went on by %d", limit, -left);
    }
    shadow_close(shadow);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    check_stop();
    for (int form = HS_FORM_AUTO; form <= HS_FORM_WORD; form++) {
        for (uint32_t alignment = 4; alignment <= 16; alignment *= 2) {
            const hs_heap_config_t config = {(hs_form_t)form, alignment};
            run(&config, 300 + check_below(&random, 300), 150, &random);
            if (CHECK_THIN == 1) {
                run(&config, 4096, 200, &random);
                run(&config, 20000, 60, &random);
            }
        }
    }
    return 0;
}
