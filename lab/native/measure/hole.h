/*
 * The blocks in the way of a request in one region. The best hole is the contiguous span that would
 * have held it if the fewest live bytes were gone: of all runs of neighbouring pieces which, with
 * their blocks freed, make the region serve the request, the one whose blocks hold the least payload
 * (then the fewest blocks, then the lowest address). Blocks that the trace does not know, such as the
 * start-up's, never go. Whether a run serves is not computed but tried, on a copy of the heap.
 */
#ifndef HEAPSCOPE_NATIVE_HOLE_H
#define HEAPSCOPE_NATIVE_HOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "chip/chip.h"
#include "heapscope/status.h"

/* A stretch of a region, free or used, as the allocator divides it; headers lie between. */
typedef struct hs_piece {
    uint32_t offset, size; /* raw payload, from the region's start */
    bool used;
    const hs_block_t *block; /* NULL: free, or not of the trace */
} hs_piece_t;

typedef struct hs_pieces {
    hs_piece_t *rows; /* by offset */
    size_t count;
} hs_pieces_t;

/* HS_ERR_MEMORY: no host memory. A region without heap has no pieces. */
hs_status_t hs_pieces_init(hs_pieces_t *pieces, const hs_chip_t *chip, uint32_t region,
                           const hs_blocks_t *blocks);
void hs_pieces_free(hs_pieces_t *pieces);

typedef struct hs_hole {
    size_t first, last; /* pieces */
    uint32_t size;      /* bytes from the first piece's start to the last one's end */
    uint32_t free;      /* bytes of it that are free already */
    uint32_t live;      /* payload bytes of the blocks in it */
    uint32_t blocks;
} hs_hole_t;

/* `own` is the block that the request would move, NULL: none. It may stay at the hole's start and
 * grow, where the allocator does that. false: no run of pieces would do, or no host memory.
 * O(pieces), and a copy of the heap for each run that is tried. */
bool hs_hole_find(const hs_chip_region_t *region, const hs_pieces_t *pieces,
                  const hs_request_t *request, const hs_block_t *own, hs_hole_t *hole);

#endif
