/*
 * ESP-IDF v5.5: TLSF whose number of bins follows the region's size.
 * Source: ESP-IDF v5.5.5 components/heap/multi_heap.c and its tlsf submodule.
 *
 *     +0   heap: lock, free bytes, minimum free bytes, size R behind this structure, control
 *     +20  control: null block (16), counts of bins (bit fields), size of control, bitmap of first
 *          levels, addresses of the two tables
 *     +56  bitmaps of second levels, one word each
 *          heads of bins, one word each
 *          pool
 */
#include "bits.h"
#include "list.h"
#include "region.h"
#include "tlsf.h"

#define FREE_AT UINT32_C(4)
#define MINIMUM_AT UINT32_C(8)
#define SIZE_AT UINT32_C(12)
#define CONTROL_LINK_AT UINT32_C(16)
#define CONTROL_AT UINT32_C(20)
#define FIELDS_AT (CONTROL_AT + 16)
#define CONTROL_SIZE_AT (CONTROL_AT + 20)
#define FL_BITMAP_AT (CONTROL_AT + 24)
#define SL_LINK_AT (CONTROL_AT + 28)
#define HEADS_LINK_AT (CONTROL_AT + 32)
#define CONTROL_FIXED UINT32_C(36)

/* Beyond it 2^FLMAX would not be a 32-bit number. */
#define SIZE_MAX_INSIDE UINT32_C(0x7FFFFFFF)

static hs_tlsf_t *tlsf_of(hs_sim_t *heap)
{
    return (hs_tlsf_t *)heap;
}

static const hs_tlsf_t *tlsf_of_const(const hs_sim_t *heap)
{
    return (const hs_tlsf_t *)heap;
}

/* ---- the version's own counters ------------------------------------------------------------------
 * Its count of free bytes begins with the whole pool, its first header, sentinel and rounding
 * included, and goes down by 4 for the header of each used block, never for those of free ones. */

static uint32_t counted_free(const hs_sim_t *heap)
{
    return tlsf_of_const(heap)->pool_size - heap->tally.used - 4 * heap->tally.used_blocks;
}

static void count(hs_sim_t *heap)
{
    uint32_t free_bytes = counted_free(heap);
    hs_region_put(heap, FREE_AT, free_bytes);
    if (free_bytes < hs_region_get(heap, MINIMUM_AT)) {
        hs_region_put(heap, MINIMUM_AT, free_bytes);
    }
}

/* Inner steps of an operation are not counted: the minimum misses the moment of a realloc at which
 * both blocks exist. */
static uint32_t counted(hs_sim_t *heap, uint32_t result)
{
    if (result != HS_NONE) {
        count(heap);
    }
    return result;
}

/* ---- creation --------------------------------------------------------------------------------- */

static uint32_t bins_log2_for(uint32_t inside)
{
    if (inside <= 16384) {
        return 3;
    }
    return inside <= 262144 ? 4 : 5;
}

static void place(hs_tlsf_t *tlsf, uint32_t inside)
{
    tlsf->fl_max = hs_bits_highest(inside) + 1;
    tlsf->bins_log2 = bins_log2_for(inside);
    tlsf->keeps_rounding = true;
    tlsf->null_block = CONTROL_AT;
    tlsf->fl_bitmap = FL_BITMAP_AT;
    tlsf->sl_bitmaps = CONTROL_AT + CONTROL_FIXED;
}

/* Bit fields from bit 0: count of first levels 5, their shift 3, FLMAX 6, bins per level 6, its
 * log2 3, the first size that is not small 8. */
static uint32_t fields(const hs_tlsf_t *tlsf)
{
    uint32_t sl_count = UINT32_C(1) << tlsf->bins_log2;
    return tlsf->fl_count | (tlsf->bins_log2 + 2) << 5 | tlsf->fl_max << 8 | sl_count << 14 |
           tlsf->bins_log2 << 20 | tlsf->small << 23;
}

static void write_structures(hs_tlsf_t *tlsf, uint32_t inside, uint32_t control)
{
    hs_sim_t *heap = &tlsf->heap;
    hs_region_put(heap, SIZE_AT, inside);
    hs_region_put_link(heap, CONTROL_LINK_AT, CONTROL_AT);
    hs_region_put(heap, FIELDS_AT, fields(tlsf));
    hs_region_put(heap, CONTROL_SIZE_AT, control);
    hs_region_put_link(heap, SL_LINK_AT, tlsf->sl_bitmaps);
    hs_region_put_link(heap, HEADS_LINK_AT, tlsf->heads);
}

