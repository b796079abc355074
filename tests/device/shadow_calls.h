/* The operations on a shadowed heap, each with what the header demands of it alone. */
#ifndef HEAPSCOPE_TESTS_DEVICE_SHADOW_CALLS_H
#define HEAPSCOPE_TESTS_DEVICE_SHADOW_CALLS_H

#include "shadow.h"

/* Where a block at `at` stands, or would stand, among the known ones. */
static inline size_t shadow_place(const shadow_t *shadow, const uint8_t *at)
{
    size_t low = 0;
    size_t high = shadow->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (shadow->blocks[middle].at < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static inline void shadow_insert(shadow_t *shadow, uint8_t *at, size_t size)
{
    if (shadow->count == shadow->room) {
        shadow->room = shadow->room * 2 + 64;
        shadow->blocks = realloc(shadow->blocks, shadow->room * sizeof *shadow->blocks);
        CHECK(shadow->blocks != NULL, "no memory for %zu blocks", shadow->room);
    }
    size_t place = shadow_place(shadow, at);
    memmove(shadow->blocks + place + 1, shadow->blocks + place,
            (shadow->count - place) * sizeof *shadow->blocks);
    uint32_t seed = check_next(&shadow->seeds);
    bool raw = shadow->leave_raw != 0 && seed % shadow->leave_raw == 0;
    shadow->blocks[place] = (shadow_block_t){at, size, size, seed, raw};
    shadow->count++;
    if (!raw) {
        shadow_fill(shadow, &shadow->blocks[place]);
    }
}

static inline void shadow_remove(shadow_t *shadow, size_t index)
{
    shadow->count--;
    memmove(shadow->blocks + index, shadow->blocks + index + 1,
            (shadow->count - index) * sizeof *shadow->blocks);
}

/* Takes over a new block, or its absence: that is right only if nothing could hold it. */
static inline void shadow_take(shadow_t *shadow, void *block, size_t size)
{
    bool possible = size > 0 && size <= shadow->largest;
    SHADOW_CHECK(shadow, (block != NULL) == possible, "%zu bytes at %p, the largest are %zu", size,
                 block, shadow->largest);
    if (block != NULL) {
        uint8_t *at = block;
        SHADOW_CHECK(shadow, at >= shadow->first && at < shadow->end, "%p", block);
        SHADOW_CHECK(shadow, (size_t)(shadow->end - at) >= size, "%zu bytes at %td", size,
                     at - shadow->first);
        SHADOW_CHECK(shadow, hs_heap_usable_size(shadow->heap, at) >= size, "%zu", size);
        shadow_insert(shadow, at, size);
    }
}

static inline uint8_t *shadow_malloc(shadow_t *shadow, size_t size)
{
    shadow->step++;
    void *block = hs_heap_malloc(shadow->heap, size);
    shadow_take(shadow, block, size);
    shadow_check(shadow);
    return block;
}

static inline uint8_t *shadow_calloc(shadow_t *shadow, size_t count, size_t size)
{
    shadow->step++;
    bool overflows = size != 0 && count > SIZE_MAX / size;
    uint8_t *block = hs_heap_calloc(shadow->heap, count, size);
    for (size_t i = 0; block != NULL && i < count * size; i++) {
        SHADOW_CHECK(shadow, block[i] == 0, "byte %zu of %zu x %zu", i, count, size);
    }
    shadow_take(shadow, block, overflows ? 0 : count * size);
    shadow_check(shadow);
    return block;
}

/* ---- aligned ---------------------------------------------------------------------------------- */

typedef struct shadow_hole {
    const shadow_t *shadow;
    size_t alignment;
    size_t size;
    size_t offset;
    bool located;
} shadow_hole_t;

/* Could the request be cut out of this free block? The rest in front must be a block, too. */
static inline bool shadow_try_hole(void *context, void *block, size_t size, bool used)
{
    shadow_hole_t *hole = context;
    if (used || size < hole->size || shadow_is_slot(size)) {
        return true;
    }
    size_t own = hole->shadow->own;
    size_t needed = (hole->size + own - 1) / own * own;
    needed = needed < SHADOW_BLOCK_MIN ? SHADOW_BLOCK_MIN : needed;
    uintptr_t first = (uintptr_t)block;
    size_t remainder = (first + hole->offset) % hole->alignment;
    size_t gap = remainder == 0 ? 0 : hole->alignment - remainder;
    while (gap != 0 && gap < SHADOW_BLOCK_MIN) {
        gap += hole->alignment;
    }
    hole->located = gap <= size && needed <= size - gap;
    return !hole->located;
}

static inline bool shadow_aligned_fits(const shadow_t *shadow, size_t alignment, size_t size,
                                       size_t offset)
{
    shadow_hole_t hole = {shadow, alignment, size, offset, false};
    hs_heap_walk(shadow->heap, shadow_try_hole, &hole);
    return hole.located;
}

/* Whether an aligned request is possible, and whether it must succeed. A request that is possible
 * but need not succeed may go either way. */
typedef struct shadow_promise {
    bool possible;
    bool must;
} shadow_promise_t;

static inline shadow_promise_t shadow_promise(const shadow_t *shadow, size_t alignment, size_t size,
                                              size_t offset)
{
    shadow_promise_t promise = {false, false};
    size_t smaller = alignment < shadow->own ? alignment : shadow->own;
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0 ||
        alignment > HS_ALIGNMENT_MAX || offset > size || offset % smaller != 0) {
        return promise;
    }
    if (alignment <= shadow->own) {
        promise.must = size <= shadow->largest && (shadow->free_blocks > 0 || alignment <= 4);
        promise.possible = size <= shadow->largest;
        return promise;
    }
    promise.possible = shadow_aligned_fits(shadow, alignment, size, offset);
    /* The search is bounded: with many holes it may miss one, but never a large one. */
    promise.must =
        promise.possible &&
        (shadow->free_blocks <= SHADOW_LOOK_ALIGNED ||
         (size < shadow->largest && alignment + 2 * SHADOW_BLOCK_MIN <= shadow->largest - size));
    return promise;
}

static inline uint8_t *shadow_aligned(shadow_t *shadow, size_t alignment, size_t size,
                                      size_t offset)
{
    shadow->step++;
    shadow_promise_t promise = shadow_promise(shadow, alignment, size, offset);
    bool fits = hs_heap_fits(shadow->heap, alignment, size, offset);
    uint8_t *block = hs_heap_aligned_alloc(shadow->heap, alignment, size, offset);
    SHADOW_CHECK(shadow, fits == (block != NULL), "%zu bytes, %zu to %zu: %p", size, offset,
                 alignment, (void *)block);
    SHADOW_CHECK(shadow, block != NULL ? promise.possible : !promise.must,
                 "%zu bytes, %zu to %zu: %p", size, offset, alignment, (void *)block);
    if (block != NULL) {
        SHADOW_CHECK(shadow, (uintptr_t)(block + offset) % alignment == 0,
                     "%zu bytes, %zu to %zu: %p", size, offset, alignment, (void *)block);
        shadow_insert(shadow, block, size);
    }
    shadow_check(shadow);
    return block;
}

/* ---- realloc and free ------------------------------------------------------------------------- */

typedef struct shadow_around {
    const uint8_t *block;
    size_t before; /* bytes of the free block that ends at it */
    size_t after;
    uint8_t *last_free;
    size_t last_size;
} shadow_around_t;

static inline bool shadow_look_around(void *context, void *block, size_t size, bool used)
{
    shadow_around_t *around = context;
    uint8_t *at = block;
    if (at == around->block && around->last_size > 0 &&
        around->last_free + around->last_size == at) {
        around->before = around->last_size;
    }
    bool merges = !used && !shadow_is_slot(size);
    if (at > around->block) {
        around->after = merges ? size : 0;
        return false;
    }
    if (merges) {
        around->last_free = at;
        around->last_size = size;
    }
    return true;
}

/* The bytes that a moving realloc leaves free while both blocks exist: as if the new one were a
 * malloc. */
static inline size_t shadow_free_with_both(shadow_t *shadow, size_t size, bool *possible)
{
    uint8_t *saved = region_save(&shadow->region);
    *possible = hs_heap_malloc(shadow->heap, size) != NULL;
    size_t both = hs_heap_free_size(shadow->heap);
    region_restore(&shadow->region, saved);
    return both;
}

/* `size` is not 0. Returns the block's new place in shadow->blocks, or SIZE_MAX if it failed. */
static inline size_t shadow_realloc(shadow_t *shadow, size_t index, size_t size)
{
    shadow->step++;
    shadow_block_t old = shadow->blocks[index];
    shadow_around_t around = {old.at, 0, 0, NULL, 0};
    hs_heap_walk(shadow->heap, shadow_look_around, &around);
    if (shadow_is_slot(old.usable)) {
        around.before = 0; /* a slot neither grows nor slides */
        around.after = 0;
    }
    bool stays = size <= old.usable + around.after;
    bool slides = !stays && size <= old.usable + around.after + around.before;
    bool possible = true;
    size_t both = SIZE_MAX;
    if (!stays && !slides) {
        both = shadow_free_with_both(shadow, size, &possible);
    }
    uint8_t *block = hs_heap_realloc(shadow->heap, old.at, size);
    SHADOW_CHECK(shadow, (block != NULL) == possible, "%zu to %zu bytes", old.size, size);
    if (block != NULL) {
        SHADOW_CHECK(shadow, (block == old.at) == stays, "%zu to %zu bytes: %td to %td", old.size,
                     size, old.at - shadow->first, block - shadow->first);
        SHADOW_CHECK(shadow, !slides || block == old.at - around.before, "%zu to %zu bytes",
                     old.size, size);
        shadow->minimum = both < shadow->minimum ? both : shadow->minimum;
        size_t kept = size < old.size ? size : old.size;
        shadow_block_t moved = {block, size, size, old.seed, old.raw};
        SHADOW_CHECK(shadow, shadow_intact(shadow, &moved, kept), "%zu to %zu bytes", old.size,
                     size);
        shadow_remove(shadow, index);
        shadow_insert(shadow, block, size);
    }
    shadow_check(shadow);
    return block == NULL ? SIZE_MAX : shadow_place(shadow, block);
}

static inline void shadow_free(shadow_t *shadow, size_t index)
{
    shadow->step++;
    uint8_t *at = shadow->blocks[index].at;
    shadow_remove(shadow, index);
    if (shadow->step % 8 == 0) {
        SHADOW_CHECK(shadow, hs_heap_realloc(shadow->heap, at, 0) == NULL, "%td",
                     at - shadow->first);
    } else {
        SHADOW_CHECK(shadow, hs_heap_free(shadow->heap, at) == HS_OK, "%td", at - shadow->first);
    }
    shadow_check(shadow);
}

static inline void shadow_reset_minimum(shadow_t *shadow)
{
    size_t old = hs_heap_reset_minimum(shadow->heap);
    SHADOW_CHECK(shadow, old == shadow->minimum, "%zu, not %zu", old, shadow->minimum);
    shadow->minimum = shadow->free;
    shadow_check(shadow);
}

static inline void shadow_restore_minimum(shadow_t *shadow, size_t minimum)
{
    hs_heap_restore_minimum(shadow->heap, minimum);
    shadow->minimum = minimum < shadow->minimum ? minimum : shadow->minimum;
    shadow_check(shadow);
}

/* All blocks go; the heap is one free block again. */
static inline void shadow_empty(shadow_t *shadow, check_random_t *random)
{
    while (shadow->count > 0) {
        shadow_free(shadow, check_below(random, (uint32_t)shadow->count));
    }
    SHADOW_CHECK(shadow,
                 shadow->free == (size_t)(shadow->end - shadow->first) &&
                     shadow->free_blocks == 1 && shadow->slabs == 0,
                 "%zu bytes in %zu blocks", shadow->free, shadow->free_blocks);
}

#endif
