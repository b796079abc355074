/* Blocks of one size: a bit for each says whether it is in use, and free ones are a list through
 * their first words. Blocks that were never used are on no list: `fresh` and above. */
#include "heapscope/fixed.h"

#include "heapscope/assert.h"
#include "heapscope/config.h"

#if HS_POOLS

#define WORD_BITS 32u
#define UNIT ((uintptr_t)_Alignof(struct hs_fixed))

typedef volatile uint32_t fixed_word_t; /* so that no compiler makes bytes of it */

struct hs_fixed {
    const char *name;
    uintptr_t blocks;
    uint32_t block_size;
    uint32_t reciprocal; /* 2^32 / block_size, rounded up: a division is dear without an instruction
                          * for it, and for products below 2^32 this one is exact */
    uint32_t count;
    uint32_t fresh;
    uint32_t head; /* index + 1 of the first free block of the list; 0: none */
    uint32_t used, peak;
    uint32_t failures, misuse;
    uint32_t damaged;
    fixed_word_t bits[];
};

static uintptr_t up(uintptr_t address, uintptr_t alignment)
{
    return (address + alignment - 1) & ~(alignment - 1);
}

static size_t bits_bytes(size_t count)
{
    return 4 * ((count + WORD_BITS - 1) / WORD_BITS);
}

/* ---- life ------------------------------------------------------------------------------------- */

/* Bytes of a block, rounded up, and the alignment; 0: out of range. */
static size_t stride(size_t block_size, size_t *alignment)
{
    *alignment = *alignment != 0 ? *alignment : 8;
    const bool possible =
        *alignment >= 4 && *alignment <= 4096 && (*alignment & (*alignment - 1)) == 0;
    if (!possible || block_size == 0 || block_size > HS_FIXED_BLOCK_MAX) {
        return 0;
    }
    const size_t rounded = up(block_size, *alignment);
    return rounded <= HS_FIXED_BLOCK_MAX ? rounded : 0;
}

size_t hs_fixed_memory(size_t count, size_t block_size, size_t alignment)
{
    const size_t bytes = stride(block_size, &alignment);
    if (bytes == 0 || count == 0 || count > HS_FIXED_COUNT_MAX || count > INT32_MAX / bytes) {
        return 0;
    }
    const size_t lost = UNIT - 1 + alignment - 1;
    return lost + sizeof(hs_fixed_t) + bits_bytes(count) + count * bytes;
}

/* Where the blocks begin if there are `count`. */
static uintptr_t blocks_at(uintptr_t start, uint32_t count, size_t alignment)
{
    return up(start + sizeof(hs_fixed_t) + bits_bytes(count), alignment);
}

/* How many blocks fit between `start` and `end`. */
static uint32_t count_of(uintptr_t start, uintptr_t end, size_t bytes, size_t alignment)
{
    if (end <= start || end - start <= sizeof(hs_fixed_t)) {
        return 0;
    }
    const uintptr_t room = end - start - sizeof(hs_fixed_t);
    uintptr_t count = room / bytes < HS_FIXED_COUNT_MAX ? room / bytes : HS_FIXED_COUNT_MAX;
    count = count < INT32_MAX / bytes ? count : INT32_MAX / bytes;
    /* The bits take at most a 32nd of the room for blocks of 4 bytes, and less than one block more. */
    const uintptr_t most = (room - room % 4) * 8 / (8 * bytes + 1) + 1;
    count = count < most ? count : most;
    while (count != 0 && (blocks_at(start, (uint32_t)count, alignment) > end ||
                          (end - blocks_at(start, (uint32_t)count, alignment)) / bytes < count)) {
        count--;
    }
    return (uint32_t)count;
}

