#include "chip/held.h"

#include <stdlib.h>

/* From addresses to offsets. false: a block lies outside, or has no room for a byte beside what is put around it. */
static bool place(const hs_chip_region_t *region, const hs_lab_held_t *held, hs_walk_block_t *block)
{
    *block = (hs_walk_block_t){
        .offset = held->address - region->start, .size = held->size, .used = held->used != 0};
    return held->address >= region->start && block->offset < region->size &&
           held->size <= region->size - block->offset &&
           !(block->used && held->size <= hs_sim_overhead(region->heap));
}

typedef struct comparing {
    const hs_walk_block_t *blocks;
    uint32_t count;
    uint32_t same; /* from the first one on */
    uint32_t shown;
} comparing_t;

static bool compare(void *context, const hs_walk_block_t *block)
{
    comparing_t *const comparing = context;
    const uint32_t at = comparing->shown++;
    const hs_walk_block_t *const other = &comparing->blocks[at];
    comparing->same += at < comparing->count && other->offset == block->offset &&
                       other->size == block->size && other->used == block->used;
    return true;
}

/* Heaps of others than ESP-IDF: where the used blocks lie decides where the free ones are. */
static hs_status_t lay(hs_chip_region_t *region, const hs_walk_block_t *blocks, uint32_t count)
{
    hs_laid_t *const used = malloc(count * sizeof *used);
    if (used == NULL) {
        return HS_ERR_MEMORY;
    }
    size_t match = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (blocks[i].used) {
            used[match++] =
                (hs_laid_t){.offset = blocks[i].offset, .size = blocks[i].size, .held = true};
        }
    }
    const bool laid = hs_sim_lay(region->heap, used, match);
    free(used);
    comparing_t comparing = {.blocks = blocks, .count = count};
    hs_sim_walk(region->heap, compare, &comparing);
    return laid && comparing.same == count && comparing.shown == count ? HS_OK : HS_ERR_FORMAT;
}

static hs_status_t load(hs_chip_region_t *region, const hs_lab_region_t *config,
                        hs_walk_block_t *blocks)
{
    const uint32_t around = hs_sim_overhead(region->heap);
    for (uint32_t i = 0; i < config->block_count; i++) {
        if (!place(region, &config->blocks[i], &blocks[i])) {
            return HS_ERR_FORMAT;
        }
        region->startup += blocks[i].used ? blocks[i].size - around : 0;
    }
    uint32_t *const holes = malloc((config->hole_count + 1) * sizeof *holes);
    if (holes == NULL) {
        return HS_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < config->hole_count; i++) {
        holes[i] = config->holes[i] - region->start;
    }
    const hs_status_t status =
        hs_sim_load(region->heap, blocks, config->block_count, holes, config->hole_count);
    free(holes);
    return status == HS_ERR_ARGUMENT ? lay(region, blocks, config->block_count) : status;
}

hs_status_t hs_held_load(hs_chip_region_t *region, const hs_lab_region_t *config)
{
    if (config->block_count == 0) {
        return HS_OK;
    }
    if (region->heap == NULL || config->startup_use != 0 || config->private_heap != 0) {
        return HS_ERR_ARGUMENT;
    }
    hs_walk_block_t *blocks = malloc(config->block_count * sizeof *blocks);
    if (blocks == NULL) {
        return HS_ERR_MEMORY;
    }
    const hs_status_t status = load(region, config, blocks);
    free(blocks);
    return status;
}
