/*
 * FreeRTOS's heap: compiled in the place of heap_4.c or heap_5.c, with port/freertos/port.c and
 * compat/arenas/arenas.c. All of FreeRTOSConfig.h that these two read is read here; what it does
 * otherwise, docs/guide/freertos.md lists.
 *
 * HS_FREERTOS_REGIONS 1: as heap_5, memory comes by vPortDefineHeapRegions(); 0: as heap_4, it is
 * ucHeap of configTOTAL_HEAP_SIZE bytes.
 */
#include <stddef.h>
#include <stdint.h>

#define MPU_WRAPPERS_INCLUDED_FROM_API_FILE /* this file is the kernel's side of the wrappers */
#include "FreeRTOS.h"
#include "task.h"
#undef MPU_WRAPPERS_INCLUDED_FROM_API_FILE

#include "arenas.h"
#include "heapscope/port.h"

#ifndef HS_FREERTOS_REGIONS
#define HS_FREERTOS_REGIONS 0
#endif
#ifndef configAPPLICATION_ALLOCATED_HEAP
#define configAPPLICATION_ALLOCATED_HEAP 0
#endif
#ifndef configUSE_MALLOC_FAILED_HOOK
#define configUSE_MALLOC_FAILED_HOOK 0
#endif
#ifndef configHEAP_CLEAR_MEMORY_ON_FREE
#define configHEAP_CLEAR_MEMORY_ON_FREE 0
#endif
#ifndef traceMALLOC
#define traceMALLOC(address, size)
#endif
#ifndef traceFREE
#define traceFREE(address, size)
#endif
#ifndef PRIVILEGED_DATA
#define PRIVILEGED_DATA
#endif

#if !defined(configSUPPORT_DYNAMIC_ALLOCATION) || configSUPPORT_DYNAMIC_ALLOCATION == 0
#error "configSUPPORT_DYNAMIC_ALLOCATION is 0: then no heap is to be compiled in"
#endif

/* portBYTE_ALIGNMENT is what the port promises its stacks and objects. */
#ifndef HS_FREERTOS_ALIGNMENT
#define HS_FREERTOS_ALIGNMENT portBYTE_ALIGNMENT
#endif
#ifndef HS_FREERTOS_SMALLER_ALIGNMENT
#define HS_FREERTOS_SMALLER_ALIGNMENT 0
#endif
#if HS_FREERTOS_ALIGNMENT < portBYTE_ALIGNMENT && !HS_FREERTOS_SMALLER_ALIGNMENT
#error                                                                                             \
    "HS_FREERTOS_ALIGNMENT is below portBYTE_ALIGNMENT: define HS_FREERTOS_SMALLER_ALIGNMENT as 1 " \
       "if that is meant"
#endif
#if HS_FREERTOS_ALIGNMENT > 16
#error "HS_FREERTOS_ALIGNMENT: at most 16"
#endif

void *pvPortCalloc(size_t xNum, size_t xSize);
void xPortResetHeapMinimumEverFreeHeapSize(void);
void vPortHeapResetState(void);

#if !HS_FREERTOS_REGIONS
#if configAPPLICATION_ALLOCATED_HEAP == 1
extern uint8_t ucHeap[configTOTAL_HEAP_SIZE];
#else
PRIVILEGED_DATA static uint8_t ucHeap[configTOTAL_HEAP_SIZE];
#endif
#endif

PRIVILEGED_DATA static hs_arenas_t arenas = {
    .alignment = HS_FREERTOS_ALIGNMENT < 4 ? 4 : HS_FREERTOS_ALIGNMENT,
    .weak = HS_FREERTOS_SMALLER_ALIGNMENT != 0,
};
PRIVILEGED_DATA static size_t allocations;
PRIVILEGED_DATA static size_t frees;

/* Into the heap; false: refused, in an interrupt. The memory is there from the first call on. */
static BaseType_t enter(void)
{
    if (!hs_port_enter()) {
        return pdFALSE;
    }
#if HS_FREERTOS_REGIONS
    configASSERT(arenas.count != 0); /* vPortDefineHeapRegions() must come before */
#else
    if (arenas.count == 0) {
        const hs_status_t status = hs_arenas_add(&arenas, ucHeap, sizeof ucHeap);
        configASSERT(status == HS_OK); /* configTOTAL_HEAP_SIZE is too small for any block */
        (void)status;
    }
#endif
    return pdTRUE;
}

#if HS_FREERTOS_REGIONS

void vPortDefineHeapRegions(const HeapRegion_t *const pxHeapRegions)
{
    configASSERT(arenas.count == 0); /* to be called once */
    for (size_t i = 0; pxHeapRegions[i].xSizeInBytes != 0; i++) {
        const hs_status_t status =
            hs_arenas_add(&arenas, pxHeapRegions[i].pucStartAddress, pxHeapRegions[i].xSizeInBytes);
        configASSERT(status == HS_OK); /* overlapping, too small, or more than HS_ARENAS_MAX */
        (void)status;
    }
    configASSERT(arenas.count != 0);
}

