/*
 * Integrity: everything that two places of the metadata say must agree. Reads only inside the heap
 * and ends, whatever the bytes are.
 */
#include "forms.h"
#include "slab.h"

#if HS_COMPILED

/* The counts of a walk over the blocks. */
typedef struct hs_count {
    uint32_t free;        /* words of free blocks and slots */
    uint32_t free_blocks; /* to be found in the bins */
    uint32_t slabs;       /* to be found in the list of slabs */
} hs_count_t;

static bool is_index(const hs_heap_t *heap, uint32_t granule)
{
    return granule >= hs_first(heap) && granule < heap->end &&
           ((granule - hs_first(heap)) & heap->shape & HS_UNIT) == 0;
}

static bool control_agrees(const hs_heap_t *heap)
{
    if (heap->end > (hs_is_wide(heap) ? HS_WIDE_MAX : HS_SMALL_MAX) / HS_GRANULE ||
        (heap->shape & ~HS_HIGH) !=
            hs_shape_of(heap->end, hs_is_wide(heap), heap->shape & HS_UNIT)) {
        return false;
    }
    return hs_first(heap) + HS_BLOCK_MIN <= heap->end && heap->free <= 2 * heap->end &&
           heap->minimum <= heap->free;
}

/* ---- the bitmap ------------------------------------------------------------------------------- */

/* Bits i and i + 1. */
static HS_SHARED uint32_t two_at(const uint32_t *bitmap, uint32_t i)
{
    return hs_bit(bitmap, i) | hs_bit(bitmap, i + 1) << 1;
}

/* Is a free block whole at `block`: bits, size, footer? Gives its size, or 0. */
static HS_SHARED uint32_t free_size_at(const hs_heap_t *heap, uint32_t block)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    if (heap->end - block < HS_BLOCK_MIN) {
        return 0;
    }
    const uint32_t size = hs_at(heap, block)[HS_SIZE];
    if (size < HS_BLOCK_MIN || size > heap->end - block || (size & heap->shape & HS_UNIT) != 0 ||
        hs_at(heap, block + size)[HS_FOOTER] != ~size || two_at(bitmap, block) != 3 ||
        two_at(bitmap, block + size - 1) != 3 || two_at(bitmap, block + size) != 1) {
        return 0;
    }
    return size;
}

bool hs_heap_is_in_free(const hs_heap_t *heap, uint32_t granule)
{
    return free_size_at(heap, granule - 1) != 0;
}

/* The first set bit from `from` on, `end` at most. */
static HS_SHARED uint32_t set_bit_from(const uint32_t *bitmap, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i = (i | (HS_WORD_BITS - 1)) + 1) {
        const uint32_t word = bitmap[i / HS_WORD_BITS] >> i % HS_WORD_BITS;
        if (word != 0) {
            return i + hs_word_lowest(word) < end ? i + hs_word_lowest(word) : end;
        }
    }
    return end;
}

/* Granules of the used block at `block`, or 0 where its bits contradict each other: all are clear up to
 * the next block's first one, except for the mark of a long block, which says where that is. */
static uint32_t used_size_at(const hs_heap_t *heap, uint32_t block)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    const uint32_t at = block / HS_WORD_BITS + 1;
    const uint32_t mark = at * HS_WORD_BITS; /* the first bit of that word */
    uint32_t size = set_bit_from(bitmap, block + 1, heap->end) - block;
    if (at < hs_bitmap_words(heap->end) && block + size >= mark && hs_is_long(bitmap[at])) {
        size = bitmap[at] >> HS_LONG_SHIFT;
        if (size < HS_LONG || size > heap->end - block ||
            set_bit_from(bitmap, mark + HS_WORD_BITS, block + size) != block + size) {
            return 0;
        }
    } else if (size < HS_BLOCK_MIN || size >= HS_LONG) {
        return 0;
    }
    return (size & heap->shape & HS_UNIT) == 0 ? size : 0;
}

