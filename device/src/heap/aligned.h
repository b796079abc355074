/*
 * Aligned blocks, and whether a request would succeed now, for one form: part of operations.h.
 */

/* Free blocks that a search for an aligned block looks at before it asks for one so large that any
 * will do. */
#define HS_LOOK_ALIGNED 16u

/* Granules to leave free in front, so that the byte `offset` bytes behind the block is aligned:
 * none, or enough for a block. */
static inline uint32_t lead_of(const hs_heap_t *heap, uint32_t block, uint32_t alignment,
                               uint32_t offset)
{
    HS_ASSERT(alignment >= HS_GRANULE && (alignment & (alignment - 1)) == 0);
    const uint32_t at = (uint32_t)(uintptr_t)hs_at(heap, block) + offset;
    const uint32_t lead = ((0u - at) & (alignment - 1)) >> HS_GRANULE_SHIFT;
    return lead == 1 ? lead + (alignment >> HS_GRANULE_SHIFT) : lead;
}

static HS_APART fit_t find(const hs_heap_t *heap, uint32_t granules)
{
    return 2 * granules <= heap->free ? bin_find(heap, granules) : 0;
}

/* A free block that can hold `granules` from an aligned place on. */
static HS_SHARED fit_t find_aligned(const hs_heap_t *heap, uint32_t granules, uint32_t alignment,
                                    uint32_t offset)
{
    if (2 * granules > heap->free) {
        return 0;
    }
    uint32_t look = HS_LOOK_ALIGNED;
    /* bound: HS_LOOK_ALIGNED */
    for (uint32_t at = bin_from(heap, bin_of(heap, granules)); at != 0 && look != 0;
         at = bin_from(heap, at + 1)) {
        const uint32_t head = bin_head(heap, at);
        uint32_t block = head;
        do { /* bound: 1 each, HS_LOOK_ALIGNED - 1 more in all */
            const uint32_t size = hs_at(heap, block)[HS_SIZE];
            const uint32_t lead = lead_of(heap, block, alignment, offset);
            if (lead <= size && granules <= size - lead) {
                return fit_in(at, block);
            }
            block = hs_at(heap, block)[HS_NEXT];
            look--;
        } while (look != 0 && block != head);
    }
    /* Lead is at most alignment - 1 granules, or one alignment and one granule. */
    const uint32_t enough = granules + (alignment >> HS_GRANULE_SHIFT) + 1;
    const uint32_t even = enough + (enough & heap->shape & HS_UNIT);
    return find(heap, even);
}

HS_OF_UNIT void *HS_NAME(aligned)(hs_heap_t *heap, uint32_t alignment, size_t size, uint32_t offset)
{
    if (size - 1 >= BYTES_MAX) {
        return NULL;
    }
    const uint32_t granules = block_granules(heap, size);
    const fit_t match = find_aligned(heap, granules, alignment, offset);
    uint32_t block = (uint32_t)match;
    if (block == 0) {
        return NULL;
    }
    const uint32_t lead = lead_of(heap, block, alignment, offset);
    HS_ASSERT(lead + granules <= hs_at(heap, block)[HS_SIZE]);
    const uint32_t whole = hs_at(heap, block)[HS_SIZE] - lead;
    bin_remove(heap, block, (uint32_t)(match >> 32));
    if (lead == 0) {
        begin_used(heap, block);
    } else {
        put_two(heap, block + lead - 1, 3);
        bin_put(heap, 0, 0, block, lead);
    }
    block += lead;
    settle(heap, 0, block, whole, granules);
    note_minimum(heap);
    return hs_at(heap, block);
}

HS_OF_UNIT bool HS_NAME(finds)(const hs_heap_t *heap, uint32_t alignment, size_t size,
                               uint32_t offset)
{
    if (size - 1 >= BYTES_MAX) {
        return false;
    }
    const uint32_t granules = block_granules(heap, size);
    if (alignment > hs_alignment(heap, size)) {
        return (uint32_t)find_aligned(heap, granules, alignment, offset) != 0;
    }
    if (!HS_IS_WIDE(heap) && size <= HS_SLOT_MAX && kind_with_slot(heap, size) < HS_SLAB_KINDS) {
        return true;
    }
    return (uint32_t)find(heap, granules) != 0;
}

size_t HS_NAME(largest)(const hs_heap_t *heap)
{
    uint32_t word = (HS_IS_WIDE(heap) ? HS_MAP_WIDE : HS_MAP_SMALL) - 1;
    while (word != 0 && heap->words[word] == 0) { /* bound: map - 1 */
        word--;
    }
    if (heap->words[word] == 0) {
        return HS_IS_WIDE(heap) ? 0 : largest_slot(heap);
    }
    /* The largest of the blocks that a search in the last bin looks at. */
    const uint32_t head = bin_head(heap, word * HS_WORD_BITS + hs_word_highest(heap->words[word]));
    uint32_t largest = 0;
    uint32_t block = head;
    uint32_t look = HS_LOOK_LAST;
    do { /* bound: HS_LOOK_LAST */
        const uint32_t size = hs_at(heap, block)[HS_SIZE];
        largest = size > largest ? size : largest;
        block = hs_at(heap, block)[HS_NEXT];
    } while (--look != 0 && block != head);
    return (size_t)HS_GRANULE * largest;
}

/* The only free block of a new heap. */
HS_OF_UNIT void HS_NAME(start)(hs_heap_t *heap, uint32_t first)
{
    const uint32_t size = heap->end - first;
    begin_free(heap, first);
    put_two(heap, heap->end - 1, 3);
    bin_put(heap, 0, 0, first, size);
    heap->free = 2 * size;
    heap->minimum = 2 * size;
}
