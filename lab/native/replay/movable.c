#include "replay/movable.h"

#include <stdlib.h>
#include <string.h>

#include "replay/replay.h"
#include "replay/trail.h"

static int by_value(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

hs_status_t hs_movable_set(hs_replay_t *replay, const uint32_t *sites, size_t count)
{
    if (replay->begun || replay->census_only) {
        return HS_ERR_ARGUMENT;
    }
    hs_movable_t *movable = &replay->movable;
    free(movable->sites);
    *movable = (hs_movable_t){.sites = malloc((count + 1) * sizeof *sites), .count = count};
    if (movable->sites == NULL) {
        return HS_ERR_MEMORY;
    }
    memcpy(movable->sites, sites, count * sizeof *sites);
    qsort(movable->sites, count, sizeof *sites, by_value);
    return HS_OK;
}

void hs_movable_note(const hs_movable_t *movable, hs_block_t *block, uint32_t site)
{
    block->flags &= (uint8_t)~(unsigned)HS_BLOCK_MOVABLE;
    if (movable->count != 0 &&
        bsearch(&site, movable->sites, movable->count, sizeof site, by_value) != NULL) {
        block->flags |= HS_BLOCK_MOVABLE;
    }
}

bool hs_movable_serves(hs_movable_t *movable)
{
    movable->served++;
    return true;
}

static bool may_move(const hs_replay_t *replay, const hs_block_t *block)
{
    const unsigned wanted = HS_BLOCK_LIVE | HS_BLOCK_MOVABLE;
    return (block->flags & (wanted | HS_BLOCK_NOWHERE)) == wanted && !block->place.aligned &&
           !block->place.exec && !replay->chip.region[block->place.region].words;
}

static uint64_t address_of(const hs_block_t *block)
{
    return (uint64_t)block->place.region << 32 | block->place.offset;
}

static int by_address(const void *left, const void *right)
{
    const uint64_t a = address_of(*(hs_block_t *const *)left);
    const uint64_t b = address_of(*(hs_block_t *const *)right);
    return (a > b) - (a < b);
}

/* The blocks that may move, the lowest first; how many. */
static size_t collect(hs_replay_t *replay)
{
    hs_movable_t *movable = &replay->movable;
    size_t count = 0;
    if (movable->capacity < replay->blocks.used) {
        free(movable->blocks);
        movable->capacity = 2 * replay->blocks.used;
        movable->blocks = malloc(movable->capacity * sizeof(hs_block_t *));
        movable->failed = movable->blocks == NULL;
    }
    for (size_t i = 0; !movable->failed && i < replay->blocks.used; i++) {
        if (may_move(replay, &replay->blocks.records[i])) {
            movable->blocks[count++] = &replay->blocks.records[i];
        }
    }
    if (count != 0) {
        qsort(movable->blocks, count, sizeof(hs_block_t *), by_address);
    }
    return count;
}

static bool move(hs_replay_t *replay, hs_block_t *block, uint64_t number)
{
    hs_sim_t *heap = replay->chip.region[block->place.region].heap;
    const hs_block_t before = *block;
    const uint32_t used = heap->tally.used;
    const uint32_t offset = hs_sim_malloc(heap, block->requested);
    if (offset == HS_NONE) {
        return false;
    }
    if (offset > before.place.offset) {
        hs_sim_free(heap, offset, false);
        return false;
    }
    block->place.offset = offset;
    block->place.held = heap->tally.used - used;
    hs_sim_free(heap, before.place.offset, false);
    if (replay->trail != NULL) {
        const size_t record = (size_t)(block - replay->blocks.records);
        hs_trail_end(replay->trail, number, record);
        hs_trail_begin(replay->trail, number, block, record);
    }
    hs_measure_reallocated(&replay->measure, &before, block, number, false);
    replay->movable.moved++;
    return true;
}

bool hs_movable_compact(hs_replay_t *replay, uint64_t number)
{
    bool any = false, again = replay->movable.count != 0 && replay->chip.lists == NULL;
    while (again) { /* ends, since each move goes down */
        again = false;
        const size_t count = collect(replay);
        for (size_t i = 0; i < count; i++) {
            again = move(replay, replay->movable.blocks[i], number) || again;
        }
        any = any || again;
    }
    return any;
}
