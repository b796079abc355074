/*
 * buddy_system_allocator: blocks of powers of two at multiples of their size, a stack for each size.
 * Source: crate buddy_system_allocator 0.13.0 src/lib.rs, Heap<32>, in 32-bit builds.
 *
 *     free block + 0    address of the next one of its stack; 0 in the last one
 *
 * Nothing lies in front of a used block, as Rust says its size and alignment again when it frees it. Where a
 * block may lie depends on absolute addresses. A realloc always takes a new block. heap->index->by_place has the
 * free blocks, by_size the places and sizes of the used ones.
 */
#include "bits.h"
#include "free_index.h"
#include "list.h"
#include "region.h"
#include "seen.h"

#define WORD UINT32_C(4) /* the smallest block */
#define CLASSES 31u

typedef struct buddy {
    hs_sim_t heap;
    uint32_t start;
    uint32_t end;
    uint32_t stacks[CLASSES]; /* the top block of each size, or HS_NONE */
} buddy_t;

static buddy_t *buddy_of(hs_sim_t *heap)
{
    return (buddy_t *)heap;
}

static const buddy_t *buddy_of_const(const hs_sim_t *heap)
{
    return (const buddy_t *)heap;
}

static hs_order_t *free_of(const hs_sim_t *heap)
{
    return &heap->index->by_place;
}

static hs_order_t *used_of(const hs_sim_t *heap)
{
    return &heap->index->by_size;
}

static void add(hs_order_t *order, uint32_t block, uint32_t size)
{
    const bool has_room = hs_order_add(order, hs_index_key(block, size));
    HS_ASSERT(has_room); /* host memory ends, and nothing else knows the block */
    (void)has_room;
}

/* ---- stacks ----------------------------------------------------------------------------------- */

static uint32_t next_of(const hs_sim_t *heap, uint32_t block)
{
    const uint32_t word = hs_region_get(heap, block);
    return word == 0 ? HS_NONE : word - heap->base;
}

static void put_next(hs_sim_t *heap, uint32_t block, uint32_t next)
{
    hs_region_put(heap, block, next == HS_NONE ? 0 : heap->base + next);
    heap->steps.writes++;
}

static void push(buddy_t *buddy, uint32_t class, uint32_t block)
{
    hs_sim_t *heap = &buddy->heap;
    put_next(heap, block, buddy->stacks[class]);
    buddy->stacks[class] = block;
    add(free_of(heap), block, UINT32_C(1) << class);
    heap->tally.free += UINT32_C(1) << class;
    heap->tally.free_blocks++;
}

static void forget(buddy_t *buddy, uint32_t class, uint32_t block)
{
    hs_sim_t *heap = &buddy->heap;
    hs_order_remove(free_of(heap), hs_index_key(block, UINT32_C(1) << class));
    heap->tally.free -= UINT32_C(1) << class;
    heap->tally.free_blocks--;
}

static uint32_t pop(buddy_t *buddy, uint32_t class)
{
    const uint32_t block = buddy->stacks[class];
    buddy->stacks[class] = next_of(&buddy->heap, block);
    forget(buddy, class, block);
    return block;
}

/* Takes a block out of the middle of its stack. */
static void unlink_block(buddy_t *buddy, uint32_t class, uint32_t block)
{
    hs_sim_t *heap = &buddy->heap;
    uint32_t before = buddy->stacks[class];
    heap->steps.nodes++;
    if (before == block) {
        (void)pop(buddy, class);
        return;
    }
    while (next_of(heap, before) != block) {
        before = next_of(heap, before);
        heap->steps.nodes++;
    }
    put_next(heap, before, next_of(heap, block));
    forget(buddy, class, block);
}

/* ---- malloc and free -------------------------------------------------------------------------- */

/* The size class of a request, CLASSES: refused. */
static uint32_t class_of(const hs_sim_t *heap, uint32_t align, uint32_t size)
{
    const uint32_t least = align == 0 ? *(const uint32_t *)heap->model->build : align;
    uint32_t wanted = size < least ? least : size;
    wanted = wanted < WORD ? WORD : wanted;
    if (size == 0 || wanted > UINT32_C(1) << (CLASSES - 1)) {
        return CLASSES;
    }
    return wanted == 1 ? 0 : hs_bits_highest(wanted - 1) + 1;
}

