/*
 * This program uses FreeRTOS's names alone, as a program for heap_4 does. Such a program may rely
 * on alignment, sizes that come back, neighbours that merge, the low-water mark, the failed hook,
 * the statistics, and that every call is made with the scheduler suspended.
 */
#include <string.h>

#include "../../models/check.h"
#include "kernel.h"

#define BLOCKS 40

static void check_first_call(void)
{
    const size_t all = xPortGetFreeHeapSize();
    CHECK(all > configTOTAL_HEAP_SIZE - 1000 && all <= configTOTAL_HEAP_SIZE, "%zu", all);
    CHECK(xPortGetMinimumEverFreeHeapSize() == all, "%zu", xPortGetMinimumEverFreeHeapSize());
    HeapStats_t stats;
    vPortGetHeapStats(&stats);
    CHECK(stats.xAvailableHeapSpaceInBytes == all && stats.xNumberOfFreeBlocks == 1, "%zu in %zu",
          stats.xAvailableHeapSpaceInBytes, stats.xNumberOfFreeBlocks);
    CHECK(stats.xSizeOfLargestFreeBlockInBytes == all &&
              stats.xSizeOfSmallestFreeBlockInBytes == all,
          "largest %zu, smallest %zu", stats.xSizeOfLargestFreeBlockInBytes,
          stats.xSizeOfSmallestFreeBlockInBytes);
    CHECK(stats.xNumberOfSuccessfulAllocations == 0 && stats.xNumberOfSuccessfulFrees == 0, "%zu",
          stats.xNumberOfSuccessfulAllocations);
}

static void check_alignment_and_contents(void)
{
    static uint8_t *blocks[BLOCKS];
    const size_t all = xPortGetFreeHeapSize();
    for (size_t i = 0; i < BLOCKS; i++) {
        blocks[i] = pvPortMalloc(i * 7 + 1);
        CHECK(blocks[i] != NULL, "block %zu", i);
        CHECK(((uintptr_t)blocks[i] & portBYTE_ALIGNMENT_MASK) == 0, "%p of %zu bytes",
              (void *)blocks[i], i * 7 + 1);
        memset(blocks[i], (int)i, i * 7 + 1);
    }
    const size_t least = xPortGetFreeHeapSize();
    for (size_t i = 0; i < BLOCKS; i++) {
        for (size_t k = 0; k < i * 7 + 1; k++) {
            CHECK(blocks[i][k] == i, "byte %zu of block %zu", k, i);
        }
    }
    for (size_t i = 0; i < BLOCKS; i += 2) { /* holes first, so that they must merge */
        vPortFree(blocks[i]);
    }
    for (size_t i = 1; i < BLOCKS; i += 2) {
        vPortFree(blocks[i]);
    }
    CHECK(xPortGetFreeHeapSize() == all, "%zu of %zu back", xPortGetFreeHeapSize(), all);
    CHECK(xPortGetMinimumEverFreeHeapSize() == least, "%zu, not %zu",
          xPortGetMinimumEverFreeHeapSize(), least);
    void *const whole = pvPortMalloc(all);
    CHECK(whole != NULL && xPortGetFreeHeapSize() == 0, "not merged");
    vPortFree(whole);
    xPortResetHeapMinimumEverFreeHeapSize();
    CHECK(xPortGetMinimumEverFreeHeapSize() == all, "not reset");
}

static void check_calloc(void)
{
    void *const dirty = pvPortMalloc(800);
    memset(dirty, 0xA5, 800);
    vPortFree(dirty);
    const uint8_t *const clear = pvPortCalloc(80, 10);
    CHECK(clear != NULL, "no calloc");
    for (size_t i = 0; i < 800; i++) {
        CHECK(clear[i] == 0, "byte %zu", i);
    }
    const unsigned before = hooked;
    CHECK(pvPortCalloc(SIZE_MAX / 2, 3) == NULL, "the product overflows");
    CHECK(hooked == before, "the hook is of pvPortMalloc");
    vPortFree((void *)(uintptr_t)clear);
}

static void check_failures(void)
{
    const unsigned before = hooked;
    const size_t all = xPortGetFreeHeapSize();
    static const size_t sizes[] = {configTOTAL_HEAP_SIZE, SIZE_MAX, SIZE_MAX - 8, SIZE_MAX / 2, 0};
    for (unsigned i = 0; i < 5; i++) {
        CHECK(pvPortMalloc(sizes[i]) == NULL, "%zu bytes", sizes[i]);
        CHECK(hooked == before + i + 1, "the hook, at %zu bytes", sizes[i]);
    }
    CHECK(xPortGetFreeHeapSize() == all, "a failure takes memory");
    vPortFree(NULL);
    CHECK(asserted == 0, "%u assertions", asserted);
}

