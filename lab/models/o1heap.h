/*
 * The fragments and bins of o1heap, for the files of that model only; the layout is drawn in
 * o1heap.c.
 */
#ifndef HEAPSCOPE_MODELS_O1HEAP_H
#define HEAPSCOPE_MODELS_O1HEAP_H

#include "bits.h"
#include "region.h"

#define O1HEAP_BINS UINT32_C(32)
#define O1HEAP_BITMAP_AT UINT32_C(128)
#define O1HEAP_CAPACITY_AT UINT32_C(136)
#define O1HEAP_ALLOCATED_AT UINT32_C(140)
#define O1HEAP_PEAK_ALLOCATED_AT UINT32_C(144)
#define O1HEAP_PEAK_REQUEST_AT UINT32_C(148)
#define O1HEAP_FAILURES_AT UINT32_C(152)
#define O1HEAP_FIRST UINT32_C(160)

#define O1HEAP_NEXT UINT32_C(0)
#define O1HEAP_PREVIOUS UINT32_C(4)
#define O1HEAP_SIZE UINT32_C(8)
#define O1HEAP_USED UINT32_C(12)
#define O1HEAP_NEXT_FREE UINT32_C(16)
#define O1HEAP_PREVIOUS_FREE UINT32_C(20)

#define O1HEAP_HEADER UINT32_C(16) /* the alignment too */
#define O1HEAP_FRAGMENT_MIN UINT32_C(32)
#define O1HEAP_CAPACITY_MAX UINT32_C(0x80000000)

static inline uint32_t o1heap_get(const hs_sim_t *heap, uint32_t fragment, uint32_t field)
{
    return hs_region_get(heap, fragment + field);
}

static inline void o1heap_set(hs_sim_t *heap, uint32_t fragment, uint32_t field, uint32_t value)
{
    hs_region_put(heap, fragment + field, value);
    heap->steps.writes++;
}

/* Links hold addresses and 0 for none: no fragment is at address 0. */
static inline uint32_t o1heap_link(const hs_sim_t *heap, uint32_t fragment, uint32_t field)
{
    uint32_t address = o1heap_get(heap, fragment, field);
    return address == 0 ? HS_NONE : address - heap->base;
}

static inline void o1heap_set_link(hs_sim_t *heap, uint32_t fragment, uint32_t field,
                                   uint32_t target)
{
    o1heap_set(heap, fragment, field, target == HS_NONE ? 0 : target + heap->base);
}

static inline bool o1heap_is_used(const hs_sim_t *heap, uint32_t fragment)
{
    return o1heap_get(heap, fragment, O1HEAP_USED) != 0;
}

/* Bytes of all fragments together. */
static inline uint32_t o1heap_capacity(const hs_sim_t *heap)
{
    uint32_t behind = heap->size - O1HEAP_FIRST;
    return (behind < O1HEAP_CAPACITY_MAX ? behind : O1HEAP_CAPACITY_MAX) &
           ~(O1HEAP_FRAGMENT_MIN - 1);
}

/* The bin of a fragment; its head is word number `bin` of the region. */
static inline uint32_t o1heap_bin(uint32_t size)
{
    return hs_bits_highest(size / O1HEAP_FRAGMENT_MIN);
}

/* The fragment that a request needs, 0 if it is refused. */
static inline uint32_t o1heap_fragment_for(const hs_sim_t *heap, uint32_t size)
{
    if (size == 0 || size > o1heap_capacity(heap) - O1HEAP_HEADER) {
        return 0;
    }
    return UINT32_C(2) << hs_bits_highest(size + O1HEAP_HEADER - 1);
}

/* Bins in use whose fragments are all of at least `wanted`. */
static inline uint32_t o1heap_bins_for(const hs_sim_t *heap, uint32_t wanted)
{
    return o1heap_get(heap, 0, O1HEAP_BITMAP_AT) & hs_bits_from(o1heap_bin(wanted));
}

/* Bytes of used fragments with their headers. */
static inline uint32_t o1heap_allocated(const hs_sim_t *heap)
{
    return heap->tally.used + O1HEAP_HEADER * heap->tally.used_blocks;
}

/* ---- o1heap_query.c: what reads a heap without changing it; as in struct hs_model ---------------- */

uint32_t hs_o1heap_usable(const hs_sim_t *heap, uint32_t offset);
uint32_t hs_o1heap_largest_free(const hs_sim_t *heap);
uint32_t hs_o1heap_largest_allocatable(hs_sim_t *heap);
bool hs_o1heap_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
void hs_o1heap_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_o1heap_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_o1heap_check(const hs_sim_t *heap, uint32_t *where);

#endif
