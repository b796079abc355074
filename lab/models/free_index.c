#include "free_index.h"

#include <stdlib.h>

#define KEYS_FIRST 64u

bool hs_order_grow(hs_order_t *order)
{
    const uint32_t grown = order->capacity == 0 ? KEYS_FIRST : order->capacity * 2;
    if (grown <= order->capacity) {
        return false;
    }
    uint64_t *keys = realloc(order->keys, (size_t)grown * sizeof *keys);
    if (keys == NULL) {
        return false;
    }
    order->keys = keys;
    order->capacity = grown;
    return true;
}

hs_index_t *hs_index_new(uint32_t rank_count)
{
    hs_index_t *index = calloc(1, sizeof *index);
    if (index == NULL || rank_count == 0) {
        return index;
    }
    index->ranks = calloc(rank_count, sizeof *index->ranks);
    if (index->ranks == NULL) {
        free(index);
        return NULL;
    }
    index->rank_count = rank_count;
    index->next_rank = UINT32_MAX;
    return index;
}

static bool copy_order(hs_order_t *to, const hs_order_t *from)
{
    if (from->count == 0) {
        return true;
    }
    to->keys = malloc((size_t)from->capacity * sizeof *to->keys);
    if (to->keys == NULL) {
        return false;
    }
    memcpy(to->keys, from->keys, from->count * sizeof *to->keys);
    to->count = from->count;
    to->capacity = from->capacity;
    return true;
}

hs_index_t *hs_index_clone(const hs_index_t *index)
{
    hs_index_t *copy = index == NULL ? NULL : hs_index_new(index->rank_count);
    if (copy == NULL) {
        return NULL;
    }
    if (!copy_order(&copy->by_place, &index->by_place) ||
        !copy_order(&copy->by_size, &index->by_size)) {
        hs_index_delete(copy);
        return NULL;
    }
    if (index->rank_count != 0) {
        memcpy(copy->ranks, index->ranks, index->rank_count * sizeof *copy->ranks);
    }
    copy->next_rank = index->next_rank;
    return copy;
}

void hs_index_delete(hs_index_t *index)
{
    if (index != NULL) {
        free(index->by_place.keys);
        free(index->by_size.keys);
        free(index->ranks);
        free(index);
    }
}

void hs_index_drop(hs_sim_t *heap)
{
    hs_index_delete(heap->index);
    heap->index = NULL;
}
