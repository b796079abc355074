/*
 * FreeRTOS's heaps recorded by their trace macros: include this at the end of FreeRTOSConfig.h,
 * compile recorder_freertos.c, and set heapscope_recorder. heap_1 to heap_5 call both macros while the scheduler
 * is suspended, so that events stand in the order of the heap's own changes. A failed request is one, too,
 * from the same macro: the size that the kernel gives it there has the header of its blocks.
 */
#ifndef HEAPSCOPE_RECORDER_FREERTOS_H
#define HEAPSCOPE_RECORDER_FREERTOS_H

#include "heapscope/recorder.h"

extern hs_recorder_t *heapscope_recorder; /* NULL: nothing is recorded */

#define traceMALLOC(address, size)                                                                 \
    do {                                                                                           \
        if (heapscope_recorder != NULL) {                                                          \
            hs_recorder_allocated(heapscope_recorder, HS_EVENT_MALLOC, (address), (size), 0,       \
                                  HS_RECORDER_CALLER);                                             \
        }                                                                                          \
    } while (0)

#define traceFREE(address, size)                                                                   \
    do {                                                                                           \
        if (heapscope_recorder != NULL) {                                                          \
            (void)(size);                                                                          \
            hs_recorder_freed(heapscope_recorder, (address));                                      \
        }                                                                                          \
    } while (0)

#define traceTASK_CREATE(task)                                                                     \
    do {                                                                                           \
        if (heapscope_recorder != NULL) {                                                          \
            hs_recorder_task_started(heapscope_recorder, (task), (task)->pcTaskName);              \
        }                                                                                          \
    } while (0)

#define traceTASK_DELETE(task)                                                                     \
    do {                                                                                           \
        if (heapscope_recorder != NULL) {                                                          \
            hs_recorder_task_ended(heapscope_recorder, (task));                                    \
        }                                                                                          \
    } while (0)

#endif
