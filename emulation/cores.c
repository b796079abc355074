/*
 * Several cores on one set of regions: each runs cores_work() on blocks of its own, and takes and gives
 * blocks that another one allocated. Meanwhile regions are added and the start-up stacks come into use.
 * The same program runs on emulated cores and as threads of a host.
 */
#include "cores.h"

#include "heapscope/port.h"
#include "heapscope/regions.h"

#define OWN 10u      /* blocks of a core */
#define MAILBOXES 4u /* blocks on their way from one to another */
#define ROWS 4u      /* of owners */
#define REGIONS 4u   /* of the table */
#define ADDED 2u     /* later: one beside them, one within a block */
#define INSIDE 1200u /* bytes of that block */
#define WORDS (HS_CAP_32BIT | HS_CAP_IRAM_8BIT)
#define BYTES HS_CAP_8BIT
#define INTERNAL (HS_CAP_8BIT | HS_CAP_INTERNAL)

typedef struct cores_block {
    uint8_t *at;
    uint32_t size;
    uint32_t seed;
    bool words; /* no part of a word may be touched */
} block_t;

static const hs_memory_t dram = {.name = "DRAM", .caps = {BYTES, HS_CAP_INTERNAL | HS_CAP_32BIT}};
static const hs_memory_t iram = {.name = "IRAM", .caps = {WORDS}, .kind = 1};
static const hs_memory_t ram = {.name = "RAM", .caps = {0, BYTES | HS_CAP_32BIT}, .kind = 2};

static uint64_t memory[REGIONS + 1][480];
static uint64_t rows[160];
static hs_guard_config_t guard;
static hs_regions_config_t config;
static hs_regions_t *set;
static size_t first[REGIONS + ADDED]; /* free bytes of each region when it began */
static bool opened[ADDED];            /* and whether the added ones did */
static block_t mailbox[MAILBOXES];
static block_t own[CORES_MAX][OWN];
static uint32_t held[CORES_MAX]; /* locks that each core holds */
static bool outer[CORES_MAX];    /* one of them is the set's */
static uint32_t broken[CORES_MAX];

/* ---- the lock, and what holds for it ------------------------------------------------------------ */

static void lock(void *context, uint32_t which)
{
    hs_port_lock_region(context, which);
    const uint32_t core = cores_self();
    broken[core] += held[core] != 0 && !(held[core] == 1 && outer[core]) ? 1u : 0u;
    outer[core] = outer[core] || which == HS_LOCK_SET;
    held[core]++;
}

static void unlock(void *context, uint32_t which)
{
    const uint32_t core = cores_self();
    outer[core] = outer[core] && which != HS_LOCK_SET;
    held[core]--;
    hs_port_unlock_region(context, which);
}

static void *task(void *context)
{
    static char tasks[CORES_MAX];
    (void)context;
    return &tasks[cores_self()];
}

static void failed(void *context, size_t size, uint32_t caps)
{
    (void)context, (void)size, (void)caps;
    broken[cores_self()] += held[cores_self()] != 0 ? 1u : 0u;
}

/* ---- blocks ------------------------------------------------------------------------------------- */

static uint32_t next(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random >> 4;
}

static void fill(block_t *block, uint32_t from)
{
    const uint32_t words = block->size / 4;
    for (uint32_t i = from / 4; i < words; i++) {
        ((uint32_t *)(void *)block->at)[i] = block->seed + i;
    }
    for (uint32_t i = 4 * words; !block->words && i < block->size; i++) {
        block->at[i] = (uint8_t)(block->seed + i);
    }
}

static bool is_filled(const block_t *block, uint32_t bytes)
{
    const uint32_t words = bytes / 4;
    for (uint32_t i = 0; i < words; i++) {
        if (((const uint32_t *)(const void *)block->at)[i] != block->seed + i) {
            return false;
        }
    }
    for (uint32_t i = 4 * words; bytes == block->size && !block->words && i < bytes; i++) {
        if (block->at[i] != (uint8_t)(block->seed + i)) {
            return false;
        }
    }
    return true;
}

static uint32_t take(block_t *block, uint32_t *random)
{
    static const uint32_t choice[] = {INTERNAL, BYTES};
    const uint32_t way = next(random) % 8;
    const uint32_t size = next(random) % 6 == 0 ? 1 + next(random) % 900 : 1 + next(random) % 70;
    const uint32_t caps = way == 0 ? WORDS : choice[way & 1];
    *block = (block_t){.size = size, .seed = next(random), .words = way == 0};
    block->at = way == 1   ? hs_regions_calloc(set, 1, size, caps)
                : way == 2 ? hs_regions_aligned_alloc(set, 32, size, 0, caps)
                : way == 3 ? hs_regions_malloc_prefer(set, size, choice, 2)
                           : hs_regions_malloc(set, size, caps);
    uint32_t wrong = 0;
    for (uint32_t i = 0; way == 1 && block->at != NULL && i < size; i++) {
        wrong |= block->at[i];
    }
    if (block->at != NULL) {
        fill(block, 0);
    }
    return wrong;
}

