/*
 * Blocks of one size, as device/src/pool/fixed.c keeps them. The head of a pool on a 32-bit chip:
 *
 *     +0 name   +4 first block   +8 bytes of a block   +12 reciprocal   +16 count   +20 fresh
 *     +24 head  +28 used   +32 peak   +36 failures   +40 misuse   +44 damaged   +48 a bit for each block
 *
 * The pool knows no sizes of requests: whoever asks it looks first whether the size and the alignment
 * suit its blocks (the code that `heapscope place` writes), and so does malloc here.
 */
#include "fixed.h"

#include "heapscope/fixed.h"
#include "region.h"
#include "seen.h"

enum {
    BLOCKS_AT = 4,
    SIZE_AT = 8,
    RECIPROCAL_AT = 12,
    COUNT_AT = 16,
    FRESH_AT = 20,
    HEAD_AT = 24,
    USED_AT = 28,
    PEAK_AT = 32,
    FAILURES_AT = 36,
    HEAD_BYTES = 48,
    UNIT = 4, /* the alignment of the head */
    WORD_BITS = 32
};

typedef struct fixed {
    hs_sim_t heap;
    uint32_t start;  /* of the head */
    uint32_t blocks; /* offset of the first block */
    uint32_t block;  /* bytes, rounded up to the alignment */
    uint32_t count;
} fixed_t;

static const fixed_t *fixed_of(const hs_sim_t *heap)
{
    return (const fixed_t *)heap;
}

static uint64_t up(uint64_t address, uint32_t alignment)
{
    return (address + alignment - 1) & ~(uint64_t)(alignment - 1);
}

static uint32_t bits_bytes(uint32_t count)
{
    return 4 * ((count + WORD_BITS - 1) / WORD_BITS);
}

/* Bytes of a block, rounded up; 0: out of range. */
static uint32_t stride(uint32_t block, uint32_t alignment)
{
    const bool possible = alignment >= 4 && alignment <= 4096 && (alignment & (alignment - 1)) == 0;
    if (!possible || block == 0 || block > HS_FIXED_BLOCK_MAX) {
        return 0;
    }
    const uint64_t rounded = up(block, alignment);
    return rounded <= HS_FIXED_BLOCK_MAX ? (uint32_t)rounded : 0;
}

static uint32_t alignment_of(uint32_t alignment)
{
    return alignment != 0 ? alignment : 8;
}

uint32_t hs_fixed_model_memory(uint32_t count, uint32_t block, uint32_t alignment)
{
    const uint32_t bytes = stride(block, alignment_of(alignment));
    if (bytes == 0 || count == 0 || count > HS_FIXED_COUNT_MAX || count > INT32_MAX / bytes) {
        return 0;
    }
    const uint32_t lost = UNIT - 1 + alignment_of(alignment) - 1;
    return lost + HEAD_BYTES + bits_bytes(count) + count * bytes;
}

/* ---- the words of a pool ---------------------------------------------------------------------- */

static uint32_t get(const hs_sim_t *heap, uint32_t at)
{
    return hs_region_get(heap, fixed_of(heap)->start + at);
}

static void put(const hs_sim_t *heap, uint32_t at, uint32_t word)
{
    hs_region_put(heap, fixed_of(heap)->start + at, word);
}

static uint32_t bits_at(uint32_t index)
{
    return HEAD_BYTES + 4 * (index / WORD_BITS);
}

static bool is_used(const hs_sim_t *heap, uint32_t index)
{
    return (get(heap, bits_at(index)) >> index % WORD_BITS & 1u) != 0;
}

static void mark(const hs_sim_t *heap, uint32_t index)
{
    put(heap, bits_at(index), get(heap, bits_at(index)) ^ UINT32_C(1) << index % WORD_BITS);
}

static uint32_t offset_of(const hs_sim_t *heap, uint32_t index)
{
    return fixed_of(heap)->blocks + index * fixed_of(heap)->block;
}

/* ---- life ------------------------------------------------------------------------------------- */

/* Addresses: where the first block lies if there are `count`. */
static uint64_t blocks_at(uint64_t start, uint32_t count, uint32_t alignment)
{
    return up(start + HEAD_BYTES + bits_bytes(count), alignment);
}