/* The smallest class from there on that has a block, or CLASSES. */
static uint32_t class_from(const buddy_t *buddy, uint32_t class)
{
    while (class < CLASSES && buddy->stacks[class] == HS_NONE) {
        class++;
    }
    return class;
}

static uint32_t model_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    buddy_t *buddy = buddy_of(heap);
    const uint32_t wanted = class_of(heap, align, size);
    uint32_t class = class_from(buddy, wanted);
    (void)at;
    heap->steps.bins += class - wanted + UINT64_C(1);
    if (class == CLASSES) {
        return HS_NONE;
    }
    for (; class > wanted; class--) {
        const uint32_t block = pop(buddy, class);
        push(buddy, class - 1, block + (UINT32_C(1) << (class - 1)));
        push(buddy, class - 1, block);
    }
    const uint32_t block = pop(buddy, wanted);
    add(used_of(heap), block, UINT32_C(1) << wanted);
    heap->tally.used += UINT32_C(1) << wanted;
    heap->tally.used_blocks++;
    return block;
}

static uint32_t model_malloc(hs_sim_t *heap, uint32_t size)
{
    return model_aligned(heap, 0, size, 0);
}

static uint32_t model_usable(const hs_sim_t *heap, uint32_t offset)
{
    return hs_order_low(used_of(heap), hs_order_below(used_of(heap), hs_index_key(offset, 0)));
}

static void model_free(hs_sim_t *heap, uint32_t offset)
{
    buddy_t *buddy = buddy_of(heap);
    const uint32_t size = model_usable(heap, offset);
    uint32_t class = hs_bits_highest(size);
    uint32_t block = offset;
    hs_order_remove(used_of(heap), hs_index_key(offset, size));
    heap->tally.used -= size;
    heap->tally.used_blocks--;
    push(buddy, class, block);
    while (class < CLASSES - 1) {
        const uint32_t other = ((heap->base + block) ^ (UINT32_C(1) << class)) - heap->base;
        if (!hs_order_has(free_of(heap), hs_index_key(other, UINT32_C(1) << class))) {
            break;
        }
        unlink_block(buddy, class, other);
        (void)pop(buddy, class);
        block = block < other ? block : other;
        class++;
        push(buddy, class, block);
    }
}

/* ---- questions -------------------------------------------------------------------------------- */

static bool model_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    (void)at;
    return class_from(buddy_of_const(heap), class_of(heap, align, size)) < CLASSES;
}

static uint32_t model_largest_free(const hs_sim_t *heap)
{
    uint32_t class = CLASSES;
    while (class > 0 && buddy_of_const(heap)->stacks[class - 1] == HS_NONE) {
        class--;
    }
    return class == 0 ? 0 : UINT32_C(1) << (class - 1);
}

static uint32_t model_largest_allocatable(hs_sim_t *heap)
{
    const uint32_t largest = model_largest_free(heap);
    return largest < *(const uint32_t *)heap->model->build ? 0 : largest;
}

static void model_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const buddy_t *buddy = buddy_of_const(heap);
    out->allocated = heap->tally.used; /* stats_alloc_actual() */
    out->free = buddy->end - buddy->start - heap->tally.used;
    out->minimum_free = heap->tally.minimum_free; /* it knows neither */
    out->largest_free = model_largest_free(heap);
}

/* The block at `at`; false: neither a free one nor a used one begins there. */
static bool block_at(const hs_sim_t *heap, uint32_t at, hs_tally_t *seen, hs_walk_block_t *block)
{
    const uint32_t hole = seen->free_blocks;
    const uint32_t used = seen->used_blocks;
    if (hole < free_of(heap)->count && hs_order_high(free_of(heap), hole) == at) {
        *block = (hs_walk_block_t){at, hs_order_low(free_of(heap), hole), false};
    } else if (used < used_of(heap)->count && hs_order_high(used_of(heap), used) == at) {
        *block = (hs_walk_block_t){at, hs_order_low(used_of(heap), used), true};
    } else {
        return false;
    }
    hs_seen_add(seen, block->size, block->used);
    return true;
}

