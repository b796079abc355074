/*
 * The blocks of FreeRTOS's heap_4, for the files of that model only; the layout is drawn in heap_4.c.
 */
#ifndef HEAPSCOPE_MODELS_HEAP_4_H
#define HEAPSCOPE_MODELS_HEAP_4_H

#include "free_index.h"
#include "largest.h"
#include "list.h"
#include "region.h"

#define HEAP_4_SIZE_AT UINT32_C(4)
#define HEAP_4_HEADER UINT32_C(8)
#define HEAP_4_IS_USED UINT32_C(0x80000000)

#define HEAP_4_HEAD HS_NONE /* stands for the list's head where a free block is meant */

/* All positions are offsets from the region's start; sizes include the header. */
typedef struct hs_heap_4 {
    hs_sim_t heap;
    uint32_t start;
    uint32_t end;
    uint32_t between; /* heap_5: where the first region ends, up to the second one; else HS_NONE */
    uint32_t first_free; /* xStart */
    uint32_t free_bytes;
    uint32_t minimum_free_bytes;
    hs_largest_t largest;
} hs_heap_4_t;

static inline hs_heap_4_t *heap_4_of(hs_sim_t *heap)
{
    return (hs_heap_4_t *)heap;
}

static inline const hs_heap_4_t *heap_4_of_const(const hs_sim_t *heap)
{
    return (const hs_heap_4_t *)heap;
}

static inline uint32_t heap_4_size(const hs_heap_4_t *state, uint32_t block)
{
    return hs_region_get(&state->heap, block + HEAP_4_SIZE_AT) & ~HEAP_4_IS_USED;
}

static inline uint32_t heap_4_next_free(const hs_heap_4_t *state, uint32_t block)
{
    return block == HEAP_4_HEAD ? state->first_free : hs_region_get_link(&state->heap, block);
}

/* Bytes of the block that a request needs, 0 if it is refused. */
static inline uint32_t heap_4_block_size(const hs_sim_t *heap, uint32_t size)
{
    uint32_t round = heap->model->granule - 1;
    if (size == 0 || size > UINT32_MAX - HEAP_4_HEADER - round) {
        return 0;
    }
    uint32_t wanted = (size + HEAP_4_HEADER + round) & ~round;
    return (wanted & HEAP_4_IS_USED) != 0 ? 0 : wanted;
}

/* Questions (heap_4_query.c). */
uint32_t hs_heap_4_usable(const hs_sim_t *heap, uint32_t offset);
uint32_t hs_heap_4_largest_free(const hs_sim_t *heap);
uint32_t hs_heap_4_largest_allocatable(hs_sim_t *heap);
bool hs_heap_4_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
void hs_heap_4_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_heap_4_forget_low(hs_sim_t *heap);
void hs_heap_4_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_heap_4_check(const hs_sim_t *heap, uint32_t *where);

#endif