hs_fixed_t *hs_fixed_create(void *memory, size_t size, size_t block_size, size_t alignment,
                            const char *name)
{
    const size_t bytes = stride(block_size, &alignment);
    const uintptr_t start = up((uintptr_t)memory, UNIT);
    const uint32_t count = bytes != 0 && memory != NULL
                               ? count_of(start, (uintptr_t)memory + size, bytes, alignment)
                               : 0;
    if (count == 0) {
        return NULL;
    }
    hs_fixed_t *const pool = (hs_fixed_t *)start;
    pool->name = name != NULL ? name : "fixed";
    pool->blocks = blocks_at(start, count, alignment);
    pool->block_size = (uint32_t)bytes;
    pool->reciprocal = (uint32_t)((UINT32_MAX + (uint64_t)bytes) / bytes);
    pool->count = count;
    pool->fresh = 0;
    pool->head = 0;
    pool->used = 0;
    pool->peak = 0;
    pool->failures = 0;
    pool->misuse = 0;
    pool->damaged = 0;
    for (uint32_t i = 0; i < bits_bytes(count) / 4; i++) {
        pool->bits[i] = 0;
    }
    return pool;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static bool is_used(const hs_fixed_t *pool, uint32_t index)
{
    return (pool->bits[index / WORD_BITS] >> index % WORD_BITS & 1u) != 0;
}

static fixed_word_t *block_at(const hs_fixed_t *pool, uint32_t index)
{
    return (fixed_word_t *)(pool->blocks + (uintptr_t)index * pool->block_size);
}

/* May a list go on with `link`, an index + 1, or end? */
static bool is_link(const hs_fixed_t *pool, uint32_t link)
{
    return link == 0 || (link <= pool->fresh && !is_used(pool, link - 1));
}

void *hs_fixed_alloc(hs_fixed_t *pool)
{
    uint32_t index = pool->fresh;
    if (pool->head != 0) {
        index = pool->head - 1;
    } else if (index < pool->count) {
        pool->fresh++;
    } else {
        pool->failures++;
        return NULL;
    }
    HS_ASSERT(index < pool->count && !is_used(pool, index));
    pool->bits[index / WORD_BITS] |= UINT32_C(1) << index % WORD_BITS;
    fixed_word_t *const block = block_at(pool, index);
    if (pool->head != 0) {
        const uint32_t next = *block;
        const bool sound = is_link(pool, next); /* this one is in use by now */
        pool->head = sound ? next : 0;
        pool->damaged |= sound ? 0u : 1u;
    }
    pool->used++;
    pool->peak = pool->peak < pool->used ? pool->used : pool->peak;
    return (void *)(uintptr_t)block;
}

hs_status_t hs_fixed_free(hs_fixed_t *pool, void *block)
{
    if (block == NULL) {
        return HS_OK;
    }
    const uintptr_t distance = (uintptr_t)block - pool->blocks;
    if (distance >= (uintptr_t)pool->count * pool->block_size) {
        pool->misuse++;
        return HS_ERR_ARGUMENT;
    }
    const uint32_t index = (uint32_t)((uint64_t)(uint32_t)distance * pool->reciprocal >> 32);
    if ((uintptr_t)index * pool->block_size != distance || !is_used(pool, index)) {
        pool->misuse++;
        return HS_ERR_ARGUMENT;
    }
    pool->bits[index / WORD_BITS] &= ~(UINT32_C(1) << index % WORD_BITS);
    HS_ASSERT(pool->used != 0 && index < pool->fresh);
    *block_at(pool, index) = pool->head;
    pool->head = index + 1;
    pool->used--;
    return HS_OK;
}

/* ---- figures and integrity -------------------------------------------------------------------- */

void hs_fixed_info(const hs_fixed_t *pool, hs_fixed_info_t *info)
{
    *info = (hs_fixed_info_t){pool->name, pool->block_size, pool->count,  pool->used,
                              pool->peak, pool->failures,   pool->misuse, pool->damaged != 0};
}

void hs_fixed_dump(const hs_fixed_t *pool, hs_text_t text)
{
    hs_text_string(text, pool->name);
    hs_text_string(text, ": ");
    hs_text_number(text, pool->used, 8);
    hs_text_string(text, " of ");
    hs_text_number(text, pool->count, 8);
    hs_text_string(text, " blocks of ");
    hs_text_number(text, pool->block_size, 8);
    hs_text_string(text, " (");
    hs_text_number(text, (size_t)((uint64_t)pool->used * 100 / pool->count), 0);
    hs_text_string(text, "%) used, peak ");
    hs_text_number(text, pool->peak, 0);
    hs_text_string(text, ", ");
    hs_text_number(text, pool->failures, 0);
    hs_text_string(text, " failures, ");
    hs_text_number(text, pool->misuse, 0);
    hs_text_string(text, pool->damaged != 0 ? " misuse, DAMAGED\n" : " misuse\n");
}

hs_status_t hs_fixed_check(const hs_fixed_t *pool)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < pool->count; i++) {
        used += is_used(pool, i) ? 1u : 0u;
        if (i >= pool->fresh && is_used(pool, i)) {
            return HS_ERR_CORRUPT;
        }
    }
    uint32_t listed = 0;
    uint32_t link = pool->head;
    while (link != 0 && listed <= pool->count) {
        if (!is_link(pool, link)) {
            return HS_ERR_CORRUPT;
        }
        listed++;
        link = *block_at(pool, link - 1);
    }
    /* Blocks that were lost with a damaged link are on no list. */
    const bool complete =
        pool->damaged == 0 ? used + listed == pool->fresh : used + listed <= pool->fresh;
    return used == pool->used && complete ? HS_OK : HS_ERR_CORRUPT;
}

#endif
