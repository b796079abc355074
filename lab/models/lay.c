/*
 * A heap that holds given blocks, of which only the place and the size are known.
 *
 * They are taken from a new heap in the order of their addresses by the allocator's own malloc, which gives
 * each the low end of the only free block. Where the next one should begin further on, a filler comes first,
 * or the block before was larger than asked for. The fillers are freed last: they are the holes.
 */
#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "model.h"

#define ALIGNMENTS 5u /* granules by which a filler's size is tried: 0, -1, 1, -2, 2 */

#define PLACES 16u /* more than a slab of small blocks has */

typedef struct laying {
    hs_sim_t *heap;
    uint32_t *fillers;
    size_t count;
    uint32_t header; /* bytes between two neighbours */
} laying_t;

/* Both become the other one; who points to them need not know. */
static void swap(hs_sim_t *one, hs_sim_t *other)
{
    uint8_t *const a = (uint8_t *)one;
    uint8_t *const b = (uint8_t *)other;
    for (size_t i = 0; i < one->model->state_size; i++) {
        const uint8_t kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* A block at the low end of the only free one. The search of TLSF wants more than the block needs, which
 * the last one may not have; growing does not. */
static uint32_t take(hs_sim_t *heap, uint32_t size)
{
    const uint32_t block = heap->model->malloc(heap, size);
    const uint32_t largest = heap->model->largest_allocatable(heap);
    if (block != HS_NONE || largest == 0 || largest >= size || !heap->model->has_realloc) {
        return block;
    }
    const uint32_t less = heap->model->malloc(heap, largest);
    return less == HS_NONE ? HS_NONE : heap->model->realloc(heap, less, size);
}

/* A malloc may give more than was asked for, and a rest may be too small to be cut off; all of the free block
 * is cut to any size. */
static uint32_t take_exactly(hs_sim_t *heap, uint32_t size)
{
    if (!heap->model->has_realloc) {
        return take(heap, size);
    }
    const uint32_t all = hs_sim_take_all(heap);
    return all == HS_NONE ? HS_NONE : heap->model->realloc(heap, all, size);
}

static uint32_t take_block(hs_sim_t *heap, const hs_laid_t *block)
{
    const uint32_t at = take(heap, block->size);
    if (at == HS_NONE || !block->held || heap->model->usable(heap, at) == block->size) {
        return at;
    }
    heap->model->free(heap, at);
    return take_exactly(heap, block->size);
}

/* Learns from two blocks of a new heap. */
static bool header_learn(laying_t *laying)
{
    hs_sim_t *heap = laying->heap;
    const uint32_t one = heap->model->malloc(heap, 64);
    const uint32_t other = heap->model->malloc(heap, 64);
    if (one == HS_NONE || other == HS_NONE) {
        return false;
    }
    laying->header = other - one - heap->model->usable(heap, one);
    const bool learnt = other > one && laying->header < 64;
    heap->model->free(heap, other);
    heap->model->free(heap, one);
    return learnt;
}

/* Tries to have the block begin there, with a filler of that size in front of it. */
static bool behind_filler(laying_t *laying, uint32_t filled, const hs_laid_t *block)
{
    const uint32_t filler = take_exactly(laying->heap, filled);
    if (filler == HS_NONE) {
        return false;
    }
    const uint32_t at = take_block(laying->heap, block);
    if (at == block->offset) {
        laying->fillers[laying->count++] = filler;
        return true;
    }
    if (at != HS_NONE) {
        laying->heap->model->free(laying->heap, at);
    }
    laying->heap->model->free(laying->heap, filler);
    return false;
}

/* The block before has another size than it would have now: it was moved or grew, or a rest was too small
 * for a hole. */
static bool behind_other(hs_sim_t *heap, const hs_laid_t *before, uint32_t size,
                         const hs_laid_t *block)
{
    heap->model->free(heap, before->offset);
    return take_exactly(heap, size) == before->offset && take_block(heap, block) == block->offset;
}

/* A filler may be aligned by its size. */
static bool behind_hole(laying_t *laying, uint32_t gap, const hs_laid_t *block)
{
    const uint32_t around = laying->header;
    const uint32_t granule = laying->heap->model->granule;
    for (uint32_t n = 0; n < ALIGNMENTS; n++) {
        const uint32_t size = gap + (n & 1u ? 0u - (n + 1) / 2 : n / 2) * granule;
        if (size > around && size <= laying->heap->size &&
            behind_filler(laying, size - around, block)) {
            return true;
        }
    }
    return false;
}

static void fillers_free(laying_t *laying, size_t down_to)
{
    while (laying->count > down_to) { /* the block that was freed last is taken first */
        laying->heap->model->free(laying->heap, laying->fillers[--laying->count]);
    }
}

/* `before`: NULL for the first one. Blocks of one size may have places of their own, which are filled first. */
static bool lay(laying_t *laying, const hs_laid_t *before, const hs_laid_t *block)
{
    hs_sim_t *heap = laying->heap;
    const size_t kept = laying->count;
    uint32_t gap = 0; /* where the block would come first */
    for (unsigned n = 0; n <= PLACES; n++) {
        const uint32_t at = take_block(heap, block);
        if (at == block->offset) {
            return true;
        }
        if (at == HS_NONE || at > block->offset) {
            gap = at == HS_NONE || n != 0 ? gap : block->offset - at;
            if (at != HS_NONE) {
                heap->model->free(heap, at);
            }
            break;
        }
        if (before == NULL || at > before->offset) {
            heap->model->free(heap, at);
            gap = n == 0 ? block->offset - at : gap;
            if (behind_hole(laying, block->offset - at, block)) {
                return true;
            }
            (void)take_block(heap, block);
        }
        laying->fillers[laying->count++] = at;
    }
    fillers_free(laying, kept);
    return before != NULL &&
           behind_other(heap, before,
                        gap <= block->offset ? heap->model->usable(heap, before->offset) + gap
                                             : before->size,
                        block);
}

static bool lay_all(laying_t *laying, const hs_laid_t *blocks, size_t count)
{
    if (!header_learn(laying)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!lay(laying, i == 0 ? NULL : &blocks[i - 1], &blocks[i])) {
            return false;
        }
    }
    fillers_free(laying, 0);
    hs_sim_forget_low(laying->heap);
    return true;
}

/* From the program's blocks to those of the allocator itself, whose holes may have no room for what is put
 * around a block. */
static void peel(const hs_sim_t *heap, const hs_laid_t *blocks, size_t count, hs_laid_t *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (hs_laid_t){.offset = blocks[i].offset - heap->around.front,
                             .size = blocks[i].size + hs_sim_overhead(heap),
                             .held = blocks[i].held};
    }
}

bool hs_sim_lay(hs_sim_t *heap, const hs_laid_t *blocks, size_t count)
{
    laying_t laying = {.heap = NULL};
    hs_laid_t *peeled = NULL;
    if (heap->model->forget_low != NULL) {
        laying.heap = hs_sim_new(heap->allocator, heap->base, heap->size, NULL);
        laying.fillers = malloc((count + 1) * (PLACES + 2) * sizeof *laying.fillers);
        peeled = malloc((count + 1) * sizeof *peeled);
    }
    bool laid = laying.heap != NULL && laying.fillers != NULL && peeled != NULL;
    if (laid) {
        peel(heap, blocks, count, peeled);
        laid = lay_all(&laying, peeled, count);
    }
    if (laid) {
        swap(heap, laying.heap);
    }
    free(peeled);
    free(laying.fillers);
    hs_sim_delete(laying.heap);
    return laid;
}
