/*
 * NuttX's mm: lists of free nodes for powers of two, each in the order of sizes, best fit.
 * Source: nuttx 4ebc8a7291d (2026-08) mm/mm_heap, in 32-bit builds; CONFIG_MM_DEFAULT_ALIGNMENT 8 and 4.
 *
 *     node + 0     size of the node below, where that is free; else the end of its payload
 *     node + 4     size; bit 0: used; bit 1: the node below is free
 *     node + 8     payload; free: addresses of the next and the previous node of its list, 0 at the ends
 *
 * A used node of 8 bytes guards each end of the region. The heap's structure, which a real one has in front of
 * it, lies outside: its size is the configuration's.
 */
#include "bits.h"
#include "largest.h"
#include "list.h"
#include "region.h"
#include "seen.h"

#define SIZE UINT32_C(4)
#define PAYLOAD UINT32_C(8)
#define NEXT_FREE UINT32_C(8)
#define PREVIOUS_FREE UINT32_C(12)
#define IS_USED UINT32_C(1)
#define BELOW_FREE UINT32_C(2)
#define BITS (IS_USED | BELOW_FREE)
#define OVERHEAD UINT32_C(4)
#define SMALLEST UINT32_C(16)
#define GUARD UINT32_C(8)
#define LISTS 19u
#define TOO_LARGE UINT32_C(0x80000000)

typedef struct nuttx {
    hs_sim_t heap;
    uint32_t first; /* the guard at the start */
    uint32_t last;  /* the one at the end */
    hs_largest_t largest;
    uint32_t lists[LISTS];
} nuttx_t;

static nuttx_t *nuttx_of(hs_sim_t *heap)
{
    return (nuttx_t *)heap;
}

static const nuttx_t *nuttx_of_const(const hs_sim_t *heap)
{
    return (const nuttx_t *)heap;
}

static uint32_t alignment_of(const hs_sim_t *heap)
{
    return *(const uint32_t *)heap->model->build;
}

/* ---- nodes ------------------------------------------------------------------------------------ */

static void put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static uint32_t link_at(const hs_sim_t *heap, uint32_t at)
{
    const uint32_t word = hs_region_get(heap, at);
    return word == 0 ? HS_NONE : word - heap->base;
}

static void put_link(hs_sim_t *heap, uint32_t at, uint32_t node)
{
    put(heap, at, node == HS_NONE ? 0 : heap->base + node);
}

static uint32_t word_of(const hs_sim_t *heap, uint32_t node)
{
    return hs_region_get(heap, node + SIZE);
}

static uint32_t size_of(const hs_sim_t *heap, uint32_t node)
{
    return word_of(heap, node) & ~BITS;
}

static bool is_free(const hs_sim_t *heap, uint32_t node)
{
    return (word_of(heap, node) & IS_USED) == 0;
}

/* Bytes of the free node below, 0: that is used. */
static uint32_t free_below(const hs_sim_t *heap, uint32_t node)
{
    return (word_of(heap, node) & BELOW_FREE) != 0 ? hs_region_get(heap, node) : 0;
}

/* A used node of that size; what is said of the one below stays. */
static void put_used(hs_sim_t *heap, uint32_t node, uint32_t size)
{
    const uint32_t next = node + size;
    put(heap, node + SIZE, size | IS_USED | (word_of(heap, node) & BELOW_FREE));
    put(heap, next + SIZE, word_of(heap, next) & ~BELOW_FREE);
}

static uint32_t list_of(uint32_t size)
{
    const uint32_t list = hs_bits_highest(size / SMALLEST);
    return list < LISTS ? list : LISTS - 1;
}

