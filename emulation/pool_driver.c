/* Drives private heaps and pools on behalf of a test. */
#include "heapscope/fixed.h"
#include "heapscope/pool.h"
#include "heapscope/private.h"

uint32_t drive_words(void *memory, uint32_t size, uint32_t steps);
hs_fixed_t *drive_fixed(void *memory, uint32_t count, uint32_t block_size);
uint32_t drive_take(hs_fixed_t *pool, void **blocks, uint32_t count);
uint32_t drive_give(hs_fixed_t *pool, void *const *blocks, uint32_t count);
uint32_t drive_grow(void *memory, uint32_t size, uint32_t blocks, hs_pool_t **built);
uint32_t drive_pool(hs_pool_t *pool, uint32_t count);

enum { HELD = 24 };

static void drop(void *context, char character)
{
    *(uint32_t *)context += (uint8_t)character;
}

static void nothing(void *context)
{
    (void)context;
}

/* A private heap in the word form and a pool of fixed blocks in it: their calls, and words in what
 * they give. How many requests were served; 0: something is wrong. */
uint32_t drive_words(void *memory, uint32_t size, uint32_t steps)
{
    const hs_private_config_t config = {.size = size,
                                        .memory = memory,
                                        .heap = {.form = HS_FORM_WORD},
                                        .lock = nothing,
                                        .unlock = nothing};
    hs_private_t *const heap = hs_private_create(&config);
    if (heap == NULL) {
        return 0;
    }
    const size_t room = hs_fixed_memory(40, 12, 4);
    hs_fixed_t *const pool = hs_fixed_create(hs_private_malloc(heap, room), room, 12, 4, "words");
    void *blocks[HELD] = {NULL};
    void *fixed[HELD] = {NULL};
    uint32_t served = 0;
    uint32_t random = 1;
    for (uint32_t i = 0; i < steps && pool != NULL; i++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t slot = (random >> 8) % HELD;
        const uint32_t bytes = 1 + (random >> 16) % 700;
        switch (random >> 29) {
        case 0:
            blocks[slot] = blocks[slot] == NULL ? hs_private_calloc(heap, 1, bytes) : blocks[slot];
            break;
        case 1:
            served += hs_private_free(heap, blocks[slot]) == HS_OK ? 0u : steps * steps;
            blocks[slot] = NULL;
            break;
        case 2:
            served += hs_fixed_free(pool, fixed[slot]) == HS_OK ? 0u : steps * steps;
            fixed[slot] = NULL;
            break;
        case 3:
        case 4:
            fixed[slot] = fixed[slot] == NULL ? hs_fixed_alloc(pool) : fixed[slot];
            break;
        default: {
            uint32_t *const moved = hs_private_realloc(heap, blocks[slot], bytes);
            blocks[slot] = moved != NULL ? moved : blocks[slot];
            if (moved != NULL) {
                *moved = random;
                served++;
            }
        }
        }
    }
    hs_private_info_t info;
    hs_private_info(heap, &info);
    uint32_t sum = 0;
    hs_private_meminfo(heap, (hs_text_t){drop, &sum});
    const bool sound = hs_private_check(heap) == HS_OK && hs_fixed_check(pool) == HS_OK;
    return sound && info.misuse == 0 && sum != 0 ? served : 0;
}

/* ---- single operations, to be counted ---------------------------------------------------------- */

hs_fixed_t *drive_fixed(void *memory, uint32_t count, uint32_t block_size)
{
    return hs_fixed_create(memory, hs_fixed_memory(count, block_size, 0), block_size, 0, NULL);
}

uint32_t drive_take(hs_fixed_t *pool, void **blocks, uint32_t count)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        blocks[i] = hs_fixed_alloc(pool);
        taken += blocks[i] != NULL ? 1u : 0u;
    }
    return taken;
}

/* Every second one first; then the rest, and all a second time, which is refused. `count` is even. No
 * division: where it is a call, that would be counted, too. */
uint32_t drive_give(hs_fixed_t *pool, void *const *blocks, uint32_t count)
{
    uint32_t given = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < 2 * count; i++) {
        given += hs_fixed_free(pool, blocks[at]) == HS_OK ? 1u : 0u;
        at = at + 2 < count ? at + 2 : (at & 1u) ^ 1u;
    }
    return given;
}

static struct {
    hs_pools_t pools;
    uint8_t *next;
    uint8_t *end;
} arena;

static void *arena_take(void *context, size_t size)
{
    (void)context;
    if (size > (size_t)(arena.end - arena.next)) {
        return NULL;
    }
    arena.next += size;
    return arena.next - size;
}

static void arena_give(void *context, void *block, size_t size)
{
    (void)context;
    (void)block;
    (void)size;
}

/* A pool of so many full blocks and an empty one. How many blocks it has. */
uint32_t drive_grow(void *memory, uint32_t size, uint32_t blocks, hs_pool_t **built)
{
    arena.next = memory;
    arena.end = arena.next + size;
    hs_pools_init(&arena.pools, (hs_source_t){arena_take, arena_give, NULL}, NULL, NULL);
    hs_pool_t *const pool = hs_pool_create(&arena.pools, "counted", 0, 256);
    hs_pool_info_t info = {.blocks = 0};
    while (pool != NULL && info.blocks <= blocks) {
        if (hs_pool_alloc(pool, 200) == NULL) {
            return 0;
        }
        hs_pool_info(pool, &info);
    }
    *built = pool;
    return info.blocks;
}

uint32_t drive_pool(hs_pool_t *pool, uint32_t count)
{
    uint32_t served = 0;
    for (uint32_t i = 0; i < count; i++) {
        served += hs_pool_alloc(pool, 4) != NULL ? 1u : 0u;
    }
    return served;
}