/* heap_4 asserts on these, too; a program in which configASSERT goes on finds its heap unharmed. */
static void check_misuse(void)
{
    uint8_t *const block = pvPortMalloc(100);
    static uint64_t foreign[8];
    const size_t before = xPortGetFreeHeapSize();
    vPortFree(block + 8);
    vPortFree(foreign);
    CHECK(asserted == 2 && xPortGetFreeHeapSize() == before, "%u assertions", asserted);
    vPortFree(block);
    vPortFree(block);
    CHECK(asserted == 3, "%u assertions", asserted);
    asserted = 0;
}

static void check_statistics(void)
{
    HeapStats_t begin;
    vPortGetHeapStats(&begin);
    void *blocks[8];
    for (int i = 0; i < 8; i++) {
        blocks[i] = pvPortMalloc(208);
    }
    vPortFree(blocks[1]);
    vPortFree(blocks[4]);
    vPortFree(blocks[5]);
    HeapStats_t stats;
    vPortGetHeapStats(&stats);
    CHECK(stats.xNumberOfSuccessfulAllocations == begin.xNumberOfSuccessfulAllocations + 8 &&
              stats.xNumberOfSuccessfulFrees == begin.xNumberOfSuccessfulFrees + 3,
          "%zu and %zu", stats.xNumberOfSuccessfulAllocations, stats.xNumberOfSuccessfulFrees);
    CHECK(stats.xNumberOfFreeBlocks == 3, "%zu free blocks", stats.xNumberOfFreeBlocks);
    CHECK(stats.xSizeOfSmallestFreeBlockInBytes == 208, "%zu",
          stats.xSizeOfSmallestFreeBlockInBytes);
    CHECK(stats.xAvailableHeapSpaceInBytes == xPortGetFreeHeapSize(), "%zu",
          stats.xAvailableHeapSpaceInBytes);
    CHECK(stats.xSizeOfLargestFreeBlockInBytes + 3 * 208 == stats.xAvailableHeapSpaceInBytes, "%zu",
          stats.xSizeOfLargestFreeBlockInBytes);
    void *const largest = pvPortMalloc(stats.xSizeOfLargestFreeBlockInBytes);
    CHECK(largest != NULL, "the largest block is not to be had");
    vPortFree(largest);
    for (int i = 0; i < 8; i++) {
        if (i != 1 && i != 4 && i != 5) {
            vPortFree(blocks[i]);
        }
    }
    vPortGetHeapStats(&stats);
    CHECK(stats.xNumberOfFreeBlocks == 1, "%zu free blocks", stats.xNumberOfFreeBlocks);
}

/* A handler of an interrupt that the lock does not mask is refused, whatever runs. */
static void check_handler(void)
{
    void *const block = pvPortMalloc(64);
    const size_t before = xPortGetFreeHeapSize();
    const unsigned hooks = hooked;
    inside_interrupt = 1;
    CHECK(pvPortMalloc(8) == NULL && hooked == hooks, "not refused, or told to the hook");
    vPortFree(block);
    CHECK(asserted == 1, "%u assertions", asserted);
    CHECK(xPortGetFreeHeapSize() == before, "something changed");
    inside_interrupt = 0;
    asserted = 0;
    vPortFree(block);
    CHECK(asserted == 0, "the refused free did something");
}

/* The program begins anew: no block is left, and no figure. */
static void check_reset(size_t all)
{
    void *const block = pvPortMalloc(1000);
    CHECK(block != NULL && xPortGetFreeHeapSize() < all, "no block");
    vPortHeapResetState();
    check_first_call();
    CHECK(xPortGetFreeHeapSize() == all && pvPortMalloc(1000) == block, "not as at first");
}

int main(void)
{
    vPortInitialiseBlocks();
    check_first_call();
    const size_t all = xPortGetFreeHeapSize();
    check_alignment_and_contents();
    check_calloc();
    check_failures();
    check_misuse();
    check_statistics();
    check_handler();
    check_reset(all);
    CHECK(deep == 0 && suspended > 100, "%u sections open, %u made", deep, suspended);
    return 0;
}
