/*
 * The front of every model: argument checks, light poisoning, low-water marks.
 *
 * Light poisoning (ESP-IDF components/heap/multi_heap_poisoning.c, v4.2 to v5.5):
 *
 *     raw payload   +0 0xABBA1234   +4 n   +8 the program's n bytes   +8+n 0xBAAD5678
 *
 * The canaries themselves are not written here: a replay has no payload, so nothing could destroy
 * them, and they never decide where a block goes.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "region.h"

#define POISON_HEAD UINT32_C(8)
#define POISON_TOTAL UINT32_C(12)
#define SIZE_LIMIT UINT32_C(0xFFFFFFFF)

static uint32_t poison_head(const hs_sim_t *heap)
{
    return heap->light ? POISON_HEAD : 0;
}

static uint32_t less_poison(const hs_sim_t *heap, uint32_t bytes)
{
    if (!heap->light) {
        return bytes;
    }
    return bytes > POISON_TOTAL ? bytes - POISON_TOTAL : 0;
}

/* The raw allocator's request for `size` bytes, or 0 where poisoning refuses the size (the raw
 * allocators refuse 0 themselves). Without poisoning even sizes that wrap go through: it is the
 * version's own affair what becomes of them. */
static uint32_t raw_size(const hs_sim_t *heap, uint32_t size)
{
    if (!heap->light) {
        return size;
    }
    return size == 0 || size > SIZE_LIMIT - POISON_TOTAL ? 0 : size + POISON_TOTAL;
}

/* The end of every operation that may have taken memory: from the raw result to the program's. */
static uint32_t settle(hs_sim_t *heap, uint32_t raw)
{
    if (raw == HS_NONE) {
        return HS_NONE;
    }
    hs_region_note_low(heap);
    return raw + poison_head(heap);
}

/* ---- life ------------------------------------------------------------------------------------- */

/* A heap of the same model and place, without contents. */
static hs_sim_t *heap_shell(hs_allocator_t allocator, uint32_t base, uint32_t size)
{
    hs_sim_t *heap = calloc(1, allocator.model->state_size);
    if (heap == NULL) {
        return NULL;
    }
    heap->mem = calloc(size, 1);
    if (heap->mem == NULL) {
        free(heap);
        return NULL;
    }
    heap->model = allocator.model;
    heap->base = base;
    heap->size = size;
    heap->light = allocator.light;
    heap->largest = HS_NONE;
    return heap;
}

static hs_status_t heap_build(hs_allocator_t allocator, uint32_t base, uint32_t size,
                              hs_sim_t **out)
{
    if (allocator.model == NULL || (allocator.light && !allocator.model->poisonable)) {
        return HS_ERR_ARGUMENT;
    }
    /* A region that reaches the end of the address space would need an end of 2^32. */
    if (size == 0 || size > SIZE_LIMIT - base) {
        return HS_ERR_MEMORY;
    }
    hs_sim_t *heap = heap_shell(allocator, base, size);
    if (heap == NULL) {
        return HS_ERR_MEMORY;
    }
    hs_status_t status = allocator.model->create(heap);
    if (status != HS_OK) {
        hs_sim_delete(heap);
        return status;
    }
    heap->tally.minimum_free = heap->tally.lowest_free = heap->tally.free;
    *out = heap;
    return HS_OK;
}

hs_sim_t *hs_sim_new(hs_allocator_t allocator, uint32_t base, uint32_t size, hs_status_t *why)
{
    hs_sim_t *heap = NULL;
    hs_status_t status = heap_build(allocator, base, size, &heap);
    if (why != NULL) {
        *why = status;
    }
    return heap;
}

hs_sim_t *hs_sim_clone(const hs_sim_t *heap)
{
    hs_allocator_t allocator = {heap->model, heap->light};
    hs_sim_t *copy = heap_shell(allocator, heap->base, heap->size);
    if (copy == NULL) {
        return NULL;
    }
    uint8_t *mem = copy->mem;
    memcpy(mem, heap->mem, heap->size);
    memcpy(copy, heap, heap->model->state_size);
    copy->mem = mem;
    return copy;
}

void hs_sim_delete(hs_sim_t *heap)
{
    if (heap != NULL) {
        free(heap->mem);
        free(heap);
    }
}

/* ---- operations ------------------------------------------------------------------------------- */

