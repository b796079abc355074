/*
 * A heap of ESP-IDF brought to where a device's heap was seen.
 *
 * The blocks are made by the allocator's own calls, so that nothing of its structures is known here: all
 * the memory is one used block first; each block in turn is cut off its low end, by a realloc that
 * shrinks in place and a malloc and a realloc that take the rest again; and the holes are freed last,
 * when each has a used block or an end on both sides.
 */
#include <stdlib.h>
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

static bool has_neighbours(const hs_walk_block_t *blocks, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (!blocks[i].used && !blocks[i + 1].used) {
            return true;
        }
    }
    return false;
}

/* The index of the hole at `offset`; `count`: no hole is there. */
static uint32_t hole_at(const hs_walk_block_t *blocks, uint32_t count, uint32_t offset)
{
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (blocks[middle].offset < offset) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && blocks[low].offset == offset && !blocks[low].used ? low : count;
}

/* TLSF takes the block that was freed last. `freed`: one byte a block, 0. */
static hs_status_t free_holes(hs_sim_t *heap, const hs_walk_block_t *blocks, uint32_t count,
                              const uint32_t *holes, uint32_t hole_count, uint8_t *freed)
{
    for (uint32_t i = 0; i < hole_count; i++) {
        const uint32_t hole = hole_at(blocks, count, holes[i]);
        if (hole == count || freed[hole] != 0) {
            return HS_ERR_FORMAT;
        }
        freed[hole] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!blocks[i].used && freed[i] == 0) {
            heap->model->free(heap, blocks[i].offset);
        }
    }
    for (uint32_t i = hole_count; i-- > 0;) {
        heap->model->free(heap, holes[i]);
    }
    return HS_OK;
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
                        const uint32_t *holes, uint32_t hole_count)
{
    const bool known = strncmp(heap->model->name, "idf-", 4) == 0;
    if (!known || count == 0 || heap->tally.used_blocks != 0 || heap->tally.free_blocks != 1) {
        return HS_ERR_ARGUMENT;
    }
    if (has_neighbours(blocks, count) || !cut(heap, blocks, count)) {
        return HS_ERR_FORMAT;
    }
    uint8_t *const freed = calloc(count, 1);
    if (freed == NULL) {
        return HS_ERR_MEMORY;
    }
    const hs_status_t status = free_holes(heap, blocks, count, holes, hole_count, freed);
    free(freed);
    if (status == HS_OK) {
        hs_sim_forget_low(heap); /* the way here has emptied the heap */
    }
    return status;
}
