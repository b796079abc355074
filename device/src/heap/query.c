/* Questions about blocks and about the heap; the same code for both forms. */
#include "layout.h"

/* ---- slabs ------------------------------------------------------------------------------------ */

bool hs_is_slab(const hs_heap_t *heap, uint32_t slab, uint32_t size)
{
    if (heap->wide != 0 || size - HS_SLAB > 1 || hs_slots(heap) == 0) {
        return false;
    }
    const uint32_t *const head = hs_at(heap, slab);
    if ((head[0] & 0xFFFF0001u) != hs_slab_check(slab)) {
        return false;
    }
    /* A payload may hold anything; but the neighbours in the list would have to point back at it. */
    const uint32_t next = head[1] & 0xFFFFu;
    const uint32_t previous = head[1] >> 16;
    return next < heap->end && previous < heap->end && hs_at(heap, next)[1] >> 16 == slab &&
           (hs_at(heap, previous)[1] & 0xFFFFu) == slab;
}

uint32_t hs_slab_of(const hs_heap_t *heap, uint32_t slot)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    uint32_t at = slot / HS_WORD_BITS;
    uint32_t word = bitmap[at];
    if (hs_is_long(word)) {
        return 0;
    }
    word <<= HS_WORD_BITS - 1 - slot % HS_WORD_BITS;
    uint32_t slab = slot - HS_WORD_BITS + 1;
    if (word == 0) {
        if (at == 0 || bitmap[at - 1] == 0 || hs_is_long(bitmap[at - 1])) {
            return 0;
        }
        word = bitmap[--at];
        slab = at * HS_WORD_BITS;
    }
    slab += hs_word_highest(word);
    if (slot - slab - 1 >= HS_SLAB - 1) {
        return 0;
    }
    return hs_is_slab(heap, slab, hs_used_size(bitmap, slab)) ? slab : 0;
}

/* ---- a block ---------------------------------------------------------------------------------- */

/* Granules of the used block or slot at `address`; 0: none begins there. */
static uint32_t size_at(const hs_heap_t *heap, const void *address)
{
    const uintptr_t at = hs_granule_of(heap, address);
    const uint32_t size = hs_used_at(heap, hs_bitmap(heap), at);
    if (size != 0 || heap->wide != 0 || at >= heap->end) {
        return size;
    }
    const uint32_t slab = hs_slab_of(heap, (uint32_t)at);
    return slab != 0 ? ~(hs_at(heap, slab)[0] >> ((uint32_t)at - slab)) & 1u : 0;
}

size_t hs_heap_usable_size(const hs_heap_t *heap, const void *block)
{
    return (size_t)size_at(heap, block) * HS_GRANULE;
}

size_t hs_heap_full_size(const hs_heap_t *heap, const void *block)
{
    const uint32_t granules = size_at(heap, block);
    /* A bit a granule; a slot's share of its slab's head is less than a byte. */
    return (size_t)granules * HS_GRANULE + (granules + 7) / 8;
}

/* ---- every block ------------------------------------------------------------------------------ */

static bool walk_slab(const hs_heap_t *heap, uint32_t slab, hs_heap_visit_t visit, void *context)
{
    const uint32_t slots = hs_at(heap, slab)[0];
    for (uint32_t i = 1; i < HS_SLAB; i++) {
        if (!visit(context, hs_at(heap, slab + i), HS_GRANULE, (slots >> i & 1u) == 0)) {
            return false;
        }
    }
    return true;
}

void hs_heap_walk(const hs_heap_t *heap, hs_heap_visit_t visit, void *context)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    uint32_t size;
    for (uint32_t block = hs_first(heap); block < heap->end; block += size) {
        const bool used = hs_bit(bitmap, block + 1) == 0;
        size = used ? hs_used_size(bitmap, block) : hs_at(heap, block)[HS_SIZE];
        if (size == 0) {
            return; /* damaged: never for ever */
        }
        if (used && hs_is_slab(heap, block, size)) {
            if (!walk_slab(heap, block, visit, context)) {
                return;
            }
        } else if (!visit(context, hs_at(heap, block), (size_t)size * HS_GRANULE, used)) {
            return;
        }
    }
}

typedef struct hs_search {
    uintptr_t address;
    void *found;
} hs_search_t;

static bool is_before(void *context, void *block, size_t size, bool used)
{
    hs_search_t *const search = context;
    if (search->address - (uintptr_t)block < size) {
        search->found = used ? block : NULL;
        return false;
    }
    return search->address >= (uintptr_t)block;
}

void *hs_heap_containing_block(const hs_heap_t *heap, const void *address)
{
    hs_search_t search = {(uintptr_t)address, NULL};
    hs_heap_walk(heap, is_before, &search);
    return search.found;
}

static bool count(void *context, void *block, size_t size, bool used)
{
    (void)block;
    hs_heap_info_t *const info = context;
    if (used) {
        info->used += size;
        info->used_blocks++;
    } else {
        info->free_blocks++;
        info->largest_free = size > info->largest_free ? size : info->largest_free;
    }
    return true;
}

void hs_heap_info(const hs_heap_t *heap, hs_heap_info_t *info)
{
    const uint32_t words = hs_bitmap_words(heap->end);
    const size_t bin_bytes = heap->wide != 0 ? 4 : 2;
    *info = (hs_heap_info_t){
        .control = sizeof(hs_heap_t) + 4 * (size_t)hs_map_words(heap) +
                   bin_bytes * (hs_last_bin(heap->end) - 1),
        .bitmap = 4 * (size_t)words,
        .free = hs_heap_free_size(heap),
        .minimum_free = hs_heap_minimum_free(heap),
    };
    hs_heap_walk(heap, count, info);
    info->total = info->free + info->used;
}

/* ---- the heap --------------------------------------------------------------------------------- */

size_t hs_heap_free_size(const hs_heap_t *heap)
{
    return (size_t)heap->free * HS_GRANULE;
}

size_t hs_heap_minimum_free(const hs_heap_t *heap)
{
    return (size_t)heap->minimum * HS_GRANULE;
}

size_t hs_heap_reset_minimum(hs_heap_t *heap)
{
    const size_t old = hs_heap_minimum_free(heap);
    heap->minimum = heap->free;
    return old;
}

void hs_heap_restore_minimum(hs_heap_t *heap, size_t minimum)
{
    if (minimum / HS_GRANULE < heap->minimum) {
        heap->minimum = (uint32_t)(minimum / HS_GRANULE);
    }
}
