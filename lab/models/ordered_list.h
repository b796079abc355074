/*
 * A free list in address order whose chunks begin with their size and, while they are free, with the
 * address of the next one: those of newlib-nano, picolibc and linked_list_allocator.
 *
 *     chunk + 0    size, with bits of the allocator's own
 *     chunk + 4    address of the next free chunk; 0 in the last one
 *
 * The list's head is a variable outside of the heap. heap->index->by_place holds the same chunks in an
 * array, by which they are found; `mem` follows it word for word. Every function counts the nodes that a
 * walk over the list would visit and the words that a change of it would write.
 */
#ifndef HEAPSCOPE_MODELS_ORDERED_LIST_H
#define HEAPSCOPE_MODELS_ORDERED_LIST_H

#include "free_index.h"
#include "largest.h"
#include "region.h"

#define ORDERED_LINK_AT UINT32_C(4)

static inline hs_order_t *ordered(const hs_sim_t *heap)
{
    return &heap->index->by_place;
}

static inline uint32_t ordered_count(const hs_sim_t *heap)
{
    return ordered(heap)->count;
}

static inline uint32_t ordered_chunk(const hs_sim_t *heap, uint32_t at)
{
    return hs_order_high(ordered(heap), at);
}

static inline uint32_t ordered_size(const hs_sim_t *heap, uint32_t at)
{
    return hs_order_low(ordered(heap), at);
}

static inline uint32_t ordered_end(const hs_sim_t *heap, uint32_t at)
{
    return ordered_chunk(heap, at) + ordered_size(heap, at);
}

/* The address that leads to that number of the list. */
static inline uint32_t ordered_link(const hs_sim_t *heap, uint32_t at)
{
    return at < ordered_count(heap) ? heap->base + ordered_chunk(heap, at) : 0;
}

/* A model's knowledge of its list beside the array. */
typedef struct hs_ordered {
    uint32_t bytes; /* of all its chunks */
    uint32_t wall;  /* where one region ends and another begins: nothing merges there; 0: nowhere */
    hs_largest_t largest;
} hs_ordered_t;

/* The first from `at` on that has `wanted` bytes, or the count. */
static inline uint32_t ordered_next(const hs_sim_t *heap, const hs_ordered_t *list, uint32_t at,
                                    uint32_t wanted)
{
    return hs_order_fit(ordered(heap), at, wanted, list->largest.size);
}

/* The first that has `wanted` bytes, or the count. */
static inline uint32_t ordered_fit(hs_sim_t *heap, const hs_ordered_t *list, uint32_t wanted)
{
    const uint32_t at = ordered_next(heap, list, 0, wanted);
    heap->steps.nodes += at + (uint64_t)(at < ordered_count(heap));
    return at;
}

static inline void ordered_count_in(hs_ordered_t *list, uint32_t size)
{
    list->bytes += size;
    hs_largest_add(&list->largest, size);
}

static inline void ordered_count_out(hs_ordered_t *list, uint32_t size)
{
    list->bytes -= size;
    hs_largest_take(&list->largest, size);
}

/* The word that leads to that number, in the one before or in the head. */
static inline void ordered_lead(hs_sim_t *heap, uint32_t at)
{
    if (at != 0) {
        hs_region_put(heap, ordered_chunk(heap, at - 1) + ORDERED_LINK_AT, ordered_link(heap, at));
    }
    heap->steps.writes++;
}

static inline void ordered_write(hs_sim_t *heap, uint32_t at, uint32_t bits)
{
    const uint32_t chunk = ordered_chunk(heap, at);
    hs_region_put(heap, chunk, ordered_size(heap, at) | bits);
    hs_region_put(heap, chunk + ORDERED_LINK_AT, ordered_link(heap, at + 1));
    heap->steps.writes += 2;
    ordered_lead(heap, at);
}

/* Another chunk in the place of that number. */
static inline void ordered_change(hs_sim_t *heap, hs_ordered_t *list, uint32_t at, uint32_t chunk,
                                  uint32_t size, uint32_t bits)
{
    ordered_count_out(list, ordered_size(heap, at));
    ordered(heap)->keys[at] = hs_index_key(chunk, size);
    ordered_count_in(list, size);
    ordered_write(heap, at, bits);
}

static inline void ordered_remove(hs_sim_t *heap, hs_ordered_t *list, uint32_t at)
{
    ordered_count_out(list, ordered_size(heap, at));
    hs_order_remove(ordered(heap), ordered(heap)->keys[at]);
    ordered_lead(heap, at);
}

static inline void ordered_add(hs_sim_t *heap, hs_ordered_t *list, uint32_t at, uint32_t chunk,
                               uint32_t size, uint32_t bits)
{
    const bool has_room = hs_order_add(ordered(heap), hs_index_key(chunk, size));
    HS_ASSERT(has_room); /* host memory ends, and there is no list to fall back on */
    (void)has_room;
    ordered_count_in(list, size);
    ordered_write(heap, at, bits);
}

/* A chunk becomes free: merged with the free one that ends there and the one that begins behind. */
static inline void ordered_insert(hs_sim_t *heap, hs_ordered_t *list, uint32_t chunk, uint32_t size,
                                  uint32_t bits)
{
    uint32_t at = hs_order_search(ordered(heap), hs_index_key(chunk, 0));
    const bool above = at < ordered_count(heap) && ordered_chunk(heap, at) == chunk + size &&
                       chunk + size != list->wall;
    const bool below = at != 0 && ordered_end(heap, at - 1) == chunk && chunk != list->wall;
    heap->steps.nodes += at + UINT64_C(1);
    if (above) {
        size += ordered_size(heap, at);
        if (!below) {
            ordered_change(heap, list, at, chunk, size, bits);
            return;
        }
        ordered_remove(heap, list, at);
    }
    if (below) {
        size += ordered_size(heap, at - 1);
        ordered_change(heap, list, at - 1, ordered_chunk(heap, at - 1), size, bits);
    } else {
        ordered_add(heap, list, at, chunk, size, bits);
    }
}

static inline hs_largest_t ordered_largest(const hs_sim_t *heap, const hs_ordered_t *list)
{
    hs_largest_t seen = {0, 0, false};
    if (!list->largest.unknown) {
        return list->largest;
    }
    for (uint32_t at = 0; at < ordered_count(heap); at++) {
        hs_largest_add(&seen, ordered_size(heap, at));
    }
    return seen;
}

/* Does `mem` say of that number what the array says? */
static inline bool ordered_agrees(const hs_sim_t *heap, uint32_t at, uint32_t bits)
{
    const uint32_t chunk = ordered_chunk(heap, at);
    return hs_region_get(heap, chunk) == (ordered_size(heap, at) | bits) &&
           hs_region_get(heap, chunk + ORDERED_LINK_AT) == ordered_link(heap, at + 1);
}

#endif
