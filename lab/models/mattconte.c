/*
 * mattconte/tlsf: TLSF with a table for heaps to 1 GB at the start of the region.
 * Source: mattconte/tlsf deff9ab tlsf.c, in a 32-bit build.
 *
 *     +0   control (tlsf_fixed.h), 3188 bytes
 *          pool
 *
 * It counts nothing and has no queries but a walk: what is reported is what a program would add up
 * in that walk, the minimum what it would have found had it walked at every moment.
 */
#include "list.h"
#include "tlsf.h"
#include "tlsf_fixed.h"

#define FL_MAX UINT32_C(30)

static hs_tlsf_t *tlsf_of(hs_sim_t *heap)
{
    return (hs_tlsf_t *)heap;
}

static const hs_tlsf_t *tlsf_of_const(const hs_sim_t *heap)
{
    return (const hs_tlsf_t *)heap;
}

static hs_status_t create(hs_sim_t *heap)
{
    return tlsf_fixed_open(tlsf_of(heap), 0, FL_MAX);
}

/* ---- operations ------------------------------------------------------------------------------- */

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return hs_tlsf_malloc(tlsf_of(heap), size);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_tlsf_free(tlsf_of(heap), offset);
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    return hs_tlsf_realloc(tlsf_of(heap), offset, size);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    (void)at; /* tlsf_memalign() aligns the block's start and nothing else */
    return hs_tlsf_aligned(tlsf_of(heap), align, size, 0);
}

/* ---- questions -------------------------------------------------------------------------------- */

static uint32_t usable(const hs_sim_t *heap, uint32_t offset)
{
    return hs_tlsf_usable(tlsf_of_const(heap), offset);
}

static bool fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    (void)at;
    return hs_tlsf_fits(tlsf_of_const(heap), align, size);
}

static uint32_t largest_allocatable(hs_sim_t *heap)
{
    return hs_tlsf_find_largest(tlsf_of(heap));
}

static uint32_t largest_free(const hs_sim_t *heap)
{
    return hs_tlsf_largest_free(tlsf_of_const(heap));
}

static void reported(const hs_sim_t *heap, hs_reported_t *out)
{
    out->free = heap->tally.free;
    out->minimum_free = heap->tally.minimum_free;
    out->largest_free = largest_free(heap);
    out->allocated = heap->tally.used;
}

static void walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tlsf_walk(tlsf_of_const(heap), visit, context);
}

static void walk_free(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tlsf_walk_free(tlsf_of_const(heap), visit, context);
}

static hs_status_t check(const hs_sim_t *heap, uint32_t *where)
{
    return hs_tlsf_check(tlsf_of_const(heap), where);
}

const hs_model_t hs_model_mattconte = {
    .name = "tlsf",
    .title = "mattconte/tlsf: TLSF, table for heaps to 1 GB",
    .state_size = sizeof(hs_tlsf_t),
    .granule = 4,
    .poisonable = false,
    .has_realloc = true,
    .has_aligned = true,
    .serves_up_to_largest = true,
    .undoes_malloc = true,
    .search = HS_SEARCH_ANY,
    .aligned_is_own = false,
    .create = create,
    .malloc = model_malloc,
    .free = model_free,
    .realloc = model_realloc,
    .aligned = model_aligned,
    .aligned_free = model_free,
    .usable = usable,
    .aligned_usable = usable,
    .fits = fits,
    .largest_allocatable = largest_allocatable,
    .largest_free = largest_free,
    .reported = reported,
    .walk = walk,
    .walk_free = walk_free,
    .likeness = hs_tlsf_likeness,
    .check = check,
};
