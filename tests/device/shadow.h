/*
 * A heap of ours beside the shadow model that knows which blocks it must hold, with which bytes,
 * and how little was ever free. Each operation goes to both; shadow_check() then compares the heap
 * with the shadow from end to end. The promises of the header are demanded to the byte: when malloc
 * and realloc fail, where realloc leaves a block, what free and minimum are.
 */
#ifndef HEAPSCOPE_TESTS_DEVICE_SHADOW_H
#define HEAPSCOPE_TESTS_DEVICE_SHADOW_H

#include "heapscope/heap.h"
#include "region.h"

#define SHADOW_GRANULE 8u
#define SHADOW_BLOCK_MIN 16u
#define SHADOW_SLAB_HEAD 8u
#define SHADOW_SLAB_REST 12u /* bytes that the slots may leave over: half a granule, and one more */
#define SHADOW_SLOT_MAX 8u
#define SHADOW_STRIPE 8192u     /* bytes of the pattern that payloads are filled with */
#define SHADOW_EVERY_BYTE 65536 /* bytes of a region of which every check looks at all payloads */
#define SHADOW_BINS 128u
/* Free blocks that are looked at before malloc (in the topmost bin) or aligned_alloc gives up. */
#define SHADOW_LOOK 6u
#define SHADOW_LOOK_ALIGNED 16u

typedef struct shadow_block {
    uint8_t *at;
    size_t size;   /* asked for */
    size_t usable; /* as the last check saw it */
    uint32_t seed; /* of the payload's pattern */
    bool raw;      /* the payload was left as malloc gave it, with whatever lay there before */
} shadow_block_t;

typedef struct shadow {
    region_t region;
    hs_heap_t *heap;

    size_t own; /* alignment of a block outside of slabs: 8 or 16 */
    bool slots; /* small requests come from slabs */
    const char *label;
    unsigned long step;
    check_random_t seeds;
    shadow_block_t *blocks; /* by address */
    size_t count;
    size_t room;
    uint8_t *first; /* of what is given to blocks */
    uint8_t *end;
    size_t free; /* the rest is what the last check saw */
    size_t minimum;
    size_t largest; /* request that must succeed */
    size_t slabs;
    size_t free_slots[SHADOW_SLOT_MAX / 4 + 1]; /* by words */
    size_t free_blocks;                         /* slots apart */
    uint32_t leave_raw;                         /* one payload of so many; 0: each is filled */
    uint8_t stripe[2 * SHADOW_STRIPE];
} shadow_t;

#define SHADOW_CHECK(shadow, condition, ...)                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s, step %lu: ", (shadow)->label, (shadow)->step);                    \
            CHECK(condition, __VA_ARGS__);                                                         \
        }                                                                                          \
    } while (0)

/* ---- payloads --------------------------------------------------------------------------------- */

static inline void shadow_fill(const shadow_t *shadow, const shadow_block_t *block)
{
    const uint8_t *from = shadow->stripe + block->seed % SHADOW_STRIPE;
    for (size_t at = 0; at < block->size; at += SHADOW_STRIPE) {
        size_t rest = block->size - at;
        memcpy(block->at + at, from, rest < SHADOW_STRIPE ? rest : SHADOW_STRIPE);
    }
}

/* Are the first `size` bytes as they were filled? */
static inline bool shadow_intact(const shadow_t *shadow, const shadow_block_t *block, size_t size)
{
    const uint8_t *from = shadow->stripe + block->seed % SHADOW_STRIPE;
    for (size_t at = 0; at < size && !block->raw; at += SHADOW_STRIPE) {
        size_t rest = size - at;
        if (memcmp(block->at + at, from, rest < SHADOW_STRIPE ? rest : SHADOW_STRIPE) != 0) {
            return false;
        }
    }
    return true;
}

/* ---- comparison ------------------------------------------------------------------------------- */

