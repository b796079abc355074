/*
 * The blocks that the recorded program holds, by identity. The records lie packed, those freed last
 * used again first, so that the ones in use stay in the host's cache; a sparse open-addressing table
 * of small slots finds them. Memory follows the most blocks that were ever live, not the events.
 * Insert, find, take: O(1) expected.
 */
#ifndef HEAPSCOPE_NATIVE_BLOCKS_H
#define HEAPSCOPE_NATIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/chip.h"

enum {
    HS_BLOCK_LIVE = 1,   /* the record is in use */
    HS_BLOCK_NOWHERE = 2 /* its allocation failed here: no heap holds it */
};

/* Where the recorded program got a block. */
typedef struct hs_origin {
    uint64_t birth; /* event number of its (last re)allocation */
    uint32_t site;
} hs_origin_t;

typedef struct hs_block {
    uint64_t key;      /* id or address in the trace */
    uint64_t recorded; /* bytes the recorded program holds, also where the replay failed */
    union {
        hs_place_t place;   /* replay: what the heap handed out */
        hs_origin_t origin; /* census, which has no heaps */
    };
    uint32_t requested; /* bytes */
    uint32_t task;      /* slot of the owner (hs_ledger_slot); census: the task */
    uint8_t flags;
} hs_block_t;

/* Where a record is. */
typedef struct hs_block_slot {
    uint32_t hash;
    uint32_t record; /* its index plus 1; 0: an empty slot */
} hs_block_slot_t;

typedef struct hs_blocks {
    hs_block_t *records;
    uint32_t *vacant; /* indices of the `used - count` records not in use, the last one is next */
    size_t used;      /* records ever in use: the most that were live at once */
    size_t count;     /* live now */
    hs_block_slot_t *slots;
    size_t slot_mask; /* number of slots, a power of two, minus 1 */
    unsigned shift;   /* from a hash to its slot */
    uint64_t seed;    /* differs from run to run, so that no input can be made to collide */
} hs_blocks_t;

bool hs_blocks_init(hs_blocks_t *blocks); /* false: no host memory */
void hs_blocks_free(hs_blocks_t *blocks);
hs_block_t *hs_blocks_find(const hs_blocks_t *blocks, uint64_t key); /* NULL: not live */
/* A new record for a key that is not live, its place not set and the rest 0; NULL: no host memory.
 * Moves other records. */
hs_block_t *hs_blocks_insert(hs_blocks_t *blocks, uint64_t key);
/* Ends a block. The record can still be read, until the next insert. NULL: not live. */
hs_block_t *hs_blocks_take(hs_blocks_t *blocks, uint64_t key);

#endif
