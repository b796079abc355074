/*
 * TLSF in every release of ESP-IDF since v4.3.
 * Source: components/heap/multi_heap.c, heap_tlsf.c and the tlsf submodule of the release tags v4.3 to
 * v6.1-beta1.
 *
 *     +0   heap: lock, free bytes, minimum free bytes, size R behind this structure, control
 *     +20  control
 *          pool
 *
 * Up to v5.0.0 the control structure is fixed when the firmware is built, the same for each of its
 * heaps (tlsf_fixed.h). Since v4.3.5, v4.4.4 and v5.0.1 it follows the region's size:
 *
 *     +20  null block (16), counts of bins (bit fields), size of control, bitmap of first levels,
 *          addresses of the two tables
 *     +56  bitmaps of second levels, one word each
 *          heads of bins, one word each
 *
 * All else in which releases differ is a row of rules_t; the builds stand at the end of this file.
 */
#include "bits.h"
#include "idf_inline.h"
#include "list.h"
#include "load.h"
#include "region.h"
#include "tlsf_fixed.h"

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

/* How a build reports its largest free block. */
typedef enum largest {
    LARGEST_POWER, /* the power of two below it */
    LARGEST_CLASS, /* the floor of its bin; 0 if that is less than the number of bins of a level */
    LARGEST_FLOOR  /* the floor of its bin */
} largest_t;

/* The rules in which builds differ. */
typedef struct rules {
    uint32_t fl_max;     /* of a fixed control structure; 0: it follows the region's size */
    bool keeps_rounding; /* malloc keeps the size to which the search rounded */
    bool leads_any;      /* aligned() leaves a gap for the poison whatever the alignment */
    bool counts_headers; /* the count of free bytes goes down by 4 for each used block */
    largest_t largest;
} rules_t;

static const rules_t *rules_of(const hs_sim_t *heap)
{
    return heap->model->build;
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
    tlsf->null_block = CONTROL_AT;
    tlsf->fl_bitmap = FL_BITMAP_AT;
    tlsf->sl_bitmaps = CONTROL_AT + CONTROL_FIXED;
    tlsf->is_sized = tlsf->null_block == HS_TLSF_SIZED_NULL &&
                     tlsf->fl_bitmap == HS_TLSF_SIZED_FL_BITMAP &&
                     tlsf->sl_bitmaps == HS_TLSF_SIZED_SL_BITMAPS;
}

/* Bit fields from bit 0: count of first levels 5, their shift 3, FLMAX 6, bins per level 6, its
 * log2 3, the first size that is not small 8. */
static uint32_t fields(const hs_tlsf_t *tlsf)
{
    uint32_t sl_count = UINT32_C(1) << tlsf->bins_log2;
    return tlsf->fl_count | (tlsf->bins_log2 + 2) << 5 | tlsf->fl_max << 8 | sl_count << 14 |
           tlsf->bins_log2 << 20 | tlsf->small << 23;
}

static hs_status_t open_sized(hs_tlsf_t *tlsf)
{
    hs_sim_t *heap = &tlsf->heap;
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
    hs_region_put(heap, FIELDS_AT, fields(tlsf));
    hs_region_put(heap, CONTROL_SIZE_AT, control);
    hs_region_put_link(heap, SL_LINK_AT, tlsf->sl_bitmaps);
    hs_region_put_link(heap, HEADS_LINK_AT, tlsf->heads);
    heap->tally.control = CONTROL_AT + control;
    return HS_OK;
}

static hs_status_t create(hs_sim_t *heap)
{
    hs_tlsf_t *tlsf = idf_tlsf_of(heap);
    const rules_t *rules = rules_of(heap);
    tlsf->keeps_rounding = rules->keeps_rounding;
    tlsf->leads_any = rules->leads_any;
    tlsf->counted_header = rules->counts_headers ? 4 : 0;
    hs_status_t status =
        rules->fl_max == 0 ? open_sized(tlsf) : tlsf_fixed_open(tlsf, CONTROL_AT, rules->fl_max);
    if (status != HS_OK) {
        return status;
    }
    hs_region_put(heap, SIZE_AT, heap->size - CONTROL_AT);
    hs_region_put_link(heap, CONTROL_LINK_AT, CONTROL_AT);
    hs_region_put(heap, IDF_MINIMUM_AT, tlsf->pool_size);
    idf_count(heap);
    return HS_OK;
}