typedef struct shadow_walk {
    shadow_t *shadow;
    size_t index; /* of the used block that must come next */
    uint8_t *end; /* of the last block */
    size_t slot;  /* size of the slots that the walk is among, or 0 */
    bool last_free;
    bool every_byte;
    hs_heap_info_t sum;
    size_t slabs;
    size_t lost;            /* bytes in heads of slabs and behind their slots */
    size_t sum_free_blocks; /* slots apart */
    size_t largest_block;
    size_t free_slots[SHADOW_SLOT_MAX / 4 + 1]; /* by words */
    size_t bins[SHADOW_BINS];                   /* free blocks by bin */
} shadow_walk_t;

/* The bins as the design has them: one size each below 16 granules, then four an octave. */
static inline size_t shadow_bin(size_t size)
{
    size_t granules = size / SHADOW_GRANULE;
    size_t bin = granules < 16 ? granules : 16;
    for (size_t step = 4; granules >= 16; step *= 2) {
        if (granules < step * 8) {
            return bin + (granules - step * 4) / step;
        }
        bin += 4;
    }
    return bin;
}

/* A search is bounded: where many free blocks share the topmost bin, the largest may go unseen. */
static inline void shadow_check_largest(shadow_t *shadow, const shadow_walk_t *walk)
{
    size_t largest = hs_heap_largest(shadow->heap);
    size_t true_largest = walk->largest_block;
    size_t bin = shadow_bin(true_largest);
    shadow->largest = largest;
    if (true_largest == 0) {
        size_t words = SHADOW_SLOT_MAX / 4; /* a larger slot serves smaller requests, too */
        while (words > 0 && walk->free_slots[words] == 0) {
            words--;
        }
        SHADOW_CHECK(shadow, largest == 4 * words, "%zu with slots alone, not %zu", largest,
                     4 * words);
        return;
    }
    SHADOW_CHECK(shadow, largest <= true_largest, "%zu of %zu", largest, true_largest);
    SHADOW_CHECK(shadow, largest == true_largest || walk->bins[bin] > SHADOW_LOOK, "%zu, not %zu",
                 largest, true_largest);
    SHADOW_CHECK(shadow, shadow_bin(largest) == bin, "%zu, not about %zu", largest, true_largest);
}

static inline bool shadow_is_slot(size_t size)
{
    return size < SHADOW_BLOCK_MIN || size % SHADOW_GRANULE != 0;
}

/* Blocks follow each other without a gap, but for the header before the slots of a slab and what its
 * last granules do not need. Gives what lies between. */
static inline void shadow_walk_place(shadow_walk_t *walk, const uint8_t *at, size_t size)
{
    shadow_t *shadow = walk->shadow;
    size_t gap = (size_t)(at - walk->end);
    bool slot = shadow_is_slot(size);
    bool begins = slot && (size != walk->slot || gap != 0);
    SHADOW_CHECK(shadow, at >= walk->end, "block at %td, the last one ends at %td",
                 at - shadow->first, walk->end - shadow->first);
    if (begins) {
        SHADOW_CHECK(shadow, gap >= SHADOW_SLAB_HEAD, "slab at %td", at - shadow->first);
        gap -= SHADOW_SLAB_HEAD;
        walk->slabs++;
        walk->lost += SHADOW_SLAB_HEAD;
    }
    SHADOW_CHECK(shadow, gap == 0 || (walk->slot != 0 && gap <= SHADOW_SLAB_REST),
                 "block at %td, the last one ends at %td", at - shadow->first,
                 walk->end - shadow->first);
    walk->lost += gap;
    walk->slot = slot ? size : 0;
    walk->end = (uint8_t *)(uintptr_t)at + size;
}

/* The facts that must hold for a block of that kind and size; two free blocks never meet. */
static inline void shadow_walk_kind(shadow_walk_t *walk, const uint8_t *at, size_t size, bool used)
{
    shadow_t *shadow = walk->shadow;
    size_t aligned = shadow->own;
    if (shadow_is_slot(size)) {
        aligned = size == SHADOW_GRANULE ? SHADOW_GRANULE : 4;
        SHADOW_CHECK(shadow, shadow->slots && size <= SHADOW_SLOT_MAX && size % 4 == 0, "%zu",
                     size);
        walk->free_slots[size / 4] += used ? 0 : 1;
        walk->last_free = false;
    } else {
        SHADOW_CHECK(shadow, size % shadow->own == 0, "%zu", size);
        SHADOW_CHECK(shadow, used || !walk->last_free, "two free blocks meet at %td",
                     at - shadow->first);
        walk->last_free = !used;
        walk->sum_free_blocks += used ? 0 : 1;
        walk->largest_block = !used && size > walk->largest_block ? size : walk->largest_block;
    }
    SHADOW_CHECK(shadow, (uintptr_t)at % aligned == 0, "block of %zu at %p", size,
                 (const void *)at);
}

