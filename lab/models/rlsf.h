/*
 * rlsf: two-level segregated fit with 32 lists in each of 28 powers of two.
 * Source: crate rlsf 0.2.3 src/tlsf.rs in 32-bit builds, FLLEN = SLLEN = 32; embedded-alloc 0.7.0 and
 * esp-alloc 0.11.0 use it without its realloc, so that theirs always takes a new block.
 *
 *     block + 0    size, a multiple of 16; bit 0: used; bit 1: the last block, of 16 bytes
 *     block + 4    address of the physically previous block; 0 in the first one
 *     block + 8    payload; free: address of the next one of its list, 0 at the end
 *     block + 12   free: of the previous one, 0 at the front
 *
 * An alignment of 16 or more puts the block's address into the word before the payload. The table of lists
 * (4,228 bytes) is a variable outside of the heap. heap->index->by_place has the blocks with such a word, and
 * where their payloads are, for walks: others may hold anything there.
 */
#ifndef HEAPSCOPE_MODELS_RLSF_H
#define HEAPSCOPE_MODELS_RLSF_H

#include "bits.h"
#include "free_index.h"
#include "region.h"

#define RLSF_GRANULE UINT32_C(16)
#define RLSF_HEADER UINT32_C(8)
#define RLSF_PREVIOUS UINT32_C(4)
#define RLSF_NEXT_FREE UINT32_C(8)
#define RLSF_PREVIOUS_FREE UINT32_C(12)
#define RLSF_USED UINT32_C(1)
#define RLSF_LAST UINT32_C(2)
#define RLSF_FIRST_LEVELS 28u
#define RLSF_SECOND_LEVELS 32u
#define RLSF_TOO_LARGE UINT32_C(0x80000000)

typedef struct rlsf_build {
    bool reallocates; /* in place where it can */
    bool reports;     /* free() and used() of embedded-alloc */
    uint32_t front;   /* bytes of esp-alloc's malloc for C, for the size */
} rlsf_build_t;

typedef struct rlsf {
    hs_sim_t heap;
    uint32_t start;
    uint32_t last; /* the block that ends the pool */
    uint32_t first_bits;
    uint32_t second_bits[RLSF_FIRST_LEVELS];
    uint32_t heads[RLSF_FIRST_LEVELS][RLSF_SECOND_LEVELS];
} rlsf_t;

typedef struct place {
    uint32_t first, second;
} place_t;

static inline rlsf_t *rlsf_of(hs_sim_t *heap)
{
    return (rlsf_t *)heap;
}

static inline const rlsf_t *rlsf_of_const(const hs_sim_t *heap)
{
    return (const rlsf_t *)heap;
}

static inline const rlsf_build_t *rlsf_build_of(const hs_sim_t *heap)
{
    return heap->model->build;
}

static inline uint32_t rlsf_up(uint32_t size)
{
    return (size + RLSF_GRANULE - 1) & ~(RLSF_GRANULE - 1);
}

static inline uint32_t rlsf_size_of(const hs_sim_t *heap, uint32_t block)
{
    return hs_region_get(heap, block) & ~(RLSF_GRANULE - 1);
}

static inline bool rlsf_is_free(const hs_sim_t *heap, uint32_t block)
{
    return (hs_region_get(heap, block) & RLSF_USED) == 0;
}

static inline void rlsf_put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

/* Links hold addresses and 0 for none. */
static inline uint32_t rlsf_link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

static inline void rlsf_put_link(hs_sim_t *heap, uint32_t at, uint32_t block)
{
    rlsf_put(heap, at, block == HS_NONE ? 0 : heap->base + block);
}

static inline void rlsf_put_size(hs_sim_t *heap, uint32_t block, uint32_t size, uint32_t bits)
{
    rlsf_put(heap, block, size | bits);
    rlsf_put_link(heap, block + size + RLSF_PREVIOUS, block);
}

/* The list of a block of that size. */
static inline place_t rlsf_floor_of(uint32_t size)
{
    const uint32_t high = hs_bits_highest(size);
    const uint32_t second = high < 5 ? size << (5 - high) : size >> (high - 5);
    return (place_t){high - 4, second & (RLSF_SECOND_LEVELS - 1)};
}

/* The first list of which every block has that size. */
static inline place_t rlsf_ceiling_of(uint32_t size)
{
    const uint32_t high = hs_bits_highest(size);
    place_t place = rlsf_floor_of(size);
    if (high > 5 && (size & ((UINT32_C(1) << (high - 5)) - 1)) != 0 &&
        ++place.second == RLSF_SECOND_LEVELS) {
        place = (place_t){place.first + 1, 0};
    }
    return place;
}

static inline void rlsf_list_add(rlsf_t *rlsf, uint32_t block, uint32_t size)
{
    const place_t place = rlsf_floor_of(size);
    uint32_t *head = &rlsf->heads[place.first][place.second];
    rlsf_put_link(&rlsf->heap, block + RLSF_NEXT_FREE, *head);
    rlsf_put_link(&rlsf->heap, block + RLSF_PREVIOUS_FREE, HS_NONE);
    if (*head != HS_NONE) {
        rlsf_put_link(&rlsf->heap, *head + RLSF_PREVIOUS_FREE, block);
    }
    *head = block;
    rlsf->first_bits |= UINT32_C(1) << place.first;
    rlsf->second_bits[place.first] |= UINT32_C(1) << place.second;
    rlsf->heap.steps.writes += 3;
    rlsf->heap.tally.free += size - RLSF_HEADER;
    rlsf->heap.tally.free_blocks++;
}

/* The first list in rlsf_use from there on; false: none. */
static inline bool rlsf_list_from(const rlsf_t *rlsf, place_t *place)
{
    if (place->first >= RLSF_FIRST_LEVELS) {
        return false;
    }
    uint32_t second = rlsf->second_bits[place->first] & hs_bits_from(place->second);
    if (second == 0) {
        const uint32_t first = rlsf->first_bits & (hs_bits_from(place->first) << 1);
        if (first == 0) {
            return false;
        }
        place->first = hs_bits_lowest(first);
        second = rlsf->second_bits[place->first];
    }
    place->second = hs_bits_lowest(second);
    return true;
}

/* Bytes for which a request searches, 0: refused. */
static inline uint32_t rlsf_searched(uint32_t align, uint32_t size)
{
    const uint32_t over = align > RLSF_HEADER ? align : RLSF_HEADER;
    return size == 0 || size >= RLSF_TOO_LARGE - over - RLSF_GRANULE ? 0 : rlsf_up(size + over);
}

/* A block, free and in no list, is used rlsf_up to `size`; the rest is free again. */
static inline void rlsf_use(rlsf_t *rlsf, uint32_t block, uint32_t size)
{
    hs_sim_t *heap = &rlsf->heap;
    const uint32_t rest = rlsf_size_of(heap, block) - size;
    if (rest != 0) {
        rlsf_put_size(heap, block + size, rest, 0);
        rlsf_list_add(rlsf, block + size, rest);
    }
    rlsf_put_size(heap, block, size, RLSF_USED);
}

static inline uint32_t rlsf_usable(const hs_sim_t *heap, uint32_t block, uint32_t offset)
{
    return block + rlsf_size_of(heap, block) - offset;
}

bool hs_rlsf_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
uint32_t hs_rlsf_largest_allocatable(hs_sim_t *heap);
uint32_t hs_rlsf_largest_free(const hs_sim_t *heap);
void hs_rlsf_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_rlsf_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_rlsf_check(const hs_sim_t *heap, uint32_t *where);

#endif
