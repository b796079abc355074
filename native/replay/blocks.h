/*
 * The blocks that the recorded program holds, by identity. An open-addressing table whose memory
 * follows the number of live blocks, not of events. Insert, find, remove: O(1) expected.
 */
#ifndef HEAPSCOPE_NATIVE_BLOCKS_H
#define HEAPSCOPE_NATIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HS_BLOCK_LIVE = 1,    /* the slot is in use */
    HS_BLOCK_NOWHERE = 2, /* its allocation failed here: no heap holds it */
    HS_BLOCK_ALIGNED = 4, /* from aligned allocation */
    HS_BLOCK_EXEC = 8     /* data side of an executable block; 4 bytes at its front are the heap's */
};

typedef struct hs_block {
    uint64_t key;       /* id or address in the trace */
    uint64_t recorded;  /* bytes the recorded program holds, also where the replay failed */
    uint64_t birth;     /* event number of its (last re)allocation */
    uint32_t offset;    /* payload, from its region's start */
    uint32_t requested; /* bytes */
    uint32_t held;      /* bytes of the raw block: requested, rounding and poisoning */
    uint32_t task;      /* slot of the owner (hs_owners_slot) */
    uint32_t site;
    uint8_t region;
    uint8_t flags;
} hs_block_t;

typedef struct hs_blocks {
    hs_block_t *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t count;
    uint64_t seed; /* differs from run to run, so that no input can be made to collide */
    unsigned shift;
} hs_blocks_t;

bool hs_blocks_init(hs_blocks_t *blocks); /* false: no host memory */
void hs_blocks_free(hs_blocks_t *blocks);
hs_block_t *hs_blocks_find(const hs_blocks_t *blocks, uint64_t key); /* NULL: not live */
/* A new zeroed record for a key that is not live; NULL: no host memory. Moves other records. */
hs_block_t *hs_blocks_insert(hs_blocks_t *blocks, uint64_t key);
void hs_blocks_remove(hs_blocks_t *blocks, hs_block_t *block);

#endif
