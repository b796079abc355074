/*
 * newlib's full malloc: Doug Lea's 2.6, best fit from 128 bins, and what lies behind the last chunk ("top").
 * Source: newlib 9dc06b7ea newlib/libc/stdlib/mallocr.c, the same from 3.3 on, in builds without
 * SMALL_MEMORY: pages of 4,096 bytes.
 *
 *     chunk + 0    size of the chunk below, where that is free; else the end of its payload
 *     chunk + 4    size with 4 bytes of the next chunk less 4, a multiple of 8; bit 0: the one below is used
 *     chunk + 8    payload; free: addresses of the next and the previous chunk of its bin, 0 at the ends
 *
 * The bins' heads, the map of blocks of four bins and the last remainder of a split, which no bin has, are
 * variables outside of the heap. The region is a fixed arena: sbrk fails, and changes nothing, where the break
 * would pass its end. Calls after the first one request whole pages, so that both ends of the arena modulo
 * the page matter. Top and what lies above the break are one free block here.
 */
#ifndef HEAPSCOPE_MODELS_NEWLIB_H
#define HEAPSCOPE_MODELS_NEWLIB_H

#include "bits.h"
#include "largest.h"
#include "region.h"

#define NEWLIB_SIZE UINT32_C(4)
#define NEWLIB_PAYLOAD UINT32_C(8)
#define NEWLIB_NEXT_FREE UINT32_C(8)
#define NEWLIB_PREVIOUS_FREE UINT32_C(12)
#define NEWLIB_BELOW_USED UINT32_C(1)
#define NEWLIB_OVERHEAD UINT32_C(4)
#define NEWLIB_SMALLEST UINT32_C(16)
#define NEWLIB_GRANULE UINT32_C(8)
#define NEWLIB_BINS 128u
#define NEWLIB_SMALL_LIMIT UINT32_C(512) /* from there on a bin has several sizes */
#define NEWLIB_PAGE UINT32_C(4096)
#define NEWLIB_TRIM UINT32_C(131072) /* of top, from which on pages go back */
#define NEWLIB_TOO_LARGE UINT32_C(0x80000000)

typedef struct newlib {
    hs_sim_t heap;
    uint32_t start;
    uint32_t top;
    uint32_t brk;
    uint32_t end;
    uint32_t map;         /* blocks of four bins that may hold chunks */
    uint32_t rest;        /* the last remainder, or HS_NONE */
    bool begun;           /* sbrk was called */
    hs_largest_t largest; /* of the free chunks newlib_below top */
    uint32_t first[NEWLIB_BINS], last[NEWLIB_BINS];
} newlib_t;

static inline newlib_t *newlib_of(hs_sim_t *heap)
{
    return (newlib_t *)heap;
}

static inline const newlib_t *newlib_of_const(const hs_sim_t *heap)
{
    return (const newlib_t *)heap;
}

static inline void newlib_put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static inline uint32_t newlib_link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

static inline void newlib_put_link(hs_sim_t *heap, uint32_t at, uint32_t chunk)
{
    newlib_put(heap, at, chunk == HS_NONE ? 0 : heap->base + chunk);
}

static inline uint32_t newlib_size_of(const hs_sim_t *heap, uint32_t chunk)
{
    return hs_region_get(heap, chunk + NEWLIB_SIZE) & ~(NEWLIB_GRANULE - 1);
}

static inline bool newlib_below_is_used(const hs_sim_t *heap, uint32_t chunk)
{
    return (hs_region_get(heap, chunk + NEWLIB_SIZE) & NEWLIB_BELOW_USED) != 0;
}

static inline uint32_t newlib_below(const hs_sim_t *heap, uint32_t chunk)
{
    return chunk - hs_region_get(heap, chunk);
}

/* Not for top, behind which nothing lies. */
static inline bool newlib_is_free(const newlib_t *newlib, uint32_t chunk)
{
    return !newlib_below_is_used(&newlib->heap, chunk + newlib_size_of(&newlib->heap, chunk));
}

/* A used chunk of that size; the word of the chunk newlib_below stays as it is. */
static inline void newlib_put_used(hs_sim_t *heap, uint32_t chunk, uint32_t size)
{
    newlib_put(heap, chunk + NEWLIB_SIZE,
               size | (hs_region_get(heap, chunk + NEWLIB_SIZE) & NEWLIB_BELOW_USED));
    newlib_put(heap, chunk + size + NEWLIB_SIZE,
               hs_region_get(heap, chunk + size + NEWLIB_SIZE) | NEWLIB_BELOW_USED);
}

/* A free chunk behind a used one. */
static inline void newlib_put_free(hs_sim_t *heap, uint32_t chunk, uint32_t size)
{
    newlib_put(heap, chunk + NEWLIB_SIZE, size | NEWLIB_BELOW_USED);
    newlib_put(heap, chunk + size, size);
    newlib_put(heap, chunk + size + NEWLIB_SIZE,
               hs_region_get(heap, chunk + size + NEWLIB_SIZE) & ~NEWLIB_BELOW_USED);
}

static inline uint32_t newlib_top_size(const newlib_t *newlib)
{
    return newlib->brk - newlib->top;
}

static inline void newlib_set_top(newlib_t *newlib, uint32_t top)
{
    newlib->top = top;
    newlib_put(&newlib->heap, top + NEWLIB_SIZE, newlib_top_size(newlib) | NEWLIB_BELOW_USED);
}

static inline uint32_t newlib_bin_of(uint32_t size)
{
    const uint32_t half = size >> 9;
    if (half == 0) {
        return size >> 3;
    }
    return half <= 4      ? 56 + (size >> 6)
           : half <= 20   ? 91 + half
           : half <= 84   ? 110 + (size >> 12)
           : half <= 340  ? 119 + (size >> 15)
           : half <= 1364 ? 124 + (size >> 18)
                          : 126;
}

static inline void newlib_count(newlib_t *newlib, uint32_t size)
{
    newlib->heap.tally.free += size - NEWLIB_OVERHEAD;
    newlib->heap.tally.free_blocks++;
    hs_largest_add(&newlib->largest, size);
}

/* The chunk that a request needs, 0: refused. */
static inline uint32_t newlib_chunk_size(uint32_t size)
{
    if (size == 0 || size >= NEWLIB_TOO_LARGE - NEWLIB_SMALLEST) {
        return 0;
    }
    return size + NEWLIB_OVERHEAD + NEWLIB_GRANULE - 1 < NEWLIB_SMALLEST + NEWLIB_GRANULE - 1
               ? NEWLIB_SMALLEST
               : (size + NEWLIB_OVERHEAD + NEWLIB_GRANULE - 1) & ~(NEWLIB_GRANULE - 1);
}

static inline uint32_t newlib_padded_size(uint32_t *align, uint32_t size)
{
    const uint32_t chunk = newlib_chunk_size(size);
    if (*align <= NEWLIB_GRANULE || chunk == 0) {
        return chunk;
    }
    *align = *align < NEWLIB_SMALLEST ? NEWLIB_SMALLEST : *align;
    return newlib_chunk_size(chunk + *align + NEWLIB_SMALLEST);
}

bool hs_newlib_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
uint32_t hs_newlib_largest_allocatable(hs_sim_t *heap);
uint32_t hs_newlib_end_payload(const newlib_t *newlib);
uint32_t hs_newlib_largest_free(const hs_sim_t *heap);
void hs_newlib_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_newlib_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_newlib_check(const hs_sim_t *heap, uint32_t *where);

#endif
