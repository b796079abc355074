/* The public operations: creation, and the way to the form that a heap has. */
#include "forms.h"

/* Where the parts of a heap lie; bytes from the start of the memory, and granules. */
typedef struct hs_place {
    uint32_t handle;
    uint32_t first;
    uint32_t end;
} hs_place_t;

static uint32_t up(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

/* Lays a heap of `size` bytes out; false: not even one block fits. `low` is where the memory begins,
 * modulo the alignment. */
static bool lay_out(uint32_t low, uint32_t size, bool wide, uint32_t alignment, hs_place_t *place)
{
    const uint32_t bin_bytes = wide ? 4 : 2;
    const uint32_t bins = (hs_last_bin(size / HS_GRANULE) - 1) * bin_bytes;
    place->handle = up(up(low, 4) + bins, alignment) - low; /* bins on whole words */
    if (place->handle >= size) {
        return false;
    }
    const uint32_t unit = alignment / HS_GRANULE - 1;
    place->end = (size - place->handle) / HS_GRANULE & ~unit;
    const uint32_t head =
        (uint32_t)sizeof(hs_heap_t) + 4 * (hs_words_before(wide) + hs_bitmap_words(place->end));
    place->first = up(head, alignment) / HS_GRANULE;
    HS_ASSERT(place->first * HS_GRANULE >= head && place->first % (alignment / HS_GRANULE) == 0);
    return place->first + HS_BLOCK_MIN <= place->end;
}

hs_heap_t *hs_heap_create(void *memory, size_t size, const hs_heap_config_t *config)
{
    static const hs_heap_config_t defaults = {HS_FORM_AUTO, HS_ALIGNMENT_DEFAULT};
    config = config != NULL ? config : &defaults;
    uint32_t alignment = config->alignment != 0 ? config->alignment : HS_ALIGNMENT_DEFAULT;
    if ((uint32_t)config->form > HS_FORM_WORD || memory == NULL ||
        (alignment != 4 && alignment != 8 && alignment != 16)) {
        return NULL;
    }
    alignment = alignment < HS_GRANULE ? HS_GRANULE : alignment;
    const uint32_t wide =
        config->form == HS_FORM_AUTO ? size > HS_SMALL_MAX : config->form != HS_FORM_SMALL;
    const uint32_t most = wide ? HS_WIDE_MAX : HS_SMALL_MAX;
    const uint32_t low = (uint32_t)((uintptr_t)memory & (alignment - 1));
    hs_place_t place;
    if (size < 8 * HS_GRANULE ||
        !lay_out(low, size < most ? (uint32_t)size : most, wide, alignment, &place)) {
        return NULL;
    }
    hs_heap_t *const heap = (hs_heap_t *)((uintptr_t)memory + place.handle);
    /* Bins, control and bitmap, by words: word-only memory faults on any other access. */
    uint32_t *const last = hs_at(heap, place.first);
    const uintptr_t begin = ((uintptr_t)memory + 3) & ~(uintptr_t)3;
    hs_zero((hs_word_t *)begin, last);
    heap->end = place.end;
    heap->shape = hs_shape_of(place.end, wide, alignment / HS_GRANULE - 1);
    HS_ASSERT(hs_first(heap) == place.first && hs_is_wide(heap) == (wide != 0));
    HS_ASSERT((uintptr_t)hs_at(heap, place.end) <= (uintptr_t)memory + size);
    if (wide) {
        hs_wide_start(heap, place.first);
    } else {
        hs_small_start(heap, place.first);
    }
    return heap;
}

void *hs_heap_malloc(hs_heap_t *heap, size_t size)
{
    return hs_is_wide(heap) ? hs_wide_malloc(heap, size) : hs_small_malloc(heap, size);
}

void *hs_heap_calloc(hs_heap_t *heap, size_t count, size_t size)
{
    if (count > HS_WIDE_MAX || size > HS_WIDE_MAX) {
        return NULL;
    }
    const uint64_t bytes = (uint64_t)count * size;
    void *const block = bytes <= HS_WIDE_MAX ? hs_heap_malloc(heap, (size_t)bytes) : NULL;
    if (block != NULL) {
        hs_zero(block, (hs_word_t *)block + ((uint32_t)bytes + 3) / 4);
    }
    return block;
}

/* Is it an alignment that the heap can give at that place in a block? */
static bool is_alignment(const hs_heap_t *heap, size_t alignment, size_t size, size_t offset)
{
    const uint32_t blocks = HS_GRANULE << (heap->shape & HS_UNIT);
    return alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= HS_ALIGNMENT_MAX &&
           offset <= size && offset % (alignment < blocks ? alignment : blocks) == 0;
}

void *hs_heap_aligned_alloc(hs_heap_t *heap, size_t alignment, size_t size, size_t offset)
{
    if (!is_alignment(heap, alignment, size, offset)) {
        return NULL;
    }
    if (alignment <= hs_alignment(heap, size)) {
        return hs_heap_malloc(heap, size);
    }
    return hs_is_wide(heap) ? hs_wide_aligned(heap, (uint32_t)alignment, size, (uint32_t)offset)
                            : hs_small_aligned(heap, (uint32_t)alignment, size, (uint32_t)offset);
}

void *hs_heap_realloc(hs_heap_t *heap, void *block, size_t size)
{
    return hs_is_wide(heap) ? hs_wide_realloc(heap, block, size)
                            : hs_small_realloc(heap, block, size);
}

hs_status_t hs_heap_free(hs_heap_t *heap, void *block)
{
    return hs_is_wide(heap) ? hs_wide_free(heap, block) : hs_small_free(heap, block);
}

bool hs_heap_fits(const hs_heap_t *heap, size_t alignment, size_t size, size_t offset)
{
    if (!is_alignment(heap, alignment, size, offset)) {
        return false;
    }
    return hs_is_wide(heap) ? hs_wide_fits(heap, (uint32_t)alignment, size, (uint32_t)offset)
                            : hs_small_fits(heap, (uint32_t)alignment, size, (uint32_t)offset);
}

size_t hs_heap_largest(const hs_heap_t *heap)
{
    return hs_is_wide(heap) ? hs_wide_largest(heap) : hs_small_largest(heap);
}
