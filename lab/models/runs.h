/*
 * The free runs of a heap whose allocator joins free neighbours late or knows them only by their order:
 * every free byte between two used blocks is part of one run, which is one free block. heap->index->by_place
 * has them; the tally's free bytes and blocks are kept here.
 */
#ifndef HEAPSCOPE_MODELS_RUNS_H
#define HEAPSCOPE_MODELS_RUNS_H

#include "free_index.h"
#include "largest.h"

typedef struct hs_runs {
    uint32_t header; /* bytes of a run that are no payload */
    hs_largest_t largest;
} hs_runs_t;

static inline hs_order_t *runs_of(const hs_sim_t *heap)
{
    return &heap->index->by_place;
}

static inline uint32_t run_start(const hs_sim_t *heap, uint32_t at)
{
    return hs_order_high(runs_of(heap), at);
}

static inline uint32_t run_size(const hs_sim_t *heap, uint32_t at)
{
    return hs_order_low(runs_of(heap), at);
}

static inline uint32_t run_end(const hs_sim_t *heap, uint32_t at)
{
    return run_start(heap, at) + run_size(heap, at);
}

/* The number of the first run that begins there or behind. */
static inline uint32_t run_from(const hs_sim_t *heap, uint32_t place)
{
    return hs_order_below(runs_of(heap), hs_index_key(place, 0));
}

static inline uint32_t run_payload(const hs_runs_t *runs, uint32_t size)
{
    return size > runs->header ? size - runs->header : 0;
}

static inline void run_remove(hs_sim_t *heap, hs_runs_t *runs, uint32_t at)
{
    const uint32_t size = run_size(heap, at);
    hs_order_remove(runs_of(heap), runs_of(heap)->keys[at]);
    heap->tally.free -= run_payload(runs, size);
    heap->tally.free_blocks--;
    hs_largest_take(&runs->largest, size);
}

static inline void run_add(hs_sim_t *heap, hs_runs_t *runs, uint32_t start, uint32_t end)
{
    if (start == end) {
        return;
    }
    const bool has_room = hs_order_add(runs_of(heap), hs_index_key(start, end - start));
    HS_ASSERT(has_room); /* host memory ends, and nothing else knows the run */
    (void)has_room;
    heap->tally.free += run_payload(runs, end - start);
    heap->tally.free_blocks++;
    hs_largest_add(&runs->largest, end - start);
}

/* Those bytes become free, and one with the runs beside them. */
static inline void runs_free(hs_sim_t *heap, hs_runs_t *runs, uint32_t start, uint32_t end)
{
    const uint32_t at = run_from(heap, start);
    if (at < runs_of(heap)->count && run_start(heap, at) == end) {
        end = run_end(heap, at);
        run_remove(heap, runs, at);
    }
    if (at != 0 && run_end(heap, at - 1) == start) {
        start = run_start(heap, at - 1);
        run_remove(heap, runs, at - 1);
    }
    run_add(heap, runs, start, end);
}

/* Those bytes of one run are free no more. */
static inline void runs_use(hs_sim_t *heap, hs_runs_t *runs, uint32_t start, uint32_t end)
{
    const uint32_t at = run_from(heap, start + 1) - 1;
    const uint32_t first = run_start(heap, at);
    const uint32_t last = run_end(heap, at);
    run_remove(heap, runs, at);
    run_add(heap, runs, first, start);
    run_add(heap, runs, end, last);
}

static inline hs_largest_t runs_largest(const hs_sim_t *heap, const hs_runs_t *runs)
{
    hs_largest_t seen = {0, 0, false};
    if (!runs->largest.unknown) {
        return runs->largest;
    }
    for (uint32_t at = 0; at < runs_of(heap)->count; at++) {
        hs_largest_add(&seen, run_size(heap, at));
    }
    return seen;
}

/* Payload of the largest run. */
static inline uint32_t runs_largest_free(const hs_sim_t *heap, const hs_runs_t *runs)
{
    return run_payload(runs, runs_largest(heap, runs).size);
}

#endif
