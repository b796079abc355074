/*
 * The replay itself notes here what each event of a batch did to blocks. A trail knows less than hs_follow_t
 * and costs little, since the events need not come one by one.
 */
#ifndef HEAPSCOPE_NATIVE_TRAIL_H
#define HEAPSCOPE_NATIVE_TRAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "measure/step.h"

typedef struct hs_trail {
    hs_did_t *did; /* of the batch's heap events */
    size_t room;
    uint64_t first;   /* number of the first one */
    uint32_t *serial; /* by record of hs_blocks_t: that of its block plus 1; 0: no heap holds it */
    size_t records;
    uint32_t begun; /* blocks so far */
} hs_trail_t;

/* One of zeroes is empty. */
void hs_trail_free(hs_trail_t *trail);
/* A batch begins. False: no host memory. */
bool hs_trail_batch(hs_trail_t *trail, const hs_blocks_t *blocks, uint64_t first, size_t count);

/* ---- one event's work --------------------------------------------------------------------------- */

static inline hs_did_t *hs_trail_at(hs_trail_t *trail, uint64_t number)
{
    HS_ASSERT(number - trail->first < trail->room);
    return &trail->did[number - trail->first];
}

static inline void hs_trail_end(hs_trail_t *trail, uint64_t number, size_t record)
{
    hs_did_t *did = hs_trail_at(trail, number);
    HS_ASSERT(record < trail->records && did->ended[1] == 0);
    did->ended[did->ended[0] != 0] = trail->serial[record];
    trail->serial[record] = 0;
}

static inline void hs_trail_begin(hs_trail_t *trail, uint64_t number, const hs_block_t *block,
                                  size_t record)
{
    hs_did_t *did = hs_trail_at(trail, number);
    HS_ASSERT(record < trail->records);
    trail->serial[record] = ++trail->begun;
    did->begins = true;
    did->region = block->place.region;
    did->offset = block->place.offset;
    did->size = block->requested;
}

/* The block has another record from now on. */
static inline void hs_trail_move(hs_trail_t *trail, size_t from, size_t to)
{
    const uint32_t serial = trail->serial[from];
    trail->serial[from] = 0;
    trail->serial[to] = serial;
}

#endif