/* ---- operations ------------------------------------------------------------------------------- */

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return idf_counted(heap, hs_tlsf_malloc(idf_tlsf_of(heap), size));
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_tlsf_free(idf_tlsf_of(heap), offset);
    idf_count(heap); /* no new minimum */
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    return idf_counted(heap, hs_tlsf_realloc(idf_tlsf_of(heap), offset, size));
}

/* Up to v4.3.2 a poisoned block of an invalid alignment still moves by 16 bytes, for which
 * nobody has looked: a block that is too short for that ends behind its end. Refused here. */
static bool is_short(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    return rules_of(heap)->leads_any && align <= 4 && at != 0 &&
           hs_tlsf_is_short(idf_tlsf_of_const(heap), size, at);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    if (is_short(heap, align, size, at)) {
        return HS_NONE;
    }
    return idf_counted(heap, hs_tlsf_aligned(idf_tlsf_of(heap), align, size, at));
}

uint32_t hs_idf_inline(const hs_sim_t *heap)
{
    const hs_tlsf_t *tlsf = idf_tlsf_of_const(heap);
    const bool built = heap->model->malloc == model_malloc && hs_sim_overhead(heap) == 0 &&
                       tlsf->is_sized && tlsf->counted_header == IDF_INLINE_HEADER;
    return built ? tlsf->bins_log2 : 0;
}

/* ---- questions -------------------------------------------------------------------------------- */

static uint32_t usable(const hs_sim_t *heap, uint32_t offset)
{
    return hs_tlsf_usable(idf_tlsf_of_const(heap), offset);
}

static bool fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    bool is_aligned = align != 0;
    return hs_tlsf_fits(idf_tlsf_of_const(heap), align, size) &&
           !(is_aligned && is_short(heap, align, size, at));
}

static uint32_t largest_allocatable(hs_sim_t *heap)
{
    return hs_tlsf_find_largest(idf_tlsf_of(heap));
}

static uint32_t largest_free(const hs_sim_t *heap)
{
    return hs_tlsf_largest_free(idf_tlsf_of_const(heap));
}

/* A bin lies between two powers of two, so its floor tells the power below its blocks. */
static uint32_t reported_largest(const hs_tlsf_t *tlsf, largest_t rule)
{
    const uint32_t floor = hs_tlsf_largest_allocatable(tlsf);
    switch (rule) {
    case LARGEST_POWER:
        return floor == 0 ? 0 : UINT32_C(1) << hs_bits_highest(floor);
    case LARGEST_CLASS:
        return floor >> tlsf->bins_log2 == 0 ? 0 : floor;
    default:
        return floor;
    }
}

static void reported(const hs_sim_t *heap, hs_reported_t *out)
{
    out->free = idf_counted_free(heap);
    out->minimum_free = hs_region_get(heap, IDF_MINIMUM_AT);
    out->largest_free = reported_largest(idf_tlsf_of_const(heap), rules_of(heap)->largest);
    out->allocated = heap->tally.used;
}

static void walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tlsf_walk(idf_tlsf_of_const(heap), visit, context);
}

static void walk_free(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tlsf_walk_free(idf_tlsf_of_const(heap), visit, context);
}

static hs_status_t check(const hs_sim_t *heap, uint32_t *where)
{
    const hs_tlsf_t *tlsf = idf_tlsf_of_const(heap);
    /* Those that every build has, and those of a control structure by size. */
    const uint32_t expected[][2] = {
        {IDF_FREE_AT, idf_counted_free(heap)},      {SIZE_AT, heap->size - CONTROL_AT},
        {CONTROL_LINK_AT, CONTROL_AT + heap->base}, {FIELDS_AT, fields(tlsf)},
        {CONTROL_SIZE_AT, tlsf->pool - CONTROL_AT}, {SL_LINK_AT, tlsf->sl_bitmaps + heap->base},
        {HEADS_LINK_AT, tlsf->heads + heap->base},
    };
    const size_t words = rules_of(heap)->fl_max == 0 ? sizeof expected / sizeof expected[0] : 3;
    for (size_t i = 0; i < words; i++) {
        if (hs_region_get(heap, expected[i][0]) != expected[i][1]) {
            *where = expected[i][0];
            return HS_ERR_CORRUPT;
        }
    }
    if (hs_region_get(heap, IDF_MINIMUM_AT) > idf_counted_free(heap)) {
        *where = IDF_MINIMUM_AT;
        return HS_ERR_CORRUPT;
    }
    return hs_tlsf_check(tlsf, where);
}