static uint32_t drop(block_t *block)
{
    if (block->at == NULL) {
        return 0;
    }
    uint32_t wrong = is_filled(block, block->size) ? 0 : 1;
    wrong += hs_regions_usable_size(set, block->at) >= block->size ? 0 : 1;
    wrong += hs_regions_free(set, block->at) == HS_OK ? 0 : 1;
    block->at = NULL;
    return wrong;
}

static uint32_t resize(block_t *block, uint32_t *random)
{
    static const uint32_t all[] = {INTERNAL, BYTES};
    const uint32_t size = 4 + next(random) % (next(random) % 3 == 0 ? 900 : 120);
    const uint32_t caps = block->words ? WORDS : all[next(random) & 1];
    uint8_t *const moved = hs_regions_realloc(set, block->at, size, caps);
    if (moved == NULL) {
        return is_filled(block, block->size) ? 0 : 1;
    }
    block->at = moved;
    const uint32_t kept = (block->size < size ? block->size : size) & ~3u;
    const uint32_t wrong = is_filled(block, kept) ? 0 : 1;
    block->size = size;
    fill(block, kept);
    return wrong;
}

/* The block of a mailbox for one's own; looked at in there, so that two who came at the same time would
 * meet. Sections nest. */
static uint32_t swap(block_t *block, uint32_t which)
{
    (void)hs_port_enter();
    (void)hs_port_enter();
    const block_t other = mailbox[which];
    hs_port_leave();
    const uint32_t wrong = other.at == NULL || is_filled(&other, other.size) ? 0 : 1;
    mailbox[which] = *block;
    hs_port_leave();
    *block = other;
    return wrong;
}

/* ---- questions ---------------------------------------------------------------------------------- */

static bool count(void *context, uint32_t region, void *block, size_t size, bool used, hs_tag_t tag)
{
    (void)region, (void)block, (void)size, (void)tag;
    *(uint32_t *)context += used ? 1u : 0u;
    return true;
}

static uint32_t ask(uint32_t *random)
{
    uint32_t wrong = 0;
    uint32_t used = 0;
    hs_region_state_t state;
    hs_heap_info_t info;
    switch (next(random) % 8) {
    case 0:
        return hs_regions_check(set, 0) == HS_OK ? 0 : 1;
    case 1:
        hs_regions_walk(set, BYTES, count, &used);
        return 0;
    case 2:
        hs_regions_info(set, 0, &info);
        return info.free + info.used == info.total ? 0 : 1; /* true of each, and so of the sum */
    case 3:
        return hs_regions_largest_allocatable(set, BYTES) <= hs_regions_total(set, BYTES) ? 0 : 1;
    case 4:
        (void)hs_regions_monitor_start(set);
        return hs_regions_fits(set, 1, 1, 0) ? 1 : 0; /* no capability: no region */
    case 5:
        (void)hs_regions_monitor_stop(set);
        return hs_regions_free_size(set, 0) <= hs_regions_total(set, 0) ? 0 : 1;
    default:
        for (uint32_t i = 0; hs_regions_state(set, i, &state); i++) {
            if (state.in_use) {
                hs_regions_lock(set, i);
                wrong +=
                    hs_heap_minimum_free(state.guard->heap) > hs_heap_free_size(state.guard->heap)
                        ? 1u
                        : 0u;
                hs_regions_unlock(set, i);
            }
        }
        return wrong;
    }
}

/* ---- what changes the set ----------------------------------------------------------------------- */

static void note(uint32_t added)
{
    hs_region_state_t state;
    (void)hs_regions_state(set, REGIONS + added, &state);
    opened[added] = state.size != 0;
}

static uint32_t add(const void *start, size_t size, uint32_t added)
{
    const hs_region_t region = {.memory = &ram, .start = (void *)(uintptr_t)start, .size = size};
    const hs_status_t status = hs_regions_add(set, &region);
    if (status == HS_OK) {
        note(added);
    }
    return status == HS_OK || status == HS_ERR_MEMORY ? 0
                                                      : 1; /* there was no room for its record */
}

static uint32_t change(uint32_t core, uint32_t round, uint32_t rounds)
{
    if (core == 1 && round == rounds / 4) {
        return hs_regions_enable_startup_stacks(set) == HS_OK ? 0 : 1;
    }
    if (core == 0 && round == rounds / 3) {
        return add(memory[REGIONS], sizeof memory[REGIONS], 0);
    }
    if (core == 0 && round == rounds / 2 && opened[0]) {
        uint8_t *const block = hs_regions_malloc(set, INSIDE, BYTES);
        if (block != NULL && (add(block, INSIDE, 1) != 0 || !opened[1])) {
            (void)hs_regions_free(set, block);
        }
    }
    return 0;
}

