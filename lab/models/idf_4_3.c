/*
 * ESP-IDF v4.3: TLSF with a table whose size is chosen when the firmware is built.
 * Source: ESP-IDF v4.3.2 components/heap/multi_heap.c, heap_tlsf.c and heap_tlsf_config.h.
 *
 *     +0   heap: lock, free bytes, minimum free bytes, size behind this structure, control
 *     +20  control (tlsf_fixed.h)
 *          pool
 *
 * Three builds: for a chip whose largest heap is 256 KB, for one with 4 MB of PSRAM (its heaps in
 * internal memory have the large table too), and ESP-IDF's own build for the host. But for where the
 * pool begins they are the same.
 */
#include "list.h"
#include "region.h"
#include "tlsf.h"
#include "tlsf_fixed.h"

#define FREE_AT UINT32_C(4)
#define MINIMUM_AT UINT32_C(8)
#define SIZE_AT UINT32_C(12)
#define CONTROL_LINK_AT UINT32_C(16)
#define CONTROL_AT UINT32_C(20)

#define LARGEST_CLASSES UINT32_C(32) /* into which a power of two is divided for the report */

static hs_tlsf_t *tlsf_of(hs_sim_t *heap)
{
    return (hs_tlsf_t *)heap;
}

static const hs_tlsf_t *tlsf_of_const(const hs_sim_t *heap)
{
    return (const hs_tlsf_t *)heap;
}

/* ---- the version's own counters ------------------------------------------------------------------
 * Its count of free bytes begins with the whole pool and knows no headers: neither those of the
 * blocks nor the two words at the pool's ends are ever taken off. */

static uint32_t counted_free(const hs_sim_t *heap)
{
    return tlsf_of_const(heap)->pool_size - heap->tally.used;
}

static void count(hs_sim_t *heap)
{
    hs_region_put(heap, FREE_AT, counted_free(heap));
}

/* The minimum is looked at after what may take memory, and misses the moment of a realloc at which
 * both blocks exist. */
static uint32_t counted(hs_sim_t *heap, uint32_t result)
{
    if (result != HS_NONE) {
        count(heap);
        if (counted_free(heap) < hs_region_get(heap, MINIMUM_AT)) {
            hs_region_put(heap, MINIMUM_AT, counted_free(heap));
        }
    }
    return result;
}

/* ---- creation --------------------------------------------------------------------------------- */

static hs_status_t create(hs_sim_t *heap, uint32_t fl_max)
{
    hs_tlsf_t *tlsf = tlsf_of(heap);
    hs_status_t status = tlsf_fixed_open(tlsf, CONTROL_AT, fl_max);
    tlsf->leads_any = true;
    if (status != HS_OK) {
        return status;
    }
    hs_region_put(heap, SIZE_AT, heap->size - CONTROL_AT);
    hs_region_put_link(heap, CONTROL_LINK_AT, CONTROL_AT);
    hs_region_put(heap, MINIMUM_AT, tlsf->pool_size);
    count(heap);
    return HS_OK;
}

static hs_status_t create_256k(hs_sim_t *heap)
{
    return create(heap, 18);
}

static hs_status_t create_4m(hs_sim_t *heap)
{
    return create(heap, 22);
}

static hs_status_t create_host(hs_sim_t *heap)
{
    return create(heap, 30);
}

/* ---- operations ------------------------------------------------------------------------------- */

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return counted(heap, hs_tlsf_malloc(tlsf_of(heap), size));
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_tlsf_free(tlsf_of(heap), offset);
    count(heap);
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    return counted(heap, hs_tlsf_realloc(tlsf_of(heap), offset, size));
}

/* With poisoning, an alignment that is none still moves the block by 16 bytes, for which nobody has
 * looked: a block that is too short for that ends behind its end. Refused here. */
static bool is_short(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    return align <= 4 && at != 0 && hs_tlsf_is_short(tlsf_of_const(heap), size, at);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    if (is_short(heap, align, size, at)) {
        return HS_NONE;
    }
    return counted(heap, hs_tlsf_aligned(tlsf_of(heap), align, size, at));
}

/* ---- questions -------------------------------------------------------------------------------- */

static uint32_t usable(const hs_sim_t *heap, uint32_t offset)
{
    return hs_tlsf_usable(tlsf_of_const(heap), offset);
}

static bool fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    bool is_aligned = align != 0;
    return hs_tlsf_fits(tlsf_of_const(heap), align, size) &&
           !(is_aligned && is_short(heap, align, size, at));
}

static uint32_t largest_allocatable(hs_sim_t *heap)
{
    return hs_tlsf_find_largest(tlsf_of(heap));
}

static uint32_t largest_free(const hs_sim_t *heap)
{
    return hs_tlsf_largest_free(tlsf_of_const(heap));
}

/* Its interface rounds the largest block down to a 32nd of the power of two below it. From 32 bytes
 * that is the floor of the block's bin; below, the 32nd is 0 and so is the answer. */
static void reported(const hs_sim_t *heap, hs_reported_t *out)
{
    uint32_t floor = hs_tlsf_largest_allocatable(tlsf_of_const(heap));
    out->free = counted_free(heap);
    out->minimum_free = hs_region_get(heap, MINIMUM_AT);
    out->largest_free = floor < LARGEST_CLASSES ? 0 : floor;
    out->allocated = heap->tally.used;
}

static void walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    hs_tlsf_walk(tlsf_of_const(heap), visit, context);
}

static hs_status_t check(const hs_sim_t *heap, uint32_t *where)
{
    const uint32_t expected[][2] = {
        {FREE_AT, counted_free(heap)},
        {SIZE_AT, heap->size - CONTROL_AT},
        {CONTROL_LINK_AT, CONTROL_AT + heap->base},
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
    return hs_tlsf_check(tlsf_of_const(heap), where);
}

/* All but name, title and create. */
#define SAME_IN_ALL_BUILDS                                                                         \
    .state_size = sizeof(hs_tlsf_t), .granule = 4, .poisonable = true,                             \
    .tracking = HS_TRACKING_IN_POISON, .has_realloc = true, .has_aligned = true,                   \
    .serves_up_to_largest = true, .aligned_is_own = false, .malloc = model_malloc,                 \
    .free = model_free, .realloc = model_realloc, .aligned = model_aligned,                        \
    .aligned_free = model_free, .usable = usable, .aligned_usable = usable, .fits = fits,          \
    .largest_allocatable = largest_allocatable, .largest_free = largest_free,                      \
    .reported = reported, .walk = walk, .check = check

const hs_model_t hs_model_idf_4_3_2 = {
    .name = "idf-4.3.2",
    .title = "ESP-IDF v4.3: TLSF, table for heaps to 256 KB",
    .create = create_256k,
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_idf_4_3_2_psram = {
    .name = "idf-4.3.2-psram",
    .title = "ESP-IDF v4.3: TLSF, table for heaps to 4 MB",
    .create = create_4m,
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_idf_4_3_2_host = {
    .name = "idf-4.3.2-host",
    .title = "ESP-IDF v4.3: TLSF as in its host build",
    .create = create_host,
    SAME_IN_ALL_BUILDS,
};
