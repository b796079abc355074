/*
 * The front of every model: argument checks, poisoning and task tracking, low-water marks.
 *
 * Light poisoning (ESP-IDF components/heap/multi_heap_poisoning.c, v3.3 to v6.1):
 *
 *     raw payload   +0 0xABBA1234   +4 n   +8 the program's n bytes   +8+n 0xBAAD5678
 *
 * Comprehensive poisoning has the same words, and its realloc always takes a new block.
 *
 * Task tracking up to v5.1: a field of the poison's head, hence only with poisoning.
 *
 *     raw payload   +0 0xABBA1234   +4 task   +8 n   +12 the program's n bytes   +12+n 0xBAAD5678
 *
 * Task tracking since v5.2: heap_caps_base.c asks for 4 bytes more and keeps the task in them. Poisoning
 * lies below that layer: its n counts the 4 bytes, and they come behind its head.
 *
 *     raw payload   +0 task   +4 the program's n bytes
 *     raw payload   +0 0xABBA1234   +4 n+4   +8 task   +12 the program's n bytes   +12+n 0xBAAD5678
 *
 * None of these words is written here: a replay has no payload, so nothing could destroy them, and
 * they never decide where a block goes.
 */
#include <stdlib.h>
#include <string.h>

#include "free_index.h"
#include "model.h"
#include "region.h"

#define POISON_HEAD UINT32_C(8)
#define POISON_TAIL UINT32_C(4)
#define TASK_HANDLE UINT32_C(4)
#define SIZE_LIMIT UINT32_C(0xFFFFFFFF)

static hs_around_t around_of(hs_allocator_t allocator)
{
    const bool in_poison = allocator.track && allocator.model->tracking == HS_TRACKING_IN_POISON;
    hs_around_t around = {0, 0, 0, 0};
    if (allocator.light || in_poison) {
        around.front = POISON_HEAD + (in_poison ? TASK_HANDLE : 0);
        around.behind = POISON_TAIL;
        around.poison = around.front + around.behind;
    }
    const bool in_front = allocator.track && (allocator.model->tracking == HS_TRACKING_IN_FRONT ||
                                              allocator.model->tracking == HS_TRACKING_LISTED);
    around.owner = in_front ? TASK_HANDLE : 0;
    around.front += around.owner;
    return around;
}

static uint32_t less(uint32_t bytes, uint32_t amount)
{
    return bytes > amount ? bytes - amount : 0;
}

/* The raw allocator's request for `size` bytes, or 0 where the layers above it refuse the size (the
 * raw allocators refuse 0 themselves). Without them even sizes that wrap go through: it is the
 * version's own affair what becomes of them. */
static uint32_t raw_size(const hs_sim_t *heap, uint32_t size)
{
    const uint32_t more = hs_sim_overhead(heap);
    if (more == 0) {
        return size;
    }
    return size == 0 || size > SIZE_LIMIT - more ? 0 : size + more;
}

/* The end of every operation that may have taken memory: from the raw result to the program's. */
static uint32_t settle(hs_sim_t *heap, uint32_t raw)
{
    if (raw == HS_NONE) {
        return HS_NONE;
    }
    hs_region_note_low(heap);
    return raw + heap->around.front;
}

/* ---- life ------------------------------------------------------------------------------------- */

uint32_t hs_sim_modulus(const hs_sim_t *heap)
{
    const uint32_t most = heap->model->host_alignment;
    uint32_t modulus = 1;
    while (modulus < most && modulus <= heap->size) {
        modulus <<= 1;
    }
    return modulus;
}

#define MUCH ((size_t)64 << 20) /* fresh pages of the host, which are zero */

/* Host memory for a region, all zero. */
static bool take_memory(hs_sim_t *heap)
{
    const size_t modulus = hs_sim_modulus(heap);
    if (modulus == 1) {
        heap->memory = calloc(heap->size, 1);
        heap->mem = heap->memory;
        return heap->mem != NULL;
    }
    if (heap->size > SIZE_MAX - modulus) {
        return false;
    }
    /* Not calloc: what is taken for the position alone need not become pages of the host. Pages
     * of much memory come when they are used, and a file that asks for a gigabyte uses few. */
    const bool much = heap->size >= MUCH;
    heap->memory = much ? calloc(heap->size + modulus - 1, 1) : malloc(heap->size + modulus - 1);
    if (heap->memory == NULL) {
        return false;
    }
    heap->mem = heap->memory;
    heap->mem += ((size_t)heap->base - (size_t)(uintptr_t)heap->memory) & (modulus - 1);
    if (!much) {
        memset(heap->mem, 0, heap->size);
    }
    return true;
}

