/*
 * A heap that takes its memory from sbrk and keeps an ordered list of free chunks: newlib-nano's and
 * picolibc's. The region is a fixed arena: sbrk fails, and changes nothing, where the break would pass
 * its end.
 *
 *     start   chunks, one behind the other
 *     brk     nothing yet, up to the end
 *
 * The memory above the break is a free block here. The last free chunk is part of it if it ends at the break
 * and the release lets it grow: a request that is too large for either takes both.
 */
#ifndef HEAPSCOPE_MODELS_SBRK_HEAP_H
#define HEAPSCOPE_MODELS_SBRK_HEAP_H

#include "ordered_list.h"

#define SBRK_HEADER UINT32_C(4)
#define SBRK_TOO_LARGE UINT32_C(0x80000000)

/* The differences of the releases; a model's `build` begins with it. Bytes. */
typedef struct hs_sbrk_build {
    uint32_t alignment; /* of chunks, as far as sizes go */
    uint32_t lead;      /* from a multiple of that to a chunk's first byte, going up */
    uint32_t smallest;  /* chunk of a request */
    uint32_t overhead;  /* bytes of a chunk that no request gets */
    uint32_t free_bits; /* in the size word of a free chunk */
    bool grows_last;    /* the free chunk at the break grows */
    /* From a used chunk to its payload; 0: damaged. */
    uint32_t (*payload_at)(const hs_sim_t *heap, uint32_t chunk, uint32_t size);
} hs_sbrk_build_t;

/* Positions are offsets from the region's start; sizes include the header. */
typedef struct hs_sbrk_heap {
    hs_sim_t heap;
    uint32_t start; /* of the first chunk */
    uint32_t brk;
    hs_ordered_t list;
} hs_sbrk_heap_t;

static inline hs_sbrk_heap_t *sbrk_of(hs_sim_t *heap)
{
    return (hs_sbrk_heap_t *)heap;
}

static inline const hs_sbrk_heap_t *sbrk_of_const(const hs_sim_t *heap)
{
    return (const hs_sbrk_heap_t *)heap;
}

static inline const hs_sbrk_build_t *sbrk_build(const hs_sbrk_heap_t *state)
{
    return state->heap.model->build;
}

/* The first place for a chunk at `at` or above. */
static inline uint32_t sbrk_up(const hs_sbrk_heap_t *state, uint32_t at)
{
    const hs_sbrk_build_t *build = sbrk_build(state);
    return at + ((build->lead - (state->heap.base + at)) & (build->alignment - 1));
}

/* The last free chunk if it ends at the break and may grow, else the count. */
static inline uint32_t sbrk_last(const hs_sbrk_heap_t *state)
{
    const uint32_t count = ordered_count(&state->heap);
    const bool is_last = sbrk_build(state)->grows_last && count != 0 &&
                         ordered_end(&state->heap, count - 1) == state->brk;
    return is_last ? count - 1 : count;
}

/* Ends each operation: the figures of the free blocks. */
void hs_sbrk_settle(hs_sbrk_heap_t *state);
/* A used chunk comes to be, or is one no more. */
uint32_t hs_sbrk_use(hs_sbrk_heap_t *state, uint32_t chunk, uint32_t size, uint32_t payload);
void hs_sbrk_unuse(hs_sbrk_heap_t *state, uint32_t chunk, uint32_t payload);
/* The chunk of a request, 0: refused. */
uint32_t hs_sbrk_chunk_size(const hs_sim_t *heap, uint32_t size);

/* Questions. */
uint32_t hs_sbrk_largest_chunk(const hs_sbrk_heap_t *state);
uint32_t hs_sbrk_largest_allocatable(hs_sim_t *heap);
uint32_t hs_sbrk_largest_free(const hs_sim_t *heap);
void hs_sbrk_reported(const hs_sim_t *heap, hs_reported_t *out); /* mallinfo() */
void hs_sbrk_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_sbrk_check(const hs_sim_t *heap, uint32_t *where);
hs_status_t hs_sbrk_create(hs_sim_t *heap);

#endif
