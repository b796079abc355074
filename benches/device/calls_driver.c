/*
 * The same allocations and frees by every part, one call of it for each: what counter.py counts. Its own instructions are recognized by the section that image.ld gives to files named so.
 */
#include "heapscope/fixed.h"
#include "heapscope/pool.h"
#include "heapscope/private.h"
#include "heapscope/regions.h"
#if FREERTOS /* one image has one port */
#include "kernel.h"
#else
#include "heapscope_libc.h"
#include "names.h"
#endif

#define SLOTS 64u
#define CALLS 4000u

typedef void *take_t(void *of, size_t size);
typedef void give_t(void *of, void *block);

/* The kind of each call: 1 malloc, 2 free. */
uint8_t drive_kinds[CALLS];
uint32_t drive_failures;

static void *blocks[SLOTS];
static uint64_t memory[2][4096];
static uint64_t control[512];

uint32_t drive_all(uint32_t part);
uint32_t drive_sizes(uint32_t which);

/* ---- the parts, behind two functions each ----------------------------------------------------- */

#define THROUGH(name, of_t, take_call, give_call)                                                  \
    static void run_##name(of_t *of)                                                               \
    {                                                                                              \
        uint32_t random = 1;                                                                       \
        for (uint32_t i = 0; i < CALLS; i++) {                                                     \
            random = random * 1664525u + 1013904223u;                                              \
            const uint32_t slot = (random >> 8) % SLOTS;                                           \
            /* Without a division, which is a call on a Cortex-M0+. */                             \
            const uint32_t limit = (random & 0x80u) != 0 ? 60u : 400u;                             \
            const size_t size = 1 + (((random >> 16) * limit) >> 16);                              \
            (void)size;                                                                            \
            (void)of;                                                                              \
            if (blocks[slot] != NULL) {                                                            \
                void *const block = blocks[slot];                                                  \
                give_call;                                                                         \
                blocks[slot] = NULL;                                                               \
                drive_kinds[i] = 2;                                                                \
            } else {                                                                               \
                blocks[slot] = take_call;                                                          \
                drive_failures += blocks[slot] == NULL;                                            \
                drive_kinds[i] = 1;                                                                \
            }                                                                                      \
        }                                                                                          \
    }

static const hs_tag_t tag = {1, NULL};

THROUGH(heap, hs_heap_t, hs_heap_malloc(of, size), hs_heap_free(of, block))
THROUGH(guard, hs_guard_t, hs_guard_malloc(of, size, tag), hs_guard_free(of, block))
THROUGH(regions, hs_regions_t, hs_regions_malloc(of, size, HS_CAP_8BIT), hs_regions_free(of, block))
THROUGH(private, hs_private_t, hs_private_malloc(of, size), hs_private_free(of, block))
THROUGH(fixed, hs_fixed_t, hs_fixed_alloc(of), hs_fixed_free(of, block))
THROUGH(pool, hs_pool_t, hs_pool_alloc(of, 1 + (size & 7u)), (void)0)
#if FREERTOS
THROUGH(drop_in, void, pvPortMalloc(size), vPortFree(block))
#else
THROUGH(drop_in, void, my_malloc(size), my_free(block))
#endif

static hs_heap_t *new_heap(void)
{
    return hs_heap_create(memory[0], sizeof memory[0], NULL);
}

static void guarded(hs_guard_level_t level)
{
    static hs_guard_config_t config;
    config = (hs_guard_config_t){.level = level, .owners = level > HS_GUARD_LINKS};
    hs_guard_t guard;
    (void)hs_guard_init(&guard, new_heap(), &config);
    run_guard(&guard);
}

static const hs_memory_t ram = {.name = "ram", .caps = {HS_CAP_8BIT | HS_CAP_DEFAULT}};
static const hs_memory_t iram = {.name = "iram", .caps = {HS_CAP_32BIT}};

static hs_regions_t *new_regions(uint32_t count, bool owned)
{
    static const hs_guard_config_t guard = {.owners = true};
    static hs_regions_config_t config;
    config = (hs_regions_config_t){0};
    if (owned) {
        config.guard = &guard;
        config.owners = hs_owners_create(control, sizeof control, 8);
    }
    hs_region_t table[5];
    for (uint32_t i = 0; i < 4; i++) { /* four that cannot serve, before the one that does */
        table[i] = (hs_region_t){.memory = &iram, .start = memory[1] + 512 * i, .size = 4096};
    }
    table[count - 1] = (hs_region_t){.memory = &ram, .start = memory[0], .size = sizeof memory[0]};
    return hs_regions_create(table, count, &config, NULL, 0);
}

static void *source_take(void *of, size_t size)
{
    return hs_heap_malloc(of, size);
}

static void source_give(void *of, void *block, size_t size)
{
    (void)size;
    (void)hs_heap_free(of, block);
}

static void pooled(void)
{
    const hs_source_t source = {source_take, source_give, new_heap()};
    hs_pools_t pools;
    hs_pools_init(&pools, source, NULL, NULL);
    hs_pool_t *const pool = hs_pool_create(&pools, "pool", 1000, 1000);
    run_pool(pool);
}

static void of_private(void)
{
    const hs_private_config_t config = {.size = sizeof memory[0], .memory = memory[0]};
    run_private(hs_private_create(&config));
}

/* How many requests failed. */
uint32_t drive_all(uint32_t part)
{
    drive_failures = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        blocks[i] = NULL;
    }
    switch (part) {
    case 0:
        run_heap(new_heap());
        break;
    case 1:
    case 2:
    case 3:
        guarded((hs_guard_level_t)(part - 1));
        break;
    case 4:
        run_regions(new_regions(1, false));
        break;
    case 5:
        run_regions(new_regions(5, false));
        break;
    case 6:
        run_regions(new_regions(5, true));
        break;
    case 7:
        of_private();
        break;
    case 8:
        pooled();
        break;
    case 9:
        run_fixed(hs_fixed_create(memory[0], sizeof memory[0], 400, 8, "fixed"));
        break;
    default:
        run_drop_in(NULL);
    }
    return drive_failures;
}

/* Bytes of control data that parts put into the memory that they are given. */
uint32_t drive_sizes(uint32_t which)
{
    hs_heap_info_t info;
    switch (which) {
    case 0:
        hs_heap_info(new_heap(), &info);
        return (uint32_t)(sizeof memory[0] - info.total);
    case 1:
        return (uint32_t)hs_regions_control(5);
    case 2:
        return (uint32_t)hs_owners_control(8);
    case 3: {
        const hs_private_config_t config = {.size = sizeof memory[0], .memory = memory[0]};
        hs_private_info_t private;
        hs_private_info(hs_private_create(&config), &private);
        return (uint32_t)private.control;
    }
    case 4:
        return (uint32_t)(hs_fixed_memory(16, 32, 8) - 16 * 32);
    default:
        return (uint32_t)sizeof(hs_guard_t);
    }
}

int main(void)
{
    return 0;
}