/* A node behind a used one becomes free. Its list is in the order of sizes, the newest of one size first. */
static void list_add(nuttx_t *nuttx, uint32_t node, uint32_t size)
{
    hs_sim_t *heap = &nuttx->heap;
    const uint32_t list = list_of(size);
    uint32_t next = nuttx->lists[list];
    uint32_t previous = HS_NONE;
    while (next != HS_NONE && size_of(heap, next) < size) {
        heap->steps.nodes++;
        previous = next;
        next = link_at(heap, next + NEXT_FREE);
    }
    put(heap, node + SIZE, size);
    put(heap, node + size, size);
    put(heap, node + size + SIZE, word_of(heap, node + size) | BELOW_FREE);
    put_link(heap, node + NEXT_FREE, next);
    put_link(heap, node + PREVIOUS_FREE, previous);
    if (next != HS_NONE) {
        put_link(heap, next + PREVIOUS_FREE, node);
    }
    if (previous != HS_NONE) {
        put_link(heap, previous + NEXT_FREE, node);
    } else {
        nuttx->lists[list] = node;
    }
    heap->tally.free += size - OVERHEAD;
    heap->tally.free_blocks++;
    hs_largest_add(&nuttx->largest, size);
}

static void list_remove(nuttx_t *nuttx, uint32_t node)
{
    hs_sim_t *heap = &nuttx->heap;
    const uint32_t size = size_of(heap, node);
    const uint32_t next = link_at(heap, node + NEXT_FREE);
    const uint32_t previous = link_at(heap, node + PREVIOUS_FREE);
    if (next != HS_NONE) {
        put_link(heap, next + PREVIOUS_FREE, previous);
    }
    if (previous != HS_NONE) {
        put_link(heap, previous + NEXT_FREE, next);
    } else {
        nuttx->lists[list_of(size)] = next;
    }
    heap->tally.free -= size - OVERHEAD;
    heap->tally.free_blocks--;
    hs_largest_take(&nuttx->largest, size);
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* The node that a request needs, 0: refused. */
static uint32_t node_size(const hs_sim_t *heap, uint32_t size)
{
    const uint32_t round = alignment_of(heap) - 1;
    if (size == 0 || size >= TOO_LARGE - SMALLEST) {
        return 0;
    }
    const uint32_t wanted = (size + OVERHEAD + round) & ~round;
    return wanted < SMALLEST ? SMALLEST : wanted;
}

static uint32_t find(nuttx_t *nuttx, uint32_t size)
{
    hs_sim_t *heap = &nuttx->heap;
    for (uint32_t list = list_of(size); list < LISTS; list++) {
        heap->steps.bins++;
        for (uint32_t node = nuttx->lists[list]; node != HS_NONE;
             node = link_at(heap, node + NEXT_FREE)) {
            heap->steps.nodes++;
            if (size_of(heap, node) >= size) {
                return node;
            }
        }
    }
    return HS_NONE;
}

static uint32_t allocate(nuttx_t *nuttx, uint32_t size)
{
    hs_sim_t *heap = &nuttx->heap;
    const uint32_t node = size == 0 ? HS_NONE : find(nuttx, size);
    if (node == HS_NONE) {
        return HS_NONE;
    }
    const uint32_t whole = size_of(heap, node);
    list_remove(nuttx, node);
    if (whole - size >= SMALLEST) {
        list_add(nuttx, node + size, whole - size);
        put(heap, node + SIZE, size | IS_USED);
    } else {
        put(heap, node + SIZE, whole);
        put_used(heap, node, whole);
    }
    heap->tally.used += size_of(heap, node) - OVERHEAD;
    heap->tally.used_blocks++;
    return node;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    const uint32_t node = allocate(nuttx_of(heap), node_size(heap, size));
    return node == HS_NONE ? HS_NONE : node + PAYLOAD;
}

/* Frees a node that is in no tally. */
static void release(nuttx_t *nuttx, uint32_t node)
{
    hs_sim_t *heap = &nuttx->heap;
    uint32_t size = size_of(heap, node);
    const uint32_t below = free_below(heap, node);
    if (is_free(heap, node + size)) {
        list_remove(nuttx, node + size);
        size += size_of(heap, node + size);
    }
    if (below != 0) {
        node -= below;
        size += below;
        list_remove(nuttx, node);
    }
    list_add(nuttx, node, size);
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return size_of(heap, offset - PAYLOAD) - OVERHEAD;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    heap->tally.used -= model_usable(heap, offset);
    heap->tally.used_blocks--;
    release(nuttx_of(heap), offset - PAYLOAD);
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* What a used node has beyond `size` goes to the free node behind, or becomes one. */
static void shrink(nuttx_t *nuttx, uint32_t node, uint32_t size)
{
    hs_sim_t *heap = &nuttx->heap;
    const uint32_t whole = size_of(heap, node);
    const uint32_t next = node + whole;
    uint32_t rest = whole - size;
    if (rest == 0 || (!is_free(heap, next) && rest < SMALLEST)) {
        return;
    }
    if (is_free(heap, next)) {
        rest += size_of(heap, next);
        list_remove(nuttx, next);
    }
    put(heap, node + SIZE, size | IS_USED | (word_of(heap, node) & BELOW_FREE));
    list_add(nuttx, node + size, rest);
}

/* So much of a free neighbour, or all of it if the rest were too small. */
static uint32_t share(uint32_t wanted, uint32_t has)
{
    return wanted == 0 || has - wanted < SMALLEST ? (wanted == 0 ? 0 : has) : wanted;
}

/* Makes a used node of `size` with what its free neighbours have: first the smaller one. Returns the node, or
 * HS_NONE. */
static uint32_t widen(nuttx_t *nuttx, uint32_t node, uint32_t size)
{
    hs_sim_t *heap = &nuttx->heap;
    const uint32_t own = size_of(heap, node);
    const uint32_t next = node + own;
    const uint32_t above = is_free(heap, next) ? size_of(heap, next) : 0;
    const uint32_t below = free_below(heap, node);
    const uint32_t missing = size - own;
    if (above + below < missing) {
        return HS_NONE;
    }
    const bool below_first = below != 0 && (above == 0 || above > below);
    const uint32_t first = below_first ? below : above;
    const uint32_t of_first = missing < first ? missing : first;
    const uint32_t from_below = share(below_first ? of_first : missing - of_first, below);
    const uint32_t from_above = share(below_first ? missing - of_first : of_first, above);
    uint32_t end = next;
    if (from_above != 0) {
        list_remove(nuttx, next);
        end += from_above;
    }
    if (from_below != 0) {
        heap->steps.copied += own - OVERHEAD;
        list_remove(nuttx, node - below);
        node -= from_below;
        put(heap, node + SIZE, 0);
    }
    put_used(heap, node, end - node);
    if (from_below != 0 && from_below != below) {
        list_add(nuttx, node - (below - from_below), below - from_below);
    }
    if (from_above != 0 && from_above != above) {
        list_add(nuttx, end, above - from_above);
    }
    return node;
}

static uint32_t model_realloc(hs_sim_t *heap, uint32_t offset, uint32_t wanted)
{
    nuttx_t *nuttx = nuttx_of(heap);
    uint32_t node = offset - PAYLOAD;
    const uint32_t old = size_of(heap, node);
    const uint32_t size = node_size(heap, wanted);
    if (size == 0) {
        return HS_NONE;
    }
    if (size <= old) {
        shrink(nuttx, node, size);
    } else {
        node = widen(nuttx, node, size);
    }
    if (node == HS_NONE) {
        const uint32_t moved = model_malloc(heap, wanted);
        if (moved != HS_NONE) {
            hs_region_note_low(heap);
            heap->steps.copied += old - OVERHEAD;
            model_free(heap, offset);
        }
        return moved;
    }
    heap->tally.used += size_of(heap, node) - old;
    return node + PAYLOAD;
}

/* ---- aligned allocation ----------------------------------------------------------------------- */

/* The node that memalign asks for, 0: refused. *align, *size: the alignment and the node that stay. */
static uint32_t padded_size(const hs_sim_t *heap, uint32_t *align, uint32_t *size)
{
    const uint32_t round = alignment_of(heap) - 1;
    const uint32_t least = *size < SMALLEST - OVERHEAD ? SMALLEST - OVERHEAD : *size;
    const uint32_t wanted = (least + round) & ~round;
    if (node_size(heap, *size) == 0 || *align <= round + 1) {
        *size = node_size(heap, *size);
        return *size;
    }
    *align = *align < SMALLEST ? SMALLEST : *align;
    *size = node_size(heap, *size);
    return *align >= TOO_LARGE / 4 ? 0 : node_size(heap, wanted + 2 * *align);
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    nuttx_t *nuttx = nuttx_of(heap);
    uint32_t node = allocate(nuttx, padded_size(heap, &align, &size));
    (void)at;
    if (node == HS_NONE || align <= alignment_of(heap)) {
        return node == HS_NONE ? HS_NONE : node + PAYLOAD;
    }
    hs_region_note_low(heap);
    const uint32_t whole = size_of(heap, node);
    uint32_t front = (0u - (heap->base + node + PAYLOAD)) & (align - 1);
    front += front != 0 && front < SMALLEST ? align : 0;
    if (front != 0) {
        put(heap, node + front + SIZE, (whole - front) | IS_USED);
        put(heap, node + SIZE, front | IS_USED | (word_of(heap, node) & BELOW_FREE));
        release(nuttx, node);
        node += front;
    }
    shrink(nuttx, node, size);
    heap->tally.used += size_of(heap, node) - whole;
    return node + PAYLOAD;
}

/* ---- questions -------------------------------------------------------------------------------- */

static hs_largest_t largest_of(const nuttx_t *nuttx)
{
    const hs_sim_t *heap = &nuttx->heap;
    hs_largest_t seen = {0, 0, false};
    if (!nuttx->largest.unknown) {
        return nuttx->largest;
    }
    for (uint32_t list = 0; list < LISTS; list++) {
        for (uint32_t node = nuttx->lists[list]; node != HS_NONE;
             node = link_at(heap, node + NEXT_FREE)) {
            hs_largest_add(&seen, size_of(heap, node));
        }
    }
    return seen;
}

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    const uint32_t size = largest_of(nuttx_of_const(heap)).size;
    return size == 0 ? 0 : size - OVERHEAD;
}

static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    nuttx_t *nuttx = nuttx_of(heap);
    nuttx->largest = largest_of(nuttx);
    const uint32_t largest = model_largest_free(heap);
    return largest < TOO_LARGE - SMALLEST ? largest : TOO_LARGE - SMALLEST - OVERHEAD;
}

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = padded_size(heap, &align, &size);
    (void)at;
    return wanted != 0 && wanted <= largest_of(nuttx_of_const(heap)).size;
}

