/*
 * picolibc's malloc: newlib's small one, rewritten: one free list in address order, first fit, more from
 * sbrk. Source: picolibc 1.8.12 (ef62ce7bd5), 1.8.11, 1.8 newlib/libc/stdlib/malloc-*.c. The alignment is
 * that of max_align_t: 8 on Arm and Xtensa, 16 on RISC-V since 1.8.9.
 *
 *     chunk + 0    size with this word, a multiple of the alignment; 1.8.12: bit 0 in a free one
 *     chunk + 4    payload, a multiple of the alignment; free: address of the next free chunk
 *
 * 1.8.12 takes that bit for a part of the size where it looks for the free chunk at the break, which
 * therefore never grows; and from 1.8.7 on a realloc compares a header with a payload where it looks for a
 * free chunk behind the block, which is therefore never taken.
 */
#include "list.h"
#include "sbrk_heap.h"

typedef struct picolibc_build {
    hs_sbrk_build_t sbrk;
    uint32_t least_align; /* memalign's */
    bool takes_behind;    /* a realloc takes the free chunk behind the block, of whatever size */
    bool pads_chunk;      /* memalign adds to the chunk of the request, and not to the request */
} picolibc_build_t;

static const picolibc_build_t *build_of(const hs_sim_t *heap)
{
    return heap->model->build;
}

static uint32_t payload_at(const hs_sim_t *heap, uint32_t chunk, uint32_t size)
{
    (void)heap;
    (void)chunk;
    (void)size;
    return SBRK_HEADER;
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return hs_region_get(heap, offset - SBRK_HEADER) - SBRK_HEADER;
}

/* ---- malloc and free -------------------------------------------------------------------------- */

static void give(hs_sbrk_heap_t *state, uint32_t chunk, uint32_t size)
{
    ordered_insert(&state->heap, &state->list, chunk, size, sbrk_build(state)->free_bits);
}

/* A chunk from above the break, or HS_NONE. Where no chunk can begin at the break, the bytes up to one
 * need a second call; if that one fails, those of the first are lost. */
static uint32_t extend(hs_sbrk_heap_t *state, uint32_t size)
{
    const uint32_t left = state->heap.size - state->brk;
    const uint32_t chunk = sbrk_up(state, state->brk);
    if (size > left) {
        return HS_NONE;
    }
    if (size > left - (chunk - state->brk)) {
        state->brk += size;
        state->start = sbrk_up(state, state->brk);
        return HS_NONE;
    }
    state->brk = chunk + size;
    return chunk;
}

static uint32_t take(hs_sbrk_heap_t *state, uint32_t size)
{
    hs_sim_t *heap = &state->heap;
    const uint32_t at = ordered_fit(heap, &state->list, size);
    const uint32_t last = sbrk_last(state);
    if (at < ordered_count(heap)) {
        const uint32_t chunk = ordered_chunk(heap, at);
        const uint32_t rest = ordered_size(heap, at) - size;
        if (rest == 0) {
            ordered_remove(heap, &state->list, at);
        } else {
            ordered_change(heap, &state->list, at, chunk + size, rest,
                           sbrk_build(state)->free_bits);
        }
        return chunk;
    }
    if (last < ordered_count(heap) && size <= heap->size - ordered_chunk(heap, last)) {
        const uint32_t chunk = ordered_chunk(heap, last);
        ordered_remove(heap, &state->list, last);
        state->brk = chunk + size;
        return chunk;
    }
    return extend(state, size);
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t wanted)
{
    hs_sbrk_heap_t *state = sbrk_of(heap);
    const uint32_t size = hs_sbrk_chunk_size(heap, wanted);
    const uint32_t chunk = size == 0 ? HS_NONE : take(state, size);
    if (chunk == HS_NONE) {
        hs_sbrk_settle(state);
        return HS_NONE;
    }
    return hs_sbrk_use(state, chunk, size, chunk + SBRK_HEADER);
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    hs_sbrk_heap_t *state = sbrk_of(heap);
    const uint32_t chunk = offset - SBRK_HEADER;
    hs_sbrk_unuse(state, chunk, offset);
    give(state, chunk, hs_region_get(heap, chunk));
    hs_sbrk_settle(state);
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* The size of a block after it took what it may of what lies behind. */
static uint32_t grow(hs_sbrk_heap_t *state, uint32_t chunk, uint32_t size, uint32_t wanted)
{
    hs_sim_t *heap = &state->heap;
    if (chunk + size == state->brk) {
        if (wanted <= heap->size - chunk) {
            state->brk = chunk + wanted;
            return wanted;
        }
        return size;
    }
    const uint32_t at = hs_order_search(ordered(heap), hs_index_key(chunk, 0));
    heap->steps.nodes += at + UINT64_C(1);
    if (!build_of(heap)->takes_behind || at == ordered_count(heap) ||
        ordered_chunk(heap, at) != chunk + size) {
        return size;
    }
    size += ordered_size(heap, at);
    ordered_remove(heap, &state->list, at);
    return size;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t wanted)
{
    hs_sbrk_heap_t *state = sbrk_of(heap);
    const uint32_t chunk = offset - SBRK_HEADER;
    const uint32_t old = hs_region_get(heap, chunk);
    const uint32_t size = hs_sbrk_chunk_size(heap, wanted);
    if (size == 0) {
        return HS_NONE;
    }
    const uint32_t grown = size > old ? grow(state, chunk, old, size) : old;
    hs_sbrk_unuse(state, chunk, offset);
    if (grown > size) {
        give(state, chunk + size, grown - size);
    }
    hs_sbrk_use(state, chunk, grown < size ? grown : size, offset);
    if (grown >= size) {
        return offset;
    }
    hs_region_note_low(heap);
    const uint32_t moved = model_malloc(heap, wanted);
    if (moved == HS_NONE) {
        return HS_NONE;
    }
    hs_region_note_low(heap);
    heap->steps.copied += old - SBRK_HEADER;
    model_free(heap, offset);
    return moved;
}

/* ---- aligned allocation ----------------------------------------------------------------------- */

/* The chunk that memalign asks for, 0: refused. *align, *size: the alignment and the chunk that stay. */
static uint32_t padded_size(const hs_sim_t *heap, uint32_t *align, uint32_t *size)
{
    const picolibc_build_t *build = build_of(heap);
    const uint32_t alignment = build->sbrk.alignment;
    const uint32_t chunk = hs_sbrk_chunk_size(heap, *size);
    const uint32_t rounded = (*size + alignment - 1) & ~(alignment - 1);
    *align = *align < build->least_align ? build->least_align : *align;
    *size = chunk;
    return chunk == 0
               ? 0
               : hs_sbrk_chunk_size(heap, build->pads_chunk ? chunk + *align + build->sbrk.smallest
                                                            : rounded + *align + 8);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    hs_sbrk_heap_t *state = sbrk_of(heap);
    const uint32_t whole = padded_size(heap, &align, &size);
    uint32_t chunk = whole == 0 ? HS_NONE : take(state, whole);
    (void)at;
    hs_sbrk_settle(state);
    if (chunk == HS_NONE) {
        return HS_NONE;
    }
    hs_region_note_low(heap);
    const uint32_t end = chunk + whole;
    const uint32_t gap = (0u - (heap->base + chunk + SBRK_HEADER)) & (align - 1);
    if (gap != 0) {
        give(state, chunk, gap);
        chunk += gap;
    }
    if (end - chunk > size) {
        give(state, chunk + size, end - chunk - size);
    }
    return hs_sbrk_use(state, chunk, size, chunk + SBRK_HEADER);
}

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted =
        align == 0 ? hs_sbrk_chunk_size(heap, size) : padded_size(heap, &align, &size);
    (void)at;
    return wanted != 0 && wanted <= hs_sbrk_largest_chunk(sbrk_of_const(heap));
}

