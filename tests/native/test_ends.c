/* A heap with two ends: blocks from the high one lie at the end of the free block that is found, which
 * one is found does not depend on the end, and the heap stays whole. */
#include "../device/region.h"
#include "../models/check.h"
#include "heapscope/heap.h"

#if !HS_ENDS
#error "this test is of heaps with two ends"
#endif

#define BLOCKS 300u
#define STEPS 20000u

typedef struct ends_block {
    uint8_t *at;
    size_t size;
    uint8_t fill;
} ends_block_t;

static bool is_filled(const ends_block_t *block)
{
    for (size_t i = 0; i < block->size; i++) {
        if (block->at[i] != block->fill) {
            return false;
        }
    }
    return true;
}

static void fill(ends_block_t *block, uint8_t *at, size_t size, uint32_t step)
{
    *block = (ends_block_t){at, size, (uint8_t)(step * 7 + 1)};
    memset(at, block->fill, size);
}

/* The free block that holds `at`. */
typedef struct ends_hole {
    const uint8_t *at;
    const uint8_t *begin, *end;
} ends_hole_t;

static bool note_hole(void *context, void *block, size_t size, bool used)
{
    ends_hole_t *const hole = context;
    const uint8_t *const begin = block;
    if (!used && begin <= hole->at && hole->at < begin + size) {
        hole->begin = begin;
        hole->end = begin + size;
    }
    return true;
}

/* The block that malloc gives lies at its end of a free block of a copy that was made before. */
static void check_place(const hs_heap_t *before, ptrdiff_t moved, const uint8_t *block,
                        size_t whole, bool high)
{
    ends_hole_t hole = {block + moved, NULL, NULL};
    hs_heap_walk(before, note_hole, &hole);
    CHECK(hole.begin != NULL, "%p was not free", (const void *)block);
    const uint8_t *const at = block + moved;
    CHECK(high ? at + whole == hole.end : at == hole.begin, "%u bytes at %ld of %ld",
          (unsigned)whole, (long)(at - hole.begin), (long)(hole.end - hole.begin));
}

static void run(check_random_t *random, hs_form_t form, uint32_t alignment, size_t size)
{
    static ends_block_t blocks[BLOCKS];
    const hs_heap_config_t config = {form, alignment};
    region_t region = region_open(size, 0);
    region_t copy = region_open(size, 0);
    const ptrdiff_t moved = copy.memory - region.memory;
    hs_heap_t *const heap = hs_heap_create(region.memory, size, &config);
    const hs_heap_t *const before = (const hs_heap_t *)((const uint8_t *)heap + moved);
    CHECK(heap != NULL, "%u bytes", (unsigned)size);
    memset(blocks, 0, sizeof blocks);
    uint32_t highs = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        ends_block_t *const block = &blocks[check_below(random, BLOCKS)];
        const size_t wanted =
            9 + check_below(random, (uint32_t)(size / 16) >> check_below(random, 9));
        const bool high = check_below(random, 2) != 0;
        hs_heap_set_end(heap, high);
        if (block->at == NULL) {
            memcpy(copy.memory, region.memory, size);
            const bool fits = hs_heap_fits(heap, 1, wanted, 0);
            uint8_t *const at = hs_heap_malloc(heap, wanted);
            CHECK(fits == (at != NULL), "%u bytes", (unsigned)wanted);
            if (at != NULL) {
                check_place(before, moved, at, hs_heap_usable_size(heap, at), high);
                fill(block, at, wanted, step);
                highs += high;
            }
        } else {
            CHECK(is_filled(block), "block %p at step %u", (void *)block->at, step);
            if (check_below(random, 3) == 0) {
                uint8_t *const at = hs_heap_realloc(heap, block->at, wanted);
                if (at != NULL) {
                    const ends_block_t kept = {at, wanted < block->size ? wanted : block->size,
                                               block->fill};
                    CHECK(is_filled(&kept), "realloc at step %u", step);
                    fill(block, at, wanted, step);
                }
            } else {
                CHECK(hs_heap_free(heap, block->at) == HS_OK, "step %u", step);
                block->at = NULL;
            }
        }
        if (step % 16 == 0) {
            CHECK(hs_heap_check(heap, NULL) == HS_OK, "step %u", step);
        }
    }
    CHECK(highs > STEPS / 40, "%u blocks from the high end", highs);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        CHECK(hs_heap_free(heap, blocks[i].at) == HS_OK, "block %u", i);
    }
    hs_heap_info_t info;
    hs_heap_info(heap, &info);
    CHECK(info.free_blocks == 1 && info.free == info.total, "%u", (unsigned)info.free_blocks);
    region_close(&region);
    region_close(&copy);
}

int main(int argc, char **argv)
{
    check_random_t random = check_start(argc, argv);
    run(&random, HS_FORM_SMALL, 8, 60000);
    run(&random, HS_FORM_SMALL, 16, 60000);
    run(&random, HS_FORM_WIDE, 8, 100000);
    run(&random, HS_FORM_WORD, 16, 30000);
    return 0;
}
