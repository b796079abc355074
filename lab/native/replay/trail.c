#include "replay/trail.h"

#include <stdlib.h>
#include <string.h>

void hs_trail_free(hs_trail_t *trail)
{
    free(trail->did);
    free(trail->serial);
    memset(trail, 0, sizeof *trail);
}

/* Each event takes a new record at most. */
static bool reserve_records(hs_trail_t *trail, size_t records)
{
    if (records <= trail->records) {
        return true;
    }
    const size_t grown = records * 2;
    uint32_t *moved = realloc(trail->serial, grown * sizeof *moved);
    if (moved == NULL) {
        return false;
    }
    memset(moved + trail->records, 0, (grown - trail->records) * sizeof *moved);
    trail->serial = moved;
    trail->records = grown;
    return true;
}

bool hs_trail_batch(hs_trail_t *trail, const hs_blocks_t *blocks, uint64_t first, size_t count)
{
    if (count > trail->room) {
        hs_did_t *moved = realloc(trail->did, count * sizeof *moved);
        if (moved == NULL) {
            return false;
        }
        trail->did = moved;
        trail->room = count;
    }
    memset(trail->did, 0, count * sizeof *trail->did);
    trail->first = first;
    return reserve_records(trail, blocks->used + count);
}
