/* The public operations: creation, and the way to the form that a heap has. */
#include "forms.h"

#if HS_COMPILED

/* An operation of the form that the heap has. */
#if HS_FORMS_APART
#define OF_FORM(heap, operation, ...)                                                              \
    (hs_is_wide(heap) ? HS_WIDENED(operation)(heap, __VA_ARGS__)                                   \
                      : HS_SMALL(operation)(heap, __VA_ARGS__))
#else
#define OF_FORM(heap, operation, ...) HS_SMALL(operation)(heap, __VA_ARGS__)
#endif

#if !HS_HAS_CLZ && !HS_LEAN
#define TWICE(bin) bin, bin
#define FOUR_TIMES(bin) TWICE(bin), TWICE(bin)
#define EIGHT_TIMES(bin) FOUR_TIMES(bin), FOUR_TIMES(bin)
/* The bins of 16 to 63 granules. */
#define FROM_EXACT                                                                                 \
    FOUR_TIMES(16), FOUR_TIMES(17), FOUR_TIMES(18), FOUR_TIMES(19), EIGHT_TIMES(20),               \
        EIGHT_TIMES(21), EIGHT_TIMES(22), EIGHT_TIMES(23)
const uint8_t hs_heap_bins[2 * HS_BINS_LISTED] = {
    0,  1,  2,  3,         4,         5,         6,          7,          8,        9,
    10, 11, 12, 13,        14,        15,        FROM_EXACT, TWICE(0),   TWICE(4), 8,
    9,  10, 11, TWICE(12), TWICE(13), TWICE(14), TWICE(15),  FROM_EXACT,
};
#endif

static uint32_t up(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

hs_heap_t *hs_heap_create(void *memory, size_t size, const hs_heap_config_t *config)
{
    const uint32_t form = config != NULL ? (uint32_t)config->form : HS_FORM_AUTO;
    uint32_t alignment = config != NULL ? config->alignment : 0;
    alignment = alignment == 0 || alignment == 4 ? HS_GRANULE : alignment;
    if (form > (HS_WIDE ? HS_FORM_WORD : HS_FORM_SMALL) || memory == NULL ||
        (alignment != 8 && alignment != 16) || size < 8 * HS_GRANULE) {
        return NULL;
    }
    const bool wide =
        HS_WIDE && (form == HS_FORM_AUTO ? size > HS_SMALL_MAX : form != HS_FORM_SMALL);
    const uint32_t most = wide ? HS_WIDE_MAX : HS_SMALL_MAX;
    const uint32_t bytes = size < most ? (uint32_t)size : most;
    /* Where the memory begins, modulo the alignment; then bins, on whole words, and the handle. */
    const uint32_t low = (uint32_t)(uintptr_t)memory & (alignment - 1);
    const uint32_t bins = (hs_last_bin(bytes / HS_GRANULE) - 1) * (wide ? 4 : 2);
    const uint32_t handle = up(up(low, 4) + bins, alignment) - low;
    if (handle >= bytes) {
        return NULL;
    }
    const uint32_t unit = alignment / HS_GRANULE - 1;
    const uint32_t end = (bytes - handle) / HS_GRANULE & ~unit;
    const uint32_t first = hs_first_of(end, wide, unit);
    if (first + HS_BLOCK_MIN > end) {
        return NULL;
    }
    hs_heap_t *const heap = (hs_heap_t *)((uintptr_t)memory + handle);
    /* Bins, control and bitmap, by words: word-only memory faults on any other access. */
    hs_zero((hs_word_t *)(((uintptr_t)memory + 3) & ~(uintptr_t)3), hs_at(heap, first));
    heap->end = end;
    heap->shape = hs_shape_of(end, wide, unit);
    HS_ASSERT(hs_first(heap) == first && hs_is_wide(heap) == wide);
    HS_ASSERT((uintptr_t)hs_at(heap, end) <= (uintptr_t)memory + size);
    OF_FORM(heap, start, first);
    return heap;
}

void *hs_heap_calloc(hs_heap_t *heap, size_t count, size_t size)
{
    if (sizeof(size_t) > 4 && (count > HS_WIDE_MAX || size > HS_WIDE_MAX)) {
        return NULL; /* on 32 bits no product overflows 64 */
    }
    const uint64_t bytes = (uint64_t)count * size;
    void *const block = bytes <= HS_WIDE_MAX ? hs_heap_malloc(heap, (size_t)bytes) : NULL;
    if (block != NULL) {
        hs_zero(block, (hs_word_t *)block + ((uint32_t)bytes + 3) / 4);
    }
    return block;
}

#if HS_ENDS
void hs_heap_set_end(hs_heap_t *heap, bool high)
{
    heap->shape = (heap->shape & ~HS_HIGH) | (high ? HS_HIGH : 0);
}
#endif

/* Is it an alignment that the heap can give at that place in a block? */
static bool is_alignment(const hs_heap_t *heap, size_t alignment, size_t size, size_t offset)
{
    const uint32_t blocks = HS_GRANULE << (heap->shape & HS_UNIT);
    return alignment != 0 && (alignment & (alignment - 1)) == 0 && alignment <= HS_ALIGNMENT_MAX &&
           offset <= size && (offset & (alignment - 1) & (blocks - 1)) == 0;
}

void *hs_heap_aligned_alloc(hs_heap_t *heap, size_t alignment, size_t size, size_t offset)
{
    if (!is_alignment(heap, alignment, size, offset)) {
        return NULL;
    }
    if (alignment <= hs_alignment(heap, size)) {
        return hs_heap_malloc(heap, size);
    }
    return OF_FORM(heap, aligned, (uint32_t)alignment, size, (uint32_t)offset);
}

bool hs_heap_fits(const hs_heap_t *heap, size_t alignment, size_t size, size_t offset)
{
    if (!is_alignment(heap, alignment, size, offset)) {
        return false;
    }
    return OF_FORM(heap, finds, (uint32_t)alignment, size, (uint32_t)offset);
}

#if HS_FORMS_APART

void *hs_heap_malloc(hs_heap_t *heap, size_t size)
{
    return OF_FORM(heap, malloc, size);
}

void *hs_heap_realloc(hs_heap_t *heap, void *block, size_t size)
{
    return OF_FORM(heap, realloc, block, size);
}

hs_status_t hs_heap_free(hs_heap_t *heap, void *block)
{
    return OF_FORM(heap, free, block);
}

size_t hs_heap_largest(const hs_heap_t *heap)
{
    return hs_is_wide(heap) ? hs_wide_largest(heap) : hs_small_largest(heap);
}

#endif

#endif
