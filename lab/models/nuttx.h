/*
 * NuttX's mm: lists of free nodes for powers of two, each in the order of sizes, best fit.
 * Source: nuttx 4ebc8a7291d (2026-08) mm/mm_heap, in 32-bit builds; CONFIG_MM_DEFAULT_ALIGNMENT 8 and 4.
 *
 *     node + 0     size of the node below, where that is free; else the end of its payload
 *     node + 4     size; bit 0: used; bit 1: the node below is free
 *     node + 8     payload; free: addresses of the next and the previous node of its list, 0 at the ends
 *
 * A used node of 8 bytes guards each end of the region. The heap's structure, which a real one has in front of
 * it, lies outside: its size is the configuration's.
 */
#ifndef HEAPSCOPE_MODELS_NUTTX_H
#define HEAPSCOPE_MODELS_NUTTX_H

#include "bits.h"
#include "largest.h"
#include "region.h"

#define NUTTX_SIZE UINT32_C(4)
#define NUTTX_PAYLOAD UINT32_C(8)
#define NUTTX_NEXT_FREE UINT32_C(8)
#define NUTTX_PREVIOUS_FREE UINT32_C(12)
#define NUTTX_IS_USED UINT32_C(1)
#define NUTTX_BELOW_FREE UINT32_C(2)
#define NUTTX_BITS (NUTTX_IS_USED | NUTTX_BELOW_FREE)
#define NUTTX_OVERHEAD UINT32_C(4)
#define NUTTX_SMALLEST UINT32_C(16)
#define NUTTX_GUARD UINT32_C(8)
#define NUTTX_LISTS 19u
#define NUTTX_TOO_LARGE UINT32_C(0x80000000)

typedef struct nuttx {
    hs_sim_t heap;
    uint32_t first; /* the guard at the start */
    uint32_t last;  /* the one at the end */
    hs_largest_t largest;
    uint32_t lists[NUTTX_LISTS];
} nuttx_t;

static inline nuttx_t *nuttx_of(hs_sim_t *heap)
{
    return (nuttx_t *)heap;
}

static inline const nuttx_t *nuttx_of_const(const hs_sim_t *heap)
{
    return (const nuttx_t *)heap;
}

static inline uint32_t nuttx_alignment_of(const hs_sim_t *heap)
{
    return *(const uint32_t *)heap->model->build;
}

static inline uint32_t nuttx_link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

static inline uint32_t nuttx_word_of(const hs_sim_t *heap, uint32_t node)
{
    return hs_region_get(heap, node + NUTTX_SIZE);
}

static inline uint32_t nuttx_size_of(const hs_sim_t *heap, uint32_t node)
{
    return nuttx_word_of(heap, node) & ~NUTTX_BITS;
}

static inline bool nuttx_is_free(const hs_sim_t *heap, uint32_t node)
{
    return (nuttx_word_of(heap, node) & NUTTX_IS_USED) == 0;
}

/* Bytes of the free node below, 0: that is used. */
static inline uint32_t nuttx_free_below(const hs_sim_t *heap, uint32_t node)
{
    return (nuttx_word_of(heap, node) & NUTTX_BELOW_FREE) != 0 ? hs_region_get(heap, node) : 0;
}

static inline uint32_t nuttx_list_of(uint32_t size)
{
    const uint32_t list = hs_bits_highest(size / NUTTX_SMALLEST);
    return list < NUTTX_LISTS ? list : NUTTX_LISTS - 1;
}

/* The node that a request needs, 0: refused. */
static inline uint32_t nuttx_node_size(const hs_sim_t *heap, uint32_t size)
{
    const uint32_t round = nuttx_alignment_of(heap) - 1;
    if (size == 0 || size >= NUTTX_TOO_LARGE - NUTTX_SMALLEST) {
        return 0;
    }
    const uint32_t wanted = (size + NUTTX_OVERHEAD + round) & ~round;
    return wanted < NUTTX_SMALLEST ? NUTTX_SMALLEST : wanted;
}

/* The node that memalign asks for, 0: refused. *align, *size: the alignment and the node that stay. */
static inline uint32_t nuttx_padded_size(const hs_sim_t *heap, uint32_t *align, uint32_t *size)
{
    const uint32_t round = nuttx_alignment_of(heap) - 1;
    const uint32_t least =
        *size < NUTTX_SMALLEST - NUTTX_OVERHEAD ? NUTTX_SMALLEST - NUTTX_OVERHEAD : *size;
    const uint32_t wanted = (least + round) & ~round;
    if (nuttx_node_size(heap, *size) == 0 || *align <= round + 1) {
        *size = nuttx_node_size(heap, *size);
        return *size;
    }
    *align = *align < NUTTX_SMALLEST ? NUTTX_SMALLEST : *align;
    *size = nuttx_node_size(heap, *size);
    return *align >= NUTTX_TOO_LARGE / 4 ? 0 : nuttx_node_size(heap, wanted + 2 * *align);
}

uint32_t hs_nuttx_largest_free(const hs_sim_t *heap);
uint32_t hs_nuttx_largest_allocatable(hs_sim_t *heap);
bool hs_nuttx_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
void hs_nuttx_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_nuttx_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_nuttx_check(const hs_sim_t *heap, uint32_t *where);

#endif
