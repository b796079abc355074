/*
 * RT-Thread's slab: runs of pages, and zones of 8 pages (in regions of 64 MB and more: 16, 32), each of chunks of
 * one size.
 * Source: RT-Thread 4.1.1 src/slab.c, in 32-bit builds, RT_MM_PAGE_SIZE 4096.
 *
 *     free run + 0     address of the next free run, 0 in the last one
 *     free run + 4     its pages
 *     zone + 0         0x51AB51AB; all bits set: a zone without chunks, kept for the next one
 *     zone + 4         free chunks
 *     zone + 8         chunks
 *     zone + 12        address of the next zone with free chunks of this size, or of the next one kept; 0 at the end
 *     zone + 16        address of the first chunk
 *     zone + 20        number of the highest chunk that was ever used
 *     zone + 24        bytes of a chunk
 *     zone + 28        number of this size
 *     zone + 32        address of the chunk that was freed last, 0: none
 *     free chunk + 0   address of the one that was freed before it, 0 at the end
 *
 * A table with a word for each page begins the pages: 1 and 4 times the page's number in its zone, or 2 and 4
 * times the pages of a block. The object in front of the pages is in variables here; its bytes count as
 * control. heap->index->by_place has the free runs.
 */
#ifndef HEAPSCOPE_MODELS_SLAB_H
#define HEAPSCOPE_MODELS_SLAB_H

#include "bits.h"
#include "region.h"
#include "runs.h"

#define SLAB_OBJECT UINT32_C(364)
#define SLAB_OBJECT_ROUND UINT32_C(3)
#define SLAB_PAGE_BITS 12u
#define SLAB_PAGE (UINT32_C(1) << SLAB_PAGE_BITS)
#define SLAB_ROUND (SLAB_PAGE - 1)
#define SLAB_ZONE_MIN UINT32_C(32768)
#define SLAB_ZONE_MAX UINT32_C(131072)
#define SLAB_LIMIT_MAX UINT32_C(16384)
#define SLAB_SIZES 72u
#define SLAB_SIZE_WORDS ((SLAB_SIZES + 31) / 32)
#define SLAB_CHUNKS (SLAB_ZONE_MAX / 8)

#define SLAB_KIND UINT32_C(3)
#define SLAB_IN_ZONE UINT32_C(1)
#define SLAB_OF_BLOCK UINT32_C(2)
#define SLAB_COUNT_BITS 2u

#define SLAB_RUN_PAGES UINT32_C(4)

#define SLAB_MAGIC UINT32_C(0x51AB51AB)
#define SLAB_KEPT UINT32_C(0xFFFFFFFF)
#define SLAB_KEPT_MAX 2u
#define SLAB_FREE UINT32_C(4)
#define SLAB_ALL UINT32_C(8)
#define SLAB_NEXT UINT32_C(12)
#define SLAB_FIRST UINT32_C(16)
#define SLAB_HIGHEST UINT32_C(20)
#define SLAB_CHUNK UINT32_C(24)
#define SLAB_NUMBER UINT32_C(28)
#define SLAB_FREED UINT32_C(32)
#define SLAB_HEADER UINT32_C(36)

typedef struct slab {
    hs_sim_t heap;
    uint32_t start; /* the first page, where the table is */
    uint32_t end;
    uint32_t zone_size;
    uint32_t limit; /* a request of so many bytes takes whole pages */
    uint32_t zones[SLAB_SIZES];
    uint32_t sizes[SLAB_SIZE_WORDS]; /* a bit: some zone of this size has a free chunk */
    uint32_t kept;                   /* the zone that is taken next */
    uint32_t kept_count;
    uint32_t used; /* as it reports */
    uint32_t most;
    hs_runs_t runs;
} slab_t;

static inline slab_t *slab_of(hs_sim_t *heap)
{
    return (slab_t *)heap;
}

static inline const slab_t *slab_of_const(const hs_sim_t *heap)
{
    return (const slab_t *)heap;
}

/* Where an address at that place leads; HS_NONE: nowhere. */
static inline uint32_t slab_link(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

/* The table's word about the page of that place. */
static inline uint32_t slab_page_word(const slab_t *slab, uint32_t place)
{
    return slab->start + 4 * ((place - slab->start) >> SLAB_PAGE_BITS);
}

/* The page's first byte. */
static inline uint32_t slab_page_of(const slab_t *slab, uint32_t place)
{
    return place - ((place - slab->start) & SLAB_ROUND);
}

/* The zone of a chunk, HS_NONE: a block of whole pages. */
static inline uint32_t slab_zone_of(const slab_t *slab, uint32_t place)
{
    const uint32_t word = hs_region_get(&slab->heap, slab_page_word(slab, place));
    return (word & SLAB_KIND) != SLAB_IN_ZONE
               ? HS_NONE
               : slab_page_of(slab, place) - ((word >> SLAB_COUNT_BITS) << SLAB_PAGE_BITS);
}

/* Bytes of the chunk that a request below the limit takes, and the number of its size. */
static inline uint32_t slab_chunk_size(uint32_t size, uint32_t *number)
{
    const uint32_t bits = size < 128 ? 3 : hs_bits_highest(size) - 3;
    const uint32_t chunk = (size + (UINT32_C(1) << bits) - 1) >> bits << bits;
    *number = (chunk >> bits) + (bits == 3 ? 0 : 8 * (bits - 3)) - 1;
    return chunk;
}

/* Where the chunks of a zone begin: so far behind its header that chunks of a power of two are aligned. */
static inline uint32_t slab_chunks_at(uint32_t chunk)
{
    const uint32_t round = (chunk & (chunk - 1)) == 0 ? chunk - 1 : 7;
    return (SLAB_HEADER + round) & ~round;
}

uint32_t hs_slab_largest_free(const hs_sim_t *heap);
uint32_t hs_slab_largest_allocatable(hs_sim_t *heap);
bool hs_slab_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
void hs_slab_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_slab_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_slab_check(const hs_sim_t *heap, uint32_t *where);

#endif
