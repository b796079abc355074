/*
 * A program that is interrupted by interrupts.py between any two instructions of one operation, and a
 * handler that allocates and frees. The drop-in malloc (WAY 0) or regions with guard and owners (WAY
 * 2) on a port that masks interrupts, or FreeRTOS's heap (WAY 1) on one that refuses handlers.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVE 8u
#define OPERATIONS 6u

#define REFUSES (WAY == 1)

#if WAY == 1
#include "kernel.h"
#define take(size) pvPortMalloc(size)
#define clear(count, size) pvPortCalloc(count, size)
#define resize(block, size) (vPortFree(block), pvPortMalloc(size))
#define align(alignment, size) pvPortMalloc(size)
#define give(block) vPortFree(block)
#define free_bytes() xPortGetFreeHeapSize()
#define is_sound() (asserted == 0)
#elif WAY == 2
#include "heapscope/port.h"
#include "heapscope/regions.h"
#define take(size) hs_regions_malloc(the_set(), size, HS_CAP_8BIT)
#define clear(count, size) hs_regions_calloc(the_set(), count, size, HS_CAP_8BIT)
#define resize(block, size) hs_regions_realloc(the_set(), block, size, HS_CAP_8BIT)
#define align(alignment, size) hs_regions_aligned_alloc(the_set(), alignment, size, 0, HS_CAP_8BIT)
#define give(block) (refusals += hs_regions_free(the_set(), block) != HS_OK)
#define free_bytes() hs_regions_free_size(the_set(), 0)
#define is_sound() (hs_regions_check(the_set(), 0) == HS_OK)
static uint32_t refusals;

/* Two regions, the first too small for the larger requests. */
static hs_regions_t *the_set(void)
{
    static const hs_memory_t ram = {.name = "ram", .caps = {HS_CAP_8BIT}};
    static const hs_guard_config_t guard = {.level = HS_GUARD_CANARIES, .owners = true};
    static uint64_t memory[2][600], rows[64];
    static hs_regions_config_t config = {
        .guard = &guard,
        .task = hs_port_task,
        .lock = hs_port_lock_region,
        .unlock = hs_port_unlock_region,
    };
    static hs_regions_t *set;
    if (set == NULL) {
        config.owners = hs_owners_create(rows, sizeof rows, 3);
        const hs_region_t table[] = {{.memory = &ram, .start = memory[0], .size = 2400},
                                     {.memory = &ram, .start = memory[1], .size = 4800}};
        set = hs_regions_create(table, 2, &config, NULL, 0);
    }
    return set;
}
#else
#include "heapscope_libc.h"
#include "names.h"
#define take(size) my_malloc(size)
#define clear(count, size) my_calloc(count, size)
#define resize(block, size) my_realloc(block, size)
#define align(alignment, size) my_aligned_alloc(alignment, size)
#define give(block) my_free(block)
#define free_bytes() hs_libc_free_size()
#define is_sound() (hs_libc_check(NULL) == HS_OK)
static uint32_t refusals;
void hs_libc_refused(void *block)
{
    (void)block;
    refusals++;
}
#endif

typedef struct live {
    uint8_t *at;
    uint32_t size;
} live_t;

static live_t blocks[LIVE]; /* the program's; 6: what the operation gave */
static live_t own[2];       /* the handler's: what it frees, and what it got */
static uint32_t all;

void interrupts_enable(void);
void interrupts_prepare(void);
uint32_t interrupts_operate(uint32_t which);
uint32_t interrupts_handle(void);
uint32_t interrupts_verify(uint32_t which);

void interrupts_enable(void)
{
#if defined(__riscv)
    __asm__ volatile(".option push\n.option arch, +zicsr\ncsrsi mstatus, 8\n.option pop");
#else
    __asm__ volatile("cpsie i");
#endif
}

static void fill(live_t *block, void *at, uint32_t size)
{
    *block = (live_t){at, size};
    for (uint32_t i = 0; at != NULL && i < size; i++) {
        block->at[i] = (uint8_t)(size + 31 * i);
    }
}

static bool is_whole(const live_t *block, uint32_t size)
{
    for (uint32_t i = 0; block->at != NULL && i < size; i++) {
        if (block->at[i] != (uint8_t)(block->size + 31 * i)) {
            return false;
        }
    }
    return true;
}

/* Blocks with holes between them, of sizes by which every path of the operations is met. */
void interrupts_prepare(void)
{
    static const uint32_t sizes[6] = {100, 200, 48, 600, 8, 120};
    all = (uint32_t)free_bytes();
    for (uint32_t i = 0; i < 6; i++) {
        fill(&blocks[i], take(sizes[i]), sizes[i]);
    }
    fill(&own[0], take(24), 24);
    give(blocks[1].at);
    blocks[1].at = NULL;
}

uint32_t interrupts_operate(uint32_t which)
{
    live_t *const built = &blocks[6];
    switch (which) {
    case 0:
        built->at = take(40);
        break;
    case 1: /* merges with the hole before it */
        give(blocks[2].at);
        blocks[2].at = NULL;
        return 1;
    case 2: /* in place, into the hole behind */
        built->at = resize(blocks[0].at, 250);
        blocks[0].at = NULL;
        break;
    case 3: /* moves */
        built->at = resize(blocks[3].at, 1500);
        blocks[3].at = NULL;
        break;
    case 4:
        built->at = clear(10, 20);
        break;
    default:
        built->at = align(64, 100);
    }
    return built->at != NULL;
}

/* 1: it got a block, 0: it was refused. */
uint32_t interrupts_handle(void)
{
#if REFUSES
    inside_interrupt = 1;
    fill(&own[1], take(24), 24);
    inside_interrupt = 0;
#else
    fill(&own[1], take(24), 24);
    give(own[0].at);
    own[0].at = NULL;
#endif
    return own[1].at != NULL;
}

/* 0: all is as if nobody had interrupted. */
uint32_t interrupts_verify(uint32_t which)
{
    static const uint32_t kept[OPERATIONS] = {0, 0, 100, 600, 0, 0};
    if (!is_sound()) {
        return 1;
    }
    for (uint32_t i = 0; i < 6; i++) {
        if (!is_whole(&blocks[i], blocks[i].size)) {
            return 2;
        }
    }
    if (!is_whole(&own[0], 24) || !is_whole(&own[1], 24)) {
        return 3;
    }
#if !REFUSES
    blocks[6].size = kept[which]; /* realloc keeps what was there */
    if (!is_whole(&blocks[6], kept[which])) {
        return 4;
    }
#endif
    for (uint32_t i = 0; which == 4 && i < 200; i++) {
        if (blocks[6].at[i] != 0) {
            return 5;
        }
    }
    for (uint32_t i = 0; i < LIVE; i++) {
        give(blocks[i].at);
    }
    give(own[0].at);
    give(own[1].at);
    (void)kept;
#if !REFUSES
    if (refusals != 0) {
        return 6;
    }
#endif
    return is_sound() && free_bytes() == all ? 0 : 7;
}

int main(void)
{
    return 0;
}