/* A heap of the same model and place, without contents. */
static hs_sim_t *heap_shell(const hs_model_t *model, uint32_t base, uint32_t size)
{
    hs_sim_t *heap = calloc(1, model->state_size);
    if (heap == NULL) {
        return NULL;
    }
    heap->model = model;
    heap->base = base;
    heap->size = size;
    heap->largest = HS_NONE;
    if (!take_memory(heap)) {
        free(heap);
        return NULL;
    }
    return heap;
}

static bool has_flavour(hs_allocator_t allocator)
{
    return allocator.model != NULL && (!allocator.light || allocator.model->poisonable) &&
           (!allocator.track || allocator.model->tracking != HS_TRACKING_NONE) &&
           (allocator.guard == 0 || allocator.model->guardable);
}

static hs_status_t heap_build(hs_allocator_t allocator, uint32_t base, uint32_t size,
                              hs_sim_t **out)
{
    if (!has_flavour(allocator)) {
        return HS_ERR_ARGUMENT;
    }
    /* A region that reaches the end of the address space would need an end of 2^32. */
    if (size == 0 || size > SIZE_LIMIT - base) {
        return HS_ERR_MEMORY;
    }
    hs_sim_t *heap = heap_shell(allocator.model, base, size);
    if (heap == NULL) {
        return HS_ERR_MEMORY;
    }
    heap->around = around_of(allocator);
    heap->allocator = allocator;
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
    hs_sim_t *copy = heap_shell(heap->model, heap->base, heap->size);
    if (copy == NULL) {
        return NULL;
    }
    uint8_t *mem = copy->mem;
    void *memory = copy->memory;
    memcpy(mem, heap->mem, heap->size);
    memcpy(copy, heap, heap->model->state_size);
    copy->mem = mem;
    copy->memory = memory;
    copy->index = hs_index_clone(heap->index);
    return copy;
}

void hs_sim_delete(hs_sim_t *heap)
{
    if (heap != NULL) {
        hs_index_delete(heap->index);
        free(heap->memory);
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

/* The work of the C library's realloc, for an allocator that has none. That of comprehensive
 * poisoning is the same. */
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
    uint32_t old = offset - heap->around.front;
    bool own = heap->model->has_realloc && !heap->allocator.full;
    return settle(heap,
                  own ? heap->model->realloc(heap, old, raw) : realloc_by_copy(heap, old, raw));
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
                  heap->model->aligned(heap, align, raw_size(heap, size), at + heap->around.front));
}

void hs_sim_free(hs_sim_t *heap, uint32_t offset, bool aligned)
{
    uint32_t raw = offset - heap->around.front;
    if (aligned && heap->model->aligned_is_own) {
        heap->model->aligned_free(heap, raw);
    } else {
        heap->model->free(heap, raw);
    }
}

/* ---- questions -------------------------------------------------------------------------------- */

uint32_t hs_sim_usable(const hs_sim_t *heap, uint32_t offset, bool aligned)
{
    uint32_t raw = offset - heap->around.front;
    bool own = aligned && heap->model->aligned_is_own;
    return less(own ? heap->model->aligned_usable(heap, raw) : heap->model->usable(heap, raw),
                hs_sim_overhead(heap));
}

bool hs_sim_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    if (align == 0) {
        uint32_t raw = raw_size(heap, size);
        return raw != 0 && heap->model->fits(heap, 0, raw, 0);
    }
    return aligned_is_possible(heap, align, size, at) &&
           heap->model->fits(heap, align, raw_size(heap, size), at + heap->around.front);
}

uint32_t hs_sim_find_largest(hs_sim_t *heap)
{
    return heap->model->largest_allocatable(heap);
}

uint32_t hs_sim_largest_free(const hs_sim_t *heap)
{
    return heap->model->largest_free(heap);
}

uint32_t hs_sim_free_blocks(const hs_sim_t *heap)
{
    return heap->model->free_blocks != NULL ? heap->model->free_blocks(heap)
                                            : heap->tally.free_blocks;
}

void hs_sim_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    heap->model->reported(heap, out);
    const uint32_t poison = heap->around.poison;
    out->free = less(out->free, poison);
    out->minimum_free = less(out->minimum_free, poison);
    out->largest_free = less(out->largest_free, poison);
    out->allocated -= poison * heap->tally.used_blocks;
}

uint32_t hs_sim_counted_free(const hs_sim_t *heap)
{
    hs_reported_t reported;
    heap->model->reported(heap, &reported);
    return reported.free;
}

void hs_sim_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    heap->model->walk(heap, visit, context);
}

void hs_sim_walk_free(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const hs_model_t *model = heap->model;
    (model->walk_free != NULL ? model->walk_free : model->walk)(heap, visit, context);
}

hs_status_t hs_sim_check(const hs_sim_t *heap, uint32_t *where)
{
    uint32_t unused;
    return heap->model->check(heap, where != NULL ? where : &unused);
}
