/*
 * Blocks by address. The instruction bus of some chips sees data memory at other addresses, on the
 * ESP32 with the words in reverse order, so that a block's first word there is its last one here. Such
 * a block is one word longer: its last word, right below its first alias address, holds the data
 * address of its beginning.
 */
#ifndef HEAPSCOPE_REGIONS_PLACE_H
#define HEAPSCOPE_REGIONS_PLACE_H

#include "set.h"

/* Where a block is, and how its words follow each other as its user sees them. */
typedef struct hs_place {
    hs_area_t *area; /* NULL: in no region */
    void *block;     /* by the data bus; NULL: no block that the region gave by that address */
    hs_payload_t *words;
    ptrdiff_t step;
    size_t size; /* bytes that its user has; 0: no used block begins there */
} hs_place_t;

/* How an alias address of a region is made: HS_DATA where it gives none for these capabilities. */
typedef enum hs_bus { HS_DATA, HS_ALIAS, HS_REVERSED } hs_bus_t;

hs_bus_t hs_place_bus(const hs_area_t *area, uint32_t caps);

/* The address for the user of a new block of `size` usable bytes, a multiple of 4 for an alias
 * address. */
void *hs_place_address(const hs_area_t *area, hs_bus_t bus, void *block, size_t size);

/* The place of an address that a user gave; `size` of a data address only if `sized`. Where it lies in a
 * region, the lock of that region is held from then on, until hs_place_close(). */
hs_place_t hs_place_open(hs_regions_t *set, const void *address, bool sized);
void hs_place_close(const hs_regions_t *set, const hs_place_t *place);

/* The data address of any address in a region; `area` NULL: in none. No lock. */
uintptr_t hs_place_data(hs_regions_t *set, const void *address, hs_area_t **area);

/* Copies the bytes as the users of both blocks see them: by whole words, and by bytes at the end where
 * `to` allows byte access. From the first to the last, so that `to` may lie below `from` and overlap it.
 * Without a lock: both are the caller's. */
void hs_place_copy(const hs_place_t *to, const hs_place_t *from, size_t bytes);

#endif
