/* The blocks and holes of a heap, in their order. */
#ifndef HEAPSCOPE_TESTS_MODELS_MAP_H
#define HEAPSCOPE_TESTS_MODELS_MAP_H

#include "program.h"

#define BLOCKS_MAX (2 * PROGRAM_BLOCKS_MAX + 1)

typedef struct map {
    hs_walk_block_t blocks[BLOCKS_MAX];
    uint32_t count;
} map_t;

static bool note(void *context, const hs_walk_block_t *block)
{
    map_t *map = context;
    CHECK(map->count < BLOCKS_MAX, "%u blocks", map->count);
    map->blocks[map->count++] = *block;
    return true;
}

static map_t map_of(const hs_sim_t *heap)
{
    map_t map = {.count = 0};
    hs_sim_walk(heap, note, &map);
    return map;
}

#endif
