/* The part of FreeRTOS's interface that its heap and the programs that use it see. The kernel
 * behind it is kernel.c, which only counts. */
#ifndef TESTS_FREERTOS_H
#define TESTS_FREERTOS_H

#include <stddef.h>
#include <stdint.h>

#include "FreeRTOSConfig.h"

typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t TickType_t;

#define pdFALSE ((BaseType_t)0)
#define pdTRUE ((BaseType_t)1)
#define PRIVILEGED_FUNCTION
#define PRIVILEGED_DATA
#define portBYTE_ALIGNMENT_MASK (portBYTE_ALIGNMENT - 1)

typedef struct HeapRegion {
    uint8_t *pucStartAddress;
    size_t xSizeInBytes;
} HeapRegion_t;

typedef struct xHeapStats {
    size_t xAvailableHeapSpaceInBytes;
    size_t xSizeOfLargestFreeBlockInBytes;
    size_t xSizeOfSmallestFreeBlockInBytes;
    size_t xNumberOfFreeBlocks;
    size_t xMinimumEverFreeBytesRemaining;
    size_t xNumberOfSuccessfulAllocations;
    size_t xNumberOfSuccessfulFrees;
} HeapStats_t;

void *pvPortMalloc(size_t xWantedSize);
void *pvPortCalloc(size_t xNum, size_t xSize);
void vPortFree(void *pv);
void vPortInitialiseBlocks(void);
size_t xPortGetFreeHeapSize(void);
size_t xPortGetMinimumEverFreeHeapSize(void);
void xPortResetHeapMinimumEverFreeHeapSize(void);
void vPortHeapResetState(void);
void vPortGetHeapStats(HeapStats_t *pxHeapStats);
void vPortDefineHeapRegions(const HeapRegion_t *const pxHeapRegions);
void vApplicationMallocFailedHook(void);

#endif
