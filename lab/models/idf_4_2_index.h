/* The free list of ESP-IDF v4.2 in its index, if there is one; for idf_4_2.c only. */
#ifndef HEAPSCOPE_MODELS_IDF_4_2_INDEX_H
#define HEAPSCOPE_MODELS_IDF_4_2_INDEX_H

#include "free_index.h"
#include "idf_4_2.h"

/* ---- changes ------------------------------------------------------------------------------------ */

static inline void list_index_add(hs_list_heap_t *list, uint32_t block, uint32_t size)
{
    hs_index_t *index = list->heap.index;
    if (index != NULL && (!hs_order_add(&index->by_place, hs_index_key(block, size)) ||
                          !hs_order_add(&index->by_size, hs_index_key(size, block)))) {
        hs_index_drop(&list->heap);
    }
}

static inline void list_index_remove(hs_list_heap_t *list, uint32_t block, uint32_t size)
{
    hs_index_t *index = list->heap.index;
    if (index != NULL) {
        hs_order_remove(&index->by_place, hs_index_key(block, size));
        hs_order_remove(&index->by_size, hs_index_key(size, block));
    }
}

/* The free block `old` is now at `block`, and of another size. */
static inline void list_index_change(hs_list_heap_t *list, uint32_t old, uint32_t old_size,
                                     uint32_t block, uint32_t size)
{
    hs_index_t *index = list->heap.index;
    if (index != NULL) {
        hs_order_replace(&index->by_place, hs_index_key(old, old_size), hs_index_key(block, size));
        hs_order_replace(&index->by_size, hs_index_key(old_size, old), hs_index_key(size, block));
    }
}

/* ---- searches --------------------------------------------------------------------------------- */

/* The same as free_before, without a walk. */
static inline uint32_t list_free_before_by_index(hs_list_heap_t *list, uint32_t block)
{
    hs_order_t *order = &list->heap.index->by_place;
    const uint32_t below = hs_order_search(order, hs_index_key(block, 0));
    list->heap.steps.nodes += UINT64_C(1) + below;
    return below == 0 ? list->dummy : hs_order_high(order, below - 1);
}

/* The same as best_fit, without a walk. */
static inline uint32_t list_best_fit_by_index(hs_list_heap_t *list, uint32_t size, uint32_t *before)
{
    hs_order_t *by_size = &list->heap.index->by_size;
    hs_order_t *by_place = &list->heap.index->by_place;
    const uint32_t at = hs_order_search(by_size, hs_index_key(size, 0));
    if (at == by_size->count) {
        list->heap.steps.nodes += UINT64_C(1) + at;
        return HS_NONE;
    }
    const uint32_t block = hs_order_low(by_size, at);
    const uint32_t below = hs_order_search(by_place, hs_index_key(block, 0));
    const bool exact = hs_order_high(by_size, at) == size;
    list->heap.steps.nodes += UINT64_C(1) + (exact ? below : by_size->count);
    *before = below == 0 ? list->dummy : hs_order_high(by_place, below - 1);
    return block;
}

#endif
