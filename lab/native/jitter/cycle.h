/*
 * A stretch of a recording that is played again and again, as a program goes on that does the same
 * for weeks. The blocks of each round are new ones. A round frees blocks of the one before it by their
 * likeness: a block that lived when the stretch began and was freed in it stands for one that the
 * stretch allocated and held at its end, of the same task and call site, of the same size where there
 * is one. The rest of what it allocated is more after each round, unless its holder keeps a level: then
 * the next round begins with the frees of these blocks.
 *
 * Memory: 48 bytes for each event and each block of the stretch, which is learnt in one pass; 8 for
 * each of these blocks in every run. Those live before it as blocks.h says.
 */
#ifndef HEAPSCOPE_NATIVE_CYCLE_H
#define HEAPSCOPE_NATIVE_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/blocks.h"
#include "heapscope/status.h"
#include "heapscope/trace.h"
#include "rows/trials.h"

#define HS_CYCLE_EVENTS_MAX 4000000u

/* A block of the stretch, from its allocation to its end. */
typedef struct hs_cycle_life {
    uint64_t key; /* at the end of the stretch, in the recording */
    uint64_t size;
    uint32_t task, site;
    uint32_t heir;  /* the life that stands for it in the next round; HS_NONE: none */
    uint16_t heap;  /* of one that was begun */
    bool begun;     /* allocated in the stretch; else it lived before */
    bool stays;     /* live at the end of the stretch */
    bool inherits;  /* it is an heir */
    uint64_t level; /* the round from which on it is replaced; UINT64_MAX: none */
} hs_cycle_life_t;

typedef struct hs_cycle {
    uint64_t first, stop;  /* heap events of the recording: the stretch is first <= event < stop */
    uint64_t began, ended; /* ticks at both ends */
    uint64_t seen;         /* heap events of the recording so far */
    hs_blocks_t blocks;    /* live now, while it is learnt; `requested`: a life's index + 1 */
    hs_event_t *events;    /* of the stretch; `key`: the index of a life */
    size_t count, capacity;
    hs_cycle_life_t *lives;
    size_t life_count, life_capacity;
} hs_cycle_t;

/* HS_ERR_ARGUMENT: no stretch, or more than HS_CYCLE_EVENTS_MAX events. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_cycle_init(hs_cycle_t *cycle, uint64_t first, uint64_t stop);
void hs_cycle_free(hs_cycle_t *cycle);
/* Blocks that lived before the first event, as allocations. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_cycle_prime(hs_cycle_t *cycle, const hs_event_t *blocks, size_t count);
/* The next events of the recording, from its first one on. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_cycle_learn(hs_cycle_t *cycle, const hs_event_t *events, size_t count);
/* The recording is over: finds which block stands for which. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_cycle_close(hs_cycle_t *cycle);
/* After hs_cycle_close: what a task and a site have left over is replaced from round to round, from this one
 * on; the first is 1. O(lives). */
void hs_cycle_level(hs_cycle_t *cycle, uint32_t task, uint32_t site, uint64_t round);
/* The blocks that the stretch leaves over, one row each. O(lives). */
size_t hs_cycle_growth(const hs_cycle_t *cycle, hs_lab_growth_row_t *rows, size_t capacity);

/* The blocks that the stretch allocates, in the order of the keys of each round. */
size_t hs_cycle_births(const hs_cycle_t *cycle, hs_lab_growth_row_t *rows, size_t capacity);

/* Ticks from the first event of one round to the first of the next. */
uint64_t hs_cycle_period(const hs_cycle_t *cycle);

/* One run of many rounds; runs of one cycle may be played in several threads. */
typedef struct hs_rounds {
    const hs_cycle_t *cycle;
    uint64_t *keys; /* of the lives, in the round that is played; UINT64_MAX: no such block */
    uint64_t next_key;
    uint64_t played;
} hs_rounds_t;

typedef hs_status_t (*hs_rounds_sink_t)(void *context, const hs_event_t *events, size_t count);

/* After hs_cycle_close; `cycle` is used as long as the rounds. HS_ERR_MEMORY: no host memory. */
hs_status_t hs_rounds_init(hs_rounds_t *rounds, const hs_cycle_t *cycle);
void hs_rounds_free(hs_rounds_t *rounds);
/* One more round; time goes on where the one before ended. Any error of the sink. */
hs_status_t hs_rounds_play(hs_rounds_t *rounds, hs_rounds_sink_t sink, void *context);

#endif
