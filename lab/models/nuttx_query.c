/* Sizes, reports, the walk and the check of NuttX's heap. */
#include "nuttx.h"

#include "seen.h"

/* ---- questions -------------------------------------------------------------------------------- */

static hs_largest_t largest_of(const nuttx_t *nuttx)
{
    const hs_sim_t *heap = &nuttx->heap;
    hs_largest_t seen = {0, 0, false};
    if (!nuttx->largest.unknown) {
        return nuttx->largest;
    }
    for (uint32_t list = 0; list < NUTTX_LISTS; list++) {
        for (uint32_t node = nuttx->lists[list]; node != HS_NONE;
             node = nuttx_link_at(heap, node + NUTTX_NEXT_FREE)) {
            hs_largest_add(&seen, nuttx_size_of(heap, node));
        }
    }
    return seen;
}

uint32_t hs_nuttx_largest_free(const hs_sim_t *heap)
{
    const uint32_t size = largest_of(nuttx_of_const(heap)).size;
    return size == 0 ? 0 : size - NUTTX_OVERHEAD;
}

uint32_t hs_nuttx_largest_allocatable(hs_sim_t *heap)
{
    nuttx_t *nuttx = nuttx_of(heap);
    nuttx->largest = largest_of(nuttx);
    const uint32_t largest = hs_nuttx_largest_free(heap);
    return largest < NUTTX_TOO_LARGE - NUTTX_SMALLEST
               ? largest
               : NUTTX_TOO_LARGE - NUTTX_SMALLEST - NUTTX_OVERHEAD;
}

bool hs_nuttx_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const uint32_t wanted = nuttx_padded_size(heap, &align, &size);
    (void)at;
    return wanted != 0 && wanted <= largest_of(nuttx_of_const(heap)).size;
}

/* mallinfo(): headers are part of a node. */
void hs_nuttx_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    out->free = heap->tally.free + NUTTX_OVERHEAD * heap->tally.free_blocks;
    out->allocated = heap->tally.used + NUTTX_OVERHEAD * heap->tally.used_blocks + 2 * NUTTX_GUARD;
    out->minimum_free = heap->tally.minimum_free;
    out->largest_free = largest_of(nuttx_of_const(heap)).size;
}

/* ---- walk and check --------------------------------------------------------------------------- */

static bool block_at(const nuttx_t *nuttx, uint32_t node, hs_walk_block_t *block)
{
    const hs_sim_t *heap = &nuttx->heap;
    const uint32_t size = nuttx_size_of(heap, node);
    if (size < NUTTX_SMALLEST || size % 4 != 0 || size > nuttx->last - node) {
        return false;
    }
    *block =
        (hs_walk_block_t){node + NUTTX_PAYLOAD, size - NUTTX_OVERHEAD, !nuttx_is_free(heap, node)};
    return true;
}

void hs_nuttx_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const nuttx_t *nuttx = nuttx_of_const(heap);
    hs_walk_block_t block;
    for (uint32_t node = nuttx->first + NUTTX_GUARD; node != nuttx->last;
         node += nuttx_size_of(heap, node)) {
        if (!block_at(nuttx, node, &block) || !visit(context, &block)) {
            return;
        }
    }
}

static bool is_free_node(const nuttx_t *nuttx, uint32_t node)
{
    return node > nuttx->first && node < nuttx->last && (node - nuttx->first) % 4 == 0 &&
           nuttx_is_free(&nuttx->heap, node);
}

/* A free node and its neighbours in the list lead to each other. */
static bool is_listed(const nuttx_t *nuttx, uint32_t node, uint32_t size)
{
    const hs_sim_t *heap = &nuttx->heap;
    const uint32_t next = nuttx_link_at(heap, node + NUTTX_NEXT_FREE);
    const uint32_t previous = nuttx_link_at(heap, node + NUTTX_PREVIOUS_FREE);
    const bool next_agrees =
        next == HS_NONE ||
        (is_free_node(nuttx, next) && nuttx_link_at(heap, next + NUTTX_PREVIOUS_FREE) == node);
    const bool is_led_to = previous == HS_NONE
                               ? nuttx->lists[nuttx_list_of(size)] == node
                               : is_free_node(nuttx, previous) &&
                                     nuttx_link_at(heap, previous + NUTTX_NEXT_FREE) == node;
    return next_agrees && is_led_to;
}

hs_status_t hs_nuttx_check(const hs_sim_t *heap, uint32_t *where)
{
    const nuttx_t *nuttx = nuttx_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    uint32_t below = 0;
    uint32_t size = 0;
    for (uint32_t node = nuttx->first + NUTTX_GUARD; node != nuttx->last; node += size) {
        if (!block_at(nuttx, node, &block) || nuttx_free_below(heap, node) != below ||
            ((nuttx_word_of(heap, node) & NUTTX_BELOW_FREE) != 0) != (below != 0)) {
            return hs_seen_fault(node, where);
        }
        size = block.size + NUTTX_OVERHEAD;
        if (!block.used && (below != 0 || !is_listed(nuttx, node, size))) {
            return hs_seen_fault(node, where);
        }
        hs_seen_add(&seen, block.size, block.used);
        below = block.used ? 0 : size;
    }
    if (nuttx_word_of(heap, nuttx->first) != (NUTTX_GUARD | NUTTX_IS_USED) ||
        nuttx_free_below(heap, nuttx->last) != below ||
        (nuttx_word_of(heap, nuttx->last) & ~NUTTX_BELOW_FREE) != (NUTTX_GUARD | NUTTX_IS_USED)) {
        return hs_seen_fault(nuttx->last, where);
    }
    return hs_seen_agrees(&heap->tally, &seen) ? HS_OK : hs_seen_fault(nuttx->first, where);
}
