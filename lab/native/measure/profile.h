/*
 * Who allocated how much, by task and call site: in all, at its own peak, at the program's, and at
 * the end, and how long the blocks lived. O(1) an event; memory follows the pairs of task and site.
 */
#ifndef HEAPSCOPE_NATIVE_PROFILE_H
#define HEAPSCOPE_NATIVE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "heapscope/trace.h"
#include "measure/step.h"
#include "rows/export.h"

typedef struct hs_profile_cell {
    hs_lab_profile_row_t row;
    uint64_t changed; /* steps + 1 at its last change: since then it holds what it holds now */
} hs_profile_cell_t;

typedef struct hs_profile {
    hs_profile_cell_t *cells;
    size_t count, capacity;
    uint32_t *slots; /* cell + 1; 0: empty */
    size_t slot_mask;
    uint64_t seed; /* differs from run to run, so that no input can be made to collide */
    uint64_t live, blocks;
    uint64_t steps;  /* so far */
    uint64_t peaked; /* steps + 1 at the peak; 0: nothing was ever live */
    hs_lab_profile_t peak;
} hs_profile_t;

void hs_profile_init(hs_profile_t *profile);
void hs_profile_free(hs_profile_t *profile);
/* Takes what an event did. false: no host memory. */
bool hs_profile_step(hs_profile_t *profile, const hs_event_t *event, const hs_step_t *step);
/* The blocks that are live have lived until then. Once, at the end. */
bool hs_profile_end(hs_profile_t *profile, const hs_held_t *held, const hs_blocks_t *blocks,
                    uint64_t event, uint64_t time);
/* Rows as of now, in order of first use; returns how many there are. */
size_t hs_profile_rows(const hs_profile_t *profile, hs_lab_profile_row_t *rows, size_t capacity);

#endif
