#include "chip/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "heapscope/assert.h"

/* A slot found taken by another block is what a processor cannot predict, so most stay empty. */
#define SLOTS_PER_RECORD 4u
#define RECORDS_FIRST ((size_t)256)
#define RECORDS_MAX ((size_t)1 << 30) /* slots are numbered with 32 bits */

static inline uint32_t hash_of(const hs_blocks_t *blocks, uint64_t key)
{
    /* Fibonacci hashing: the product's high bits depend on every bit of the key. */
    return (uint32_t)(((key ^ blocks->seed) * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
}

/* The slot at which `hash` is looked for first. */
static inline size_t home(const hs_blocks_t *blocks, uint32_t hash)
{
    return hash >> blocks->shift;
}

static size_t capacity(const hs_blocks_t *blocks)
{
    return (blocks->slot_mask + 1) / SLOTS_PER_RECORD;
}

static size_t vacancy(const hs_blocks_t *blocks, uint32_t hash)
{
    size_t i = home(blocks, hash);
    while (blocks->slots[i].record != 0) { /* ends: never full */
        i = (i + 1) & blocks->slot_mask;
    }
    return i;
}

/* Room for `records` records; those live stay in the table. */
static bool resize(hs_blocks_t *blocks, size_t records)
{
    const size_t slots = records * SLOTS_PER_RECORD;
    hs_block_slot_t *table = calloc(slots, sizeof *table);
    hs_block_t *moved = realloc(blocks->records, records * sizeof *moved);
    blocks->records = moved != NULL ? moved : blocks->records;
    uint32_t *vacant = realloc(blocks->vacant, records * sizeof *vacant);
    blocks->vacant = vacant != NULL ? vacant : blocks->vacant;
    if (table == NULL || moved == NULL || vacant == NULL) {
        free(table);
        return false;
    }
    const hs_blocks_t old = *blocks;
    blocks->slots = table;
    blocks->slot_mask = slots - 1;
    blocks->shift = 32;
    while ((slots - 1) >> (32 - blocks->shift) != 0) {
        blocks->shift--;
    }
    for (size_t i = 0; old.slots != NULL && i <= old.slot_mask; i++) {
        if (old.slots[i].record != 0) {
            table[vacancy(blocks, old.slots[i].hash)] = old.slots[i];
        }
    }
    free(old.slots);
    return true;
}

bool hs_blocks_init(hs_blocks_t *blocks)
{
    memset(blocks, 0, sizeof *blocks);
    if (!resize(blocks, RECORDS_FIRST)) {
        return false;
    }
    /* Where the host put the table is unpredictable enough; results never depend on it. */
    blocks->seed = (uint64_t)(uintptr_t)blocks->slots * UINT64_C(0xD6E8FEB86659FD93);
    return true;
}

void hs_blocks_free(hs_blocks_t *blocks)
{
    free(blocks->records);
    free(blocks->vacant);
    free(blocks->slots);
    memset(blocks, 0, sizeof *blocks);
}

/* The slot of a key, or the empty one that ends the search for it. */
static inline size_t search(const hs_blocks_t *blocks, uint64_t key)
{
    const uint32_t hash = hash_of(blocks, key);
    size_t i = home(blocks, hash);
    while (blocks->slots[i].record != 0 && /* ends: never full */
           (blocks->slots[i].hash != hash ||
            blocks->records[blocks->slots[i].record - 1].key != key)) {
        i = (i + 1) & blocks->slot_mask;
    }
    return i;
}

hs_block_t *hs_blocks_find(const hs_blocks_t *blocks, uint64_t key)
{
    const uint32_t record = blocks->slots[search(blocks, key)].record;
    return record != 0 ? &blocks->records[record - 1] : NULL;
}

hs_block_t *hs_blocks_insert(hs_blocks_t *blocks, uint64_t key)
{
    uint32_t record;
    HS_ASSERT(hs_blocks_find(blocks, key) == NULL);
    if (blocks->count < blocks->used) {
        record = blocks->vacant[blocks->used - blocks->count - 1];
    } else {
        if (blocks->used == capacity(blocks) &&
            (blocks->used >= RECORDS_MAX || !resize(blocks, blocks->used * 2))) {
            return NULL;
        }
        record = (uint32_t)blocks->used++;
    }
    blocks->count++;
    const uint32_t hash = hash_of(blocks, key);
    blocks->slots[vacancy(blocks, hash)] = (hs_block_slot_t){hash, record + 1};
    hs_block_t *block = &blocks->records[record];
    block->key = key;
    block->recorded = 0;
    block->requested = 0;
    block->task = 0;
    block->flags = HS_BLOCK_LIVE;
    return block;
}

/* Backward shift: slots behind the hole move up as long as that brings them no further from home,
 * so that the table needs no tombstones. */
static inline void close_hole(hs_blocks_t *blocks, size_t hole)
{
    const size_t mask = blocks->slot_mask;
    hs_block_slot_t *slots = blocks->slots;
    for (size_t i = (hole + 1) & mask; slots[i].record != 0; i = (i + 1) & mask) {
        if (((i - home(blocks, slots[i].hash)) & mask) >= ((i - hole) & mask)) {
            slots[hole] = slots[i];
            hole = i;
        }
    }
    slots[hole].record = 0;
}

hs_block_t *hs_blocks_take(hs_blocks_t *blocks, uint64_t key)
{
    const size_t slot = search(blocks, key);
    const uint32_t record = blocks->slots[slot].record;
    if (record == 0) {
        return NULL;
    }
    HS_ASSERT((blocks->records[record - 1].flags & HS_BLOCK_LIVE) != 0 && blocks->count != 0);
    close_hole(blocks, slot);
    blocks->vacant[blocks->used - blocks->count] = record - 1;
    blocks->count--;
    hs_block_t *block = &blocks->records[record - 1];
    block->flags &= (uint8_t)~(unsigned)HS_BLOCK_LIVE;
    return block;
}