/* mallinfo(): headers are part of a node. */
static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    out->free = heap->tally.free + OVERHEAD * heap->tally.free_blocks;
    out->allocated = heap->tally.used + OVERHEAD * heap->tally.used_blocks + 2 * GUARD;
    out->minimum_free = heap->tally.minimum_free;
    out->largest_free = largest_of(nuttx_of_const(heap)).size;
}

/* ---- walk and check --------------------------------------------------------------------------- */

static bool block_at(const nuttx_t *nuttx, uint32_t node, hs_walk_block_t *block)
{
    const hs_sim_t *heap = &nuttx->heap;
    const uint32_t size = size_of(heap, node);
    if (size < SMALLEST || size % 4 != 0 || size > nuttx->last - node) {
        return false;
    }
    *block = (hs_walk_block_t){node + PAYLOAD, size - OVERHEAD, !is_free(heap, node)};
    return true;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const nuttx_t *nuttx = nuttx_of_const(heap);
    hs_walk_block_t block;
    for (uint32_t node = nuttx->first + GUARD; node != nuttx->last; node += size_of(heap, node)) {
        if (!block_at(nuttx, node, &block) || !visit(context, &block)) {
            return;
        }
    }
}

static bool is_free_node(const nuttx_t *nuttx, uint32_t node)
{
    return node > nuttx->first && node < nuttx->last && (node - nuttx->first) % 4 == 0 &&
           is_free(&nuttx->heap, node);
}