static inline bool shadow_visit(void *context, void *block, size_t size, bool used)
{
    shadow_walk_t *walk = context;
    shadow_t *shadow = walk->shadow;
    bool slot = shadow_is_slot(size);
    shadow_walk_place(walk, block, size);
    shadow_walk_kind(walk, block, size, used);
    if (!used) {
        walk->sum.free += size;
        walk->sum.free_blocks++;
        walk->bins[shadow_bin(size)] += slot ? 0 : 1;
        walk->sum.largest_free = size > walk->sum.largest_free ? size : walk->sum.largest_free;
        return true;
    }
    SHADOW_CHECK(shadow, walk->index < shadow->count, "a block too many");
    shadow_block_t *known = &shadow->blocks[walk->index++];
    SHADOW_CHECK(shadow, known->at == (uint8_t *)block, "block at %td, not %td",
                 (uint8_t *)block - shadow->first, known->at - shadow->first);
    /* No more is given than granules, the smallest block and a rest that is none call for. */
    size_t rounded = (known->size + shadow->own - 1) / shadow->own * shadow->own;
    rounded = rounded < SHADOW_BLOCK_MIN ? SHADOW_BLOCK_MIN : rounded;
    SHADOW_CHECK(shadow, size >= known->size, "%zu of %zu", size, known->size);
    SHADOW_CHECK(shadow, slot || (size >= rounded && size <= rounded + 16 - shadow->own),
                 "%zu for %zu", size, known->size);
    SHADOW_CHECK(shadow, !walk->every_byte || shadow_intact(shadow, known, known->size),
                 "contents of %zu bytes at %td", known->size, known->at - shadow->first);
    known->usable = size;
    walk->sum.used += size;
    walk->sum.used_blocks++;
    return true;
}

/* Questions about one block, answered as the walk says. */
static inline void shadow_check_block(shadow_t *shadow, const shadow_block_t *block, size_t inside)
{
    hs_heap_t *heap = shadow->heap;
    const uint8_t *at = block->at;
    size_t usable = block->usable;
    size_t share = (usable + 63) / 64; /* of the bitmap: a bit for 8 bytes */
    SHADOW_CHECK(shadow, hs_heap_usable_size(heap, at) == usable, "%zu", usable);
    SHADOW_CHECK(shadow, hs_heap_full_size(heap, at) >= usable + share, "%zu of %zu",
                 hs_heap_full_size(heap, at), usable);
    SHADOW_CHECK(shadow, hs_heap_full_size(heap, at) <= usable + share + 1, "%zu of %zu",
                 hs_heap_full_size(heap, at), usable);
    SHADOW_CHECK(shadow, hs_heap_check_block(heap, at) == HS_OK, "%td", at - shadow->first);
    const void *match = hs_heap_containing_block(heap, at + inside % usable);
    SHADOW_CHECK(shadow, match == at, "%zu bytes inside %zu", inside % usable, usable);
}

