/*
 * The live blocks of a recording with addresses, as its events and snapshots tell: exact, or known to be
 * unknown (format/SPEC.md, "Snapshots" and "After a loss"). It never guesses: after a gap it knows
 * nothing until the end of a whole snapshot.
 */
#ifndef HEAPSCOPE_NATIVE_STATE_H
#define HEAPSCOPE_NATIVE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heapscope/status.h"
#include "heapscope/trace.h"

typedef struct hs_state hs_state_t;

typedef struct hs_state_block {
    uint64_t address;
    uint64_t size;
    uint32_t task;
    uint32_t caps;
    uint32_t site;
    uint16_t heap;
    bool owned;  /* task and caps are known; a snapshot alone may not tell them */
    bool walked; /* a snapshot alone tells it */
} hs_state_block_t;

typedef struct hs_state_figures {
    uint64_t blocks; /* live; 0 while they are not known */
    uint64_t bytes;
    uint64_t snapshots;     /* whole ones */
    uint64_t voids;         /* that were not whole */
    uint64_t corrections;   /* blocks in which a snapshot and the events before it disagreed */
    uint64_t unknown_frees; /* of addresses that are not live, while the state was known */
    uint64_t overlaps;      /* allocations of addresses that are live, while it was known */
    uint64_t pairs;         /* allocations that were counted with their frees */
    uint32_t level;         /* hs_recorder_level_t, of the last LEVEL */
    uint32_t sampling;      /* of level 2: one address in 2^sampling is on record */
    bool known;
    bool filtered; /* not every allocation is on record */
} hs_state_figures_t;

/* `known`: the recording begins with a heap that has no block, as far as it is concerned. A recording that
 * was heard from the middle on, or is a black box, does not. NULL: no host memory. */
hs_state_t *hs_state_new(bool known);
void hs_state_delete(hs_state_t *state);

/* The address shift of the trace's chunks, which identifies samples. */
void hs_state_shift(hs_state_t *state, unsigned shift);

/* The next batch of a decoder. `gaps`: of its health as the batch is handed over. HS_ERR_MEMORY: no host
 * memory for another block. O(count), and O(blocks) at the end of a snapshot. */
hs_status_t hs_state_events(hs_state_t *state, uint64_t gaps, const hs_event_t *events,
                            size_t count);

void hs_state_figures(const hs_state_t *state, hs_state_figures_t *out);

/* The live blocks, in any order: call with *at 0 until it returns false. Nothing while unknown. */
bool hs_state_next(const hs_state_t *state, size_t *at, hs_state_block_t *out);

/* The live block at an address; false: none. */
bool hs_state_find(const hs_state_t *state, uint64_t address, hs_state_block_t *out);

#endif
