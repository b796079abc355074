/*
 * Blocks that the program may move: those of some call sites, which it holds by handles. Where a request fails, they are
 * allocated anew one after the other, the lowest first; a copy that lies lower is kept and the old block freed, another
 * one is freed. That goes on until none moves, and the request is made once more. A program can do the same with the
 * calls of any heap, so that the replay is exact for one that does.
 */
#ifndef HEAPSCOPE_NATIVE_MOVABLE_H
#define HEAPSCOPE_NATIVE_MOVABLE_H

#include "chip/blocks.h"

typedef struct hs_replay hs_replay_t;

typedef struct hs_movable {
    uint32_t *sites;     /* ascending */
    size_t count;        /* 0: none moves */
    hs_block_t **blocks; /* those of a pass, and how many there is room for */
    size_t capacity;
    bool failed;     /* no host memory */
    uint64_t moved;  /* blocks, each time that one is */
    uint64_t served; /* requests that this made succeed */
} hs_movable_t;

/* Before the first event. HS_ERR_ARGUMENT: an event has come; HS_ERR_MEMORY. */
hs_status_t hs_movable_set(hs_replay_t *replay, const uint32_t *sites, size_t count);
/* A block has come to be, at this call site. */
void hs_movable_note(const hs_movable_t *movable, hs_block_t *block, uint32_t site);
/* Moves what can be moved; false: no block did, so that the request fails again. */
bool hs_movable_compact(hs_replay_t *replay, uint64_t number);
/* The request succeeds after that; true. */
bool hs_movable_serves(hs_movable_t *movable);

#endif