static inline void shadow_check(shadow_t *shadow)
{
    const void *where = NULL;
    hs_status_t status = hs_heap_check(shadow->heap, &where);
    SHADOW_CHECK(shadow, status == HS_OK, "%d at %td", (int)status,
                 (const uint8_t *)where - shadow->region.memory);
    shadow_walk_t walk = {.shadow = shadow, .end = shadow->first};
    walk.every_byte =
        shadow->region.size <= SHADOW_EVERY_BYTE || shadow->count < 32 || shadow->step % 32 == 0;
    hs_heap_walk(shadow->heap, shadow_visit, &walk);
    SHADOW_CHECK(shadow, walk.index == shadow->count, "%zu of %zu blocks", walk.index,
                 shadow->count);
    shadow_walk_place(&walk, shadow->end, SHADOW_BLOCK_MIN); /* as if a block began there */
    hs_heap_info_t info;
    hs_heap_info(shadow->heap, &info);
    const hs_heap_info_t *sum = &walk.sum;
    SHADOW_CHECK(shadow, info.free == sum->free, "%zu, not %zu", info.free, sum->free);
    SHADOW_CHECK(shadow, info.used == sum->used, "%zu, not %zu", info.used, sum->used);
    SHADOW_CHECK(shadow, info.total == info.free + info.used, "%zu", info.total);
    SHADOW_CHECK(shadow, info.total + walk.lost == (size_t)(shadow->end - shadow->first), "%zu",
                 info.total);
    SHADOW_CHECK(shadow, info.free_blocks == sum->free_blocks, "%zu", info.free_blocks);
    SHADOW_CHECK(shadow, info.used_blocks == sum->used_blocks, "%zu", info.used_blocks);
    SHADOW_CHECK(shadow, info.largest_free == sum->largest_free, "%zu", info.largest_free);
    shadow->free = sum->free;
    shadow->minimum = sum->free < shadow->minimum ? sum->free : shadow->minimum;
    SHADOW_CHECK(shadow, hs_heap_free_size(shadow->heap) == shadow->free, "%zu", shadow->free);
    SHADOW_CHECK(shadow, info.minimum_free == shadow->minimum, "%zu, not %zu", info.minimum_free,
                 shadow->minimum);
    SHADOW_CHECK(shadow, hs_heap_minimum_free(shadow->heap) == shadow->minimum, "%zu",
                 hs_heap_minimum_free(shadow->heap));
    shadow_check_largest(shadow, &walk);
    shadow->slabs = walk.slabs;
    memcpy(shadow->free_slots, walk.free_slots, sizeof shadow->free_slots);
    shadow->free_blocks = walk.sum_free_blocks;
    if (shadow->count > 0) {
        uint32_t random = check_next(&shadow->seeds);
        shadow_check_block(shadow, &shadow->blocks[random % shadow->count], random / 8);
    }
}

/* ---- life ------------------------------------------------------------------------------------- */

static inline bool shadow_first(void *context, void *block, size_t size, bool used)
{
    shadow_t *shadow = context;
    SHADOW_CHECK(shadow, shadow->first == NULL && !used, "a new heap is one free block");
    shadow->first = block;
    shadow->end = shadow->first + size;
    return true;
}

/* False: the region is too small. `region` is then closed. */
static inline bool shadow_open(shadow_t *shadow, const char *label, region_t region,
                               const hs_heap_config_t *config, uint64_t seed)
{
    memset(shadow, 0, sizeof *shadow);
    shadow->label = label;
    shadow->region = region;
    shadow->seeds.state = seed | 1;
    for (size_t i = 0; i < sizeof shadow->stripe; i++) {
        shadow->stripe[i] = (uint8_t)check_next(&shadow->seeds);
    }
    shadow->heap = hs_heap_create(region.memory, region.size, config);
    if (shadow->heap == NULL) {
        region_close(&shadow->region);
        return false;
    }
    hs_form_t form = config == NULL ? HS_FORM_AUTO : config->form;
    uint32_t alignment = config == NULL ? 0 : config->alignment;
    shadow->own = alignment == 16 ? 16 : SHADOW_GRANULE;
    shadow->slots = form == HS_FORM_SMALL || (form == HS_FORM_AUTO && region.size <= HS_SMALL_MAX);
    shadow->minimum = SIZE_MAX;
    hs_heap_walk(shadow->heap, shadow_first, shadow);
    SHADOW_CHECK(shadow, shadow->first != NULL, "a new heap without a block");
    SHADOW_CHECK(shadow, shadow->first >= region.memory, "blocks begin before the region");
    SHADOW_CHECK(shadow, shadow->end <= region.memory + region.size, "blocks end behind it");
    shadow_check(shadow);
    return true;
}

static inline void shadow_close(shadow_t *shadow)
{
    free(shadow->blocks);
    region_close(&shadow->region);
}

#endif
