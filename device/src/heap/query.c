/* Questions about blocks and about the heap; the same code for both forms. */
#include "forms.h"
#include "slab.h"

#if HS_COMPILED

/* ---- a block ---------------------------------------------------------------------------------- */

/* Words of the used block or slot at `address`; 0: none begins there. */
static HS_SHARED uint32_t words_at(const hs_heap_t *heap, const void *address)
{
    const uint32_t size = hs_used_at(heap, hs_granule_of(heap, address), !hs_is_wide(heap));
    if (size != 0 || hs_is_wide(heap)) {
        return 2 * size;
    }
    const hs_slot_t slot = hs_slot_at(heap, address);
    const bool used = slot.slab != 0 && (hs_slab_at(heap, slot.slab)->slots & slot.bit) == 0;
    return used ? hs_slot_words(hs_slab_kind(heap, slot.slab)) : 0;
}

size_t hs_heap_usable_size(const hs_heap_t *heap, const void *block)
{
    return 4 * (size_t)words_at(heap, block);
}

size_t hs_heap_full_size(const hs_heap_t *heap, const void *block)
{
    const uint32_t words = words_at(heap, block);
    /* A bit for two words. */
    return 4 * (size_t)words + (words + 15) / 16;
}

/* ---- every block ------------------------------------------------------------------------------ */

static bool walk_slab(const hs_heap_t *heap, uint32_t slab, hs_heap_visit_t visit, void *context)
{
    uint32_t *const head = hs_at(heap, slab);
    const uint32_t slots = hs_slab_at(heap, slab)->slots;
    const uint32_t kind = hs_slab_kind(heap, slab);
    const uint32_t words = hs_slot_words(kind);
    for (uint32_t i = 0; i < HS_SLAB_SLOTS; i++) {
        if (!visit(context, head + 2 + i * words, 4 * (size_t)words, (slots >> i & 1u) == 0)) {
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
        if (size == 0 || size > heap->end - block) {
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
    const bool wide = hs_is_wide(heap);
    *info = (hs_heap_info_t){
        .control = sizeof(hs_heap_t) + 4 * (size_t)hs_words_before(wide) +
                   (wide ? 4 : 2) * (size_t)(hs_last_bin(heap->end) - 1),
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
    return (size_t)heap->free * 4;
}

size_t hs_heap_minimum_free(const hs_heap_t *heap)
{
    return (size_t)heap->minimum * 4;
}

size_t hs_heap_reset_minimum(hs_heap_t *heap)
{
    const size_t old = hs_heap_minimum_free(heap);
    heap->minimum = heap->free;
    return old;
}

void hs_heap_restore_minimum(hs_heap_t *heap, size_t minimum)
{
    if (minimum / 4 < heap->minimum) {
        heap->minimum = (uint32_t)(minimum / 4);
    }
}

#endif
