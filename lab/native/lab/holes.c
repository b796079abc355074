/* The holes that a request could have, as the heaps of a replay stand. */
#include <string.h>

#include "lab/reader.h"
#include "measure/hole.h"

int hs_lab_reader_movable(hs_lab_reader_t *reader, const uint32_t *sites, size_t count)
{
    return (int)hs_movable_set(&reader->replay, sites, count);
}

void hs_lab_moved(const hs_lab_reader_t *reader, uint64_t counts[2])
{
    counts[0] = reader->replay.movable.moved;
    counts[1] = reader->replay.movable.served;
}

int hs_lab_reader_stop(hs_lab_reader_t *reader, uint64_t stop)
{
    return (int)hs_replay_stop(&reader->replay, stop);
}

/* The block at an address; NULL: none. */
static const hs_block_t *block_at(const hs_replay_t *replay, uint32_t address)
{
    const hs_blocks_t *blocks = &replay->blocks;
    for (size_t i = 0; address != UINT32_MAX && i < blocks->used; i++) {
        const hs_block_t *block = &blocks->records[i];
        if ((block->flags & HS_BLOCK_LIVE) && !(block->flags & HS_BLOCK_NOWHERE) &&
            replay->chip.region[block->place.region].start + block->place.offset == address) {
            return block;
        }
    }
    return NULL;
}

/* The largest request that the region would serve if nothing were on it. */
static uint32_t capacity_of(const hs_chip_region_t *region, uint32_t caps)
{
    hs_chip_region_t empty = *region;
    empty.heap = hs_sim_new(region->heap->allocator, region->start, region->size, NULL);
    const uint32_t largest = hs_region_largest_allocatable(&empty, caps);
    hs_sim_delete(empty.heap);
    return largest;
}

static void look(const hs_chip_region_t *region, const hs_request_t *request,
                 hs_lab_hole_row_t *row)
{
    row->has_heap = region->heap != NULL;
    if (region->heap == NULL) {
        return;
    }
    row->fits = hs_region_fits(region, request);
    row->capacity = capacity_of(region, request->caps);
    row->free = region->heap->tally.free;
    row->largest_free = hs_sim_largest_free(region->heap);
    row->largest_allocatable = hs_region_largest_allocatable(region, request->caps);
    row->used_blocks = region->heap->tally.used_blocks;
    row->free_blocks = hs_sim_free_blocks(region->heap);
}

static void best_hole(const hs_replay_t *replay, uint32_t index, const hs_request_t *request,
                      const hs_block_t *own, hs_lab_hole_row_t *row)
{
    const hs_chip_region_t *region = &replay->chip.region[index];
    hs_pieces_t pieces;
    hs_hole_t hole;
    if (hs_pieces_init(&pieces, &replay->chip, index, &replay->blocks) != HS_OK) {
        return;
    }
    if (hs_hole_find(region, &pieces, request, own, &hole)) {
        row->hole_start = region->start + pieces.rows[hole.first].offset;
        row->hole_size = hole.size;
        row->hole_free = hole.free;
        row->hole_live = hole.live;
        row->hole_blocks = hole.blocks;
    }
    hs_pieces_free(&pieces);
}

size_t hs_lab_holes(hs_lab_reader_t *reader, const hs_lab_request_t *request,
                    hs_lab_hole_row_t *rows, size_t capacity)
{
    hs_replay_t *replay = &reader->replay;
    const hs_request_t query = {request->size, request->align, request->caps, false};
    const hs_block_t *own = block_at(replay, request->own);
    const uint32_t mask = request->regions != 0
                              ? request->regions
                              : hs_chip_mask_for(&replay->chip, request->caps, request->size);
    for (uint32_t i = 0; i < replay->chip.count && i < capacity; i++) {
        memset(&rows[i], 0, sizeof rows[i]);
        look(&replay->chip.region[i], &query, &rows[i]);
        rows[i].eligible = mask >> i & 1u;
        if (rows[i].eligible) {
            const bool here = own != NULL && own->place.region == i;
            best_hole(replay, i, &query, here ? own : NULL, &rows[i]);
        }
    }
    return replay->chip.count;
}

static void describe(const hs_replay_t *replay, uint32_t start, const hs_piece_t *piece,
                     hs_lab_piece_row_t *row)
{
    memset(row, 0, sizeof *row);
    row->address = start + piece->offset;
    row->size = piece->size;
    row->state = !piece->used ? HS_LAB_PIECE_FREE
                              : (piece->block != NULL ? HS_LAB_PIECE_BLOCK : HS_LAB_PIECE_OTHER);
    if (piece->block != NULL) {
        row->key = piece->block->key;
        row->requested = piece->block->requested;
        row->task = hs_ledger_task(&replay->measure.owners, piece->block->task);
    }
}

size_t hs_lab_pieces(const hs_lab_reader_t *reader, uint32_t region, uint32_t from, uint32_t to,
                     hs_lab_piece_row_t *rows, size_t capacity)
{
    const hs_replay_t *replay = &reader->replay;
    hs_pieces_t pieces;
    if (region >= replay->chip.count ||
        hs_pieces_init(&pieces, &replay->chip, region, &replay->blocks) != HS_OK) {
        return 0;
    }
    const uint32_t start = replay->chip.region[region].start;
    size_t count = 0;
    for (size_t i = 0; i < pieces.count; i++) {
        const uint64_t address = (uint64_t)start + pieces.rows[i].offset;
        if (address < to && address + pieces.rows[i].size > from && count++ < capacity) {
            describe(replay, start, &pieces.rows[i], &rows[count - 1]);
        }
    }
    hs_pieces_free(&pieces);
    return count;
}
