/*
 * Long runs composed of recorded ones. Actors play parts of loaded traces in any order and as often as
 * wanted, together on one heap or with some tasks on a second one. Played in the order of recording, a
 * trace is what was recorded. In another order a block that a part frees may not be there: that step
 * is left out. A block may also still be there whose slot a part uses again: it is freed first, since
 * the new value takes its place. So no order leaks, and the library counts how many steps were such.
 *
 * Work is accounted to the watched tasks alone. Memory: 5 bytes a slot for each actor, and the heaps.
 *
 * This library links nothing of the lab's: it reaches heaps and traces by the table of calls that the
 * lab's library hands out (hs_lab_heap_calls).
 */
#ifndef HEAPSCOPE_STUDIES_WEEK_H
#define HEAPSCOPE_STUDIES_WEEK_H

#include "lab/lab.h"

/* cffi: begin */
#define HS_WEEK_HEAPS 2

/* Tasks of a trace by bit, below 32: which are played at all, which are on the second heap, and whose
 * work the rows tell. */
typedef struct hs_week_actor {
    uint32_t played, apart, watched;
} hs_week_actor_t;

typedef struct hs_week_heap {
    uint32_t base, size;
    char allocator[32];
} hs_week_heap_t;

typedef struct hs_week_turn {
    uint64_t first, count; /* steps of the actor's trace */
    uint32_t actor;
    uint32_t look; /* 1: its row has what the heaps are like after it */
} hs_week_turn_t;

/* Work of the watched tasks, and failures and digest of all tasks. The digest is FNV-1a 64 over what
 * each allocation and resize since the week began was answered with: the offset from its heap's start,
 * 0xFFFFFFFF for none; 4 bytes, the lowest first. */
typedef struct hs_week_row {
    uint64_t nodes, bins, writes, copied;
    uint64_t free_nodes; /* those of the nodes that frees visited */
    uint64_t digest;
    uint32_t mallocs, frees, reallocs, failures;
    uint32_t free[2], largest[2]; /* each heap's; largest: allocatable */
    uint32_t free_blocks[2], used_blocks[2];
} hs_week_row_t;

typedef struct hs_week_totals {
    uint64_t steps;
    uint64_t left_out; /* of a block that is not there */
    uint64_t replaced; /* blocks freed because their slot is used again */
} hs_week_totals_t;

typedef struct hs_week hs_week_t;

/* One trace for each actor; they have to outlive the week, as the calls have to. NULL: *status tells
 * why: 1 no such allocator or heap, 2 it refuses the size, or no host memory. */
hs_week_t *hs_week_new(const hs_lab_heap_calls_t *calls, hs_lab_steps_t *const *traces,
                       const hs_week_actor_t *actors, size_t count, const hs_week_heap_t *heaps,
                       size_t heap_count, int *status);
void hs_week_delete(hs_week_t *week); /* NULL is fine */
/* Goes on with these turns, a row for each. 1, and nothing is played: a turn is beyond its trace or
 * names no actor. */
int hs_week_play(hs_week_t *week, const hs_week_turn_t *turns, size_t count, hs_week_row_t *rows);
void hs_week_totals(const hs_week_t *week, hs_week_totals_t *out);
/* cffi: end */

#endif
