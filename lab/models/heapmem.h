/*
 * Contiki-NG's heapmem: a stack of free chunks, of which the first 16 are joined and searched, best fit.
 * Source: contiki-ng 5.0 (9f80681d3) os/lib/heapmem.c, alignment 8, one zone of the whole arena.
 *
 *     chunk + 0    addresses of the previous and the next chunk of the free list, 0 for none
 *     chunk + 8    size of the payload, a multiple of 8
 *     chunk + 12   bit 0: used
 *     chunk + 16   payload
 *
 * The arena fills upwards; what lies behind the last chunk is a free block here, and so is what the search
 * would join. The zone's quota is what a realloc that moves never gives back, and what a shrink that cuts
 * nothing off gives back all the same: requests are refused by it and not by the memory. There is no
 * aligned allocation.
 */
#ifndef HEAPSCOPE_MODELS_HEAPMEM_H
#define HEAPSCOPE_MODELS_HEAPMEM_H

#include "region.h"
#include "runs.h"

#define HEAPMEM_HEADER UINT32_C(16)
#define HEAPMEM_PREVIOUS UINT32_C(0)
#define HEAPMEM_NEXT UINT32_C(4)
#define HEAPMEM_SIZE UINT32_C(8)
#define HEAPMEM_FLAGS UINT32_C(12)
#define HEAPMEM_IS_USED UINT32_C(1)
#define HEAPMEM_ROUND UINT32_C(7)
#define HEAPMEM_SEARCHED 16u

typedef struct heapmem {
    hs_sim_t heap;
    uint32_t start;
    uint32_t usage; /* where the last chunk ends */
    uint32_t end;
    uint32_t list;  /* the first of it, or HS_NONE */
    uint32_t quota; /* what the zone counts as allocated, in bytes, modulo 2^32 */
    hs_runs_t runs; /* of chunks, and of what lies behind the last one */
} heapmem_t;

static inline heapmem_t *heapmem_of(hs_sim_t *heap)
{
    return (heapmem_t *)heap;
}

static inline const heapmem_t *heapmem_of_const(const hs_sim_t *heap)
{
    return (const heapmem_t *)heap;
}

static inline void heapmem_put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static inline uint32_t heapmem_link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

static inline void heapmem_put_link(hs_sim_t *heap, uint32_t at, uint32_t chunk)
{
    heapmem_put(heap, at, chunk == HS_NONE ? 0 : heap->base + chunk);
}

static inline uint32_t heapmem_size_of(const hs_sim_t *heap, uint32_t chunk)
{
    return hs_region_get(heap, chunk + HEAPMEM_SIZE);
}

static inline uint32_t heapmem_end_of(const hs_sim_t *heap, uint32_t chunk)
{
    return chunk + HEAPMEM_HEADER + heapmem_size_of(heap, chunk);
}

static inline bool heapmem_is_used(const hs_sim_t *heap, uint32_t chunk)
{
    return (hs_region_get(heap, chunk + HEAPMEM_FLAGS) & HEAPMEM_IS_USED) != 0;
}

static inline void heapmem_unlist(heapmem_t *state, uint32_t chunk)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t next = heapmem_link_at(heap, chunk + HEAPMEM_NEXT);
    const uint32_t previous = heapmem_link_at(heap, chunk + HEAPMEM_PREVIOUS);
    if (next != HS_NONE) {
        heapmem_put_link(heap, next + HEAPMEM_PREVIOUS, previous);
    }
    if (previous != HS_NONE) {
        heapmem_put_link(heap, previous + HEAPMEM_NEXT, next);
    } else {
        state->list = next;
    }
}

/* Takes in the free chunks behind. */
static inline void heapmem_join(heapmem_t *state, uint32_t chunk)
{
    hs_sim_t *heap = &state->heap;
    uint32_t next = heapmem_end_of(heap, chunk);
    while (next < state->usage && !heapmem_is_used(heap, next)) {
        heapmem_unlist(state, next);
        heapmem_put(heap, chunk + HEAPMEM_SIZE,
                    heapmem_end_of(heap, next) - chunk - HEAPMEM_HEADER);
        heap->steps.nodes++;
        next = heapmem_end_of(heap, chunk);
    }
}

static inline uint32_t heapmem_rounded(uint32_t size)
{
    return (size + HEAPMEM_ROUND) & ~HEAPMEM_ROUND;
}

/* Does the zone's quota refuse it? The sums wrap. */
static inline bool heapmem_is_refused(const heapmem_t *state, uint32_t size)
{
    return size == 0 || heapmem_rounded(size) < size ||
           heapmem_rounded(size) > UINT32_MAX - HEAPMEM_HEADER ||
           HEAPMEM_HEADER + heapmem_rounded(size) > state->end - state->start - state->quota;
}

static inline uint32_t heapmem_search(heapmem_t *state, uint32_t size)
{
    hs_sim_t *heap = &state->heap;
    uint32_t best = HS_NONE;
    uint32_t tries = HEAPMEM_SEARCHED;
    for (uint32_t chunk = state->list; chunk != HS_NONE && tries != 0; tries--) {
        heapmem_join(state, chunk);
        chunk = heapmem_link_at(heap, chunk + HEAPMEM_NEXT);
    }
    tries = HEAPMEM_SEARCHED;
    for (uint32_t chunk = state->list; chunk != HS_NONE && tries != 0; tries--) {
        const uint32_t has = heapmem_size_of(heap, chunk);
        heap->steps.nodes++;
        if (has >= size && (best == HS_NONE || has < heapmem_size_of(heap, best))) {
            best = chunk;
        }
        if (best != HS_NONE && heapmem_size_of(heap, best) == size) {
            break;
        }
        chunk = heapmem_link_at(heap, chunk + HEAPMEM_NEXT);
    }
    return best;
}

bool hs_heapmem_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
uint32_t hs_heapmem_largest_allocatable(hs_sim_t *heap);
uint32_t hs_heapmem_largest_free(const hs_sim_t *heap);
void hs_heapmem_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_heapmem_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_heapmem_check(const hs_sim_t *heap, uint32_t *where);

#endif
