/*
 * Long runs composed of recorded ones. Actors play parts of loaded traces (lab/native/fit/fit.h) in any
 * order and as often as wanted, together on one heap or with some tasks on a second one. Played in the
 * order of recording a trace is what was recorded. In another order a block that the part frees may
 * not be there: that step is left out; and a block may still be there whose slot a part uses again: it
 * is freed first, as the value that the new one takes the place of. So no order leaks, and how many
 * steps were such is counted.
 *
 * Work is accounted to the watched tasks alone. Memory: 5 bytes a slot for each actor, and the heaps.
 */
#ifndef HEAPSCOPE_NATIVE_WEEK_H
#define HEAPSCOPE_NATIVE_WEEK_H

#include "fit/fit.h"
#include "model.h"
#include "rows/trials.h"

#define HS_WEEK_TASKS 32u /* a mask's bits: tasks of an actor's trace */

typedef struct hs_week_player {
    const hs_fit_t *trace;
    hs_lab_actor_t plan;
    uint32_t *offsets; /* HS_NONE: nothing is there */
    uint8_t *heaps;    /* where it is */
} hs_week_player_t;

typedef struct hs_week {
    hs_sim_t *heaps[HS_LAB_WEEK_HEAPS];
    hs_week_player_t *players;
    size_t player_count;
    hs_lab_week_totals_t totals;
} hs_week_t;

/* HS_ERR_ARGUMENT: no such heap, or an actor's second heap is not there. HS_ERR_MEMORY: the allocator
 * refuses a size, or no host memory. The traces have to outlive the week. */
hs_status_t hs_week_init(hs_week_t *week, const hs_fit_t *const *traces,
                         const hs_lab_actor_t *actors, size_t count,
                         const hs_lab_week_heap_t *heaps, size_t heap_count);
void hs_week_free(hs_week_t *week);

/* Plays turns in their order, one row each. HS_ERR_ARGUMENT, before anything is played: a turn beyond
 * its trace or of no actor. */
hs_status_t hs_week_play(hs_week_t *week, const hs_lab_turn_t *turns, size_t count,
                         hs_lab_turn_row_t *rows);

#endif
