#include "rlsf.h"

#include "list.h"

/* ---- blocks ----------------------------------------------------------------------------------- */

/* ---- lists ------------------------------------------------------------------------------------ */

static void list_remove(rlsf_t *rlsf, uint32_t block)
{
    hs_sim_t *heap = &rlsf->heap;
    const uint32_t size = rlsf_size_of(heap, block);
    const place_t place = rlsf_floor_of(size);
    const uint32_t next = rlsf_link_at(heap, block + RLSF_NEXT_FREE);
    const uint32_t previous = rlsf_link_at(heap, block + RLSF_PREVIOUS_FREE);
    if (next != HS_NONE) {
        rlsf_put_link(heap, next + RLSF_PREVIOUS_FREE, previous);
    }
    if (previous != HS_NONE) {
        rlsf_put_link(heap, previous + RLSF_NEXT_FREE, next);
    } else {
        rlsf->heads[place.first][place.second] = next;
        heap->steps.writes++;
        if (next == HS_NONE) {
            rlsf->second_bits[place.first] &= ~(UINT32_C(1) << place.second);
            rlsf->first_bits &=
                ~((rlsf->second_bits[place.first] == 0 ? UINT32_C(1) : 0) << place.first);
            heap->steps.writes += 2;
        }
    }
    heap->tally.free -= size - RLSF_HEADER;
    heap->tally.free_blocks--;
}

/* ---- malloc and free -------------------------------------------------------------------------- */

static uint32_t allocate(rlsf_t *rlsf, uint32_t align, uint32_t size)
{
    hs_sim_t *heap = &rlsf->heap;
    const uint32_t wanted = rlsf_searched(align, size);
    place_t place = {RLSF_FIRST_LEVELS, 0};
    if (wanted != 0) {
        place = rlsf_ceiling_of(wanted);
    }
    heap->steps.bins += 2;
    if (!rlsf_list_from(rlsf, &place)) {
        return HS_NONE;
    }
    const uint32_t block = rlsf->heads[place.first][place.second];
    const uint32_t front = align > RLSF_HEADER ? align : RLSF_HEADER;
    const uint32_t payload =
        ((heap->base + block + RLSF_HEADER + front - 1) & ~(front - 1)) - heap->base;
    heap->steps.nodes++;
    list_remove(rlsf, block);
    rlsf_use(rlsf, block, rlsf_up(payload - block + size));
    if (align >= RLSF_GRANULE) {
        rlsf_put_link(heap, payload - 4, block);
        const bool has_room = hs_order_add(&heap->index->by_place, hs_index_key(block, payload));
        HS_ASSERT(has_room); /* host memory ends */
        (void)has_room;
    }
    heap->tally.used += block + rlsf_size_of(heap, block) - payload;
    heap->tally.used_blocks++;
    return payload;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return allocate(rlsf_of(heap), 4, size);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    (void)at;
    return allocate(rlsf_of(heap), align, size);
}

/* Frees a block that is in no tally. */
static void release(rlsf_t *rlsf, uint32_t block)
{
    hs_sim_t *heap = &rlsf->heap;
    uint32_t size = rlsf_size_of(heap, block);
    const uint32_t previous = rlsf_link_at(heap, block + RLSF_PREVIOUS);
    if (rlsf_is_free(heap, block + size)) {
        list_remove(rlsf, block + size);
        size += rlsf_size_of(heap, block + size);
    }
    if (previous != HS_NONE && rlsf_is_free(heap, previous)) {
        list_remove(rlsf, previous);
        size += rlsf_size_of(heap, previous);
        block = previous;
    }
    rlsf_put_size(heap, block, size, 0);
    rlsf_list_add(rlsf, block, size);
}

/* The block of a payload: the word before it leads to it, or, without an alignment, to the one before. */
static uint32_t aligned_block(const hs_sim_t *heap, uint32_t offset)
{
    const uint32_t block = rlsf_link_at(heap, offset - 4);
    const bool is_own =
        block != HS_NONE && block < offset && block + rlsf_size_of(heap, block) > offset;
    return is_own ? block : offset - RLSF_HEADER;
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return rlsf_usable(heap, offset - RLSF_HEADER, offset);
}

static uint32_t aligned_usable(const hs_sim_t *heap, uint32_t offset)
{
    return rlsf_usable(heap, aligned_block(heap, offset), offset);
}

static void give(hs_sim_t *heap, uint32_t block, uint32_t offset)
{
    heap->tally.used -= rlsf_usable(heap, block, offset);
    heap->tally.used_blocks--;
    release(rlsf_of(heap), block);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    give(heap, offset - RLSF_HEADER, offset);
}

