/* The table of addresses behind hs_state_t. Private to lab/native/trace. */
#ifndef HEAPSCOPE_NATIVE_STATE_TABLE_H
#define HEAPSCOPE_NATIVE_STATE_TABLE_H

#include "lost_kinds.h"
#include "state.h"

typedef struct hs_place {
    hs_state_block_t block;
    uint64_t reported_size; /* by the snapshot under way */
    uint32_t touched;       /* window in which an event named it last */
    uint32_t reported;      /* window in which a snapshot told it */
    uint8_t used;
    uint8_t live;
    uint8_t reported_alone; /* no event since the snapshot has named it */
    hs_state_block_t reported_block;
} hs_place_t;

struct hs_state {
    hs_place_t *places;
    size_t count; /* used places */
    size_t mask;
    hs_state_figures_t figures;
    uint64_t gaps;
    uint64_t snapshot; /* number of the one under way */
    uint64_t reported_blocks;
    uint64_t reported_bytes;
    uint32_t window; /* one more with each snapshot */
    unsigned shift;
    hs_lost_kinds_t kinds;
    uint32_t left_out; /* on purpose, of the next LOST */
    bool kinds_known;  /* no LOST_KIND is missing that `kinds` does not have */
    bool taking;       /* a snapshot is under way */
};

/* The place of an address, or the free one where it would lie. Bound: a table is never full. */
hs_place_t *hs_state_place_at(hs_place_t *places, size_t mask, uint64_t address);

/* The place of an address, made if missing. NULL: no host memory. */
hs_place_t *hs_state_place_make(hs_state_t *state, uint64_t address);

#endif
