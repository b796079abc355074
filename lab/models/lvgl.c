/*
 * LVGL's built-in heap: TLSF whose table is for LV_MEM_SIZE, rounded up to a power of two.
 * Source: lvgl master 2026-08 (9.5) src/stdlib/builtin/lv_tlsf.c and lv_mem_core_builtin.c, 32-bit builds.
 *
 * lv_mem_init() allocates 12 bytes for its list of pools, which count as control data here. A realloc to a
 * size that the table has no bin for fails and keeps the block. There is no aligned allocation.
 */
#include "list.h"
#include "tlsf.h"
#include "tlsf_fixed.h"

#define POOL_LIST UINT32_C(12)

/* The TLSF comes first, so that its functions take this. */
typedef struct lvgl {
    hs_tlsf_t tlsf;
    uint32_t pool_list;
} lvgl_t;

static lvgl_t *lvgl_of(hs_sim_t *heap)
{
    return (lvgl_t *)heap;
}

static const lvgl_t *lvgl_of_const(const hs_sim_t *heap)
{
    return (const lvgl_t *)heap;
}

static hs_status_t create(hs_sim_t *heap)
{
    lvgl_t *lvgl = lvgl_of(heap);
    const uint32_t levels = heap->size < 2 ? 1 : hs_bits_highest(heap->size - 1) + 1;
    if (levels < TLSF_FIXED_BINS_LOG2 + 5 || levels > 30) {
        return HS_ERR_MEMORY;
    }
    const hs_status_t status = tlsf_fixed_open(&lvgl->tlsf, 0, levels);
    if (status != HS_OK) {
        return status;
    }
    lvgl->pool_list = hs_tlsf_malloc(&lvgl->tlsf, POOL_LIST);
    if (lvgl->pool_list == HS_NONE) {
        return HS_ERR_MEMORY;
    }
    heap->tally.control += hs_tlsf_usable(&lvgl->tlsf, lvgl->pool_list);
    heap->tally.used = heap->tally.used_blocks = 0;
    return HS_OK;
}

/* ---- operations ------------------------------------------------------------------------------- */

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return hs_tlsf_malloc(&lvgl_of(heap)->tlsf, size);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_tlsf_free(&lvgl_of(heap)->tlsf, offset);
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    hs_tlsf_t *tlsf = &lvgl_of(heap)->tlsf;
    return size >> tlsf->fl_max != 0 ? HS_NONE : hs_tlsf_realloc(tlsf, offset, size);
}

/* ---- questions -------------------------------------------------------------------------------- */

static uint32_t usable(const hs_sim_t *heap, uint32_t offset)
{
    return hs_tlsf_usable(&lvgl_of_const(heap)->tlsf, offset);
}

static bool fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    (void)at;
    return hs_tlsf_fits(&lvgl_of_const(heap)->tlsf, align, size);
}

static uint32_t largest_allocatable(hs_sim_t *heap)
{
    return hs_tlsf_find_largest(&lvgl_of(heap)->tlsf);
}

static uint32_t largest_free(const hs_sim_t *heap)
{
    return hs_tlsf_largest_free(&lvgl_of_const(heap)->tlsf);
}

static void reported(const hs_sim_t *heap, hs_reported_t *out)
{
    out->free = heap->tally.free;
    out->minimum_free = heap->tally.minimum_free;
    out->largest_free = largest_free(heap);
    out->allocated = heap->tally.used + POOL_LIST;
}

/* A walk that shows all blocks but the list of pools. */
typedef struct shown {
    uint32_t hidden;
    hs_walk_fn visit;
    void *context;
} shown_t;

static bool show(void *context, const hs_walk_block_t *block)
{
    const shown_t *shown = context;
    return block->offset == shown->hidden || shown->visit(shown->context, block);
}

static void walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    shown_t shown = {lvgl_of_const(heap)->pool_list, visit, context};
    hs_tlsf_walk(&lvgl_of_const(heap)->tlsf, show, &shown);
}

static void walk_free(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tlsf_walk_free(&lvgl_of_const(heap)->tlsf, visit, context);
}

static hs_status_t check(const hs_sim_t *heap, uint32_t *where)
{
    hs_tlsf_t whole = lvgl_of_const(heap)->tlsf;
    whole.heap.tally.used += hs_tlsf_usable(&whole, lvgl_of_const(heap)->pool_list);
    whole.heap.tally.used_blocks++;
    return hs_tlsf_check(&whole, where);
}

const hs_model_t hs_model_lvgl = {
    .name = "lvgl",
    .title = "LVGL's built-in heap: TLSF, table for LV_MEM_SIZE",
    .state_size = sizeof(lvgl_t),
    .granule = 4,
    .has_realloc = true,
    .serves_up_to_largest = true,
    .undoes_malloc = true,
    .search = HS_SEARCH_ANY,
    .create = create,
    .malloc = model_malloc,
    .free = model_free,
    .realloc = model_realloc,
    .usable = usable,
    .fits = fits,
    .largest_allocatable = largest_allocatable,
    .largest_free = largest_free,
    .reported = reported,
    .walk = walk,
    .walk_free = walk_free,
    .check = check,
};