uint32_t hs_sim_malloc(hs_sim_t *heap, uint32_t size)
{
    uint32_t raw = raw_size(heap, size);
    return raw == 0 ? HS_NONE : settle(heap, heap->model->malloc(heap, raw));
}

uint32_t hs_sim_calloc(hs_sim_t *heap, uint32_t size)
{
    uint32_t offset = hs_sim_malloc(heap, size);
    if (offset != HS_NONE) {
        heap->steps.copied += size;
    }
    return offset;
}

/* What the C library's realloc does on an allocator that has none. */
static uint32_t realloc_by_copy(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    uint32_t moved = heap->model->malloc(heap, size);
    if (moved == HS_NONE) {
        return HS_NONE;
    }
    hs_region_note_low(heap);
    uint32_t old = heap->model->usable(heap, offset);
    heap->steps.copied += old < size ? old : size;
    heap->model->free(heap, offset);
    return moved;
}

uint32_t hs_sim_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    /* heap_caps_realloc() frees by itself on size 0, in every version; so the wrong counts that
     * multi_heap_realloc(p, 0) leaves behind since v4.3 are never seen by a program. */
    if (size == 0) {
        hs_sim_free(heap, offset, false);
        return HS_NONE;
    }
    uint32_t raw = raw_size(heap, size);
    if (raw == 0) {
        return HS_NONE;
    }
    uint32_t old = offset - poison_head(heap);
    return settle(heap, heap->model->has_realloc ? heap->model->realloc(heap, old, raw)
                                                 : realloc_by_copy(heap, old, raw));
}

/* The largest alignment. At 2^31 the sums of TLSF's memalign wrap and the real one answers with a
 * block that is neither aligned nor large enough, so no result of it is worth imitating. */
#define ALIGN_LIMIT (UINT32_C(1) << 30)

static bool align_is_valid(uint32_t align)
{
    return align != 0 && (align & (align - 1)) == 0 && align <= ALIGN_LIMIT;
}

static bool aligned_is_possible(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    return heap->model->has_aligned && align_is_valid(align) && at <= size &&
           raw_size(heap, size) != 0;
}

uint32_t hs_sim_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    if (!aligned_is_possible(heap, align, size, at)) {
        return HS_NONE;
    }
    return settle(heap,
                  heap->model->aligned(heap, align, raw_size(heap, size), at + poison_head(heap)));
}

void hs_sim_free(hs_sim_t *heap, uint32_t offset, bool aligned)
{
    uint32_t raw = offset - poison_head(heap);
    if (aligned && heap->model->aligned_is_own) {
        heap->model->aligned_free(heap, raw);
    } else {
        heap->model->free(heap, raw);
    }
}

/* ---- questions -------------------------------------------------------------------------------- */

uint32_t hs_sim_usable(const hs_sim_t *heap, uint32_t offset, bool aligned)
{
    uint32_t raw = offset - poison_head(heap);
    bool own = aligned && heap->model->aligned_is_own;
    return less_poison(heap, own ? heap->model->aligned_usable(heap, raw)
                                 : heap->model->usable(heap, raw));
}

bool hs_sim_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    if (align == 0) {
        uint32_t raw = raw_size(heap, size);
        return raw != 0 && heap->model->fits(heap, 0, raw, 0);
    }
    return aligned_is_possible(heap, align, size, at) &&
           heap->model->fits(heap, align, raw_size(heap, size), at + poison_head(heap));
}

uint32_t hs_sim_find_largest(hs_sim_t *heap)
{
    return heap->model->largest_allocatable(heap);
}

uint32_t hs_sim_largest_free(const hs_sim_t *heap)
{
    return heap->model->largest_free(heap);
}

void hs_sim_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    heap->model->reported(heap, out);
    if (heap->light) {
        out->free = less_poison(heap, out->free);
        out->minimum_free = less_poison(heap, out->minimum_free);
        out->largest_free = less_poison(heap, out->largest_free);
        out->allocated -= POISON_TOTAL * heap->tally.used_blocks;
    }
}

void hs_sim_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    heap->model->walk(heap, visit, context);
}

hs_status_t hs_sim_check(const hs_sim_t *heap, uint32_t *where)
{
    uint32_t unused;
    return heap->model->check(heap, where != NULL ? where : &unused);
}
