/* Written as a program for heap_5 is: regions by vPortDefineHeapRegions(), one malloc over all. */
#include <string.h>

#include "../../models/check.h"
#include "kernel.h"

#define FIRST 4096u
#define SECOND 9000u

static uint64_t first[FIRST / 8], second[SECOND / 8];

static bool lies_in(const void *block, const void *start, size_t size)
{
    return (uintptr_t)block - (uintptr_t)start < size;
}

int main(void)
{
    const HeapRegion_t regions[] = {
        {(uint8_t *)first, FIRST}, {(uint8_t *)second, SECOND}, {NULL, 0}};
    vPortDefineHeapRegions(regions);
    CHECK(asserted == 0, "%u assertions", asserted);
    const size_t all = xPortGetFreeHeapSize();
    CHECK(all > FIRST + SECOND - 1000, "%zu bytes", all);
    CHECK(xPortGetMinimumEverFreeHeapSize() == all, "%zu", xPortGetMinimumEverFreeHeapSize());

    void *const low = pvPortMalloc(3000);
    void *const next = pvPortMalloc(3000); /* no room for it in the first */
    void *const last = pvPortMalloc(900);
    CHECK(lies_in(low, first, FIRST) && lies_in(next, second, SECOND) &&
              lies_in(last, first, FIRST),
          "the first region is asked first");
    const size_t least = xPortGetFreeHeapSize();
    HeapStats_t stats;
    vPortGetHeapStats(&stats);
    CHECK(stats.xAvailableHeapSpaceInBytes == least && stats.xNumberOfFreeBlocks == 2, "%zu in %zu",
          stats.xAvailableHeapSpaceInBytes, stats.xNumberOfFreeBlocks);
    CHECK(stats.xSizeOfLargestFreeBlockInBytes + stats.xSizeOfSmallestFreeBlockInBytes == least,
          "%zu and %zu", stats.xSizeOfLargestFreeBlockInBytes,
          stats.xSizeOfSmallestFreeBlockInBytes);
    vPortFree(low);
    vPortFree(next);
    CHECK(xPortGetMinimumEverFreeHeapSize() == least, "%zu", xPortGetMinimumEverFreeHeapSize());
    void *const both = pvPortMalloc(FIRST);
    CHECK(lies_in(both, second, SECOND), "it fits into the second alone");
    vPortFree(both);
    vPortFree(last);
    CHECK(xPortGetFreeHeapSize() == all && asserted == 0, "%zu of %zu", xPortGetFreeHeapSize(),
          all);
    vPortDefineHeapRegions(regions);
    CHECK(asserted != 0, "a second time is a mistake");
    CHECK(deep == 0, "%u sections open", deep);
    return 0;
}
