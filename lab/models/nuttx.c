#include "nuttx.h"

#include "list.h"

/* ---- nodes ------------------------------------------------------------------------------------ */

static void put(hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, at, word);
    heap->steps.writes++;
}

static void put_link(hs_sim_t *heap, uint32_t at, uint32_t node)
{
    put(heap, at, node == HS_NONE ? 0 : heap->base + node);
}

/* A used node of that size; the bit about the one below stays. */
static void put_used(hs_sim_t *heap, uint32_t node, uint32_t size)
{
    const uint32_t next = node + size;
    put(heap, node + NUTTX_SIZE,
        size | NUTTX_IS_USED | (nuttx_word_of(heap, node) & NUTTX_BELOW_FREE));
    put(heap, next + NUTTX_SIZE, nuttx_word_of(heap, next) & ~NUTTX_BELOW_FREE);
}

/* A node behind a used one becomes free. Its list is in the order of sizes, the newest of one size first. */
static void list_add(nuttx_t *nuttx, uint32_t node, uint32_t size)
{
    hs_sim_t *heap = &nuttx->heap;
    const uint32_t list = nuttx_list_of(size);
    uint32_t next = nuttx->lists[list];
    uint32_t previous = HS_NONE;
    while (next != HS_NONE && nuttx_size_of(heap, next) < size) {
        heap->steps.nodes++;
        previous = next;
        next = nuttx_link_at(heap, next + NUTTX_NEXT_FREE);
    }
    put(heap, node + NUTTX_SIZE, size);
    put(heap, node + size, size);
    put(heap, node + size + NUTTX_SIZE, nuttx_word_of(heap, node + size) | NUTTX_BELOW_FREE);
    put_link(heap, node + NUTTX_NEXT_FREE, next);
    put_link(heap, node + NUTTX_PREVIOUS_FREE, previous);
    if (next != HS_NONE) {
        put_link(heap, next + NUTTX_PREVIOUS_FREE, node);
    }
    if (previous != HS_NONE) {
        put_link(heap, previous + NUTTX_NEXT_FREE, node);
    } else {
        nuttx->lists[list] = node;
    }
    heap->tally.free += size - NUTTX_OVERHEAD;
    heap->tally.free_blocks++;
    hs_largest_add(&nuttx->largest, size);
}

static void list_remove(nuttx_t *nuttx, uint32_t node)
{
    hs_sim_t *heap = &nuttx->heap;
    const uint32_t size = nuttx_size_of(heap, node);
    const uint32_t next = nuttx_link_at(heap, node + NUTTX_NEXT_FREE);
    const uint32_t previous = nuttx_link_at(heap, node + NUTTX_PREVIOUS_FREE);
    if (next != HS_NONE) {
        put_link(heap, next + NUTTX_PREVIOUS_FREE, previous);
    }
    if (previous != HS_NONE) {
        put_link(heap, previous + NUTTX_NEXT_FREE, next);
    } else {
        nuttx->lists[nuttx_list_of(size)] = next;
    }
    heap->tally.free -= size - NUTTX_OVERHEAD;
    heap->tally.free_blocks--;
    hs_largest_take(&nuttx->largest, size);
}

/* ---- malloc and free -------------------------------------------------------------------------- */

