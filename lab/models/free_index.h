/*
 * The free blocks of a heap whose allocator searches a list, in an order that answers such a search at
 * once. The list in `mem` stays the truth; an index says what a walk over it would find, and how many
 * nodes it would visit. It has no part in a result: without one, as when host memory ends, the models
 * walk.
 *
 * An order is an ascending array of keys. A heap of a chip has a few hundred free blocks, so that moving
 * half of an array costs less than a tree's way to its leaf. Look up: O(log n); add and remove: O(n), by
 * memmove.
 */
#ifndef HEAPSCOPE_MODELS_FREE_INDEX_H
#define HEAPSCOPE_MODELS_FREE_INDEX_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "heapscope/assert.h"
#include "model.h"

#define HS_ORDER_STRIDE 8u

typedef struct hs_order {
    uint64_t *keys; /* ascending, each once */
    uint32_t count;
    uint32_t capacity;
    uint32_t latest; /* where a search ended: the next change is mostly there, or right before */
} hs_order_t;

struct hs_index {
    hs_order_t by_place; /* offset << 32 | size */
    hs_order_t by_size;  /* size << 32 | what tells blocks of one size apart, the first one least */
    uint32_t *ranks;     /* umm: of a free run, ascending along the list */
    uint32_t rank_count;
    uint32_t next_rank; /* of what comes to the front of the list */
};

/* An empty index, with ranks for so many runs; NULL: no host memory. */
hs_index_t *hs_index_new(uint32_t rank_count);
hs_index_t *hs_index_clone(const hs_index_t *index); /* NULL for NULL, or without host memory */
void hs_index_delete(hs_index_t *index);
/* The heap has none from now on. */
void hs_index_drop(hs_sim_t *heap);
/* Room for another key. false: no host memory. */
bool hs_order_grow(hs_order_t *order);

static inline uint64_t hs_index_key(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* How many keys are below `key`. */
static inline uint32_t hs_order_below(const hs_order_t *order, uint64_t key)
{
    const uint64_t *base = order->keys;
    uint32_t left = order->count;
    if (left == 0) {
        return 0;
    }
    while (left > 1) { /* without a branch: which half it is cannot be predicted */
        const uint32_t half = left / 2;
        base = base[half - 1] < key ? base + half : base;
        left -= half;
    }
    return (uint32_t)(base - order->keys) + (*base < key);
}

/* The same, for what changes that key or the one before it next. */
static inline uint32_t hs_order_search(hs_order_t *order, uint64_t key)
{
    order->latest = hs_order_below(order, key);
    return order->latest;
}

/* Where a key is that is there. */
static inline uint32_t hs_order_place(const hs_order_t *order, uint64_t key)
{
    const uint32_t latest = order->latest;
    if (latest < order->count && order->keys[latest] == key) {
        return latest;
    }
    if (latest - 1 < order->count && order->keys[latest - 1] == key) {
        return latest - 1;
    }
    const uint32_t at = hs_order_below(order, key);
    HS_ASSERT(at < order->count && order->keys[at] == key);
    return at;
}

/* false: no host memory, and nothing was added. */
static inline bool hs_order_add(hs_order_t *order, uint64_t key)
{
    if (order->count == order->capacity && !hs_order_grow(order)) {
        return false;
    }
    const uint32_t at = hs_order_below(order, key);
    memmove(order->keys + at + 1, order->keys + at, (order->count - at) * sizeof *order->keys);
    order->keys[at] = key;
    order->count++;
    return true;
}

static inline void hs_order_remove(hs_order_t *order, uint64_t key)
{
    const uint32_t at = hs_order_place(order, key);
    order->count--;
    memmove(order->keys + at, order->keys + at + 1, (order->count - at) * sizeof *order->keys);
}

static inline uint32_t hs_order_high(const hs_order_t *order, uint32_t at)
{
    return (uint32_t)(order->keys[at] >> 32);
}

static inline uint32_t hs_order_low(const hs_order_t *order, uint32_t at)
{
    return (uint32_t)order->keys[at];
}

/* Another key in the place of one; moves what lies between the two. */
static inline void hs_order_replace(hs_order_t *order, uint64_t old, uint64_t key)
{
    uint64_t *const keys = order->keys;
    const uint32_t from = hs_order_place(order, old);
    if ((from == 0 || keys[from - 1] < key) && (from + 1 == order->count || keys[from + 1] > key)) {
        keys[from] = key;
        return;
    }
    uint32_t to = hs_order_below(order, key);
    if (to > from) {
        to--;
        memmove(keys + from, keys + from + 1, (to - from) * sizeof *keys);
    } else {
        memmove(keys + to + 1, keys + to, (from - to) * sizeof *keys);
    }
    keys[to] = key;
}

static inline bool hs_order_has(const hs_order_t *order, uint64_t key)
{
    const uint32_t at = hs_order_below(order, key);
    return at < order->count && order->keys[at] == key;
}

/* The first from `at` on whose lower half is at least `wanted`, which is not 0; or the count. No lower half is
 * above `most`. Bound: visits each once, in strides that a compiler compares at once, or none. */
static inline uint32_t hs_order_fit(const hs_order_t *order, uint32_t at, uint32_t wanted,
                                    uint32_t most)
{
    if (wanted > most) {
        return order->count;
    }
    while (most <= INT32_MAX && at + HS_ORDER_STRIDE <= order->count) {
        uint32_t fitting = 0;
        for (uint32_t i = 0; i < HS_ORDER_STRIDE; i++) {
            fitting |= wanted - 1 - hs_order_low(order, at + i);
        }
        if (fitting > INT32_MAX) {
            break;
        }
        at += HS_ORDER_STRIDE;
    }
    while (at < order->count && hs_order_low(order, at) < wanted) {
        at++;
    }
    return at;
}

/* The largest size; 0: there is no free block. */
static inline uint32_t hs_order_highest(const hs_order_t *order)
{
    return order->count == 0 ? 0 : hs_order_high(order, order->count - 1);
}

#endif
