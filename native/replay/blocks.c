#include "replay/blocks.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 1024u

static size_t home(const hs_blocks_t *blocks, uint64_t key)
{
    /* Fibonacci hashing: the product's high bits depend on every bit of the key. */
    return (size_t)(((key ^ blocks->seed) * UINT64_C(0x9E3779B97F4A7C15)) >> blocks->shift);
}

static bool allocate(hs_blocks_t *blocks, size_t capacity)
{
    hs_block_t *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    unsigned bits = 0;
    while (((size_t)1 << bits) < capacity) {
        bits++;
    }
    blocks->slots = slots;
    blocks->capacity = capacity;
    blocks->shift = 64u - bits;
    return true;
}

bool hs_blocks_init(hs_blocks_t *blocks)
{
    memset(blocks, 0, sizeof *blocks);
    if (!allocate(blocks, CAPACITY_FIRST)) {
        return false;
    }
    /* Where the host put the table is unpredictable enough; results never depend on it. */
    blocks->seed = (uint64_t)(uintptr_t)blocks->slots * UINT64_C(0xD6E8FEB86659FD93);
    return true;
}

void hs_blocks_free(hs_blocks_t *blocks)
{
    free(blocks->slots);
    memset(blocks, 0, sizeof *blocks);
}

hs_block_t *hs_blocks_find(const hs_blocks_t *blocks, uint64_t key)
{
    const size_t mask = blocks->capacity - 1;
    for (size_t i = home(blocks, key);; i = (i + 1) & mask) { /* ends: never full */
        hs_block_t *slot = &blocks->slots[i];
        if (!(slot->flags & HS_BLOCK_LIVE)) {
            return NULL;
        }
        if (slot->key == key) {
            return slot;
        }
    }
}

static hs_block_t *vacancy(const hs_blocks_t *blocks, uint64_t key)
{
    const size_t mask = blocks->capacity - 1;
    size_t i = home(blocks, key);
    while (blocks->slots[i].flags & HS_BLOCK_LIVE) { /* ends: never full */
        i = (i + 1) & mask;
    }
    return &blocks->slots[i];
}

static bool grow(hs_blocks_t *blocks)
{
    hs_blocks_t old = *blocks;
    if (!allocate(blocks, old.capacity * 2)) {
        *blocks = old;
        return false;
    }
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.slots[i].flags & HS_BLOCK_LIVE) {
            *vacancy(blocks, old.slots[i].key) = old.slots[i];
        }
    }
    free(old.slots);
    return true;
}

hs_block_t *hs_blocks_insert(hs_blocks_t *blocks, uint64_t key)
{
    if (blocks->count * 2 >= blocks->capacity && !grow(blocks)) {
        return NULL;
    }
    hs_block_t *slot = vacancy(blocks, key);
    *slot = (hs_block_t){.key = key, .flags = HS_BLOCK_LIVE};
    blocks->count++;
    return slot;
}

void hs_blocks_remove(hs_blocks_t *blocks, hs_block_t *block)
{
    /* Backward shift: records behind the hole move up as long as that brings them no further from
     * home, so that the table needs no tombstones. */
    const size_t mask = blocks->capacity - 1;
    size_t hole = (size_t)(block - blocks->slots);
    for (size_t i = (hole + 1) & mask; blocks->slots[i].flags & HS_BLOCK_LIVE;
         i = (i + 1) & mask) {
        size_t want = home(blocks, blocks->slots[i].key);
        if (((i - want) & mask) >= ((i - hole) & mask)) {
            blocks->slots[hole] = blocks->slots[i];
            hole = i;
        }
    }
    blocks->slots[hole].flags = 0;
    blocks->count--;
}