static hs_status_t create(hs_sim_t *heap)
{
    hs_tlsf_t *tlsf = tlsf_of(heap);
    if (heap->base % 4 != 0 || heap->size < CONTROL_AT + CONTROL_FIXED) {
        return HS_ERR_MEMORY;
    }
    uint32_t inside = heap->size - CONTROL_AT;
    if (inside > SIZE_MAX_INSIDE) {
        return HS_ERR_MEMORY;
    }
    place(tlsf, inside);
    uint32_t fl_count = hs_tlsf_fl_count(tlsf->fl_max, tlsf->bins_log2);
    uint32_t control = CONTROL_FIXED + 4 * fl_count + (4 * fl_count << tlsf->bins_log2);
    if (inside < control) {
        return HS_ERR_MEMORY;
    }
    tlsf->heads = tlsf->sl_bitmaps + 4 * fl_count;
    tlsf->pool = CONTROL_AT + control;
    tlsf->pool_size = inside - control;
    hs_status_t status = hs_tlsf_open(tlsf);
    if (status != HS_OK) {
        return status;
    }
    write_structures(tlsf, inside, control);
    heap->tally.control = CONTROL_AT + control;
    hs_region_put(heap, MINIMUM_AT, tlsf->pool_size);
    count(heap);
    return HS_OK;
}

/* ---- operations ------------------------------------------------------------------------------- */

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return counted(heap, hs_tlsf_malloc(tlsf_of(heap), size));
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_tlsf_free(tlsf_of(heap), offset);
    hs_region_put(heap, FREE_AT, counted_free(heap)); /* no new minimum */
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    return counted(heap, hs_tlsf_realloc(tlsf_of(heap), offset, size));
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    return counted(heap, hs_tlsf_aligned(tlsf_of(heap), align, size, at));
}

/* ---- questions -------------------------------------------------------------------------------- */

static uint32_t usable(const hs_sim_t *heap, uint32_t offset)
{
    return hs_tlsf_usable(tlsf_of_const(heap), offset);
}

static bool fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    (void)at; /* moves the block inside what the search has room for */
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
    const hs_tlsf_t *tlsf = tlsf_of_const(heap);
    out->free = counted_free(heap);
    out->minimum_free = hs_region_get(heap, MINIMUM_AT);
    /* Its interface names the floor of the bin of the largest block. */
    out->largest_free = hs_tlsf_largest_allocatable(tlsf);
    out->allocated = tlsf->pool_size - out->free - 4 * heap->tally.used_blocks;
}

static void walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tlsf_walk(tlsf_of_const(heap), visit, context);
}

static hs_status_t check(const hs_sim_t *heap, uint32_t *where)
{
    const hs_tlsf_t *tlsf = tlsf_of_const(heap);
    const uint32_t expected[][2] = {
        {FREE_AT, counted_free(heap)},
        {SIZE_AT, heap->size - CONTROL_AT},
        {CONTROL_LINK_AT, CONTROL_AT + heap->base},
        {FIELDS_AT, fields(tlsf)},
        {CONTROL_SIZE_AT, tlsf->pool - CONTROL_AT},
        {SL_LINK_AT, tlsf->sl_bitmaps + heap->base},
        {HEADS_LINK_AT, tlsf->heads + heap->base},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        if (hs_region_get(heap, expected[i][0]) != expected[i][1]) {
            *where = expected[i][0];
            return HS_ERR_CORRUPT;
        }
    }
    if (hs_region_get(heap, MINIMUM_AT) > counted_free(heap)) {
        *where = MINIMUM_AT;
        return HS_ERR_CORRUPT;
    }
    return hs_tlsf_check(tlsf, where);
}

const hs_model_t hs_model_idf_5_5 = {
    .name = "idf-5.5",
    .title = "ESP-IDF v5.5: TLSF with bins by region size",
    .state_size = sizeof(hs_tlsf_t),
    .granule = 4,
    .poisonable = true,
    .tracking = HS_TRACKING_IN_FRONT,
    .has_realloc = true,
    .has_aligned = true,
    .serves_up_to_largest = true,
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
    .check = check,
};