/* ---- from outside ------------------------------------------------------------------------------- */

bool cores_prepare(uint32_t level, uint32_t owners)
{
    guard = (hs_guard_config_t){.level = (hs_guard_level_t)((int)level - 1), .owners = owners != 0};
    config = (hs_regions_config_t){
        .guard = &guard, .task = task, .failed = failed, .lock = lock, .unlock = unlock};
    if (owners != 0) {
        config.owners = hs_owners_create(rows, sizeof rows, ROWS);
    }
    hs_region_t table[REGIONS];
    for (uint32_t i = 0; i < REGIONS; i++) {
        table[i] = (hs_region_t){.memory = i == 2 ? &iram : &dram,
                                 .start = memory[i],
                                 .size = sizeof memory[i],
                                 .startup_stack = i == 3};
    }
    set = hs_regions_create(table, REGIONS, &config, NULL, 0);
    hs_region_state_t state;
    for (uint32_t i = 0; set != NULL && i < 3 && hs_regions_state(set, i, &state); i++) {
        first[i] = hs_heap_free_size(state.guard->heap);
    }
    return set != NULL && (owners == 0 || config.owners != NULL);
}

uint32_t cores_work(uint32_t core, uint32_t seed, uint32_t rounds)
{
    uint32_t random = seed | 1u;
    uint32_t wrong = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        block_t *const block = &own[core][next(&random) % OWN];
        const uint32_t way = next(&random) % 16;
        wrong += change(core, round, rounds);
        if (way == 0) {
            wrong += ask(&random);
        } else if (way < 4) {
            wrong += swap(block, next(&random) % MAILBOXES);
        } else if (block->at == NULL) {
            wrong += take(block, &random);
        } else {
            wrong += way < 10 ? resize(block, &random) : drop(block);
        }
    }
    for (uint32_t i = 0; i < OWN; i++) {
        wrong += drop(&own[core][i]);
    }
    return wrong + broken[core];
}

/* ---- one change, between whose instructions another core allocates ------------------------------ */

bool cores_fill(void)
{
    /* A block stays for the record of the region to be added: it is freed when all else is full. */
    uint8_t *const room = hs_regions_malloc(set, 120, BYTES);
    while (hs_regions_malloc(set, 40, BYTES) != NULL) {
    }
    while (hs_regions_malloc(set, 8, BYTES) != NULL) {
    }
    return hs_regions_free(set, room) == HS_OK;
}

uint32_t cores_change(uint32_t adds)
{
    const hs_region_t region = {
        .memory = &ram, .start = memory[REGIONS], .size = sizeof memory[REGIONS]};
    const hs_status_t status =
        adds != 0 ? hs_regions_add(set, &region) : hs_regions_enable_startup_stacks(set);
    return status == HS_OK ? 0 : 1;
}

uint32_t cores_probe(void)
{
    uint8_t *const block = hs_regions_malloc(set, 200, BYTES | HS_CAP_32BIT);
    const bool whole = hs_regions_check(set, 0) == HS_OK;
    const bool there = block == NULL || hs_regions_usable_size(set, block) >= 200;
    return whole && there && hs_regions_free(set, block) == HS_OK ? 1u + (block != NULL) : 0;
}

/* When all cores are done: 0, or what is wrong. */
uint32_t cores_verify(void)
{
    for (uint32_t i = 0; i < MAILBOXES; i++) {
        if (drop(&mailbox[i]) != 0) {
            return 1;
        }
    }
    if (hs_regions_check(set, 0) != HS_OK) {
        return 2;
    }
    /* Nothing is left but the records of added regions and the block that one of them lies in. */
    uint32_t used = 0;
    hs_regions_walk(set, 0, count, &used);
    if (used != (opened[0] ? 1u : 0u) + (opened[1] ? 2u : 0u)) {
        return 3;
    }
    hs_region_state_t state;
    for (uint32_t i = 0; hs_regions_state(set, i, &state); i++) {
        if (i == 2 && hs_heap_free_size(state.guard->heap) != first[2]) {
            return 4;
        }
    }
    if (!opened[0] && !opened[1] &&
        hs_regions_free_size(set, BYTES | HS_CAP_INTERNAL) < first[0] + first[1]) {
        return 5;
    }
#if HS_OWNERS
    uint32_t blocks = 0;
    uint32_t bytes = 0;
    for (uint32_t row = 1; config.owners != NULL && row <= ROWS; row++) {
        const hs_owner_t *const owner = hs_owners_get(config.owners, row);
        for (uint32_t kind = 0; owner != NULL && kind < HS_KINDS_MAX; kind++) {
            blocks += owner->holding[kind].blocks;
            bytes += owner->holding[kind].bytes;
        }
    }
    if (config.owners != NULL && (blocks != (opened[1] ? 1u : 0u) || (bytes != 0) != opened[1])) {
        return 6;
    }
#endif
    return 0;
}