/* From 1.8.12 on a chunk costs its header, before that as much as the alignment. */
#define BUILD(align, newest, behind)                                                               \
    .granule = 4, .build = &(const picolibc_build_t)                                               \
    {                                                                                              \
        {align,                                                                                    \
         (align) - SBRK_HEADER,                                                                    \
         (newest) ? (align) : 2 * (align),                                                         \
         (newest) ? SBRK_HEADER : (align),                                                         \
         (newest) ? 1 : 0,                                                                         \
         !(newest),                                                                                \
         payload_at},                                                                              \
            (newest) ? 4 : 8, behind, newest                                                       \
    }

#define SAME_IN_ALL_RELEASES                                                                       \
    .state_size = sizeof(hs_sbrk_heap_t), .has_realloc = true, .has_aligned = true,                \
    .serves_up_to_largest = true, .create = hs_sbrk_create, .malloc = model_malloc,                \
    .free = model_free, .realloc = model_realloc, .aligned = model_aligned,                        \
    .usable = model_usable, .fits = model_fits,                                                    \
    .largest_allocatable = hs_sbrk_largest_allocatable, .largest_free = hs_sbrk_largest_free,      \
    .reported = hs_sbrk_reported, .walk = hs_sbrk_walk, .check = hs_sbrk_check

const hs_model_t hs_model_picolibc = {
    .name = "picolibc",
    .title = "picolibc's malloc, 1.8.12, with an alignment of 8: free list in address order",
    BUILD(8, true, false),
    SAME_IN_ALL_RELEASES,
};

const hs_model_t hs_model_picolibc_16 = {
    .name = "picolibc-16",
    .title = "picolibc's malloc, 1.8.12, with an alignment of 16",
    BUILD(16, true, false),
    SAME_IN_ALL_RELEASES,
};

const hs_model_t hs_model_picolibc_1_8_11 = {
    .name = "picolibc-1.8.11",
    .title = "picolibc's malloc, 1.8.7 to 1.8.11, with an alignment of 8",
    BUILD(8, false, false),
    SAME_IN_ALL_RELEASES,
};

const hs_model_t hs_model_picolibc_1_8_11_16 = {
    .name = "picolibc-1.8.11-16",
    .title = "picolibc's malloc, 1.8.9 to 1.8.11, with an alignment of 16",
    BUILD(16, false, false),
    SAME_IN_ALL_RELEASES,
};

const hs_model_t hs_model_picolibc_1_8 = {
    .name = "picolibc-1.8",
    .title = "picolibc's malloc, 1.8 to 1.8.6: a realloc takes what is free behind the block",
    BUILD(8, false, true),
    SAME_IN_ALL_RELEASES,
};
