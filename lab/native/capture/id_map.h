/* The block ids of a text: any numbers, to the sequential ids of the trace format. Private.
 *
 * Most recorders number blocks 0, 1, 2, ... (or from some n). While they do, an id's place in
 * the order is a subtraction, dead or alive, and only the ids in use are held. From the first id out
 * of turn on, all ids are remembered: a block freed twice differs from one that never was. */
#ifndef HEAPSCOPE_NATIVE_ID_MAP_H
#define HEAPSCOPE_NATIVE_ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"

typedef struct hs_id_slot {
    uint64_t id;
    uint64_t place; /* the sequential id << 1 | live; UINT64_MAX: the slot is free */
} hs_id_slot_t;

typedef struct hs_id_map {
    hs_id_slot_t *slots; /* open addressing, linear probing */
    size_t mask;         /* slots - 1, which is 2^n - 1 */
    size_t count;        /* slots taken */
    uint64_t salt;       /* differs by run: a text cannot be made to collide */
    uint64_t first;      /* the first id of the text */
    uint64_t turns;      /* ids from `first` on that came in turn */
    bool scattered;      /* an id came out of turn */
} hs_id_map_t;

hs_status_t hs_id_map_init(hs_id_map_t *map); /* HS_ERR_MEMORY */
void hs_id_map_clear(hs_id_map_t *map);

/* The id now names the block `place`. *reused: it was in use, and the old block can no longer be
 * named. HS_ERR_MEMORY. O(1) on average. */
hs_status_t hs_id_map_take(hs_id_map_t *map, uint64_t id, uint64_t place, bool *reused);
/* The block that the id names or named last; UINT64_MAX: none. O(1) on average. */
uint64_t hs_id_map_find(const hs_id_map_t *map, uint64_t id);
/* Finds the block, which is dead from now on. */
uint64_t hs_id_map_release(hs_id_map_t *map, uint64_t id);

#endif
