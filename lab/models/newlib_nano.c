/*
 * newlib's small malloc ("nano"): one free list in address order, first fit, more from sbrk.
 * Source: newlib 9dc06b7ea newlib/libc/stdlib/nano-mallocr.c, and the releases 4.3.0, 4.1.0, 3.3.0.
 *
 *     chunk + 0    size with this word, a multiple of 4
 *     chunk + 4    free: address of the next free chunk
 *                  used: payload, if that is a multiple of 8; else the distance back to the chunk, below 0
 *     chunk + 8    used: payload in the second case; after memalign it may be that distance, too
 *
 * Every request pays for the distance, also where it is not needed.
 */
#include "list.h"
#include "sbrk_heap.h"

#define SMALLEST UINT32_C(12) /* of a chunk, and of a rest that becomes one */
#define ALIGNMENT UINT32_C(8)

typedef struct nano_build {
    hs_sbrk_build_t sbrk;
    bool gives_low;   /* a split hands out the lower part */
    bool moves_small; /* a realloc to half of the block or less moves */
} nano_build_t;

static const nano_build_t *build_of(const hs_sbrk_heap_t *nano)
{
    return nano->heap.model->build;
}

/* ---- chunks ----------------------------------------------------------------------------------- */

static uint32_t gap_of(const hs_sim_t *heap, uint32_t chunk, uint32_t align)
{
    return (0u - (heap->base + chunk + SBRK_HEADER)) & (align - 1);
}

static uint32_t payload_at(const hs_sim_t *heap, uint32_t chunk, uint32_t size)
{
    const uint32_t gap = gap_of(heap, chunk, ALIGNMENT);
    if (gap != 0) {
        return hs_region_get(heap, chunk + gap) == 0u - gap ? SBRK_HEADER + gap : 0;
    }
    const bool is_far = size > SMALLEST && hs_region_get(heap, chunk + 8) == 0u - 8;
    return is_far ? SBRK_HEADER + 8 : SBRK_HEADER;
}

static uint32_t chunk_of(const hs_sim_t *heap, uint32_t offset)
{
    const uint32_t word = hs_region_get(heap, offset - SBRK_HEADER);
    return offset - SBRK_HEADER + ((word & SBRK_TOO_LARGE) != 0 ? word : 0);
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    const uint32_t chunk = chunk_of(heap, offset);
    return hs_region_get(heap, chunk) - (offset - chunk);
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* A chunk out of that free one: `*size` bytes, or all if the rest were too small. */
static uint32_t cut(hs_sbrk_heap_t *nano, uint32_t at, uint32_t *size)
{
    hs_sim_t *heap = &nano->heap;
    const uint32_t chunk = ordered_chunk(heap, at);
    const uint32_t rest = ordered_size(heap, at) - *size;
    if (rest < SMALLEST) {
        *size += rest;
        ordered_remove(heap, &nano->list, at);
        return chunk;
    }
    const bool low = build_of(nano)->gives_low;
    ordered_change(heap, &nano->list, at, low ? chunk + *size : chunk, rest, 0);
    return low ? chunk : chunk + rest;
}

/* A chunk from above the break, or HS_NONE. */
static uint32_t extend(hs_sbrk_heap_t *nano, uint32_t size)
{
    hs_sim_t *heap = &nano->heap;
    const uint32_t last = sbrk_last(nano);
    uint32_t chunk = sbrk_up(nano, nano->brk);
    if (size > heap->size - chunk && last < ordered_count(heap)) {
        chunk = ordered_chunk(heap, last);
    }
    if (chunk > heap->size || size > heap->size - chunk) {
        return HS_NONE;
    }
    if (chunk < nano->brk) {
        ordered_remove(heap, &nano->list, last);
    }
    nano->brk = chunk + size;
    return chunk;
}

static uint32_t take(hs_sbrk_heap_t *nano, uint32_t *size)
{
    const uint32_t at = ordered_fit(&nano->heap, &nano->list, *size);
    return at < ordered_count(&nano->heap) ? cut(nano, at, size) : extend(nano, *size);
}

/* Makes a used chunk with `gap` bytes between its header and its payload. */
static uint32_t use(hs_sbrk_heap_t *nano, uint32_t chunk, uint32_t size, uint32_t gap)
{
    hs_sim_t *heap = &nano->heap;
    if (gap != 0) {
        hs_region_put(heap, chunk + gap, 0u - gap);
        heap->steps.writes++;
    } else if (size > SMALLEST) {
        /* A program's bytes: a walk must not take for a distance what was there before. */
        hs_region_put(heap, chunk + 8, 0);
    }
    return hs_sbrk_use(nano, chunk, size, chunk + SBRK_HEADER + gap);
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t wanted)
{
    hs_sbrk_heap_t *nano = sbrk_of(heap);
    uint32_t size = hs_sbrk_chunk_size(heap, wanted);
    const uint32_t chunk = size == 0 ? HS_NONE : take(nano, &size);
    return chunk == HS_NONE ? HS_NONE : use(nano, chunk, size, gap_of(heap, chunk, ALIGNMENT));
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_sbrk_heap_t *nano = sbrk_of(heap);
    const uint32_t chunk = chunk_of(heap, offset);
    hs_sbrk_unuse(nano, chunk, offset);
    ordered_insert(heap, &nano->list, chunk, hs_region_get(heap, chunk), 0);
    hs_sbrk_settle(nano);
}

/* Never in place to more than the block has. */
static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    const uint32_t old = model_usable(heap, offset);
    if (size <= old && (old / 2 < size || !build_of(sbrk_of(heap))->moves_small)) {
        return offset;
    }
    const uint32_t moved = model_malloc(heap, size);
    if (moved == HS_NONE) {
        return HS_NONE;
    }
    hs_region_note_low(heap);
    heap->steps.copied += old < size ? old : size;
    model_free(heap, offset);
    return moved;
}

