/* Questions about blocks and about the heap; the same code for both forms. */
#include "layout.h"

/* ---- slabs ------------------------------------------------------------------------------------ */

const hs_slab_kind_t hs_slab_kinds[HS_SLAB_KINDS] = {{1, 14, 8}, {2, 15, 16}};

bool hs_is_slab(const hs_heap_t *heap, uint32_t slab, uint32_t size)
{
    const uint32_t *const head = hs_at(heap, slab);
    const uint32_t kind = hs_slab_kind(head);
    if (hs_is_wide(heap) || size - hs_slab_kinds[kind].granules > 1 ||
        (head[0] & 0xFFFF0000u) != hs_slab_check(slab, kind)) {
        return false;
    }
    /* A payload may hold anything; but the neighbours in the list would have to point back at it. */
    const uint32_t next = head[1] & 0xFFFFu;
    const uint32_t previous = head[1] >> 16;
    return next < heap->end && previous < heap->end && hs_at(heap, next)[1] >> 16 == slab &&
           (hs_at(heap, previous)[1] & 0xFFFFu) == slab &&
           (next != slab || hs_slabs(heap)[kind] == slab);
}

/* The last set bit at or before `from`, in its word or the one before; or 0. */
static uint32_t begin_before(const uint32_t *bitmap, uint32_t from)
{
    uint32_t at = from / HS_WORD_BITS;
    uint32_t word = bitmap[at];
    if (hs_is_long(word)) {
        return 0;
    }
    word &= UINT32_MAX >> (HS_WORD_BITS - 1 - from % HS_WORD_BITS);
    if (word == 0 && at != 0) {
        word = bitmap[--at];
    }
    return word == 0 || hs_is_long(word) ? 0 : at * HS_WORD_BITS + hs_word_highest(word);
}

hs_slot_t hs_slot_at(const hs_heap_t *heap, const void *address)
{
    hs_slot_t slot = {0, 0};
    const uintptr_t distance = (uintptr_t)address - (uintptr_t)heap;
    if (hs_is_wide(heap) || distance >= (uintptr_t)heap->end * HS_GRANULE || distance % 4 != 0) {
        return slot;
    }
    const uint32_t *const bitmap = hs_bitmap(heap);
    const uint32_t slab = begin_before(bitmap, (uint32_t)distance / HS_GRANULE);
    if (slab == 0 || !hs_is_slab(heap, slab, hs_used_size(bitmap, slab))) {
        return slot;
    }
    const hs_slab_kind_t *const kind = hs_slab_kinds + hs_slab_kind(hs_at(heap, slab));
    const uint32_t word = (uint32_t)distance / 4 - 2 * slab - 2; /* behind the head */
    const uint32_t index = word >> (kind->words - 1);            /* one word or two */
    if (index < kind->slots && word % kind->words == 0) {
        slot.slab = slab;
        slot.bit = UINT32_C(1) << index;
    }
    return slot;
}

/* ---- a block ---------------------------------------------------------------------------------- */

/* Words of the used block or slot at `address`; 0: none begins there. */
static uint32_t size_at(const hs_heap_t *heap, const void *address)
{
    const uint32_t size = hs_used_at(heap, hs_bitmap(heap), hs_granule_of(heap, address));
    if (size != 0) {
        return 2 * size;
    }
    const hs_slot_t slot = hs_slot_at(heap, address);
    const uint32_t *const head = hs_at(heap, slot.slab);
    return slot.slab != 0 && (head[0] & slot.bit) == 0 ? hs_slab_kinds[hs_slab_kind(head)].words
                                                       : 0;
}

size_t hs_heap_usable_size(const hs_heap_t *heap, const void *block)
{
    return 4 * (size_t)size_at(heap, block);
}

size_t hs_heap_full_size(const hs_heap_t *heap, const void *block)
{
    const uint32_t words = size_at(heap, block);
    /* A bit for two words. */
    return 4 * (size_t)words + (words + 15) / 16;
}

/* ---- every block ------------------------------------------------------------------------------ */

static bool walk_slab(const hs_heap_t *heap, uint32_t slab, hs_heap_visit_t visit, void *context)
{
    uint32_t *const head = hs_at(heap, slab);
    const hs_slab_kind_t *const kind = hs_slab_kinds + hs_slab_kind(head);
    for (uint32_t i = 0; i < kind->slots; i++) {
        if (!visit(context, head + 2 + i * kind->words, 4 * (size_t)kind->words,
                   (head[0] >> i & 1u) == 0)) {
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