/* The blocks that fit between two addresses. */
static uint32_t count_of(uint64_t start, uint64_t end, uint32_t bytes, uint32_t alignment)
{
    if (end <= start || end - start <= HEAD_BYTES) {
        return 0;
    }
    const uint32_t room = (uint32_t)(end - start) - HEAD_BYTES;
    uint64_t count = room / bytes < HS_FIXED_COUNT_MAX ? room / bytes : HS_FIXED_COUNT_MAX;
    count = count < INT32_MAX / bytes ? count : INT32_MAX / bytes;
    const uint64_t most = (uint64_t)(room - room % 4) * 8 / (8 * (uint64_t)bytes + 1) + 1;
    count = count < most ? count : most;
    while (count != 0 &&
           blocks_at(start, (uint32_t)count, alignment) + count * bytes > end) { /* ends: few */
        count--;
    }
    return (uint32_t)count;
}

static hs_status_t fixed_create(hs_sim_t *heap)
{
    fixed_t *const pool = (fixed_t *)heap;
    const uint32_t alignment = alignment_of(heap->allocator.alignment);
    const uint64_t start = up(heap->base, UNIT);
    pool->block = stride(heap->allocator.block, alignment);
    pool->count = pool->block != 0
                      ? count_of(start, (uint64_t)heap->base + heap->size, pool->block, alignment)
                      : 0;
    if (pool->count == 0) {
        return HS_ERR_MEMORY;
    }
    pool->start = (uint32_t)(start - heap->base);
    pool->blocks = (uint32_t)(blocks_at(start, pool->count, alignment) - heap->base);
    put(heap, BLOCKS_AT, heap->base + pool->blocks);
    put(heap, SIZE_AT, pool->block);
    put(heap, RECIPROCAL_AT, (uint32_t)((UINT32_MAX + (uint64_t)pool->block) / pool->block));
    put(heap, COUNT_AT, pool->count);
    heap->tally.control = HEAD_BYTES + bits_bytes(pool->count);
    heap->tally.free = pool->count * pool->block;
    heap->tally.free_blocks = pool->count;
    return HS_OK;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static uint32_t fixed_malloc(hs_sim_t *heap, uint32_t size)
{
    const fixed_t *const pool = fixed_of(heap);
    if (size == 0 || size > pool->block) {
        return HS_NONE;
    }
    const uint32_t head = get(heap, HEAD_AT);
    const uint32_t fresh = get(heap, FRESH_AT);
    if (head == 0 && fresh == pool->count) {
        put(heap, FAILURES_AT, get(heap, FAILURES_AT) + 1);
        return HS_NONE;
    }
    const uint32_t index = head != 0 ? head - 1 : fresh;
    const uint32_t offset = offset_of(heap, index);
    if (head != 0) {
        put(heap, HEAD_AT, hs_region_get(heap, offset));
    } else {
        put(heap, FRESH_AT, fresh + 1);
    }
    mark(heap, index);
    heap->tally.used += pool->block;
    heap->tally.free -= pool->block;
    heap->tally.used_blocks++;
    heap->tally.free_blocks--;
    put(heap, USED_AT, heap->tally.used_blocks);
    if (heap->tally.used_blocks > get(heap, PEAK_AT)) {
        put(heap, PEAK_AT, heap->tally.used_blocks);
    }
    heap->steps.bins++;
    heap->steps.writes += 3;
    return offset;
}

static void fixed_free(hs_sim_t *heap, uint32_t offset)
{
    const fixed_t *const pool = fixed_of(heap);
    const uint32_t index = (offset - pool->blocks) / pool->block;
    mark(heap, index);
    hs_region_put(heap, offset, get(heap, HEAD_AT));
    put(heap, HEAD_AT, index + 1);
    heap->tally.used -= pool->block;
    heap->tally.free += pool->block;
    heap->tally.used_blocks--;
    heap->tally.free_blocks++;
    put(heap, USED_AT, heap->tally.used_blocks);
    heap->steps.bins++;
    heap->steps.writes += 4;
}

/* A block has all its bytes from the start, and never more. */
static uint32_t fixed_realloc(hs_sim_t *heap, uint32_t offset, uint32_t size)
{
    return size <= fixed_of(heap)->block ? offset : HS_NONE;
}

static uint32_t fixed_aligned(hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    const bool given = at == 0 && align <= alignment_of(heap->allocator.alignment);
    return given ? fixed_malloc(heap, size) : HS_NONE;
}

/* ---- questions -------------------------------------------------------------------------------- */

static uint32_t fixed_usable(const hs_sim_t *heap, uint32_t offset)
{
    (void)offset;
    return fixed_of(heap)->block;
}

static bool fixed_fits(const hs_sim_t *heap, uint32_t align, uint32_t size, uint32_t at)
{
    return size <= fixed_of(heap)->block && heap->tally.free_blocks != 0 && at == 0 &&
           align <= alignment_of(heap->allocator.alignment);
}

static uint32_t fixed_largest_free(const hs_sim_t *heap)
{
    return heap->tally.free_blocks != 0 ? fixed_of(heap)->block : 0;
}

static uint32_t fixed_largest_allocatable(hs_sim_t *heap)
{
    return fixed_largest_free(heap);
}

/* hs_fixed_info(), in bytes. */
static void fixed_reported(const hs_sim_t *heap, hs_reported_t *out)
{
    const fixed_t *const pool = fixed_of(heap);
    out->allocated = get(heap, USED_AT) * pool->block;
    out->free = (pool->count - get(heap, USED_AT)) * pool->block;
    out->minimum_free = (pool->count - get(heap, PEAK_AT)) * pool->block;
    out->largest_free = fixed_largest_free(heap);
}

static void fixed_walk(const hs_sim_t *heap, hs_walk_fn visit, void *context)
{
    const fixed_t *const pool = fixed_of(heap);
    for (uint32_t i = 0; i < pool->count; i++) {
        const hs_walk_block_t seen = {offset_of(heap, i), pool->block, is_used(heap, i)};
        if (!visit(context, &seen)) {
            return;
        }
    }
}

/* ---- check ------------------------------------------------------------------------------------ */

/* The list of free blocks: each is below `fresh` and not in use. Ends: at most `count` links. */
static hs_status_t check_list(const hs_sim_t *heap, uint32_t fresh, uint32_t used, uint32_t *where)
{
    const fixed_t *const pool = fixed_of(heap);
    uint32_t at = pool->start + HEAD_AT;
    uint32_t listed = 0;
    for (uint32_t link = hs_region_get(heap, at); link != 0; link = hs_region_get(heap, at)) {
        if (link > fresh || is_used(heap, link - 1) || ++listed > pool->count) {
            return hs_seen_fault(at, where);
        }
        at = offset_of(heap, link - 1);
    }
    return used + listed == fresh ? HS_OK : hs_seen_fault(at, where);
}

static hs_status_t fixed_check(const hs_sim_t *heap, uint32_t *where)
{
    const fixed_t *const pool = fixed_of(heap);
    const uint32_t fresh = get(heap, FRESH_AT);
    hs_tally_t seen = {.control = heap->tally.control};
    if (get(heap, COUNT_AT) != pool->count || get(heap, SIZE_AT) != pool->block) {
        return hs_seen_fault(pool->start + SIZE_AT, where);
    }
    if (get(heap, BLOCKS_AT) != heap->base + pool->blocks || fresh > pool->count) {
        return hs_seen_fault(pool->start + FRESH_AT, where);
    }
    for (uint32_t i = 0; i < pool->count; i++) {
        if (i >= fresh && is_used(heap, i)) {
            return hs_seen_fault(pool->start + bits_at(i), where);
        }
        hs_seen_add(&seen, pool->block, is_used(heap, i));
    }
    if (get(heap, USED_AT) != seen.used_blocks || !hs_seen_agrees(&heap->tally, &seen)) {
        return hs_seen_fault(pool->start + USED_AT, where);
    }
    return check_list(heap, fresh, seen.used_blocks, where);
}

const hs_model_t hs_model_fixed = {
    .name = "fixed",
    .title = "the device library's pool of fixed blocks",
    .state_size = sizeof(fixed_t),
    .granule = UNIT,
    .has_realloc = true,
    .has_aligned = true,
    .serves_up_to_largest = true,
    .create = fixed_create,
    .malloc = fixed_malloc,
    .free = fixed_free,
    .realloc = fixed_realloc,
    .aligned = fixed_aligned,
    .usable = fixed_usable,
    .fits = fixed_fits,
    .largest_allocatable = fixed_largest_allocatable,
    .largest_free = fixed_largest_free,
    .reported = fixed_reported,
    .walk = fixed_walk,
    .check = fixed_check,
};