static void aligned_free(hs_sim_t *heap, uint32_t offset)
{
    const uint32_t block = aligned_block(heap, offset);
    if (block != offset - RLSF_HEADER) {
        hs_order_remove(&heap->index->by_place, hs_index_key(block, offset));
    }
    give(heap, block, offset);
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* The block that is made of this one and of free neighbours, for `size`; HS_NONE: there is no room. */
static uint32_t widen(rlsf_t *rlsf, uint32_t block, uint32_t size)
{
    hs_sim_t *heap = &rlsf->heap;
    const uint32_t next = block + rlsf_size_of(heap, block);
    const uint32_t previous = rlsf_link_at(heap, block + RLSF_PREVIOUS);
    uint32_t whole =
        rlsf_size_of(heap, block) + (rlsf_is_free(heap, next) ? rlsf_size_of(heap, next) : 0);
    if (whole < size) {
        if (previous == HS_NONE || !rlsf_is_free(heap, previous) ||
            whole + rlsf_size_of(heap, previous) < size) {
            return HS_NONE;
        }
        heap->steps.copied += rlsf_size_of(heap, block) - RLSF_HEADER;
        list_remove(rlsf, previous);
        whole += rlsf_size_of(heap, previous);
        block = previous;
    }
    if (rlsf_is_free(heap, next)) {
        list_remove(rlsf, next);
    }
    rlsf_put_size(heap, block, whole, 0);
    return block;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t wanted)
{
    rlsf_t *rlsf = rlsf_of(heap);
    uint32_t block = offset - RLSF_HEADER;
    const uint32_t old = rlsf_size_of(heap, block);
    if (wanted >= RLSF_TOO_LARGE - RLSF_GRANULE - RLSF_HEADER) {
        return HS_NONE;
    }
    const uint32_t size = rlsf_up(RLSF_HEADER + wanted);
    if (size < old) {
        rlsf_put_size(heap, block, size, RLSF_USED);
        rlsf_put_size(heap, block + size, old - size, RLSF_USED);
        heap->tally.used -= old - size;
        release(rlsf, block + size);
        return offset;
    }
    if (size > old) {
        block = widen(rlsf, block, size);
        if (block == HS_NONE) {
            const uint32_t moved = model_malloc(heap, wanted);
            if (moved != HS_NONE) {
                hs_region_note_low(heap);
                heap->steps.copied += old - RLSF_HEADER;
                model_free(heap, offset);
            }
            return moved;
        }
        rlsf_use(rlsf, block, size);
        heap->tally.used += size - old;
    }
    return block + RLSF_HEADER;
}

static hs_status_t model_create(hs_sim_t *heap)
{
    rlsf_t *rlsf = rlsf_of(heap);
    const uint32_t start = (0u - heap->base) & (RLSF_GRANULE - 1);
    if (heap->base + start == 0 || heap->size < start + 2 * RLSF_GRANULE) {
        return HS_ERR_MEMORY; /* Rust knows no block at address 0 */
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    heap->around.front = heap->around.owner = rlsf_build_of(heap)->front;
    rlsf->start = start;
    rlsf->last = start + ((heap->size - start) & ~(RLSF_GRANULE - 1)) - RLSF_GRANULE;
    memset(rlsf->heads, 0xFF, sizeof rlsf->heads);
    rlsf_put_size(heap, start, rlsf->last - start, 0);
    rlsf_put_link(heap, start + RLSF_PREVIOUS, HS_NONE);
    rlsf_put(heap, rlsf->last, RLSF_GRANULE | RLSF_USED | RLSF_LAST);
    rlsf_list_add(rlsf, start, rlsf->last - start);
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_ALL_BUILDS                                                                         \
    .state_size = sizeof(rlsf_t), .granule = 4, .has_aligned = true, .aligned_is_own = true,       \
    .serves_up_to_largest = true, .undoes_malloc = true, .create = model_create,                   \
    .malloc = model_malloc, .free = model_free, .realloc = model_realloc,                          \
    .aligned = model_aligned, .aligned_free = aligned_free, .usable = model_usable,                \
    .aligned_usable = aligned_usable, .fits = hs_rlsf_fits,                                        \
    .largest_allocatable = hs_rlsf_largest_allocatable, .largest_free = hs_rlsf_largest_free,      \
    .reported = hs_rlsf_reported, .walk = hs_rlsf_walk, .check = hs_rlsf_check

const hs_model_t hs_model_rlsf = {
    .name = "rlsf",
    .title = "Rust's rlsf: two-level segregated fit with a granule of 16",
    .has_realloc = true,
    .build = &(const rlsf_build_t){true, false, 0},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_embedded_alloc_tlsf = {
    .name = "embedded-alloc-tlsf",
    .title = "TlsfHeap of embedded-alloc: rlsf whose realloc always moves",
    .build = &(const rlsf_build_t){false, true, 0},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_esp_alloc_tlsf = {
    .name = "esp-alloc-tlsf",
    .title = "esp-alloc with TLSF and one region: rlsf whose realloc always moves",
    .places_as = "embedded-alloc-tlsf",
    .build = &(const rlsf_build_t){false, false, 0},
    SAME_IN_ALL_BUILDS,
};

const hs_model_t hs_model_esp_alloc_malloc_tlsf = {
    .name = "esp-alloc-malloc-tlsf",
    .title = "esp-alloc's malloc for C with TLSF: a word in front of each block",
    .build = &(const rlsf_build_t){false, false, 4},
    SAME_IN_ALL_BUILDS,
};