/* Size of the block at `block`, or 0; it begins where a bit is set, with another block behind it. */
static HS_SHARED uint32_t whole_at(const hs_heap_t *heap, uint32_t block)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    const uint32_t two = two_at(bitmap, block);
    if (two != 3) {
        return two == 1 ? used_size_at(heap, block) : 0;
    }
    const uint32_t size = free_size_at(heap, block);
    if (size == 0 || set_bit_from(bitmap, block + 2, block + size - 1) < block + size - 1) {
        return 0;
    }
    return size;
}

/* The bin of the free block at `granule`; 0: none is there, or it is not whole. */
static uint32_t bin_at(const hs_heap_t *heap, uint32_t granule)
{
    const uint32_t size = is_index(heap, granule) ? free_size_at(heap, granule) : 0;
    return size != 0 ? hs_bin_of(size, hs_is_wide(heap)) : 0;
}

/* Do the links of the free block at `block` come back to it, within its bin? */
static HS_SHARED bool links_agree(const hs_heap_t *heap, uint32_t block, uint32_t size)
{
    const uint32_t next = hs_at(heap, block)[HS_NEXT];
    const uint32_t previous = hs_at(heap, block)[HS_PREVIOUS];
    const uint32_t bin = hs_bin_of(size, hs_is_wide(heap));
    return bin != 0 && bin_at(heap, next) == bin && bin_at(heap, previous) == bin &&
           hs_at(heap, next)[HS_PREVIOUS] == block && hs_at(heap, previous)[HS_NEXT] == block;
}

static hs_status_t check_blocks(const hs_heap_t *heap, hs_count_t *count, uint32_t *where)
{
    const uint32_t *const bitmap = hs_bitmap(heap);
    const uint32_t first = hs_first(heap);
    const uint32_t bits = hs_bitmap_words(heap->end) * HS_WORD_BITS;
    if (set_bit_from(bitmap, 0, first) != first || hs_bit(bitmap, heap->end) == 0 ||
        set_bit_from(bitmap, heap->end + 1, bits) != bits) {
        *where = 0;
        return HS_ERR_CORRUPT;
    }
    uint32_t size;
    for (uint32_t block = first; block < heap->end; block += size) {
        *where = block;
        size = whole_at(heap, block);
        if (size == 0) {
            return HS_ERR_CORRUPT;
        }
        if (hs_bit(bitmap, block + 1) != 0) {
            if (!links_agree(heap, block, size)) {
                return HS_ERR_CORRUPT;
            }
            count->free += 2 * size;
            count->free_blocks++;
        } else if (hs_is_slab(heap, block, size)) {
            count->slabs++;
        }
    }
    return HS_OK;
}

/* ---- the lists -------------------------------------------------------------------------------- */

/* Follows each bin's list; together they must have each free block once. */
static hs_status_t check_bins(const hs_heap_t *heap, uint32_t free_blocks, uint32_t *where)
{
    const uint32_t last = hs_last_bin(heap->end);
    for (uint32_t bin = 0; bin < hs_map_words(heap) * HS_WORD_BITS; bin++) {
        const bool marked = hs_bit(heap->words, bin) != 0;
        const uint32_t head =
            bin >= HS_BLOCK_MIN && bin <= last ? hs_head_of_bin(heap, bin, hs_is_wide(heap)) : 0;
        *where = 0;
        if (marked != (head != 0)) {
            return HS_ERR_CORRUPT;
        }
        uint32_t block = head;
        while (head != 0) {
            if (bin_at(heap, block) != bin || free_blocks-- == 0) {
                return HS_ERR_CORRUPT;
            }
            *where = block;
            block = hs_at(heap, block)[HS_NEXT];
            if (block == head) {
                break;
            }
        }
    }
    return free_blocks == 0 ? HS_OK : HS_ERR_CORRUPT;
}