#endif

void *pvPortMalloc(size_t xWantedSize)
{
    if (!enter()) {
        return NULL; /* no word to the hook: memory is not what is short */
    }
    void *const pvReturn = hs_arenas_malloc(&arenas, xWantedSize);
    allocations += pvReturn != NULL ? 1 : 0;
    traceMALLOC(pvReturn, xWantedSize);
    hs_port_leave();
#if configUSE_MALLOC_FAILED_HOOK == 1
    if (pvReturn == NULL) {
        extern void vApplicationMallocFailedHook(void);
        vApplicationMallocFailedHook();
    }
#endif
    return pvReturn;
}

void *pvPortCalloc(size_t xNum, size_t xSize)
{
    if (xSize != 0 && xNum > SIZE_MAX / xSize) {
        return NULL;
    }
    uint8_t *const pvReturn = pvPortMalloc(xNum * xSize);
    for (size_t i = 0; pvReturn != NULL && i < xNum * xSize; i++) {
        pvReturn[i] = 0;
    }
    return pvReturn;
}

void vPortFree(void *pv)
{
    if (pv == NULL) {
        return;
    }
    const BaseType_t entered = enter();
    configASSERT(entered); /* refused: a free in an interrupt needs HS_FREERTOS_MASKS */
    if (!entered) {
        return;
    }
    const size_t size = hs_arenas_usable_size(&arenas, pv);
#if configHEAP_CLEAR_MEMORY_ON_FREE == 1
    for (size_t i = 0; i < size; i++) {
        ((volatile uint8_t *)pv)[i] = 0;
    }
#endif
    const hs_status_t status = hs_arenas_free(&arenas, pv);
    configASSERT(status == HS_OK); /* no block, freed before, or its neighbours are damaged */
    if (status == HS_OK) {
        frees++;
        traceFREE(pv, size);
    }
    (void)size;
    hs_port_leave();
}

/* Before the first allocation too: all of it, where heap_4 says 0. */
size_t xPortGetFreeHeapSize(void)
{
    if (!enter()) {
        return hs_arenas_free_size(&arenas);
    }
    const size_t size = hs_arenas_free_size(&arenas);
    hs_port_leave();
    return size;
}

size_t xPortGetMinimumEverFreeHeapSize(void)
{
    if (!enter()) {
        return arenas.minimum;
    }
    const size_t size = arenas.minimum;
    hs_port_leave();
    return size;
}

void xPortResetHeapMinimumEverFreeHeapSize(void)
{
    if (enter()) {
        arenas.minimum = hs_arenas_free_size(&arenas);
        hs_port_leave();
    }
}

void vPortInitialiseBlocks(void)
{
    if (enter()) {
        hs_port_leave();
    }
}

/* For a program that starts the scheduler anew: every block is gone. With HS_FREERTOS_REGIONS the
 * regions are to be defined again. */
void vPortHeapResetState(void)
{
    arenas.count = 0;
    arenas.minimum = 0;
    allocations = 0;
    frees = 0;
}

static bool count_free(void *context, void *block, size_t size, bool used)
{
    HeapStats_t *const stats = context;
    (void)block;
    if (!used) {
        stats->xNumberOfFreeBlocks++;
        if (size < stats->xSizeOfSmallestFreeBlockInBytes) {
            stats->xSizeOfSmallestFreeBlockInBytes = size;
        }
    }
    return true;
}

/* Walks, as heap_4 does: with the scheduler suspended for as long as that takes. */
void vPortGetHeapStats(HeapStats_t *pxHeapStats)
{
    *pxHeapStats = (HeapStats_t){.xSizeOfSmallestFreeBlockInBytes = SIZE_MAX};
    if (enter()) {
        for (uint32_t i = 0; i < arenas.count; i++) {
            hs_heap_walk(arenas.arena[i].heap, count_free, pxHeapStats);
        }
        pxHeapStats->xAvailableHeapSpaceInBytes = hs_arenas_free_size(&arenas);
        pxHeapStats->xSizeOfLargestFreeBlockInBytes = hs_arenas_largest(&arenas);
        pxHeapStats->xMinimumEverFreeBytesRemaining = arenas.minimum;
        pxHeapStats->xNumberOfSuccessfulAllocations = allocations;
        pxHeapStats->xNumberOfSuccessfulFrees = frees;
        hs_port_leave();
    }
    if (pxHeapStats->xNumberOfFreeBlocks == 0) {
        pxHeapStats->xSizeOfSmallestFreeBlockInBytes = 0;
    }
}