static uint32_t find(nuttx_t *nuttx, uint32_t size)
{
    hs_sim_t *heap = &nuttx->heap;
    for (uint32_t list = nuttx_list_of(size); list < NUTTX_LISTS; list++) {
        heap->steps.bins++;
        for (uint32_t node = nuttx->lists[list]; node != HS_NONE;
             node = nuttx_link_at(heap, node + NUTTX_NEXT_FREE)) {
            heap->steps.nodes++;
            if (nuttx_size_of(heap, node) >= size) {
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
    const uint32_t whole = nuttx_size_of(heap, node);
    list_remove(nuttx, node);
    if (whole - size >= NUTTX_SMALLEST) {
        list_add(nuttx, node + size, whole - size);
        put(heap, node + NUTTX_SIZE, size | NUTTX_IS_USED);
    } else {
        put(heap, node + NUTTX_SIZE, whole);
        put_used(heap, node, whole);
    }
    heap->tally.used += nuttx_size_of(heap, node) - NUTTX_OVERHEAD;
    heap->tally.used_blocks++;
    return node;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    const uint32_t node = allocate(nuttx_of(heap), nuttx_node_size(heap, size));
    return node == HS_NONE ? HS_NONE : node + NUTTX_PAYLOAD;
}

/* Frees a node that is in no tally. */
static void release(nuttx_t *nuttx, uint32_t node)
{
    hs_sim_t *heap = &nuttx->heap;
    uint32_t size = nuttx_size_of(heap, node);
    const uint32_t below = nuttx_free_below(heap, node);
    if (nuttx_is_free(heap, node + size)) {
        list_remove(nuttx, node + size);
        size += nuttx_size_of(heap, node + size);
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
    return nuttx_size_of(heap, offset - NUTTX_PAYLOAD) - NUTTX_OVERHEAD;
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    heap->tally.used -= model_usable(heap, offset);
    heap->tally.used_blocks--;
    release(nuttx_of(heap), offset - NUTTX_PAYLOAD);
}

/* ---- realloc ---------------------------------------------------------------------------------- */

/* The bytes of a used node beyond `size` goes to the free node behind, or becomes one. */
static void shrink(nuttx_t *nuttx, uint32_t node, uint32_t size)
{
    hs_sim_t *heap = &nuttx->heap;
    const uint32_t whole = nuttx_size_of(heap, node);
    const uint32_t next = node + whole;
    uint32_t rest = whole - size;
    if (rest == 0 || (!nuttx_is_free(heap, next) && rest < NUTTX_SMALLEST)) {
        return;
    }
    if (nuttx_is_free(heap, next)) {
        rest += nuttx_size_of(heap, next);
        list_remove(nuttx, next);
    }
    put(heap, node + NUTTX_SIZE,
        size | NUTTX_IS_USED | (nuttx_word_of(heap, node) & NUTTX_BELOW_FREE));
    list_add(nuttx, node + size, rest);
}

/* So much of a free neighbour, or all of it if the rest were too small. */
static uint32_t share(uint32_t wanted, uint32_t has)
{
    return wanted == 0 || has - wanted < NUTTX_SMALLEST ? (wanted == 0 ? 0 : has) : wanted;
}

/* Makes a used node of `size` with what its free neighbours have: first the smaller one. Returns the node, or
 * HS_NONE. */
static uint32_t widen(nuttx_t *nuttx, uint32_t node, uint32_t size)
{
    hs_sim_t *heap = &nuttx->heap;
    const uint32_t own = nuttx_size_of(heap, node);
    const uint32_t next = node + own;
    const uint32_t above = nuttx_is_free(heap, next) ? nuttx_size_of(heap, next) : 0;
    const uint32_t below = nuttx_free_below(heap, node);
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
        heap->steps.copied += own - NUTTX_OVERHEAD;
        list_remove(nuttx, node - below);
        node -= from_below;
        put(heap, node + NUTTX_SIZE, 0);
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
    uint32_t node = offset - NUTTX_PAYLOAD;
    const uint32_t old = nuttx_size_of(heap, node);
    const uint32_t size = nuttx_node_size(heap, wanted);
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
            heap->steps.copied += old - NUTTX_OVERHEAD;
            model_free(heap, offset);
        }
        return moved;
    }
    heap->tally.used += nuttx_size_of(heap, node) - old;
    return node + NUTTX_PAYLOAD;
}

/* ---- aligned allocation ----------------------------------------------------------------------- */

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    nuttx_t *nuttx = nuttx_of(heap);
    uint32_t node = allocate(nuttx, nuttx_padded_size(heap, &align, &size));
    (void)at;
    if (node == HS_NONE || align <= nuttx_alignment_of(heap)) {
        return node == HS_NONE ? HS_NONE : node + NUTTX_PAYLOAD;
    }
    hs_region_note_low(heap);
    const uint32_t whole = nuttx_size_of(heap, node);
    uint32_t front = (0u - (heap->base + node + NUTTX_PAYLOAD)) & (align - 1);
    front += front != 0 && front < NUTTX_SMALLEST ? align : 0;
    if (front != 0) {
        put(heap, node + front + NUTTX_SIZE, (whole - front) | NUTTX_IS_USED);
        put(heap, node + NUTTX_SIZE,
            front | NUTTX_IS_USED | (nuttx_word_of(heap, node) & NUTTX_BELOW_FREE));
        release(nuttx, node);
        node += front;
    }
    /* Behind a front, the real one compares the size without its overhead: a rest of 4 stays. */
    if (front == 0 || whole - front - NUTTX_OVERHEAD > size) {
        shrink(nuttx, node, size);
    }
    heap->tally.used += nuttx_size_of(heap, node) - whole;
    return node + NUTTX_PAYLOAD;
}

static hs_status_t model_create(hs_sim_t *heap)
{
    nuttx_t *nuttx = nuttx_of(heap);
    const uint32_t round = nuttx_alignment_of(heap) - 1;
    nuttx->first = (0u - heap->base) & round;
    const uint32_t end = nuttx->first + ((heap->size - nuttx->first) & ~round);
    if (heap->size < nuttx->first || end < nuttx->first + 2 * NUTTX_GUARD + NUTTX_SMALLEST) {
        return HS_ERR_MEMORY;
    }
    nuttx->last = end - NUTTX_GUARD;
    memset(nuttx->lists, 0xFF, sizeof nuttx->lists);
    put(heap, nuttx->first + NUTTX_SIZE, NUTTX_GUARD | NUTTX_IS_USED);
    put(heap, nuttx->last + NUTTX_SIZE, NUTTX_GUARD | NUTTX_IS_USED);
    list_add(nuttx, nuttx->first + NUTTX_GUARD, nuttx->last - nuttx->first - NUTTX_GUARD);
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_BOTH_ALIGNMENTS                                                                    \
    .state_size = sizeof(nuttx_t), .granule = 4, .has_realloc = true, .has_aligned = true,         \
    .serves_up_to_largest = true, .create = model_create, .malloc = model_malloc,                  \
    .free = model_free, .realloc = model_realloc, .aligned = model_aligned,                        \
    .usable = model_usable, .fits = hs_nuttx_fits,                                                 \
    .largest_allocatable = hs_nuttx_largest_allocatable, .largest_free = hs_nuttx_largest_free,    \
    .reported = hs_nuttx_reported, .walk = hs_nuttx_walk, .check = hs_nuttx_check

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
