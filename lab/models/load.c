/*
 * A heap of ESP-IDF brought to where a device's heap was seen.
 *
 * The blocks are made by the allocator's own calls, so that nothing of its structures is known here: all
 * the memory is one used block first; each block in turn is cut off its low end, by a realloc that
 * shrinks in place and a malloc and a realloc that take the rest again; and the holes are freed last,
 * when each has a used block or an end on both sides.
 */
#include <string.h>

#include "bits.h"
#include "load.h"
#include "model.h"
#include "region.h"

#define MINIMUM_AT UINT32_C(8) /* behind the lock and the count of free bytes, in every release */

uint32_t hs_sim_take_all(hs_sim_t *heap)
{
    const hs_model_t *model = heap->model;
    const uint32_t all = model->largest_free(heap);
    const uint32_t block = model->malloc(heap, model->largest_allocatable(heap));
    if (block == HS_NONE || model->usable(heap, block) == all) {
        return block;
    }
    return model->realloc(heap, block, all);
}

static bool is_at(const hs_sim_t *heap, uint32_t offset, const hs_walk_block_t *block)
{
    return offset == block->offset && heap->model->usable(heap, offset) == block->size;
}

/* All blocks, each used. */
static bool cut(hs_sim_t *heap, const hs_walk_block_t *blocks, uint32_t count)
{
    uint32_t rest = hs_sim_take_all(heap);
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (rest != blocks[i].offset || heap->model->usable(heap, rest) <= blocks[i].size ||
            blocks[i].size == 0) {
            return false;
        }
        rest = heap->model->realloc(heap, rest, blocks[i].size);
        if (rest == HS_NONE || !is_at(heap, rest, &blocks[i]) || heap->tally.free == 0) {
            return false;
        }
        rest = hs_sim_take_all(heap);
    }
    return rest != HS_NONE && is_at(heap, rest, &blocks[count - 1]);
}

static bool free_holes(hs_sim_t *heap, const hs_walk_block_t *blocks, uint32_t count,
                       bool lowest_first)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (!blocks[i].used && !blocks[i + 1].used) {
            return false;
        }
    }
    /* TLSF takes the block that was freed last. */
    for (uint32_t i = 0; i < count; i++) {
        const hs_walk_block_t *block = &blocks[lowest_first ? count - 1 - i : i];
        if (!block->used) {
            heap->model->free(heap, block->offset);
        }
    }
    return true;
}

void hs_idf_forget_low(hs_sim_t *heap)
{
    const uint32_t start = hs_bits_up4(heap->base) - heap->base;
    hs_reported_t reported;
    heap->model->reported(heap, &reported);
    hs_region_put(heap, start + MINIMUM_AT, reported.free);
}

void hs_sim_forget_low(hs_sim_t *heap)
{
    heap->model->forget_low(heap);
    heap->tally.minimum_free = heap->tally.lowest_free = heap->tally.free;
    heap->largest = HS_NONE;
    memset(&heap->steps, 0, sizeof heap->steps);
}

hs_status_t hs_sim_load(hs_sim_t *heap, const hs_walk_block_t *blocks, uint32_t count,
                        bool lowest_first)
{
    const bool known = strncmp(heap->model->name, "idf-", 4) == 0;
    if (!known || count == 0 || heap->tally.used_blocks != 0 || heap->tally.free_blocks != 1) {
        return HS_ERR_ARGUMENT;
    }
    if (!cut(heap, blocks, count) || !free_holes(heap, blocks, count, lowest_first)) {
        return HS_ERR_FORMAT;
    }
    hs_sim_forget_low(heap); /* the way here has emptied the heap */
    return HS_OK;
}
