/*
 * o1heap 3: as o1heap, with a header of 8 bytes and a realloc in place.
 * Source: pavel-kirienko/o1heap o1heap.c and o1heap.h of version 3, in a 32-bit build.
 *
 *     +0      heads of 32 bins
 *     +128    bitmap of bins in use
 *     +136    diagnostics: capacity, allocated, peak of it, largest request, failures (64 bits)
 *     +160    fragments
 *
 *     +0      address of the physically next fragment, 0 at the end
 *     +4      address of the previous one, 0 at the start; bit 0: used
 *     +8      payload; in a free fragment the addresses of the next and the previous one of its bin
 */
#ifndef HEAPSCOPE_MODELS_O1HEAP_3_H
#define HEAPSCOPE_MODELS_O1HEAP_3_H

#include "bits.h"
#include "region.h"

#define O1HEAP_3_BINS 32u
#define O1HEAP_3_BITMAP UINT32_C(128)
#define O1HEAP_3_CAPACITY UINT32_C(136)
#define O1HEAP_3_ALLOCATED UINT32_C(140)
#define O1HEAP_3_PEAK UINT32_C(144)
#define O1HEAP_3_REQUEST UINT32_C(148)
#define O1HEAP_3_FAILURES UINT32_C(152)
#define O1HEAP_3_FIRST UINT32_C(160)
#define O1HEAP_3_NEXT UINT32_C(0)
#define O1HEAP_3_PREVIOUS UINT32_C(4)
#define O1HEAP_3_NEXT_FREE UINT32_C(8)
#define O1HEAP_3_PREVIOUS_FREE UINT32_C(12)
#define O1HEAP_3_IS_USED UINT32_C(1)
#define O1HEAP_3_HEADER UINT32_C(8) /* the alignment too */
#define O1HEAP_3_SMALLEST UINT32_C(16)
#define O1HEAP_3_CAPACITY_MOST UINT32_C(0x80000000)

static inline uint32_t o1heap_3_link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at) & ~O1HEAP_3_IS_USED;
    return word == 0 ? HS_NONE : word - heap->base;
}

static inline uint32_t o1heap_3_capacity_of(const hs_sim_t *heap)
{
    const uint32_t behind = heap->size - O1HEAP_3_FIRST;
    return (behind < O1HEAP_3_CAPACITY_MOST ? behind : O1HEAP_3_CAPACITY_MOST) &
           ~(O1HEAP_3_SMALLEST - 1);
}

static inline bool o1heap_3_is_used(const hs_sim_t *heap, uint32_t fragment)
{
    return (hs_region_get(heap, fragment + O1HEAP_3_PREVIOUS) & O1HEAP_3_IS_USED) != 0;
}

static inline uint32_t o1heap_3_end_of(const hs_sim_t *heap, uint32_t fragment)
{
    const uint32_t next = o1heap_3_link_at(heap, fragment + O1HEAP_3_NEXT);
    return next == HS_NONE ? O1HEAP_3_FIRST + o1heap_3_capacity_of(heap) : next;
}

static inline uint32_t o1heap_3_size_of(const hs_sim_t *heap, uint32_t fragment)
{
    return o1heap_3_end_of(heap, fragment) - fragment;
}

static inline uint32_t o1heap_3_bin_of(uint32_t size)
{
    return hs_bits_highest(size / O1HEAP_3_SMALLEST);
}

/* The fragment that a request needs, 0: refused. */
static inline uint32_t o1heap_3_fragment_for(const hs_sim_t *heap, uint32_t size)
{
    if (size == 0 || size > o1heap_3_capacity_of(heap) - O1HEAP_3_HEADER) {
        return 0;
    }
    const uint32_t fragment = UINT32_C(2) << hs_bits_highest(size + O1HEAP_3_HEADER - 1);
    return fragment < O1HEAP_3_SMALLEST ? O1HEAP_3_SMALLEST : fragment;
}

static inline uint32_t o1heap_3_bins_for(const hs_sim_t *heap, uint32_t wanted)
{
    return hs_region_get(heap, O1HEAP_3_BITMAP) & hs_bits_from(o1heap_3_bin_of(wanted));
}

static inline uint32_t o1heap_3_allocated_of(const hs_sim_t *heap)
{
    return heap->tally.used + O1HEAP_3_HEADER * heap->tally.used_blocks;
}

bool hs_o1heap_3_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
uint32_t hs_o1heap_3_largest_allocatable(hs_sim_t *heap);
uint32_t hs_o1heap_3_largest_free(const hs_sim_t *heap);
void hs_o1heap_3_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_o1heap_3_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_o1heap_3_check(const hs_sim_t *heap, uint32_t *where);

#endif
