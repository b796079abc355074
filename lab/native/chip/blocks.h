/*
 * The blocks that the recorded program holds, by identity. The records lie packed, those freed last
 * used again first, so that the ones in use stay in the host's cache. Ids come in sequence, so the low
 * bits of a key lead to its record at once, as a rule. A block whose place there a later one took is
 * found by a sparse open-addressing table of small slots. Memory follows the most blocks that were
 * ever live, not the events. Insert, find, take: O(1) expected.
 */
#ifndef HEAPSCOPE_NATIVE_BLOCKS_H
#define HEAPSCOPE_NATIVE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bits.h"
#include "chip/chip.h"
#include "heapscope/assert.h"

enum {
    HS_BLOCK_LIVE = 1,    /* the record is in use */
    HS_BLOCK_NOWHERE = 2, /* its allocation failed here: no heap holds it */
    HS_BLOCK_MOVABLE = 8, /* the program may move it (replay/movable.h) */
    HS_BLOCK_LEFT = 4     /* its last realloc failed here: `recorded` is not `requested` */
};

/* Where the recorded program got a block. */
typedef struct hs_origin {
    uint64_t birth; /* event number of its (last re)allocation */
    uint32_t site;
    uint8_t by_time, by_count; /* the stretch of its birth (measure/watch.h) */
} hs_origin_t;

/* A block in the lists of task tracking (chip/task_lists.h). */
typedef struct hs_listed {
    uint64_t order;    /* in its list */
    uint32_t block;    /* offset of the list's own block for it; HS_NONE: it has got none */
    uint32_t controls; /* slot + 1 of the task whose control block it is; 0: of none */
} hs_listed_t;

typedef struct hs_block {
    uint64_t key;      /* id or address in the trace */
    uint64_t recorded; /* bytes the recorded program holds, also where the replay failed */
    union {
        hs_place_t place;   /* replay: what the heap handed out */
        hs_origin_t origin; /* census, which has no heaps */
        hs_listed_t listed; /* lists */
    };
    uint32_t requested; /* bytes */
    uint32_t task;      /* slot of the owner (hs_ledger_slot); census: the task */
    uint8_t flags;
} hs_block_t;

/* Where the record of a block is that has no direct way. */
typedef struct hs_block_slot {
    uint32_t hash;
    uint32_t record; /* its index plus 1; 0: an empty slot */
} hs_block_slot_t;

/* A slot found taken by another block is what a processor cannot predict, so most stay empty. */
#define HS_BLOCK_SLOTS 4u /* for each record */

typedef struct hs_blocks {
    hs_block_t *records;
    uint32_t *vacant; /* indices of the `spare` records, the last one is next */
    size_t used;      /* records ever in use: the most that were live at once */
    size_t spare;     /* of these, not in use now */
    uint32_t *direct; /* as many as slots: the index of a record plus 1; 0: none */
    hs_block_slot_t *slots;
    size_t moved;     /* blocks that are found by the slots, and no direct way */
    size_t slot_mask; /* number of slots, a power of two, minus 1 */
    unsigned shift;   /* from a hash to its slot */
    uint64_t seed;    /* differs from run to run, so that no input can be made to collide */
} hs_blocks_t;

bool hs_blocks_init(hs_blocks_t *blocks); /* false: no host memory */
void hs_blocks_free(hs_blocks_t *blocks);
/* Twice the records; moves them. false: no host memory, or too many. */
bool hs_blocks_grow(hs_blocks_t *blocks);

/* Those live now. */
static inline size_t hs_blocks_count(const hs_blocks_t *blocks)
{
    return blocks->used - blocks->spare;
}

/* ---- one event's work: each caller has a copy of its own ---------------------------------------- */