/* Follows the list of one kind, in which those with a free slot come first. */
static hs_status_t check_kind(const hs_heap_t *heap, uint32_t kind, hs_count_t *count,
                              uint32_t *where)
{
    const uint32_t full = (UINT32_C(1) << HS_SLAB_SLOTS) - 1;
    const uint32_t head = hs_slabs(heap)[kind];
    bool after_full = false;
    uint32_t slab = head;
    *where = 0;
    while (head != 0) {
        if (!is_index(heap, slab) || count->slabs-- == 0) {
            return HS_ERR_CORRUPT;
        }
        *where = slab;
        const uint32_t slots = hs_slab_at(heap, slab)->slots;
        if (!hs_is_slab(heap, slab, hs_seems_used(heap, slab)) ||
            hs_slab_kind(heap, slab) != kind || (after_full && slots != 0) || slots >= full) {
            return HS_ERR_CORRUPT;
        }
        after_full = slots == 0;
        for (uint32_t left = slots; left != 0; left &= left - 1) {
            count->free += hs_slot_words(kind);
        }
        slab = hs_slab_at(heap, slab)->next;
        if (slab == head) {
            break;
        }
    }
    return HS_OK;
}

/* Together the lists must have each slab once. */
static hs_status_t check_slabs(const hs_heap_t *heap, hs_count_t *count, uint32_t *where)
{
    for (uint32_t kind = 0; kind < HS_SLAB_KINDS; kind++) {
        if (check_kind(heap, kind, count, where) != HS_OK) {
            return HS_ERR_CORRUPT;
        }
    }
    return count->slabs == 0 ? HS_OK : HS_ERR_CORRUPT;
}

/* ---- the public checks ------------------------------------------------------------------------ */

hs_status_t hs_heap_check(const hs_heap_t *heap, const void **where)
{
    hs_count_t count = {0, 0, 0};
    uint32_t at = 0;
    hs_status_t status = control_agrees(heap) ? HS_OK : HS_ERR_CORRUPT;
    if (status == HS_OK) {
        status = check_blocks(heap, &count, &at);
    }
    if (status == HS_OK) {
        status = check_bins(heap, count.free_blocks, &at);
    }
    if (status == HS_OK && !hs_is_wide(heap)) {
        status = check_slabs(heap, &count, &at);
    }
    if (status == HS_OK && count.free != heap->free) {
        at = 0;
        status = HS_ERR_CORRUPT;
    }
    if (status != HS_OK && where != NULL) {
        *where = hs_at(heap, at);
    }
    return status;
}

hs_status_t hs_heap_check_block(const hs_heap_t *heap, const void *block)
{
    if (!control_agrees(heap)) {
        return HS_ERR_CORRUPT;
    }
    const uint32_t *const bitmap = hs_bitmap(heap);
    if (hs_heap_usable_size(heap, block) == 0) {
        const uintptr_t granule = hs_granule_of(heap, block);
        return hs_seems_used(heap, granule) != 0 &&
                       hs_free_before(heap, (uint32_t)granule) == HS_DAMAGED &&
                       !hs_heap_is_in_free(heap, (uint32_t)granule)
                   ? HS_ERR_CORRUPT
                   : HS_ERR_ARGUMENT;
    }
    const hs_slot_t slot = hs_is_wide(heap) ? (hs_slot_t){0, 0} : hs_slot_at(heap, block);
    const uint32_t at = slot.slab != 0 ? slot.slab : (uint32_t)hs_granule_of(heap, block);
    const uint32_t next = at + hs_seems_used(heap, at);
    if (next > heap->end || hs_bit(bitmap, next) == 0) {
        return HS_ERR_CORRUPT;
    }
    if (hs_bit(bitmap, next + 1) != 0 &&
        (free_size_at(heap, next) == 0 || !links_agree(heap, next, hs_at(heap, next)[HS_SIZE]))) {
        return HS_ERR_CORRUPT;
    }
    if (hs_bit(bitmap, at - 1) == 0) {
        return HS_OK;
    }
    const uint32_t before = hs_free_before(heap, at);
    return before != HS_DAMAGED && free_size_at(heap, at - before) == before &&
                   links_agree(heap, at - before, before)
               ? HS_OK
               : HS_ERR_CORRUPT;
}

#endif