/* ---- the builds ------------------------------------------------------------------------------- */

/* A model and its rules_t: fl_max, keeps_rounding, leads_any, counts_headers, largest. */
#define BUILD(object, build_name, words, as, keeps_task, ...)                                      \
    static const rules_t rules_of_##object = {__VA_ARGS__};                                        \
    const hs_model_t hs_model_idf_##object = {                                                     \
        .name = build_name,                                                                        \
        .title = words,                                                                            \
        .build = &rules_of_##object,                                                               \
        .places_as = as,                                                                           \
        .state_size = sizeof(hs_tlsf_t),                                                           \
        .granule = 4,                                                                              \
        .poisonable = true,                                                                        \
        .tracking = keeps_task,                                                                    \
        .has_realloc = true,                                                                       \
        .has_aligned = true,                                                                       \
        .serves_up_to_largest = true,                                                              \
        .undoes_malloc = true,                                                                     \
        .search = HS_SEARCH_ANY,                                                                   \
        .aligned_is_own = false,                                                                   \
        .create = create,                                                                          \
        .malloc = model_malloc,                                                                    \
        .free = model_free,                                                                        \
        .realloc = model_realloc,                                                                  \
        .aligned = model_aligned,                                                                  \
        .aligned_free = model_free,                                                                \
        .usable = usable,                                                                          \
        .aligned_usable = usable,                                                                  \
        .fits = fits,                                                                              \
        .largest_allocatable = largest_allocatable,                                                \
        .largest_free = largest_free,                                                              \
        .reported = reported,                                                                      \
        .walk = walk,                                                                              \
        .walk_free = walk_free,                                                                    \
        .likeness = hs_tlsf_likeness,                                                              \
        .forget_low = hs_idf_forget_low,                                                           \
        .check = check,                                                                            \
    };

#define FIXED(object, end, release, limit, most, ...)                                              \
    BUILD(object, "idf-" release end, "ESP-IDF v" release ": TLSF, table for heaps to " limit,     \
          "idf-4.3.2" end, HS_TRACKING_IN_POISON, most, false, __VA_ARGS__)

/* A release up to v5.0.0 for each of the tables that its chips have. */
#define TABLES(object, release, ...)                                                               \
    FIXED(object, "", release, "256 KB", 18, __VA_ARGS__)                                          \
    FIXED(object##_fl19, "-fl19", release, "512 KB", 19, __VA_ARGS__)                              \
    FIXED(object##_psram, "-psram", release, "4 MB", 22, __VA_ARGS__)                              \
    FIXED(object##_fl24, "-fl24", release, "16 MB", 24, __VA_ARGS__)

TABLES(4_3_0, "4.3.0", true, false, LARGEST_POWER)
TABLES(4_3_2, "4.3.2", true, false, LARGEST_CLASS)
TABLES(4_4_0, "4.4.0", false, false, LARGEST_CLASS)
TABLES(4_4_2, "4.4.2", false, true, LARGEST_CLASS)

BUILD(4_3_2_host, "idf-4.3.2-host", "ESP-IDF v4.3.2: TLSF as in its host build", NULL,
      HS_TRACKING_IN_POISON, 30, false, true, false, LARGEST_CLASS)
BUILD(4_4_2_fl25, "idf-4.4.2-fl25", "ESP-IDF v5.0.0: TLSF, table for heaps to 32 MB", NULL,
      HS_TRACKING_IN_POISON, 25, false, false, true, LARGEST_CLASS)
BUILD(5_1, "idf-5.1", "ESP-IDF v5.1: TLSF with bins by region size, blocks as asked for", NULL,
      HS_TRACKING_IN_POISON, 0, false, false, true, LARGEST_CLASS)
BUILD(5_2, "idf-5.2", "ESP-IDF v5.2: as v5.1, with a block's task in front of it", "idf-5.1",
      HS_TRACKING_IN_FRONT, 0, false, false, true, LARGEST_CLASS)
BUILD(5_3, "idf-5.3", "ESP-IDF v5.3: as v5.2, with the largest block as it is", "idf-5.1",
      HS_TRACKING_IN_FRONT, 0, false, false, true, LARGEST_FLOOR)
BUILD(5_5, "idf-5.5", "ESP-IDF v5.5: TLSF with bins by region size, blocks as searched for", NULL,
      HS_TRACKING_LISTED, 0, true, false, true, LARGEST_FLOOR)
