/*
 * The order in which a request asks the regions of a chip: capabilities at three priorities, in list
 * order, as ESP-IDF's heap_caps_malloc makes it (components/heap/heap_caps.c of v4.2 and v5.5; in
 * words: docs/design/regions.md). The rule itself is device/src/regions/caps.h.
 */
#ifndef HEAPSCOPE_NATIVE_ROUTE_H
#define HEAPSCOPE_NATIVE_ROUTE_H

#include <stddef.h>
#include <stdint.h>

#include "rows/request.h"

/* The tries of a request with `caps`, in turn; `has`: the capabilities of each region, by priority.
 * Fills at most `capacity` rows and returns how many there are. ESP-IDF asks a region again at each
 * priority at which it shares a capability; it refuses a request that contradicts itself. */
size_t hs_route_attempts(const uint32_t (*has)[3], size_t regions, uint32_t caps,
                         hs_lab_attempt_t *rows, size_t capacity);

#endif