static void model_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const buddy_t *buddy = buddy_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    for (uint32_t at = buddy->start; at != buddy->end; at += block.size) {
        if (!block_at(heap, at, &seen, &block) || !visit(context, &block)) {
            return;
        }
    }
}

/* A stack leads to free blocks of its size alone. */
static hs_status_t check_stack(const buddy_t *buddy, uint32_t class, uint32_t *left,
                               uint32_t *where)
{
    const hs_sim_t *heap = &buddy->heap;
    for (uint32_t block = buddy->stacks[class]; block != HS_NONE; block = next_of(heap, block)) {
        if (*left == 0 || !hs_order_has(free_of(heap), hs_index_key(block, UINT32_C(1) << class))) {
            return hs_seen_fault(block < heap->size ? block : buddy->start, where);
        }
        --*left;
    }
    return HS_OK;
}

static hs_status_t model_check(const hs_sim_t *heap, uint32_t *where)
{
    const buddy_t *buddy = buddy_of_const(heap);
    hs_tally_t seen = {0, 0, 0, 0, 0, 0, 0};
    hs_walk_block_t block;
    for (uint32_t at = buddy->start; at != buddy->end; at += block.size) {
        if (!block_at(heap, at, &seen, &block)) {
            return hs_seen_fault(at, where);
        }
    }
    uint32_t left = seen.free_blocks;
    for (uint32_t class = 0; class < CLASSES; class++) {
        const hs_status_t status = check_stack(buddy, class, &left, where);
        if (status != HS_OK) {
            return status;
        }
    }
    return left == 0 && hs_seen_agrees(&heap->tally, &seen) ? HS_OK
                                                            : hs_seen_fault(buddy->start, where);
}

/* The pool becomes the largest blocks that lie at multiples of their size, from its start on. */
static hs_status_t model_create(hs_sim_t *heap)
{
    buddy_t *buddy = buddy_of(heap);
    buddy->start = (0u - heap->base) & (WORD - 1);
    if (heap->size < buddy->start + WORD) {
        return HS_ERR_MEMORY;
    }
    heap->index = hs_index_new(0);
    if (heap->index == NULL) {
        return HS_ERR_MEMORY;
    }
    buddy->end = buddy->start + ((heap->size - buddy->start) & ~(WORD - 1));
    memset(buddy->stacks, 0xFF, sizeof buddy->stacks);
    for (uint32_t at = buddy->start; at < buddy->end;) {
        const uint32_t address = heap->base + at;
        const uint32_t most = hs_bits_highest(buddy->end - at);
        const uint32_t aligned = address == 0 ? CLASSES - 1 : hs_bits_lowest(address);
        uint32_t class = aligned < most ? aligned : most;
        class = class < CLASSES - 1 ? class : CLASSES - 1;
        push(buddy, class, at);
        at += UINT32_C(1) << class;
    }
    heap->steps.writes = 0;
    return HS_OK;
}

#define SAME_IN_BOTH_ALIGNMENTS                                                                    \
    .state_size = sizeof(buddy_t), .granule = 4, .has_aligned = true,                              \
    .serves_up_to_largest = true, .create = model_create, .malloc = model_malloc,                  \
    .free = model_free, .aligned = model_aligned, .usable = model_usable, .fits = model_fits,      \
    .largest_allocatable = model_largest_allocatable, .largest_free = model_largest_free,          \
    .reported = model_reported, .walk = model_walk, .check = model_check

const hs_model_t hs_model_buddy = {
    .name = "buddy_system_allocator",
    .title = "Rust's buddy_system_allocator: blocks of powers of two",
    .build = &(const uint32_t){4},
    SAME_IN_BOTH_ALIGNMENTS,
};

const hs_model_t hs_model_buddy_8 = {
    .name = "buddy_system_allocator-8",
    .title = "Rust's buddy_system_allocator where every request has an alignment of 8",
    .build = &(const uint32_t){8},
    SAME_IN_BOTH_ALIGNMENTS,
};
