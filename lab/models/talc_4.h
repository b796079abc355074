/*
 * talc 4: gaps in 64 bins, a tag behind each used chunk.
 * Source: crate talc 4.4.3, Talck with ErrOnOom or ClaimOnOom and one claimed region, in 32-bit builds.
 *
 *     base         a tag, heads of 64 bins
 *     +260         a tag; chunks, all at multiples of 4
 *
 *     used chunk   at most 8 bytes, payload; then the tag: the chunk's address, bit 0: used; bit 1: what follows
 *                  is a gap. Where the chunk is longer, the tag is its last word, and its address comes first
 *     gap + 0      address of the next one of its bin, 0 at the end
 *     gap + 4      of what leads to it, a head or a gap
 *     gap + 8      size, which is in its last word, too
 *
 * Nothing lies in front of a used block, as Rust says its size again when it frees it. heap->index->by_place has
 * the gaps, by_size the payloads of the used chunks and their requested sizes.
 */
#ifndef HEAPSCOPE_MODELS_TALC_4_H
#define HEAPSCOPE_MODELS_TALC_4_H

#include "bits.h"
#include "region.h"
#include "runs.h"

#define TALC_BINS 64u
#define TALC_CONTROL UINT32_C(264)
#define TALC_TAG UINT32_C(4)
#define TALC_SMALLEST UINT32_C(12)
#define TALC_IS_USED UINT32_C(1)
#define TALC_GAP_ABOVE UINT32_C(2)
#define TALC_LINK UINT32_C(4)
#define TALC_SIZE UINT32_C(8)
#define TALC_ROUND UINT32_C(3)
#define TALC_TOO_LARGE UINT32_C(0x80000000)

typedef struct talc {
    hs_sim_t heap;
    uint32_t base;
    uint32_t end;
    hs_runs_t gaps;
} talc_t;

static inline talc_t *talc_of(hs_sim_t *heap)
{
    return (talc_t *)heap;
}

static inline const talc_t *talc_of_const(const hs_sim_t *heap)
{
    return (const talc_t *)heap;
}

static inline hs_order_t *talc_used_of(const hs_sim_t *heap)
{
    return &heap->index->by_size;
}

static inline uint32_t talc_link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

static inline uint32_t talc_bin_of(uint32_t size)
{
    if (size < 64) {
        return (size - TALC_SMALLEST) / 4;
    }
    if (size < 128) {
        return size / 8 + 5;
    }
    const uint32_t high = hs_bits_highest(size);
    const uint32_t bin = 2 * (high - 7) + (size >> (high - 1)) + 19;
    return bin < TALC_BINS ? bin : TALC_BINS - 1;
}

static inline uint32_t talc_head_of(const talc_t *talc, uint32_t bin)
{
    return talc->base + TALC_TAG + 4 * bin;
}

static inline uint32_t talc_gap_size(const hs_sim_t *heap, uint32_t gap)
{
    return hs_region_get(heap, gap + TALC_SIZE);
}

static inline uint32_t talc_up(uint32_t at)
{
    return (at + TALC_ROUND) & ~TALC_ROUND;
}

/* Where the first word behind a payload of that size is. */
static inline uint32_t talc_behind(const hs_sim_t *heap, uint32_t payload, uint32_t size)
{
    return talc_up(heap->base + payload + size) - heap->base;
}

/* Where the tag of a used chunk is. */
static inline uint32_t talc_tag_of(const hs_sim_t *heap, uint32_t payload, uint32_t size)
{
    const uint32_t at = talc_behind(heap, payload, size);
    const uint32_t word = hs_region_get(heap, at);
    return (word & TALC_IS_USED) != 0 ? at : word - heap->base;
}

static inline uint32_t talc_alignment_of(const hs_sim_t *heap)
{
    return *(const uint32_t *)heap->model->build;
}

static inline uint32_t talc_start_in(const hs_sim_t *heap, uint32_t gap, uint32_t align)
{
    return gap + ((0u - (heap->base + gap)) & (align - 1));
}

static inline bool talc_serves(const hs_sim_t *heap, uint32_t gap, uint32_t align, uint32_t size)
{
    const uint32_t has = talc_gap_size(heap, gap);
    if (align <= TALC_ROUND + 1) {
        return has >= (size <= 8 ? TALC_SMALLEST : talc_up(size + TALC_TAG));
    }
    const uint32_t start = talc_start_in(heap, gap, align);
    return start >= gap && start - gap < has && size + TALC_TAG <= has - (start - gap);
}

/* Bins from that of the size on, each from its head. Bound: visits each gap once. */
static inline uint32_t talc_find(const talc_t *talc, uint32_t align, uint32_t size, uint64_t *nodes)
{
    const hs_sim_t *heap = &talc->heap;
    if (size == 0 || size >= TALC_TOO_LARGE - TALC_SMALLEST) {
        return HS_NONE;
    }
    for (uint32_t bin = talc_bin_of(size <= 8 ? TALC_SMALLEST : talc_up(size + TALC_TAG));
         bin < TALC_BINS; bin++) {
        for (uint32_t gap = talc_link_at(heap, talc_head_of(talc, bin)); gap != HS_NONE;
             gap = talc_link_at(heap, gap)) {
            ++*nodes;
            if (talc_serves(heap, gap, align, size)) {
                return gap;
            }
        }
    }
    return HS_NONE;
}

bool hs_talc_4_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
uint32_t hs_talc_4_largest_free(const hs_sim_t *heap);
uint32_t hs_talc_4_largest_allocatable(hs_sim_t *heap);
void hs_talc_4_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_talc_4_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_talc_4_check(const hs_sim_t *heap, uint32_t *where);

#endif
