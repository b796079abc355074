/*
 * The event loop that drives a heap, compiled into an image for a target or for the host. Events
 * come from the outside as plain words of the same layout everywhere.
 */
#ifndef HEAPSCOPE_EMULATION_DRIVER_H
#define HEAPSCOPE_EMULATION_DRIVER_H

#include <stdint.h>

#include "heapscope/heap.h"

/* In the place of an offset. */
#define DRIVER_FAILED UINT32_C(0xFFFFFFFF) /* NULL */
#define DRIVER_FREED UINT32_C(0xFFFFFFFE)  /* a free, which has no result */
#define DRIVER_SKIPPED                                                                             \
    UINT32_C(0xFFFFFFFD) /* its block's allocation had failed: no call was made */
#define DRIVER_REFUSED UINT32_C(0xFFFFFFFC) /* a free that the heap refused */

/* hs_event_kind_t */
enum { DRIVER_MALLOC = 1, DRIVER_CALLOC, DRIVER_ALIGNED, DRIVER_REALLOC, DRIVER_FREE };

typedef struct driver_event {
    uint32_t kind;
    uint32_t slot;  /* of the block, before */
    uint32_t after; /* realloc: of the block afterwards; aligned: log2 of the alignment */
    uint32_t size;
} driver_event_t;

hs_heap_t *drive_create(void *memory, uint32_t size, uint32_t form, uint32_t alignment);

/* `slots`: one for each block, all NULL at first. `results`: one for each event, offsets from
 * `memory`. One call of the heap for each event that is not skipped. */
void drive_events(hs_heap_t *heap, const uint8_t *memory, const driver_event_t *events,
                  uint32_t count, void **slots, uint32_t *results);

#endif
