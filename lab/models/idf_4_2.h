/*
 * The heap and the blocks of ESP-IDF v4.2, for the files of that model only; the layout is drawn in
 * idf_4_2.c.
 */
#ifndef HEAPSCOPE_MODELS_IDF_4_2_H
#define HEAPSCOPE_MODELS_IDF_4_2_H

#include "bits.h"
#include "region.h"

#define LIST_FREE_AT UINT32_C(4)
#define LIST_MINIMUM_AT UINT32_C(8)
#define LIST_LAST_AT UINT32_C(12)
#define LIST_DUMMY_AT UINT32_C(16)
#define LIST_CONTROL UINT32_C(24)
#define LIST_REGION_MIN UINT32_C(40) /* control, the last block, and one block */

#define LIST_NEXT_FREE UINT32_C(4)
#define LIST_OVERHEAD UINT32_C(4)
#define LIST_BLOCK_MIN UINT32_C(8)
#define LIST_IS_FREE UINT32_C(1)

/* All positions are offsets from the region's start. */
typedef struct hs_list_heap {
    hs_sim_t heap;
    uint32_t start; /* of the heap structure: the region's start rounded up to an address */
    uint32_t dummy;
    uint32_t last;
    /* The largest size in the free list, kept so that largest_allocatable need not walk. If it is
     * not exact it is an upper bound: the block of that size was taken. */
    uint32_t largest;
    bool largest_is_exact;
} hs_list_heap_t;

static inline hs_list_heap_t *list_of(hs_sim_t *heap)
{
    return (hs_list_heap_t *)heap;
}

static inline const hs_list_heap_t *list_of_const(const hs_sim_t *heap)
{
    return (const hs_list_heap_t *)heap;
}

static inline bool list_is_free(const hs_list_heap_t *list, uint32_t block)
{
    return (hs_region_get(&list->heap, block) & LIST_IS_FREE) != 0;
}

/* The physically next block; not for the last one. */
static inline uint32_t list_next(const hs_list_heap_t *list, uint32_t block)
{
    return hs_bits_down4(hs_region_get(&list->heap, block)) - list->heap.base;
}

/* Not for the last block. */
static inline uint32_t list_size(const hs_list_heap_t *list, uint32_t block)
{
    return list_next(list, block) - block - LIST_OVERHEAD;
}

static inline void list_set_header(hs_list_heap_t *list, uint32_t block, uint32_t next,
                                   uint32_t flag)
{
    hs_region_put(&list->heap, block, (next + list->heap.base) | flag);
}

/* The next block in the free list; not for the last one. */
static inline uint32_t list_next_free(const hs_list_heap_t *list, uint32_t block)
{
    return hs_region_get_link(&list->heap, block + LIST_NEXT_FREE);
}

static inline void list_set_next_free(hs_list_heap_t *list, uint32_t block, uint32_t next)
{
    hs_region_put_link(&list->heap, block + LIST_NEXT_FREE, next);
}

/* ---- idf_4_2_query.c: what reads a heap without changing it; as in struct hs_model -------------- */

uint32_t hs_list_largest_free(const hs_sim_t *heap);
uint32_t hs_list_largest_allocatable(hs_sim_t *heap);
bool hs_list_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at);
void hs_list_reported(const hs_sim_t *heap, hs_reported_t *out);
void hs_list_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context);
hs_status_t hs_list_check(const hs_sim_t *heap, uint32_t *where);

/* The raw request behind an aligned one, 0 if the sum leaves 32 bits. The real one does not see
 * that, gets a small block and writes its distance word outside of it. */
uint32_t hs_list_aligned_request(uint32_t align, uint32_t size);

#endif