/* A free node and its neighbours in the list lead to each other. */
static bool is_listed(const nuttx_t *nuttx, uint32_t node, uint32_t size)
{
    const hs_sim_t *heap = &nuttx->heap;
    const uint32_t next = link_at(heap, node + NEXT_FREE);
    const uint32_t previous = link_at(heap, node + PREVIOUS_FREE);
    const bool next_agrees = next == HS_NONE || (is_free_node(nuttx, next) &&
                                                 link_at(heap, next + PREVIOUS_FREE) == node);
    const bool is_led_to = previous == HS_NONE ? nuttx->lists[list_of(size)] == node
                                               : is_free_node(nuttx, previous) &&
                                                     link_at(heap, previous + NEXT_FREE) == node;
    return next_agrees && is_led_to;
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    const nuttx_t *nuttx = nuttx_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    uint32_t below = 0;
    uint32_t size = 0;
    for (uint32_t node = nuttx->first + GUARD; node != nuttx->last; node += size) {
        if (!block_at(nuttx, node, &block) || free_below(heap, node) != below ||
            ((word_of(heap, node) & BELOW_FREE) != 0) != (below != 0)) {
            return hs_seen_fault(node, where);
        }
        size = block.size + OVERHEAD;
        if (!block.used && (below != 0 || !is_listed(nuttx, node, size))) {
            return hs_seen_fault(node, where);
        }
        hs_seen_add(&seen, block.size, block.used);
        below = block.used ? 0 : size;
    }
    if (word_of(heap, nuttx->first) != (GUARD | IS_USED) || free_below(heap, nuttx->last) != below ||
        (word_of(heap, nuttx->last) & ~BELOW_FREE) != (GUARD | IS_USED)) {
        return hs_seen_fault(nuttx->last, where);
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(nuttx->first, where);
}

static hs_status_t model_create(hs_sim_t *heap)
{
    nuttx_t *nuttx = nuttx_of(heap);
    const uint32_t round = alignment_of(heap) - 1;
    nuttx->first = (0u - heap->base) & round;
    const uint32_t end = nuttx->first + ((heap->size - nuttx->first) & ~round);
    if (heap->size < nuttx->first || end < nuttx->first + 2 * GUARD + SMALLEST) {
        return HS_ERR_MEMORY;
    }
    nuttx->last = end - GUARD;
    memset(nuttx->lists, 0xFF, sizeof nuttx->lists);
    put(heap, nuttx->first + SIZE, GUARD | IS_USED);
    put(heap, nuttx->last + SIZE, GUARD | IS_USED);
    list_add(nuttx, nuttx->first + GUARD, nuttx->last - nuttx->first - GUARD);
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_BOTH_ALIGNMENTS                                                                    \
    .state_size = sizeof(nuttx_t), .granule = 4, .has_realloc = true, .has_aligned = true,         \
    .serves_up_to_largest = true, .create = model_create, .malloc = model_malloc,                  \
    .free = model_free, .realloc = model_realloc, .aligned = model_aligned,                        \
    .usable = model_usable, .fits = model_fits, .largest_allocatable = model_largest_allocatable,  \
    .largest_free = model_largest_free, .reported = model_reported, .walk = model_walk,            \
    .check = model_check

const hs_model_t hs_model_nuttx = {
    .name = "nuttx",
    .title = "NuttX's mm, CONFIG_MM_DEFAULT_ALIGNMENT 8: best fit from lists for powers of two",
    .build = &(const uint32_t){8},
    SAME_IN_BOTH_ALIGNMENTS,
};

const hs_model_t hs_model_nuttx_4 = {
    .name = "nuttx-4",
    .title = "NuttX's mm, CONFIG_MM_DEFAULT_ALIGNMENT 4",
    .build = &(const uint32_t){4},
    SAME_IN_BOTH_ALIGNMENTS,
};