/* ---- aligned allocation ----------------------------------------------------------------------- */

/* The chunk that memalign asks for, 0: refused. *align, *size: as it takes them. */
static uint32_t padded_size(const hs_sim_t *heap, uint32_t *align, uint32_t *size)
{
    *align = *align < ALIGNMENT ? ALIGNMENT : *align;
    if (*size >= SBRK_TOO_LARGE) {
        return 0;
    }
    *size = *size < 4 ? 4 : (*size + 3) & ~UINT32_C(3);
    return hs_sbrk_chunk_size(heap, *size + *align - ALIGNMENT);
}

/* The surplus in front and behind goes back, where it is enough for a chunk of its own. */
static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    hs_sbrk_heap_t *nano = sbrk_of(heap);
    uint32_t whole = padded_size(heap, &align, &size);
    uint32_t chunk = whole == 0 ? HS_NONE : take(nano, &whole);
    (void)at;
    if (chunk == HS_NONE) {
        return HS_NONE;
    }
    hs_sbrk_settle(nano);
    hs_region_note_low(heap);
    uint32_t end = chunk + whole;
    uint32_t gap = gap_of(heap, chunk, align);
    if (gap >= SMALLEST) {
        ordered_insert(heap, &nano->list, chunk, gap, 0);
        chunk += gap;
        gap = 0;
    }
    const uint32_t behind = chunk + SBRK_HEADER + gap + size;
    if (end > behind + SMALLEST) {
        ordered_insert(heap, &nano->list, behind, end - behind, 0);
        end = behind;
    }
    return use(nano, chunk, end - chunk, gap);
}

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted =
        align == 0 ? hs_sbrk_chunk_size(heap, size) : padded_size(heap, &align, &size);
    (void)at;
    return wanted != 0 && wanted <= hs_sbrk_largest_chunk(sbrk_of_const(heap));
}

#define BUILD(grows_last, gives_low, moves_small)                                                  \
    &(const nano_build_t){                                                                         \
        {4, 0, SMALLEST, ALIGNMENT, 0, grows_last, payload_at}, gives_low, moves_small}

#define SAME_IN_ALL_RELEASES                                                                       \
    .state_size = sizeof(hs_sbrk_heap_t), .granule = 4, .has_realloc = true, .has_aligned = true,  \
    .serves_up_to_largest = true, .create = hs_sbrk_create, .malloc = model_malloc,                \
    .free = model_free, .realloc = model_realloc, .aligned = model_aligned,                        \
    .usable = model_usable, .fits = model_fits,                                                    \
    .largest_allocatable = hs_sbrk_largest_allocatable, .largest_free = hs_sbrk_largest_free,      \
    .reported = hs_sbrk_reported, .walk = hs_sbrk_walk, .check = hs_sbrk_check

const hs_model_t hs_model_newlib_nano = {
    .name = "newlib-nano",
    .title = "newlib's small malloc, 4.4 and later: free list in address order, first fit",
    .build = BUILD(true, true, true),
    SAME_IN_ALL_RELEASES,
};

const hs_model_t hs_model_newlib_nano_4_3 = {
    .name = "newlib-nano-4.3",
    .title = "newlib's small malloc, 4.3: places as 4.4 does",
    .places_as = "newlib-nano",
    .build = BUILD(true, true, true),
    SAME_IN_ALL_RELEASES,
};

const hs_model_t hs_model_newlib_nano_4_1 = {
    .name = "newlib-nano-4.1",
    .title = "newlib's small malloc, 4.0 and 4.1: hands out the upper part of a free chunk",
    .build = BUILD(false, false, true),
    .keeps_places = true,
    SAME_IN_ALL_RELEASES,
};

const hs_model_t hs_model_newlib_nano_3_3 = {
    .name = "newlib-nano-3.3",
    .title = "newlib's small malloc, 3.3: as 4.1, but a realloc never moves a block that shrinks",
    .build = BUILD(false, false, false),
    .keeps_places = true,
    SAME_IN_ALL_RELEASES,
};