static HS_INLINE_FOR_CALLER uint32_t hs_blocks_hash_of(const hs_blocks_t *blocks, uint64_t key)
{
    /* Fibonacci hashing: the product's high bits depend on every bit of the key. */
    return (uint32_t)(((key ^ blocks->seed) * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

/* The slot at which `hash` is looked for first. */
static HS_INLINE_FOR_CALLER size_t hs_blocks_home(const hs_blocks_t *blocks, uint32_t hash)
{
    return hash >> blocks->shift;
}

static HS_INLINE_FOR_CALLER size_t hs_blocks_vacancy(const hs_blocks_t *blocks, uint32_t hash)
{
    size_t i = hs_blocks_home(blocks, hash);
    while (blocks->slots[i].record != 0) { /* ends: never full */
        i = (i + 1) & blocks->slot_mask;
    }
    return i;
}

/* The slot of a key, or the empty one that ends the search for it. */
static HS_INLINE_FOR_CALLER size_t hs_blocks_search(const hs_blocks_t *blocks, uint64_t key)
{
    const uint32_t hash = hs_blocks_hash_of(blocks, key);
    size_t i = hs_blocks_home(blocks, hash);
    while (blocks->slots[i].record != 0 && /* ends: never full */
           (blocks->slots[i].hash != hash ||
            blocks->records[blocks->slots[i].record - 1].key != key)) {
        i = (i + 1) & blocks->slot_mask;
    }
    return i;
}

/* The direct way to a key. Keys that follow each other, and addresses too, have each their own. */
static HS_INLINE_FOR_CALLER uint32_t *hs_blocks_way(const hs_blocks_t *blocks, uint64_t key)
{
    return &blocks->direct[(key ^ key >> 4) & blocks->slot_mask];
}

/* Gives a live record its direct way; a block that had it is found by a slot from now on. */
static HS_INLINE_FOR_CALLER void hs_blocks_file(hs_blocks_t *blocks, uint64_t key, uint32_t record)
{
    uint32_t *const way = hs_blocks_way(blocks, key);
    const uint32_t older = *way;
    *way = record + 1;
    if (older != 0) {
        const uint32_t hash = hs_blocks_hash_of(blocks, blocks->records[older - 1].key);
        blocks->slots[hs_blocks_vacancy(blocks, hash)] = (hs_block_slot_t){hash, older};
        blocks->moved++;
    }
}

/* NULL: not live. */
static HS_INLINE_FOR_CALLER hs_block_t *hs_blocks_find(const hs_blocks_t *blocks, uint64_t key)
{
    uint32_t record = *hs_blocks_way(blocks, key);
    if (record == 0 || blocks->records[record - 1].key != key) {
        record = blocks->moved != 0 ? blocks->slots[hs_blocks_search(blocks, key)].record : 0;
    }
    return record != 0 ? &blocks->records[record - 1] : NULL;
}

/* A new record for a key that is not live, of which only the key and the flags are set; NULL: no host memory.
 * Moves other records. */
static HS_INLINE_FOR_CALLER hs_block_t *hs_blocks_add(hs_blocks_t *blocks, uint64_t key)
{
    uint32_t record;
    HS_ASSERT(hs_blocks_find(blocks, key) == NULL);
    if (blocks->spare != 0) {
        record = blocks->vacant[--blocks->spare];
    } else {
        if (blocks->used == (blocks->slot_mask + 1) / HS_BLOCK_SLOTS && !hs_blocks_grow(blocks)) {
            return NULL;
        }
        record = (uint32_t)blocks->used++;
    }
    hs_blocks_file(blocks, key, record);
    hs_block_t *block = &blocks->records[record];
    block->key = key;
    block->flags = HS_BLOCK_LIVE;
    return block;
}

/* The same with all but its place set, to 0. */
static HS_INLINE_FOR_CALLER hs_block_t *hs_blocks_insert(hs_blocks_t *blocks, uint64_t key)
{
    hs_block_t *block = hs_blocks_add(blocks, key);
    if (block != NULL) {
        block->recorded = 0;
        block->requested = 0;
        block->task = 0;
    }
    return block;
}

/* Backward shift: slots behind the hole move up as long as that brings them no further from home,
 * so that the table needs no tombstones. */
static HS_INLINE_FOR_CALLER void hs_blocks_close_hole(hs_blocks_t *blocks, size_t hole)
{
    const size_t mask = blocks->slot_mask;
    hs_block_slot_t *slots = blocks->slots;
    for (size_t i = (hole + 1) & mask; slots[i].record != 0; i = (i + 1) & mask) {
        if (((i - hs_blocks_home(blocks, slots[i].hash)) & mask) >= ((i - hole) & mask)) {
            slots[hole] = slots[i];
            hole = i;
        }
    }
    slots[hole].record = 0;
}

/* Takes a key out of the slots; returns its record's index plus 1, or 0. */
static inline uint32_t hs_blocks_take_moved(hs_blocks_t *blocks, uint64_t key)
{
    const size_t slot = hs_blocks_search(blocks, key);
    const uint32_t record = blocks->slots[slot].record;
    if (record != 0) {
        hs_blocks_close_hole(blocks, slot);
        blocks->moved--;
    }
    return record;
}

/* Ends a block. The record can still be read, until the next insert. NULL: not live. */
static HS_INLINE_FOR_CALLER hs_block_t *hs_blocks_take(hs_blocks_t *blocks, uint64_t key)
{
    uint32_t *const way = hs_blocks_way(blocks, key);
    uint32_t record = *way;
    if (record != 0 && blocks->records[record - 1].key == key) {
        *way = 0;
    } else {
        record = blocks->moved != 0 ? hs_blocks_take_moved(blocks, key) : 0;
        if (record == 0) {
            return NULL;
        }
    }
    HS_ASSERT((blocks->records[record - 1].flags & HS_BLOCK_LIVE) != 0);
    HS_ASSERT(blocks->spare < blocks->used);
    blocks->vacant[blocks->spare++] = record - 1;
    hs_block_t *block = &blocks->records[record - 1];
    block->flags &= (uint8_t)~(unsigned)HS_BLOCK_LIVE;
    return block;
}

#endif
